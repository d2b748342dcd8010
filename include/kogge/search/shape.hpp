// The shapes of searches that plans and kernels share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid {

inline constexpr int kSearchThreads = 256;
inline constexpr int kSearchBlocks = 4;   ///< per multiprocessor
inline constexpr int kSearchNeedles = 4;  ///< of a thread, searched side by side
inline constexpr std::uint64_t kSearchTile = kSearchThreads * kSearchNeedles;

/// A block keeps so many of the sorted items, evenly spaced, on chip: the top levels of its searches.
inline constexpr int kSearchPivots = 1024;
inline constexpr std::size_t kMostPivotBytes = 16;  ///< wider items are not kept
constexpr std::size_t search_shared_bytes(std::size_t item_bytes) {
    return item_bytes > kMostPivotBytes ? 0 : kSearchPivots * item_bytes;
}

}  // namespace kogge::grid
