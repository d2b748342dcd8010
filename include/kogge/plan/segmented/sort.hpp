// Plans of segmented sorts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kogge/plan/radix_sort.hpp"
#include "kogge/plan/segmented/layout.hpp"

namespace kogge {

/// Segments of up to `longest_short` items are sorted on chip: a block takes those that begin in a window of
/// `window_items` places. Longer segments are first split together by their highest digit, those still long by the
/// next, and so on.
struct segmented_sort_plan {
    int threads = 0;  ///< of a block that sorts on chip
    int items_per_thread = 0;
    std::uint64_t window_items = 0;
    std::uint64_t longest_short = 0;
    std::uint64_t windows = 0;       ///< one block per window
    std::size_t shared_bytes = 0;    ///< of a block that spreads
    std::size_t digit_bytes = 0;     ///< of one that sorts by digits
    std::uint32_t digit_blocks = 0;  ///< that sort by digits
    bool may_be_long = false;        ///< some segment may be longer; false: nothing is split
    std::uint64_t most_long = 0;
    int passes = 0;  ///< digits, and levels of splits at most
    int digit_bits = 0;
    std::uint64_t tile_items = 0;
    std::uint64_t most_tiles = 0;
    std::uint32_t blocks = 0;       ///< that split, all of them resident
    std::size_t index_bytes = 0;    ///< as radix_sort_plan's
    std::uint64_t row_length = 0;   ///< not 0: rows of so many keys are sorted one after another (plan_radix_sort)
    int launches = 0;               ///< kernels, fills and copies
    std::size_t scratch_bytes = 0;  ///< a workspace must hold this many

    std::uint64_t n = 0;
    std::uint64_t segments = 0;
    radix_sort_shape shape{};
    segment_layout layout{};
};
/// Rows of so many keys per multiprocessor keep a device busy each, and are sorted one after another. (H100: a sort of
/// 2^20 f32+u32 alone takes 46 us. H200: four segments of 2^24, sorted together, 2.8 ms, four sorts of 2^24 1.7 ms.)
inline constexpr std::uint64_t kRowKeysApart = 7168;

/// As plan_radix_sort; also throws errc::invalid_argument if the chip holds too few keys of that size.
segmented_sort_plan plan_segmented_sort(std::uint64_t n, std::uint64_t segments, const radix_sort_shape& shape,
                                        const device_properties& device, const segment_layout& layout = {});
std::string to_string(const segmented_sort_plan& plan);

}  // namespace kogge
