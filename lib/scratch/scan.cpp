// The scratch of scans.
#include "kogge/engine/tile_shape.hpp"
#include "kogge/scan/scratch.hpp"

namespace kogge::grid {

ScanMemory carve_scan(detail::Carver& carver, const scan_plan& plan, std::size_t accumulator_bytes) {
    ScanMemory memory;
    if (plan.mark_words > 0) memory.marks = carver.take<std::uint32_t>(plan.mark_words);
    if (plan.is<wave_scan>() || plan.is<deep_wave_scan>()) {
        memory.sums.push_back(carver.take<unsigned char>(plan.tiles * accumulator_bytes));
    } else if (const auto* const way = plan.as<level_scan>()) {
        for (const scan_level& level : way->levels)
            if (level.blocks > 1) memory.sums.push_back(carver.take<unsigned char>(level.blocks * accumulator_bytes));
    } else {
        memory.board = carve_board(carver, plan.tiles, slot_words(accumulator_bytes),
                                   slot_is_split(accumulator_bytes) ? 0 : accumulator_bytes);
    }
    return memory;
}

}  // namespace kogge::grid
