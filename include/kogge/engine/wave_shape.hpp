// The shapes of waves that plans and kernels share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "kogge/engine/tile_shape.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

/// A wave is a grid whose blocks hold the whole input of a scan or a compaction at once, one tile per block. Registers
/// hold up to eight rows of 16 bytes per thread, at 64 registers per thread.
inline constexpr int kWaveThreads = 512;
inline constexpr int kWaveBlocks = 2;                          ///< per multiprocessor
inline constexpr std::uint64_t kMostWaveTiles = kWaveThreads;  ///< one aggregate per thread
inline constexpr int kWaveRows[] = {1, 2, 4, 8};
/// The most rows of a scan's wave: 128 bytes per thread. Fewer for small items, because each item has code of its own.
constexpr int most_scan_rows(std::size_t item_bytes) {
    if (item_bytes > 16) return item_bytes > 64 ? 1 : item_bytes > 32 ? 2 : 4;
    return item_bytes >= 4 ? 8 : item_bytes == 2 ? 4 : 2;
}
/// The most rows of a batch of a compaction: half as many, because ranks need registers too.
constexpr int most_compact_rows(std::size_t item_bytes) {
    return item_bytes > 32 ? 1 : item_bytes > 16 || item_bytes == 1 ? 2 : 4;
}
/// Rows of a batch of a partition that reads some items twice, which needs registers too.
inline constexpr int kCountedRows = 2;
constexpr bool may_count_rows(std::size_t item_bytes) { return most_compact_rows(item_bytes) == 2 * kCountedRows; }
/// The most rows where runs are found: registers hold the keys alone. (H200, 16 MB of 4-byte keys, in a graph: run
/// lengths 11.2 us, by a pipeline 15.4.)
constexpr int most_run_rows(std::size_t key_bytes) {
    return key_bytes == 4 || (key_bytes >= 8 && key_bytes <= 16) ? 8 : most_compact_rows(key_bytes);
}
/// A tile's largest aggregate of runs: their number and where the last one begins.
inline constexpr std::size_t kRunTallyBytes = 8;
/// The same for any scan. By key and of segments, folds are wider than values, and each item has a bit of one word.
/// (H200, 12 MB of 4-byte values, in a graph: segments 16.7 us, by a pipeline 19.0; 16 MB: 22.3 and 22.5.)
constexpr int most_scan_rows(const scan_shape& shape) {
    if (shape.run_value_bytes == 0) return most_scan_rows(place_bytes(shape));
    const int most = most_scan_rows(shape.accumulator_bytes);
    return place_bytes(shape) == 1 ? 2 : place_bytes(shape) == 4 || most < 4 ? most : 4;
}
constexpr int wave_piece_items(std::size_t item_bytes) {
    return item_bytes <= 16 && 16 % item_bytes == 0 ? static_cast<int>(16 / item_bytes) : 1;
}

/// Several arrays: a lane holds equally many items of each, as many as of one array whose items have arrays_place_bytes
/// bytes. That is the widest item's size, or more, so that one row of all arrays has at most 96 bytes per lane.
inline constexpr std::size_t kArraysRowsBytes = 96;
constexpr std::size_t arrays_place_bytes(std::span<const std::size_t> item_bytes) {
    std::size_t place = 1, all = 0;
    for (const std::size_t bytes : item_bytes) {
        place = bytes > place ? bytes : place;
        all += bytes;
    }
    while (place < 16 && 16 / place * all > kArraysRowsBytes) place *= 2;
    return place;
}
constexpr std::size_t arrays_place_bytes(std::initializer_list<std::size_t> item_bytes) {
    return arrays_place_bytes(std::span<const std::size_t>(item_bytes.begin(), item_bytes.size()));
}
/// The most rows of several arrays.
constexpr int most_arrays_rows(std::span<const std::size_t> item_bytes) {
    const std::size_t place = arrays_place_bytes(item_bytes);
    std::size_t all = 0;
    for (const std::size_t bytes : item_bytes) all += bytes * (16 / place);
    int most = 1;
    for (const int rows : kWaveRows)
        if (rows <= most_compact_rows(place) && static_cast<std::size_t>(rows) * all <= kArraysRowsBytes) most = rows;
    return most;
}
constexpr int most_arrays_rows(std::initializer_list<std::size_t> item_bytes) {
    return most_arrays_rows(std::span<const std::size_t>(item_bytes.begin(), item_bytes.size()));
}

/// The most shared memory through which the warps of a wave's block exchange aggregates.
constexpr std::size_t wave_table_bytes(std::size_t aggregate_bytes) {
    return kWaveThreads / 32 * 3 * aggregate_bytes + 64;
}
/// Shared memory for the marks of a tile's segments, or for a packed row of each warp where runs are reduced.
inline constexpr std::size_t kWaveMarkBytes = 16 * 1024 + 64;

/// A deep wave: a thread has rows in registers and kDeepSlices slices of 112 bytes in shared memory, up to 256 bytes
/// in all. 112 is an odd number of 16-byte units, as in a pipeline; two blocks per multiprocessor leave room for two
/// slices.
inline constexpr int kDeepSlices = 2, kDeepRows = 2;
inline constexpr std::size_t kDeepSegmentBytes = 112;
constexpr std::size_t deep_shared_bytes(std::size_t aggregate_bytes) {
    return kDeepSlices * (kWaveThreads * kDeepSegmentBytes + kWaveThreads / 32 * 8) + 128 +
           wave_table_bytes(aggregate_bytes);
}
/// Whether a scan of this shape has a deep wave. (H200, 32 MB, in a graph: 8-byte items 22.2 us, by a pipeline 25.8;
/// 4-byte items 22.5 and 23.0; smaller items gain nothing.)
constexpr bool fits_deep_wave(const scan_shape& shape) {
    return fits_ring(shape) && shape.run_value_bytes == 0 && shape.item_bytes == 8 && shape.result_bytes == 8 &&
           shape.accumulator_bytes <= 8;
}
constexpr int deep_items(std::size_t item_bytes) {
    return static_cast<int>((kDeepSlices * kDeepSegmentBytes + kDeepRows * 16) / item_bytes);
}

}  // namespace kogge::grid
