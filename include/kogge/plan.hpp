// What a call will do: pure functions of (n, types, options, device properties). They need no GPU; the launchers follow
// the same plan, and scratch_bytes is what a workspace must hold. The numbers that plans and kernels agree on, and the
// layout of scratch, stand beside the kernels, in the shape.hpp and scratch.hpp of their folders.
#pragma once

#include <cstddef>
#include <cstdint>
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
    bool by_offsets = false;          ///< of segments: a bit an item says where they start
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

struct scan_plan {
    grid_strategy grid = grid_strategy::one_block;
    network block = network::shuffle;
    int rows = 0;              ///< of a wave: of 16 bytes a thread
    bool deep = false;         ///< a wave that also holds items in shared memory, with bulk copies (sm_90)
    bool pipelined = false;    ///< on chip with bulk copies and warp roles (sm_90)
    bool cluster = false;      ///< the blocks of a wave are one thread-block cluster
    bool cooperative = false;  ///< all blocks are resident at once, and nothing has to be zeroed before
    ring_shape ring;           ///< of a pipelined scan
    int threads = 0;           ///< that hold items; a pipelined block has three warps more
    int items_per_thread = 0;
    std::uint64_t tiles = 0;
    std::uint32_t blocks = 0;        ///< of the largest launch
    std::vector<scan_level> levels;  ///< empty for one_wave and on_chip
    std::uint64_t mark_words = 0;    ///< of segments, where no wave marks its tiles on chip
    int launches = 0;                ///< kernels and fills
    std::size_t scratch_bytes = 0;   ///< what a workspace must hold
};
/// Like all plans, throws errc::invalid_argument for items of no bytes, more than memory can hold, or too wide for a
/// block's shared memory. by_key_shape and segments_shape (scan.hpp) are the shapes of scans by key and of segments.
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
    int arrays = 1;                  ///< that are compacted at once; 1: each is by itself
    int launches = 0;
    std::size_t scratch_bytes = 0;
};
/// `keep_rejected` plans a partition whose rejected items follow the kept ones, `in_place` one onto its own input.
compact_plan plan_compact(std::uint64_t n, std::size_t item_bytes, bool keep_rejected, bool in_place,
                          const device_properties& device);

/// What the plan of a compaction of several arrays depends on.
struct compact_arrays_shape {
    std::vector<std::size_t> item_bytes;  ///< of each array
    std::size_t stencil_bytes = 0;        ///< of a stencil's items; 0: there is none
    bool byte_flags = false;              ///< decide
    bool one_by_one = false;              ///< in any case: nvcc does not compile the call's file
};
/// One kernel for all arrays (`arrays` is their number) where their items are of 1, 2, 4, 8 or 16 bytes, and of no more
/// than 80 in all, stencil included: a wave, and where they do not fit one, from sm_90 on and unless byte flags decide,
/// a ring. Otherwise the plan of the array whose compaction needs the most scratch, with the launches of all, and the
/// scratch that they share.
compact_plan plan_compact_arrays(std::uint64_t n, const compact_arrays_shape& shape, const device_properties& device);

/// What finding runs of equal keys writes of each: its first item (unique), that and the value beside it
/// (unique_by_key), or that and its length (run_length_encode).
enum class runs_output { items, values, lengths };
struct runs_shape {
    std::size_t key_bytes;
    runs_output writes;
};
/// One launch where the keys fit the chip, or a pass of bulk copies (sm_90). Of other keys and devices the first items
/// are kept by a compaction, and beside values and lengths runs are counted, scanned and written.
struct runs_plan : compact_plan {
    bool compacts = false;        ///< as plan_compact says; of items alone
    std::uint64_t stretches = 0;  ///< that are counted
    std::size_t scan_bytes = 0;   ///< of the scratch, for the scan of their tallies
};
runs_plan plan_runs(std::uint64_t n, const runs_shape& shape, const device_properties& device);

/// Emission of up to `capacity` outputs of n items.
struct emit_plan {
    bool one_wave = false;     ///< on chip as a whole, a tile a block, by one launch
    bool cluster = false;      ///< the blocks of a wave are one thread-block cluster
    bool cooperative = false;  ///< they are resident at once
    int threads = 0;
    int items_per_thread = 0;
    std::uint64_t tiles = 0;
    std::uint32_t blocks = 0;
    int launches = 0;
    std::size_t scratch_bytes = 0;
};
/// `count_bytes`: 4 where the type of an item's number of outputs has no more bytes, otherwise 8. Throws
/// errc::invalid_argument of more items than one call takes, which are 2^43 at least.
emit_plan plan_emit(std::uint64_t n, std::uint64_t capacity, std::size_t count_bytes, const device_properties& device);

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
    bool are_floats = false;             ///< in the order of all their bits
};

/// Passes of a split by digits, least significant first; or all of them on chip, by one block.
struct radix_sort_plan {
    bool one_block = false;         ///< a single launch without scratch of the split
    bool compares = false;          ///< no passes: a single launch compares each key with all others
    bool counts_bins = false;       ///< a split's only pass, by a single launch in which each block counts all items
    bool one_grid = false;          ///< a single cooperative launch, all blocks of which hold their keys on chip
    bool pipelined = false;         ///< passes of many tiles, in which loading, ranking and storing overlap
    bool counts_values = false;     ///< no passes: each value is counted, and written as often as it was met
    std::uint32_t range_items = 0;  ///< of one_grid: by ranges, if they are even and have at most so many keys
    int threads = 0;
    int items_per_thread = 0;
    int passes = 0;
    int digit_bits = 0;           ///< of each pass; the last one may have fewer
    bool reorders_first = false;  ///< the first pass may leave equal digits in any order
    bool checks_order = false;    ///< all passes may; the result is checked, and sorted again if it is out of order
    bool orders_groups = false;   ///< the device may choose passes over leading digits only, and orders what they leave
    bool samples_values = false;  ///< of orders_groups: and passes by the values of floats, if these are even
    int span_threads = 0;         ///< of orders_groups: many keys may be in a group; of a block that orders these
    std::uint64_t span_stretch = 0;  ///< places of such a block
    std::uint32_t span_blocks = 0;   ///< of the launch of those
    bool gathers_values = false;     ///< indices travel with the keys, and the values are gathered by them at the end
    std::size_t index_bytes = 0;     ///< of those indices
    std::uint64_t tile_items = 0;
    std::uint64_t tiles = 0;
    std::uint64_t part_tiles = 0;  ///< a pass is one launch for the items of each so many tiles
    std::uint32_t parts = 0;
    std::uint32_t blocks = 0;      ///< of a pass
    std::uint64_t count_rows = 0;  ///< of the tables in which the tiles of a launch of a pass leave their counts
    std::size_t shared_bytes = 0;  ///< of a block of a pass
    std::uint32_t histogram_blocks = 0;
    int histogram_passes = 0;        ///< digits counted in one read
    bool many_stripes = false;       ///< of counters, in these blocks
    std::uint32_t group_blocks = 0;  ///< of a launch that puts small groups of equal leading digits in order
    std::uint32_t again_blocks =
        0;             ///< of the launch that sorts again what is out of order, or by digits what is uneven
    int launches = 0;  ///< kernels, fills and copies
    std::size_t scratch_bytes = 0;  ///< what a workspace must hold

    std::uint64_t n = 0;
    radix_sort_shape shape{};
};
/// The fastest way whose scratch is at most `scratch_limit`; throws errc::out_of_memory, naming the least, if there is
/// none, and errc::invalid_argument for bits that are no range, and for keys or values without bytes or too wide for
/// the device.
radix_sort_plan plan_radix_sort(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device,
                                std::size_t scratch_limit = kNoLimit);
/// A split into bins is a sort by the bits [0, log2(bins)) of the bin number; values always travel with their keys.
radix_sort_plan plan_split(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device);

const char* to_string(grid_strategy strategy);
std::string to_string(const scan_plan& plan);
std::string to_string(const compact_plan& plan);
std::string to_string(const runs_plan& plan);
std::string to_string(const emit_plan& plan);
std::string to_string(const radix_sort_plan& plan);

}  // namespace kogge
