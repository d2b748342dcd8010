// The kernel of a merge. A block makes consecutive tiles of the output. Where its first tile begins and ends in both
// inputs, two warps find by the merge path; the end of each further tile is found among the next items, while the tile
// before it is loaded. The tile's items are staged in shared memory, those of `a` first. Each thread finds its own
// beginning on the merge path of the tile, merges serially, and notes for each output the place of its item on chip;
// then the outputs are stored in order, coalesced, and values gathered by the same places.
//
// Global traffic: each item read once and written once, coalesced; 6 KB of probes per tile, of items that the tile
// reads next. (2^28 items of 4 bytes: 2.1 GB, of an H100's memory 0.7 ms.)
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/block/tile.cuh"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/detail/reversed.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/merge/path.hpp"
#include "kogge/merge/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// Two sorted inputs, pointers or with operator[], of n_a and n_b items, and where they go. The values beside them are
/// null pointers to NoValue where there are none.
template <class A, class B, class Out, class ValuesA, class ValuesB, class ValuesOut, class Less>
struct MergeProblem {
    using Item = detail::item_of<A>;
    static constexpr bool kHasValues = !std::is_same_v<ValuesA, const NoValue*>;
    static constexpr bool kStaged = sizeof(Item) <= kMostMergeBytes;

    A a;
    B b;
    Out out;
    ValuesA values_a;
    ValuesB values_b;
    ValuesOut values_out;
    Count n_a;
    Count n_b;
    Less less;
};

template <class Problem, int items>
struct MergeShared {
    static constexpr int kTile = kMergeThreads * items;
    alignas(alignof(typename Problem::Item) < 16 ? 16 : alignof(typename Problem::Item)) unsigned char staged
        [Problem::kStaged ? kTile * sizeof(typename Problem::Item) : 16];
    alignas(16) std::uint16_t places[std::size_t{kTile}];
    std::uint64_t first_split;  ///< items of `a` before the block's first tile
    std::uint64_t splits[2];    ///< items of `a` before the end of tile t, at t % 2
};

/// detail::find_split by a warp, all lanes of which call: 32 probes at a time.
template <class A, class B, class Less>
KOGGE_DEVICE std::uint64_t find_split_by_warp(const A& a, const B& b, std::uint64_t outputs, std::uint64_t low,
                                              std::uint64_t high, const Less& less) {
    constexpr std::uint64_t kParts = simt::kWarpSize + 1;
    while (low < high) {
        const std::uint64_t step = divide_up(high - low, kParts);
        const std::uint64_t probe = low + (static_cast<std::uint64_t>(simt::lane()) + 1) * step - 1;
        const bool comes_first =
            probe < high && !static_cast<bool>(less(b[outputs - 1 - probe], a[probe]));  // the item of `a`
        const auto before = static_cast<std::uint64_t>(simt::count_bits(simt::ballot(comes_first)));
        const std::uint64_t first_after = low + (before + 1) * step - 1;
        low += before * step;
        high = before + 1 < kParts && first_after < high ? first_after : high;
    }
    return low;
}

/// A tile's items: those of `a` from a[first_a] on, then those of `b`.
template <class Problem, int items>
struct MergeTile {
    using Item = typename Problem::Item;
    using Shared = MergeShared<Problem, items>;

    const Problem& problem;
    Shared& shared;
    std::uint64_t first_a, first_b;
    int count_a, count;

    KOGGE_DEVICE Item* staged() const { return reinterpret_cast<Item*>(shared.staged); }
    /// The item at a place of the tile, in global memory: of `a` and `b`, or of the values beside them.
    template <class A, class B>
    KOGGE_DEVICE detail::item_of<A> fetch_of(const A& a, const B& b, int place) const {
        const bool is_of_a = place < count_a;
        const int i = is_of_a ? place : place - count_a;
        if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {  // one load, from the one or the other
            const auto* const from = is_of_a ? a + first_a : b + first_b;
            return from[i];
        } else {
            if (is_of_a) return a[first_a + static_cast<std::uint64_t>(i)];
            return b[first_b + static_cast<std::uint64_t>(i)];
        }
    }
    KOGGE_DEVICE Item fetch(int place) const { return fetch_of(problem.a, problem.b, place); }
    KOGGE_DEVICE Item item(int place) const {
        if constexpr (Problem::kStaged) return staged()[place];
        else return fetch(place);
    }
    /// All loads of a thread are in flight together.
    KOGGE_DEVICE void load() const {
        if constexpr (Problem::kStaged) {
            Item held[items];
            KOGGE_UNROLL
            for (int i = 0; i < items; ++i) {
                const int place = i * kMergeThreads + simt::thread_rank();
                if (place < count) held[i] = fetch(place);
            }
            KOGGE_UNROLL
            for (int i = 0; i < items; ++i) {
                const int place = i * kMergeThreads + simt::thread_rank();
                if (place < count) staged()[place] = held[i];
            }
        }
    }

    /// The items from a place of the tile on, for find_split.
    struct From {
        const MergeTile& tile;
        int first;
        KOGGE_DEVICE Item operator[](int i) const { return tile.item(first + i); }
    };

    /// Notes the place of the item of each of this thread's outputs, `items` contiguous ones.
    KOGGE_DEVICE void merge() const {
        const int count_b = count - count_a, first = simt::thread_rank() * items;
        if (first >= count) return;
        const int low = first > count_b ? first - count_b : 0, high = first < count_a ? first : count_a;
        int a = detail::find_split(From{*this, 0}, From{*this, count_a}, first, low, high, problem.less);
        int b = count_a + first - a;  // places of the next items
        using Places = block::Piece<std::uint16_t, items>;
        Places places;
        Item next_a = item(a < count_a ? a : 0), next_b = item(b < count ? b : 0);
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i) {
            const bool takes_b = a >= count_a || (b < count && static_cast<bool>(problem.less(next_b, next_a)));
            places.item[i] = static_cast<std::uint16_t>(takes_b ? b : a);
            if (takes_b) {
                ++b;
                if (b < count) next_b = item(b);
            } else {
                ++a;
                if (a < count_a) next_a = item(a);
            }
        }
        // Past the tile's last output, places are those of no output.
        *reinterpret_cast<Places*>(shared.places + first) = places;
    }

    KOGGE_DEVICE void store(std::uint64_t base) const {
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i) {
            const int output = i * kMergeThreads + simt::thread_rank();
            if (output >= count) break;
            const int place = shared.places[output];
            const std::uint64_t at = base + static_cast<std::uint64_t>(output);
            problem.out[at] = item(place);
            if constexpr (Problem::kHasValues)
                problem.values_out[at] = fetch_of(problem.values_a, problem.values_b, place);
        }
    }
};

template <class Problem, int items>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMergeThreads, kMergeBlocks) merge_kernel(Problem problem) {
    simt::wait_for_stream();
    using Shared = MergeShared<Problem, items>;
    auto& shared = simt::shared_memory<Shared>();
    constexpr auto kTile = static_cast<std::uint64_t>(Shared::kTile);
    const std::uint64_t n_a = problem.n_a.get(), n_b = problem.n_b.get(), n = n_a + n_b, tiles = divide_up(n, kTile);
    // Blocks have equally many tiles, or one more.
    const std::uint64_t rank = simt::block_rank(), blocks = simt::grid_size(), each = tiles / blocks,
                        more = tiles % blocks;
    const std::uint64_t first = rank * each + (rank < more ? rank : more), last = first + each + (rank < more ? 1 : 0);
    if (first == last) return;
    const auto end_of = [&](std::uint64_t tile) { return (tile + 1) * kTile < n ? (tile + 1) * kTile : n; };

    if (simt::warp_rank() < 2) {
        const std::uint64_t outputs = simt::warp_rank() == 0 ? first * kTile : end_of(first);
        const std::uint64_t low = outputs > n_b ? outputs - n_b : 0, high = outputs < n_a ? outputs : n_a;
        const std::uint64_t split = find_split_by_warp(problem.a, problem.b, outputs, low, high, problem.less);
        if (simt::lane() == 0) (simt::warp_rank() == 0 ? shared.first_split : shared.splits[first % 2]) = split;
    }
    simt::sync_block();  // the first tile's begin and end are written
    std::uint64_t begin_a = shared.first_split;
    for (std::uint64_t tile = first; tile < last; ++tile) {
        const std::uint64_t begin = tile * kTile, end = end_of(tile);
        // In unsorted inputs the first tile's end, found by itself, may be anywhere.
        std::uint64_t end_a = shared.splits[tile % 2];
        if (end_a < begin_a) end_a = begin_a;
        if (end_a - begin_a > end - begin) end_a = begin_a + (end - begin);
        const MergeTile<Problem, items> here{problem,
                                             shared,
                                             begin_a,
                                             begin - begin_a,
                                             static_cast<int>(end_a - begin_a),
                                             static_cast<int>(end - begin)};
        here.load();
        if (simt::warp_rank() == 0 && tile + 1 < last) {
            // The next tile has at most kTile items of either input.
            const std::uint64_t outputs = end_of(tile + 1), end_b = end - end_a;
            const std::uint64_t length = outputs - end, rest_b = n_b - end_b;
            const std::uint64_t low = end_a + (length > rest_b ? length - rest_b : 0);
            const std::uint64_t high = end_a + length < n_a ? end_a + length : n_a;
            const std::uint64_t split = find_split_by_warp(problem.a, problem.b, outputs, low, high, problem.less);
            if (simt::lane() == 0) shared.splits[(tile + 1) % 2] = split;
        }
        simt::sync_block();  // the tile is on chip, and the next one's end is known
        here.merge();
        simt::sync_block();  // the places of all outputs are written
        here.store(begin);
        begin_a = end_a;
        simt::sync_block();  // the tile and its places have been read
    }
}

}  // namespace kogge::grid::KOGGE_CODE
