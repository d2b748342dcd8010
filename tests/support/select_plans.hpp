// What tests ask of the plans of selections by rank.
#pragma once

#include <cstdint>

#include "kogge/plan/select.hpp"

namespace tests {

/// The least number of keys that is counted by digits for want of a faster way, from 4097 to 2^32.
inline std::uint64_t least_counted(const kogge::select_shape& shape, const kogge::device_properties& device) {
    std::uint64_t sorted = 4096, counted = std::uint64_t{1} << 32;
    while (counted - sorted > 1) {
        const std::uint64_t n = sorted + (counted - sorted) / 2;
        if (kogge::plan_select(n, 1, shape, device).is<kogge::select_digits>()) counted = n;
        else sorted = n;
    }
    return counted;
}

}  // namespace tests
