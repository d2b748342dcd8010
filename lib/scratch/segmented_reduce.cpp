// The scratch of reductions of segments.
#include "kogge/reduce/segments_scratch.hpp"

#include "kogge/reduce/shape.hpp"

namespace kogge::grid {

SegmentedReduceMemory carve_segmented_reduce(detail::Carver& carver, const segmented_reduce_plan& plan,
                                             std::size_t accumulator_bytes) {
    SegmentedReduceMemory memory;
    if (plan.layout.are_stored && plan.launches > 0) {
        memory.begins = carver.take<std::uint64_t>(plan.segments);
        if (plan.layout.have_ends) memory.ends = carver.take<std::uint64_t>(plan.segments);
    }
    if (plan.way == segmented_reduce_way::listed) {
        memory.totals = carver.take<ListTotal>(plan.blocks);
        memory.lists = carver.take<ListedSegment>(std::uint64_t{plan.blocks} * kMostListed);
    }
    if (plan.most_parts > 0) memory.aggregates = carver.take<unsigned char>(plan.most_parts * accumulator_bytes);
    return memory;
}

}  // namespace kogge::grid
