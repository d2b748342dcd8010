// One pass of a split, warp-specialised: reads each item once and writes it once, stably, into at most 256 bins whose
// starts are known (onesweep: A. Adinets, D. Merrill, 2022). For many tiles; pass/tile.cuh is the plain form.
//
// One block per multiprocessor stays resident and draws tiles by tickets. Its warps have roles, so that loading,
// ranking, look-back and storing of different tiles overlap:
//   ranking warps    each owns a slice of the tile. Tile k: keys to registers; rank; write tile k−1 out; then put tile
//                    k's keys in order on chip, and start to load the values of tile k+1.
//   scan warp        draws tile k+1 and starts to load its keys; sums the warps' counts of tile k, publishes them, and
//                    turns counts into places.
//   look-back warps  sum the counts of earlier tiles into the tile's prefix (pass/onesweep_look_back.cuh).
// The loop has no barrier of the whole block. A barrier that a slow waiter could miss is doubled. Every lane that has
// read or written what a barrier hands over arrives at it itself.
//
// Progress: a tile's counts are published before its own prefix is waited for, and every wait for another block is for
// tiles with smaller tickets, all of which are held by running blocks. So by induction on tickets each tile is
// published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/digit/warp_rank_atomic.cuh"
#include "kogge/digit/warp_rank_few.cuh"
#include "kogge/pass/onesweep_block.cuh"
#include "kogge/pass/onesweep_look_back.cuh"
#include "kogge/pass/onesweep_store.cuh"

namespace kogge::grid::KOGGE_CODE {

static_assert(onesweep_items(1) <= Witness::kMostRows, "ranks by atomics count on it");

/// How keys are ranked, always stably: by atomics with a proof of their order, by ballots, or by counters of few
/// digits.
enum class Ranks { by_atomics, by_ballots, of_few };

template <Ranks order, class Walk>
KOGGE_DEVICE void rank_tiles(const Walk& walk) {
    using Problem = typename Walk::Problem;
    constexpr int most_items = Problem::kItems;
    PassShared& shared = walk.shared;
    const int warp = simt::warp_rank(), lane = simt::lane();
    const std::uint32_t first = static_cast<std::uint32_t>(warp * simt::kWarpSize * most_items + lane);
    std::uint32_t* const row = shared.rows[warp];
    [[maybe_unused]] const Witness witness(lane);

    clear_row(row);
    simt::sync_warp();  // the counters are zero
    if (lane == 0 && Walk::kValuesApart && walk.values_in) walk.start_loading_values(shared.tickets[0], warp);
    for (std::uint32_t k = 0;; ++k) {
        const std::uint32_t tile = shared.tickets[k % 4];
        const bool live = tile < walk.tiles();
        const std::uint32_t count = live ? walk.count_of(tile) : 0;
        const bool whole = Walk::has_segment(count, warp), in_bulk = walk.bulk && whole;
        typename Walk::Item keys[most_items];
        std::uint32_t ranks[(most_items + 1) / 2];  // two 16-bit ranks per word
        // Without this, ptxas 13.0 keeps registers that only some tiles write alive from tile to tile. (H200, 2^28
        // pairs of u32: a sort takes 1 % longer. With ranks by atomics no pass gains.)
        if constexpr (order == Ranks::by_ballots) {
            for_each_item<most_items>([&](int i) { keys[i] = {}; });
            for_each_item<(most_items + 1) / 2>([&](int i) { ranks[i] = 0; });
        }
        if (live) {
            decltype(auto) bucket = walk.bucket();
            if (walk.bulk) shared.loaded[warp].wait(k & 1);
            if (in_bulk) {
                walk.read_staged(tile, first, keys);
                simt::fence_bulk();  // lanes may still be reading, and bulk copies overtake them
                shared.taken.arrive();
            } else {
                shared.taken.arrive();
                const std::uint64_t base = walk.place_of(tile);
                for_each_item<most_items>([&](int i) {
                    if (first + i * simt::kWarpSize < count) keys[i] = walk.item_at(base + first + i * simt::kWarpSize);
                });
            }
            if (walk.encodes) for_each_item<most_items>([&](int i) { keys[i] = bucket.encode(keys[i]); });

            const auto keep_rank = [&](int i, std::uint32_t rank) {
                if (i % 2 == 0) ranks[i / 2] = rank;
                else ranks[i / 2] |= rank << 16;
            };
            const auto digit = [&](int i) { return bucket(keys[i]); };
            bool ranked = false;
            if constexpr (order == Ranks::by_atomics)
                ranked = whole && rank_by_atomics<most_items>(witness, row, digit, keep_rank);
            if constexpr (order == Ranks::of_few) {
                if (whole) rank_few<most_items>(walk.problem.bucket.last_digit(), row, digit, keep_rank);
                ranked = whole;
            }
            // Places past the end of a slice that has keys take the last bin, after all keys. (Without `whole` in each
            // item's condition the code is duplicated, and ptxas 13.0 runs out of predicate registers.)
            constexpr int bits = order == Ranks::of_few ? kFewDigitBits : kDigitBits;
            if (!ranked && static_cast<std::uint32_t>(warp) * Walk::segment < count)
                for_each_item<most_items>([&](int i) {
                    const bool real = whole || first + i * simt::kWarpSize < count;
                    keep_rank(i, rank_in_order<bits>(real ? digit(i) : kBins - 1, row));
                });
            shared.counted.arrive();
        }
        if (k > 0) {
            shared.targeted[(k - 1) % 2].wait((k - 1) / 2 & 1);
            shared.scattered.wait((k - 1) & 1);
            const std::uint32_t stored = walk.count_of(shared.tickets[(k - 1) % 4]);
            if (walk.decodes) store_tile<true>(walk, static_cast<int>((k - 1) % 2), stored);
            else store_tile<false>(walk, static_cast<int>((k - 1) % 2), stored);
            shared.stored.arrive();
        }
        if (!live) return;
        shared.placed[k % 2].wait(k / 2 & 1);
        if (k > 0) shared.stored.wait((k - 1) & 1);

        if constexpr (Walk::kValuesApart)
            if (walk.bulk && walk.values_in) shared.values_loaded[warp].wait(k & 1);
        const auto scatter = [&](auto is_real) {
            decltype(auto) bucket = walk.bucket();
            // Ranks become places first, then slots, so that no store stands between the loads.
            for_each_item<most_items>([&](int i) {
                if (is_real(i)) ranks[i / 2] += row[bucket(keys[i])] << i % 2 * 16;
            });
            const auto slot_of = [&](int i) { return spread<Problem::kPacks>(ranks[i / 2] >> i % 2 * 16 & 0xffffu); };
            for_each_item<most_items>([&](int i) {
                if (is_real(i)) walk.ordered[slot_of(i)] = keys[i];
            });
            if constexpr (Walk::kValuesApart) {
                using Value = typename Problem::value_type;
                const std::uint64_t base = walk.place_of(tile);
                const auto scatter_values = [&](auto value_at) {
                    for_each_item<most_items>([&](int i) {
                        if (is_real(i)) walk.ordered_values[slot_of(i)] = value_at(first + i * simt::kWarpSize);
                    });
                };
                if (in_bulk && walk.values_in)
                    scatter_values([&](std::uint32_t from) { return walk.staged_values()[from]; });
                else if (walk.values_in)
                    scatter_values([&](std::uint32_t from) { return walk.values_in[base + from]; });
                else if constexpr (std::is_integral_v<Value>)
                    scatter_values([&](std::uint32_t from) { return static_cast<Value>(base + from); });
            }
        };
        if (whole) scatter([](int) { return true; });
        else scatter([&](int i) { return first + i * simt::kWarpSize < count; });
        if constexpr (Walk::kValuesApart) simt::fence_bulk();
        simt::sync_warp();  // the row and the values have been read
        clear_row(row);
        shared.scattered.arrive();
        if (Walk::kValuesApart && lane == 0 && walk.values_in)
            walk.start_loading_values(shared.tickets[(k + 1) % 4], warp);
        simt::sync_warp();  // the counters are zero
    }
}

/// Lane l has bins 4 l … 4 l + 3 of each half of the bins, and moves them in accesses of 16 bytes.
struct alignas(16) BinQuad {
    std::uint32_t bin[4];
};

template <class Walk>
KOGGE_DEVICE void scan_tiles(const Walk& walk) {
    constexpr int batch = 4;  // rows read together; no store stands between their loads
    static_assert(kRankingWarps % batch == 0);
    PassShared& shared = walk.shared;
    const int lane = simt::lane();
    const TileCounts published(walk.counts, walk.board.rows);
    const auto quad = [&](int r, int half) -> BinQuad& {
        return reinterpret_cast<BinQuad*>(shared.rows[r])[half * simt::kWarpSize + lane];
    };
    if (lane < kRankingWarps) walk.start_loading(shared.tickets[0], lane);
    std::uint32_t next = shared.tickets[0];
    for (std::uint32_t k = 0; next < walk.tiles(); ++k) {
        const std::uint32_t tile = next;
        // The next tile is drawn as late as its load allows. Look-back waits for all tiles drawn earlier, so drawing
        // order should be counting order. Late draws also balance the blocks' last tiles.
        if (k > 0) shared.scattered.wait((k - 1) & 1);
        if (lane == 0) {
            next = simt::atomic_add<simt::Scope::device>(walk.board.ticket, 1);
            shared.tickets[(k + 1) % 4] = next;
        }
        next = simt::shuffle(next, 0);
        shared.taken.wait(k & 1);
        if (lane < kRankingWarps) walk.start_loading(next, lane);

        shared.counted.wait(k & 1);
        BinQuad totals[2] = {};
        for (int r = 0; r < kRankingWarps; r += batch) {
            KOGGE_UNROLL
            for (int u = 0; u < batch; ++u) {
                const BinQuad counts[2] = {quad(r + u, 0), quad(r + u, 1)};
                KOGGE_UNROLL
                for (int b = 0; b < 8; ++b) totals[b / 4].bin[b % 4] += counts[b / 4].bin[b % 4];
            }
        }
        // Places past the end were counted in the last bin.
        const std::uint32_t count = walk.count_of(tile);
        const auto beyond = static_cast<std::uint32_t>(divide_up(count, Walk::segment) * Walk::segment) - count;
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
                const std::uint32_t of_bin = total.bin[b];
                total.bin[b] = place;
                place += of_bin;
            }
            reinterpret_cast<BinQuad*>(shared.places[k % 2])[half * simt::kWarpSize + lane] = total;
        }
        for (int r = 0; r < kRankingWarps; r += batch) {
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

/// Look-back warp `half` has half of the bins; lane l has words 64 half + l and 64 half + l + 32.
template <class Walk>
KOGGE_DEVICE void sum_earlier_tiles(const Walk& walk, int half) {
    constexpr int words = kBins / 2 / simt::kWarpSize / kLookBackWarps;
    PassShared& shared = walk.shared;
    const int lane = simt::lane(), first = half * words * simt::kWarpSize + lane;
    const TileCounts counts(walk.counts, walk.board.rows), cleared(walk.cleared, walk.board.rows);
    // The next launch of this pass may have more tiles than this one: its rows are cleared as well.
    if (walk.board.parts > 1)
        for (std::uint32_t row = walk.tiles() + simt::block_rank(); row < walk.board.rows; row += simt::grid_size())
            for (int j = 0; j < words; ++j) cleared.clear(row, first + j * simt::kWarpSize);

    for (std::uint32_t k = 0;; ++k) {
        const std::uint32_t tile = shared.tickets[k % 4];
        if (tile >= walk.tiles()) return;
        KOGGE_UNROLL
        for (int j = 0; j < words; ++j) cleared.clear(tile, first + j * simt::kWarpSize);

        std::uint32_t before[words][2] = {};
        counts.sum_groups<words>(tile / kSuperTile, first, before);
        counts.sum_tiles<words>(tile, first, before);  // last: these tiles are the last to be counted

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
            if (tile % kSuperTile == kSuperTile - 1)
                counts.publish_prefix(tile / kSuperTile, word, after_low, after_high);
            const std::uint64_t target[2] = {starts[j][0] + before[j][0] - low, starts[j][1] + before[j][1] - high};
            KOGGE_UNROLL
            for (int b = 0; b < 2; ++b) {
                shared.targets[k % 2][bin + b] =
                    walk.items_out
                        ? reinterpret_cast<std::uint64_t>(walk.items_out) + target[b] * sizeof(*walk.items_out)
                        : reinterpret_cast<std::uint64_t>(walk.keys_out) + target[b] * sizeof(*walk.keys_out);
                if constexpr (Walk::Problem::kHasValues)
                    shared.value_targets[k % 2][bin + b] =
                        reinterpret_cast<std::uint64_t>(walk.values_out) + target[b] * sizeof(*walk.values_out);
            }
            if (walk.board.next_starts && tile == walk.tiles() - 1) {
                walk.board.next_starts[bin] = starts[j][0] + after_low;
                walk.board.next_starts[bin + 1] = starts[j][1] + after_high;
            }
        }
        shared.targeted[k % 2].arrive();
    }
}

template <Ranks order, class Key, class Value, class PassBucket>
KOGGE_DEVICE void run_onesweep(const PassProblem<Key, Value, PassBucket>& problem, const PassBoard& board) {
    const Move move = Move::of(*board.moves);
    if (move.action == Move::skip || (move.by_values != 0) != goes_by_values<PassBucket>) return;
    auto& shared = simt::shared_memory<PassShared>();
    PassWalk<Key, Value, PassBucket> walk(problem, board, shared, move);
    if (move.action == Move::copy) return copy_through(problem, walk);

    const int warp = simt::warp_rank();
    if (simt::lane() == 0) {
        if (warp < kRankingWarps) {
            shared.loaded[warp].init(1);
            shared.values_loaded[warp].init(1);
        } else if (warp == kRankingWarps) {
            shared.tickets[0] = simt::atomic_add<simt::Scope::device>(board.ticket, 1);
            shared.tiles = share_out(walk.n, walk.segment, simt::grid_size());
        } else if (warp == kRankingWarps + 1) {
            if constexpr (loads_on_chip<PassBucket>)
                shared.part<typename PassBucket::OnChip>() = problem.bucket.on_chip();
            shared.taken.init(static_cast<std::uint32_t>(kRankingWarps * simt::kWarpSize));
            shared.counted.init(static_cast<std::uint32_t>(kRankingWarps * simt::kWarpSize));
            shared.scattered.init(static_cast<std::uint32_t>(kRankingWarps * simt::kWarpSize));
            shared.stored.init(static_cast<std::uint32_t>(kRankingWarps * simt::kWarpSize));
        } else {
            for (int b = 0; b < 2; ++b) {
                shared.placed[b].init(simt::kWarpSize);
                shared.targeted[b].init(kLookBackWarps * simt::kWarpSize);
            }
        }
    }
    simt::sync_block();  // barriers are initialised, tiles are shared out, and the first one is drawn
    if (warp < kRankingWarps) rank_tiles<order>(walk);
    else if (warp == kRankingWarps) scan_tiles(walk);
    else sum_earlier_tiles(walk, warp - kRankingWarps - 1);
}

template <Ranks order, class Key, class Value, class PassBucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kOnesweepThreads, 1)
    onesweep_kernel(PassProblem<Key, Value, PassBucket> problem, PassBoard board) {
    simt::wait_for_stream();
    if constexpr (simt::kHasBulkCopy) run_onesweep<order>(problem, board);  // plans choose it for no other device
}

}  // namespace kogge::grid::KOGGE_CODE
