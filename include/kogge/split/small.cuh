// A stable split of few items: one launch, no scratch, no barrier between blocks. Each block counts all items per bin
// by itself, and moves kFewSplitRows rows of them. An item follows all items of smaller bins, and earlier items of its
// own bin. Traffic: each block reads all items, within the L2 cache; each item is written once, to an output apart from
// the input. For so few items latencies, and fetching the code, take the time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/engine/carry.cuh"
#include "kogge/operators.hpp"
#include "kogge/pass/shape.hpp"
#include "kogge/plan/radix_sort.hpp"
#include "kogge/sort/common/arrays.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Key, class Value, class Bucket>
struct FewProblem {
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;

    const Key* keys_in;
    Key* keys_out;
    const Value* values_in;
    Value* values_out;
    Count n;
    Bucket bucket;
    std::uint64_t* offsets;  ///< null, or where the bins' offsets go
    std::uint32_t bins;
    std::uint32_t past;  ///< first place, past all items, of the block that writes the offsets
};

struct FewShared {
    /// Counters that one instruction reads.
    struct alignas(16) Quad {
        std::uint32_t of[4];
    };
    static constexpr int kQuads = kFewSplitBins / 4, kOfThread = kQuads / kFewSplitThreads;

    Quad earlier[kQuads];  ///< items before this block's; then the place of each bin's next item
    Quad others[kQuads];
    std::uint32_t totals[kFewSplitThreads / simt::kWarpSize];
};

template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kFewSplitThreads, 2) split_few_kernel(FewProblem<Key, Value, Bucket> problem) {
    simt::wait_for_stream();
    constexpr bool has_values = FewProblem<Key, Value, Bucket>::kHasValues;
    constexpr std::uint32_t threads = kFewSplitThreads, rows = kFewSplitRows, row = simt::kWarpSize;
    constexpr std::uint32_t batch = 8;  // in flight
    constexpr int quads = FewShared::kOfThread;
    auto& shared = simt::shared_memory<FewShared>();
    const auto n = static_cast<std::uint32_t>(problem.n.get());
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const int warp = simt::warp_rank(), lane = simt::lane();
    const std::uint32_t own = simt::block_rank() * rows * row, place = own + thread;

    Key some[batch];
    const auto load = [&](std::uint32_t first) {
        const Key* const from = problem.keys_in + first + thread;
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < batch; ++i)
            if (first + thread + i * threads < n) some[i] = from[i * threads];
    };
    load(0);
    // The first warps move one row each.
    const bool has_item = thread < rows * row && place < n;
    Key key;
    if (has_item) key = problem.keys_in[place];
    [[maybe_unused]] Value value;
    if constexpr (has_values)
        if (has_item) value = problem.values_in[place];
    KOGGE_UNROLL
    for (int q = 0; q < quads; ++q) shared.earlier[q * threads + thread] = shared.others[q * threads + thread] = {};
    auto* const earlier = reinterpret_cast<std::uint32_t*>(shared.earlier);
    auto* const others = reinterpret_cast<std::uint32_t*>(shared.others);
    simt::sync_block();  // the counters are zero

    KOGGE_NO_UNROLL
    for (std::uint32_t first = 0;; load(first)) {
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < batch; ++i) {
            const std::uint32_t at = first + thread + i * threads;
            if (at >= n) continue;
            simt::atomic_add<simt::Scope::block>((at < own ? earlier : others) + problem.bucket.code(some[i]), 1);
        }
        first += batch * threads;
        if (first >= n) break;
    }
    // Places past the end take the last counter, after all items.
    const std::uint32_t bin = has_item ? problem.bucket.code(key) : kFewSplitBins - 1;
    // All warps take part: ballots under a condition would need more predicates than there are.
    const simt::mask_t peers = simt::match_digit<kFewSplitBits>(bin);
    const int before = simt::count_bits(peers & simt::lanes_before());
    simt::sync_block();  // all items are counted

    FewShared::Quad next[quads], counts[quads];
    std::uint32_t sum = 0;
    KOGGE_UNROLL
    for (int q = 0; q < quads; ++q) {
        next[q] = shared.earlier[thread * quads + q];
        counts[q] = shared.others[thread * quads + q];
        KOGGE_UNROLL
        for (int b = 0; b < 4; ++b) sum += counts[q].of[b] += next[q].of[b];
    }
    const std::uint32_t inclusive = warp::inclusive_scan(sum, simt::kWarpSize, plus{});
    if (lane == simt::kWarpSize - 1) shared.totals[warp] = inclusive;
    simt::sync_block();  // the warps' totals are written
    std::uint32_t start = simt::reduce_add(lane < warp ? shared.totals[lane] : 0u) + inclusive - sum;
    KOGGE_UNROLL
    for (int q = 0; q < quads; ++q) {
        KOGGE_UNROLL
        for (int b = 0; b < 4; ++b) {
            next[q].of[b] += start;
            start += counts[q].of[b];
        }
        shared.earlier[thread * quads + q] = next[q];
    }
    simt::sync_block();  // the places of all bins are known

    // The offsets' block lies past all items, so a bin's next place is the bin's end.
    if (own == problem.past) {
        if (thread == 0) problem.offsets[0] = 0;
        KOGGE_NO_UNROLL
        for (std::uint32_t b = thread; b < problem.bins; b += threads) problem.offsets[b + 1] = earlier[b];
        return;
    }
    std::uint32_t target = 0;
    KOGGE_NO_UNROLL
    for (int r = 0; r < kFewSplitRows; ++r) {
        if (warp == r) {
            target = earlier[bin] + before;
            simt::sync_warp();  // all lanes have read before one of each bin writes
            if (before == 0) earlier[bin] = target + simt::count_bits(peers);
        }
        simt::sync_block();  // the next row sees the places that this row has taken
    }
    if (!has_item) return;
    problem.keys_out[target] = key;
    if constexpr (has_values) problem.values_out[target] = value;
}

/// `offsets` may be null; else one more block writes them.
template <class Key, class Value, class Bucket>
void launch_split(const small_split& way, const SortArrays<Key, Value>& arrays, const Bucket& bucket,
                  std::uint32_t bins, std::uint64_t* offsets, stream_t stream) {
    const std::uint32_t blocks = way.launch.blocks;
    simt::launch(
        split_few_kernel<Key, Value, Bucket>,
        {blocks + (offsets ? 1u : 0u), static_cast<std::uint32_t>(way.launch.threads), sizeof(FewShared), stream,
         "split_few_kernel"},
        FewProblem<Key, Value, Bucket>{arrays.keys_in, arrays.keys_out, arrays.values_in, arrays.values_out, arrays.n,
                                       bucket, offsets, bins, static_cast<std::uint32_t>(blocks * way.block_items)});
}

}  // namespace kogge::grid::KOGGE_CODE
