// Marks where segments start, and where runs of equal keys do, for scans. See scan/segmented.cuh.
#include "kogge/detail/prebuilt_told.hpp"
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

constexpr int kMarkedWords = 32;  ///< of a warp, which writes them together
constexpr std::uint64_t kItemsOfWarp = kMarkedWords * kHeadsPerWord, kItemsOfBlock = kMarkThreads * kMarkedWords;

/// A warp marks 32 words, each by one look of its lanes.
template <class Key>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMarkThreads, 4)
    mark_runs_kernel(const Key* keys, StoredEqual<Key> equal, Count count, std::uint32_t* heads) {
    simt::wait_for_stream();
    constexpr int kBatch = 8;  // looks whose loads are in flight together
    const std::uint64_t n = count.get();
    const std::uint64_t first = static_cast<std::uint64_t>(simt::block_rank()) * kItemsOfBlock +
                                static_cast<std::uint64_t>(simt::warp_rank()) * kItemsOfWarp;
    if (first >= n) return;
    const auto lane = static_cast<std::uint64_t>(simt::lane());
    std::uint32_t own = 0;
    for (int row = 0; row < kMarkedWords; row += kBatch) {
        Key key[kBatch], before[kBatch];
        const std::uint64_t at = first + static_cast<std::uint64_t>(row) * kHeadsPerWord + lane;
        KOGGE_UNROLL
        for (int r = 0; r < kBatch; ++r) {
            const std::uint64_t i = at + static_cast<std::uint64_t>(r) * kHeadsPerWord;
            key[r] = keys[i < n ? i : n - 1];
            before[r] = keys[i > 0 && i < n ? i - 1 : 0];
        }
        KOGGE_UNROLL
        for (int r = 0; r < kBatch; ++r) {
            const std::uint64_t i = at + static_cast<std::uint64_t>(r) * kHeadsPerWord;
            const std::uint32_t word = simt::ballot(i < n && (i == 0 || !equal(before[r], key[r])));
            if (simt::lane() == row + r) own = word;
        }
    }
    const std::uint64_t word = first / kHeadsPerWord + lane;
    if (word * kHeadsPerWord < n) heads[word] = own;
}

}  // namespace

void mark_runs(const ToldKeys& keys, const ToldEqual& equal, const item_count& n, std::uint32_t* heads,
               stream_t stream) {
    const auto mark = [&]<class Key>(Key) {
        simt::launch(mark_runs_kernel<Key>,
                     {static_cast<std::uint32_t>(divide_up(n.bound(), kItemsOfBlock)), kMarkThreads, 0, stream,
                      "mark_runs_kernel"},
                     static_cast<const Key*>(keys.first),
                     StoredEqual<Key>{static_cast<Key>(equal.magnitude), static_cast<Key>(equal.greatest)},
                     Count{n.bound(), n.on_device()}, heads);
    };
    if (keys.bytes == 1) mark(std::uint8_t{});
    else if (keys.bytes == 2) mark(std::uint16_t{});
    else if (keys.bytes == 4) mark(std::uint32_t{});
    else mark(std::uint64_t{});
}

void mark_heads(const std::uint64_t* offsets, std::uint64_t segments, const item_count& n, std::uint32_t* heads,
                stream_t stream) {
    simt::launch(mark_heads_kernel,
                 {static_cast<std::uint32_t>(divide_up(n.bound(), kMarkedItems)), kMarkThreads,
                  sizeof(TileMarks<kMarkedItems>), stream, "mark_heads_kernel"},
                 SegmentStarts{offsets, segments}, Count{n.bound(), n.on_device()}, heads);
}

}  // namespace kogge::grid
