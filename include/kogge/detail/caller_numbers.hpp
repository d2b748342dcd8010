// Numbers that a caller's functions give, as the host and the device take them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/simt/config.hpp"

namespace kogge::detail {

/// A bin's number in 32 bits; where these do not hold it, the greatest one, which no bin has.
template <class Number>
KOGGE_HOST_DEVICE std::uint32_t bin_number(Number bin) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    if constexpr (std::is_integral_v<Number> && sizeof(Number) > sizeof(none))
        if (static_cast<std::uint64_t>(bin) > none) return none;
    return static_cast<std::uint32_t>(bin);
}

/// An item of an emission has at most so many outputs.
inline constexpr std::uint64_t kMostOutputs = std::uint64_t{1} << 40;

/// An item's outputs: none where the number is negative, and no more than there can be.
template <class Number>
KOGGE_HOST_DEVICE std::uint64_t output_number(Number outputs) {
    if constexpr (std::is_signed_v<Number>)
        if (outputs < 0) return 0;
    const auto taken = static_cast<std::uint64_t>(outputs);
    return taken < kMostOutputs ? taken : kMostOutputs;
}

/// Outputs of several items: 2^64 − 1 stands for all sums that 64 bits do not hold. Associative.
KOGGE_HOST_DEVICE std::uint64_t add_outputs(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum < a ? ~std::uint64_t{0} : sum;
}

}  // namespace kogge::detail
