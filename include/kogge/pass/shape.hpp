// Shapes of splits by digits, shared by plans and kernels: the count of digits, and the tiles of a pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/digit/shape.hpp"
#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid {

/// The words of a PassControl.
inline constexpr std::size_t kPassControlWords = 20;

inline constexpr int kHistogramThreads = 1024;
inline constexpr std::size_t kHistogramTables = 3072;  ///< bytes per block
/// log2 of the stripes of each counter: as many as fit for all digits of a number of `key_bytes`; kFewStripeBits below
/// kManyStripeItems items per block.
constexpr int histogram_stripe_bits(std::size_t key_bytes) { return key_bytes <= 4 ? 5 : key_bytes <= 8 ? 4 : 3; }
inline constexpr int kFewStripeBits = 2;
inline constexpr std::uint64_t kManyStripeItems = 16384;
constexpr std::size_t histogram_bytes(int passes, int stripe_bits) {
    return kHistogramTables + (static_cast<std::size_t>(passes) * kBins * 4 << stripe_bits);
}
/// The most digits counted in one read.
constexpr int histogram_passes(std::size_t shared_bytes_per_block) {
    int passes = 32;
    while (passes > 1 && histogram_bytes(passes, kFewStripeBits) > shared_bytes_per_block) --passes;
    return passes;
}

/// A plain pass: one thread per bin, several blocks per multiprocessor.
inline constexpr int kTileThreads = kBins;
constexpr int tile_items(std::size_t widest_bytes) {
    return widest_bytes <= 4 ? 16 : widest_bytes <= 8 ? 12 : widest_bytes <= 16 ? 6 : widest_bytes <= 64 ? 2 : 1;
}
constexpr std::size_t tile_shared_bytes(std::size_t widest_bytes) {
    const std::size_t exchange = static_cast<std::size_t>(tile_items(widest_bytes)) * kTileThreads * widest_bytes;
    return (exchange + 127) / 128 * 128 + kTileThreads / 32 * kBins * 4 + kBins * 8 + 128;
}

/// A pipelined pass: one block per multiprocessor, in which 24 ranking warps fill the register file with keys at 72
/// registers per thread.
inline constexpr int kRankingWarps = 24;
inline constexpr int kLookBackWarps = 2;
/// Whether it takes items of these sizes. Others would cost more registers, and time to compile, than they are worth.
constexpr bool pipelines_items(std::size_t key_bytes, std::size_t value_bytes) {
    return key_bytes <= 16 && 16 % key_bytes == 0 &&
           (value_bytes == 0 || value_bytes == 4 || value_bytes == 8 || value_bytes == 16);
}
/// Whether a sort's key and value are one item in a pipelined pass.
constexpr bool packs_items(std::size_t key_bytes, std::size_t value_bytes) {
    return key_bytes == 4 && value_bytes == 4;
}
inline constexpr int kHelperWarps = 1 + kLookBackWarps;
inline constexpr int kOnesweepThreads = (kRankingWarps + kHelperWarps) * 32;
inline constexpr std::size_t kOnesweepTables = 35 * 1024;
/// The tiles of a super-tile. Each publishes the sum of its tiles' counts, so that look-back reads sums instead of the
/// rows of all tiles in flight.
inline constexpr std::uint32_t kSuperTile = 8;

/// Items of `item_bytes`, key and value, per thread of a pipelined pass: 128 bytes. A tile of 96 KiB is on chip twice,
/// as it comes in and in order.
constexpr int onesweep_items(std::size_t item_bytes) {
    return item_bytes <= 4 ? 32 : item_bytes <= 8 ? 16 : item_bytes <= 128 ? static_cast<int>(128 / item_bytes) : 1;
}
constexpr std::size_t onesweep_shared_bytes(std::size_t item_bytes) {
    return kOnesweepTables + 2 * item_bytes * static_cast<std::size_t>(onesweep_items(item_bytes) * kRankingWarps * 32);
}

/// The tiles of a launch of a pipelined pass. Whole tiles come first, as long as every block gets one; the rest is
/// shared out in equal tiles of whole slices, so that all blocks end together.
struct PassTiles {
    std::uint64_t n;
    std::uint32_t tiles;
    std::uint32_t whole;       ///< the number of whole tiles
    std::uint32_t rest_items;  ///< of each later tile; the last one may have fewer
};
/// `segment`: the items of a ranking warp's slice.
constexpr PassTiles share_out(std::uint64_t n, std::uint32_t segment, std::uint32_t blocks) {
    const std::uint64_t turn = static_cast<std::uint64_t>(blocks) * kRankingWarps * segment, rest = n % turn;
    const auto whole = static_cast<std::uint32_t>(n / turn) * blocks;
    if (rest == 0) return {n, whole, whole, segment};
    const auto rest_items = static_cast<std::uint32_t>(divide_up(divide_up(rest, segment), blocks)) * segment;
    return {n, whole + static_cast<std::uint32_t>(divide_up(rest, rest_items)), whole, rest_items};
}
/// The most tiles of a launch whose items fill `whole_tiles` tiles.
constexpr std::uint64_t most_pass_tiles(std::uint64_t whole_tiles, std::uint32_t blocks) {
    return divide_up(whole_tiles, blocks) * blocks;
}
/// The 64-bit words of a pass's table of counts: a row per tile, then a sum and a prefix per super-tile.
constexpr std::uint64_t look_back_words(std::uint64_t tiles) {
    return (tiles + 2 * divide_up(tiles, kSuperTile)) * (kBins / 2);
}

/// A split of few items (split/small.cuh): every block counts all items, in kFewSplitBins bins, and moves kFewSplitRows
/// rows of 32 items. For more items that takes longer than a barrier of all blocks.
inline constexpr int kFewSplitThreads = 512;
inline constexpr int kFewSplitBits = 12;
inline constexpr int kFewSplitBins = 1 << kFewSplitBits;
inline constexpr int kFewSplitRows = 2;
inline constexpr std::uint64_t kFewSplitItems = 8192;
/// Whether a split of few items of these sizes runs on chip, in one block or one cooperative launch.
constexpr bool splits_on_chip(std::size_t key_bytes, std::size_t value_bytes) {
    return key_bytes <= 16 && value_bytes <= 16;
}

}  // namespace kogge::grid
