// The scratch of unique items and run lengths. Plans carve it to measure it, launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/tile_scratch.hpp"
#include "kogge/exec.hpp"
#include "kogge/plan.hpp"
#include "kogge/runs/shape.hpp"

namespace kogge::grid {

/// The scratch of a plan that does not compact.
struct RunsMemory {
    BoardMemory board{};
    void* aggregates = nullptr;   ///< of a wave's tiles
    SliceRuns* slices = nullptr;  ///< of a pipeline that finds lengths: one per warp and tile
    RunTally* tallies = nullptr;  ///< of the intervals, and an empty one after them
    workspace scan_space{};       ///< for the scan of `tallies`
};
RunsMemory carve_runs(detail::Carver& carver, const runs_plan& plan, runs_output writes);

}  // namespace kogge::grid
