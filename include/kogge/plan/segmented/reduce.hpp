// Plans of reductions of segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kogge/plan/reduce.hpp"
#include "kogge/plan/segmented/layout.hpp"

namespace kogge {

/// What becomes of segments that are too long for a warp.
enum class segmented_reduce_way {
    all_short,   ///< there are none
    own_blocks,  ///< each block folds those that it comes across
    listed,      ///< blocks list them for each other, and warps share their parts
    row_blocks,  ///< a block takes each row
    row_parts,   ///< warps share the parts of all rows
};
struct segmented_reduce_plan {
    segmented_reduce_way way = segmented_reduce_way::all_short;
    std::uint32_t lanes = 1;          ///< that take a segment together, as many as its expected length is worth
    std::uint64_t longest_short = 0;  ///< items of a segment that a warp takes
    std::uint64_t part_items = 0;     ///< the fewest of a part but the last one
    std::uint64_t most_parts = 0;     ///< room for folds of parts; where it is short, a warp takes the segment
    std::uint64_t parts_per_row = 0;  ///< of row_parts
    std::uint32_t blocks = 0;
    bool cooperative = false;       ///< the blocks meet
    int threads = 0;                ///< per block
    int launches = 0;               ///< kernels
    std::size_t scratch_bytes = 0;  ///< a workspace must hold this many
    std::uint64_t segments = 0;
    segment_layout layout{};
};
/// Of `segments` segments of n items, or, if `equal`, of n / segments items each. Throws as plan_reduce.
segmented_reduce_plan plan_segmented_reduce(std::uint64_t n, std::uint64_t segments, bool equal,
                                            const reduce_shape& shape, const device_properties& device,
                                            const segment_layout& layout = {});
/// The way's name: "all_short", ...
const char* to_string(segmented_reduce_way way);
std::string to_string(const segmented_reduce_plan& plan);

}  // namespace kogge
