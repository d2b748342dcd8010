// The last step of a selection: a candidate's place in the result is the number of lesser candidates. All blocks share
// the candidates, and a warp compares each rank that it loads with four of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/top_k/input.cuh"
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
    constexpr int warps = kTopKThreads / simt::kWarpSize, each = kTopKCompared, loads = 8;
    const auto blocks = static_cast<std::uint32_t>(team.blocks()), block = static_cast<std::uint32_t>(team.block());
    const auto candidate = [=](int i) { return block + static_cast<std::uint32_t>(i) * blocks; };
    const int own = block < count ? static_cast<int>((count - block + blocks - 1) / blocks) : 0;
    const int thread = simt::thread_rank();
    KOGGE_NO_UNROLL
    for (int first = 0; first < own; first += warps * each) {
        const int here = own - first < warps * each ? own - first : warps * each;
        const int fours = (here + each - 1) / each, parts = warps / fours;
        const int four = simt::warp_rank() % fours, part = simt::warp_rank() / fours;
        if (thread < warps * each) shared.places[thread] = 0;  // its own, which it has read
        simt::sync_block();                                    // all places are zero
        if (part < parts) {
            Rank mine[each];
            std::uint32_t lesser[each] = {};
            KOGGE_UNROLL
            for (int c = 0; c < each; ++c) {
                const int i = four * each + c;
                mine[c] = rank_at(candidate(first + (i < here ? i : 0)));
            }
            const auto step = static_cast<std::uint32_t>(parts * simt::kWarpSize);
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

}  // namespace kogge::grid::KOGGE_CODE
