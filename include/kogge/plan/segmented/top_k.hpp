// Plans of top-k of segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kogge/plan/launch_size.hpp"
#include "kogge/plan/segmented/layout.hpp"
#include "kogge/plan/top_k.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// A warp takes each segment that is short; a block each that is long, or, of long rows of which there are few, a part.
struct segmented_top_k_plan {
    std::uint64_t segments = 0;
    std::uint64_t longest = 0;  ///< no segment is longer
    std::uint64_t k = 0;
    top_k_shape shape{};
    launch_size warps;                ///< no blocks: there is no such launch
    std::uint64_t longest_short = 0;  ///< that a warp takes
    launch_size blocks;               ///< no blocks: there is no such launch
    bool lists = false;               ///< blocks list the first ranks on chip, for a k that is not too great
    std::uint32_t parts = 1;          ///< of a row
    std::uint64_t part_items = 0;     ///< of each part but a row's last one
    std::uint32_t places = 0;         ///< of candidates, per block that has no such list
    std::uint32_t compared = 0;       ///< as top_k_select's
    std::size_t rank_bytes = 0;       ///< as top_k_select's
    int launches = 0;                 ///< kernels and fills
    std::size_t scratch_bytes = 0;
    segment_layout layout{};
};
/// Of `segments` segments of at most `longest` items, or, if `equal`, of as many each. Throws errc::invalid_argument
/// for keys that are no numbers of up to 64 bits, and for a k above 2^30 if a segment may have as many items.
segmented_top_k_plan plan_segmented_top_k(std::uint64_t segments, std::uint64_t longest, bool equal, std::uint64_t k,
                                          const top_k_shape& shape, const device_properties& device,
                                          const segment_layout& layout = {});
std::string to_string(const segmented_top_k_plan& plan);

}  // namespace kogge
