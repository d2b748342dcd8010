// Exact bounds by counting, for data of which a sample told nothing, and for lists of many candidates: each round
// counts the ranks between two bounds in kTopKBins bins of equal width, and goes on in the bin that has the k-th one.
// Ranks differ, so a bin of width one ends it: as many rounds as it takes, whatever the data.
#pragma once

#include <cstdint>

#include "kogge/block/scan.cuh"
#include "kogge/top_k/input.cuh"
#include "kogge/top_k/rank.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Rank>
struct TopKNarrowShared {
    using Network = block::ShuffleScan<kTopKThreads>;
    Rank low, high;
    std::uint64_t below, inside;
    typename Network::template Storage<std::uint64_t> network;
    std::uint32_t bins[kTopKBins];
};

/// The k-th rank is one of [low, high]; `below` ranks are less than low.
template <class Rank>
struct TopKBounds {
    Rank low, high;
    std::uint64_t below;
};

/// A rank with at least k ranks up to it, and at most `most`, if that is at least k. rank_at(i) is the rank of item i
/// of `count`. `round` numbers the rounds of the whole launch. A team of one block counts on chip, without `control`.
/// All threads of the team call.
template <class Rank, class RankAt, class Team>
KOGGE_DEVICE Rank narrow(TopKBounds<Rank> bounds, std::uint64_t k, std::uint64_t most, std::uint64_t count,
                         const RankAt& rank_at, int& round, TopKControl* control, TopKNarrowShared<Rank>& shared,
                         const Team& team) {
    constexpr int loads = 8, bin_bits = 11, per_thread = kTopKBins / kTopKThreads;
    static_assert(1 << bin_bits == kTopKBins);
    const int thread = simt::thread_rank();
    for (;; ++round) {
        const int width = rank_width(bounds.high - bounds.low), shift = width > bin_bits ? width - bin_bits : 0;
        for (int b = thread; b < kTopKBins; b += kTopKThreads) {
            shared.bins[b] = 0;
            if constexpr (!Team::kIsBlock)
                if (team.block() == 0) control->bins[(round + 1) % 3][b] = 0;  // which no one reads any more
        }
        simt::sync_block();  // the block's bins are zero
        KOGGE_NO_UNROLL
        for (std::uint64_t from = team.thread(); from < count; from += loads * team.threads()) {
            Rank ranks[loads];
            KOGGE_UNROLL
            for (int i = 0; i < loads; ++i) {
                const std::uint64_t at = from + static_cast<std::uint64_t>(i) * team.threads();
                ranks[i] = at < count ? rank_at(at) : kNoRank<Rank>;
            }
            KOGGE_UNROLL
            for (int i = 0; i < loads; ++i) {
                if (ranks[i] < bounds.low || ranks[i] > bounds.high) continue;
                simt::atomic_add<simt::Scope::block>(shared.bins + static_cast<int>((ranks[i] - bounds.low) >> shift),
                                                     1);
            }
        }
        simt::sync_block();  // the block has counted
        std::uint64_t own[per_thread], sum = 0;
        if constexpr (Team::kIsBlock) {
            KOGGE_UNROLL
            for (int i = 0; i < per_thread; ++i) sum += own[i] = shared.bins[thread * per_thread + i];
        } else {
            std::uint64_t* const bins = control->bins[round % 3];
            for (int b = thread; b < kTopKBins; b += kTopKThreads)
                if (shared.bins[b] > 0) simt::atomic_add<simt::Scope::device>(bins + b, shared.bins[b]);
            team.sync();  // all have counted
            KOGGE_UNROLL
            for (int i = 0; i < per_thread; ++i) sum += own[i] = bins[thread * per_thread + i];
        }
        std::uint64_t before =
            TopKNarrowShared<Rank>::Network::inclusive(sum, kTopKThreads, plus{}, shared.network) - sum;
        const std::uint64_t wanted = k - bounds.below;  // at least 1
        KOGGE_UNROLL
        for (int i = 0; i < per_thread; ++i) {
            if (before < wanted && wanted <= before + own[i]) {
                const Rank low = bounds.low + (static_cast<Rank>(thread * per_thread + i) << shift);
                const Rank widest = (Rank{1} << shift) - 1;
                shared.low = low;
                shared.high = bounds.high - low > widest ? low + widest : bounds.high;
                shared.below = bounds.below + before;
                shared.inside = own[i];
            }
            before += own[i];
        }
        simt::sync_block();  // the new bounds are written
        bounds = {shared.low, shared.high, shared.below};
        const std::uint64_t up_to = shared.below + shared.inside;
        if (up_to <= most || shift == 0) break;
    }
    ++round;
    return bounds.high;
}

}  // namespace kogge::grid::KOGGE_CODE
