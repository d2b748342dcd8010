// How many keys of 4 bytes are split by pipelined passes.
#pragma once

#include <cstddef>

#include "kogge/plan.hpp"
#include "support/backend.hpp"
#include "support/sort_plans.hpp"

namespace tests {

/// At least `n`, which is enough on a device that tests pretend to have.
inline std::size_t pipelined_split_items(std::size_t n) {
    if constexpr (kOnDevice) {
        const auto pipelined = [](std::size_t items) {
            return is_pipelined(kogge::plan_split(items, {.key_bytes = 4, .end_bit = 4, .in_place = false},
                                                  kogge::simt::current_properties()));
        };
        while (!pipelined(n) && n < 100'000'000) n += n / 8;
    }
    return n;
}

}  // namespace tests
