// What a call will do: pure functions of (n, types, options, device properties). They need no GPU; the launchers follow
// the same plan, and scratch_bytes is what a workspace must hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kogge/exec.hpp"
#include "kogge/networks.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// How a scan crosses blocks.
enum class grid_strategy : std::uint8_t {
    automatic,
    one_wave,   ///< on chip as a whole, a tile a block, with one barrier; on_chip where the items do not fit
    on_chip,    ///< one pass: a tile stays on chip while its carry is summed from the aggregates before it
    two_level,  ///< a fixed number of blocks: reduce, scan the block sums, scan again from the carry
    recursive,  ///< one block a tile, the sums scanned by the same method
    one_block,  ///< a single block walks over all tiles
};
inline constexpr grid_strategy one_wave = grid_strategy::one_wave;
inline constexpr grid_strategy on_chip = grid_strategy::on_chip;
inline constexpr grid_strategy two_level = grid_strategy::two_level;
inline constexpr grid_strategy recursive = grid_strategy::recursive;
inline constexpr grid_strategy one_block = grid_strategy::one_block;

struct scan_options {
    grid_strategy grid = grid_strategy::automatic;
    network block = network::shuffle;  ///< the network over the threads' partial sums
};

/// The sizes that a scan's plan depends on.
struct scan_shape {
    std::size_t item_bytes;    ///< of what a tile holds: the input's value type
    std::size_t result_bytes;  ///< of the output's items
    std::size_t accumulator_bytes;
    std::size_t run_value_bytes = 0;  ///< of a scan by key or of segments: of the values; the input's are flagged too
};

/// One level of a scan that is not on chip: blocks fold and later scan chunks of tiles; the next level scans their
/// sums.
struct scan_level {
    std::uint64_t tiles_per_block;
    std::uint32_t blocks;
};

struct scan_plan {
    grid_strategy grid = grid_strategy::one_block;
    network block = network::shuffle;
    int rows = 0;              ///< of a wave: of 16 bytes a thread
    bool deep = false;         ///< a wave that also holds items in shared memory, with bulk copies (sm_90)
    bool pipelined = false;    ///< on chip with bulk copies and warp roles (sm_90)
    bool cluster = false;      ///< the blocks of a wave are one thread-block cluster
    bool cooperative = false;  ///< all blocks are resident at once, and nothing has to be zeroed before
    int threads = 0;           ///< that hold items; a pipelined block has three warps more
    int items_per_thread = 0;
    std::uint64_t tiles = 0;
    std::uint32_t blocks = 0;        ///< of the largest launch
    std::vector<scan_level> levels;  ///< empty for one_wave and on_chip
    int launches = 0;                ///< kernels and fills
    std::size_t scratch_bytes = 0;   ///< what a workspace must hold
};
/// Like all plans, throws errc::invalid_argument for more items than memory can hold.
scan_plan plan_scan(std::uint64_t n, const scan_shape& shape, const scan_options& options,
                    const device_properties& device);

/// Compaction and two-way partition.
struct compact_plan {
    bool one_wave = false;     ///< on chip as a whole, a tile a block, by one launch
    int rows = 0;              ///< of a wave: of 16 bytes a thread
    int groups = 1;            ///< of a wave: of so many rows
    int packed_groups = 1;     ///< in shared memory: all, or all but the last
    int counted_groups = 0;    ///< before them, which are only counted at first, and read again
    bool pipelined = false;    ///< with bulk copies and warp roles (sm_90)
    bool cluster = false;      ///< the blocks of a wave are one thread-block cluster
    bool cooperative = false;  ///< all blocks are resident at once, and nothing has to be zeroed before
    int threads = 0;
    int items_per_thread = 0;
    std::uint64_t tiles = 0;
    std::uint32_t blocks = 0;
    std::uint32_t count_blocks = 0;  ///< of the counting pass of a partition; 0: there is none
    bool copies_input = false;       ///< to scratch, first
    int launches = 0;
    std::size_t scratch_bytes = 0;
};
/// `keep_rejected` plans a partition whose rejected items follow the kept ones, `in_place` one onto its own input.
compact_plan plan_compact(std::uint64_t n, std::size_t item_bytes, bool keep_rejected, bool in_place,
                          const device_properties& device);
/// Finding the runs of equal keys: a compaction whose wave has one group.
compact_plan plan_runs(std::uint64_t n, std::size_t key_bytes, const device_properties& device);

/// The layout of a value array that moves with the keys of a sort.
struct value_layout {
    std::size_t bytes;
    std::size_t alignment;
};

struct radix_sort_shape {
    std::size_t key_bytes;
    int begin_bit = 0;
    int end_bit = 0;
    bool in_place = true;
    bool writes_keys = true;             ///< false for argsort
    std::vector<value_layout> values{};  ///< none: keys only
    bool merges_keys = false;            ///< keys that differ may count as equal: struct keys, some float orders
};

/// Passes of a split by digits, least significant first; or all of them on chip, by one block.
struct radix_sort_plan {
    bool one_block = false;         ///< a single launch without scratch of the split
    bool compares = false;          ///< no passes: a single launch compares each key with all others
    bool counts_bins = false;       ///< a split's only pass by a single launch, in which each block counts all items
    bool one_grid = false;          ///< a single cooperative launch, all blocks of which hold their keys on chip
    bool pipelined = false;         ///< passes of many tiles, in which loading, ranking and storing overlap
    bool counts_values = false;     ///< no passes: each value is counted, and written as often as it was met
    std::uint32_t range_items = 0;  ///< of one_grid: by ranges of codes, if they are even and have at most so many keys
    int threads = 0;
    int items_per_thread = 0;
    int passes = 0;
    int digit_bits = 0;           ///< of each pass; the last one may have fewer
    bool reorders_first = false;  ///< the first pass may leave equal digits in any order
    bool checks_order = false;    ///< all passes may; the result is checked, and sorted again if it is out of order
    bool orders_groups = false;   ///< the device may choose passes over leading digits only, and orders what they leave
    std::uint64_t span_stretch = 0;  ///< of orders_groups: many keys may be in a group, and a block has so many places
    bool gathers_values = false;     ///< indices travel with the keys, and the values are gathered by them at the end
    std::size_t index_bytes = 0;     ///< of those indices
    std::uint64_t tile_items = 0;
    std::uint64_t tiles = 0;
    std::uint64_t part_tiles = 0;  ///< a pass is one launch for each so many tiles
    std::uint32_t parts = 0;
    std::uint32_t blocks = 0;      ///< of a pass
    std::size_t shared_bytes = 0;  ///< of a block of a pass
    std::uint32_t histogram_blocks = 0;
    std::uint32_t group_blocks = 0;  ///< of a launch that puts groups of equal leading digits in order
    std::uint32_t again_blocks = 0;  ///< of the launch that sorts again what is out of order
    int launches = 0;                ///< kernels, fills and copies
    std::size_t scratch_bytes = 0;   ///< what a workspace must hold

    std::uint64_t n = 0;
    radix_sort_shape shape{};
};
/// The fastest way whose scratch is at most `scratch_limit`; throws errc::out_of_memory, naming the least, if there is
/// none.
radix_sort_plan plan_radix_sort(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device,
                                std::size_t scratch_limit = kNoLimit);
/// A split into bins is a sort by the bits [0, log2(bins)) of the bin number; values always travel with their keys.
radix_sort_plan plan_split(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device);

const char* to_string(grid_strategy strategy);
std::string to_string(const scan_plan& plan);
std::string to_string(const compact_plan& plan);
std::string to_string(const radix_sort_plan& plan);

// ---- what plans and kernels agree on -------------------------------------------------------------------
namespace grid {

/// Tiles whose aggregates are folded together before they are folded into a carry.
inline constexpr int kGroupTiles = 32;

/// A published value of so many bytes is split over 64-bit words that each carry a flag; larger ones have one flag.
constexpr bool slot_is_split(std::size_t bytes) { return bytes <= 32; }
constexpr int slot_words(std::size_t bytes) { return slot_is_split(bytes) ? static_cast<int>((bytes + 3) / 4) : 1; }

inline constexpr int kScanThreads = 256;

/// A wave is a grid whose blocks hold the whole input at once, a tile each: in registers up to eight rows of 16 bytes a
/// thread, at 64 registers.
inline constexpr int kWaveThreads = 512;
inline constexpr int kWaveBlocks = 2;                          ///< a multiprocessor
inline constexpr std::uint64_t kMostWaveTiles = kWaveThreads;  ///< a thread an aggregate
inline constexpr int kWaveRows[] = {1, 2, 4, 8};
/// The most rows of a scan's wave: 128 bytes a thread, fewer of small items, each of which has code of its own.
constexpr int most_scan_rows(std::size_t item_bytes) {
    if (item_bytes > 16) return item_bytes > 64 ? 1 : item_bytes > 32 ? 2 : 4;
    return item_bytes >= 4 ? 8 : item_bytes == 2 ? 4 : 2;
}
/// Of a group of a compaction's: half of that, because it needs registers for ranks too.
constexpr int most_compact_rows(std::size_t item_bytes) {
    return item_bytes > 32 ? 1 : item_bytes > 16 || item_bytes == 1 ? 2 : 4;
}
/// Of a group of a partition that reads some of its items twice, which needs registers for that.
inline constexpr int kCountedRows = 2;
constexpr bool may_count_rows(std::size_t item_bytes) { return most_compact_rows(item_bytes) == 2 * kCountedRows; }
constexpr int most_run_rows(std::size_t key_bytes) {
    return key_bytes >= 8 && key_bytes <= 16 ? 8 : most_compact_rows(key_bytes);
}
/// By key and of segments the folds are wider than the values, and each item has a bit of one word.
constexpr int most_scan_rows(const scan_shape& shape) {
    if (shape.run_value_bytes == 0) return most_scan_rows(shape.item_bytes);
    const int most = most_scan_rows(shape.accumulator_bytes);
    return shape.run_value_bytes == 1 ? 2 : most < 4 ? most : 4;
}
constexpr int wave_piece_items(std::size_t item_bytes) {
    return item_bytes <= 16 && 16 % item_bytes == 0 ? static_cast<int>(16 / item_bytes) : 1;
}

/// The ring of a pipelined scan: 16 warps of 32 × 80 bytes are a tile of 40 KiB, of which five fit the chip. Two tiles
/// are reduced before one is scanned, which hides the latency of the carries; three would leave too little in flight,
/// but for a compaction, which writes less than it reads (and not of bytes, which take longer to decide about, nor of
/// words).
inline constexpr int kRingWarps = 16;
inline constexpr int kRingStages = 5;
inline constexpr int kRingAhead = 2;
constexpr int compact_ahead(std::size_t item_bytes) { return item_bytes == 1 || item_bytes == 4 ? 2 : 3; }
inline constexpr int kRingThreads = kRingWarps * 32;
inline constexpr std::size_t kRingSharedBytes =
    kRingStages * kRingThreads * 80 + 5 * 1024;  ///< at most, tables included

inline constexpr int kCompactThreads = 256;
inline constexpr int kCountBlocks = 3;  ///< a multiprocessor, of a wave's threads, that count what a partition keeps

inline constexpr int kDigitBits = 8;
inline constexpr int kBins = 1 << kDigitBits;
inline constexpr int kMostPasses = 512;  ///< keys have at most 4096 bits

inline constexpr int kHistogramThreads = 1024;
inline constexpr int kHistogramPasses = 32;            ///< digits counted in one read
inline constexpr std::size_t kHistogramTables = 3072;  ///< bytes of a block's tables

/// A sort that counts values; then there is a block for so many keys to fill, which begins at a multiple of so many and
/// fills at most so many at a time.
inline constexpr int kCountThreads = 1024;
inline constexpr std::uint64_t kFillLeast = 1024;
inline constexpr std::uint64_t kFillAligned = 64;
inline constexpr std::uint64_t kFillMost = 1 << 30;
constexpr std::size_t count_shared_bytes(std::size_t key_bytes) { return (key_bytes == 1 ? 32 : 128) * 1024; }
/// Counts of all values; of 16 bits also of groups of 256, and the counters of each block that counts.
constexpr std::size_t value_count_bytes(std::size_t key_bytes, std::size_t blocks) {
    return key_bytes == 1 ? kBins * 8 : (kBins + 1) * kBins * 8 + blocks * count_shared_bytes(key_bytes);
}

/// Of more bytes than are compared as fast, one block counts and fills up to so many.
inline constexpr std::uint64_t kCompareBytes = 1024, kBlockCountKeys = 16384;
inline constexpr std::size_t kBlockCountTables = 10 * 1024;

/// A sort that compares: a block has 32 keys, and up to so many threads compare them with all; two blocks fit a
/// multiprocessor.
inline constexpr int kCompareThreads = 1024;
constexpr std::size_t compare_shared_bytes(std::size_t key_bytes) {
    return static_cast<std::size_t>(kCompareThreads) * ((key_bytes < 4 ? 4 : key_bytes) + 4);
}

inline constexpr int kBlockSortThreads = 1024;
inline constexpr std::size_t kBlockSortTables = 34 * 1024;

/// Values that kernels move with the keys. Others follow their indices at the end.
constexpr bool travels(const value_layout& value) {
    return (value.bytes == 4 || value.bytes == 8 || value.bytes == 16) && value.alignment == value.bytes;
}

/// A plain pass: a thread a bin, and several blocks a multiprocessor.
inline constexpr int kTileThreads = kBins;
constexpr int tile_items(std::size_t widest_bytes) {
    return widest_bytes <= 4 ? 16 : widest_bytes <= 8 ? 12 : widest_bytes <= 16 ? 6 : widest_bytes <= 64 ? 2 : 1;
}
constexpr std::size_t tile_shared_bytes(std::size_t widest_bytes) {
    const std::size_t exchange = static_cast<std::size_t>(tile_items(widest_bytes)) * kTileThreads * widest_bytes;
    return (exchange + 127) / 128 * 128 + kTileThreads / 32 * kBins * 4 + kBins * 8 + 128;
}

/// A pipelined pass has one block a multiprocessor: 24 ranking warps fill the register file with keys at 72 registers a
/// thread.
inline constexpr int kSplitRanking = 24;
inline constexpr int kLookBackWarps = 2;
/// Whether it takes items of these sizes; others would cost more registers, and time to compile, than they are worth.
constexpr bool pipelines_items(std::size_t key_bytes, std::size_t value_bytes) {
    return key_bytes <= 16 && 16 % key_bytes == 0 &&
           (value_bytes == 0 || value_bytes == 4 || value_bytes == 8 || value_bytes == 16);
}
/// Whether a sort's key and value are one item there.
constexpr bool packs_items(std::size_t key_bytes, std::size_t value_bytes) {
    return key_bytes == 4 && value_bytes == 4;
}
inline constexpr int kSplitHelpers = 1 + kLookBackWarps;
inline constexpr int kSplitThreads = (kSplitRanking + kSplitHelpers) * 32;
inline constexpr std::size_t kSplitTables = 35 * 1024;
/// So many tiles also add up their counts, so that nobody reads the rows of all tiles in flight.
inline constexpr std::uint32_t kSplitGroup = 8;

/// Items a thread holds: 80 bytes of them, because when 32 threads read segments in 16-byte steps, a length that is an
/// odd multiple of 16 bytes has no bank conflicts.
constexpr int segment_items(std::size_t item_bytes) { return item_bytes <= 80 ? static_cast<int>(80 / item_bytes) : 1; }

constexpr std::size_t widest(const scan_shape& shape) {
    return shape.item_bytes > shape.result_bytes ? shape.item_bytes : shape.result_bytes;
}
constexpr int scan_items(const scan_shape& shape) { return segment_items(widest(shape)); }
/// What the warps of a wave's block tell each other, at most, in shared memory.
constexpr std::size_t wave_table_bytes(std::size_t aggregate_bytes) {
    return kWaveThreads / 32 * 3 * aggregate_bytes + 64;
}
/// Whether a ring takes items of this size: bulk copies move whole items.
constexpr bool fits_ring(std::size_t bytes) { return bytes <= 16 && 16 % bytes == 0; }
/// And the marks of a tile's segments.
inline constexpr std::size_t kWaveMarkBytes = 2 * 1024 + 64;
/// The size of what is on chip of an item in a wave or a ring.
constexpr std::size_t held_bytes(const scan_shape& shape) {
    return shape.run_value_bytes > 0 ? shape.run_value_bytes : shape.item_bytes;
}
/// Whether a scan of this shape can run in a ring, where results take their items' place.
constexpr bool fits_ring(const scan_shape& shape) {
    return fits_ring(held_bytes(shape)) && held_bytes(shape) == shape.result_bytes && shape.accumulator_bytes <= 16;
}
/// A deep wave: a thread has segments of 112 bytes in shared memory, an odd number of 16-byte units as in a ring, as
/// many as two blocks a multiprocessor leave room for, and rows in registers up to 256 bytes in all.
inline constexpr int kDeepStretches = 2, kDeepRows = 2;
inline constexpr std::size_t kDeepSegmentBytes = 112;
constexpr std::size_t deep_shared_bytes(std::size_t aggregate_bytes) {
    return kDeepStretches * (kWaveThreads * kDeepSegmentBytes + kWaveThreads / 32 * 8) + 128 +
           wave_table_bytes(aggregate_bytes);
}
/// Whether there is one for scans of this shape. (H200, 32 MB, in a graph: 8 bytes 22.2 us, by a ring 25.8; 4 bytes
/// 22.5 and 23.0, and of fewer no better.)
constexpr bool fits_deep_wave(const scan_shape& shape) {
    return fits_ring(shape) && shape.run_value_bytes == 0 && shape.item_bytes == 8 && shape.accumulator_bytes <= 8;
}
constexpr int deep_items(std::size_t item_bytes) {
    return static_cast<int>((kDeepStretches * kDeepSegmentBytes + kDeepRows * 16) / item_bytes);
}
/// Items that a lane of a ring holds: by key and of segments no more than a word has bits.
constexpr int ring_items(const scan_shape& shape) {
    const int items = segment_items(held_bytes(shape));
    return shape.run_value_bytes > 0 && items > 20 ? 20 : items;
}

constexpr std::uint64_t divide_up(std::uint64_t n, std::uint64_t by) { return (n + by - 1) / by; }

/// The items of so many bytes, key and value, that a thread of a pipelined pass holds: 128 bytes, of which a tile of 96
/// KiB is on chip twice, once as it comes in and once in order.
constexpr int split_items(std::size_t item_bytes) {
    return item_bytes <= 4 ? 32 : item_bytes <= 8 ? 16 : item_bytes <= 128 ? static_cast<int>(128 / item_bytes) : 1;
}
constexpr std::size_t split_shared_bytes(std::size_t item_bytes) {
    return kSplitTables + 2 * item_bytes * static_cast<std::size_t>(split_items(item_bytes) * kSplitRanking * 32);
}

/// The 64-bit words of a pass's table of counts: a row of each tile, then of each group its sum and its prefix.
constexpr std::uint64_t split_table_words(std::uint64_t tiles) {
    return (tiles + 2 * divide_up(tiles, kSplitGroup)) * (kBins / 2);
}

/// The most items a thread of the one-block sort holds.
constexpr int block_sort_items(std::size_t key_bytes, bool has_values) {
    return key_bytes <= 4 ? (has_values ? 8 : 16) : key_bytes <= 8 ? (has_values ? 4 : 8) : key_bytes <= 16 ? 4 : 1;
}
constexpr std::size_t block_sort_bytes(int threads, std::size_t key_bytes, bool has_values) {
    return kBlockSortTables + static_cast<std::size_t>(threads * block_sort_items(key_bytes, has_values)) *
                                  (key_bytes + (has_values ? 2 : 0));
}

/// A sort by one cooperative launch: a block a multiprocessor holds up to 256 bytes of keys and values a thread, in 64
/// registers of it, and at most 2^15 keys.
inline constexpr int kGridSortThreads = 512;
inline constexpr int kGridSortGroup = 16;  ///< blocks whose counts are added up; there are at most so many groups
inline constexpr std::size_t kGridSortTables = 20 * 1024;
constexpr int grid_sort_items(std::size_t key_bytes, std::size_t value_bytes) {
    const std::size_t words = (key_bytes + 3) / 4 + (value_bytes + 3) / 4;
    return words <= 8 ? static_cast<int>(64 / words / 4 * 4) : 1;
}
/// The most items a thread has of a range of codes: fewer keys alone than in a pass, because to find what is in order
/// takes registers too, and more pairs, because of values only indices travel.
constexpr int grid_range_items(std::size_t key_bytes, std::size_t value_bytes) {
    const int items = grid_sort_items(key_bytes, value_bytes);
    if (items < 4) return items;
    return (value_bytes > 0 ? items * 5 / 4 : key_bytes <= 4 ? items * 5 / 8 : items * 3 / 4) / 4 * 4;
}
/// The bytes that a block needs of each of them.
constexpr std::size_t grid_range_bytes(std::size_t key_bytes, std::size_t value_bytes) {
    return value_bytes == 0 ? key_bytes : (key_bytes > value_bytes ? key_bytes : value_bytes) + 2;
}
/// Keys that a block sorts sooner than all blocks make passes over digits, so that others may have fewer.
inline constexpr std::uint32_t kEvenKeys = 6144;
/// Whether keys alone of this size may be ranked as the machine serves them.
constexpr bool serves_ranks(std::size_t key_bytes) { return key_bytes <= 4; }
/// The keys of a block: whole rows of a warp.
constexpr std::uint64_t grid_sort_chunk(std::uint64_t n, std::uint32_t blocks) {
    return divide_up(divide_up(n, blocks), 32) * 32;
}
/// The counts that blocks hand to each other in a pass: a row of each block, then one of each group.
constexpr std::uint32_t grid_sort_words(std::uint32_t blocks) {
    return (blocks + (blocks + kGridSortGroup - 1) / kGridSortGroup) * kBins;
}
/// A split of few items: a thread a bin, and as many items a block. For more, the counting of all of them by each block
/// takes longer than a barrier of all blocks.
inline constexpr int kFewSplitThreads = kBins;
inline constexpr std::uint64_t kFewSplitItems = 8192;
/// Whether a split of few items of these sizes is done on chip, by one block or by one cooperative launch.
constexpr bool splits_on_chip(std::size_t key_bytes, std::size_t value_bytes) {
    return key_bytes <= 16 && value_bytes <= 16;
}

inline constexpr int kGridSortPasses = 16;  ///< at most
constexpr std::size_t grid_sort_bytes(std::uint64_t chunk, std::size_t item_bytes) {
    return kGridSortTables +
           static_cast<std::size_t>(divide_up(chunk, kGridSortThreads)) * kGridSortThreads * item_bytes;
}

/// Counters stand in 2^this stripes: as many as fit for all digits of a number of so many bytes, few for few items a
/// block.
constexpr int histogram_stripe_bits(std::size_t key_bytes) { return key_bytes <= 4 ? 5 : key_bytes <= 8 ? 4 : 3; }
inline constexpr int kFewStripeBits = 2;
inline constexpr std::uint64_t kManyStripeItems = 16384;
constexpr std::size_t histogram_bytes(int passes, int stripe_bits) {
    return kHistogramTables + (static_cast<std::size_t>(passes) * kBins * 4 << stripe_bits);
}

/// What a block puts in order when passes over leading digits are done: keys or values of at most 32 KiB.
inline constexpr int kGroupThreads = 512;
constexpr int group_items(std::size_t widest) { return widest <= 8 ? 4096 : static_cast<int>(32768 / widest); }
constexpr std::size_t group_shared_bytes(std::size_t widest) {
    return 2048 + static_cast<std::size_t>(group_items(widest)) * (widest + 4);
}

/// The same where groups are not that small: neighbouring groups of up to so many items at once, in so many bins, of
/// which none of more than `kCrowdedBin` keys is searched key by key. Four blocks fit a multiprocessor.
constexpr bool orders_spans(std::size_t key_bytes, std::size_t value_bytes) {
    return key_bytes == 4 && (value_bytes == 0 || value_bytes == 4);
}
inline constexpr int kSpanThreads = kTileThreads;
inline constexpr std::uint32_t kSpanItems = 18 * kSpanThreads;
inline constexpr std::uint32_t kSpanBins = 4096;
inline constexpr std::uint32_t kCrowdedBin = 24;
inline constexpr int kSpanBeyond = 32;  ///< words that stand behind those of a span
constexpr std::size_t span_shared_bytes(bool has_values) {
    return 4 * kSpanBins + (has_values ? 8 : 4) * kSpanItems + 512;
}
inline constexpr std::uint32_t kMostSpanBlocks = 8192;  ///< of keys alone: to start more takes long for nothing
inline constexpr int kBoundThreads = 256;
/// The places of which a block has the groups that begin there, if there are 2^16 groups of the same size: so many
/// groups that one more fits, and with values fits 32 bits beside the places of its keys; of large ones as many as fit.
constexpr std::uint64_t span_stretch(std::uint64_t n, bool has_values) {
    const std::uint64_t group = n >> 16 > 0 ? n >> 16 : 1, fitting = kSpanItems * 31 / 32 / group;
    if (fitting < 8 || !has_values) return fitting > 0 ? fitting * group : kSpanItems;
    std::uint64_t groups = 1;
    for (std::uint64_t more = 2; more <= fitting; ++more) {
        std::uint64_t places = 1;
        while (places * 31 / 32 <= more * group) places *= 2;
        if (more * places <= 1 << 16) groups = more - 1;
    }
    return groups * group;
}

/// Blocks a multiprocessor that sort again what is out of order.
inline constexpr int kAgainBlocks = 3;
/// Groups that are too large for `order_groups` are listed, up to so many, and a block sorts each one of up to so many
/// keys: for more, all blocks together take no longer for all keys.
constexpr std::uint32_t most_large_groups(std::uint64_t n) {
    return n / 16384 < 1024 ? static_cast<std::uint32_t>(n / 16384) : 1024;
}
constexpr std::uint64_t most_large_keys(std::uint64_t n) { return n / 512 > 16384 ? n / 512 : 16384; }
struct LargeGroup {
    std::uint64_t begin;  ///< any place of the group, until it is found where it begins
    std::uint64_t end;
};

/// The memory behind a Board for `tiles` tiles and values of `bytes` bytes. The first `zeroed` bytes at `ticket` must
/// be zero before the launch.
struct BoardMemory {
    std::uint32_t* ticket;
    std::uint64_t* counter;  ///< a zeroed word for the caller
    std::uint64_t* words;
    void* values;
    std::size_t zeroed;
};
BoardMemory carve_board(detail::Carver& carver, std::uint64_t tiles, int words_per_slot, std::size_t large_value_bytes);

struct ScanMemory {
    BoardMemory board{};
    std::vector<void*> sums;  ///< of a wave's tiles; or one array a level that has more than one block
};
ScanMemory carve_scan(detail::Carver& carver, const scan_plan& plan, std::size_t accumulator_bytes);

struct CompactMemory {
    BoardMemory board{};
    std::uint32_t* aggregates = nullptr;  ///< of a wave's tiles
    void* items = nullptr;                ///< a copy of the input, for a partition in place
};
CompactMemory carve_compact(detail::Carver& carver, const compact_plan& plan, std::uint64_t n, std::size_t item_bytes);

/// What the passes of a split share.
inline constexpr std::size_t kSplitControlWords = 12;
struct SplitMemory {
    void* control = nullptr;              ///< a SplitControl
    std::uint32_t* tickets = nullptr;     ///< one a launch
    std::uint64_t* histograms = nullptr;  ///< passes × kBins; turned into the starts of the bins
    std::uint64_t* counts = nullptr;      ///< two tables of split_table_words(part_tiles)
    std::size_t zeroed = 0;  ///< bytes from `control` to the first table's end, zero before the first launch
    std::uint32_t* moves = nullptr;
    std::uint64_t* next_starts = nullptr;  ///< 2 × kBins, where a pass takes several launches
    void* keys = nullptr;                  ///< n keys, n values: the place that takes turns with the output
    void* values = nullptr;
    void* more_keys = nullptr;  ///< stands for the output where that takes no keys
    LargeGroup* large = nullptr;
    LargeGroup* spans = nullptr;    ///< one more than there are stretches
    LargeGroup* crowded = nullptr;  ///< twice as many as stretches
};
SplitMemory carve_split(detail::Carver& carver, const radix_sort_plan& plan);

/// What the blocks of a sort by one cooperative launch share. Nothing in it need be zero.
struct GridSortMemory {
    std::uint32_t* counts = nullptr;  ///< passes × grid_sort_words
    std::uint32_t* moved = nullptr;
    std::uint32_t* disorder = nullptr;
    void* keys = nullptr;  ///< n keys, n values: the place that takes turns with the output
    void* values = nullptr;
    void* more_keys = nullptr;  ///< stands for the output where that takes no keys
};

struct SortMemory {
    SplitMemory split{};
    GridSortMemory grid{};
    std::uint64_t* value_counts = nullptr;
    void* indices = nullptr;
    void* gathered = nullptr;  ///< a copy of the widest value array that is sorted in place
};
SortMemory carve_radix_sort(detail::Carver& carver, const radix_sort_plan& plan);

/// A value array of a sort: `in` is null for indices to be written (argsort), and may equal `out`.
struct value_array {
    const void* in;
    void* out;
    std::size_t bytes;
    std::size_t alignment;
};
radix_sort_shape sort_shape(std::size_t key_bytes, int begin_bit, int end_bit, bool in_place, bool writes_keys,
                            bool merges_keys, std::span<const value_array> values);

}  // namespace grid
}  // namespace kogge
