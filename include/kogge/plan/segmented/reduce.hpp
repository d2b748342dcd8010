// Plans of reductions of segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kogge/plan/reduce.hpp"
#include "kogge/plan/segmented/layout.hpp"

namespace kogge {

/// Lanes take each segment that is short; blocks, in parts, those that are long.
struct segmented_reduce_plan {
    std::uint32_t lanes = 1;          ///< that take a segment together, as many as its expected length is worth
    std::uint64_t longest_short = 0;  ///< items of a segment that a warp takes; longer ones are cut in parts
    std::uint64_t part_items = 0;     ///< of a long segment, per block
    std::uint32_t list_items = 0;  ///< long segments that a block lists at most; a warp takes others. 0: none is long
    std::uint64_t most_parts = 0;  ///< room for folds of parts; where it is short, a block takes the segment
    std::uint64_t parts_per_row = 0;  ///< of long segments of equal length, which are not listed; 0: others are
    std::uint32_t blocks = 0;
    bool cooperative = false;       ///< the blocks meet, in a cooperative launch
    bool cluster = false;           ///< or as a cluster
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
std::string to_string(const segmented_reduce_plan& plan);

}  // namespace kogge
