// The scratch of segmented sorts.
#include "kogge/segmented/shape.hpp"
#include "kogge/sort/common/shape.hpp"
#include "scratch/gathered.hpp"

namespace kogge::grid {

SegmentMemory carve_segmented_sort(detail::Carver& carver, const segmented_sort_plan& plan) {
    SegmentMemory memory;
    if (plan.passes == 0) return memory;
    const segment_layout& layout = plan.layout;
    if (layout.are_stored) {
        memory.begins = carver.take<std::uint64_t>(plan.segments);
        if (layout.have_ends) memory.ends = carver.take<std::uint64_t>(plan.segments);
    }
    if (!plan.shape.writes_keys) memory.sorted_keys = carver.take<unsigned char>(plan.n * plan.shape.key_bytes);
    carve_gathered(carver, plan, memory, [&] {
        const std::size_t start = carver.used(), moved = moved_value_bytes(plan);
        memory.marks = carver.take<std::uint32_t>(2 * divide_up(plan.n, 32));
        memory.listed = carver.take<std::uint64_t>(static_cast<std::uint64_t>(long_levels(plan.passes)) + 1);
        memory.uncounted = carver.take<std::uint32_t>(1);
        memory.tiny = carver.take<std::uint32_t>(1);
        memory.falls = carver.take<std::uint32_t>(1);
        memory.tickets = carver.take<std::uint32_t>(static_cast<std::uint64_t>(long_levels(plan.passes)));
        if (layout.have_ends) {
            memory.covered = carver.take<std::uint32_t>(divide_up(plan.n, 32));
            memory.covered_items = carver.take<std::uint64_t>(1);
        }
        if (layout.indices_in_segment) memory.pieces.listed = carver.take<std::uint64_t>(1);
        memory.zeroed = carver.used() - start;
        if (layout.indices_in_segment) {
            memory.pieces.most = most_pieces(plan.n);
            memory.pieces.pieces = carver.take<SegmentPiece>(memory.pieces.most);
        }
        memory.left = carver.take<std::uint32_t>(plan.windows);
        if (plan.may_be_long) {
            for (LongList& list : memory.lists) {
                list.longs = carver.take<LongSegment>(plan.most_long);
                list.tiles = carver.take<std::uint32_t>(plan.most_tiles);
                list.counts = carver.take<std::uint64_t>(plan.most_long * kBins);
                list.most = plan.most_long;
                list.most_tiles = plan.most_tiles;
            }
            if (has_tables(plan.shape.key_bytes, plan.shape.merges_keys))
                memory.tables = carver.take<unsigned char>(plan.most_long * kTableBytes);
            memory.words = carver.take<std::uint64_t>(plan.most_tiles * kBins);
            memory.keys = carver.take<unsigned char>(plan.n * plan.shape.key_bytes);
            if (moved > 0) memory.values = carver.take<unsigned char>(plan.n * moved);
        }
    });
    return memory;
}

}  // namespace kogge::grid
