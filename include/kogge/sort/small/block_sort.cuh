// Radix sort in one block: all passes on chip, one launch, no scratch. Keys stay in registers between passes and change
// places through shared memory. Values do not travel: their 16-bit indices do, and the values are fetched at the end.
// Traffic: keys and values are read once and written once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/digit/key_digits.cuh"
#include "kogge/engine/carry.cuh"
#include "kogge/sort/common/arrays.cuh"
#include "kogge/sort/common/block_pass.cuh"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

template <class Key, class Value, class Bucket>
struct BlockSortProblem {
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr int kItems = block_sort_items(sizeof(Key), kHasValues);

    const Key* keys_in;
    Key* keys_out;           ///< null: no keys are written
    const Value* values_in;  ///< null: a value is its key's index
    Value* values_out;
    Count n;
    Bucket bucket;
    int passes;
    bool may_reorder;  ///< equal codes mean equal keys, whose order cannot be observed
};

template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kBlockSortThreads, 1)
    sort_block_kernel(BlockSortProblem<Key, Value, Bucket> problem) {
    simt::wait_for_stream();
    using Problem = BlockSortProblem<Key, Value, Bucket>;
    constexpr int most_items = Problem::kItems, step = most_items % 4 == 0 ? 4 : 1;
    auto& shared = simt::shared_memory<BlockSortShared>();
    auto* const exchange = reinterpret_cast<Key*>(reinterpret_cast<unsigned char*>(&shared) + kBlockSortTables);
    const int threads = simt::block_size(), warp = simt::warp_rank(), lane = simt::lane();
    const int count = static_cast<int>(problem.n.get());
    const int items = (count + threads * step - 1) / (threads * step) * step;  // per thread
    auto* const index_exchange = reinterpret_cast<std::uint16_t*>(exchange + threads * most_items);
    const int first = warp * simt::kWarpSize * items + lane;

    // Ranks in arrival order are tried first, where a wrong order of equal digits would show as disorder at the end.
    bool in_order = Problem::kHasValues || !problem.may_reorder;
    Key keys[most_items];
    ShortNumbers<most_items> indices;
    for (;;) {
        if (simt::thread_rank() == 0) shared.disorder = 0;
        KOGGE_UNROLL
        for (int i = 0; i < most_items; ++i) {
            const int place = first + i * simt::kWarpSize;
            if (i < items && place < count) keys[i] = problem.bucket.in_pass(0).encode(problem.keys_in[place]);
            if constexpr (Problem::kHasValues) indices.set(i, static_cast<std::uint32_t>(place));
        }
        for (int pass = 0; pass < problem.passes; ++pass) {
            const auto bucket = problem.bucket.in_pass(pass);
            // Atomics would queue up where most keys of a warp's first row share a digit.
            const bool ballots =
                in_order || is_crowded(first < count ? bucket(keys[0]) : static_cast<std::uint32_t>(lane));
            sort_by_digit<Problem::kHasValues, step>(shared, exchange, index_exchange, keys, indices, items, count,
                                                     ballots,
                                                     [&](const Key& key, std::uint32_t) { return bucket(key); });
        }
        if (in_order) break;
        const auto first_pass = problem.bucket.in_pass(0);
        bool ordered = true;
        KOGGE_UNROLL
        for (int i = 0; i < most_items; ++i) {
            const int place = first + i * simt::kWarpSize;
            if (i < items && place + 1 < count)
                ordered =
                    ordered && problem.bucket.ordered(problem.bucket.code(first_pass.decode(keys[i])),
                                                      problem.bucket.code(first_pass.decode(exchange[place + 1])));
        }
        if (!ordered) simt::atomic_or<simt::Scope::block>(&shared.disorder, 1);
        simt::sync_block();  // every thread has looked at its keys
        in_order = shared.disorder != 0;
        if (!in_order) break;
        simt::sync_block();  // every thread has read the verdict
    }

    if constexpr (Problem::kHasValues) {
        Value values[most_items];
        KOGGE_UNROLL
        for (int i = 0; i < most_items; ++i) {
            if (i >= items) break;
            if (first + i * simt::kWarpSize >= count) continue;
            if constexpr (std::is_integral_v<Value>)
                values[i] = problem.values_in ? problem.values_in[indices.get(i)] : static_cast<Value>(indices.get(i));
            else values[i] = problem.values_in[indices.get(i)];
        }
        simt::sync_block();  // all values have been read, and may be overwritten
        KOGGE_UNROLL
        for (int i = 0; i < most_items; ++i)
            if (i < items && first + i * simt::kWarpSize < count)
                problem.values_out[first + i * simt::kWarpSize] = values[i];
    }
    if (!problem.keys_out) return;
    KOGGE_UNROLL
    for (int i = 0; i < most_items; ++i)
        if (i < items && first + i * simt::kWarpSize < count)
            problem.keys_out[first + i * simt::kWarpSize] = problem.bucket.in_pass(0).decode(keys[i]);
}

template <class Key, class Value, class Bucket>
void launch_sort(const block_sort& way, const radix_sort_plan& plan, const SortArrays<Key, Value>& arrays,
                 const Bucket& bucket, const SortMemory&, stream_t stream) {
    const BlockSortProblem<Key, Value, Bucket> problem{
        arrays.keys_in, arrays.keys_out, arrays.values_in, arrays.values_out,
        arrays.n,       bucket,          plan.passes,      stability_is_unobservable(plan.shape)};
    simt::launch(sort_block_kernel<Key, Value, Bucket>, shape_of(way.launch, stream, "sort_block_kernel"), problem);
}

}  // namespace kogge::grid::KOGGE_CODE
