// Plans of selections by rank in segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kogge/plan/launch_size.hpp"
#include "kogge/plan/segmented/layout.hpp"
#include "kogge/plan/select.hpp"

namespace kogge {

/// A warp takes each segment whose codes it can hold, bit by bit; a block each longer one, by rounds of counting.
struct segmented_select_plan {
    std::uint64_t segments = 0;
    std::uint64_t longest = 0;  ///< no segment is longer
    select_shape shape{};
    segment_layout layout{};
    launch_size warps;                ///< no blocks: there is no such launch
    std::uint64_t longest_short = 0;  ///< that a warp takes
    launch_size blocks;               ///< no blocks: there is no such launch
    std::size_t rank_bytes = 0;       ///< of a key's code and index
    int launches = 0;                 ///< kernels and fills
    std::size_t scratch_bytes = 0;
};
/// Of `segments` segments of at most `longest` items, or, if `equal`, of as many each. Throws errc::invalid_argument
/// for keys that are no numbers of up to 64 bits.
segmented_select_plan plan_segmented_select(std::uint64_t segments, std::uint64_t longest, bool equal,
                                            const select_shape& shape, const device_properties& device,
                                            const segment_layout& layout = {});
std::string to_string(const segmented_select_plan& plan);

}  // namespace kogge
