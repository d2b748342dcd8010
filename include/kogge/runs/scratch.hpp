// The scratch of unique items and run lengths, carved by plans to measure it and by launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/tile_scratch.hpp"
#include "kogge/exec.hpp"
#include "kogge/plan.hpp"
#include "kogge/runs/shape.hpp"

namespace kogge::grid {

/// Of a plan that does not compact.
struct RunsMemory {
    BoardMemory board{};
    void* aggregates = nullptr;        ///< of a wave's tiles
    StretchRuns* stretches = nullptr;  ///< of a ring that finds lengths: one a warp and tile
    RunTally* tallies = nullptr;       ///< of stretches that are counted, and one of nothing behind them
    workspace scan_space{};            ///< for the scan of these
};
RunsMemory carve_runs(detail::Carver& carver, const runs_plan& plan, runs_output writes);

}  // namespace kogge::grid
