// The tile shapes that plans and kernels share for inputs that do not fit on chip at once: tiles in registers and
// shared memory of ordinary blocks, or in the stages of a pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "kogge/plan.hpp"

namespace kogge::grid {

inline constexpr std::uint64_t kHeadsPerWord = 32;  ///< one bit per item, set where a segment starts

constexpr std::uint64_t divide_up(std::uint64_t n, std::uint64_t by) { return (n + by - 1) / by; }

/// The number of items of tile `tile`; the last tile may have fewer.
template <class Problem>
constexpr int tile_size(std::uint64_t tile, std::uint64_t n) {
    const std::uint64_t left = n - tile * Problem::kTileItems;
    return left < Problem::kTileItems ? static_cast<int>(left) : Problem::kTileItems;
}

/// Items per thread: 80 bytes. When 32 threads read their items in 16-byte steps, a distance that is an odd multiple of
/// 16 bytes has no bank conflicts.
constexpr int segment_items(std::size_t item_bytes) { return item_bytes <= 80 ? static_cast<int>(80 / item_bytes) : 1; }

inline constexpr int kScanThreads = 256;
constexpr std::size_t widest(const scan_shape& shape) {
    return shape.item_bytes > shape.result_bytes ? shape.item_bytes : shape.result_bytes;
}
constexpr int scan_items(const scan_shape& shape) { return segment_items(widest(shape)); }
/// The most shared memory of a scanning block: a tile; the results beside it if their size differs; a carry; and the
/// folds, one per warp with shuffles, up to two per thread with other networks.
constexpr std::size_t scan_shared_bytes(const scan_shape& shape, network block) {
    const std::size_t place = shape.item_bytes + (shape.item_bytes == shape.result_bytes ? 0 : shape.result_bytes);
    const std::size_t folds = block == network::shuffle ? kScanThreads / 32 : 2 * kScanThreads;
    return place * static_cast<std::size_t>(scan_items(shape) * kScanThreads) + 512 +
           (folds + 1) * shape.accumulator_bytes;
}

inline constexpr int kCompactThreads = 256;
/// A compacting block holds a tile as it was loaded, and once more packed.
constexpr std::size_t compact_shared_bytes(std::size_t item_bytes) {
    return 2 * item_bytes * static_cast<std::size_t>(segment_items(item_bytes) * kCompactThreads) + 512;
}
/// Blocks per multiprocessor, of kWaveThreads threads, that count the kept items for a partition.
inline constexpr int kCountBlocks = 3;

/// The pipeline of a scan: 16 warps of 32 × 80 bytes make a tile of 40 KiB, and five tiles fit on chip. Two tiles are
/// reduced before one is scanned, which hides the latency of the carries. Three would leave too few loads in flight,
/// except for a compaction of bytes, whose tiles have the most items to decide about. (H200, 2^28 bytes, half of them
/// kept by a caller's predicate: three 165 us, two 231.)
inline constexpr int kRingWarps = 16;
inline constexpr int kRingStages = 5;
inline constexpr int kRingAhead = 2;
constexpr int compact_ahead(std::size_t item_bytes) { return item_bytes == 1 ? 3 : 2; }
inline constexpr int kFlagRingAhead = 3;  ///< where flags decide
/// A tile is loaded in parts, and only as many parts are in flight as keep the memory busy, because the blocks'
/// messages queue after them. (H200, scan of 2^26 bytes: 48 us; whole tiles, all stages at once, 51.)
inline constexpr int kRingParts = 4;
inline constexpr int kRingLoading = 5;
/// Whole tiles where a tile has few bytes, or where many tiles follow each other with little work each. (H200, 2^28
/// items: `half` to f32 413 us, in parts 445; unique of runs of 1000 items 298, in parts 314.)
inline constexpr int kWholeTilesLoading = 3;
inline constexpr int kRingThreads = kRingWarps * 32;
inline constexpr std::size_t kRingSharedBytes =
    kRingStages * kRingThreads * 80 + 5 * 1024;  ///< an upper bound, tables included

/// Whether a pipeline takes items of this size: bulk copies move whole items.
constexpr bool fits_ring(std::size_t bytes) { return bytes <= 16 && 16 % bytes == 0; }
/// Bytes on chip per item, in a wave or a pipeline.
constexpr std::size_t held_bytes(const scan_shape& shape) {
    return shape.run_value_bytes > 0 ? shape.run_value_bytes : shape.item_bytes;
}
/// Bytes of an item's place there, which its result takes later.
constexpr std::size_t place_bytes(const scan_shape& shape) {
    return held_bytes(shape) > shape.result_bytes ? held_bytes(shape) : shape.result_bytes;
}
/// Whether a scan of this shape can run in a pipeline.
constexpr bool fits_ring(const scan_shape& shape) {
    return fits_ring(held_bytes(shape)) && fits_ring(shape.result_bytes) && shape.accumulator_bytes <= 16;
}

/// The pipeline of a scan depends on the types alone. Where results and items differ in size, a tile has few bytes.
constexpr ring_shape scan_ring(const scan_shape& shape) {
    if (held_bytes(shape) != shape.result_bytes) return {kRingWarps, kRingStages, kRingAhead, 1, kWholeTilesLoading};
    return {kRingWarps, kRingStages, kRingAhead, kRingParts, kRingLoading};
}

/// Items of each array that a lane of a pipeline holds: 80 bytes in all, limited by registers. 0: a pipeline does not
/// take these sizes.
constexpr int arrays_items(std::span<const std::size_t> item_bytes) {
    std::size_t all = 0;
    for (const std::size_t bytes : item_bytes) {
        if (!fits_ring(bytes)) return 0;
        all += bytes;
    }
    if (all > 80) return 0;
    return all < 7 ? 12 : static_cast<int>(80 / all);
}
constexpr int arrays_items(std::initializer_list<std::size_t> item_bytes) {
    return arrays_items(std::span<const std::size_t>(item_bytes.begin(), item_bytes.size()));
}
/// Two tiles are reduced before one is finished. (H200, 2^28 items of three 4-byte arrays: 1202 us; three tiles 1221.)
/// Parts are larger, because each array's share of a part is a copy of its own. (H200, 2^30 bytes in three arrays: 411
/// us; in four parts 516.)
inline constexpr int kArraysRingAhead = 2;
inline constexpr int kArraysRingParts = 2;
inline constexpr int kArraysRingLoading = 3;

/// Items per lane of a pipeline. By key and of segments, at most one word has bits for.
constexpr int ring_items(const scan_shape& shape) {
    const int items = segment_items(place_bytes(shape));
    return shape.run_value_bytes > 0 && items > 20 ? 20 : items;
}

}  // namespace kogge::grid
