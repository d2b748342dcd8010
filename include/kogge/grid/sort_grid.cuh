// A sort by one cooperative launch, of as many keys as the chip holds: each block keeps a chunk of them in registers
// and hands only counts to the others.
//
// A pass: a block ranks its chunk and publishes how many keys of each digit it has; from what the blocks published
// follows where its keys go, in another array than they came from. Traffic: each pass reads and writes every key (and
// value) once, within the L2 cache.
//
// Keys alone that are many to a block are ranked as the machine serves them (digits.cuh), which a check of each pass
// makes safe: what a chunk holds in order of a pass's digit must be in order of all bits so far. Where it is not, no
// key is lost, and all passes are repeated on the output with ranks in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/grid/carry.cuh"
#include "kogge/grid/digits.cuh"
#include "kogge/grid/grid_counts.cuh"
#include "kogge/grid/histogram.cuh"
#include "kogge/grid/sort_block.cuh"
#include "kogge/plan.hpp"
#include "kogge/prebuilt.hpp"

namespace kogge::grid {

template <class Key, class Value, class Bucket>
struct GridSortProblem {
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr int kItems = grid_sort_items(sizeof(Key), kHasValues ? sizeof(Value) : 0);
    /// Ranks as served can be checked, and registers do for that.
    static constexpr bool kMayServe = Bucket::kIdentifies && !kHasValues && serves_ranks(sizeof(Key));

    const Key* keys_in;
    Key* keys_out;  ///< the two arrays that take turns
    Key* keys_other;
    const Value* values_in;  ///< null: a value is its key's index
    Value* values_out;
    Value* values_other;
    bool writes_keys;  ///< in the last pass
    bool in_place;     ///< an output is its input
    Count n;
    Bucket bucket;
    int passes;
    bool may_reorder;   ///< equal codes mean equal keys, whose order cannot be told
    bool checks_order;  ///< ranks as served are tried in all passes
    GridSortMemory memory;
};

/// What precedes the chunk in shared memory. The rows of eight warps are followed by a gap, so that the column sums
/// meet no bank conflicts.
struct GridSortShared {
    static constexpr int kWarps = kGridSortThreads / simt::kWarpSize;
    static constexpr int kHalf = kWarps / 2;
    static constexpr int kHalfWords = kHalf * kBins + simt::kWarpSize / 2;

    alignas(128) std::uint32_t rows[2 * kHalfWords];
    std::uint32_t totals[simt::kWarpSize];
    std::uint32_t targets[kBins];  ///< a bin's place in the output, less its place in the chunk (modulo 2^32)
    std::uint32_t holds_all;       ///< one bin has all keys: the pass changes nothing
};
static_assert(sizeof(GridSortShared) <= kGridSortTables);
static_assert(kGridSortThreads == 2 * kBins, "two threads a bin");

/// Two ranks a register: they are below 2^16.
template <int items>
struct ShortRanks {
    std::uint32_t pairs[(items + 1) / 2];

    KOGGE_DEVICE void set(int i, std::uint32_t rank) { pairs[i / 2] = i % 2 == 0 ? rank : pairs[i / 2] | rank << 16; }
    KOGGE_DEVICE std::uint32_t get(int i) const { return i % 2 == 0 ? pairs[i / 2] & 0xffffu : pairs[i / 2] >> 16; }
};

/// Turns the warps' counts into the place in the chunk of each warp's next key of each digit, and publishes the
/// block's. All threads call.
KOGGE_DEVICE void place_digits(GridSortShared& shared, const GridCounts& counts) {
    const int bin = simt::thread_rank() / 2, half = simt::thread_rank() % 2, lane = simt::lane(),
              warp = simt::warp_rank();
    std::uint32_t* const first = shared.rows + half * GridSortShared::kHalfWords + bin;
    std::uint32_t before[GridSortShared::kHalf], sum = 0;
    KOGGE_UNROLL
    for (int r = 0; r < GridSortShared::kHalf; ++r) {
        before[r] = sum;
        sum += first[r * kBins];
    }
    const std::uint32_t of_bin = sum + simt::shuffle_xor(sum, 1);
    if (half == 0) counts.publish(static_cast<std::uint32_t>(bin), of_bin);
    const std::uint32_t inclusive = warp::inclusive_scan(sum, simt::kWarpSize, plus{});
    if (lane == simt::kWarpSize - 1) shared.totals[warp] = inclusive;
    if (simt::thread_rank() == 0) shared.holds_all = 0;
    simt::sync_block();  // the warps' totals are written
    const std::uint32_t base = simt::reduce_add(lane < warp ? shared.totals[lane] : 0u) + inclusive - sum;
    KOGGE_UNROLL
    for (int r = 0; r < GridSortShared::kHalf; ++r) first[r * kBins] = base + before[r];
    simt::sync_block();  // the places of all digits are known
}

/// Waits for the counts of all blocks, and turns them into the targets. All threads call.
KOGGE_DEVICE void find_targets(GridSortShared& shared, const GridCounts& counts, std::uint32_t n) {
    const int pair = simt::thread_rank() / 4, part = simt::thread_rank() % 4, lane = simt::lane(),
              warp = simt::warp_rank();
    const GridCounts::Found found = counts.collect();
    if (part == 0 && (found.of_all[0] == n || found.of_all[1] == n)) shared.holds_all = 1;
    const std::uint32_t of_pair = found.of_all[0] + found.of_all[1];
    const std::uint32_t inclusive = warp::inclusive_scan(part == 0 ? of_pair : 0u, simt::kWarpSize, plus{});
    if (lane == simt::kWarpSize - 1) shared.totals[warp] = inclusive;
    simt::sync_block();  // the warps' totals are written, and the chunk stands in order of the digit
    const std::uint32_t start = simt::reduce_add(lane < warp ? shared.totals[lane] : 0u) + inclusive - of_pair;
    if (part < 2) {
        const int bin = 2 * pair + part;
        const std::uint32_t before = part == 0 ? found.before[0] : found.of_all[0] + found.before[1];
        shared.targets[bin] = start + before - shared.rows[bin];
    }
    simt::sync_block();  // the targets of all digits are known
}

/// Writes the chunk, which stands in order of the pass's digit, to the digits' places. Returns whether it is in order
/// of all bits up to this pass, if that `is_checked`. All threads call.
template <class Problem, class Key, class Value, class PassBucket>
KOGGE_DEVICE bool store_chunk(const GridSortShared& shared, const Key* exchange, const Value* value_exchange, int count,
                              const PassBucket& bucket, Key* keys_to, Value* values_to, bool decodes, bool is_checked) {
    bool ordered = true;
    // Loads of a batch stand before its stores, which the compiler must not reorder.
    const auto store = [&]<int batch>(int first, std::integral_constant<int, batch>) {
        const auto place_of = [&](int u) { return first + u * kGridSortThreads; };
        Key keys[batch];
        std::uint32_t targets[batch];
        for_each_item<batch>([&](int u) { keys[u] = exchange[place_of(u)]; });
        if constexpr (Problem::kMayServe)
            if (is_checked)
                for_each_item<batch>([&](int u) {
                    const Key& before = exchange[place_of(u) > 0 ? place_of(u) - 1 : 0];
                    ordered = ordered && bucket.keeps_order(before, keys[u]);
                });
        for_each_item<batch>(
            [&](int u) { targets[u] = shared.targets[bucket(keys[u])] + static_cast<std::uint32_t>(place_of(u)); });
        if (keys_to) {
            if (decodes) for_each_item<batch>([&](int u) { keys[u] = bucket.decode(keys[u]); });
            for_each_item<batch>([&](int u) { keys_to[targets[u]] = keys[u]; });
        }
        if constexpr (Problem::kHasValues) {
            Value values[batch];
            for_each_item<batch>([&](int u) { values[u] = value_exchange[place_of(u)]; });
            for_each_item<batch>([&](int u) { values_to[targets[u]] = values[u]; });
        }
    };
    constexpr int most = Problem::kItems, batch = most >= 32 ? 8 : most % 4 == 0 ? 4 : 1;
    int first = simt::thread_rank();
    for (; first + (batch - 1) * kGridSortThreads < count; first += batch * kGridSortThreads)
        store(first, std::integral_constant<int, batch>{});
    for (; first < count; first += kGridSortThreads) store(first, std::integral_constant<int, 1>{});
    return ordered;
}

template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kGridSortThreads, 1)
    sort_grid_kernel(GridSortProblem<Key, Value, Bucket> problem) {
    using Problem = GridSortProblem<Key, Value, Bucket>;
    constexpr int most = Problem::kItems, step = most % 4 == 0 ? 4 : 1;
    const std::uint64_t n = problem.n.get();
    if (n == 0) return;
    auto& shared = simt::shared_memory<GridSortShared>();
    const int thread = simt::thread_rank(), warp = simt::warp_rank(), lane = simt::lane();

    // A thread has `items` keys; register i of lane l is key 32 i + l of its warp.
    const std::uint64_t chunk = grid_sort_chunk(n, simt::grid_size()), base = chunk * simt::block_rank();
    const int count = static_cast<int>(base >= n ? 0 : n - base < chunk ? n - base : chunk);
    const int items = static_cast<int>(divide_up(chunk, kGridSortThreads));
    const int first = warp * simt::kWarpSize * items + lane, rest = count - (first - lane);
    const int of_warp = rest < 0 ? 0 : rest < items * simt::kWarpSize ? rest : items * simt::kWarpSize;
    const int used = (of_warp + simt::kWarpSize - 1) / simt::kWarpSize;  // registers
    const auto holds = [=](int i) { return i * simt::kWarpSize + lane < of_warp; };
    auto* const exchange = reinterpret_cast<Key*>(reinterpret_cast<unsigned char*>(&shared) + kGridSortTables);
    auto* const value_exchange = reinterpret_cast<Value*>(exchange + items * kGridSortThreads);
    std::uint32_t* const row =
        shared.rows + warp / GridSortShared::kHalf * GridSortShared::kHalfWords + warp % GridSortShared::kHalf * kBins;
    if (simt::block_rank() == 0 && thread == 0) *problem.memory.moved = *problem.memory.disorder = 0;

    Key keys[most];
    Value values[most];
    ShortRanks<most> ranks;
    std::uint32_t moves = 0;
    bool as_served = Problem::kMayServe && problem.checks_order;
    for (auto from = Move::input;; from = Move::output) {
        GridCounts::clear(problem.memory, problem.passes);
        simt::GridArrival cleared{};
        bool on_chip = false, ordered = true;
        // The last pass writes the output. Where skipped passes have left the keys there, it writes where others read,
        // as far as they have not published counts.
        for (int pass = 0; pass < problem.passes; ++pass) {
            const auto bucket = problem.bucket.in_pass(pass);
            const bool last = pass == problem.passes - 1;
            const bool goes_out =
                last || from == Move::other || (from == Move::input && problem.passes % 2 == 1 && !problem.in_place);
            const auto to = goes_out ? Move::output : Move::other;
            const GridCounts counts(problem.memory, pass,
                                    from == to || (from == Move::input && goes_out && problem.in_place));
            if (!on_chip) {
                const Key* const source = (from == Move::input    ? problem.keys_in
                                           : from == Move::output ? problem.keys_out
                                                                  : problem.keys_other) +
                                          base;
                for_items<most, step>(used, [&](int i) {
                    if (holds(i)) keys[i] = source[first + i * simt::kWarpSize];
                });
                if constexpr (Problem::kHasValues) {
                    const Value* const with = from == Move::input    ? problem.values_in
                                              : from == Move::output ? problem.values_out
                                                                     : problem.values_other;
                    const auto place_of = [&](int i) { return first + i * simt::kWarpSize; };
                    if (with)
                        for_items<most, step>(used, [&](int i) {
                            if (holds(i)) values[i] = with[base + place_of(i)];
                        });
                    else if constexpr (std::is_integral_v<Value>)
                        for_items<most, step>(used, [&](int i) { values[i] = static_cast<Value>(base + place_of(i)); });
                }
                if (pass == 0 && bucket.recodes())
                    for_items<most, step>(used, [&](int i) { keys[i] = bucket.encode(keys[i]); });
            }

            if (pass == 0) cleared = simt::arrive_grid();

            clear_row(row);
            simt::sync_warp();  // the counters are zero
            const bool in_order = Problem::kHasValues || !(as_served || (pass == 0 && problem.may_reorder)) ||
                                  is_crowded(holds(0) ? bucket(keys[0]) : static_cast<std::uint32_t>(lane));
            if (in_order) {
                // Places past the end take the last bin, behind all keys, and are taken back.
                for_items<most, 1>(
                    used, [&](int i) { ranks.set(i, rank_in_order(holds(i) ? bucket(keys[i]) : kBins - 1, row)); });
                if (lane == 0 && used > 0)
                    row[kBins - 1] -= static_cast<std::uint32_t>(used * simt::kWarpSize - of_warp);
            } else {
                for_items<most, step>(
                    used, [&](int i) { ranks.set(i, holds(i) ? rank_as_served(bucket(keys[i]), row) : 0); });
            }
            simt::sync_block();  // all warps have counted
            if (pass == 0) simt::wait_grid(cleared);
            place_digits(shared, counts);
            // Loads of a batch stand before its stores, which the compiler must not reorder.
            for_batches<most, step>(used, [&](int i) {
                std::uint32_t places[step];
                for_each_item<step>([&](int u) {
                    if (holds(i + u)) places[u] = row[bucket(keys[i + u])] + ranks.get(i + u);
                });
                for_each_item<step>([&](int u) {
                    if (!holds(i + u)) return;
                    exchange[places[u]] = keys[i + u];
                    if constexpr (Problem::kHasValues) value_exchange[places[u]] = values[i + u];
                });
            });
            find_targets(shared, counts, static_cast<std::uint32_t>(n));
            on_chip = shared.holds_all != 0;
            if (on_chip && !last) continue;

            const bool decodes = last && bucket.recodes();
            Key* const keys_to = goes_out ? problem.keys_out : problem.keys_other;
            Value* const values_to = goes_out ? problem.values_out : problem.values_other;
            const bool checks = as_served && pass > 0;
            if (!store_chunk<Problem>(shared, exchange, value_exchange, count, bucket,
                                      last && !problem.writes_keys ? nullptr : keys_to, values_to, decodes, checks))
                ordered = false;
            from = to;
            on_chip = false;  // what registers hold is not needed any more
            if (!last) finish_move(problem.memory.moved, ++moves);
        }
        if (!as_served) return;
        if (!ordered) simt::atomic_or<simt::Scope::device>(problem.memory.disorder, 1);
        finish_move(problem.memory.moved, ++moves);
        if (simt::load_relaxed(problem.memory.disorder) == 0) return;
        as_served = false;
    }
}

}  // namespace kogge::grid
