// Plans of compactions and two-way partitions: one struct per algorithm, and which of them a call takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kogge/plan/has_way.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// One launch whose blocks hold their items on chip, one tile each, except `counted_batches`, which are read again.
/// Items are written after one barrier: of one block, of a cluster, or of the grid.
struct compact_wave {
    bool cluster = false;      ///< the blocks are one thread-block cluster
    bool cooperative = false;  ///< the blocks are one cooperative grid
    int rows = 0;              ///< per batch, of 16 bytes per thread
    int batches = 1;           ///< per tile: the counted, the packed, and perhaps one in registers
    int packed_batches = 1;    ///< in shared memory
    int counted_batches = 0;   ///< come first: counted, and read again after the barrier
};

/// What precedes the tiles of a partition into one output: kept items are counted, to know where rejected ones begin.
struct counting_pass {
    std::uint32_t blocks = 0;
    bool copies_input = false;  ///< to scratch, because the partition is in place
};

/// Tiles in a pipeline: warps have roles, so that bulk copies, decisions and stores overlap (sm_90).
struct compact_pipeline {
    bool cooperative = false;  ///< one launch, which zeroes the tile status; otherwise a fill does, before it
    std::optional<counting_pass> counting;
};

/// Tiles in shared memory, drawn by the blocks one after another.
struct compact_tiles {
    std::optional<counting_pass> counting;
};

using compact_way = std::variant<compact_wave, compact_pipeline, compact_tiles>;

/// Compaction and two-way partition.
struct compact_plan : has_way<compact_plan> {
    compact_way way;
    int arrays = 1;  ///< compacted by each launch; 1: each array by launches of its own
    std::uint64_t tiles = 0;
    std::uint64_t tile_items = 0;
    std::uint32_t blocks = 0;  ///< of the launch that moves items
    int launches = 0;          ///< kernels, fills and copies
    std::size_t scratch_bytes = 0;
};
/// The fastest way. `keep_rejected` plans a partition whose rejected items follow the kept ones, `in_place` one onto
/// its own input. Throws errc::invalid_argument for items of no bytes or too wide for the device's chip.
compact_plan plan_compact(std::uint64_t n, std::size_t item_bytes, bool keep_rejected, bool in_place,
                          const device_properties& device);

/// What the plan of a compaction of several arrays depends on.
struct compact_arrays_shape {
    std::vector<std::size_t> item_bytes;  ///< of each array
    std::size_t stencil_bytes = 0;        ///< of a stencil's items; 0: there is none
    bool byte_flags = false;              ///< byte flags decide
    bool one_by_one = false;              ///< each array by launches of its own: nvcc does not compile the calling file
};
/// One kernel for all arrays (`arrays` is their number) where their items are of 1, 2, 4, 8 or 16 bytes, and of no more
/// than 80 in all, stencil included: a wave, and where they do not fit one, from sm_90 on and unless byte flags decide,
/// a pipeline. Otherwise the plan of the array whose compaction needs the most scratch, with the launches of all, and
/// the scratch that they share.
compact_plan plan_compact_arrays(std::uint64_t n, const compact_arrays_shape& shape, const device_properties& device);

/// The way's name: "wave", "pipeline" or "tiles".
const char* to_string(const compact_way& way);
std::string to_string(const compact_plan& plan);

}  // namespace kogge
