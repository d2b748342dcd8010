// Shapes, shared by plans and kernels, of the work after passes over leading digits only: sorting the buckets of keys
// that agree in these digits, and the fallback for a result that is out of order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/pass/shape.hpp"

namespace kogge::grid {

/// A block of small_buckets.cuh: a tile of keys or values of at most 32 KiB.
inline constexpr int kGroupThreads = 512;
constexpr int group_items(std::size_t widest) { return widest <= 8 ? 4096 : static_cast<int>(32768 / widest); }

/// Whether spans sort items of these sizes. A span is neighbouring buckets, of two leading digits of keys or of floats'
/// values, that have up to span_items(threads) items together. They are spread over span_bins(threads) bins, none of
/// which may have more than `kCrowdedBin` keys that are not in order. A multiprocessor has room for four blocks of
/// kSpanThreads, or for one of kLargeSpanThreads, which takes buckets that do not fit the former. Keys of many digits
/// that are too skewed for spans may still be sorted in small buckets.
constexpr bool orders_spans(std::size_t key_bytes, std::size_t value_bytes) {
    return (key_bytes == 4 && (value_bytes == 0 || value_bytes == 4)) || (key_bytes == 8 && value_bytes == 0);
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
/// Threads per block: the fewest whose span holds an equally large bucket; 0: none does.
constexpr int span_threads(std::uint64_t n) {
    for (const int threads : {kSpanThreads, kLargeSpanThreads})
        if (equal_group(n) <= kMostOfSpan * span_items(threads)) return threads;
    return 0;
}
/// With values, a word of 32 bits holds a key's distance from the lowest code, and its place. Whether that has room for
/// `groups` buckets of two digits, with `group` keys each or a little more.
constexpr bool fits_words(std::uint64_t groups, std::uint64_t group) {
    std::uint64_t places = 1;
    while (places < groups * group * 17 / 16) places *= 2;
    return groups * places <= 1 << 16;
}
/// Places per span block, which sorts the buckets that begin there. Assumes equally large buckets. Keys only: as many
/// buckets as fit the span. With values: fewer, so that one more bucket still fits the words, unless that one would not
/// fit the span anyway.
constexpr std::uint64_t span_stretch(std::uint64_t n, int threads, bool has_values) {
    const std::uint64_t items = span_items(threads), group = whole_group(n);
    const std::uint64_t fitting = items * 31 / 32 / group > 0 ? items * 31 / 32 / group : 1;
    std::uint64_t groups = has_values ? 1 : fitting;
    while (groups < fitting &&
           (fits_words(groups + 2, group) || ((groups + 2) * group * 31 / 32 > items && fits_words(groups + 1, group))))
        ++groups;
    return groups * group;
}
/// Whether spans go by the values of floats: those of 32 bits. With values, a large span leaves words few bits for
/// codes, and its bins may have more equal keys than ranks can count.
constexpr bool spans_take_floats(std::size_t key_bytes, int threads, bool has_values) {
    return key_bytes == sizeof(float) && (!has_values || threads == kSpanThreads);
}

/// Blocks that sort spans: one per slice. For keys alone at most 8192, since launching more costs time. Large blocks:
/// at most one per multiprocessor, each of which prefetches its next slice.
constexpr std::uint64_t span_blocks(std::uint64_t stretches, int threads, bool has_values, int multiprocessors) {
    const std::uint64_t most = threads == kLargeSpanThreads ? static_cast<std::uint64_t>(multiprocessors)
                               : has_values                 ? stretches
                                                            : 8192;
    return stretches < most ? stretches : most;
}

static_assert(span_shared_bytes(kLargeSpanThreads, 8) <= split_shared_bytes(8), "passes need as much");

/// Blocks of the fallback per multiprocessor.
inline constexpr int kAgainBlocks = 3;
/// The most buckets too large for `order_groups` that are listed.
constexpr std::uint32_t most_large_groups(std::uint64_t n) {
    return n / 16384 < 1024 ? static_cast<std::uint32_t>(n / 16384) : 1024;
}

struct LargeGroup {
    std::uint64_t begin;  ///< any place of the bucket, until its bounds are found
    std::uint64_t end;
};

}  // namespace kogge::grid
