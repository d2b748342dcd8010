// Shapes of segmented sorts, shared by plans and kernels, and their scratch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kogge/exec.hpp"
#include "kogge/plan/segmented/sort.hpp"
#include "kogge/sort/common/shape.hpp"

namespace kogge::grid {

/// The most items per thread of a block that sorts segments on chip; `widest_bytes`: of key or value, the wider one.
inline constexpr int kShortThreads = 512;
constexpr int short_items(std::size_t widest_bytes) {
    return widest_bytes <= 4 ? 16 : widest_bytes <= 8 ? 12 : widest_bytes <= 16 ? 8 : 1;
}
/// Shared memory per block for `items` per thread. A block that spreads has tables; the keys, a counter per place, the
/// keys' bins and origins; and of values, 2 bytes each for their targets, and the values themselves in place of the
/// rest.
inline constexpr std::size_t kShortTables = 4 * 1024;
constexpr std::size_t short_shared_bytes(int items, std::size_t key_bytes, std::size_t value_bytes) {
    const std::size_t of_key = key_bytes + 6, widest = of_key > value_bytes ? of_key : value_bytes;
    return kShortTables + static_cast<std::size_t>(items * kShortThreads) * (widest + (value_bytes > 0 ? 2 : 0));
}
/// A window that has no longer segments is sorted within warps (segmented/tiny.cuh).
inline constexpr std::uint32_t kTinyItems = 32;
/// A block that sorts by digits has twice the threads.
inline constexpr int kShortDigitThreads = 1024;
inline constexpr std::size_t kShortDigitTables = kBlockSortTables + kShortTables + 2 * 1024;
constexpr std::size_t short_digit_bytes(int items, std::size_t key_bytes) {
    return kShortDigitTables + static_cast<std::size_t>(items * kShortThreads) * (key_bytes + 2);
}
/// The items per thread that both kinds of block can hold in `shared_bytes`; 0: none.
constexpr int short_items_on_chip(std::size_t key_bytes, std::size_t value_bytes, std::size_t shared_bytes) {
    int items = short_items(key_bytes > value_bytes ? key_bytes : value_bytes);
    while (items > 0 && (short_shared_bytes(items, key_bytes, value_bytes) > shared_bytes ||
                         short_digit_bytes(items, key_bytes) > shared_bytes))
        --items;
    return items;
}
/// Places per window. A block sorts the segments that begin in its window; they fit if none is longer than the rest of
/// its capacity. Windows are whole rows of 32 places. The smaller segments are on average, the more of the capacity a
/// window takes; for few items windows are small enough that all multiprocessors have some.
inline constexpr std::uint64_t kLeastWindow = 256;
constexpr std::uint64_t window_items(std::uint64_t capacity, std::uint64_t n, std::uint64_t segments,
                                     std::uint64_t multiprocessors) {
    std::uint64_t mean = n / (segments + 1);
    while (mean > capacity / 3 * 2) mean /= kBins;  // what a split leaves of a long segment
    const std::uint64_t most = mean <= capacity / 128  ? capacity / 4 * 3
                               : mean <= capacity / 16 ? capacity / 2
                                                       : capacity / 3;
    return (std::min)(most / 32, (std::max)(divide_up(n, 64 * multiprocessors), kLeastWindow / 32)) * 32;
}

/// Where the items of a segment are. A mark of two bits at the segment's first place says so as well; none: no segment
/// begins at the place.
enum class SegmentPlace : std::uint32_t { none, input, other, output };

/// Blocks per multiprocessor of a split of long segments, for which registers suffice.
inline constexpr int kLongBlocks = 3;
/// Numbers of so many bytes or more are first split by a table: the cell that the highest kCellBits bits of a code name
/// has a bin. A table is a byte per cell; then, per bin, the number of low bits in which its keys may differ.
inline constexpr std::size_t kTableKeyBytes = 4;
inline constexpr int kCellBits = 12;
inline constexpr std::size_t kTableCells = std::size_t{1} << kCellBits;
inline constexpr std::size_t kTableBytes = kTableCells + kBins;
/// Levels of splits: one by table, one per digit that may be left; and one that moves what is sorted to the output.
constexpr int long_levels(int passes) { return passes + 2; }
constexpr bool has_tables(std::size_t key_bytes, bool merges_keys) {
    return !merges_keys && key_bytes >= kTableKeyBytes;
}
/// Shared memory of a block that splits long segments.
constexpr std::size_t long_shared_bytes(std::size_t key_bytes, std::size_t value_bytes, bool tables) {
    return tile_shared_bytes(key_bytes > value_bytes ? key_bytes : value_bytes) + (tables ? kTableCells : 0);
}

struct LongSegment {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t first_tile;
    SegmentPlace from;
    int bits;    ///< the low bits in which its keys may differ
    bool whole;  ///< nothing moves: all keys share the digit
};
/// The long segments of a level.
struct LongList {
    std::uint64_t* listed = nullptr;  ///< number of long segments in the upper half, of their tiles in the lower
    LongSegment* longs = nullptr;
    std::uint32_t* tiles = nullptr;   ///< the long segment of each tile
    std::uint64_t* counts = nullptr;  ///< [long segment][kBins]: counts of the digit, then the bins' first places
    std::uint64_t most = 0;           ///< long segments that there is room for; ascending offsets never need more
    std::uint64_t most_tiles = 0;
};

/// A part of a segment longer than kPieceItems, whose indices are made to count from the segment's begin.
struct SegmentPiece {
    std::uint64_t begin;
    std::uint64_t from;
    std::uint64_t to;
};
inline constexpr std::uint64_t kPieceItems = 2048;
constexpr std::uint64_t most_pieces(std::uint64_t n) { return 2 * (n / kPieceItems); }
struct SegmentPieces {
    std::uint64_t* listed = nullptr;
    SegmentPiece* pieces = nullptr;
    std::uint64_t most = 0;
};

struct SegmentMemory {
    std::uint32_t* marks = nullptr;      ///< per 32 places: the low bits of their marks, then the high bits
    std::uint64_t* listed = nullptr;     ///< [long_levels + 1]: of each level's list
    std::uint32_t* uncounted = nullptr;  ///< the number of windows left for the sort by digits
    std::uint32_t* tiny = nullptr;       ///< the number of windows sorted within warps
    std::uint32_t* falls = nullptr;      ///< not 0: an offset is less than the one before it, and nothing is sorted
    std::uint32_t* tickets = nullptr;    ///< [long_levels]: of each level's splits
    std::size_t zeroed = 0;              ///< bytes from `marks` on that are zero before the first launch
    std::uint32_t* left = nullptr;       ///< the windows left
    LongList lists[2];                   ///< levels alternate; `listed` is not set
    unsigned char* tables = nullptr;     ///< [long segment of the first level][kTableBytes]
    std::uint64_t* words = nullptr;      ///< [tile][kBins], of the look-back
    void* keys = nullptr;                ///< n keys, n values: the buffer that alternates with the output
    void* values = nullptr;
    void* indices = nullptr;
    void* gathered = nullptr;         ///< a copy of the widest value array that is sorted in place
    std::uint64_t* begins = nullptr;  ///< stored offsets, or begins and ends
    std::uint64_t* ends = nullptr;
    void* sorted_keys = nullptr;             ///< n keys that an argsort does not return
    std::uint32_t* covered = nullptr;        ///< with ends: a bit per item, set in segments
    std::uint64_t* covered_items = nullptr;  ///< the sum of the segments' lengths
    SegmentPieces pieces{};

    KOGGE_HOST_DEVICE LongList list(int level) const {
        LongList list = lists[level % 2];
        list.listed = listed + level;
        return list;
    }
};
SegmentMemory carve_segmented_sort(detail::Carver& carver, const segmented_sort_plan& plan);

}  // namespace kogge::grid
