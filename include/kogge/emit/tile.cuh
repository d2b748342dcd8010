// How a block makes the outputs of a tile of items. It counts the outputs of each item and scans the counts. Then the
// unit of work is an output, not an item. Per window of outputs, one bit per output marks where an item's outputs
// begin: the number of bits up to an output is the rank of its item among the items that have any.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kogge/block/coarsened.cuh"
#include "kogge/detail/caller_numbers.hpp"
#include "kogge/detail/output_arrays.hpp"
#include "kogge/emit/shape.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/traits.hpp"

namespace kogge::grid::KOGGE_CODE {

/// `out` is a pointer or detail::OutputArrays. `total` gets the number of outputs; offsets[0 … n], unless null, the
/// position of each item's first output.
template <class CountOf, class Make, class Out>
struct EmitProblem {
    CountOf count;
    Make make;
    Out out;
    std::uint64_t capacity;
    std::uint64_t* offsets;
    std::uint64_t* total;
    Count n;
};

/// The number of outputs of some of a tile's items and, in the high bits, the number of those items that have any. One
/// addition adds both.
struct EmitSum {
    static constexpr int kOutputBits = 52;
    static_assert(detail::kMostOutputs * kEmitThreads * kEmitItems < std::uint64_t{1} << kOutputBits);
    std::uint64_t both = 0;

    KOGGE_DEVICE static EmitSum of_item(std::uint64_t count) {
        return {count > 0 ? (std::uint64_t{1} << kOutputBits) + count : 0};
    }
    KOGGE_DEVICE std::uint64_t outputs() const { return both & ((std::uint64_t{1} << kOutputBits) - 1); }
    KOGGE_DEVICE std::uint32_t items() const { return static_cast<std::uint32_t>(both >> kOutputBits); }
};

/// Whether an item's count is an integer of at most four bytes, and so fits a word. The host must know, because it
/// sizes the shared memory; the return type of a function that is __device__ only is unknown to it.
template <class CountOf>
concept counts_in_words =
    runs_on_host<CountOf> && sizeof(std::declval<const CountOf&>()(std::uint64_t{0})) <= 4 &&
    std::integral<std::remove_cvref_t<decltype(std::declval<const CountOf&>()(std::uint64_t{0}))>>;

/// Counts of up to `buffers` tiles, one of which at a time is marked and made.
template <class CountOf, int items, int buffers>
struct EmitTileShared {
    static constexpr int kTileItems = kEmitThreads * items;
    using Stored = std::conditional_t<counts_in_words<CountOf>, std::uint32_t, std::uint64_t>;

    alignas(16) Stored counts[std::size_t{buffers}][std::size_t{kTileItems}];
    std::uint32_t
        heads[std::size_t{kTileItems}];    ///< of a window, by rank: position of an item's first output, and the item
    std::uint32_t bits[kEmitThreads + 1];  ///< of a window: an item's outputs begin here
    std::uint32_t first_rank;              ///< rank of the item that owns the window's first output
    std::uint64_t skipped;                 ///< outputs of that item before the window
    typename block::ShuffleScan<kEmitThreads>::template Storage<std::uint64_t> network;
};

/// A tile whose items are counted.
struct EmitCounted {
    std::uint64_t number;
    EmitSum before;         ///< of the earlier threads' items
    std::uint64_t outputs;  ///< of the whole tile
    int buffer;             ///< of the counts
};

/// A block's work on one tile of items. All threads make every call.
template <class Problem, class CountOf, int items, int buffers>
class EmitTile {
public:
    using Shared = EmitTileShared<CountOf, items, buffers>;
    static constexpr int kTileItems = Shared::kTileItems;

    KOGGE_DEVICE EmitTile(const Problem& problem, Shared& shared, const EmitCounted& tile)
        : problem_(problem), shared_(shared), tile_(tile) {}

    /// Counts and scans a tile, which may lie past the last item. The buffer of counts must not be in use any more, and
    /// the previous window must have been made; its bits are zeroed.
    KOGGE_DEVICE static EmitCounted count(const Problem& problem, Shared& shared, std::uint64_t tile, std::uint64_t n,
                                          int buffer) {
        const std::uint64_t base = tile * kTileItems;
        const int thread = simt::thread_rank();
        const int count = n <= base ? 0 : n - base < kTileItems ? static_cast<int>(n - base) : kTileItems;
        const auto count_item = [&](int item, bool is_there) {
            std::uint64_t outputs = 0;
            if (is_there) outputs = detail::output_number(problem.count(base + static_cast<std::uint64_t>(item)));
            shared.counts[buffer][item] = static_cast<typename Shared::Stored>(outputs);
        };
        if (count == kTileItems) {
            KOGGE_UNROLL
            for (int item = thread; item < kTileItems; item += kEmitThreads) count_item(item, true);
        } else {
            for (int item = thread; item < kTileItems; item += kEmitThreads) count_item(item, item < count);
        }
        shared.bits[thread] = 0;
        simt::sync_block();  // all items are counted
        block::SegmentScan sum(Carry<std::uint64_t>{}, plus{});
        for_own_items(shared, buffer, [&](int, std::uint64_t outputs) { sum.take(EmitSum::of_item(outputs).both); });
        const auto prefix =
            block::ShuffleScan<kEmitThreads>::scan(sum.running().value, kEmitThreads, plus{}, shared.network);
        return {tile, {prefix.after({0, true}, plus{}).value}, EmitSum{prefix.aggregate}.outputs(), buffer};
    }

    /// Zeroes the bits. For use when the previous window has been made and no tile is counted after it.
    KOGGE_DEVICE static void clear(Shared& shared) {
        shared.bits[simt::thread_rank()] = 0;
        simt::sync_block();  // the bits are zero
    }

    /// The number of outputs of the whole tile.
    KOGGE_DEVICE std::uint64_t outputs() const { return tile_.outputs; }

    KOGGE_DEVICE void write_offsets(std::uint64_t start, std::uint64_t n) const {
        block::SegmentScan places(Carry<std::uint64_t>{tile_.before.outputs(), true}, plus{});
        for_own_items(shared_, tile_.buffer, [&](int place, std::uint64_t outputs) {
            const std::uint64_t item = base() + static_cast<std::uint64_t>(place), first = places.take(outputs).value;
            if (item < n) problem_.offsets[item] = detail::add_outputs(start, first);
        });
    }

    /// Marks the items of the window that begins at output `begin`. The bits are zero before. A block barrier must
    /// follow.
    KOGGE_DEVICE void mark(std::uint64_t begin) const {
        std::uint32_t rank = tile_.before.items();
        const auto note = [&](std::uint32_t place, int item) {
            shared_.heads[rank] = place << 16 | static_cast<std::uint32_t>(item);
            simt::atomic_or<simt::Scope::block>(shared_.bits + place / simt::kWarpSize, 1u << place % simt::kWarpSize);
        };
        if (tile_.outputs <= kEmitWindow) {
            block::SegmentScan places(Carry<std::uint32_t>{static_cast<std::uint32_t>(tile_.before.outputs()), true},
                                      plus{});
            for_own_items(shared_, tile_.buffer, [&](int item, std::uint64_t outputs) {
                const bool has_any = outputs > 0;
                const std::uint32_t first = places.take(static_cast<std::uint32_t>(outputs)).value;
                if (has_any) shared_.heads[rank] = first << 16 | static_cast<std::uint32_t>(item);
                // Unconditional: after the last output there is one more word.
                simt::atomic_or<simt::Scope::block>(shared_.bits + first / simt::kWarpSize,
                                                    static_cast<std::uint32_t>(has_any) << first % simt::kWarpSize);
                rank += has_any ? 1 : 0;
            });
            if (simt::thread_rank() == 0) {
                shared_.first_rank = 0;
                shared_.skipped = 0;
            }
        } else {
            block::SegmentScan places(Carry<std::uint64_t>{tile_.before.outputs(), true}, plus{});
            for_own_items(shared_, tile_.buffer, [&](int item, std::uint64_t outputs) {
                const std::uint64_t first = places.take(outputs).value;
                if (outputs == 0) return;
                if (places.running().value > begin && first < begin + kEmitWindow) {
                    note(static_cast<std::uint32_t>(first > begin ? first - begin : 0), item);
                    if (first <= begin) {
                        shared_.first_rank = rank;
                        shared_.skipped = begin - first;
                    }
                }
                ++rank;
            });
        }
    }

    /// Makes the outputs of the marked window. `start`: position of the tile's first output.
    KOGGE_DEVICE void make(std::uint64_t begin, std::uint64_t start) const {
        if (shared_.skipped == 0) make_rows<false>(begin, start);
        else make_rows<true>(begin, start);
    }

    /// Marks another window, after one that has been made.
    KOGGE_DEVICE void turn_to(std::uint64_t begin) const {
        simt::sync_block();  // the previous window has been made
        clear(shared_);
        mark(begin);
        simt::sync_block();  // the window is marked
    }

private:
    /// The index of the tile's first item.
    KOGGE_DEVICE std::uint64_t base() const { return tile_.number * kTileItems; }

    /// Calls visit(position in the tile, outputs) for this thread's items. All counts are read first.
    template <class Visit>
    KOGGE_DEVICE static void for_own_items(const Shared& shared, int buffer, const Visit& visit) {
        using Counts = block::Piece<typename Shared::Stored, 16 / sizeof(typename Shared::Stored)>;
        constexpr int each = 16 / sizeof(typename Shared::Stored);
        const auto* const own = reinterpret_cast<const Counts*>(shared.counts[buffer] + simt::thread_rank() * items);
        Counts counts[items / each];
        KOGGE_UNROLL
        for (int i = 0; i < items / each; ++i) counts[i] = own[i];
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i) visit(simt::thread_rank() * items + i, counts[i / each].item[i % each]);
    }

    /// Each warp takes consecutive rows of 32 outputs.
    template <bool skips>
    KOGGE_DEVICE void make_rows(std::uint64_t begin, std::uint64_t start) const {
        constexpr int warps = kEmitThreads / simt::kWarpSize;
        const std::uint64_t first_place = start + begin;
        std::uint64_t left = tile_.outputs > begin ? tile_.outputs - begin : 0;
        const std::uint64_t room = problem_.capacity > first_place ? problem_.capacity - first_place : 0;
        left = left < room ? left : room;
        const int count = left < kEmitWindow ? static_cast<int>(left) : kEmitWindow;
        const int rows = (count + simt::kWarpSize - 1) / simt::kWarpSize, each = (rows + warps - 1) / warps;
        const int first = simt::warp_rank() * each, end = first + each < rows ? first + each : rows;
        if (first >= end) return;
        std::uint32_t earlier = 0;
        KOGGE_UNROLL
        for (int row = simt::lane(); row < kEmitThreads; row += simt::kWarpSize)
            if (row < first) earlier += static_cast<std::uint32_t>(simt::count_bits(shared_.bits[row]));
        const std::uint32_t first_rank = shared_.first_rank;
        const std::uint32_t* last = shared_.heads + first_rank + simt::reduce_add(earlier) - 1;  // of the row before
        const simt::mask_t up_to_here = simt::lanes_before() | 1u << simt::lane();
        const auto out = problem_.out + first_place;
        const auto make_row = [&](int row, bool wanted) {
            const simt::mask_t heads = shared_.bits[row];
            const std::uint32_t* const own = last + simt::count_bits(heads & up_to_here);
            last += simt::count_bits(heads);
            if (!wanted) return;
            const int j = row * simt::kWarpSize + simt::lane();
            const std::uint32_t head = *own;
            std::uint64_t k = static_cast<std::uint32_t>(j) - (head >> 16);
            if (skips && own == shared_.heads + first_rank) k += shared_.skipped;
            detail::put_made(out, j, problem_.make(base() + (head & 0xffffu), k));
        };
        const int full_end = end * simt::kWarpSize <= count ? end : end - 1;
        for (int row = first; row < full_end; ++row) make_row(row, true);
        if (full_end < end) make_row(full_end, full_end * simt::kWarpSize + simt::lane() < count);
    }

    const Problem& problem_;
    Shared& shared_;
    EmitCounted tile_;
};

}  // namespace kogge::grid::KOGGE_CODE
