// Collecting candidates: one read of the items, of which those up to a threshold are appended to a list, in any order.
#pragma once

#include <cstdint>

#include "kogge/top_k/input.cuh"
#include "kogge/top_k/rank.cuh"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Rank>
struct TopKList {
    Rank* ranks;
    std::uint32_t* count;  ///< of those appended; if more than `places`, some are missing
    std::uint32_t places;

    /// Room for `wanted` ranks of each lane: the place of the lane's first one. All lanes of a warp call, and some want
    /// any.
    KOGGE_DEVICE std::uint32_t reserve(std::uint32_t wanted) const {
        const std::uint32_t up_to = warp::inclusive_scan(wanted, simt::kWarpSize, plus{});
        std::uint32_t begin = 0;
        if (simt::lane() == simt::kWarpSize - 1) begin = simt::atomic_add<simt::Scope::device>(count, up_to);
        return simt::shuffle(begin, simt::kWarpSize - 1) + up_to - wanted;
    }
    KOGGE_DEVICE void put(std::uint32_t place, Rank rank) const {
        if (place < places) ranks[place] = rank;
    }
    /// All lanes of a warp call.
    KOGGE_DEVICE void append(bool is_candidate, Rank rank) const {
        if (!simt::any(is_candidate)) return;
        const std::uint32_t place = reserve(is_candidate ? 1 : 0);
        if (is_candidate) put(place, rank);
    }
};

/// The chunks of a batch that have an item whose code is at most `greatest`, a bit each.
template <class Key, class Codes>
KOGGE_DEVICE std::uint32_t chunks_up_to(const TopKBatch<Key>& batch, const Codes& codes,
                                        typename Codes::Code greatest) {
    std::uint32_t hits = 0;
    KOGGE_UNROLL
    for (int j = 0; j < kTopKChunks; ++j) {
        Key items[TopKInput<Key>::kEach];
        unpack(batch.chunk[j], items);
        bool hit = false;
        KOGGE_UNROLL
        for (int i = 0; i < TopKInput<Key>::kEach; ++i) hit = hit || codes.of(items[i]) <= greatest;
        hits |= (hit ? 1u : 0u) << j;
    }
    return hits;
}

/// Appends the candidates of a batch's chunks, which are read once more: there are few. False once the list is full:
/// then it is of no use. All lanes of the warp call.
template <class Rank, class Key, class Codes>
KOGGE_DEVICE bool append_chunks(const TopKInput<Key>& in, const TopKBatch<Key>& batch, std::uint32_t hits,
                                const Codes& codes, Rank threshold, const TopKList<Rank>& list) {
    constexpr int each = TopKInput<Key>::kEach;
    KOGGE_NO_UNROLL
    for (int j = 0; j < kTopKChunks; ++j) {
        const bool hit = (hits >> j & 1u) != 0;
        if (!simt::any(hit)) continue;
        Key items[std::size_t{each}];
        unpack(hit ? in.load(batch.at(j)) : block::Chunk{}, items);
        const auto rank_of = [&](int i) { return make_rank<Rank>(codes.of(items[i]), in.index_of(batch.at(j), i)); };
        std::uint32_t wanted = 0;
        KOGGE_UNROLL
        for (int i = 0; i < each; ++i) wanted += hit && rank_of(i) <= threshold ? 1u : 0u;
        if (!simt::any(wanted > 0)) continue;
        std::uint32_t place = list.reserve(wanted);
        KOGGE_UNROLL
        for (int i = 0; i < each; ++i)
            if (hit && rank_of(i) <= threshold) list.put(place++, rank_of(i));
        if (simt::any(place > list.places)) return false;
    }
    return true;
}

/// Appends every item whose rank is at most `threshold`. The batch is the thread's first one, and holds its chunks. All
/// threads of the team call; its barrier must follow.
template <class Rank, class Key, class Codes, class Team>
KOGGE_DEVICE void collect(const TopKInput<Key>& in, TopKBatch<Key>& batch, const Codes& codes, Rank threshold,
                          const TopKList<Rank>& list, const Team& team) {
    using Code = typename Codes::Code;
    in.for_ragged(team, [&](bool is_there, std::uint64_t index) {
        const Rank rank = is_there ? make_rank<Rank>(codes.of(in.keys[index]), index) : kNoRank<Rank>;
        list.append(is_there && rank <= threshold, rank);
    });
    const Code at_threshold = code_of_rank<Code>(threshold);
    const std::uint64_t last = index_of(threshold);
    for (bool held = true; batch.any(in); held = false, batch.next()) {
        if (!held) batch.load(in);
        // Behind the threshold's item no other of its code is a candidate.
        const bool behind = in.index_of(batch.at(0), 0) > last;
        std::uint32_t hits = chunks_up_to(batch, codes, static_cast<Code>(behind ? at_threshold - 1 : at_threshold));
        hits = behind && at_threshold == 0 ? 0 : hits & batch.present(in);
        if (!simt::any(hits != 0)) continue;
        if (!append_chunks(in, batch, hits, codes, threshold, list)) return;
    }
}

}  // namespace kogge::grid::KOGGE_CODE
