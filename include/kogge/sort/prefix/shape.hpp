// Shapes, shared by plans and kernels, of the work after passes over leading digits only: sorting the buckets of keys
// that agree in these digits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/pass/shape.hpp"
#include "kogge/sort/common/shape.hpp"

namespace kogge::grid {

/// Whether spans sort items of these sizes. A span is neighbouring buckets, of two leading digits of keys or of floats'
/// values, that have up to span_items(threads) items together. They are spread over span_bins(threads) bins, none of
/// which may have more than `kCrowdedBin` keys that are not in order. A multiprocessor has room for four blocks of
/// kSpanThreads, or for one of kLargeSpanThreads, which takes buckets that do not fit the former. Spans
/// of more skewed keys are sorted as batches.
constexpr bool orders_spans(std::size_t key_bytes, std::size_t value_bytes) {
    return (key_bytes == 4 || key_bytes == 8) && (value_bytes == 0 || value_bytes == 4 || value_bytes == 8);
}
inline constexpr int kSpanThreads = 256, kLargeSpanThreads = 1024;
constexpr std::uint32_t span_items(int threads) { return 18 * static_cast<std::uint32_t>(threads); }
constexpr std::uint32_t span_bins(int threads) { return 16 * static_cast<std::uint32_t>(threads); }
inline constexpr std::uint32_t kCrowdedBin = 24;
constexpr std::size_t span_shared_bytes(int threads, std::size_t item_bytes) {
    return 4 * span_bins(threads) + item_bytes * span_items(threads) + 1024;
}
inline constexpr double kMostOfSpan = 0.95;  ///< the part of a span that a bucket may be expected to fill
/// Keys per bucket, if the 2^16 buckets are equally large.
constexpr double equal_group(std::uint64_t n) { return static_cast<double>(n) / (1 << kSpanDigits * kDigitBits); }
/// The same, rounded down, but at least 1.
constexpr std::uint64_t whole_group(std::uint64_t n) { return n >> 16 > 0 ? n >> 16 : 1; }
static_assert(kSpanDigits * kDigitBits == 16);
/// Threads per block: the fewest whose span holds an equally large bucket of two digits, if that is as large as a block
/// with 8 bytes per item can hold; else keys need a third digit.
constexpr int span_threads(std::uint64_t n, std::size_t item_bytes) {
    const bool is_large = equal_group(n) > kMostOfSpan * span_items(kSpanThreads) && item_bytes <= 8 &&
                          equal_group(n) <= kMostOfSpan * span_items(kLargeSpanThreads);
    return is_large ? kLargeSpanThreads : kSpanThreads;
}
/// With values, a word of a key's size holds its distance from the lowest code, and its place. Whether that has room
/// for `groups` buckets of two digits, with `group` keys each or a little more.
constexpr bool fits_words(std::uint64_t groups, std::uint64_t group) {
    std::uint64_t places = 1;
    while (places < groups * group * 17 / 16) places *= 2;
    return groups * places <= 1 << 16;
}
/// Places per span block, which sorts the buckets that begin there. Assumes equally large buckets: as many as fit the
/// span. If words hold places (`tags_words`): fewer, so that one more bucket still fits the words, unless
/// that one would not fit the span anyway.
constexpr std::uint64_t span_places(std::uint64_t n, int threads, bool tags_words) {
    const std::uint64_t items = span_items(threads), group = whole_group(n), most = items * 31 / 32;
    const std::uint64_t fitting = most / group;
    if (fitting == 0) return most;
    std::uint64_t groups = tags_words ? 1 : fitting;
    while (groups < fitting &&
           (fits_words(groups + 2, group) || ((groups + 2) * group * 31 / 32 > items && fits_words(groups + 1, group))))
        ++groups;
    return groups * group;
}
/// Whether spans go by the values of floats: those of 32 bits. With values, a large span leaves words few bits for
/// codes, and its bins may have more equal keys than ranks can count.
constexpr bool spans_take_floats(std::size_t key_bytes, std::size_t value_bytes, int threads) {
    return key_bytes == sizeof(float) && (value_bytes == 0 || (value_bytes == 4 && threads == kSpanThreads));
}

/// Blocks that sort spans: one per slice. For keys alone at most 8192, since launching more costs time. Large blocks:
/// at most one per multiprocessor, each of which prefetches its next slice.
constexpr std::uint64_t span_blocks(std::uint64_t spans, int threads, bool has_values, int multiprocessors) {
    const std::uint64_t most = threads == kLargeSpanThreads ? static_cast<std::uint64_t>(multiprocessors)
                               : has_values                 ? spans
                                                            : 8192;
    return spans < most ? spans : most;
}

static_assert(span_shared_bytes(kLargeSpanThreads, 8) <= onesweep_shared_bytes(8), "passes need as much");

/// A batch (sort/prefix/batch_sort.cuh) is neighbouring buckets that one block sorts together, by passes on chip. Two
/// blocks fit a multiprocessor.
inline constexpr int kBatchThreads = 512;
constexpr int batch_items_per_thread(std::size_t key_bytes) { return key_bytes <= 4 ? 16 : key_bytes <= 8 ? 12 : 8; }
constexpr std::uint32_t batch_items(std::size_t key_bytes) {
    return static_cast<std::uint32_t>(batch_items_per_thread(key_bytes) * kBatchThreads);
}
constexpr std::size_t batch_shared_bytes(std::size_t key_bytes, bool has_values) {
    return kBlockSortTables + batch_items(key_bytes) * (key_bytes + (has_values ? sizeof(std::uint16_t) : 0));
}
/// Places per slice, such that the buckets that begin in a slice fit a batch if they are equally large.
constexpr std::uint64_t batch_places(std::uint64_t n, std::size_t key_bytes) {
    const std::uint64_t items = batch_items(key_bytes), group = whole_group(n);
    const std::uint64_t groups = items * 20 / 21 / group > 2 ? items * 20 / 21 / group - 1 : 1;
    return groups * group < items * 31 / 32 ? groups * group : items * 31 / 32;
}

/// A bucket too large for a block, split by all blocks (sort/prefix/large_buckets.cuh): `slices` slices from number
/// `first_slice` on.
struct LargeBucket {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint32_t first_slice;
    std::uint32_t slices;
    std::uint32_t digits;    ///< the lowest digits, in which its keys may differ
    std::uint32_t is_moved;  ///< 1: it stands in the alternate array
    std::uint32_t descends;  ///< it is out of order
};
/// The large buckets of a level, which are parts of those of the level before.
struct LargeList {
    std::uint64_t* listed;    ///< number of buckets in the upper half, of their slices in the lower
    std::uint32_t* drawn;     ///< slices of all phases
    std::uint32_t* finished;  ///< the same, done
    LargeBucket* large;
    std::uint32_t* owners;  ///< the bucket of each slice
    std::uint32_t* counts;  ///< a row of kBins per slice
};
/// Neighbouring places of an array: a bucket, or several.
struct Places {
    std::uint64_t begin;
    std::uint64_t end;
};
struct Batch {
    Places places;
    std::uint32_t is_moved;
};

/// Blocks per multiprocessor; slices per bucket at most, since each slice reads the counts of all; and tiles per slice.
inline constexpr int kLargeBlocks = 3;
inline constexpr std::uint64_t kMostSlices = 512, kSliceTiles = 8;
constexpr std::uint64_t slice_items(std::size_t widest_bytes) {
    return kSliceTiles * kTileThreads * static_cast<std::uint64_t>(tile_items(widest_bytes));
}
constexpr std::uint32_t large_slices(std::uint64_t items, std::size_t widest_bytes) {
    const std::uint64_t slices = divide_up(items, slice_items(widest_bytes));
    return static_cast<std::uint32_t>(slices < kMostSlices ? slices : kMostSlices);
}
/// The most large buckets among n keys, and the most slices of all of them: a large bucket does not fit a batch.
constexpr std::uint64_t most_large_buckets(std::uint64_t n, std::size_t key_bytes) {
    return n / batch_items(key_bytes);
}
constexpr std::uint64_t most_large_slices(std::uint64_t n, std::size_t key_bytes, std::size_t widest_bytes) {
    return most_large_buckets(n, key_bytes) + n / slice_items(widest_bytes);
}
/// The most slices whose ends are bounds of buckets.
inline std::uint64_t most_bound_slices(std::uint64_t n, const prefix_plan& prefix) {
    const std::uint64_t batches = divide_up(n, prefix.batch_places), spans = prefix.spans ? prefix.spans->spans : 0;
    return batches > spans ? batches : spans;
}

/// The threads that find the buckets around bounds, and the bounds per block.
inline constexpr int kBoundThreads = 256, kBoundLanes = 8, kBlockBounds = kBoundThreads / kBoundLanes;

/// Levels of large buckets: one per digit, one for what is left in the alternate array, and one without any.
constexpr std::uint64_t large_levels(int passes) { return static_cast<std::uint64_t>(passes) + 2; }
constexpr std::size_t large_shared_bytes(std::size_t widest_bytes) { return tile_shared_bytes(widest_bytes) + 128; }
/// The most batches listed: at most two per span, and of the parts of large buckets every two neighbours do not fit one
/// batch, unless a large part of some level lies between.
constexpr std::uint64_t most_batches(std::uint64_t spans, std::uint64_t n, std::size_t key_bytes, int passes) {
    return 2 * spans + (2 + 2 * large_levels(passes)) * (most_large_buckets(n, key_bytes) + 1);
}

}  // namespace kogge::grid
