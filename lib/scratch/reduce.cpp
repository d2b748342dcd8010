// The scratch of reductions.
#include "kogge/reduce/scratch.hpp"

namespace kogge::grid {

ReduceMemory carve_reduce(detail::Carver& carver, const reduce_plan& plan, std::size_t accumulator_bytes) {
    ReduceMemory memory;
    if (plan.blocks > 1) memory.aggregates = carver.take<unsigned char>(plan.blocks * accumulator_bytes);
    if (plan.is<reduce_blocks>()) memory.arrived = carver.take<std::uint32_t>(1);
    return memory;
}

}  // namespace kogge::grid
