// The shapes of emissions that plans and kernels share. A tile is neighbouring items, which one block counts. Its
// outputs are made window by window. A tile with very many outputs is large: its outputs are divided into shares, which
// all blocks make.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid {

inline constexpr int kEmitThreads = 256;
inline constexpr int kEmitBlocks = 4;  ///< per multiprocessor
/// Items of a tile per thread: where blocks draw several tiles; in a wave; and in a wave whose tiles would otherwise be
/// too many, more than resident blocks or than kMostEmitWaveTiles.
inline constexpr int kEmitItems = 12;
inline constexpr int kEmitWaveItems = 4;
inline constexpr int kEmitWideItems = 8;
constexpr std::uint64_t emit_tile_count(std::uint64_t n, int items) {
    return divide_up(n, static_cast<std::uint64_t>(kEmitThreads * items));
}
/// Outputs that a block makes at a time. Each has a bit, which is set where an item's outputs begin: a word per thread.
inline constexpr int kEmitWindow = kEmitThreads * 32;
/// Outputs of a share. A tile with more than one share of outputs is large.
inline constexpr std::uint64_t kEmitShare = std::uint64_t{4} * kEmitWindow;

/// The most tiles of a wave, in which every warp of every block reads the sums of all tiles.
inline constexpr std::uint64_t kMostEmitWaveTiles = 512;
/// The number of tiles must be below this: tickets are 32-bit numbers, and each block draws one more after the last
/// tile.
inline constexpr std::uint64_t kMostEmitTiles = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 16);

/// Shared memory of a wave's block: per item a count of `count_bytes` bytes and a head, then bits and a network
/// (EmitTileShared in emit/tile.cuh).
constexpr std::size_t emit_wave_bytes(std::size_t count_bytes, int items) {
    return (count_bytes + 4) * static_cast<std::size_t>(kEmitThreads * items) + 4 * (kEmitThreads + 2) + 8 +
           8 * (kEmitThreads / 32);
}

/// A large tile, as its block records it for all blocks.
struct LargeTile {
    std::uint64_t tile;   ///< its number
    std::uint64_t start;  ///< place of its first output
    std::uint64_t share;  ///< number of its first share, counted over all large tiles in the order of recording
};
/// Room for records of large tiles. Only those that begin below `capacity` are recorded, so all but the last one fill
/// more than a share of it.
constexpr std::uint64_t most_large_tiles(std::uint64_t tiles, std::uint64_t capacity) {
    const std::uint64_t fit = capacity / kEmitShare + 1;
    return tiles < fit ? tiles : fit;
}

/// What the blocks exchange besides the tiles' numbers of outputs. Zero before the launch.
struct EmitControl {
    static constexpr int kShareBits = 40;
    std::uint64_t large;    ///< high bits: large tiles recorded; low kShareBits bits: their shares
    std::uint32_t ticket;   ///< the next share to be drawn
    std::uint32_t counted;  ///< tiles whose blocks have recorded or made them
};

}  // namespace kogge::grid
