// Plans of compactions and two-way partitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kogge/simt/runtime.hpp"

namespace kogge {

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

std::string to_string(const compact_plan& plan);

}  // namespace kogge
