// The scratch of unique and run-length encoding.
#include "kogge/engine/tile_shape.hpp"
#include "kogge/runs/scratch.hpp"

namespace kogge::grid {

RunsMemory carve_runs(detail::Carver& carver, const runs_plan& plan, runs_output writes) {
    RunsMemory memory;
    if (plan.is<runs_wave>()) {
        memory.aggregates = carver.take<unsigned char>(plan.blocks * run_tally_bytes(writes));
    } else if (const auto* const way = plan.as<runs_intervals>()) {
        memory.tallies = carver.take<RunTally>(way->intervals + 1);
        memory.scan_space = {carver.take<unsigned char>(way->scan_bytes), way->scan_bytes};
    } else {
        memory.board = carve_board(carver, plan.tiles, 1, 0);
        if (writes == runs_output::lengths) memory.slices = carver.take<SliceRuns>(plan.tiles * kRingWarps);
    }
    return memory;
}

}  // namespace kogge::grid
