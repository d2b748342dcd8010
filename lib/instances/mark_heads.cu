// Marks where segments start, for scans. See scan/segmented.cuh.
#include "kogge/scan/segmented.cuh"

namespace kogge::grid {
namespace {

constexpr int kMarkThreads = 256;
constexpr int kMarkedItems = 32768;  ///< of a block

/// A block marks its items on chip.
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMarkThreads, 4)
    mark_heads_kernel(SegmentStarts starts, Count count, std::uint32_t* heads) {
    simt::wait_for_stream();
    constexpr int words = kMarkedItems / static_cast<int>(kHeadsPerWord);
    auto& marks = simt::shared_memory<TileMarks<kMarkedItems>>();
    const std::uint64_t n = count.get(), begin = static_cast<std::uint64_t>(simt::block_rank()) * kMarkedItems;
    if (begin >= n) return;
    mark_tile<kMarkThreads>(starts, begin, marks);
    const std::uint64_t left = divide_up(n - begin, kHeadsPerWord);
    for (int i = simt::thread_rank(); i < words && static_cast<std::uint64_t>(i) < left; i += kMarkThreads)
        heads[begin / kHeadsPerWord + static_cast<std::uint64_t>(i)] = marks.words[i];
}

}  // namespace

void mark_heads(const std::uint64_t* offsets, std::uint64_t segments, const item_count& n, std::uint32_t* heads,
                stream_t stream) {
    simt::launch(mark_heads_kernel,
                 {static_cast<std::uint32_t>(divide_up(n.bound(), kMarkedItems)), kMarkThreads,
                  sizeof(TileMarks<kMarkedItems>), stream, "mark_heads_kernel"},
                 SegmentStarts{offsets, segments}, Count{n.bound(), n.on_device()}, heads);
}

}  // namespace kogge::grid
