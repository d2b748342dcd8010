// The shapes of tiles that plans and kernels agree on, where a scan or a compaction does not fit the chip at once: in
// registers and shared memory of ordinary blocks, or in the ring of a pipelined one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "kogge/plan.hpp"

namespace kogge::grid {

inline constexpr std::uint64_t kHeadsPerWord = 32;  ///< a bit an item, where a segment starts

constexpr std::uint64_t divide_up(std::uint64_t n, std::uint64_t by) { return (n + by - 1) / by; }

/// The items of tile number `tile`; the last one may have fewer than the others.
template <class Problem>
constexpr int tile_size(std::uint64_t tile, std::uint64_t n) {
    const std::uint64_t left = n - tile * Problem::kTileItems;
    return left < Problem::kTileItems ? static_cast<int>(left) : Problem::kTileItems;
}

/// Items a thread holds: 80 bytes of them, because when 32 threads read segments in 16-byte steps, a length that is an
/// odd multiple of 16 bytes has no bank conflicts.
constexpr int segment_items(std::size_t item_bytes) { return item_bytes <= 80 ? static_cast<int>(80 / item_bytes) : 1; }

inline constexpr int kScanThreads = 256;
constexpr std::size_t widest(const scan_shape& shape) {
    return shape.item_bytes > shape.result_bytes ? shape.item_bytes : shape.result_bytes;
}
constexpr int scan_items(const scan_shape& shape) { return segment_items(widest(shape)); }
/// What a block that scans holds, at most: a tile, its results beside it if they differ in size, and folds: by shuffles
/// one a warp, by other networks up to two a thread, and a carry.
constexpr std::size_t scan_shared_bytes(const scan_shape& shape, network block) {
    const std::size_t place = shape.item_bytes + (shape.item_bytes == shape.result_bytes ? 0 : shape.result_bytes);
    const std::size_t folds = block == network::shuffle ? kScanThreads / 32 : 2 * kScanThreads;
    return place * static_cast<std::size_t>(scan_items(shape) * kScanThreads) + 512 +
           (folds + 1) * shape.accumulator_bytes;
}

inline constexpr int kCompactThreads = 256;
/// A block that compacts holds a tile as it comes in, and once more in order.
constexpr std::size_t compact_shared_bytes(std::size_t item_bytes) {
    return 2 * item_bytes * static_cast<std::size_t>(segment_items(item_bytes) * kCompactThreads) + 512;
}
inline constexpr int kCountBlocks = 3;  ///< a multiprocessor, of a wave's threads, that count what a partition keeps

/// The ring of a pipelined scan: 16 warps of 32 × 80 bytes are a tile of 40 KiB, of which five fit the chip. Two tiles
/// are reduced before one is scanned, which hides the latency of the carries; three would leave too little in flight,
/// but for a compaction of bytes, whose tiles have the most items to decide about. (H200, 2^28 bytes of which half are
/// kept by a caller's predicate: 165 us, two 231.)
inline constexpr int kRingWarps = 16;
inline constexpr int kRingStages = 5;
inline constexpr int kRingAhead = 2;
constexpr int compact_ahead(std::size_t item_bytes) { return item_bytes == 1 ? 3 : 2; }
inline constexpr int kFlagRingAhead = 3;  ///< where flags decide
/// A tile is loaded in parts, and no more of them are on their way than keep the memory busy: what the blocks tell each
/// other waits behind them. (H200, scan of 2^26 bytes: 48 us, of whole tiles, all stages at once, 51.)
inline constexpr int kRingParts = 4;
inline constexpr int kRingLoading = 5;
/// But where tiles bring little, or many follow each other and hardly anything is done with them, whole. (H200, 2^28
/// items: half to f32 413 us, in parts 445; unique of runs of 1000 298, in parts 314.)
inline constexpr int kWholeTilesLoading = 3;
inline constexpr int kRingThreads = kRingWarps * 32;
inline constexpr std::size_t kRingSharedBytes =
    kRingStages * kRingThreads * 80 + 5 * 1024;  ///< at most, tables included

/// Whether a ring takes items of this size: bulk copies move whole items.
constexpr bool fits_ring(std::size_t bytes) { return bytes <= 16 && 16 % bytes == 0; }
/// The size of what is on chip of an item in a wave or a ring.
constexpr std::size_t held_bytes(const scan_shape& shape) {
    return shape.run_value_bytes > 0 ? shape.run_value_bytes : shape.item_bytes;
}
/// Of an item's place there, which its result takes.
constexpr std::size_t place_bytes(const scan_shape& shape) {
    return held_bytes(shape) > shape.result_bytes ? held_bytes(shape) : shape.result_bytes;
}
/// Whether a scan of this shape can run in a ring.
constexpr bool fits_ring(const scan_shape& shape) {
    return fits_ring(held_bytes(shape)) && fits_ring(shape.result_bytes) && shape.accumulator_bytes <= 16;
}

/// A scan's ring: by its type alone. Where results are wider or narrower than items, tiles bring little.
constexpr ring_shape scan_ring(const scan_shape& shape) {
    if (held_bytes(shape) != shape.result_bytes) return {kRingWarps, kRingStages, kRingAhead, 1, kWholeTilesLoading};
    return {kRingWarps, kRingStages, kRingAhead, kRingParts, kRingLoading};
}

/// Items of each array that a lane of a ring holds, where they have these sizes: 80 bytes of them all, and no more than
/// there are registers for. 0: a ring does not take them.
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
/// Two tiles are reduced before one is scanned. (H200, 2^28 items of three 4-byte arrays: 1202 us, three 1221.) And
/// parts are larger, because each array's is a copy of its own. (2^30 bytes of three: 411 us, in four parts 516.)
inline constexpr int kArraysRingAhead = 2;
inline constexpr int kArraysRingParts = 2;
inline constexpr int kArraysRingLoading = 3;

/// Items that a lane of a ring holds: by key and of segments no more than a word has bits.
constexpr int ring_items(const scan_shape& shape) {
    const int items = segment_items(place_bytes(shape));
    return shape.run_value_bytes > 0 && items > 20 ? 20 : items;
}

}  // namespace kogge::grid
