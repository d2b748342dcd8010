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
    if (plan.most_parts == 0) return memory;
    if (plan.parts_per_row == 0) memory.listed = carver.take<std::uint64_t>(1);
    memory.parts = carver.take<SegmentPart>(plan.most_parts);
    memory.aggregates = carver.take<unsigned char>(plan.most_parts * accumulator_bytes);
    return memory;
}

}  // namespace kogge::grid
