// A sort by one cooperative launch, of as many keys as the chip holds: each block keeps a chunk of them in registers
// and hands only counts to the others.
//
// A pass: a block ranks its chunk and publishes how many keys of each digit it has; from what the blocks published
// follows where its keys go, in another array than they came from. Traffic: each pass reads and writes every key (and
// value) once, within the L2 cache.
//
// Nobody reads all rows of counts: sixteen blocks are a group that also adds up its counts, and a block reads the sums
// of the groups and the rows before its own in its group. A count travels with what says that it is complete, in one
// word: a row's with a flag, a group's with the number of blocks that have added to it. Each pass has its own words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/grid/carry.cuh"
#include "kogge/grid/digits.cuh"
#include "kogge/grid/histogram.cuh"
#include "kogge/grid/sort_block.cuh"
#include "kogge/plan.hpp"
#include "kogge/prebuilt.hpp"

namespace kogge::grid {

template <class Key, class Value, class Bucket>
struct GridSortProblem {
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr int kItems = grid_sort_items(sizeof(Key), kHasValues ? sizeof(Value) : 0);

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
    bool may_reorder;  ///< equal codes mean equal keys, whose order cannot be told
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

/// The counts that blocks hand to each other in one pass: words that are written once.
struct GridCounts {
    static constexpr int kArrival = 20;  ///< a group has at most 16 × 2^15 keys; the bits above count its blocks
    static constexpr std::uint32_t kFlag = 1u << 31;

    std::uint32_t* rows;    ///< [blocks][kBins]
    std::uint32_t* groups;  ///< [groups][kBins]
    bool ordered;           ///< what a block has read may be overwritten when its counts have been seen

    KOGGE_DEVICE GridCounts(const GridSortMemory& memory, int pass, bool ordered) : ordered(ordered) {
        rows = memory.counts + static_cast<std::uint32_t>(pass) * grid_sort_words(simt::grid_size());
        groups = rows + simt::grid_size() * kBins;
    }

    /// Before the first pass; a grid barrier must follow.
    KOGGE_DEVICE static void clear(const GridSortMemory& memory, int passes) {
        const std::uint32_t words = static_cast<std::uint32_t>(passes) * grid_sort_words(simt::grid_size());
        for (std::uint32_t i = simt::block_rank() * kGridSortThreads + static_cast<std::uint32_t>(simt::thread_rank());
             i < words; i += simt::grid_size() * kGridSortThreads)
            memory.counts[i] = 0;
        if (simt::block_rank() == 0 && simt::thread_rank() == 0) *memory.moved = 0;
    }

    /// A thread publishes the count of its bin.
    KOGGE_DEVICE void publish(std::uint32_t bin, std::uint32_t count) const {
        const std::uint32_t block = simt::block_rank();
        if (ordered) simt::fence_device();
        simt::store_relaxed(rows + block * kBins + bin, kFlag | count);
        simt::atomic_add<simt::Scope::device>(groups + block / kGridSortGroup * kBins + bin, 1u << kArrival | count);
    }

    /// What four neighbouring threads find out about two bins.
    struct Found {
        std::uint32_t before[2];  ///< keys in earlier blocks
        std::uint32_t of_all[2];  ///< in all blocks
    };

    /// Waits for the counts of the bins 2 pair and 2 pair + 1, where pair = thread / 4. All threads call.
    KOGGE_DEVICE Found collect() const {
        constexpr int parts = 4, rounds = kGridSortGroup / parts;
        constexpr std::uint64_t twice = (std::uint64_t{1} << 32) + 1;
        constexpr std::uint64_t arrivals_mask = (~std::uint32_t{0} >> kArrival) * twice;
        constexpr std::uint64_t flags = kFlag * twice;
        const int pair = simt::thread_rank() / parts, part = simt::thread_rank() % parts;
        const int blocks = static_cast<int>(simt::grid_size()), block = static_cast<int>(simt::block_rank());
        const int own = block / kGridSortGroup, place = block % kGridSortGroup;
        const int last = (blocks - 1) / kGridSortGroup;
        const auto* const of_group = reinterpret_cast<const std::uint64_t*>(groups) + pair;
        const auto* const of_block = reinterpret_cast<const std::uint64_t*>(rows + own * kGridSortGroup * kBins) + pair;
        // The words, and what their upper bits are once they are complete; what is not there is complete.
        std::uint64_t sums[rounds] = {}, counts[rounds] = {}, awaited[rounds];
        KOGGE_UNROLL
        for (int r = 0; r < rounds; ++r) {
            const int group = r * parts + part;
            const int members = group < last ? kGridSortGroup : group == last ? blocks - last * kGridSortGroup : 0;
            awaited[r] = static_cast<std::uint64_t>(members) * twice;
        }
        for (;;) {
            KOGGE_UNROLL
            for (int r = 0; r < rounds; ++r) {
                const int i = r * parts + part;
                if ((sums[r] >> kArrival & arrivals_mask) != awaited[r])
                    sums[r] = simt::load_relaxed(of_group + i * (kBins / 2));
                if (i < place && (counts[r] & flags) != flags)
                    counts[r] = simt::load_relaxed(of_block + i * (kBins / 2));
            }
            bool complete = true;
            KOGGE_UNROLL
            for (int r = 0; r < rounds; ++r)
                complete = complete && (sums[r] >> kArrival & arrivals_mask) == awaited[r] &&
                           (r * parts + part >= place || (counts[r] & flags) == flags);
            if (simt::all(complete)) break;  // the lanes wait together: on their own they would take turns at it
            simt::poll_pause();
        }
        if (ordered) simt::fence_device();
        Found found{};
        KOGGE_UNROLL
        for (int b = 0; b < 2; ++b) {
            KOGGE_UNROLL
            for (int r = 0; r < rounds; ++r) {
                const std::uint32_t sum = static_cast<std::uint32_t>(sums[r] >> 32 * b) & ((1u << kArrival) - 1);
                found.of_all[b] += sum;
                found.before[b] +=
                    (r * parts + part < own ? sum : 0) + (static_cast<std::uint32_t>(counts[r] >> 32 * b) & ~kFlag);
            }
            KOGGE_UNROLL
            for (int lanes = 1; lanes < parts; lanes *= 2) {
                found.before[b] += simt::shuffle_xor(found.before[b], lanes);
                found.of_all[b] += simt::shuffle_xor(found.of_all[b], lanes);
            }
        }
        return found;
    }
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

/// Returns once all blocks have moved their keys `moves` times.
KOGGE_DEVICE void finish_move(std::uint32_t* moved, std::uint32_t moves) {
    simt::sync_block();  // the block has moved its keys
    if (simt::thread_rank() == 0) {
        simt::add_release(moved, 1);
        while (simt::load_acquire(moved) != simt::grid_size() * moves) simt::poll_pause();
    }
    simt::sync_block();  // and all others have
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
    GridCounts::clear(problem.memory, problem.passes);

    Key keys[most];
    Value values[most];
    ShortRanks<most> ranks;
    std::uint32_t moves = 0;
    bool on_chip = false;
    // The last pass writes the output. Where skipped passes have left the keys there, it writes where others read, as
    // far as they have not published counts.
    auto from = Move::input;
    simt::GridArrival cleared{};
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
                for_items<most, step>(used, [&](int i) {
                    if (!holds(i)) return;
                    const std::uint64_t place = base + static_cast<std::uint64_t>(first + i * simt::kWarpSize);
                    if constexpr (std::is_integral_v<Value>) values[i] = with ? with[place] : static_cast<Value>(place);
                    else values[i] = with[place];
                });
            }
            if (from == Move::input && bucket.recodes())
                for_items<most, step>(used, [&](int i) { keys[i] = bucket.encode(keys[i]); });
        }

        if (pass == 0) cleared = simt::arrive_grid();

        clear_row(row);
        simt::sync_warp();  // the counters are zero
        const bool in_order = pass > 0 || Problem::kHasValues || !problem.may_reorder ||
                              is_crowded(holds(0) ? bucket(keys[0]) : static_cast<std::uint32_t>(lane));
        if (in_order) {
            // Places past the end take the last bin, behind all keys, and are taken back.
            for_items<most, 1>(
                used, [&](int i) { ranks.set(i, rank_in_order(holds(i) ? bucket(keys[i]) : kBins - 1, row)); });
            if (lane == 0 && used > 0) row[kBins - 1] -= static_cast<std::uint32_t>(used * simt::kWarpSize - of_warp);
        } else {
            for_items<most, step>(used,
                                  [&](int i) { ranks.set(i, holds(i) ? rank_as_served(bucket(keys[i]), row) : 0); });
        }
        simt::sync_block();  // all warps have counted
        if (pass == 0) simt::wait_grid(cleared);
        place_digits(shared, counts);
        for_items<most, step>(used, [&](int i) {
            if (!holds(i)) return;
            const std::uint32_t place = row[bucket(keys[i])] + ranks.get(i);
            exchange[place] = keys[i];
            if constexpr (Problem::kHasValues) value_exchange[place] = values[i];
        });
        find_targets(shared, counts, static_cast<std::uint32_t>(n));
        on_chip = shared.holds_all != 0;
        if (on_chip && !last) continue;

        const bool decodes = last && bucket.recodes();
        Key* const keys_to = goes_out ? problem.keys_out : problem.keys_other;
        Value* const values_to = goes_out ? problem.values_out : problem.values_other;
        for_items<most, step>(items, [&](int i) {
            const int place = thread + i * kGridSortThreads;
            if (place >= count) return;
            const Key key = exchange[place];
            const std::uint32_t target = shared.targets[bucket(key)] + static_cast<std::uint32_t>(place);
            if (!last || problem.writes_keys) keys_to[target] = decodes ? bucket.decode(key) : key;
            if constexpr (Problem::kHasValues) values_to[target] = value_exchange[place];
        });
        from = to;
        if (!last) finish_move(problem.memory.moved, ++moves);
    }
}

}  // namespace kogge::grid
