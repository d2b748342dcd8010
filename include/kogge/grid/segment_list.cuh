// Before a segmented sort: which segments begin in each window of places, and the long segments with their tiles. The
// host does not wait to learn how long segments are. Global traffic: the offsets once; for each long segment a row of
// zeros a pass, and a word a tile.
#pragma once

#include <cstdint>

#include "kogge/grid/carry.cuh"
#include "kogge/plan_segmented_sort.hpp"

namespace kogge::grid {

/// Segments 0 … `segments`: the one before the first offset, then those that the offsets begin. Offsets past n count as
/// n.
struct SegmentBounds {
    const std::uint64_t* offsets;
    std::uint64_t segments;
    std::uint64_t n;

    KOGGE_DEVICE std::uint64_t begin(std::uint64_t s) const {
        if (s == 0) return 0;
        const std::uint64_t offset = offsets[s - 1];
        return offset < n ? offset : n;
    }
    KOGGE_DEVICE std::uint64_t end(std::uint64_t s) const { return s < segments ? begin(s + 1) : n; }
};

/// The shape of a segmented sort, as its kernels need it.
struct SegmentShape {
    const std::uint64_t* offsets;
    std::uint64_t segments;
    Count n;
    int window_bits;
    std::uint64_t longest_short;
    std::uint64_t tile_items;
    int passes;

    KOGGE_DEVICE SegmentBounds bounds() const {
        return {offsets, segments, n.device && *n.device < n.host ? *n.device : n.host};
    }
};

inline constexpr int kListThreads = 256;

/// Long segments and their tiles are numbered in the order in which warps come; nothing of the result depends on it.
KOGGE_SHARED_KERNEL void KOGGE_LAUNCH_BOUNDS(kListThreads, 4)
    list_segments_kernel(SegmentShape shape, SegmentMemory memory) {
    const SegmentBounds bounds = shape.bounds();
    const int lane = simt::lane();
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kListThreads;
    for (std::uint64_t first = static_cast<std::uint64_t>(simt::block_rank()) * kListThreads +
                               static_cast<std::uint64_t>(simt::warp_rank() * simt::kWarpSize);
         first <= bounds.segments; first += step) {
        const std::uint64_t s = first + static_cast<std::uint64_t>(lane);
        const bool real = s <= bounds.segments;
        const std::uint64_t begin = real ? bounds.begin(s) : 0, end = real ? bounds.end(s) : 0;
        const bool is_long = end > begin && end - begin > shape.longest_short;
        const std::uint64_t window = begin >> shape.window_bits;
        if (real && begin < bounds.n) {
            SegmentWindow& record = memory.windows[window];
            if (s == 0 || bounds.begin(s - 1) >> shape.window_bits != window) {
                record.first = s + 1;
                record.begin = begin;
            }
            // A long segment reaches beyond the window it begins in, so that it is the last one there.
            if (s == bounds.segments || end >> shape.window_bits != window || end == bounds.n) {
                record.last = s;
                record.end = is_long ? begin : end;
            }
        }

        const std::uint64_t tiles = is_long ? divide_up(end - begin, shape.tile_items) : 0;
        std::uint64_t number = 0, first_tile = 0;
        if (is_long) {
            const std::uint64_t before =
                simt::atomic_add<simt::Scope::device>(memory.listed, (std::uint64_t{1} << 32) + tiles);
            number = before >> 32;
            first_tile = before & 0xffffffffu;
            memory.longs[number] = {begin, end, first_tile};
        }
        // The warp writes what belongs to each of them together.
        for (simt::mask_t left = simt::ballot(is_long); left != 0; left &= left - 1) {
            const int owner = simt::lowest_bit(left);
            const std::uint64_t its_number = simt::shuffle(number, owner);
            const std::uint64_t its_first = simt::shuffle(first_tile, owner), its_tiles = simt::shuffle(tiles, owner);
            for (std::uint64_t i = static_cast<std::uint64_t>(lane); i < its_tiles; i += simt::kWarpSize)
                memory.tiles[its_first + i] = static_cast<std::uint32_t>(its_number);
            const int words = shape.passes * kBins;
            std::uint64_t* const counts = memory.counts + its_number * static_cast<std::uint64_t>(words);
            for (int i = lane; i < words; i += simt::kWarpSize) counts[i] = 0;
        }
    }
}

}  // namespace kogge::grid
