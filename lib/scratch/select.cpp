// The scratch of selections by rank.
#include "kogge/select/scratch.hpp"

namespace kogge::grid {

SelectMemory carve_select(detail::Carver& carver, const select_plan& plan) {
    SelectMemory memory;
    if (const auto* const way = plan.as<select_digits>()) {
        memory.control = carver.take<SelectControl>(1);
        memory.counters_bytes = way->counters * way->counter_bytes;
        memory.counters = carver.take<unsigned char>(memory.counters_bytes);
        memory.of_first = carver.take<unsigned char>(way->first.scratch_bytes);
        memory.beginnings = carver.take<unsigned char>(plan.m * way->rank_bytes);
        memory.found = carver.take<unsigned char>(plan.m * way->rank_bytes);
        memory.slot = carver.take<std::uint32_t>(plan.m);
        memory.remaining = carver.take<std::uint64_t>(plan.m);
        memory.list = carver.take<unsigned char>(way->places * way->rank_bytes);
    } else if (const auto* const sort = plan.as<select_sort>()) {
        memory.sorted =
            carver.take<unsigned char>(plan.n * (sort->sorts_indices ? sort->index_bytes : plan.shape.key_bytes));
        memory.of_sort = carver.take<unsigned char>(sort->sort.scratch_bytes);
    }
    return memory;
}

SegmentedSelectMemory carve_segmented_select(detail::Carver& carver, const segmented_select_plan& plan) {
    SegmentedSelectMemory memory;
    if (plan.layout.are_stored && plan.launches > 0) {
        memory.begins = carver.take<std::uint64_t>(plan.segments);
        if (plan.layout.have_ends) memory.ends = carver.take<std::uint64_t>(plan.segments);
    }
    if (plan.blocks.blocks == 0) return memory;
    memory.control = carver.take<TopKControl>(plan.blocks.blocks);
    if (plan.warps.blocks == 0) return memory;
    memory.left = carver.take<std::uint32_t>(1);
    memory.left_segments = carver.take<std::uint64_t>(plan.segments);
    return memory;
}

}  // namespace kogge::grid
