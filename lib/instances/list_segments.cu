// Marks and lists the segments of a segmented sort. See segmented/list.cuh.
#include <algorithm>

#include "kogge/segmented/list.cuh"

namespace kogge::grid {
namespace {

constexpr int kListThreads = 256;

/// Segments 0 … `segments`: the one before the first offset, then those that the offsets begin. Offsets past n count
/// as n. Where an offset falls, `falls` says so, and what is marked and listed is of no use.
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kListThreads, 4) list_segments_kernel(SegmentShape shape, SegmentMemory memory) {
    simt::wait_for_stream();
    const std::uint64_t n = shape.n.get();
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kListThreads;
    const auto offset = [&](std::uint64_t s) { return shape.offsets[s] < n ? shape.offsets[s] : n; };
    for (std::uint64_t first = static_cast<std::uint64_t>(simt::block_rank()) * kListThreads +
                               static_cast<std::uint64_t>(simt::warp_rank() * simt::kWarpSize);
         first <= shape.segments; first += step) {
        const std::uint64_t s = first + static_cast<std::uint64_t>(simt::lane());
        const bool real = s <= shape.segments;
        const std::uint64_t begin = real && s > 0 ? offset(s - 1) : 0;
        const std::uint64_t end = !real ? begin : s < shape.segments ? offset(s) : n;
        // As given, not as bounded: past n, too, offsets that fall are a mistake.
        if (real && s > 0 && s < shape.segments && shape.offsets[s] < shape.offsets[s - 1])
            simt::store_relaxed(memory.falls, 1);
        mark_segments(memory.marks, begin < end ? begin : n, n);
        const bool is_long = begin < end && end - begin > shape.longest_short;
        list_long(memory.list(0), is_long, begin, end, SegmentPlace::input, shape.tile_items);
    }
}

}  // namespace

void list_segments(const std::uint64_t* offsets, std::uint64_t segments, const item_count& n,
                   const segmented_sort_plan& plan, const SegmentMemory& memory, stream_t stream) {
    const auto multiprocessors = static_cast<std::uint64_t>(simt::properties_of(stream).multiprocessors);
    const auto blocks =
        static_cast<std::uint32_t>(std::min(divide_up(segments + 1, kListThreads), 8 * multiprocessors));
    simt::launch(list_segments_kernel, {blocks, kListThreads, 0, stream, "list_segments_kernel"},
                 segment_shape(offsets, segments, {n.bound(), n.on_device()}, plan), memory);
}

}  // namespace kogge::grid
