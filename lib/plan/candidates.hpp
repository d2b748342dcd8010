// What the plans of all primitives do alike: they take the first candidate, and measure its scratch.
#pragma once

#include <cstddef>
#include <string>

#include "kogge/error.hpp"
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

// What a limit leaves for the sort that a call ends with, whose own arrays take `own` bytes.
inline std::size_t limit_beside(const char* call, std::size_t own, std::size_t scratch_limit) {
    if (scratch_limit == kNoLimit) return kNoLimit;
    if (own > scratch_limit)
        throw error(errc::out_of_memory, call,
                    "more than " + std::to_string(own) + " bytes of scratch are needed, but exec.scratch_limit is " +
                        std::to_string(scratch_limit));
    return scratch_limit - own;
}

}  // namespace kogge::grid
