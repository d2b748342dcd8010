// The scratch of emissions.
#include "kogge/emit/scratch.hpp"

namespace kogge::grid {

EmitMemory carve_emit(detail::Carver& carver, const emit_plan& plan, std::uint64_t capacity) {
    EmitMemory memory;
    if (plan.is<emit_wave>()) {
        memory.outputs = carver.take<std::uint64_t>(plan.tiles);
        return memory;
    }
    const std::size_t start = carver.used();
    memory.control = carver.take<EmitControl>(1);
    memory.board = carve_board(carver, plan.tiles, 1, 0);
    memory.zeroed = carver.used() - start;
    memory.large = carver.take<LargeTile>(most_large_tiles(plan.tiles, capacity));
    return memory;
}

}  // namespace kogge::grid
