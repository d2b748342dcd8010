// Histograms of more bins than blocks have counters for, or of many more than there are items: an atomic addition in
// global memory per item. A block has counters in shared memory for bins that it has met first, so that frequent ones
// do not wait for each other in the L2 cache.
#pragma once

#include <cstdint>

#include "kogge/histogram/kernel.cuh"

namespace kogge::grid::KOGGE_CODE {

struct HistogramCacheShared {
    std::uint32_t bins[kHistogramCached];  ///< whose counter is at this place; kNoBin: none yet
    std::uint32_t counts[kHistogramCached];
};

/// Counters of a bin that has a place are in shared memory, all others in global memory.
struct CachedCounters {
    HistogramCounts counts;
    HistogramCacheShared* cache;

    KOGGE_DEVICE void add(std::uint32_t bin, std::uint64_t amount) const {
        const std::uint32_t place = bin % kHistogramCached;
        const std::uint32_t there =
            simt::atomic_compare_swap<simt::Scope::block>(cache->bins + place, detail::kNoBin, bin);
        if (there == detail::kNoBin || there == bin)
            simt::atomic_add<simt::Scope::block>(cache->counts + place, static_cast<std::uint32_t>(amount));
        else counts.add(bin, amount);
    }
    KOGGE_DEVICE void zero() const {
        for (int i = simt::thread_rank(); i < kHistogramCached; i += kHistogramAtomicThreads) {
            cache->bins[i] = detail::kNoBin;
            cache->counts[i] = 0;
        }
    }
    KOGGE_DEVICE void add_up() const {
        for (int i = simt::thread_rank(); i < kHistogramCached; i += kHistogramAtomicThreads)
            if (cache->counts[i] > 0) counts.add(cache->bins[i], cache->counts[i]);
    }
};

template <class In, class BinOf>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kHistogramAtomicThreads, kHistogramAtomicBlocks)
    histogram_atomics_kernel(HistogramProblem<In, BinOf> problem) {
    simt::wait_for_stream();
    using Input = HistogramInput<In>;
    using Item = typename Input::Item;
    using Batch = HistogramBatch<In, kHistogramHeld / 2>;
    using Counters = std::conditional_t<is_weighted<Item>, HistogramCounts, CachedCounters>;
    constexpr std::uint64_t block_warps = kHistogramAtomicThreads / simt::kWarpSize;
    const std::uint64_t length = problem.length.get(), units = problem.rows * problem.parts;
    KOGGE_NO_UNROLL
    for (std::uint64_t unit = simt::block_rank(); unit < units; unit += simt::grid_size()) {
        const std::uint64_t row = unit / problem.parts, part = unit % problem.parts;
        const HistogramCounts counts = problem.counts.from(row * problem.bins);
        Counters counters;
        if constexpr (is_weighted<Item>) {
            counters = counts;
        } else {
            counters = {counts, &simt::shared_memory<HistogramCacheShared>()};
            counters.zero();
            simt::sync_block();  // no bin has a place
        }
        HeldCounts<Counters> held(counters, true);
        const auto use = [&](bool is_there, const Item& item, std::uint64_t) {
            const std::uint32_t bin = is_there ? bin_in_range(problem.bin_of, item, 0, problem.bins) : detail::kNoBin;
            count_item(held, bin, item);
        };
        const Input in = input_of_row(problem, row, length);
        if (part == 0 && simt::warp_rank() == 0) in.for_ragged(use);
        const std::uint64_t batches = (in.loads + Batch::kWarpLoads - 1) / Batch::kWarpLoads;
        Batch batch;
        KOGGE_NO_UNROLL
        for (std::uint64_t b = std::uint64_t(simt::warp_rank()) * problem.parts + part; b < batches;
             b += problem.parts * block_warps) {
            batch.load(in, b);
            batch.visit(in, use);
        }
        held.flush();
        if constexpr (!is_weighted<Item>) {
            simt::sync_block();  // the block has counted
            counters.add_up();
            simt::sync_block();  // the counters are read
        }
    }
}

}  // namespace kogge::grid::KOGGE_CODE
