// The last step of a selection: a candidate's place in the result is the number of lesser candidates. Few candidates
// are compared each with each: all blocks share them, and a warp compares each rank that it loads with four of them. Of
// many, each block finds those that belong to its own places of the result, by counting all in bins, and compares only
// these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/top_k/collect.cuh"
#include "kogge/top_k/input.cuh"
#include "kogge/top_k/narrow.cuh"
#include "kogge/top_k/rank.cuh"

namespace kogge::grid::KOGGE_CODE {

/// An array of values, as words of 1, 2, 4 or 8 bytes.
struct TopKValues {
    const void* in;
    void* out;
    std::uint32_t words;
    int word_bytes;
};
/// The arrays to be written; null: not wanted.
template <class Key>
struct TopKOutputs {
    Key* keys = nullptr;
    void* indices = nullptr;
    int index_bytes = 0;  ///< 4 or 8
    int value_arrays = 0;
    TopKValues values[kTopKValues];
};

template <class Word>
KOGGE_DEVICE void copy_words(const void* in, std::uint64_t from, void* out, std::uint64_t to, std::uint32_t words) {
    for (std::uint32_t i = 0; i < words; ++i)
        static_cast<Word*>(out)[to * words + i] = static_cast<const Word*>(in)[from * words + i];
}

/// Writes what belongs to the item of `rank` at a place of the result. Of a segment that begins at item `begin`,
/// indices count from there.
template <class Key, class Codes, class Rank>
KOGGE_DEVICE void write_result(const TopKOutputs<Key>& out, const Key* keys, const Codes& codes, Rank rank,
                               std::uint64_t place, std::uint64_t begin = 0) {
    const std::uint64_t within = index_of(rank), index = begin + within;
    if (out.keys)
        out.keys[place] = codes.tells_key() ? codes.key_of(code_of_rank<typename Codes::Code>(rank)) : keys[index];
    if (out.indices && out.index_bytes == 4)
        static_cast<std::uint32_t*>(out.indices)[place] = static_cast<std::uint32_t>(within);
    else if (out.indices) static_cast<std::uint64_t*>(out.indices)[place] = within;
    KOGGE_NO_UNROLL
    for (int a = 0; a < out.value_arrays; ++a) {
        const TopKValues& values = out.values[a];
        if (values.word_bytes == 8) copy_words<std::uint64_t>(values.in, index, values.out, place, values.words);
        else if (values.word_bytes == 4) copy_words<std::uint32_t>(values.in, index, values.out, place, values.words);
        else if (values.word_bytes == 2) copy_words<std::uint16_t>(values.in, index, values.out, place, values.words);
        else copy_words<std::uint8_t>(values.in, index, values.out, place, values.words);
    }
}

/// The places of some of a block's candidates, while its warps count.
struct TopKPlacesShared {
    std::uint32_t places[kTopKThreads / simt::kWarpSize * kTopKCompared];
};

/// Calls write(rank, place) for the k least of `count` ranks, of which rank_at(i) is the i-th. Each block takes every
/// `blocks`-th rank. Its warps share these, four each, and if there are more warps than that, parts of the ranks that
/// they are compared with. All threads of the team call.
template <class Rank, class Team, class RankAt, class Write>
KOGGE_DEVICE void write_in_order(const RankAt& rank_at, std::uint32_t count, std::uint64_t k, const Team& team,
                                 TopKPlacesShared& shared, const Write& write) {
    constexpr int warps = kTopKThreads / simt::kWarpSize, each = kTopKCompared;
    const auto blocks = static_cast<std::uint32_t>(team.blocks()), block = static_cast<std::uint32_t>(team.block());
    const auto candidate = [=](int i) { return block + static_cast<std::uint32_t>(i) * blocks; };
    const int thread = simt::thread_rank();
    KOGGE_NO_UNROLL
    for (int first = 0; candidate(first) < count; first += warps * each) {
        int here = 0;  // are the block's, of warps * each
        KOGGE_UNROLL
        for (int i = 0; i < warps * each; i += simt::kWarpSize)
            here += simt::count_bits(simt::ballot(candidate(first + i + simt::lane()) < count));
        // As many fours as a power of two, so that it divides the warps.
        const int fours_bits = here <= each ? 0 : simt::highest_bit((here - 1) / each) + 1;
        const int four = simt::warp_rank() & ((1 << fours_bits) - 1), part = simt::warp_rank() >> fours_bits;
        const int parts = warps >> fours_bits;
        if (thread < warps * each) shared.places[thread] = 0;  // its own, which it has read
        simt::sync_block();                                    // all places are zero
        if (four * each < here) {
            Rank mine[each];
            std::uint32_t lesser[each] = {};
            KOGGE_UNROLL
            for (int c = 0; c < each; ++c) {
                const int i = four * each + c;
                mine[c] = rank_at(candidate(first + (i < here ? i : 0)));
            }
            const auto step = static_cast<std::uint32_t>(parts * simt::kWarpSize);
            const auto compare = [&]<std::uint32_t loads>(std::integral_constant<std::uint32_t, loads>) {
                KOGGE_NO_UNROLL
                for (auto i = static_cast<std::uint32_t>(part * simt::kWarpSize + simt::lane()); i < count;
                     i += loads * step) {
                    Rank others[loads];
                    KOGGE_UNROLL
                    for (std::uint32_t l = 0; l < loads; ++l)
                        others[l] = i + l * step < count ? rank_at(i + l * step) : kNoRank<Rank>;
                    KOGGE_UNROLL
                    for (std::uint32_t l = 0; l < loads; ++l) {
                        KOGGE_UNROLL
                        for (int c = 0; c < each; ++c) lesser[c] += others[l] < mine[c] ? 1u : 0u;
                    }
                }
            };
            if (count <= step) compare(std::integral_constant<std::uint32_t, 1>{});
            else compare(std::integral_constant<std::uint32_t, 8>{});
            KOGGE_UNROLL
            for (int c = 0; c < each; ++c) {
                const std::uint32_t sum = simt::reduce_add(lesser[c]);
                if (simt::lane() == 0) simt::atomic_add<simt::Scope::block>(shared.places + four * each + c, sum);
            }
        }
        simt::sync_block();  // all warps have counted
        if (thread < here && shared.places[thread] < k)
            write(rank_at(candidate(first + thread)), std::uint64_t{shared.places[thread]});
    }
}

template <class Rank>
struct TopKBinsShared {
    using Network = block::ShuffleScan<kTopKThreads>;
    typename Network::template Storage<std::uint32_t> network;
    Rank least[kTopKThreads / simt::kWarpSize];
    std::uint32_t first, before, size;  ///< the bin that has the next place, ranks before it, and its own
    std::uint32_t past;                 ///< the bin behind the last one that is taken with it
    std::uint32_t count;
    std::uint32_t bins[kTopKBins];
};

/// Calls use(rank) for a thread's part of `count` ranks, and kNoRank behind the last one. In a warp all lanes make the
/// same number of calls.
template <class RankAt, class Use>
KOGGE_DEVICE void for_ranks(const RankAt& rank_at, std::uint32_t count, const Use& use) {
    using Rank = std::remove_cvref_t<decltype(rank_at(0u))>;
    constexpr int loads = sizeof(Rank) > 8 ? 4 : 8;
    const auto lane = static_cast<std::uint32_t>(simt::lane());
    KOGGE_NO_UNROLL
    for (auto from = static_cast<std::uint32_t>(simt::thread_rank()); from - lane < count;
         from += loads * kTopKThreads) {
        Rank ranks[loads];
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < loads; ++i)
            ranks[i] = from + i * kTopKThreads < count ? rank_at(from + i * kTopKThreads) : kNoRank<Rank>;
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < loads; ++i)
            if (from - lane + i * kTopKThreads < count) use(ranks[i]);
    }
}

/// The least of `count` ranks, in all threads of the block, which all call.
template <class Rank, class RankAt>
KOGGE_DEVICE Rank least_rank(const RankAt& rank_at, std::uint32_t count, TopKBinsShared<Rank>& shared) {
    constexpr int warps = kTopKThreads / simt::kWarpSize;
    Rank least = kNoRank<Rank>;
    for_ranks(rank_at, count, [&](Rank rank) { least = lesser(least, rank); });
    for (int lanes = simt::kWarpSize / 2; lanes > 0; lanes /= 2) least = lesser(least, simt::shuffle_xor(least, lanes));
    if (simt::lane() == 0) shared.least[simt::warp_rank()] = least;
    simt::sync_block();  // the warps' least ranks are written
    least = shared.least[simt::lane() % warps];
    for (int lanes = warps / 2; lanes > 0; lanes /= 2) least = lesser(least, simt::shuffle_xor(least, lanes));
    return simt::shuffle(least, 0);
}

/// Calls write(rank, place) for the k least of `count` ranks, of which rank_at(i) is the i-th; all differ, and none is
/// greater than `greatest`. Each block writes as many places in a row. It counts the ranks in bins of equal width; a
/// bin with more ranks than there is room for is divided again, so that places are found whatever the ranks are. `own`:
/// a place per thread. All threads of the team call.
template <class Rank, class Team, class RankAt, class Write>
KOGGE_DEVICE void write_by_bins(const RankAt& rank_at, std::uint32_t count, Rank greatest, std::uint64_t k,
                                const Team& team, TopKBinsShared<Rank>& shared, Rank* own, TopKPlacesShared& places,
                                const Write& write) {
    using Network = typename TopKBinsShared<Rank>::Network;
    constexpr std::uint32_t most = kTopKThreads, none = ~std::uint32_t{0};
    constexpr int per_thread = kTopKBins / kTopKThreads;
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const auto wanted = static_cast<std::uint32_t>(k);
    const std::uint32_t share = divide_up(wanted, static_cast<std::uint32_t>(team.blocks()));
    const std::uint32_t begin = static_cast<std::uint32_t>(team.block()) * share;
    const std::uint32_t end = wanted - begin < share ? wanted : begin + share;
    if (begin >= wanted) return;
    const TopKBounds<Rank> all{least_rank(rank_at, count, shared),
                               lesser(greatest, static_cast<Rank>(kNoRank<Rank> - 1)), 0};
    TopKBounds<Rank> bounds = all;
    KOGGE_NO_UNROLL
    for (std::uint32_t place = begin; place < end;) {
        // The bins of [low, high].
        const int width = rank_width(bounds.high - bounds.low), shift = width > 11 ? width - 11 : 0;
        KOGGE_UNROLL
        for (int b = 0; b < per_thread; ++b) shared.bins[b * kTopKThreads + simt::thread_rank()] = 0;
        simt::sync_block();  // the bins are zero
        for_ranks(rank_at, count, [&](Rank rank) {
            if (rank < bounds.low || rank > bounds.high) return;
            simt::atomic_add<simt::Scope::block>(shared.bins + static_cast<int>((rank - bounds.low) >> shift), 1);
        });
        simt::sync_block();  // all are counted
        std::uint32_t sizes[per_thread], sum = 0;
        KOGGE_UNROLL
        for (int b = 0; b < per_thread; ++b) sum += sizes[b] = shared.bins[simt::thread_rank() * per_thread + b];
        const std::uint32_t up_to = Network::inclusive(sum, kTopKThreads, plus{}, shared.network);
        const std::uint32_t before = static_cast<std::uint32_t>(bounds.below) + up_to - sum;
        bool is_crowded = false;
        KOGGE_NO_UNROLL
        for (;;) {
            if (thread == 0) {
                shared.first = none;
                shared.past = 0;
                shared.count = 0;
            }
            simt::sync_block();  // none is found
            std::uint32_t at = before;
            KOGGE_UNROLL
            for (int b = 0; b < per_thread; ++b) {
                if (at <= place && place - at < sizes[b]) {
                    shared.first = thread * per_thread + static_cast<std::uint32_t>(b);
                    shared.before = at;
                    shared.size = sizes[b];
                }
                at += sizes[b];
            }
            simt::sync_block();  // the next place's bin is found
            const std::uint32_t first = shared.first;
            if (first == none) break;  // all places of these bins are written
            const std::uint32_t first_before = shared.before;
            is_crowded = shared.size > most;
            if (is_crowded) break;
            at = before;
            std::uint32_t past = 0;
            KOGGE_UNROLL
            for (int b = 0; b < per_thread; ++b) {
                const std::uint32_t bin = thread * per_thread + static_cast<std::uint32_t>(b);
                if (bin >= first && at < end && at + sizes[b] - first_before <= most) past = bin + 1;
                at += sizes[b];
            }
            if (past > 0) simt::atomic_max<simt::Scope::block>(&shared.past, past);
            simt::sync_block();  // the last bin is found
            const Rank low = bounds.low + (static_cast<Rank>(first) << shift);
            const Rank to_high = (bounds.high - bounds.low) >> shift, in_past = static_cast<Rank>(shared.past) << shift;
            const Rank high = shared.past > to_high ? bounds.high : static_cast<Rank>(bounds.low + in_past - 1);
            const TopKList<Rank, simt::Scope::block> list{own, &shared.count, most};
            for_ranks(rank_at, count, [&](Rank rank) { list.append(rank >= low && rank <= high, rank); });
            simt::sync_block();  // the bins' ranks are listed
            const std::uint32_t here = shared.count;
            write_in_order<Rank>([own](std::uint32_t i) { return own[i]; }, here, end - first_before, BlockTeam{},
                                 places,
                                 [&](Rank rank, std::uint64_t of_list) {
                                     const auto to = first_before + static_cast<std::uint32_t>(of_list);
                                     if (to >= place) write(rank, std::uint64_t{to});
                                 });
            place = first_before + here;
            simt::sync_block();  // the list has been read
            if (place >= end) return;
        }
        if (!is_crowded) {
            bounds = all;
        } else {
            const Rank low = bounds.low + (static_cast<Rank>(shared.first) << shift);
            const Rank widest = (Rank{1} << shift) - 1;
            bounds = {low, bounds.high - low > widest ? static_cast<Rank>(low + widest) : bounds.high, shared.before};
        }
        simt::sync_block();  // the bounds have been read
    }
}

}  // namespace kogge::grid::KOGGE_CODE
