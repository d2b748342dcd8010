// The scratch of compactions.
#include "kogge/compact/scratch.hpp"

namespace kogge::grid {

CompactMemory carve_compact(detail::Carver& carver, const compact_plan& plan, std::uint64_t n, std::size_t item_bytes) {
    CompactMemory memory;
    if (plan.is<compact_wave>()) {
        memory.aggregates = carver.take<std::uint32_t>(plan.blocks);
        return memory;
    }
    memory.board = carve_board(carver, plan.tiles, 1, 0);
    const auto* const pipeline = plan.as<compact_pipeline>();
    const auto& counting = pipeline ? pipeline->counting : plan.as<compact_tiles>()->counting;
    if (counting && counting->copies_input) memory.items = carver.take<unsigned char>(n * item_bytes);
    return memory;
}

}  // namespace kogge::grid
