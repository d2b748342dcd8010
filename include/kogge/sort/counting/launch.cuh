// Keys of 8 or 16 bits, without values and by all of their bits: equal keys are the same, so nothing has to move. Each
// value is counted (sort/counting/count.cuh), then written as often as it occurs (sort/counting/fill.cuh). One block
// does both for few keys of 8 bits (sort/counting/one_block.cuh). Traffic: one read, one write.
#pragma once

#include <cstdint>

#include "kogge/plan/radix_sort.hpp"
#include "kogge/sort/common/arrays.cuh"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/counting/count.cuh"
#include "kogge/sort/counting/fill.cuh"
#include "kogge/sort/counting/one_block.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Key, class Bucket>
void launch_sort(const counting_sort& way, const radix_sort_plan&, const SortArrays<Key, NoValue>& arrays,
                 const Bucket& bucket, const SortMemory& memory, stream_t stream) {
    if constexpr (sizeof(Key) == 1)
        if (!way.fill)
            return simt::launch(count_block_kernel<Key>, shape_of(way.count, stream, "count_block_kernel"),
                                arrays.keys_in, arrays.keys_out, arrays.n, bucket.encoding);
    using Counts = ValueCounts<Key>;
    std::uint64_t* const values = memory.value_counts;
    std::uint64_t* const groups = values + Counts::kValues;
    const Counts counts{values, groups, reinterpret_cast<std::uint32_t*>(groups + Counts::kGroups)};
    simt::fill(values, 0, Counts::kValues * sizeof(std::uint64_t), stream);
    simt::launch(count_values_kernel<Key>, shape_of(way.count, stream, "count_values_kernel"), arrays.keys_in, arrays.n,
                 counts);
    if constexpr (Counts::kGroups > 1)
        simt::launch(
            sum_counts_kernel<Key>,
            {ValueCounters<Key>::kWords / kBins, kCountThreads, sizeof(SumShared), stream, "sum_counts_kernel"}, counts,
            way.count.blocks);
    simt::launch(fill_values_kernel<Key>,
                 {way.fill->blocks, kFillThreads, sizeof(FillShared<Key>), stream, "fill_values_kernel"},
                 arrays.keys_out, arrays.n, counts, bucket.encoding);
}

}  // namespace kogge::grid::KOGGE_CODE
