// One pass of a radix sort within a block: keys stay in registers and change places through shared memory, with their
// indices of 16 bits, if they have any. Used by the sort in one block, batches of large sorts, and segments.
#pragma once

#include <cstdint>

#include "kogge/digit/key_digits.cuh"
#include "kogge/operators.hpp"
#include "kogge/sort/common/shape.hpp"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The tables, which precede the tile in shared memory. A gap follows the rows of each eight warps, so that the column
/// sums, for which a thread reads eight rows, meet no bank conflicts.
struct BlockSortShared {
    alignas(128) std::uint32_t rows[kBlockSortThreads / simt::kWarpSize * kBins + 4 * simt::kWarpSize];
    std::uint32_t totals[simt::kWarpSize];
    std::uint32_t disorder;
};
static_assert(sizeof(BlockSortShared) <= kBlockSortTables);

/// Turns the warps' counts into the place of each warp's next key of each digit. threads / kBins threads share a bin,
/// and each sums the rows of eight warps. All threads call.
KOGGE_DEVICE void scan_rows(BlockSortShared& shared, int threads) {
    constexpr int rows = 8;
    const int columns = threads / kBins, thread = simt::thread_rank(), lane = simt::lane(), warp = simt::warp_rank();
    const int bin = thread / columns, group = thread % columns;
    std::uint32_t* const first = shared.rows + group * (rows * kBins + simt::kWarpSize / columns) + bin;
    std::uint32_t before[rows], sum = 0;
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r) {
        before[r] = sum;
        sum += first[r * kBins];
    }
    const std::uint32_t inclusive = warp::inclusive_scan(sum, simt::kWarpSize, plus{});
    if (lane == simt::kWarpSize - 1) shared.totals[warp] = inclusive;
    simt::sync_block();  // the warps' totals are written
    const std::uint32_t total = warp::inclusive_scan(lane < warp ? shared.totals[lane] : 0u, simt::kWarpSize, plus{});
    const std::uint32_t base = simt::shuffle(total, simt::kWarpSize - 1) + inclusive - sum;
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r) first[r * kBins] = base + before[r];
}

/// A warp's row of counters.
KOGGE_DEVICE std::uint32_t* row_of(BlockSortShared& shared, int threads, int warp) {
    return shared.rows + warp * kBins + warp / 8 * (simt::kWarpSize * kBins / threads);
}

/// Sorts the block's keys, and their indices if they have any, by digit(key, index) < kBins. Equal digits keep their
/// order if `ballots`. A warp holds 32 × items consecutive places, as for ranks. All threads call. Afterwards the
/// exchange holds the keys as well, until the next call or barrier.
template <bool has_indices, int step, int most_items, class Key, class Digit>
KOGGE_DEVICE void sort_by_digit(BlockSortShared& shared, Key* exchange, std::uint16_t* index_exchange,
                                c_array<Key, most_items>& keys, ShortNumbers<most_items>& indices, int items, int count,
                                bool ballots, const Digit& digit) {
    const int threads = simt::block_size(), first = simt::warp_rank() * simt::kWarpSize * items + simt::lane();
    std::uint32_t* const row = row_of(shared, threads, simt::warp_rank());
    clear_row(row);
    simt::sync_warp();  // the counters are zero

    // Places past the end take the last bin, after all keys, and stay where they are.
    std::uint32_t ranks[most_items];
    if (ballots)
        for_items<most_items, 1>(items, [&](int i) {
            ranks[i] =
                rank_in_order(first + i * simt::kWarpSize < count ? digit(keys[i], indices.get(i)) : kBins - 1, row);
        });
    else
        for_items<most_items, step>(items, [&](int i) {
            if (first + i * simt::kWarpSize < count) ranks[i] = rank_as_served(digit(keys[i], indices.get(i)), row);
        });
    simt::sync_block();  // all warps have counted, and have left the exchange
    scan_rows(shared, threads);
    simt::sync_block();  // the places of all digits are known

    // Ranks become places first, so that no store stands between the loads.
    for_items<most_items, step>(items, [&](int i) {
        if (first + i * simt::kWarpSize < count) ranks[i] += row[digit(keys[i], indices.get(i))];
    });
    for_items<most_items, step>(items, [&](int i) {
        if (first + i * simt::kWarpSize >= count) return;
        exchange[ranks[i]] = keys[i];
        if constexpr (has_indices) index_exchange[ranks[i]] = static_cast<std::uint16_t>(indices.get(i));
    });
    simt::sync_block();  // the keys are in order of the digit
    for_items<most_items, step>(items, [&](int i) {
        const int place = first + i * simt::kWarpSize;
        if (place >= count) return;
        keys[i] = exchange[place];
        if constexpr (has_indices) indices.set(i, index_exchange[place]);
    });
}

}  // namespace kogge::grid::KOGGE_CODE
