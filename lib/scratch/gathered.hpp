// The scratch of sorts whose values are gathered by index at the end.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kogge/exec.hpp"
#include "kogge/plan/radix_sort.hpp"

namespace kogge::grid {

// The indices, beside what the sort takes; and the copy of values that are in place, which lies over that.
template <class Plan, class Memory, class Sort>
void carve_gathered(detail::Carver& carver, const Plan& plan, Memory& memory, const Sort& carve_sort) {
    if (plan.index_bytes == 0) return carve_sort();
    memory.indices = carver.take<unsigned char>(plan.n * plan.index_bytes);
    std::size_t widest = 0;
    if (plan.shape.in_place)
        for (const value_layout& value : plan.shape.values) widest = std::max(widest, value.bytes);
    carver.take_in_turns(carve_sort, [&] {
        if (widest > 0) memory.gathered = carver.take<unsigned char>(plan.n * widest);
    });
}

}  // namespace kogge::grid
