// How a tile of a pipelined pass learns its prefix: the counts of each bin over all earlier tiles.
//
// Reading the rows of all tiles in flight would move as many bytes as a tile has. So a tile also adds its counts to the
// sum of its super-tile (kSuperTile tiles), and the last tile of a super-tile publishes the prefix up to its end. A
// tile's prefix is the sum of the rows of earlier tiles in its super-tile and of the sums of earlier super-tiles, back
// to the first one whose prefix is known (the look-back of D. Merrill, M. Garland, 2016, in two levels).
//
// A count and its completeness share one word: rows and prefixes carry a flag, the sum of a super-tile carries the
// number of tiles that have added to it.
#pragma once

#include <cstdint>

#include "kogge/pass/problem.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A table of counts, in words of two bins each. `group`: a super-tile.
struct TileCounts {
    static constexpr int kArrival = 20;  ///< the bits from here on count the tiles that have added to a sum
    static_assert(kSuperTile * kRankingWarps * simt::kWarpSize * onesweep_items(1) < 1u << kArrival);

    std::uint64_t* rows;
    std::uint64_t* groups;
    std::uint64_t* prefixes;

    KOGGE_DEVICE TileCounts(std::uint64_t* table, std::uint32_t tiles) {
        rows = table;
        groups = rows + static_cast<std::uint64_t>(tiles) * kWords;
        prefixes = groups + divide_up(tiles, kSuperTile) * kWords;
    }

    KOGGE_DEVICE void clear(std::uint32_t tile, int word) const {
        *at(rows, tile, word) = 0;
        if (tile % kSuperTile > 0) return;
        *at(groups, tile / kSuperTile, word) = 0;
        *at(prefixes, tile / kSuperTile, word) = 0;
    }
    KOGGE_DEVICE void publish(std::uint32_t tile, int word, std::uint32_t low, std::uint32_t high) const {
        constexpr std::uint64_t arrived = std::uint64_t{1} << (32 + kArrival) | std::uint64_t{1} << kArrival;
        const std::uint64_t counts = static_cast<std::uint64_t>(high) << 32 | low;
        simt::store_relaxed(at(rows, tile, word), CountWord::pack(CountWord::kAggregate, low, high));
        simt::atomic_add<simt::Scope::device>(at(groups, tile / kSuperTile, word), arrived + counts);
    }
    KOGGE_DEVICE void publish_prefix(std::uint32_t group, int word, std::uint32_t low, std::uint32_t high) const {
        simt::store_relaxed(at(prefixes, group, word), CountWord::pack(CountWord::kPrefix, low, high));
    }

    /// Adds the counts of the tiles before `tile` in its super-tile, for this lane's words first, first + 32, … All
    /// lanes call.
    template <int words>
    KOGGE_DEVICE void sum_tiles(std::uint32_t tile, int first, c_array<std::uint32_t[2], words>& before) const {
        constexpr std::uint32_t window = 4;  // rows in flight
        for (std::uint32_t row = tile / kSuperTile * kSuperTile; row < tile; row += window) {
            std::uint64_t seen[words][window] = {};
            for (;;) {
                bool complete = true;
                KOGGE_UNROLL
                for (std::uint32_t w = 0; w < window; ++w) {
                    KOGGE_UNROLL
                    for (int j = 0; j < words; ++j)
                        if (row + w < tile && seen[j][w] == 0)
                            seen[j][w] = simt::load_relaxed(at(rows, row + w, first + j * simt::kWarpSize));
                }
                KOGGE_UNROLL
                for (std::uint32_t w = 0; w < window; ++w) {
                    KOGGE_UNROLL
                    for (int j = 0; j < words; ++j) complete = complete && (row + w >= tile || seen[j][w] != 0);
                }
                if (simt::all(complete)) break;  // lanes poll together: diverged lanes would take turns
                simt::poll_pause();
            }
            KOGGE_UNROLL
            for (std::uint32_t w = 0; w < window; ++w) {
                KOGGE_UNROLL
                for (int j = 0; j < words; ++j) add(before[j], seen[j][w], CountWord::kCount);
            }
        }
    }

    /// Adds the counts of the super-tiles before `group`. All lanes call.
    template <int words>
    KOGGE_DEVICE void sum_groups(std::uint32_t group, int first, c_array<std::uint32_t[2], words>& before) const {
        constexpr std::uint32_t window = 4;  // super-tiles in flight
        std::uint32_t next[words];           // super-tiles below this one are still to be added; 0: none
        KOGGE_UNROLL
        for (int j = 0; j < words; ++j) next[j] = group;
        for (;;) {
            std::uint64_t sums[words][window], known[words][window];
            KOGGE_UNROLL
            for (std::uint32_t w = 0; w < window; ++w) {
                KOGGE_UNROLL
                for (int j = 0; j < words; ++j) {
                    const int word = first + j * simt::kWarpSize;
                    sums[j][w] = w < next[j] ? simt::load_relaxed(at(groups, next[j] - 1 - w, word)) : 0;
                    known[j][w] = w < next[j] ? simt::load_relaxed(at(prefixes, next[j] - 1 - w, word)) : 0;
                }
            }
            bool progress = false, done = true;
            KOGGE_UNROLL
            for (int j = 0; j < words; ++j) {
                const std::uint32_t from = next[j];
                bool adding = from > 0;
                KOGGE_UNROLL
                for (std::uint32_t w = 0; w < window; ++w) {
                    adding = adding && w < from && (known[j][w] != 0 || is_complete(sums[j][w]));
                    if (!adding) continue;
                    if (known[j][w] != 0) add(before[j], known[j][w], CountWord::kCount);
                    else add(before[j], sums[j][w], (1u << kArrival) - 1);
                    next[j] = known[j][w] != 0 ? 0 : next[j] - 1;
                    adding = next[j] > 0;
                    progress = true;
                }
                done = done && next[j] == 0;
            }
            if (simt::all(done)) return;
            if (!simt::any(progress)) simt::poll_pause();
        }
    }

private:
    static constexpr std::uint32_t kWords = kBins / 2;

    KOGGE_DEVICE static std::uint64_t* at(std::uint64_t* table, std::uint32_t row, int word) {
        return table + static_cast<std::uint64_t>(row) * kWords + word;
    }
    KOGGE_DEVICE static bool is_complete(std::uint64_t sum) {
        constexpr std::uint64_t twice = (std::uint64_t{1} << 32) + 1;
        return (sum >> kArrival & (~std::uint32_t{0} >> kArrival) * twice) == kSuperTile * twice;
    }
    KOGGE_DEVICE static void add(std::uint32_t (&counts)[2], std::uint64_t word, std::uint32_t mask) {
        counts[0] += static_cast<std::uint32_t>(word) & mask;
        counts[1] += static_cast<std::uint32_t>(word >> 32) & mask;
    }
};

}  // namespace kogge::grid::KOGGE_CODE
