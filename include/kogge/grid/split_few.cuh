// A stable split of few items into at most kBins bins by one launch, without scratch and without a barrier between
// blocks: a block moves an item a thread, and counts for itself how many of the others fall into each bin. An item goes
// behind all items of smaller bins, and behind the earlier ones of its own.
// Traffic: each block reads all items, within the L2 cache.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/grid/carry.cuh"
#include "kogge/grid/digits.cuh"
#include "kogge/grid/split_shape.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

template <class Key, class Value, class Bucket>
struct FewProblem {
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;

    const Key* keys_in;
    Key* keys_out;
    const Value* values_in;
    Value* values_out;
    Count n;
    Bucket bucket;
};

struct FewShared {
    static constexpr int kWarps = kFewSplitThreads / simt::kWarpSize;

    std::uint32_t rows[kWarps][kBins];  ///< of a warp's own items; then the place of its next item of each bin
    std::uint32_t earlier[kBins];       ///< items of earlier blocks
    std::uint32_t later[kBins];
    std::uint32_t totals[kWarps];
};

template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kFewSplitThreads, 2) split_few_kernel(FewProblem<Key, Value, Bucket> problem) {
    simt::wait_for_stream();
    static_assert(kFewSplitThreads == kBins, "a thread a bin");
    constexpr std::uint32_t threads = kFewSplitThreads;
    constexpr int batch = sizeof(Key) <= 8 ? 16 : 8;  // in flight
    auto& shared = simt::shared_memory<FewShared>();
    const auto n = static_cast<std::uint32_t>(problem.n.get());
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const int warp = simt::warp_rank(), lane = simt::lane();
    const std::uint32_t own = simt::block_rank(), place = own * threads + thread, blocks = divide_up(n, threads);
    const auto bucket = problem.bucket.in_pass(0);

    const bool has_item = place < n;
    Key key;
    if (has_item) key = problem.keys_in[place];
    [[maybe_unused]] Value value;
    if constexpr (FewProblem<Key, Value, Bucket>::kHasValues)
        if (has_item) value = problem.values_in[place];
    std::uint32_t* const row = shared.rows[warp];
    clear_row(row);
    shared.earlier[thread] = shared.later[thread] = 0;
    simt::sync_block();  // the counters are zero

    for (std::uint32_t first = 0; first < blocks; first += batch) {
        Key keys[batch];
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < batch; ++i)
            if ((first + i) * threads + thread < n) keys[i] = problem.keys_in[(first + i) * threads + thread];
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < batch; ++i) {
            if ((first + i) * threads + thread >= n || first + i == own) continue;
            simt::atomic_add<simt::Scope::block>((first + i < own ? shared.earlier : shared.later) + bucket(keys[i]),
                                                 1);
        }
    }
    // Places past the end take the last bin, behind all items.
    const std::uint32_t digit = has_item ? bucket(key) : kBins - 1;
    const std::uint32_t rank = rank_in_order(digit, row);
    simt::sync_block();  // all items are counted

    std::uint32_t before[FewShared::kWarps], next = shared.earlier[thread];
    KOGGE_UNROLL
    for (int w = 0; w < FewShared::kWarps; ++w) {
        before[w] = next;
        next += shared.rows[w][thread];
    }
    const std::uint32_t of_bin = next + shared.later[thread];
    const std::uint32_t inclusive = warp::inclusive_scan(of_bin, simt::kWarpSize, plus{});
    if (lane == simt::kWarpSize - 1) shared.totals[warp] = inclusive;
    simt::sync_block();  // the warps' totals are written
    const std::uint32_t start = simt::reduce_add(lane < warp ? shared.totals[lane] : 0u) + inclusive - of_bin;
    KOGGE_UNROLL
    for (int w = 0; w < FewShared::kWarps; ++w) shared.rows[w][thread] = start + before[w];
    simt::sync_block();  // the places of all bins are known
    if (!has_item) return;
    const std::uint32_t target = row[digit] + rank;
    problem.keys_out[target] = key;
    if constexpr (FewProblem<Key, Value, Bucket>::kHasValues) problem.values_out[target] = value;
}

template <class Key, class Value, class Bucket>
void split_few(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, const Count& n,
               const Bucket& bucket, const radix_sort_plan& plan, stream_t stream) {
    simt::launch(split_few_kernel<Key, Value, Bucket>,
                 {plan.blocks, static_cast<std::uint32_t>(plan.threads), sizeof(FewShared), stream, "split_few_kernel"},
                 FewProblem<Key, Value, Bucket>{keys_in, keys_out, values_in, values_out, n, bucket});
}

}  // namespace kogge::grid
