// What plans choose by measurement: limits between ways that all give the same result. Only lib/plan reads them,
// at run time; no kernel is compiled for them. tuning_table.hpp has the values, each with the times that chose it, and
// tools/tune.py writes it from the record that bench/tune.cpp makes.
//
// What kernels are compiled for stands where they agree on it, in the shape.hpp of their folders: threads, items and
// rows a thread (kWaveThreads, most_scan_rows, segment_items, onesweep_items), stages and roles (scan_ring, which
// scans' plans show; kRankingWarps). No row here compares those, since another shape is another kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace kogge::grid {

enum class Choice : std::uint8_t {
    scan_block_rows,     ///< rows a thread, up to which a scan's wave is one block
    scan_cluster_rows,   ///< rows a thread, up to which it is a cluster, where the device has them
    scan_wave_rows,      ///< rows a thread, up to which it is a wave at all, where kernels have so many
    scan_ring_rounds,    ///< tiles a block, up to which a scan's ring is one cooperative launch
    compact_block_rows,  ///< the same of compactions, partitions and flags
    compact_cluster_rows,
    compact_wave_groups,  ///< groups of rows a thread, up to which it is a wave, where they fit the chip
    compact_ring_rounds,
    tile_blocks,          ///< a multiprocessor, at most, of kernels whose blocks walk over tiles
    rank_sort_keys,       ///< up to which a sort compares each key with all others, where blocks are resident
    resident_sort_share,  ///< keys a block, at least, of a sort by one cooperative launch
    sort_pipeline_share,  ///< items a multiprocessor, key and value, from which on passes are pipelined
};
inline constexpr int kChoices = static_cast<int>(Choice::sort_pipeline_share) + 1;

/// A value, and for items of how many bytes it was measured.
struct Tuned {
    Choice what;
    std::size_t item_bytes;
    std::uint64_t value;
};
/// That of the narrowest measured items that are no narrower, or else of the widest; rows go from narrow to wide. None
/// when no row has the value.
constexpr std::optional<Tuned> find_tuned(std::span<const Tuned> rows, Choice what, std::size_t item_bytes) {
    std::optional<Tuned> found;
    for (const Tuned& row : rows)
        if (row.what == what && (!found || found->item_bytes < item_bytes)) found = row;
    return found;
}

/// The value for items of so many bytes.
std::uint64_t chosen(Choice what, std::size_t item_bytes);

}  // namespace kogge::grid
