// What a bucket function says, as the host and the device take it.
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

}  // namespace kogge::detail
