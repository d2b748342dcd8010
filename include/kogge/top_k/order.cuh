// The last step of a selection: a candidate's place in the result is the number of lesser candidates. A warp counts for
// four candidates at a time, and all blocks share the candidates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/top_k/input.cuh"
#include "kogge/top_k/rank.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The arrays to be written; null: not wanted.
template <class Key>
struct TopKOutputs {
    Key* keys = nullptr;
    void* indices = nullptr;
    int index_bytes = 0;  ///< 4 or 8
    const void* values_in = nullptr;
    void* values_out = nullptr;
    std::uint32_t value_words = 0;  ///< of value_word_bytes: 1, 2, 4 or 8
    int value_word_bytes = 0;
};

template <class Word>
KOGGE_DEVICE void copy_words(const void* in, std::uint64_t from, void* out, std::uint64_t to, std::uint32_t words) {
    for (std::uint32_t i = 0; i < words; ++i)
        static_cast<Word*>(out)[to * words + i] = static_cast<const Word*>(in)[from * words + i];
}

/// Writes what belongs to the item of `rank` at a place of the result.
template <class Key, class Codes, class Rank>
KOGGE_DEVICE void write_result(const TopKOutputs<Key>& out, const Key* keys, const Codes& codes, Rank rank,
                               std::uint64_t place) {
    const std::uint64_t index = index_of(rank);
    if (out.keys)
        out.keys[place] = codes.tells_key() ? codes.key_of(code_of_rank<typename Codes::Code>(rank)) : keys[index];
    if (out.indices && out.index_bytes == 4)
        static_cast<std::uint32_t*>(out.indices)[place] = static_cast<std::uint32_t>(index);
    else if (out.indices) static_cast<std::uint64_t*>(out.indices)[place] = index;
    if (!out.values_out) return;
    if (out.value_word_bytes == 8)
        copy_words<std::uint64_t>(out.values_in, index, out.values_out, place, out.value_words);
    else if (out.value_word_bytes == 4)
        copy_words<std::uint32_t>(out.values_in, index, out.values_out, place, out.value_words);
    else if (out.value_word_bytes == 2)
        copy_words<std::uint16_t>(out.values_in, index, out.values_out, place, out.value_words);
    else copy_words<std::uint8_t>(out.values_in, index, out.values_out, place, out.value_words);
}

/// Calls write(rank, place) for the k least of `count` ranks. All threads of the team call.
template <class Rank, class Team, class Write>
KOGGE_DEVICE void write_in_order(const Rank* ranks, std::uint32_t count, std::uint64_t k, const Team& team,
                                 const Write& write) {
    constexpr std::uint32_t each = 4;
    const int lane = simt::lane();
    const auto warps = static_cast<std::uint32_t>(team.threads() / simt::kWarpSize);
    const auto warp = static_cast<std::uint32_t>(static_cast<std::uint64_t>(simt::warp_rank()) * team.blocks() +
                                                 team.block());  // few candidates go to different blocks
    KOGGE_NO_UNROLL
    for (std::uint32_t first = warp * each; first < count; first += warps * each) {
        Rank own[each];
        std::uint32_t lesser[each] = {};
        KOGGE_UNROLL
        for (std::uint32_t c = 0; c < each; ++c) own[c] = ranks[first + c < count ? first + c : first];
        KOGGE_NO_UNROLL
        for (std::uint32_t i = static_cast<std::uint32_t>(lane); i < count; i += simt::kWarpSize) {
            const Rank other = ranks[i];
            KOGGE_UNROLL
            for (std::uint32_t c = 0; c < each; ++c) lesser[c] += other < own[c] ? 1u : 0u;
        }
        Rank rank = kNoRank<Rank>;
        std::uint32_t place = ~0u;
        KOGGE_UNROLL
        for (std::uint32_t c = 0; c < each; ++c) {
            const std::uint32_t sum = simt::reduce_add(lesser[c]);
            if (static_cast<std::uint32_t>(lane) != c || first + c >= count) continue;
            rank = own[c];
            place = sum;
        }
        if (place < k) write(rank, static_cast<std::uint64_t>(place));
    }
}

}  // namespace kogge::grid::KOGGE_CODE
