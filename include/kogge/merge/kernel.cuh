// The kernel of a merge. A block makes consecutive tiles of the output, each in these steps:
//
//   load      the next tile's items are on their way to registers while this tile is merged
//   merge     this tile's items are in shared memory, those of `a` first. Each thread finds its own beginning on the
//             merge path of the tile, merges serially, and notes for each output the place of its item on chip
//   store     a warp stores its outputs in order, coalesced, and gathers values by the same places
//   stage     the next tile's items go to the other of two buffers in shared memory
//
// Where the block's first tile begins and where its first two tiles end, three warps find by the merge path. Where a
// further tile ends, one warp finds out two tiles ahead, in two rounds whose loads are under way while the warp merges.
// So a tile has one barrier of the block, and no step waits for a load that was issued just before it, but for values.
//
// Bank conflicts: threads search and merge from items that are merge_items(…) / 2 apart on average, in sorted inputs
// whose keys are evenly mixed; an odd number of items spreads the first probes over all banks, later ones are as good
// as random, three to four lanes to a bank.
//
// Global traffic: each item read once and written once, coalesced; 9 KB of probes per tile, of items that the tile
// reads next. (2^28 items of 4 bytes: 2.1 GB, of an H100's memory 0.7 ms.)
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/detail/reversed.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/merge/path.hpp"
#include "kogge/merge/shape.hpp"
#include "kogge/simt/device.cuh"

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
    /// The items of the block's tile t are in buffer t % 2.
    alignas(alignof(typename Problem::Item) < 16 ? 16 : alignof(typename Problem::Item)) unsigned char staged
        [2][Problem::kStaged ? kTile * sizeof(typename Problem::Item) : 16];
    alignas(16) std::uint16_t places[std::size_t{kTile}];
    std::uint64_t n_a, n_b;     ///< for the warp that searches, while registers are scarce
    std::uint64_t first_split;  ///< items of `a` before the block's first tile
    std::uint64_t splits[2];    ///< items of `a` before the end of tile t, at t % 2
};

/// A warp's search for a split, as detail::find_split. A round compares kProbes pairs of items. Between probe() and
/// narrow() the warp may do other work, while the loads are under way; items that are not staged are too many registers
/// for that.
template <class Item, class Number, int per_lane>
struct SplitSearch {
    static constexpr int kProbes = simt::kWarpSize * per_lane;
    static constexpr bool kHeld = sizeof(Item) <= kMostMergeBytes;

    Number low, high;
    Item of_a[std::size_t{kHeld ? per_lane : 1}], of_b[std::size_t{kHeld ? per_lane : 1}];
    bool a_first[std::size_t{per_lane}];

    KOGGE_DEVICE Number step() const { return (high - low + kProbes) / (kProbes + 1); }
    KOGGE_DEVICE Number probed(int i) const {
        return low + static_cast<Number>(i * simt::kWarpSize + simt::lane() + 1) * step() - 1;
    }
    template <class A, class B, class Less>
    KOGGE_DEVICE void probe(const A& a, const B& b, Number outputs, const Less& less) {
        KOGGE_UNROLL
        for (int i = 0; i < per_lane; ++i) {
            const Number at = probed(i);
            if (at >= high) continue;
            if constexpr (kHeld) {
                of_a[i] = a[at];
                of_b[i] = b[outputs - 1 - at];
            } else {
                a_first[i] = !static_cast<bool>(less(b[outputs - 1 - at], a[at]));
            }
        }
    }
    template <class Less>
    KOGGE_DEVICE void narrow(const Less& less) {
        Number before = 0;
        KOGGE_UNROLL
        for (int i = 0; i < per_lane; ++i) {
            bool is_before = probed(i) < high;
            if constexpr (kHeld) is_before = is_before && !static_cast<bool>(less(of_b[i], of_a[i]));
            else is_before = is_before && a_first[i];
            before += static_cast<Number>(simt::count_bits(simt::ballot(is_before)));
        }
        const Number part = step(), first_after = low + (before + 1) * part - 1;
        low += before * part;
        if (before < kProbes && first_after < high) high = first_after;
    }
};

/// The same from the beginning to the end, in inputs of any length.
template <class Item, class A, class B, class Less>
KOGGE_DEVICE std::uint64_t find_split_by_warp(const A& a, const B& b, std::uint64_t outputs, std::uint64_t low,
                                              std::uint64_t high, const Less& less) {
    SplitSearch<Item, std::uint64_t, sizeof(Item) <= 8 ? 4 : 1> search;
    search.low = low;
    search.high = high;
    while (search.low < search.high) {
        search.probe(a, b, outputs, less);
        search.narrow(less);
    }
    return search.low;
}

/// The items of an input from `first` on.
template <class In>
struct ItemsFrom {
    const In& in;
    std::uint64_t first;
    KOGGE_DEVICE decltype(auto) operator[](int i) const { return in[first + static_cast<std::uint64_t>(i)]; }
};

/// A tile: `count` outputs, from a[first_a] and b[first_b] on, of which `count_a` are items of `a`.
struct MergeSpan {
    std::uint64_t first_a, first_b;
    int count_a, count;

    KOGGE_DEVICE std::uint64_t end_a() const { return first_a + static_cast<std::uint64_t>(count_a); }
    KOGGE_DEVICE std::uint64_t end_b() const { return first_b + static_cast<std::uint64_t>(count - count_a); }
};

/// A tile and where its items are: those of `a` at the first places.
template <class Problem, int items>
struct MergeTile : MergeSpan {
    using Item = typename Problem::Item;
    using Shared = MergeShared<Problem, items>;
    /// A thread's items on their way to shared memory.
    struct Held {
        Item item[std::size_t{Problem::kStaged ? items : 1}];
    };

    const Problem& problem;
    Shared& shared;
    Item* staged;

    KOGGE_DEVICE MergeTile(const MergeSpan& span, const Problem& of, Shared& on, int buffer)
        : MergeSpan(span), problem(of), shared(on), staged(reinterpret_cast<Item*>(on.staged[buffer])) {}

    /// The item at place `from` + `by` of the tile, in global memory: of `a` and `b`, or of the values beside them.
    /// Calls with one `from` share the addresses of that place.
    template <class A, class B>
    KOGGE_DEVICE detail::item_of<A> fetch_of(const A& a, const B& b, int from, int by) const {
        const bool is_of_a = from + by < count_a;
        if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {  // one load, from the one or the other
            const auto* const from_a = a + (static_cast<std::int64_t>(first_a) + from);
            const auto* const from_b = b + (static_cast<std::int64_t>(first_b) + (from - count_a));
            return (is_of_a ? from_a : from_b)[by];
        } else {
            if (is_of_a) return a[first_a + static_cast<std::uint64_t>(from + by)];
            return b[first_b + static_cast<std::uint64_t>(from + by - count_a)];
        }
    }
    KOGGE_DEVICE Item item(int place) const {
        if constexpr (Problem::kStaged) return staged[place];
        else return fetch_of(problem.a, problem.b, 0, place);
    }

    /// All loads of a thread are in flight together.
    KOGGE_DEVICE void load(Held& held) const {
        if constexpr (Problem::kStaged) {
            const int from = simt::thread_rank();
            if (count == Shared::kTile) {
                KOGGE_UNROLL
                for (int i = 0; i < items; ++i) held.item[i] = fetch_of(problem.a, problem.b, from, i * kMergeThreads);
            } else {
                KOGGE_UNROLL
                for (int i = 0; i < items; ++i)
                    if (from + i * kMergeThreads < count)
                        held.item[i] = fetch_of(problem.a, problem.b, from, i * kMergeThreads);
            }
        }
    }
    KOGGE_DEVICE void stage(const Held& held) const {
        if constexpr (Problem::kStaged) {
            KOGGE_UNROLL
            for (int i = 0; i < items; ++i) staged[i * kMergeThreads + simt::thread_rank()] = held.item[i];
        }
    }

    /// The items from a place of the tile on, for find_split.
    struct From {
        const MergeTile& tile;
        int first;
        KOGGE_DEVICE Item operator[](int i) const { return tile.item(first + i); }
    };

    /// How many of the outputs before this thread's, which are `items` contiguous ones, are items of `a`.
    KOGGE_DEVICE int find_begin() const {
        const int count_b = count - count_a, first = simt::thread_rank() * items;
        if (first >= count) return 0;
        const int low = first > count_b ? first - count_b : 0, high = first < count_a ? first : count_a;
        return detail::find_split(From{*this, 0}, From{*this, count_a}, first, low, high, problem.less);
    }

    /// Notes the place of the item of each of this thread's outputs.
    KOGGE_DEVICE void merge(int begin) const {
        const int first = simt::thread_rank() * items;
        if (first >= count) return;
        const auto at_most_last = [&](int place) { return place < count ? place : count - 1; };
        int a = begin, b = count_a + first - begin;  // places of the next items
        Item next_a = item(at_most_last(a)), next_b = item(at_most_last(b));
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i) {
            // One load, of the one input or the other. Where that has ended, the item is not looked at.
            const bool b_is_less = static_cast<bool>(problem.less(next_b, next_a));
            const bool takes_b = b < count && (a >= count_a || b_is_less);
            const int taken = takes_b ? b : a;
            shared.places[first + i] = static_cast<std::uint16_t>(taken);  // past the tile's end, of no output
            const Item next = item(at_most_last(taken + 1));
            if (takes_b) {
                b = taken + 1;
                next_b = next;
            } else {
                a = taken + 1;
                next_a = next;
            }
        }
    }

    /// Writes the items at the places of this warp's outputs. As many of a thread's loads as registers have room for
    /// are in flight together; the arrays are set for the same reason as `held` below.
    template <class T, class Out, class Fetch>
    KOGGE_DEVICE void store_each(const Out& out, std::uint64_t base, Fetch fetch_at) const {
        if (count == Shared::kTile) store_some<T, true>(out, base, fetch_at);
        else store_some<T, false>(out, base, fetch_at);
    }
    template <class T, bool full, class Out, class Fetch>
    KOGGE_DEVICE void store_some(const Out& out, std::uint64_t base, Fetch fetch_at) const {
        constexpr int most = sizeof(T) <= 64 ? static_cast<int>(64 / sizeof(T)) : 1,
                      together = most < items ? most : items;
        const int first = simt::warp_rank() * simt::kWarpSize * items + simt::lane();
        const auto is_output = [&](int i) { return i < items && (full || first + i * simt::kWarpSize < count); };
        KOGGE_UNROLL
        for (int begin = 0; begin < items; begin += together) {
            int places[std::size_t{together}] = {};
            KOGGE_UNROLL
            for (int i = 0; i < together; ++i)
                if (is_output(begin + i)) places[i] = shared.places[first + (begin + i) * simt::kWarpSize];
            T moved[std::size_t{together}] = {};
            KOGGE_UNROLL
            for (int i = 0; i < together; ++i)
                if (is_output(begin + i)) moved[i] = fetch_at(places[i]);
            KOGGE_UNROLL
            for (int i = 0; i < together; ++i)
                if (is_output(begin + i))
                    out[base + static_cast<std::uint64_t>(first + (begin + i) * simt::kWarpSize)] = moved[i];
        }
    }
    KOGGE_DEVICE void store() const {
        const std::uint64_t base = first_a + first_b;
        store_each<Item>(problem.out, base, [&](int place) { return item(place); });
        if constexpr (Problem::kHasValues)
            store_each<detail::item_of<decltype(problem.values_a)>>(problem.values_out, base, [&](int place) {
                return fetch_of(problem.values_a, problem.values_b, 0, place);
            });
    }
};

template <class Problem, int items>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMergeThreads, kMergeBlocks) merge_kernel(Problem problem) {
    simt::wait_for_stream();
    using Tile = MergeTile<Problem, items>;
    using Item = typename Problem::Item;
    using Shared = MergeShared<Problem, items>;
    auto& shared = simt::shared_memory<Shared>();
    constexpr auto kTile = static_cast<std::uint64_t>(Shared::kTile);
    const std::uint64_t n_a = problem.n_a.get(), n_b = problem.n_b.get(), n = n_a + n_b, tiles = divide_up(n, kTile);
    // Blocks have equally many tiles, or one more.
    const std::uint64_t rank = simt::block_rank(), blocks = simt::grid_size(), each = tiles / blocks,
                        more = tiles % blocks;
    const std::uint64_t first = rank * each + (rank < more ? rank : more), last = first + each + (rank < more ? 1 : 0);
    if (first == last) return;
    const std::uint64_t begin = first * kTile, end = last * kTile < n ? last * kTile : n;

    const int warp = simt::warp_rank();
    if (warp < 2 || (warp == 2 && end - begin > kTile)) {
        const std::uint64_t reach = begin + static_cast<std::uint64_t>(warp) * kTile, outputs = reach < n ? reach : n;
        const std::uint64_t low = outputs > n_b ? outputs - n_b : 0, high = outputs < n_a ? outputs : n_a;
        const std::uint64_t split = find_split_by_warp<Item>(problem.a, problem.b, outputs, low, high, problem.less);
        if (simt::lane() == 0) (warp == 0 ? shared.first_split : shared.splits[warp - 1]) = split;
    } else if (simt::thread_rank() == kMergeThreads - 1) {
        shared.n_a = n_a;
        shared.n_b = n_b;
    }
    simt::sync_block();                // the first tile's begin, and the first two tiles' ends, are written
    std::uint64_t left = end - begin;  // outputs of the block that are in no tile yet
    const auto span_from = [&](std::uint64_t first_a, std::uint64_t first_b, int buffer) {
        const std::uint64_t count = left < kTile ? left : kTile;
        left -= count;
        // In unsorted inputs the first two tiles' ends, each found by itself, may be anywhere.
        std::uint64_t end_a = shared.splits[buffer];
        if (end_a < first_a) end_a = first_a;
        if (end_a - first_a > count) end_a = first_a + count;
        return MergeSpan{first_a, first_b, static_cast<int>(end_a - first_a), static_cast<int>(count)};
    };
    int buffer = 0;
    MergeSpan span = span_from(shared.first_split, begin - shared.first_split, buffer);
    {
        typename Tile::Held held{};
        const Tile tile(span, problem, shared, buffer);
        tile.load(held);
        tile.stage(held);
    }
    simt::sync_block();  // the first tile is on chip
    for (;;) {
        const Tile here(span, problem, shared, buffer);
        const bool is_last = left == 0;
        if (!is_last) span = span_from(here.end_a(), here.end_b(), 1 - buffer);
        const Tile next(span, problem, shared, 1 - buffer);
        typename Tile::Held held{};  // set, because registers that are not would be kept from tile to tile
        if (!is_last) next.load(held);

        // The tile after the next has at most kTile items of either input.
        constexpr int kPerLane = Shared::kTile <= 33 * 34 ? 1 : Shared::kTile <= 65 * 66 ? 2 : 4;
        SplitSearch<Item, int, kPerLane> search{};
        static_assert(Shared::kTile <= (search.kProbes + 1) * (search.kProbes + 2), "two rounds find the split");
        const bool searches = warp == 0 && left > 0;
        const int length = left < kTile ? static_cast<int>(left) : Shared::kTile;
        const ItemsFrom<decltype(problem.a)> rest_a{problem.a, next.end_a()};
        const ItemsFrom<decltype(problem.b)> rest_b{problem.b, next.end_b()};
        if (searches) {
            const auto count = static_cast<std::uint64_t>(length), rest_n_a = shared.n_a - next.end_a(),
                       rest_n_b = shared.n_b - next.end_b();
            search.low = static_cast<int>(count > rest_n_b ? count - rest_n_b : 0);
            search.high = static_cast<int>(count < rest_n_a ? count : rest_n_a);
            search.probe(rest_a, rest_b, length, problem.less);
        }
        const int merged_a = here.find_begin();
        if (searches) {
            search.narrow(problem.less);
            search.probe(rest_a, rest_b, length, problem.less);
        }
        here.merge(merged_a);
        simt::sync_warp();  // the places of the warp's outputs are written
        if (searches) {
            search.narrow(problem.less);
            if (simt::lane() == 0) shared.splits[buffer] = next.end_a() + static_cast<std::uint64_t>(search.low);
        }
        if (!is_last) next.stage(held);  // before the stores, whose items take the registers
        here.store();
        if (is_last) return;
        buffer = 1 - buffer;
        simt::sync_block();  // this tile has been read, the next one is on chip, and where the one after it ends
    }
}

}  // namespace kogge::grid::KOGGE_CODE
