// One pass of a split: each item is read once and written once, stably, into at most 256 bins whose starts are known.
//
// This is the form for many tiles. One block a multiprocessor stays and draws tiles; its warps have roles, so that
// loading, ranking, the sums over earlier tiles and storing overlap:
//   ranking warps    each owns a segment of the tile. Tile k: keys to registers; rank; write tile k−1 out; then put
//   tile
//                    k's keys in order on chip, and start loading the values of tile k+1.
//   the scan warp    draws tile k+1 and starts loading its keys; sums the warps' counts, publishes the tile's, and
//   turns
//                    counts into places.
//   look-back warps  add up the counts of earlier tiles (tile_counts.cuh; as a pass of radix sort: A. Adinets, D.
//                    Merrill, 2022), and leave the tile's own prefix.
// No barrier of the whole block stands in the loop. Those that a slow waiter could miss are doubled. Every lane that
// has read or written what a barrier hands over arrives at it itself.
//
// Progress: a tile's counts are published before its block waits for anything of another block, and sums wait only for
// tiles with smaller tickets, which are all held by blocks that run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/grid/atomic_ranks.cuh"
#include "kogge/grid/split_problem.cuh"
#include "kogge/grid/tile_counts.cuh"

namespace kogge::grid {

struct PassShared {
    std::uint32_t tickets[4];                        ///< tile numbers, by the block's own count of tiles modulo 4
    simt::TransactionBarrier loaded[kSplitRanking];  ///< a warp's keys of the next tile are on chip
    simt::TransactionBarrier values_loaded[kSplitRanking];
    simt::TransactionBarrier taken;              ///< all ranking warps hold their keys of tile k
    simt::TransactionBarrier counted;            ///< all ranking warps have counted tile k
    simt::TransactionBarrier placed[2];          ///< the rows hold places; `places`, the ticket of tile k+1 are written
    simt::TransactionBarrier scattered;          ///< tile k stands in order
    simt::TransactionBarrier targeted[2];        ///< `targets` is written
    simt::TransactionBarrier stored;             ///< tile k−1 has left the exchange
    alignas(16) std::uint32_t places[2][kBins];  ///< where a bin begins in the tile
    std::uint64_t targets[2][kBins];             ///< address of the bin's place in the output, less that
    std::uint64_t value_targets[2][kBins];
    alignas(128) std::uint32_t rows[kSplitRanking][kBins];
};
static_assert(sizeof(PassShared) <= kSplitTables);

/// The block's way through its tiles, as all roles see it.
template <class Key, class Value, class PassBucket>
struct PassWalk : PassRoute<PassProblem<Key, Value, PassBucket>> {
    using Problem = PassProblem<Key, Value, PassBucket>;
    using Route = PassRoute<Problem>;
    using Route::keys_in;
    using Route::n;
    using Route::values_in;

    const Problem& problem;
    const PassBoard& board;
    PassShared& shared;
    static constexpr std::uint32_t tile_items = kSplitRanking * simt::kWarpSize * Problem::kItems;
    std::uint32_t tiles = 0;
    Key* staged_keys = nullptr;
    Value* staged_values = nullptr;
    Key* ordered_keys = nullptr;
    Value* ordered_values = nullptr;
    bool bulk = false;  ///< whole tiles are loaded by bulk copies

    KOGGE_DEVICE PassWalk(const Problem& problem, const PassBoard& board, PassShared& shared, const Move& move)
        : Route(problem, board, move), problem(problem), board(board), shared(shared) {}

    KOGGE_DEVICE std::uint32_t count_of(std::uint32_t tile) const {
        const std::uint64_t rest = n - static_cast<std::uint64_t>(tile) * tile_items;
        return rest < tile_items ? static_cast<std::uint32_t>(rest) : tile_items;
    }
    KOGGE_DEVICE bool is_loaded_in_bulk(std::uint32_t tile) const {
        return bulk && tile < tiles && count_of(tile) == tile_items;
    }
    KOGGE_DEVICE void start_loading_keys(std::uint32_t tile, int warp) const {
        const std::uint32_t segment = static_cast<std::uint32_t>(simt::kWarpSize * Problem::kItems);
        const std::uint64_t from = problem.first + static_cast<std::uint64_t>(tile) * tile_items + warp * segment;
        shared.loaded[warp].arrive_expect(segment * sizeof(Key));
        simt::bulk_load(staged_keys + warp * segment, keys_in + from, segment * sizeof(Key), shared.loaded[warp]);
    }
    KOGGE_DEVICE void start_loading_values(std::uint32_t tile, int warp) const {
        const std::uint32_t segment = static_cast<std::uint32_t>(simt::kWarpSize * Problem::kItems);
        const std::uint64_t from = problem.first + static_cast<std::uint64_t>(tile) * tile_items + warp * segment;
        shared.values_loaded[warp].arrive_expect(segment * static_cast<std::uint32_t>(Problem::kValueBytes));
        simt::bulk_load(staged_values + warp * segment, values_in + from,
                        segment * static_cast<std::uint32_t>(Problem::kValueBytes), shared.values_loaded[warp]);
    }
};

/// Where a place of the tile stands in the exchange. Bins of equal size would put the first keys of all bins into one
/// bank, so each row of 32 places is permuted by its number.
KOGGE_DEVICE std::uint32_t spread(std::uint32_t place) { return place ^ (place >> 5 & 31); }

/// Writes the tile that stands in order in the exchange to the bins' places.
template <bool decodes, class Walk>
KOGGE_DEVICE void store_tile(const Walk& walk, int buffer, std::uint32_t count) {
    using Problem = typename Walk::Problem;
    using Key = std::remove_pointer_t<decltype(walk.ordered_keys)>;
    const std::uint32_t segment = static_cast<std::uint32_t>(simt::kWarpSize * Problem::kItems);
    const std::uint32_t begin = static_cast<std::uint32_t>(simt::warp_rank()) * segment;
    const std::uint32_t end = begin + segment < count ? begin + segment : count;
    const std::uint64_t* const targets = walk.shared.targets[buffer];
    const auto& bucket = walk.problem.bucket;
    // Loads of a batch stand before its stores, which the compiler must not reorder.
    const auto store = [&]<int batch>(std::uint32_t place, std::integral_constant<int, batch>) {
        Key items[batch];
        std::uint64_t addresses[batch];
        KOGGE_UNROLL
        for (int u = 0; u < batch; ++u) items[u] = walk.ordered_keys[spread(place + u * simt::kWarpSize)];
        if (walk.keys_out) {
            KOGGE_UNROLL
            for (int u = 0; u < batch; ++u)
                addresses[u] =
                    targets[bucket(items[u])] + static_cast<std::uint64_t>(place + u * simt::kWarpSize) * sizeof(Key);
            KOGGE_UNROLL
            for (int u = 0; u < batch; ++u) {
                if constexpr (decodes) *simt::global_at<Key>(addresses[u]) = bucket.decode(items[u]);
                else *simt::global_at<Key>(addresses[u]) = items[u];
            }
        }
        if constexpr (Problem::kHasValues) {
            using Value = std::remove_pointer_t<decltype(walk.ordered_values)>;
            Value values[batch];
            KOGGE_UNROLL
            for (int u = 0; u < batch; ++u) {
                values[u] = walk.ordered_values[spread(place + u * simt::kWarpSize)];
                addresses[u] = walk.shared.value_targets[buffer][bucket(items[u])] +
                               static_cast<std::uint64_t>(place + u * simt::kWarpSize) * sizeof(Value);
            }
            KOGGE_UNROLL
            for (int u = 0; u < batch; ++u) *simt::global_at<Value>(addresses[u]) = values[u];
        }
    };
    constexpr int batch = Problem::kItems >= 16 ? 4 : 2;
    std::uint32_t place = begin + simt::lane();
    for (; place + (batch - 1) * simt::kWarpSize < end; place += batch * simt::kWarpSize)
        store(place, std::integral_constant<int, batch>{});
    for (; place < end; place += simt::kWarpSize) store(place, std::integral_constant<int, 1>{});
}

template <Ranks order, class Walk>
KOGGE_DEVICE void rank_tiles(const Walk& walk) {
    using Problem = typename Walk::Problem;
    using Key = std::remove_const_t<std::remove_pointer_t<decltype(walk.staged_keys)>>;
    constexpr int most_items = Problem::kItems;
    PassShared& shared = walk.shared;
    const int warp = simt::warp_rank(), lane = simt::lane();
    const std::uint32_t first = static_cast<std::uint32_t>(warp * simt::kWarpSize * most_items + lane);
    std::uint32_t* const row = shared.rows[warp];
    const auto& bucket = walk.problem.bucket;
    [[maybe_unused]] const Witness witness(lane);

    clear_row(row);
    simt::sync_warp();  // the counters are zero
    std::uint32_t loads = 0, value_loads = 0;
    if (lane == 0 && Problem::kHasValues && walk.values_in && walk.is_loaded_in_bulk(shared.tickets[0]))
        walk.start_loading_values(shared.tickets[0], warp);
    std::uint32_t previous_count = 0;
    for (std::uint32_t k = 0;; ++k) {
        const std::uint32_t tile = shared.tickets[k % 4];
        const bool live = tile < walk.tiles;
        const std::uint32_t count = live ? walk.count_of(tile) : 0;
        const std::uint64_t base = walk.problem.first + static_cast<std::uint64_t>(tile) * walk.tile_items;
        const bool in_bulk = live && walk.is_loaded_in_bulk(tile), whole = count == walk.tile_items;
        Key keys[most_items];
        std::uint32_t ranks[(most_items + 1) / 2];  // two 16-bit ranks a word
        if (live) {
            if (in_bulk) {
                shared.loaded[warp].wait(loads++ & 1);
                for_each_item<most_items>([&](int i) { keys[i] = walk.staged_keys[first + i * simt::kWarpSize]; });
                simt::fence_bulk();  // reads may be under way, and bulk copies overtake them
                shared.taken.arrive();
            } else {
                shared.taken.arrive();
                for_each_item<most_items>([&](int i) {
                    if (first + i * simt::kWarpSize < count) keys[i] = walk.keys_in[base + first + i * simt::kWarpSize];
                });
            }
            if (walk.encodes) for_each_item<most_items>([&](int i) { keys[i] = bucket.encode(keys[i]); });

            const auto keep_rank = [&](int i, std::uint32_t rank) {
                if (i % 2 == 0) ranks[i / 2] = rank;
                else ranks[i / 2] |= rank << 16;
            };
            const auto digit = [&](int i) { return bucket(keys[i]); };
            bool ranked = false;
            if constexpr (!Problem::kHasValues) {  // with values, ranks are not what takes the time
                if constexpr (order == Ranks::any_order)
                    ranked = whole && rank_by_atomics<most_items>(AnyOrder{}, row, digit, keep_rank);
                if constexpr (order == Ranks::in_order)
                    ranked = whole && rank_by_atomics<most_items>(witness, row, digit, keep_rank);
            }
            // Places past the end take the last bin, behind all keys. (Without `whole` in each item's condition this
            // takes two copies of the code, in which ptxas 13.0 runs out of predicate registers.)
            constexpr int bits = order == Ranks::of_few ? kFewDigitBits : kDigitBits;
            if (!ranked)
                for_each_item<most_items>([&](int i) {
                    const bool real = whole || first + i * simt::kWarpSize < count;
                    keep_rank(i, rank_in_order<bits>(real ? digit(i) : kBins - 1, row));
                });
            shared.counted.arrive();
        }
        if (k > 0) {
            shared.targeted[(k - 1) % 2].wait((k - 1) / 2 & 1);
            shared.scattered.wait((k - 1) & 1);
            if (walk.decodes) store_tile<true>(walk, static_cast<int>((k - 1) % 2), previous_count);
            else store_tile<false>(walk, static_cast<int>((k - 1) % 2), previous_count);
            shared.stored.arrive();
        }
        if (!live) return;
        shared.placed[k % 2].wait(k / 2 & 1);
        if (k > 0) shared.stored.wait((k - 1) & 1);

        if constexpr (Problem::kHasValues)
            if (in_bulk && walk.values_in) shared.values_loaded[warp].wait(value_loads++ & 1);
        const auto scatter = [&](auto is_real) {
            // Ranks become places first, and these slots, so that no store stands between the loads.
            for_each_item<most_items>([&](int i) {
                if (is_real(i)) ranks[i / 2] += row[bucket(keys[i])] << i % 2 * 16;
            });
            const auto slot_of = [&](int i) { return spread(ranks[i / 2] >> i % 2 * 16 & 0xffffu); };
            for_each_item<most_items>([&](int i) {
                if (is_real(i)) walk.ordered_keys[slot_of(i)] = keys[i];
            });
            if constexpr (Problem::kHasValues) {
                using Value = std::remove_pointer_t<decltype(walk.staged_values)>;
                const auto scatter_values = [&](auto value_at) {
                    for_each_item<most_items>([&](int i) {
                        if (is_real(i)) walk.ordered_values[slot_of(i)] = value_at(first + i * simt::kWarpSize);
                    });
                };
                if (in_bulk && walk.values_in)
                    scatter_values([&](std::uint32_t from) { return walk.staged_values[from]; });
                else if (walk.values_in)
                    scatter_values([&](std::uint32_t from) { return walk.values_in[base + from]; });
                else if constexpr (std::is_integral_v<Value>)
                    scatter_values([&](std::uint32_t from) { return static_cast<Value>(base + from); });
            }
        };
        if (whole) scatter([](int) { return true; });
        else scatter([&](int i) { return first + i * simt::kWarpSize < count; });
        if constexpr (Problem::kHasValues) simt::fence_bulk();
        simt::sync_warp();  // the row and the values have been read
        clear_row(row);
        shared.scattered.arrive();
        if (Problem::kHasValues && lane == 0 && walk.values_in) {
            const std::uint32_t next = shared.tickets[(k + 1) % 4];
            if (walk.is_loaded_in_bulk(next)) walk.start_loading_values(next, warp);
        }
        simt::sync_warp();  // the counters are zero
        previous_count = count;
    }
}

/// Lane l has the bins 4 l … 4 l + 3 of each half of the bins, which it reads and writes in steps of 16 bytes.
struct alignas(16) BinQuad {
    std::uint32_t bin[4];
};

template <class Walk>
KOGGE_DEVICE void scan_tiles(const Walk& walk) {
    constexpr int batch = 4;  // rows read together; no store stands between their loads
    static_assert(kSplitRanking % batch == 0);
    PassShared& shared = walk.shared;
    const int lane = simt::lane();
    const TileCounts published(walk.counts, walk.board.rows);
    const auto quad = [&](int r, int half) -> BinQuad& {
        return reinterpret_cast<BinQuad*>(shared.rows[r])[half * simt::kWarpSize + lane];
    };
    if (lane < kSplitRanking && walk.is_loaded_in_bulk(shared.tickets[0]))
        walk.start_loading_keys(shared.tickets[0], lane);
    std::uint32_t next = shared.tickets[0];
    for (std::uint32_t k = 0; next < walk.tiles; ++k) {
        const std::uint32_t tile = next;
        // The next tile is drawn as late as its load allows: sums wait for all tiles drawn earlier, so those should
        // also be counted earlier. And what is drawn late balances the blocks' last tiles.
        if (k > 0) shared.scattered.wait((k - 1) & 1);
        if (lane == 0) {
            next = simt::atomic_add<simt::Scope::device>(walk.board.ticket, 1);
            shared.tickets[(k + 1) % 4] = next;
        }
        next = simt::shuffle(next, 0);
        shared.taken.wait(k & 1);
        if (lane < kSplitRanking && walk.is_loaded_in_bulk(next)) walk.start_loading_keys(next, lane);

        shared.counted.wait(k & 1);
        BinQuad totals[2] = {};
        for (int r = 0; r < kSplitRanking; r += batch) {
            KOGGE_UNROLL
            for (int u = 0; u < batch; ++u) {
                const BinQuad counts[2] = {quad(r + u, 0), quad(r + u, 1)};
                KOGGE_UNROLL
                for (int b = 0; b < 8; ++b) totals[b / 4].bin[b % 4] += counts[b / 4].bin[b % 4];
            }
        }
        const std::uint32_t beyond = walk.tile_items - walk.count_of(tile);  // places past the end, in the last bin
        KOGGE_UNROLL
        for (int half = 0; half < 2; ++half) {
            const BinQuad& total = totals[half];
            const std::uint32_t last = half == 1 && lane == simt::kWarpSize - 1 ? total.bin[3] - beyond : total.bin[3];
            const int word = half * (kBins / 4) + 2 * lane;
            published.publish(tile, word, total.bin[0], total.bin[1]);
            published.publish(tile, word + 1, total.bin[2], last);
        }
        std::uint32_t base = 0;
        KOGGE_UNROLL
        for (int half = 0; half < 2; ++half) {
            BinQuad& total = totals[half];
            const std::uint32_t sum = total.bin[0] + total.bin[1] + total.bin[2] + total.bin[3];
            const std::uint32_t inclusive = warp::inclusive_scan(sum, simt::kWarpSize, plus{});
            std::uint32_t place = base + inclusive - sum;
            base += simt::shuffle(inclusive, simt::kWarpSize - 1);
            KOGGE_UNROLL
            for (int b = 0; b < 4; ++b) {
                const std::uint32_t count = total.bin[b];
                total.bin[b] = place;
                place += count;
            }
            reinterpret_cast<BinQuad*>(shared.places[k % 2])[half * simt::kWarpSize + lane] = total;
        }
        for (int r = 0; r < kSplitRanking; r += batch) {
            BinQuad counts[batch][2];
            KOGGE_UNROLL
            for (int u = 0; u < batch; ++u) {
                counts[u][0] = quad(r + u, 0);
                counts[u][1] = quad(r + u, 1);
            }
            KOGGE_UNROLL
            for (int u = 0; u < batch; ++u) {
                quad(r + u, 0) = totals[0];
                quad(r + u, 1) = totals[1];
                KOGGE_UNROLL
                for (int b = 0; b < 8; ++b) totals[b / 4].bin[b % 4] += counts[u][b / 4].bin[b % 4];
            }
        }
        shared.placed[k % 2].arrive();
    }
}

/// Look-back warp `half` has half of the bins: lane l the words 64 half + l and that + 32.
template <class Walk>
KOGGE_DEVICE void sum_earlier_tiles(const Walk& walk, int half) {
    constexpr int words = kBins / 2 / simt::kWarpSize / kLookBackWarps;
    PassShared& shared = walk.shared;
    const int lane = simt::lane(), first = half * words * simt::kWarpSize + lane;
    const TileCounts counts(walk.counts, walk.board.rows), cleared(walk.cleared, walk.board.rows);
    // Where a pass takes several launches, the next one may have more tiles than this.
    if (walk.board.parts > 1)
        for (std::uint32_t row = walk.tiles + simt::block_rank(); row < walk.board.rows; row += simt::grid_size())
            for (int j = 0; j < words; ++j) cleared.clear(row, first + j * simt::kWarpSize);

    for (std::uint32_t k = 0;; ++k) {
        const std::uint32_t tile = shared.tickets[k % 4];
        if (tile >= walk.tiles) return;
        KOGGE_UNROLL
        for (int j = 0; j < words; ++j) cleared.clear(tile, first + j * simt::kWarpSize);

        std::uint32_t before[words][2] = {};
        counts.sum_groups<words>(tile / kSplitGroup, first, before);
        counts.sum_tiles<words>(tile, first, before);  // last, as they are counted last

        std::uint64_t starts[words][2];
        KOGGE_UNROLL
        for (int j = 0; j < words; ++j) {
            const int bin = 2 * (first + j * simt::kWarpSize);
            starts[j][0] = walk.board.starts[bin];
            starts[j][1] = walk.board.starts[bin + 1];
        }
        shared.placed[k % 2].wait(k / 2 & 1);
        const std::uint32_t count = walk.count_of(tile);
        KOGGE_UNROLL
        for (int j = 0; j < words; ++j) {
            const int word = first + j * simt::kWarpSize, bin = 2 * word;
            const std::uint32_t low = shared.places[k % 2][bin], high = shared.places[k % 2][bin + 1];
            const std::uint32_t end = bin + 2 < kBins ? shared.places[k % 2][bin + 2] : count;
            const std::uint32_t after_low = before[j][0] + (high - low), after_high = before[j][1] + (end - high);
            if (tile % kSplitGroup == kSplitGroup - 1)
                counts.publish_prefix(tile / kSplitGroup, word, after_low, after_high);
            const std::uint64_t target[2] = {starts[j][0] + before[j][0] - low, starts[j][1] + before[j][1] - high};
            KOGGE_UNROLL
            for (int b = 0; b < 2; ++b) {
                shared.targets[k % 2][bin + b] =
                    reinterpret_cast<std::uint64_t>(walk.keys_out) + target[b] * sizeof(*walk.keys_out);
                if constexpr (Walk::Problem::kHasValues)
                    shared.value_targets[k % 2][bin + b] =
                        reinterpret_cast<std::uint64_t>(walk.values_out) + target[b] * sizeof(*walk.values_out);
            }
            if (walk.board.next_starts && tile == walk.tiles - 1) {
                walk.board.next_starts[bin] = starts[j][0] + after_low;
                walk.board.next_starts[bin + 1] = starts[j][1] + after_high;
            }
        }
        shared.targeted[k % 2].arrive();
    }
}

template <Ranks order, class Key, class Value, class PassBucket>
KOGGE_DEVICE void run_split_pass(const PassProblem<Key, Value, PassBucket>& problem, const PassBoard& board) {
    using Problem = PassProblem<Key, Value, PassBucket>;
    const Move move = Move::of(*board.moves);
    if (move.action == Move::skip) return;
    auto& shared = simt::shared_memory<PassShared>();
    PassWalk<Key, Value, PassBucket> walk(problem, board, shared, move);
    if (move.action == Move::copy) return copy_through(problem, static_cast<const PassRoute<Problem>&>(walk));
    walk.tiles = static_cast<std::uint32_t>(divide_up(walk.n, walk.tile_items));
    auto* const tables_end = reinterpret_cast<unsigned char*>(&shared) + kSplitTables;
    walk.ordered_keys = reinterpret_cast<Key*>(tables_end);
    walk.ordered_values = reinterpret_cast<Value*>(tables_end + walk.tile_items * sizeof(Key));
    auto* const staged = tables_end + walk.tile_items * (sizeof(Key) + Problem::kValueBytes);
    walk.staged_keys = reinterpret_cast<Key*>(staged);
    walk.staged_values = reinterpret_cast<Value*>(staged + walk.tile_items * sizeof(Key));
    walk.bulk =
        (reinterpret_cast<std::uintptr_t>(walk.keys_in) | reinterpret_cast<std::uintptr_t>(walk.values_in)) % 16 == 0;

    const int warp = simt::warp_rank();
    if (simt::lane() == 0) {
        if (warp < kSplitRanking) {
            shared.loaded[warp].init(1);
            shared.values_loaded[warp].init(1);
        } else if (warp == kSplitRanking) {
            shared.tickets[0] = simt::atomic_add<simt::Scope::device>(board.ticket, 1);
        } else if (warp == kSplitRanking + 1) {
            shared.taken.init(static_cast<std::uint32_t>(kSplitRanking * simt::kWarpSize));
            shared.counted.init(static_cast<std::uint32_t>(kSplitRanking * simt::kWarpSize));
            shared.scattered.init(static_cast<std::uint32_t>(kSplitRanking * simt::kWarpSize));
            shared.stored.init(static_cast<std::uint32_t>(kSplitRanking * simt::kWarpSize));
        } else {
            for (int b = 0; b < 2; ++b) {
                shared.placed[b].init(simt::kWarpSize);
                shared.targeted[b].init(kLookBackWarps * simt::kWarpSize);
            }
        }
    }
    simt::sync_block();  // the barriers stand, and the first tile is drawn
    if (warp < kSplitRanking) rank_tiles<order>(walk);
    else if (warp == kSplitRanking) scan_tiles(walk);
    else sum_earlier_tiles(walk, warp - kSplitRanking - 1);
}

template <Ranks order, class Key, class Value, class PassBucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kSplitThreads, 1)
    split_pass_kernel(PassProblem<Key, Value, PassBucket> problem, PassBoard board) {
    if constexpr (simt::kHasBulkCopy) run_split_pass<order>(problem, board);  // plans choose it for no other device
}

}  // namespace kogge::grid
