// The shapes of segmented sorts that plans and kernels agree on, and their scratch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kogge/exec.hpp"
#include "kogge/plan_segmented_sort.hpp"
#include "kogge/sort/common/shape.hpp"

namespace kogge::grid {

/// A block that sorts segments on chip holds at most so many items a thread whose wider part, key or value, has so many
/// bytes.
inline constexpr int kShortThreads = 512;
constexpr int short_items(std::size_t widest_bytes) {
    return widest_bytes <= 4 ? 16 : widest_bytes <= 8 ? 12 : widest_bytes <= 16 ? 8 : 1;
}
/// What a block has in shared memory for `items` a thread. One that spreads: tables, the keys, a counter a place, the
/// keys' bins and places they come from, and the order of the values.
inline constexpr std::size_t kShortTables = 4 * 1024;
constexpr std::size_t short_shared_bytes(int items, std::size_t key_bytes, std::size_t value_bytes) {
    return kShortTables + static_cast<std::size_t>(items * kShortThreads) * (key_bytes + (value_bytes > 0 ? 8 : 6));
}
/// One that sorts by digits has twice the threads.
inline constexpr int kShortDigitThreads = 1024;
inline constexpr std::size_t kShortDigitTables = kBlockSortTables + kShortTables + 2 * 1024;
constexpr std::size_t short_digit_bytes(int items, std::size_t key_bytes) {
    return kShortDigitTables + static_cast<std::size_t>(items * kShortThreads) * (key_bytes + 2);
}
/// The items a thread that both hold where a block has so much shared memory; 0: none.
constexpr int short_items_on_chip(std::size_t key_bytes, std::size_t value_bytes, std::size_t shared_bytes) {
    int items = short_items(key_bytes > value_bytes ? key_bytes : value_bytes);
    while (items > 0 && (short_shared_bytes(items, key_bytes, value_bytes) > shared_bytes ||
                         short_digit_bytes(items, key_bytes) > shared_bytes))
        --items;
    return items;
}
/// Segments that begin in a window, and are no longer than the rest of what the block holds, fit the block. Windows
/// are whole rows of 32 places: the smaller segments are on average, the more of the capacity, and for few items such
/// that all multiprocessors have some.
inline constexpr std::uint64_t kLeastWindow = 256;
constexpr std::uint64_t window_items(std::uint64_t capacity, std::uint64_t n, std::uint64_t segments,
                                     std::uint64_t multiprocessors) {
    const std::uint64_t mean = n / (segments + 1);
    const std::uint64_t most = mean <= capacity / 128  ? capacity / 4 * 3
                               : mean <= capacity / 16 ? capacity / 2
                                                       : capacity / 3;
    return (std::min)(most / 32, (std::max)(divide_up(n, 64 * multiprocessors), kLeastWindow / 32)) * 32;
}

/// Where the items of a segment stand; a mark of two bits at the segment's first place says so as well. No mark: no
/// segment begins there.
enum class SegmentPlace : std::uint32_t { none, input, other, output };

/// So many blocks of a split of long segments fit a multiprocessor's registers.
inline constexpr int kLongBlocks = 3;

struct LongSegment {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t first_tile;
    SegmentPlace from;
    bool whole;  ///< all keys share the digit: nothing moves
};
/// The long segments of a level.
struct LongList {
    std::uint64_t* listed = nullptr;  ///< their number in the upper half, that of their tiles in the lower
    LongSegment* longs = nullptr;
    std::uint32_t* tiles = nullptr;   ///< the long segment of each tile
    std::uint64_t* counts = nullptr;  ///< [long segment][kBins]: of the digit, then the places of the bins
    std::uint64_t most = 0;           ///< as many as there is room for, which ascending offsets never exceed
    std::uint64_t most_tiles = 0;
};

struct SegmentMemory {
    std::uint32_t* marks = nullptr;      ///< of 32 places: the low bits of their marks, then the high ones
    std::uint64_t* listed = nullptr;     ///< [passes + 1]: of each level's list
    std::uint32_t* uncounted = nullptr;  ///< the number of windows left for the sort by digits
    std::uint32_t* falls = nullptr;      ///< not 0: some offset is less than the one before it, and nothing is sorted
    std::uint32_t* tickets = nullptr;    ///< [passes]: of each level's splits
    std::size_t zeroed = 0;              ///< bytes from `marks` on that are zero before the first launch
    std::uint32_t* left = nullptr;       ///< those windows
    LongList lists[2];                   ///< levels take turns; without `listed`
    std::uint64_t* words = nullptr;      ///< [tile][kBins] of the look-back
    void* keys = nullptr;                ///< n keys, n values: the place that takes turns with the output
    void* values = nullptr;
    void* indices = nullptr;
    void* gathered = nullptr;  ///< a copy of the widest value array that is sorted in place

    KOGGE_HOST_DEVICE LongList list(int level) const {
        LongList list = lists[level % 2];
        list.listed = listed + level;
        return list;
    }
};
SegmentMemory carve_segmented_sort(detail::Carver& carver, const segmented_sort_plan& plan);

}  // namespace kogge::grid
