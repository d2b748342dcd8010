// The scratch of reductions of segments.
#include "kogge/reduce/segments_scratch.hpp"

namespace kogge::grid {

SegmentedReduceMemory carve_segmented_reduce(detail::Carver& carver, const segmented_reduce_plan& plan,
                                             std::size_t accumulator_bytes) {
    SegmentedReduceMemory memory;
    if (plan.layout.are_stored && plan.launches > 0) {
        memory.begins = carver.take<std::uint64_t>(plan.segments);
        if (plan.layout.have_ends) memory.ends = carver.take<std::uint64_t>(plan.segments);
    }
    if (plan.list_items > 0) {
        memory.ticket = carver.take<std::uint32_t>(1);
        memory.totals = carver.take<ListTotal>(plan.blocks);
        memory.lists = carver.take<ListedSegment>(std::uint64_t{plan.blocks} * plan.list_items);
    }
    if (plan.most_parts > 0) memory.aggregates = carver.take<unsigned char>(plan.most_parts * accumulator_bytes);
    return memory;
}

}  // namespace kogge::grid
