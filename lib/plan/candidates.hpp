// What the plans of all primitives do alike: they take the first candidate, and measure its scratch.
#pragma once

#include <cstddef>

#include "kogge/exec.hpp"

namespace kogge::grid {

// The plan of the first candidate that takes the task, as the last one does. Each returns a std::optional.
template <class Candidates, class Task>
auto first_plan(const Candidates& candidates, const Task& task) {
    auto plan = candidates[0](task);
    for (std::size_t i = 1; !plan; ++i) plan = candidates[i](task);
    return *plan;
}

// The scratch_bytes of a plan whose arrays are laid out by carve(Carver&).
template <class Carve>
std::size_t scratch_of(const Carve& carve) {
    detail::Carver carver;
    carve(carver);
    return detail::scratch_with_slack(carver.used());
}

}  // namespace kogge::grid
