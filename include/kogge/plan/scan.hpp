// Plans of scans: one struct per algorithm, and which of them a call takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kogge/networks.hpp"
#include "kogge/plan/has_way.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// How sums are carried across blocks.
enum class grid_strategy : std::uint8_t {
    automatic,
    one_wave,   ///< on chip as a whole, one tile per block, with one barrier; on_chip if the items do not fit
    on_chip,    ///< one pass: a tile stays on chip while its carry is summed from the aggregates before it
    two_level,  ///< a fixed number of blocks: reduce, scan the block sums, scan again from the carry
    recursive,  ///< one block per tile, the sums scanned by the same method
    one_block,  ///< a single block walks over all tiles
};
inline constexpr grid_strategy one_wave = grid_strategy::one_wave;
inline constexpr grid_strategy on_chip = grid_strategy::on_chip;
inline constexpr grid_strategy two_level = grid_strategy::two_level;
inline constexpr grid_strategy recursive = grid_strategy::recursive;
inline constexpr grid_strategy one_block = grid_strategy::one_block;

struct scan_options {
    grid_strategy grid = grid_strategy::automatic;
    network block = network::shuffle;  ///< over the threads' partial sums; any other excludes waves and pipelines
};

/// The sizes that a scan's plan depends on.
struct scan_shape {
    std::size_t item_bytes;    ///< of what a tile holds: the input's value type
    std::size_t result_bytes;  ///< of the output's items
    std::size_t accumulator_bytes;
    std::size_t run_value_bytes = 0;  ///< by key or of segments: a value without its flag; 0: any other scan
    bool by_offsets = false;          ///< of segments: one bit per item says where they start
};

/// One level of a scan that is not on chip: blocks fold and later scan chunks of tiles; the next level scans their
/// sums.
struct scan_level {
    std::uint64_t tiles_per_block;
    std::uint32_t blocks;
};

/// The ring of tiles in shared memory that a pipelined block works on (engine/pipeline.cuh), and its roles.
struct ring_shape {
    int worker_warps = 0;  ///< reduce tiles, and finish them; one more loads, one publishes sums, one adds up carries
    int stages = 0;        ///< tiles on chip
    int ahead = 0;         ///< tiles that are reduced before one is finished
    int parts = 0;         ///< of a tile, each loaded and waited for by itself
    int loading = 0;       ///< parts on their way at a time
};

/// One launch; all items are on chip, a tile per block, and all blocks meet once.
struct wave_scan {
    int rows = 0;              ///< of 16 bytes per thread, in registers
    bool cluster = false;      ///< the blocks are one thread-block cluster
    bool cooperative = false;  ///< more than one block, and no cluster
};
/// A wave that also holds items in shared memory, with bulk copies (sm_90).
struct deep_wave_scan {
    bool cooperative = false;
};
/// One pass with bulk copies and warp roles (sm_90).
struct pipeline_scan {
    ring_shape ring;
    bool cooperative = false;  ///< the launch zeroes the tile status itself; otherwise a fill does
};
/// One pass; a tile stays on chip while its carry is summed from the aggregates before it.
struct tile_scan {};
/// Reduce, scan the sums, scan again.
struct level_scan {
    std::vector<scan_level> levels;
};
using scan_way = std::variant<level_scan, tile_scan, pipeline_scan, wave_scan, deep_wave_scan>;

struct scan_plan : has_way<scan_plan> {
    grid_strategy grid = grid_strategy::one_block;
    network block = network::shuffle;
    scan_way way;
    int threads = 0;  ///< that hold items; a pipelined block has three warps more
    int items_per_thread = 0;
    std::uint64_t tiles = 0;
    std::uint32_t blocks = 0;       ///< of the largest launch
    std::uint64_t mark_words = 0;   ///< of segments: bits that mark their first items, unless a wave keeps them on chip
    int launches = 0;               ///< kernels and fills
    std::size_t scratch_bytes = 0;  ///< a workspace must hold this many
};
/// Like all plans, throws errc::invalid_argument for items of no bytes, of more than 2^62 bytes in all, or too wide for
/// a block's shared memory. by_key_shape and segments_shape (typed.hpp) are the shapes of scans by key and of segments.
scan_plan plan_scan(std::uint64_t n, const scan_shape& shape, const scan_options& options,
                    const device_properties& device);

const char* to_string(grid_strategy strategy);
const char* to_string(const scan_way& way);
std::string to_string(const scan_plan& plan);

}  // namespace kogge
