// A scan as its kernels see it, and the two halves of the coarsened scan (block/coarsened.cuh) of one tile, between
// which the tile's carry becomes known. A tile lies in shared memory in the order of global memory, and is scanned in
// place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/block/coarsened.cuh"
#include "kogge/block/networks.cuh"
#include "kogge/detail/flagged.hpp"
#include "kogge/detail/reversed.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The network over the partial folds: the default one, compiled alone, or any of them, chosen at run time.
struct DefaultNetwork {
    template <class T>
    using Storage = typename block::ShuffleScan<kScanThreads>::template Storage<T>;
    template <class T, class Op>
    KOGGE_DEVICE block::ThreadPrefix<T> scan(const T& partial, int active, Op op, Storage<T>& storage) const {
        return block::ShuffleScan<kScanThreads>::scan(partial, active, op, storage);
    }
};
struct ChosenNetwork {
    network which;
    template <class T>
    using Storage = block::AnyStorage<T, kScanThreads>;
    template <class T, class Op>
    KOGGE_DEVICE block::ThreadPrefix<T> scan(const T& partial, int active, Op op, Storage<T>& storage) const {
        return block::scan_with<kScanThreads>(which, partial, active, op, storage);
    }
};

template <class In>
inline constexpr std::size_t kRunValueBytes = 0;
template <class In, class Sum, class Heads, bool shifted>
inline constexpr std::size_t kRunValueBytes<detail::RunsInput<In, Sum, Heads, shifted>> = sizeof(detail::item_of<In>);

/// A scan as its kernels see it. `In` is a pointer or any type with operator[]. The scan accumulates in Acc. Results
/// are of type Out, and go to `out`, which is a Place: a pointer, or a type with operator[] whose items are assigned
/// once each and never read. For reversed items it is reversed, too.
template <class In, class Out, class Acc, class Op, class Place = Out*>
struct ScanProblem {
    using Item = detail::item_of<In>;
    using Result = Out;
    using Accumulator = Acc;
    using Operator = Op;
    static constexpr scan_shape kShape{sizeof(Item), sizeof(Out), sizeof(Acc), kRunValueBytes<In>};
    static constexpr int kItems = scan_items(kShape);
    static constexpr int kTileItems = kItems * kScanThreads;
    static constexpr bool kStoresToMemory = std::is_pointer_v<Place>;

    In in;
    decltype(detail::results_of(std::declval<const In&>(), std::declval<const Place&>())) out;
    Count n;
    Op op;
    Carry<Acc> start;  ///< the initial value, if any; exclusive scans have one
    bool inclusive;
};

// ---- one tile ------------------------------------------------------------------------------------------

template <class Problem, class Network>
struct ScanShared {
    using Item = typename Problem::Item;
    using Result = typename Problem::Result;
    using Acc = typename Problem::Accumulator;
    static constexpr bool kInPlace = sizeof(Item) == sizeof(Result) && alignof(Item) == alignof(Result);

    alignas(128) unsigned char items[Problem::kTileItems * sizeof(Item)];
    alignas(16) unsigned char results[kInPlace ? 16 : Problem::kTileItems * sizeof(Result)];
    typename Network::template Storage<Acc> network;
    Carry<Acc> carry;
    std::uint32_t ticket;

    KOGGE_DEVICE Item* tile() { return reinterpret_cast<Item*>(items); }
    KOGGE_DEVICE Result* scanned() { return reinterpret_cast<Result*>(kInPlace ? items : results); }
};

/// Loads the tile and returns this thread's prefix and the tile's aggregate. Ends after the network's barrier.
template <class Problem, class Network>
KOGGE_DEVICE auto reduce_tile(const Problem& problem, const Network& network, ScanShared<Problem, Network>& shared,
                              std::uint64_t tile, int count) {
    using Item = typename Problem::Item;
    using Acc = typename Problem::Accumulator;
    constexpr int items = Problem::kItems;
    block::load_tile<kScanThreads, Problem::kTileItems>(shared.tile(), problem.in, tile * Problem::kTileItems, count);
    simt::sync_block();  // the tile is on chip

    const int thread = simt::thread_rank();
    block::SegmentScan fold(Carry<Acc>{}, problem.op);
    block::visit_segment<items>(shared.tile() + thread * items, block::segment_size<items>(count, thread),
                                [&](int, const Item& item) { fold.take(static_cast<Acc>(item)); });
    return network.scan(fold.running().value, (count + items - 1) / items, problem.op, shared.network);
}

/// Stores items [0, count) of `tile` to [base …) of reversed memory, where they stand from the end down; 16 bytes at a
/// time where alignment permits. `threads` threads call; this one is number `rank`.
template <int threads, class T>
KOGGE_DEVICE void store_reversed(const detail::Reversed<T*>& out, const T* tile, std::uint64_t base, int count,
                                 int rank) {
    constexpr int each = block::kPieceItems<static_cast<int>(sizeof(block::Chunk)), T>;
    using Piece = block::Piece<T, each>;
    T* const end = out.end() - static_cast<std::ptrdiff_t>(base);
    int stored = 0;
    if constexpr (each > 1) {
        if (block::is_chunk_aligned(end)) {
            stored = count / each * each;
            for (int i = rank * each; i < stored; i += threads * each) {
                const Piece piece = *reinterpret_cast<const Piece*>(tile + i);
                Piece turned;
                KOGGE_UNROLL
                for (int p = 0; p < each; ++p) turned.item[each - 1 - p] = piece.item[p];
                block::store_piece(end - i - each, turned);
            }
        }
    }
    for (int i = stored + rank; i < count; i += threads) end[-1 - i] = tile[i];
}

/// Scans the on-chip tile from its carry, and stores it. Starts after a barrier that follows the writing of
/// shared.carry.
template <class Problem, class Network>
KOGGE_DEVICE void finish_tile(const Problem& problem, ScanShared<Problem, Network>& shared,
                              const block::ThreadPrefix<typename Problem::Accumulator>& prefix, std::uint64_t tile,
                              int count) {
    using Item = typename Problem::Item;
    using Acc = typename Problem::Accumulator;
    using Result = typename Problem::Result;
    constexpr int items = Problem::kItems;
    const int thread = simt::thread_rank();
    block::SegmentScan scan(prefix.after(shared.carry, problem.op), problem.op);
    block::rewrite_segment<items>(shared.tile() + thread * items, shared.scanned() + thread * items,
                                  block::segment_size<items>(count, thread), [&](int, const Item& item) {
                                      const Acc before = scan.take(static_cast<Acc>(item)).value;
                                      return static_cast<Result>(problem.inclusive ? scan.running().value : before);
                                  });
    simt::sync_block();  // the scanned tile is complete
    const std::uint64_t base = tile * Problem::kTileItems;
    if constexpr (!Problem::kStoresToMemory)
        for (int i = thread; i < count; i += kScanThreads) problem.out[base + i] = shared.scanned()[i];
    else if constexpr (std::is_pointer_v<decltype(problem.out)>)
        block::store_tile<kScanThreads, Problem::kTileItems>(problem.out, shared.scanned(), base, count);
    else store_reversed<kScanThreads>(problem.out, static_cast<const Result*>(shared.scanned()), base, count, thread);
}

}  // namespace kogge::grid::KOGGE_CODE
