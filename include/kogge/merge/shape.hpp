// The shapes of merges that plans and kernels share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid {

inline constexpr int kMergeThreads = 512;
inline constexpr int kMergeBlocks = 2;  ///< per multiprocessor

/// Wider items are not staged on chip: threads compare them where they are.
inline constexpr std::size_t kMostMergeBytes = 32;
/// Outputs per thread: about 64 bytes of staged items. Of narrow items an odd number, which spreads the threads' first
/// probes over all banks.
constexpr int merge_items(std::size_t item_bytes) {
    if (item_bytes > kMostMergeBytes) return 4;
    return item_bytes <= 4 ? 15 : item_bytes <= 8 ? 7 : item_bytes <= 16 ? 4 : 2;
}
/// Where there are few outputs, so that more blocks share them, or little shared memory: at most 37 KB.
constexpr int few_merge_items(std::size_t item_bytes) {
    const int half = (merge_items(item_bytes) + 1) / 2;
    return half < 4 ? half : 4;
}
/// A block's staged items, of two tiles, and the place of each output among them.
constexpr std::size_t merge_shared_bytes(std::size_t item_bytes, int items) {
    const std::size_t staged = item_bytes > kMostMergeBytes ? 0 : item_bytes;
    return static_cast<std::size_t>(kMergeThreads * items) * (2 * staged + sizeof(std::uint16_t)) + 128;
}

}  // namespace kogge::grid
