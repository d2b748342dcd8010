// Collecting candidates: one read of the items, of which those up to a threshold are appended to a list, in any order.
#pragma once

#include <cstdint>

#include "kogge/top_k/input.cuh"
#include "kogge/top_k/rank.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Rank>
struct TopKList {
    Rank* ranks;
    std::uint32_t* count;  ///< of those appended; if more than `places`, some are missing
    std::uint32_t places;

    /// All lanes of a warp call. False once the list is full: then it is of no use.
    KOGGE_DEVICE bool append(bool is_candidate, Rank rank) const {
        const simt::mask_t votes = simt::ballot(is_candidate);
        if (votes == 0) return true;
        const int first = simt::lowest_bit(votes);
        std::uint32_t begin = 0;
        if (simt::lane() == first)
            begin = simt::atomic_add<simt::Scope::device>(count, static_cast<std::uint32_t>(simt::count_bits(votes)));
        begin = simt::shuffle(begin, first);
        const std::uint32_t place = begin + static_cast<std::uint32_t>(simt::count_bits(votes & simt::lanes_before()));
        if (is_candidate && place < places) ranks[place] = rank;
        return begin < places;
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

/// Appends the candidates of a batch's chunks, whose keys are read once more: there are few. False once the list is
/// full. All lanes of the warp call.
template <class Rank, class Key, class Codes>
KOGGE_DEVICE bool append_chunks(const TopKInput<Key>& in, const TopKBatch<Key>& batch, std::uint32_t hits,
                                const Codes& codes, Rank threshold, const TopKList<Rank>& list) {
    KOGGE_NO_UNROLL
    for (int j = 0; j < kTopKChunks; ++j) {
        const bool hit = (hits >> j & 1u) != 0;
        if (!simt::any(hit)) continue;
        KOGGE_NO_UNROLL
        for (int i = 0; i < TopKInput<Key>::kEach; ++i) {
            Rank rank = kNoRank<Rank>;
            if (hit) {
                const std::uint64_t index = in.index_of(batch.at(j), i);
                rank = make_rank<Rank>(codes.of(in.keys[index]), index);
            }
            if (!list.append(hit && rank <= threshold, rank)) return false;
        }
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
    const Code greatest = code_of_rank<Code>(threshold);
    for (bool held = true; batch.any(in); held = false, batch.next()) {
        if (!held) batch.load(in);
        const std::uint32_t hits = chunks_up_to(batch, codes, greatest) & batch.present(in);
        if (!simt::any(hits != 0)) continue;
        if (!append_chunks(in, batch, hits, codes, threshold, list)) return;
    }
}

}  // namespace kogge::grid::KOGGE_CODE
