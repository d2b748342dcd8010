// Equalizes the histogram of a window's prefixes, so that keys of any distribution spread evenly over the bins of their
// segments. Prefixes are counted in cells of equal width between the least and the greatest; a prefix then maps to the
// share of the window's keys that is less, and within its cell in proportion. The map ascends, so that any distribution
// gives the right order.
//
// Where most keys crowd a few cells, as beside an outlier, the equalized prefixes are equalized again, as finely as
// cells divide the crowd. Equal prefixes stay equal.
#pragma once

#include <cstdint>

#include "kogge/operators.hpp"
#include "kogge/segmented/shape.hpp"
#include "kogge/simt/device.cuh"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Ranges of the prefixes of segments: two words for every two places, so that each segment of two keys or more has
/// the complement of its least prefix at its first place, and its greatest at its second. Keys of a segment that was
/// split fill a small part of the window's range.
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
    /// The prefix, spread over all 32 bits.
    KOGGE_DEVICE std::uint32_t stretch(std::uint32_t bounds, std::uint32_t prefix) const {
        const std::uint32_t begin = bounds & 0xffffu;
        if ((bounds >> 16) - begin < 2) return 0;
        const std::uint32_t least = ~words[begin], width = words[begin + 1] - least;
        if (width == 0) return 0;
        // Width w of at least a half becomes w (2 - w), and the same again: at least 15/16.
        const int up = 31 - simt::highest_bit(width);
        const std::uint32_t rest = ~(width << up), wide = ~rest + simt::multiply_high(~rest, rest);
        const std::uint32_t place = (prefix - least) << up, far = place + simt::multiply_high(place, rest);
        return far + simt::multiply_high(far, ~wide);
    }

private:
    KOGGE_DEVICE void widen(std::uint32_t begin, std::uint32_t least, std::uint32_t greatest) const {
        simt::atomic_max<simt::Scope::block>(words + begin, least);
        simt::atomic_max<simt::Scope::block>(words + begin + 1, greatest);
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

/// Clears the counts of a level. All threads call.
KOGGE_DEVICE void clear_cells(std::uint32_t* tables, std::uint32_t cells, int level) {
    std::uint32_t* const table = tables + static_cast<std::uint32_t>(level) * (cells + 1);
    for (auto c = static_cast<std::uint32_t>(simt::thread_rank()); c <= cells; c += kShortThreads) table[c] = 0;
}

/// The maps of a window: levels of tables of cells + 1 words, in shared memory.
struct Equalizer {
    std::uint32_t* tables;
    std::uint32_t cells;
    std::uint32_t least;
    int up;  ///< moves the highest bit in which prefixes differ to the top

    KOGGE_DEVICE Equalizer(std::uint32_t* words, std::uint32_t number, std::uint32_t lowest, std::uint32_t greatest)
        : tables(words),
          cells(number),
          least(lowest),
          up(greatest > lowest ? 31 - simt::highest_bit(greatest - lowest) : 0) {}
    KOGGE_DEVICE std::uint32_t* table(int level) const {
        return tables + static_cast<std::uint32_t>(level) * (cells + 1);
    }
    /// A prefix after the first `levels` maps.
    KOGGE_DEVICE std::uint32_t map(std::uint32_t prefix, int levels) const {
        std::uint32_t place = (prefix - least) << up;
        KOGGE_NO_UNROLL
        for (int level = 0; level < levels; ++level) {
            const std::uint64_t scaled = static_cast<std::uint64_t>(place) * cells;
            const std::uint32_t* const cell = table(level) + (scaled >> 32);
            place = cell[0] + simt::multiply_high(static_cast<std::uint32_t>(scaled), cell[1] - cell[0]);
        }
        return place;
    }
    /// Counts a prefix for the map of a level.
    KOGGE_DEVICE void count(std::uint32_t prefix, int level) const {
        const std::uint64_t scaled = static_cast<std::uint64_t>(map(prefix, level)) * cells;
        simt::atomic_add<simt::Scope::block>(table(level) + (scaled >> 32), 1);
    }
    /// Turns the counts of `keys` keys into the map of a level. Returns whether most keys crowd few cells. `totals` and
    /// `squares` have a word per warp. All threads call, after a block barrier; one must follow.
    KOGGE_DEVICE bool finish(int level, std::uint32_t keys, std::uint32_t* totals, std::uint32_t* squares) const {
        constexpr std::uint32_t few = 32;
        std::uint32_t* const counts = table(level);
        const std::uint32_t each = (cells + kShortThreads) / kShortThreads | 1u;  // no bank conflicts
        const std::uint32_t from = static_cast<std::uint32_t>(simt::thread_rank()) * each;
        const std::uint32_t to = from + each < cells + 1 ? from + each : cells + 1;
        std::uint32_t sum = 0, square = 0;
        for (std::uint32_t c = from; c < to; ++c) {
            sum += counts[c];
            square += counts[c] * counts[c];
        }
        square = simt::reduce_add(square);
        if (simt::lane() == 0) squares[simt::warp_rank()] = square;
        const std::uint32_t share = ~0u / keys;
        std::uint32_t before = sum_before(totals, sum);
        for (std::uint32_t c = from; c < to; ++c) {
            const std::uint32_t count = counts[c];
            counts[c] = before * share;
            before += count;
        }
        const std::uint32_t crowd =
            simt::reduce_add(simt::lane() < kShortThreads / simt::kWarpSize ? squares[simt::lane()] : 0u);
        return crowd > keys * keys / few;
    }
};

}  // namespace kogge::grid::KOGGE_CODE
