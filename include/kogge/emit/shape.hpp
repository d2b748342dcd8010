// The shapes of emissions that plans and kernels share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid {

inline constexpr int kEmitThreads = 256;
inline constexpr int kEmitBlocks = 4;     ///< per multiprocessor
inline constexpr int kEmitItems = 12;     ///< per thread, if blocks have several tiles
inline constexpr int kEmitWaveItems = 4;  ///< per thread of a wave, where more blocks are faster
inline constexpr int kEmitWideItems = 8;  ///< per thread of a wave that would otherwise have too many blocks
constexpr std::uint64_t emit_tile_count(std::uint64_t n, int items) {
    return divide_up(n, static_cast<std::uint64_t>(kEmitThreads * items));
}
inline constexpr int kEmitWindow = kEmitThreads * 32;  ///< outputs: one word of bits per thread
/// The most outputs of a tile that one block makes alone. A share: the outputs of a large tile that it makes at a time.
inline constexpr std::uint64_t kEmitShare = std::uint64_t{4} * kEmitWindow;

/// Every warp of every block of a wave reads the sums of all tiles.
inline constexpr std::uint64_t kMostEmitWaveTiles = 512;
/// Tickets are 32-bit numbers, and each block draws one more after the last tile.
inline constexpr std::uint64_t kMostEmitTiles = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 16);

/// Shared memory of a wave's block: counts of `count_bytes` bytes each, heads, bits, and a network.
constexpr std::size_t emit_wave_bytes(std::size_t count_bytes, int items) {
    return (count_bytes + 4) * static_cast<std::size_t>(kEmitThreads * items) + 4 * (kEmitThreads + 2) + 8 +
           8 * (kEmitThreads / 32);
}

/// A tile whose outputs are made by all blocks.
struct LargeTile {
    std::uint64_t tile;
    std::uint64_t start;  ///< position of its first output
    std::uint64_t share;  ///< number of its first share, counted over all large tiles
};
/// Every large tile, except the last one that fits, fills more than one share.
constexpr std::uint64_t most_large_tiles(std::uint64_t tiles, std::uint64_t capacity) {
    const std::uint64_t fit = capacity / kEmitShare + 1;
    return tiles < fit ? tiles : fit;
}

/// What the blocks exchange besides the tiles' sums. Zero before the launch.
struct EmitControl {
    static constexpr int kShareBits = 40;
    std::uint64_t large;    ///< high bits: number of large tiles; low kShareBits bits: number of their shares
    std::uint32_t ticket;   ///< of shares
    std::uint32_t counted;  ///< number of counted tiles
};

}  // namespace kogge::grid
