#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "failure.hpp"
#include "io/numbers.hpp"
#include "verify.hpp"

namespace kogge::command {
namespace {

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
        const bool greatest = options.nans == nan_order::greatest || options.order == ascending;
        if (std::isnan(value) && options.nans != nan_order::by_sign) number = greatest ? kRange - 1 : 0;
        else if (value == 0 && options.zeros == zero_order::equal) number = kRange / 2;
        else number = kRange / 2 + (negative ? -magnitude - 1 : magnitude);
    }
    if (options.order == descending) number = kRange - 1 - number;
    const int end = options.end_bit == -1 ? kBits : options.end_bit;
    const __int128 width = static_cast<__int128>(1) << (end - options.begin_bit);
    return static_cast<std::uint64_t>((number >> options.begin_bit) % width);
}

std::vector<std::uint64_t> stable_order(const Array& keys, const sort_options& options) {
    std::vector<std::uint64_t> order(keys.size()), places(keys.size());
    visit(keys.type(), [&]<class T>() {
        for (std::uint64_t i = 0; i < keys.size(); ++i) places[i] = place_of(keys.as<T>()[i], options);
    });
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint64_t a, std::uint64_t b) { return places[a] < places[b]; });
    return order;
}

void compare_items(const Array* input, const Array* result, const std::vector<std::uint64_t>& order, const char* what) {
    if (!result) return;
    const std::size_t bytes = input->item_bytes();
    for (std::uint64_t i = 0; i < order.size(); ++i)
        if (std::memcmp(result->data() + i * bytes, input->data() + order[i] * bytes, bytes) != 0)
            throw Failure(std::string("verification failed: ") + what + " " + with_separators(i) +
                          " is not what std::stable_sort gives");
}

}  // namespace

void verify_sort(const SortResult& result, const sort_options& options) {
    const std::vector<std::uint64_t> order = stable_order(*result.keys, options);
    compare_items(result.keys, result.sorted_keys, order, "key");
    compare_items(result.values, result.sorted_values, order, "value");
    if (!result.indices) return;
    for (std::uint64_t i = 0; i < order.size(); ++i)
        if (static_cast<std::uint64_t>(result.indices->as<std::int64_t>()[i]) != order[i])
            throw Failure("verification failed: index " + with_separators(i) + " is not what std::stable_sort gives");
}

}  // namespace kogge::command
