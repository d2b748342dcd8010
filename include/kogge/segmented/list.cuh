// Before a segmented sort: marks where segments begin, and lists the long segments with their tiles. The host does not
// wait to learn how long segments are. Global traffic: the offsets are read once; two bits are written per place, and
// for each long segment a row of zeros and one word per tile.
#pragma once

#include <cstdint>

#include "kogge/engine/carry.cuh"
#include "kogge/segmented/shape.hpp"
#include "kogge/types/segments.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The shape of a segmented sort, for its kernels.
struct SegmentShape {
    const std::uint64_t* offsets;  ///< of the kernel that lists them, as is their number
    std::uint64_t segments;
    Count n;
    std::uint32_t window_items;
    std::uint32_t capacity;  ///< items that a block holds on chip
    std::uint64_t longest_short;
    std::uint64_t tile_items;
    int passes;
};

/// The shape that a plan describes.
inline SegmentShape segment_shape(const Count& n, const segmented_sort_plan& plan) {
    return {nullptr,
            0,
            n,
            static_cast<std::uint32_t>(plan.window_items),
            static_cast<std::uint32_t>(plan.window_items + plan.longest_short),
            plan.longest_short,
            plan.tile_items,
            plan.passes};
}

/// Marks the beginning of a segment, or changes its mark. Several threads may mark places of one word at the same time,
/// but only one thread a given place.
KOGGE_DEVICE void mark_segment(std::uint32_t* marks, std::uint64_t place, SegmentPlace before, SegmentPlace now) {
    std::uint32_t* const word = marks + 2 * (place / simt::kWarpSize);
    const std::uint32_t changed = static_cast<std::uint32_t>(before) ^ static_cast<std::uint32_t>(now);
    const std::uint32_t bit = 1u << place % simt::kWarpSize;
    for (int plane = 0; plane < 2; ++plane) {
        if ((changed >> plane & 1u) == 0) continue;
        // A set bit is cleared by subtraction, as no other thread changes it.
        if (static_cast<std::uint32_t>(before) >> plane & 1u)
            simt::atomic_add<simt::Scope::device>(word + plane, 0u - bit);
        else simt::atomic_or<simt::Scope::device>(word + plane, bit);
    }
}

/// Marks where the lanes' segments begin in the input: ascending places, or n for no segment. Lanes whose places lie in
/// few words first sum up their bits. All lanes of a warp call.
KOGGE_DEVICE void mark_segments(std::uint32_t* marks, std::uint64_t place, std::uint64_t n) {
    constexpr std::uint64_t few = 4;
    const simt::mask_t real = simt::ballot(place < n);
    if (real == 0) return;
    const std::uint64_t word = place / simt::kWarpSize;
    const std::uint64_t first = simt::shuffle(word, simt::lowest_bit(real));
    const std::uint64_t last = simt::shuffle(word, simt::highest_bit(real));
    if (last - first >= few) {
        if (place < n) mark_segment(marks, place, SegmentPlace::none, SegmentPlace::input);
        return;
    }
    for (std::uint64_t w = first; w <= last; ++w) {
        const std::uint32_t bits = simt::reduce_add(place < n && word == w ? 1u << place % simt::kWarpSize : 0u);
        if (simt::lane() == 0 && bits != 0) simt::atomic_or<simt::Scope::device>(marks + 2 * w, bits);
    }
}

/// Lists the lanes' long segments, whose keys may differ in their lowest `bits` bits. Segments and their tiles are
/// numbered in the order in which warps arrive; the result does not depend on it. All lanes of a warp call.
KOGGE_DEVICE void list_long(const LongList& list, bool is_long, std::uint64_t begin, std::uint64_t end,
                            SegmentPlace from, int bits, std::uint64_t tile_items) {
    const auto lane = static_cast<std::uint64_t>(simt::lane());
    const std::uint64_t tiles = is_long ? divide_up(end - begin, tile_items) : 0;
    std::uint64_t number = 0, first_tile = 0;
    if (is_long) {
        const std::uint64_t before =
            simt::atomic_add<simt::Scope::device>(list.listed, (std::uint64_t{1} << 32) + tiles);
        number = before >> 32;
        first_tile = before & 0xffffffffu;
        // If offsets fall, segments may overlap and need more room than there is.
        is_long = number < list.most && tiles <= list.most_tiles && first_tile <= list.most_tiles - tiles;
        if (is_long) list.longs[number] = {begin, end, first_tile, from, bits, false};
    }
    // The lanes of the warp write each segment's entries together.
    for (simt::mask_t left = simt::ballot(is_long); left != 0; left &= left - 1) {
        const int owner = simt::lowest_bit(left);
        const std::uint64_t its_number = simt::shuffle(number, owner);
        const std::uint64_t its_first = simt::shuffle(first_tile, owner), its_tiles = simt::shuffle(tiles, owner);
        for (std::uint64_t i = lane; i < its_tiles; i += simt::kWarpSize)
            list.tiles[its_first + i] = static_cast<std::uint32_t>(its_number);
        for (std::uint64_t i = lane; i < kBins; i += simt::kWarpSize) list.counts[its_number * kBins + i] = 0;
    }
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

/// Marks segments 0 … `segments` (segment 0 precedes the first offset, and each offset begins one), and lists the long
/// ones. If an offset is less than the one before, sets `falls`; marks and list are then unusable. The kernels are in
/// the library.
///
/// With begins and ends apart, gaps are marked, too. An item of a gap is a segment of its own whose place is already
/// the output, so that it is written as it stood there; a stretch of a gap that is longer than any short segment is one
/// that no list holds, so that nobody reads or writes it. If segments overlap, sets `falls`.
void list_segments(const detail::SegmentBounds& segments, const item_count& n, const segmented_sort_plan& plan,
                   const SegmentMemory& memory, stream_t stream);

/// Makes indices, of 4 or 8 bytes, count from the first item of their place's segment.
void count_from_begins(void* indices, std::size_t index_bytes, const detail::SegmentBounds& segments,
                       const item_count& n, const SegmentMemory& memory, stream_t stream);

}  // namespace kogge::grid
