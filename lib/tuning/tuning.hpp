// The limits between ways of doing a call, where measurement decides them. A plan takes one way below a limit and
// another way above it; the result is the same. Only lib/plan reads limits, at run time: no kernel is compiled for one.
// tuning_table.hpp holds the values, each with the times that chose it. tools/tune.py writes that file from the record
// that bench/tune.cpp makes (bench/MEASURING.md).
//
// What kernels are compiled for is no limit. It stands in the shape.hpp of their folders, where plans and kernels agree
// on it: threads per block, rows or items per thread (kWaveThreads, most_scan_rows, segment_items, onesweep_items),
// stages and roles of warps (scan_ring, kRankingWarps). Another shape would be another kernel, so no row compares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace kogge::grid {

/// What a value limits. "At most" and "at least" say on which side of the value the way lies that is named. A thread of
/// a wave holds a piece of 16 bytes per row (engine/wave_shape.hpp). A ring in one cooperative launch saves the launch
/// that zeroes its tile status.
enum class Choice : std::uint8_t {
    scan_block_rows,       ///< rows per thread, at most, of a scan in one block
    scan_cluster_rows,     ///< … of a scan in one cluster, on devices that have clusters
    scan_wave_rows,        ///< … of a scan by a wave of any size; kernels may have fewer
    scan_ring_rounds,      ///< tiles per block, at most, of a scan's ring in one cooperative launch
    compact_block_rows,    ///< rows per thread, at most, of a compaction, a partition or runs in one block
    compact_cluster_rows,  ///< … in one cluster
    compact_wave_groups,   ///< batches of rows per thread, at most, of a compaction or partition by a wave
    compact_ring_rounds,   ///< tiles per block, at most, of their rings in one cooperative launch
    tile_blocks,           ///< blocks per multiprocessor, at most, of kernels whose blocks walk over tiles
    rank_sort_keys,        ///< keys, at most, of a sort that compares each with all others
    resident_sort_share,   ///< keys per block, at least, of a resident sort: a larger value gives fewer blocks
    sort_pipeline_share,   ///< items per multiprocessor, at least, of pipelined passes; by the bytes of key and value
};
inline constexpr int kChoices = static_cast<int>(Choice::sort_pipeline_share) + 1;

/// A row of the table: a value, and the size of the items that it was measured with.
struct Tuned {
    Choice what;
    std::size_t item_bytes;
    std::uint64_t value;
};
/// The row for items of `item_bytes` bytes: that of the narrowest items measured that are at least as wide, or else of
/// the widest ones. Rows of a choice go from narrow to wide. None if the choice has no row.
constexpr std::optional<Tuned> find_tuned(std::span<const Tuned> rows, Choice what, std::size_t item_bytes) {
    std::optional<Tuned> found;
    for (const Tuned& row : rows)
        if (row.what == what && (!found || found->item_bytes < item_bytes)) found = row;
    return found;
}

/// The table's value for items of `item_bytes` bytes.
std::uint64_t chosen(Choice what, std::size_t item_bytes);

}  // namespace kogge::grid
