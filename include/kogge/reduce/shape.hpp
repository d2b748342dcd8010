// The shapes that plans and kernels of reductions share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/wave_shape.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

/// Two blocks of 512 threads are resident per multiprocessor. Each thread has up to eight loads of 16 bytes in flight:
/// 128 KiB per multiprocessor, three times what hides the memory's latency on an H100, so that memory stays busy while
/// a part of the warps folds.
inline constexpr int kReduceThreads = kWaveThreads;
inline constexpr int kReduceBlocks = kWaveBlocks;
inline constexpr int kReduceWarps = kReduceThreads / 32;

/// Rows of a warp's round: 16 bytes per lane each. Fewer for small items, because each item has code of its own, for
/// wide accumulators, and where order counts, because there each row has a fold of its own, which needs registers.
constexpr int reduce_rows(const reduce_shape& shape, bool commutes = true) {
    const std::size_t widest = shape.item_bytes > shape.accumulator_bytes ? shape.item_bytes : shape.accumulator_bytes;
    if (widest > 8) return widest > 64 ? 1 : widest > 32 ? 2 : 4;
    return shape.item_bytes >= 4 && commutes ? 8 : 4;
}
/// Items of a row per lane. Inputs that are no pointers are read item by item, so that fewer items of a lane stand
/// between those of its neighbour.
constexpr int reduce_piece(std::size_t item_bytes, bool is_pointer) {
    const int items = wave_piece_items(item_bytes);
    return is_pointer || items < 4 ? items : 4;
}

/// Bytes of a block's round, about: where order counts, it may be half of that, and of arg_min and arg_max twice that.
constexpr std::uint64_t reduce_round_bytes(const reduce_shape& shape) {
    const std::size_t row = shape.item_bytes > 16 ? shape.item_bytes : 16;
    return static_cast<std::uint64_t>(kReduceThreads * reduce_rows(shape)) * row;
}

/// An upper bound of what a block keeps in shared memory: a fold per warp.
constexpr std::size_t reduce_shared_bytes(std::size_t accumulator_bytes) {
    return kReduceWarps * (accumulator_bytes + 16) + 64;
}

/// Long segments that a block lists at most.
inline constexpr std::uint32_t kMostListed = 64;
/// Parts of a segment at most, so that a warp has soon folded their folds.
inline constexpr std::uint64_t kMostParts = 4096;
/// The same of segments: also the block's list, and two words per block of the grid.
constexpr std::size_t segments_shared_bytes(std::size_t accumulator_bytes) {
    return reduce_shared_bytes(accumulator_bytes) + kMostListed * 32 + kReduceThreads * 8 + kReduceWarps * 8 + 64;
}

}  // namespace kogge::grid
