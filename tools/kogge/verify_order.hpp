// The order of keys by code of another kind than the library's.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "io/numbers.hpp"
#include "kogge/keys.hpp"

namespace kogge::command {

/// A key's place in the wanted order, worked out as a signed number: sign and magnitude for floating point.
template <class T>
std::uint64_t place_of(T key, const sort_options& options) {
    constexpr int kBits = 8 * sizeof(T);
    constexpr __int128 kRange = static_cast<__int128>(1) << kBits;
    __int128 number;
    if constexpr (std::is_integral_v<T>) {
        number = static_cast<__int128>(key) - std::numeric_limits<T>::min();
    } else {
        detail::unsigned_of<sizeof(T)> bits;
        std::memcpy(&bits, &key, sizeof bits);
        const __int128 magnitude = bits % (kRange / 2);
        const bool negative = bits >= kRange / 2;
        double value;
        if constexpr (std::is_same_v<T, half>) value = static_cast<double>(to_float(key));
        else value = static_cast<double>(key);
        if (std::isnan(value) && options.nans == nan_order::last) number = options.order == ascending ? kRange - 1 : 0;
        else if (value == 0 && options.zeros == zero_order::equal) number = kRange / 2;
        else number = kRange / 2 + (negative ? -magnitude - 1 : magnitude);
    }
    if (options.order == descending) number = kRange - 1 - number;
    const int end = options.end_bit == -1 ? kBits : options.end_bit;
    const __int128 width = static_cast<__int128>(1) << (end - options.begin_bit);
    return static_cast<std::uint64_t>((number >> options.begin_bit) % width);
}

}  // namespace kogge::command
