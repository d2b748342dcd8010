// What a segmented sort will do: a pure function of (n, segments, types, options, device properties).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "kogge/plan.hpp"

namespace kogge {

/// Segments of up to `longest_short` items are sorted on chip: a block takes those that begin in a window of so many
/// places. Longer ones are sorted by passes over tiles, the tiles of all of them together.
struct segmented_sort_plan {
    int threads = 0;  ///< of a block that sorts on chip
    int items_per_thread = 0;
    std::uint64_t window_items = 0;
    std::uint64_t longest_short = 0;
    std::uint64_t windows = 0;       ///< a block each looks at one
    std::size_t shared_bytes = 0;    ///< of a block that counts
    std::size_t digit_bytes = 0;     ///< of one that sorts by digits
    std::uint32_t digit_blocks = 0;  ///< that sort by digits
    bool may_be_long = false;        ///< some segment may be longer; without, there are no passes
    std::uint64_t most_long = 0;
    int passes = 0;
    int digit_bits = 0;
    bool copies_first = false;  ///< an odd number of passes in place starts from a copy
    std::uint64_t tile_items = 0;
    std::uint64_t most_tiles = 0;
    std::uint32_t blocks = 0;        ///< of a pass
    std::uint32_t count_blocks = 0;  ///< that count the digits of all passes
    bool gathers_values = false;     ///< indices travel with the keys, and the values are gathered by them at the end
    std::size_t index_bytes = 0;
    int launches = 0;               ///< kernels, fills and copies
    std::size_t scratch_bytes = 0;  ///< what a workspace must hold

    std::uint64_t n = 0;
    std::uint64_t segments = 0;
    radix_sort_shape shape{};
};
/// Throws errc::invalid_argument when the device's chip holds too few keys of that size.
segmented_sort_plan plan_segmented_sort(std::uint64_t n, std::uint64_t segments, const radix_sort_shape& shape,
                                        const device_properties& device);
std::string to_string(const segmented_sort_plan& plan);

// ---- what plans and kernels agree on -------------------------------------------------------------------
namespace grid {

inline constexpr int kShortThreads = 512;
/// The items of a thread of a block that sorts segments on chip, and of the block.
constexpr int short_items(std::size_t key_bytes) {
    return key_bytes <= 4 ? 12 : key_bytes <= 8 ? 8 : key_bytes <= 16 ? 4 : 1;
}
constexpr std::uint64_t short_capacity(std::size_t key_bytes) {
    return static_cast<std::uint64_t>(kShortThreads) * static_cast<std::uint64_t>(short_items(key_bytes));
}
/// Segments that begin in a window of at most a third of what the block holds, and are no longer than the rest, fit the
/// block. A window is a power of two, because every segment asks for its window's number.
constexpr int window_bits(std::size_t key_bytes) { return std::bit_width(short_capacity(key_bytes) / 3) - 1; }
constexpr std::uint64_t window_items(std::size_t key_bytes) { return std::uint64_t{1} << window_bits(key_bytes); }
constexpr std::uint64_t longest_short(std::size_t key_bytes) {
    return short_capacity(key_bytes) - window_items(key_bytes);
}
/// A block that counts, and one that sorts by digits.
inline constexpr std::size_t kShortTables = 14 * 1024;
inline constexpr std::size_t kShortDigitTables = kBlockSortTables + 2 * 1024;
constexpr std::size_t short_shared_bytes(std::size_t key_bytes) {
    return kShortTables + static_cast<std::size_t>(short_capacity(key_bytes)) * key_bytes;
}
constexpr std::size_t short_digit_bytes(std::size_t key_bytes) {
    return kShortDigitTables + static_cast<std::size_t>(short_capacity(key_bytes)) * (key_bytes + 2);
}

/// The short segments that begin in a window are some of [first − 1, last], and take the places [begin, end). first ==
/// 0: there are none.
struct SegmentWindow {
    std::uint64_t first;
    std::uint64_t last;
    std::uint64_t begin;
    std::uint64_t end;
};
struct LongSegment {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t first_tile;
};

struct SegmentMemory {
    SegmentWindow* windows = nullptr;
    std::uint64_t* listed = nullptr;     ///< the number of long segments in the upper half, of tiles in the lower
    std::uint32_t* uncounted = nullptr;  ///< the number of windows left for the sort by digits
    std::uint32_t* tickets = nullptr;    ///< of the passes
    std::size_t zeroed = 0;              ///< bytes from `windows` on that are zero before the first launch
    std::uint32_t* left = nullptr;       ///< those windows
    LongSegment* longs = nullptr;
    std::uint32_t* tiles = nullptr;   ///< the long segment of each tile
    std::uint64_t* counts = nullptr;  ///< [long segment][pass][kBins]
    std::uint64_t* words = nullptr;   ///< [tile][kBins] of the look-back
    void* keys = nullptr;             ///< n keys, n values: the place that takes turns with the output
    void* values = nullptr;
    void* indices = nullptr;
    void* gathered = nullptr;  ///< a copy of the widest value array that is sorted in place
};
SegmentMemory carve_segmented_sort(detail::Carver& carver, const segmented_sort_plan& plan);

}  // namespace grid
}  // namespace kogge
