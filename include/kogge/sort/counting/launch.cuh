// Keys of 8 or 16 bits, without values and by all of their bits: equal ones are the same, so nothing has to move. Each
// value is counted (sort/counting/count.cuh), then written as often as it was met (sort/counting/fill.cuh). Traffic:
// one read, one write.
#pragma once

#include <cstdint>

#include "kogge/plan.hpp"
#include "kogge/sort/counting/count.cuh"
#include "kogge/sort/counting/fill.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Sorts as a plan says that counts; `memory` is value_count_bytes.
template <class Key>
void count_and_fill(const Key* keys, Key* out, const Count& n, const NumberEncoding<Key>& encoding,
                    const radix_sort_plan& plan, std::uint64_t* memory, stream_t stream) {
    std::uint64_t* const groups = memory + ValueCounts<Key>::kValues;
    const ValueCounts<Key> counts{memory, groups, reinterpret_cast<std::uint32_t*>(groups + ValueCounts<Key>::kGroups)};
    simt::fill(memory, 0, ValueCounts<Key>::kValues * sizeof(std::uint64_t), stream);
    simt::launch(count_values_kernel<Key>,
                 {plan.histogram_blocks, kCountThreads, plan.shared_bytes, stream, "count_values_kernel"}, keys, n,
                 counts);
    if constexpr (ValueCounts<Key>::kGroups > 1)
        simt::launch(
            sum_counts_kernel<Key>,
            {ValueCounters<Key>::kWords / kBins, kCountThreads, sizeof(SumShared), stream, "sum_counts_kernel"}, counts,
            plan.histogram_blocks);
    simt::launch(fill_values_kernel<Key>,
                 {plan.blocks, kFillThreads, sizeof(FillShared<Key>), stream, "fill_values_kernel"}, out, n, counts,
                 encoding);
}

}  // namespace kogge::grid::KOGGE_CODE
