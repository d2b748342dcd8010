// The scratch of unique and run-length encoding.
#include "kogge/engine/tile_shape.hpp"
#include "kogge/runs/scratch.hpp"

namespace kogge::grid {

RunsMemory carve_runs(detail::Carver& carver, const runs_plan& plan, runs_output writes) {
    RunsMemory memory;
    if (plan.one_wave) {
        memory.aggregates = carver.take<unsigned char>(plan.blocks * run_tally_bytes(writes));
    } else if (plan.stretches > 0) {
        memory.tallies = carver.take<RunTally>(plan.stretches + 1);
        memory.scan_space = {carver.take<unsigned char>(plan.scan_bytes), plan.scan_bytes};
    } else {
        memory.board = carve_board(carver, plan.tiles, 1, 0);
        if (writes == runs_output::lengths) memory.stretches = carver.take<StretchRuns>(plan.tiles * kRingWarps);
    }
    return memory;
}

}  // namespace kogge::grid
