// The items of cases: distributions that primitives treat differently, of any type.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "fuzz/case.hpp"
#include "kogge/keys.hpp"
#include "support/inputs.hpp"

namespace fuzz {

/// n numbers of 64 bits of a distribution that the case chooses. What matters stands in their high bits.
std::vector<std::uint64_t> words(Case& of, std::uint64_t n);

namespace detail {

template <class T>
T from_word(std::uint64_t word, std::uint64_t more) {
    T value;
    if constexpr (sizeof(T) <= 8 && std::has_single_bit(sizeof(T))) {
        const auto bits = static_cast<kogge::detail::unsigned_of<sizeof(T)>>(word >> (64 - 8 * sizeof(T)));
        std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    } else {
        // Structs and wider numbers: `more` stands at the end, which is the high half of a number.
        unsigned char bytes[sizeof(T) + 16];
        for (std::size_t at = 0; at < sizeof(T); at += 8) std::memcpy(bytes + at, at % 16 == 0 ? &word : &more, 8);
        std::memcpy(static_cast<void*>(&value), bytes, sizeof value);
    }
    return value;
}

}  // namespace detail

/// Keys and other items whose bits may be anything: of floats also NaNs, zeros and infinities of both signs.
template <class T>
std::vector<T> any_values(Case& of, std::uint64_t n) {
    const std::vector<std::uint64_t> first = words(of, n);
    const std::vector<std::uint64_t> second = sizeof(T) > 8 && of.one_in(2) ? words(of, n) : first;
    const bool with_specials = kogge::detail::is_float_key<T> && of.one_in(3);
    std::vector<T> values(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        values[i] = detail::from_word<T>(first[i], second[i]);
        if (with_specials && of.one_in(4)) values[i] = tests::random_value<T>(of.random());
        else if constexpr (std::is_floating_point_v<T>) {
            if (with_specials) values[i] = static_cast<T>(static_cast<double>(first[i] >> 11) * 0x1p-53 * 2 - 1);
        }
    }
    return values;
}

/// The half that is a positive integer below 2048.
constexpr kogge::half half_of(std::uint32_t integer) {
    if (integer == 0) return {0};
    const int exponent = static_cast<int>(std::bit_width(integer)) - 1;
    const std::uint32_t fraction = (integer << 10 >> exponent) & 0x3ffu;
    return {static_cast<std::uint16_t>(static_cast<std::uint32_t>(exponent + 15) << 10 | fraction)};
}

/// Numbers that add up exactly, in any order: floats are small integers. None is NaN or −0.
template <class T>
std::vector<T> summable_values(Case& of, std::uint64_t n) {
    if constexpr (!kogge::detail::is_float_key<T>) {
        return any_values<T>(of, n);
    } else {
        const std::vector<std::uint64_t> from = words(of, n);
        std::vector<T> values(n);
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto small = static_cast<std::uint32_t>(from[i] >> 60);
            if constexpr (std::is_floating_point_v<T>) values[i] = static_cast<T>(static_cast<int>(small) - 8);
            else values[i] = half_of(small);
        }
        return values;
    }
}

}  // namespace fuzz
