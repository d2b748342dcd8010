// One pass of a split, in the plain form, the reference pass: a block takes a tile, ranks it, learns the counts of
// earlier tiles, and writes it out, with a block barrier between phases. Each item is read once and written once. The
// blocks of a multiprocessor overlap each other's phases. It has the least latency, so it serves few tiles, and it
// takes every kind of key. pass/onesweep.cuh is the form for many tiles.
//
// Progress: a tile publishes its counts before it waits, and waits only for tiles with smaller tickets, which running
// blocks hold.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/block/coarsened.cuh"
#include "kogge/digit/warp_rank_atomic.cuh"
#include "kogge/pass/problem.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Problem>
struct TileShared {
    using Key = typename Problem::key_type;
    using Value = typename Problem::value_type;
    static constexpr bool kHasValues = Problem::kHasValues;
    static constexpr int kWarps = kTileThreads / simt::kWarpSize;
    static constexpr int kItems = tile_items(sizeof(Key) > Problem::kValueBytes ? sizeof(Key) : Problem::kValueBytes);
    static constexpr std::size_t kWidest = sizeof(Key) > Problem::kValueBytes ? sizeof(Key) : Problem::kValueBytes;

    alignas(128) unsigned char exchange[kItems * kTileThreads * kWidest];
    std::uint32_t rows[kWarps][kBins];  ///< per warp and digit: a count, then the place of the warp's next key
    std::uint64_t targets[kBins];       ///< a bin's place in the output, less its place in the tile (modulo 2^64)
    typename block::ShuffleScan<kBins>::template Storage<std::uint32_t> network;
    std::uint32_t ticket;
    std::uint64_t described[3];  ///< for a kernel that draws tiles in advance: what it must know of the tile
};

/// Sums the counts of a bin over the tiles before `tile`, back to the first one whose prefix is known, and publishes
/// this tile's prefix.
KOGGE_DEVICE std::uint32_t look_back(std::uint32_t* counts, std::uint32_t tile, int bin, std::uint32_t count) {
    std::uint32_t* const own = counts + static_cast<std::uint64_t>(tile) * kBins + bin;
    std::uint32_t before = 0;
    if (tile > 0) {
        simt::store_relaxed(own, CountWord::kAggregate | count);
        for (const std::uint32_t* earlier = own - kBins;; earlier -= kBins) {
            std::uint32_t word;
            while ((word = simt::load_relaxed(earlier)) == 0) simt::poll_pause();
            before += word & CountWord::kCount;
            if (word & CountWord::kPrefix) break;
        }
    }
    simt::store_relaxed(own, CountWord::kPrefix | (before + count));
    return before;
}

/// Splits the items [base, base + count) of the route. The warps' rows must be zero, and a block barrier passed. All
/// threads call place_of(bin, keys), each for its own bin: given the tile's number of keys in the bin, it returns where
/// the first one goes in the output.
template <class Shared, class Route, class PassBucket, class PlaceOf>
KOGGE_DEVICE void split_tile(Shared& shared, const Route& route, const PassBucket& bucket, std::uint64_t base,
                             int count, const PlaceOf& place_of) {
    using Key = typename Shared::Key;
    using Value = typename Shared::Value;
    constexpr int items = Shared::kItems, most = items * kTileThreads;
    const int thread = simt::thread_rank(), warp = simt::warp_rank(), lane = simt::lane();

    // Places past the end take the last bin: they rank after all keys, and are not counted. All registers are written
    // for every tile, or ptxas 13.0 keeps them alive from tile to tile.
    const int first = warp * simt::kWarpSize * items + lane;
    const auto holds = [&](int i) { return first + i * simt::kWarpSize < count; };
    Key keys[items];
    std::uint32_t ranks[items];  // the digit in the upper half, the rank, and then the place in the tile, in the lower
    std::uint32_t* const row = shared.rows[warp];
    const Key* const keys_in = route.keys_in + base + first;
    for_each_item<items>([&](int i) { keys[i] = holds(i) ? keys_in[i * simt::kWarpSize] : Key{}; });
    if (route.encodes) for_each_item<items>([&](int i) { keys[i] = bucket.encode(keys[i]); });
    for_each_item<items>([&](int i) { ranks[i] = (holds(i) ? bucket(keys[i]) : kBins - 1u) << 16; });
    const auto digit = [&](int i) { return ranks[i] >> 16; };
    if (!rank_by_atomics<items>(Witness(lane), row, digit, [&](int i, std::uint32_t rank) { ranks[i] |= rank; }))
        for_each_item<items>([&](int i) { ranks[i] = (ranks[i] & ~0xffffu) | rank_in_order(digit(i), row); });
    simt::sync_block();  // all warps' counts are complete

    std::uint32_t counts[Shared::kWarps];  // this thread's segment: its bin's keys in each warp
    block::SegmentScan sum(Carry<std::uint32_t>{}, plus{});
    KOGGE_UNROLL
    for (int w = 0; w < Shared::kWarps; ++w) sum.take(counts[w] = shared.rows[w][thread]);
    const std::uint32_t in_tile = sum.running().value;
    const std::uint32_t real = thread == kBins - 1 ? in_tile - static_cast<std::uint32_t>(most - count) : in_tile;
    const auto prefix = block::ShuffleScan<kBins>::scan(in_tile, kBins, plus{}, shared.network);
    const Carry<std::uint32_t> bin_place = prefix.after({0, true}, plus{});
    block::SegmentScan warp_place(bin_place, plus{});
    KOGGE_UNROLL
    for (int w = 0; w < Shared::kWarps; ++w) shared.rows[w][thread] = warp_place.take(counts[w]).value;
    shared.targets[thread] = place_of(thread, real) - bin_place.value;
    simt::sync_block();  // the places of all bins are known

    auto* const exchange = reinterpret_cast<Key*>(shared.exchange);
    for_each_item<items>([&](int i) { ranks[i] = (ranks[i] & 0xffffu) + row[digit(i)]; });
    for_each_item<items>([&](int i) {
        if (holds(i)) exchange[ranks[i]] = keys[i];
    });
    // Values arrive while keys leave. One condition stands for all of them, where route.value_at has one for each.
    [[maybe_unused]] std::conditional_t<Shared::kHasValues, Value, unsigned char> values[items];
    [[maybe_unused]] ShortNumbers<items> places;
    if constexpr (Shared::kHasValues) {
        for_each_item<items>([&](int i) { places.set(i, ranks[i]); });
        for (std::uint32_t& pair : places.pairs) simt::forget_origin(pair);
        if (route.values_in) {
            const Value* const values_in = route.values_in + base + first;
            for_each_item<items>([&](int i) { values[i] = holds(i) ? values_in[i * simt::kWarpSize] : Value{}; });
        } else if constexpr (std::is_integral_v<Value>) {
            for_each_item<items>([&](int i) {
                values[i] = static_cast<Value>(base + static_cast<std::uint64_t>(first + i * simt::kWarpSize));
            });
        }
    }
    simt::sync_block();  // the keys are in order
    const auto leaves = [&](int i) { return thread + i * kTileThreads < count; };
    for_each_item<items>([&](int i) { keys[i] = leaves(i) ? exchange[thread + i * kTileThreads] : Key{}; });
    // A batch's loads stand before its stores, which the compiler must not reorder.
    const auto write = [&](auto* out, const auto& item_of) {
        constexpr int batch = items % 4 == 0 ? 4 : items % 2 == 0 ? 2 : 1;
        KOGGE_UNROLL
        for (int i = 0; i < items; i += batch) {
            std::remove_pointer_t<decltype(out)> loaded[batch];
            std::uint64_t targets[batch];
            for_each_item<batch>([&](int u) {
                if (leaves(i + u)) loaded[u] = item_of(i + u);
            });
            for_each_item<batch>([&](int u) {
                // A caller's function is called with keys alone.
                const std::uint32_t bin = leaves(i + u) ? bucket(keys[i + u]) : 0u;
                targets[u] = shared.targets[bin] + static_cast<std::uint64_t>(thread + (i + u) * kTileThreads);
            });
            for_each_item<batch>([&](int u) {
                if (leaves(i + u)) out[targets[u]] = loaded[u];
            });
        }
    };
    if (route.keys_out) write(route.keys_out, [&](int i) { return route.decodes ? bucket.decode(keys[i]) : keys[i]; });
    if constexpr (Shared::kHasValues) {
        simt::sync_block();  // the keys have been read
        auto* const sorted = reinterpret_cast<Value*>(shared.exchange);
        for_each_item<items>([&](int i) {
            if (holds(i)) sorted[places.get(i)] = values[i];
        });
        simt::sync_block();  // the values are in order
        write(route.values_out, [&](int i) { return sorted[thread + i * kTileThreads]; });
    }
}

template <class Key, class Value, class PassBucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTileThreads, 3)
    tile_pass_kernel(PassProblem<Key, Value, PassBucket> problem, PassBoard board) {
    simt::wait_for_stream();
    using Problem = PassProblem<Key, Value, PassBucket>;
    using Shared = TileShared<Problem>;
    constexpr int most = Shared::kItems * kTileThreads;
    static_assert(kTileThreads == kBins, "a thread a bin");
    const Move move = Move::of(*board.moves);
    if (move.action == Move::skip) return;
    auto& shared = simt::shared_memory<Shared>();
    static_assert(sizeof(Shared) <= tile_shared_bytes(Shared::kWidest));
    const PassRoute<Problem> route(problem, board, move);
    if (move.action == Move::copy) return copy_through(problem, route);
    const std::uint32_t tiles = static_cast<std::uint32_t>(divide_up(route.n, most));
    const int thread = simt::thread_rank();
    auto* const counts = reinterpret_cast<std::uint32_t*>(route.counts);
    auto* const cleared = reinterpret_cast<std::uint32_t*>(route.cleared);

    // The next launch of this pass may have more tiles than this one: its rows are cleared as well.
    if (board.parts > 1)
        for (std::uint32_t row = tiles + simt::block_rank(); row < board.rows; row += simt::grid_size())
            cleared[static_cast<std::uint64_t>(row) * kBins + thread] = 0;

    for (;;) {
        if (thread == 0) shared.ticket = simt::atomic_add<simt::Scope::device>(board.ticket, 1);
        clear_row(shared.rows[simt::warp_rank()]);
        simt::sync_block();  // the ticket is written, and the previous tile has left the chip
        const std::uint32_t tile = shared.ticket;
        if (tile >= tiles) return;
        const std::uint64_t base = problem.first + static_cast<std::uint64_t>(tile) * most;
        const std::uint64_t rest = problem.first + route.n - base;
        const int count = rest < most ? static_cast<int>(rest) : most;
        cleared[static_cast<std::uint64_t>(tile) * kBins + thread] = 0;

        split_tile(shared, route, problem.bucket, base, count, [&](int bin, std::uint32_t keys) {
            const std::uint32_t earlier = look_back(counts, tile, bin, keys);
            const std::uint64_t place = board.starts[bin] + earlier;
            if (board.next_starts && tile == tiles - 1) board.next_starts[bin] = place + keys;
            return place;
        });
    }
}

}  // namespace kogge::grid::KOGGE_CODE
