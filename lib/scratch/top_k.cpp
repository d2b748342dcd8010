// The scratch of top-k calls.
#include "kogge/top_k/scratch.hpp"

namespace kogge::grid {

TopKMemory carve_top_k(detail::Carver& carver, const top_k_plan& plan) {
    TopKMemory memory;
    if (const auto* const way = plan.as<top_k_select>()) {
        const std::uint64_t groups = std::uint64_t{way->launch.blocks} * static_cast<unsigned>(way->groups_per_block);
        memory.control = carver.take<TopKControl>(1);
        memory.groups = carver.take<unsigned char>(groups * way->rank_bytes);
        memory.candidates = carver.take<unsigned char>(way->places * way->rank_bytes);
    } else if (const auto* const sort = plan.as<top_k_sort>()) {
        const std::size_t item_bytes = sort->sorts_indices ? top_k_order_bytes(plan) : plan.shape.key_bytes;
        memory.sorted = carver.take<unsigned char>(plan.n * item_bytes);
        memory.of_sort = carver.take<unsigned char>(sort->sort.scratch_bytes);
        memory.least = carver.take<std::uint64_t>(1);
    }
    return memory;
}

SegmentedTopKMemory carve_segmented_top_k(detail::Carver& carver, const segmented_top_k_plan& plan) {
    SegmentedTopKMemory memory;
    if (plan.layout.are_stored && plan.launches > 0) {
        memory.begins = carver.take<std::uint64_t>(plan.segments);
        if (plan.layout.have_ends) memory.ends = carver.take<std::uint64_t>(plan.segments);
    }
    if (plan.blocks.blocks == 0) return memory;
    if (plan.lists) {
        if (plan.parts > 1) {
            memory.firsts = carver.take<unsigned char>(plan.segments * plan.parts * plan.k * plan.rank_bytes);
            memory.arrived = carver.take<std::uint32_t>(plan.segments);
        }
    } else {
        const std::uint64_t ranks = std::uint64_t{plan.blocks.blocks} * plan.places;
        memory.control = carver.take<TopKControl>(plan.blocks.blocks);
        memory.groups = carver.take<unsigned char>(plan.blocks.blocks * kTopKGroups * plan.rank_bytes);
        memory.candidates = carver.take<unsigned char>(ranks * plan.rank_bytes);
    }
    if (plan.warps.blocks == 0) return memory;
    memory.left = carver.take<std::uint32_t>(1);
    memory.left_segments = carver.take<std::uint64_t>(plan.segments);
    return memory;
}

}  // namespace kogge::grid
