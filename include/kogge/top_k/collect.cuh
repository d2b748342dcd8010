// Collecting candidates: one read of the items, of which those up to a threshold are appended to a list, in any order.
#pragma once

#include <cstdint>

#include "kogge/top_k/input.cuh"
#include "kogge/top_k/rank.cuh"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

/// In global memory, or, with the scope of a block, in its shared memory.
template <class Rank, simt::Scope scope = simt::Scope::device>
struct TopKList {
    using Item = Rank;
    Rank* ranks;
    std::uint32_t* count;  ///< of those appended; if more than `places`, some are missing
    std::uint32_t places;

    /// Room for `wanted` ranks of each lane: the place of the lane's first one. All lanes of a warp call, and some want
    /// any.
    KOGGE_DEVICE std::uint32_t reserve(std::uint32_t wanted) const {
        const std::uint32_t up_to = warp::inclusive_scan(wanted, simt::kWarpSize, plus{});
        std::uint32_t begin = 0;
        if (simt::lane() == simt::kWarpSize - 1) begin = simt::atomic_add<scope>(count, up_to);
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
template <class Key, int chunks, class Codes>
KOGGE_DEVICE std::uint32_t chunks_up_to(const TopKInput<Key>& in, const TopKBatch<Key, chunks>& batch,
                                        const Codes& codes, typename Codes::Code greatest) {
    std::uint32_t hits = 0;
    KOGGE_UNROLL
    for (int j = 0; j < chunks; ++j) {
        if (chunks == kTopKChunks && !batch.any(in, j)) break;  // a long input has all
        Key items[TopKInput<Key>::kEach];
        unpack(batch.chunk[j], items);
        bool hit = false;
        KOGGE_UNROLL
        for (int i = 0; i < TopKInput<Key>::kEach; ++i) hit = hit || codes.of(items[i]) <= greatest;
        hits |= (hit ? 1u : 0u) << j;
    }
    return hits;
}

/// Appends the candidates in a batch's chunks of `hits`, which are read once more: there are few. Places are reserved
/// at once for as many chunks as have 32 items. False once the list is full: then it is of no use. All lanes of the
/// warp call.
template <class Key, int chunks, class Codes, class List>
KOGGE_DEVICE bool append_chunks(const TopKInput<Key>& in, const TopKBatch<Key, chunks>& batch, std::uint32_t hits,
                                const Codes& codes, typename List::Item threshold, const List& list) {
    using Rank = typename List::Item;
    constexpr int each = TopKInput<Key>::kEach, part = 32 / each < chunks ? 32 / each : chunks;
    static_assert(chunks % part == 0);
    KOGGE_NO_UNROLL
    for (int from = 0; from < chunks; from += part) {
        const auto index_of = [&](int item) { return in.index_of(batch.at(from + item / each), item % each); };
        std::uint32_t candidates = 0;  // a bit per item
        KOGGE_NO_UNROLL
        for (int j = 0; j < part; ++j) {
            const bool hit = (hits >> (from + j) & 1u) != 0;
            if (!simt::any(hit)) continue;
            Key items[std::size_t{each}];
            unpack(hit ? in.load(batch.at(from + j)) : block::Chunk{}, items);
            std::uint32_t of_chunk = 0;
            KOGGE_UNROLL
            for (int i = 0; i < each; ++i) {
                const Rank rank = make_rank<Rank>(codes.of(items[i]), index_of(j * each + i));
                of_chunk |= (rank <= threshold ? 1u : 0u) << i;
            }
            candidates |= hit ? of_chunk << (j * each) : 0;
        }
        if (!simt::any(candidates != 0)) continue;
        std::uint32_t place = list.reserve(static_cast<std::uint32_t>(simt::count_bits(candidates)));
        for (; candidates != 0; candidates &= candidates - 1) {
            const std::uint64_t index = index_of(simt::lowest_bit(candidates));
            list.put(place++, make_rank<Rank>(codes.of(in.keys[index]), index));
        }
        if (simt::any(place > list.places)) return false;
    }
    return true;
}

/// Appends the candidates of a batch. False once the list is full. All lanes of the warp call.
template <class Key, int chunks, class Codes, class List>
KOGGE_DEVICE bool collect_batch(const TopKInput<Key>& in, const TopKBatch<Key, chunks>& batch, const Codes& codes,
                                typename List::Item threshold, const List& list) {
    using Code = typename Codes::Code;
    const Code at_threshold = code_of_rank<Code>(threshold);
    // Behind the threshold's item no other of its code is a candidate.
    const bool behind = in.index_of(batch.at(0), 0) > index_of(threshold);
    std::uint32_t hits = chunks_up_to(in, batch, codes, static_cast<Code>(behind ? at_threshold - 1 : at_threshold));
    hits = behind && at_threshold == 0 ? 0 : hits & batch.present(in);
    return !simt::any(hits != 0) || append_chunks(in, batch, hits, codes, threshold, list);
}

/// Appends the candidates among the ragged items. All threads of the team call.
template <class Key, class Codes, class Team, class List>
KOGGE_DEVICE void collect_ragged(const TopKInput<Key>& in, const Codes& codes, typename List::Item threshold,
                                 const List& list, const Team& team) {
    using Rank = typename List::Item;
    in.for_ragged(team, [&](bool is_there, std::uint64_t index) {
        const Rank rank = is_there ? make_rank<Rank>(codes.of(in.keys[index]), index) : kNoRank<Rank>;
        list.append(is_there && rank <= threshold, rank);
    });
}

/// Appends the candidates of all chunks. In a round each warp of the team has a batch; those of the last rounds are
/// drawn by tickets, because some multiprocessors read faster than others. All threads of the team call.
template <class Rank, class Key, class Codes, class Team>
KOGGE_DEVICE void collect_chunks(const TopKInput<Key>& in, const Codes& codes, Rank threshold,
                                 const TopKList<Rank>& list, std::uint32_t (*tickets)[32], const Team& team) {
    const auto rounds = static_cast<std::uint32_t>(divide_up(in.chunks, kTopKStreamed * team.threads()));
    const std::uint32_t drawn_rounds = rounds < 4 ? (rounds > 0 ? rounds - 1 : 0) : rounds < 24 ? 3 : rounds / 8;
    const std::uint32_t fixed_rounds = rounds - drawn_rounds;
    const auto warps = static_cast<std::uint32_t>(team.threads() / simt::kWarpSize);
    // Blocks share counters of tickets, and each counter has blocks.
    const auto counters = static_cast<std::uint32_t>(team.blocks() < kTopKTickets ? team.blocks() : kTopKTickets);
    const auto counter = static_cast<std::uint32_t>(team.block()) % counters;
    TopKBatch<Key, kTopKStreamed> batch(team);
    KOGGE_NO_UNROLL
    for (std::uint32_t round = 0; round < rounds;) {
        // The next ticket is drawn while this batch is read.
        const bool draws = drawn_rounds > 0 && round + 1 >= fixed_rounds;
        std::uint32_t ticket = 0;
        if (draws && simt::lane() == 0) ticket = simt::atomic_add<simt::Scope::device>(tickets[counter], 1);
        if (batch.any(in)) {
            batch.load(in);
            if (!collect_batch(in, batch, codes, threshold, list)) return;
        }
        batch.next();
        ++round;
        if (!draws) continue;
        ticket = simt::shuffle(ticket, 0) * counters + counter;
        round = fixed_rounds + ticket / warps;
        batch.move_to(round, ticket % warps);
    }
}

}  // namespace kogge::grid::KOGGE_CODE
