// The key of a rank in each of many segments. A warp holds the codes of a short one in shared memory, and finds the
// wanted one bit by bit: how many agree with it so far and have a zero next. A block takes a long one, by rounds of
// counting (top_k/narrow.cuh), over the codes alone if they tell the keys. Short segments are read once; long ones once
// per round of 11 bits, after the first one from the cache if they fit it.
#pragma once

#include <cstdint>

#include "kogge/select/shape.hpp"
#include "kogge/top_k/narrow.cuh"
#include "kogge/top_k/segments.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Key, class Codec>
struct SelectSegmentsProblem {
    const Key* keys;
    Key* out;
    TopKCodes<Codec> codes;
    TopKSegments segments;
    const std::uint64_t* ranks;  ///< of each segment; null: the same in all
    std::uint64_t rank;
    std::uint64_t longest_short;
    TopKControl* control;
    std::uint32_t* left;  ///< null: warps leave no segment, or there are no warps
    std::uint64_t* left_segments;

    /// A rank past a segment's last key is that of the last one.
    KOGGE_DEVICE std::uint64_t rank_in(std::uint64_t segment, std::uint64_t length) const {
        const std::uint64_t wanted = ranks ? ranks[segment] : rank;
        return wanted < length ? wanted : length - 1;
    }
};

template <class Code>
struct SelectRowsShared {
    Code codes[kSelectRowThreads / simt::kWarpSize][kTopKWarpBytes / sizeof(Code)];
};

/// The key of rank `rank` among keys[0 … length), whose codes are in `list`, in lane 0. All lanes of the warp call.
template <class Key, class Codes, class Code>
KOGGE_DEVICE Key select_in_warp(const Key* keys, const Codes& codes, const Code* list, std::uint32_t length,
                                std::uint32_t rank) {
    const auto lane = static_cast<std::uint32_t>(simt::lane());
    Code found = 0;
    KOGGE_NO_UNROLL
    for (int bit = rank_width(std::uint64_t{codes.greatest()}) - 1; bit >= 0; --bit) {
        std::uint32_t zeros = 0;
        for (std::uint32_t i = lane; i < length; i += simt::kWarpSize)
            zeros += static_cast<Code>(list[i] ^ found) >> bit == 0 ? 1u : 0u;
        zeros = simt::reduce_add(zeros);
        if (rank < zeros) continue;
        rank -= zeros;
        found = static_cast<Code>(found | Code{1} << bit);
    }
    if (codes.tells_key()) return codes.key_of(found);
    // Of keys with that code, the one of the remaining rank by index.
    KOGGE_NO_UNROLL
    for (std::uint32_t from = 0;; from += simt::kWarpSize) {
        const simt::mask_t same = simt::ballot(from + lane < length && list[from + lane] == found);
        const auto count = static_cast<std::uint32_t>(simt::count_bits(same));
        if (rank >= count) {
            rank -= count;
            continue;
        }
        const bool is_it = (same >> lane & 1u) != 0 &&
                           static_cast<std::uint32_t>(simt::count_bits(same & simt::lanes_before())) == rank;
        return keys[from + static_cast<std::uint32_t>(simt::lowest_bit(simt::ballot(is_it)))];
    }
}

template <class Key, class Codec>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kSelectRowThreads, 4)
    select_short_segments_kernel(SelectSegmentsProblem<Key, Codec> problem) {
    simt::wait_for_stream();
    using Code = typename TopKCodes<Codec>::Code;
    constexpr std::uint64_t warps = kSelectRowThreads / simt::kWarpSize;
    Code* const list = simt::shared_memory<SelectRowsShared<Code>>().codes[simt::warp_rank()];
    const std::uint64_t number = problem.segments.bounds.number();
    KOGGE_NO_UNROLL
    for (std::uint64_t s = simt::block_rank() * warps + static_cast<std::uint64_t>(simt::warp_rank()); s < number;
         s += simt::grid_size() * warps) {
        const TopKSegments::Bounds bounds = problem.segments.at(s, number);
        if (bounds.length == 0) continue;
        if (bounds.length > problem.longest_short) {
            if (simt::lane() == 0) problem.left_segments[simt::atomic_add<simt::Scope::device>(problem.left, 1)] = s;
            continue;
        }
        const Key* const keys = problem.keys + bounds.begin;
        const auto length = static_cast<std::uint32_t>(bounds.length);
        for (auto i = static_cast<std::uint32_t>(simt::lane()); i < length; i += simt::kWarpSize)
            list[i] = problem.codes.of(keys[i]);
        simt::sync_warp();  // the codes are on chip
        const Key key =
            select_in_warp(keys, problem.codes, list, length, static_cast<std::uint32_t>(problem.rank_in(s, length)));
        if (simt::lane() == 0) problem.out[s] = key;
        simt::sync_warp();  // the codes have been read
    }
}

template <class Rank>
struct SelectBlockShared {
    TopKNarrowShared<std::uint64_t> codes;
    TopKNarrowShared<Rank> ranks;
};

template <class Key, class Codec, class Rank>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTopKThreads, kTopKBlocks)
    select_long_segments_kernel(SelectSegmentsProblem<Key, Codec> problem) {
    simt::wait_for_stream();
    auto& shared = simt::shared_memory<SelectBlockShared<Rank>>();
    TopKControl* const control = problem.control + simt::block_rank();
    for (int b = simt::thread_rank(); b < kTopKBins; b += kTopKThreads) control->bins[0][b] = 0;
    simt::sync_block();  // the first round's bins are zero
    int round = 0;
    const std::uint64_t number = problem.segments.bounds.number();
    const std::uint64_t count = problem.left ? *problem.left : number;
    KOGGE_NO_UNROLL
    for (std::uint64_t i = simt::block_rank(); i < count; i += simt::grid_size()) {
        const std::uint64_t s = problem.left ? problem.left_segments[i] : i;
        const TopKSegments::Bounds bounds = problem.segments.at(s, number);
        if (bounds.length == 0) continue;
        const Key* const keys = problem.keys + bounds.begin;
        const auto& codes = problem.codes;
        const std::uint64_t k = problem.rank_in(s, bounds.length) + 1;
        Key key;
        if (codes.tells_key()) {
            const auto code_at = [=](std::uint64_t at) { return std::uint64_t{codes.of(keys[at])}; };
            const TopKBounds<std::uint64_t> all{0, codes.greatest(), 0};
            key = codes.key_of(static_cast<typename TopKCodes<Codec>::Code>(
                narrow(all, k, 0, bounds.length, code_at, round, control, shared.codes, BlockTeam{})));
        } else {
            const auto rank_at = [=](std::uint64_t at) { return make_rank<Rank>(codes.of(keys[at]), at); };
            const TopKBounds<Rank> all{0, make_rank<Rank>(codes.greatest(), bounds.length - 1), 0};
            key = keys[index_of(narrow(all, k, 0, bounds.length, rank_at, round, control, shared.ranks, BlockTeam{}))];
        }
        if (simt::thread_rank() == 0) problem.out[s] = key;
        simt::sync_block();  // the bounds have been read
    }
}

}  // namespace kogge::grid::KOGGE_CODE
