// Bins of a window's segments: a segment of m keys has m bins, in order, over which its keys are spread by their
// prefixes, in proportion to the range of these. Where the bins turn out crowded, those of the next level divide each
// bin into as many as it has keys. So keys of any distribution spread over their bins after a few levels, unless many
// have equal prefixes. Equal prefixes share a bin, and a lower prefix never has a higher one.
#pragma once

#include <cstdint>

#include "kogge/operators.hpp"
#include "kogge/segmented/shape.hpp"
#include "kogge/simt/device.cuh"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The least and the greatest prefix of a window, or of a segment.
struct PrefixRange {
    std::uint32_t least;
    std::uint32_t greatest;

    KOGGE_DEVICE bool is_one() const { return least == greatest; }
    /// Moves the highest bit in which prefixes differ to the top.
    KOGGE_DEVICE int up() const { return 31 - simt::highest_bit((greatest - least) | 1u); }
    /// The place of a prefix.
    KOGGE_DEVICE std::uint32_t place_of(std::uint32_t prefix) const {
        // Width w of at least a half becomes w (2 - w), and the same again: at least 15/16.
        const std::uint32_t rest = ~((greatest - least) << up()), wide = ~rest + simt::multiply_high(~rest, rest);
        const std::uint32_t place = (prefix - least) << up(), far = place + simt::multiply_high(place, rest);
        return far + simt::multiply_high(far, ~wide);
    }
};

/// The same for many prefixes of one range, with what does not depend on them.
struct RangeScale {
    std::uint32_t least;
    int up;
    std::uint32_t growth;  ///< times 2^32: the part of itself by which a place grows, so that places fill all 32 bits

    KOGGE_DEVICE explicit RangeScale(const PrefixRange& range) : least(range.least), up(range.up()) {
        const float width = static_cast<float>((range.greatest - range.least) << up | 1u << 31) * 0x1p-32f;
        const float most = 1 / width - 1 - 0x1p-20f;  // less than all, as floats are rounded
        growth = most > 0 ? static_cast<std::uint32_t>(most * 0x1p32f) : 0;
    }
    KOGGE_DEVICE std::uint32_t place_of(std::uint32_t prefix) const {
        const std::uint32_t place = (prefix - least) << up;
        return place + simt::multiply_high(place, growth);
    }
};

/// Ranges of the prefixes of segments: two words for every two places, so that each segment of two keys or more has the
/// complement of its least prefix at its first place, and its greatest at its second.
struct SegmentRanges {
    std::uint32_t* words;

    /// Clears the words. All threads call.
    KOGGE_DEVICE void clear(std::uint32_t first, std::uint32_t end) const {
        for (std::uint32_t w = first + static_cast<std::uint32_t>(simt::thread_rank()); w < end; w += kShortThreads)
            words[w] = 0;
    }
    /// Extends the range of the lane's segment, of `bounds`, or 0. All lanes of a warp call.
    KOGGE_DEVICE void extend(std::uint32_t bounds, std::uint32_t prefix) const {
        const std::uint32_t begin = bounds & 0xffffu;
        const bool real = (bounds >> 16) - begin > 1;
        const std::uint32_t of_first = simt::shuffle(bounds, 0);
        if (simt::all(real && bounds == of_first)) {
            const std::uint32_t least = simt::reduce_max(~prefix), greatest = simt::reduce_max(prefix);
            if (simt::lane() == 0) widen(begin, least, greatest);
        } else if (real) {
            widen(begin, ~prefix, prefix);
        }
    }
    /// The range of a segment; of a single key, anything.
    KOGGE_DEVICE PrefixRange of(std::uint32_t bounds) const {
        const std::uint32_t begin = bounds & 0xffffu, second = begin + ((bounds >> 16) - begin > 1 ? 1 : 0);
        return {~words[begin], words[second]};
    }

private:
    KOGGE_DEVICE void widen(std::uint32_t begin, std::uint32_t least, std::uint32_t greatest) const {
        simt::atomic_max<simt::Scope::block>(words + begin, least);
        simt::atomic_max<simt::Scope::block>(words + begin + 1, greatest);
    }
};

/// The bins of the levels before the current one, in shared memory: of each level, the first place of each bin.
struct BinLevels {
    static constexpr int kRows = 2;  ///< in `begins`
    std::uint16_t* begins;           ///< a row of `capacity` per level
    std::uint16_t* more;             ///< rows of further levels
    std::uint32_t capacity;
    std::uint32_t end;  ///< of the window
    int levels = 0;

    KOGGE_DEVICE std::uint16_t* row(int level) const {
        return level < kRows ? begins + static_cast<std::uint32_t>(level) * capacity
                             : more + static_cast<std::uint32_t>(level - kRows) * capacity;
    }

    /// The bin of a place in the segment of `bounds`.
    KOGGE_DEVICE std::uint32_t bin(std::uint32_t bounds, std::uint32_t place) const {
        std::uint32_t first = bounds & 0xffffu, keys = (bounds >> 16) - first;
        KOGGE_NO_UNROLL
        for (int level = 0; level < levels; ++level) {
            const std::uint16_t* const of_level = row(level);
            const std::uint64_t scaled = static_cast<std::uint64_t>(place) * keys;
            const std::uint32_t own = first + static_cast<std::uint32_t>(scaled >> 32);
            first = of_level[own];
            keys = (own + 1 < end ? of_level[own + 1] : end) - first;
            place = static_cast<std::uint32_t>(scaled);
        }
        return first + simt::multiply_high(place, keys);
    }
    /// Adds a level, whose bins' first places are two per word of `counters`, and clears these. All threads call,
    /// between block barriers.
    KOGGE_DEVICE void add(std::uint32_t* counters, std::uint32_t first) {
        auto* const words = reinterpret_cast<std::uint32_t*>(row(levels));
        for (std::uint32_t w = first / 2 + static_cast<std::uint32_t>(simt::thread_rank()); w < (end + 1) / 2;
             w += kShortThreads) {
            words[w] = counters[w];
            counters[w] = 0;
        }
        ++levels;
    }
};

/// The sum over all earlier threads of the block. `totals` has a word per warp. All threads call, and a block barrier
/// must precede the next call with the same words.
KOGGE_DEVICE std::uint32_t sum_before(std::uint32_t* totals, std::uint32_t sum) {
    const int lane = simt::lane(), warp = simt::warp_rank();
    const std::uint32_t inclusive = warp::inclusive_scan(sum, simt::kWarpSize, plus{});
    if (lane == simt::kWarpSize - 1) totals[warp] = inclusive;
    simt::sync_block();  // the warps' totals are written
    return simt::reduce_add(lane < warp ? totals[lane] : 0u) + inclusive - sum;
}

}  // namespace kogge::grid::KOGGE_CODE
