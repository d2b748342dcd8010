// The kernels of searches: where in a sorted range each needle belongs.
//
// By threads, a block first keeps kSearchPivots of the sorted items, evenly spaced, in shared memory. A needle's search
// goes through these, and then through the items between two of them. A thread searches for several needles side by
// side, step by step, so that their loads are in flight together; all needles of a kernel take the same number of
// steps. Sorted needles of a warp lie between the same pivots and read the same items: their loads are broadcasts.
//
// By warps, a warp searches for one needle with 32 probes at a time.
//
// Global traffic: each needle read once and each result written once, coalesced; per needle a sector for each step that
// is not on chip, except the last few, which share one, and the first few, which stay in the L2 cache.
#pragma once

#include <cstdint>

#include "kogge/detail/reversed.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/search/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// `sorted`, `needles` and `out` are pointers or have operator[]. Results are of type Result: the number of items that
/// lie before the needle's bound.
template <class Sorted, class Needles, class Out, class Result_, class Less, bool upper>
struct SearchProblem {
    using Item = detail::item_of<Sorted>;
    using Needle = detail::item_of<Needles>;
    using Result = Result_;

    Sorted sorted;
    Needles needles;
    Out out;
    Count n;
    Count needle_count;
    Less less;

    /// Whether an item lies before the bound of the needle.
    KOGGE_DEVICE bool is_before(const Item& item, const Needle& needle) const {
        if constexpr (upper) return !static_cast<bool>(less(needle, item));
        else return static_cast<bool>(less(item, needle));
    }
};

/// Evenly spaced items on chip: pivot p is item (p + 1) × step − 1.
template <class Item>
struct SearchPivots {
    static constexpr bool kKept = sizeof(Item) <= kMostPivotBytes;
    alignas(16) unsigned char bytes[kKept ? kSearchPivots * sizeof(Item) : 16];
    KOGGE_DEVICE Item* items() { return reinterpret_cast<Item*>(bytes); }
};

/// The greatest power of two that is at most n, 0 for 0.
KOGGE_DEVICE std::uint64_t highest_power(std::uint64_t n) {
    std::uint64_t power = n > 0 ? 1 : 0;
    while (power <= n / 2 && power > 0) power *= 2;
    return power;
}

/// Adds to each position how many of the `lengths[i]` items from there on lie before the needle's bound; get(position)
/// gives an item. `top` is highest_power() of the greatest length.
template <class Problem, class Get>
KOGGE_DEVICE void advance_each(const Problem& problem, const typename Problem::Needle (&needles)[kSearchNeedles],
                               std::uint64_t (&positions)[kSearchNeedles],
                               const std::uint64_t (&lengths)[kSearchNeedles], std::uint64_t top, const Get& get) {
    std::uint64_t end[kSearchNeedles];
    KOGGE_UNROLL
    for (int i = 0; i < kSearchNeedles; ++i) end[i] = positions[i] + lengths[i];
    for (std::uint64_t width = top; width > 0; width /= 2) {
        KOGGE_UNROLL
        for (int i = 0; i < kSearchNeedles; ++i)
            if (positions[i] + width <= end[i] && problem.is_before(get(positions[i] + width - 1), needles[i]))
                positions[i] += width;
    }
}

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kSearchThreads, kSearchBlocks) search_threads_kernel(Problem problem) {
    simt::wait_for_stream();
    using Item = typename Problem::Item;
    using Pivots = SearchPivots<Item>;
    auto& pivots = simt::shared_memory<Pivots>();
    const std::uint64_t n = problem.n.get(), needle_count = problem.needle_count.get();
    const std::uint64_t step = Pivots::kKept ? divide_up(n, kSearchPivots) : n;
    const std::uint64_t kept = Pivots::kKept && step > 0 ? n / step : 0;
    if constexpr (Pivots::kKept) {
        for (std::uint64_t p = static_cast<std::uint64_t>(simt::thread_rank()); p < kept; p += kSearchThreads)
            pivots.items()[p] = problem.sorted[(p + 1) * step - 1];
        simt::sync_block();  // the pivots are on chip
    }
    const std::uint64_t top_kept = highest_power(kept), top = highest_power(Pivots::kKept && step > 0 ? step - 1 : n);
    const std::uint64_t stride = static_cast<std::uint64_t>(simt::grid_size()) * kSearchTile;
    for (std::uint64_t tile = simt::block_rank() * kSearchTile; tile < needle_count; tile += stride) {
        typename Problem::Needle needles[kSearchNeedles];
        std::uint64_t positions[kSearchNeedles], lengths[kSearchNeedles];
        KOGGE_UNROLL
        for (int i = 0; i < kSearchNeedles; ++i) {
            const std::uint64_t at = tile + static_cast<std::uint64_t>(i * kSearchThreads + simt::thread_rank());
            needles[i] = problem.needles[at < needle_count ? at : needle_count - 1];
            positions[i] = 0;
            lengths[i] = Pivots::kKept ? kept : n;
        }
        if constexpr (Pivots::kKept) {
            advance_each(problem, needles, positions, lengths, top_kept,
                         [&](std::uint64_t p) { return pivots.items()[p]; });
            KOGGE_UNROLL
            for (int i = 0; i < kSearchNeedles; ++i) {
                const bool ends = positions[i] < kept;  // at a pivot, which does not lie before the bound
                positions[i] *= step;
                lengths[i] = ends ? step - 1 : n - positions[i];
            }
        }
        advance_each(problem, needles, positions, lengths, top,
                     [&](std::uint64_t position) { return problem.sorted[position]; });
        KOGGE_UNROLL
        for (int i = 0; i < kSearchNeedles; ++i) {
            const std::uint64_t at = tile + static_cast<std::uint64_t>(i * kSearchThreads + simt::thread_rank());
            if (at < needle_count) problem.out[at] = static_cast<typename Problem::Result>(positions[i]);
        }
    }
}

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kSearchThreads, kSearchBlocks) search_warps_kernel(Problem problem) {
    simt::wait_for_stream();
    constexpr std::uint64_t kWarps = kSearchThreads / simt::kWarpSize, kParts = simt::kWarpSize + 1;
    const std::uint64_t n = problem.n.get(), needle_count = problem.needle_count.get();
    const std::uint64_t first = simt::block_rank() * kWarps + static_cast<std::uint64_t>(simt::warp_rank());
    for (std::uint64_t at = first; at < needle_count; at += simt::grid_size() * kWarps) {
        const typename Problem::Needle needle = problem.needles[at];
        std::uint64_t low = 0, high = n;
        while (low < high) {
            const std::uint64_t step = divide_up(high - low, kParts);
            const std::uint64_t probe = low + (static_cast<std::uint64_t>(simt::lane()) + 1) * step - 1;
            const bool is_before = probe < high && problem.is_before(problem.sorted[probe], needle);
            const auto before = static_cast<std::uint64_t>(simt::count_bits(simt::ballot(is_before)));
            const std::uint64_t first_after = low + (before + 1) * step - 1;
            low += before * step;
            high = before + 1 < kParts && first_after < high ? first_after : high;
        }
        if (simt::lane() == 0) problem.out[at] = static_cast<typename Problem::Result>(low);
    }
}

}  // namespace kogge::grid::KOGGE_CODE
