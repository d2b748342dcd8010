// A block's selection of a segment, or of a part of one: its warps have a list each and share the batches of keys, and
// the least ranks of all lists are put in order.
#pragma once

#include <cstdint>

#include "kogge/top_k/collect.cuh"
#include "kogge/top_k/narrow.cuh"
#include "kogge/top_k/order.cuh"
#include "kogge/top_k/threshold.cuh"
#include "kogge/top_k/warp_list.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Rank>
struct TopKListShared {
    static constexpr int kWarps = kTopKThreads / simt::kWarpSize;
    Rank lists[kWarps][kTopKWarpBytes / sizeof(Rank)];
    Rank merged[kTopKMerged];
    std::uint32_t bound;  ///< the complement of the first 32 bits of a code that k items are up to
    std::uint32_t counts[kWarps];
    std::uint32_t count;
    std::uint32_t is_last;
    TopKNarrowShared<Rank> narrow;
    TopKPlacesShared places;
};

/// Lists the k least ranks of n keys, and others; the places behind a warp's list hold kNoRank. Returns how many are
/// listed. All threads of the block call.
template <class Key, class Codec, class Rank>
KOGGE_DEVICE std::uint32_t list_part(const Key* keys, std::uint64_t n, std::uint64_t k, const TopKCodes<Codec>& codes,
                                     TopKListShared<Rank>& shared) {
    using Selection = WarpSelection<Key, Codec, Rank>;
    using Code = typename Selection::Code;
    constexpr int kWarps = TopKListShared<Rank>::kWarps, kBehind = sizeof(Code) == 8 ? 32 : 0;
    const int warp = simt::warp_rank(), lane = simt::lane();
    if (simt::thread_rank() == 0) shared.bound = 0;
    simt::sync_block();  // there is no bound yet
    Selection selection(codes, static_cast<int>(k), shared.lists[warp]);
    // What bounds one warp bounds all.
    const auto share_bound = [&] {
        const auto own = static_cast<std::uint32_t>(~(static_cast<std::uint64_t>(selection.bound()) >> kBehind));
        std::uint32_t of_all = own;
        if (lane == 0) {
            const std::uint32_t before = simt::atomic_max<simt::Scope::block>(&shared.bound, own);
            if (before > of_all) of_all = before;
        }
        of_all = simt::shuffle(of_all, 0);
        selection.bound_by(
            static_cast<Code>(static_cast<std::uint64_t>(~of_all) << kBehind | ((std::uint64_t{1} << kBehind) - 1)));
    };
    KOGGE_NO_UNROLL
    for (std::uint64_t first = static_cast<std::uint64_t>(warp) * Selection::kBatch; first < n;
         first += kWarps * Selection::kBatch) {
        selection.take(keys, first, n);
        share_bound();
    }
    simt::sync_block();  // all bounds are known
    share_bound();
    selection.drop_others();
    if (lane == 0) shared.counts[warp] = static_cast<std::uint32_t>(selection.count());
    simt::sync_block();  // all lists are complete
    return simt::reduce_add(lane < kWarps ? shared.counts[lane] : 0);
}

/// The least and the greatest of the threads' ranks. All threads of the block call.
template <class Rank>
KOGGE_DEVICE TopKBounds<Rank> bounds_of_block(Rank least, Rank greatest, TopKListShared<Rank>& shared) {
    constexpr int kWarps = TopKListShared<Rank>::kWarps;
    for (int lanes = simt::kWarpSize / 2; lanes > 0; lanes /= 2) {
        least = lesser(least, simt::shuffle_xor(least, lanes));
        const Rank other = simt::shuffle_xor(greatest, lanes);
        if (other > greatest) greatest = other;
    }
    if (simt::lane() == 0) {
        shared.merged[simt::warp_rank()] = least;
        shared.merged[kWarps + simt::warp_rank()] = greatest;
    }
    simt::sync_block();  // the warps' ranks are there
    KOGGE_NO_UNROLL
    for (int w = 0; w < kWarps; ++w) {
        least = lesser(least, shared.merged[w]);
        if (shared.merged[kWarps + w] > greatest) greatest = shared.merged[kWarps + w];
    }
    simt::sync_block();  // they have been read
    return {least, greatest, 0};
}

/// Calls write(rank, place) for the k least of the `listed` ranks in the first `places` places of the lists. All
/// threads of the block call.
template <class Rank, class Write>
KOGGE_DEVICE void write_listed(TopKListShared<Rank>& shared, std::uint32_t places, std::uint32_t listed,
                               std::uint64_t k, std::uint32_t most_compared, const Write& write) {
    const BlockTeam team;
    const Rank* const ranks = &shared.lists[0][0];
    Rank bound = static_cast<Rank>(kNoRank<Rank> - 1);
    if (listed > most_compared) {
        Rank least = kNoRank<Rank>, greatest = 0;
        for (auto i = static_cast<std::uint32_t>(simt::thread_rank()); i < places; i += kTopKThreads) {
            const Rank rank = ranks[i];
            least = lesser(least, rank);
            if (rank != kNoRank<Rank> && rank > greatest) greatest = rank;
        }
        const TopKBounds<Rank> bounds = bounds_of_block(least, greatest, shared);
        const std::uint64_t most = k + k / 4 > most_compared ? k + k / 4 : most_compared;
        int round = 0;
        bound = narrow(
            bounds, k, most, places, [ranks](std::uint64_t i) { return ranks[i]; }, round, nullptr, shared.narrow,
            team);
    }
    if (simt::thread_rank() == 0) shared.count = 0;
    simt::sync_block();  // nothing is merged
    const TopKList<Rank, simt::Scope::block> merged{shared.merged, &shared.count, kTopKMerged};
    const auto lane = static_cast<std::uint32_t>(simt::lane());
    for (auto i = static_cast<std::uint32_t>(simt::thread_rank()); i - lane < places; i += kTopKThreads) {
        const Rank rank = i < places ? ranks[i] : kNoRank<Rank>;
        merged.append(rank <= bound, rank);
    }
    simt::sync_block();  // all are merged
    const Rank* const few = shared.merged;
    write_in_order<Rank>([few](std::uint32_t i) { return few[i]; }, shared.count, k, team, shared.places, write);
}

}  // namespace kogge::grid::KOGGE_CODE
