// The scratch of reductions. Plans carve it to measure it, launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/exec.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

struct ReduceMemory {
    void* aggregates = nullptr;        ///< one per block
    std::uint32_t* arrived = nullptr;  ///< blocks that have written theirs; zero before the launch. Null in a wave
};
ReduceMemory carve_reduce(detail::Carver& carver, const reduce_plan& plan, std::size_t accumulator_bytes);

}  // namespace kogge::grid
