// The shapes that plans and kernels agree on for what follows passes over leading digits only: putting the groups of
// keys that agree in these in order, and sorting again what that leaves out of order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/pass/shape.hpp"

namespace kogge::grid {

/// What a block puts in order when passes over leading digits are done: keys or values of at most 32 KiB.
inline constexpr int kGroupThreads = 512;
constexpr int group_items(std::size_t widest) { return widest <= 8 ? 4096 : static_cast<int>(32768 / widest); }

/// The same where groups, of so many leading digits of keys or of floats' values, are not that small: neighbouring ones
/// of up to so many items at once, in so many bins, if none has more than `kCrowdedBin` keys that are not in order.
/// Four blocks fit a multiprocessor, or one of four times as many threads, for groups that do not fit these.
/// Keys of many digits that are not even enough may still be ordered in small groups.
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
inline constexpr double kMostOfSpan = 0.95;  ///< that a group may be expected to have
/// The keys of a group, if there are 2^16 of the same size.
constexpr double equal_group(std::uint64_t n) { return static_cast<double>(n) / (1 << kSpanDigits * kDigitBits); }
/// The same in whole keys, at least one.
constexpr std::uint64_t whole_group(std::uint64_t n) { return n >> 16 > 0 ? n >> 16 : 1; }
static_assert(kSpanDigits * kDigitBits == 16);
/// Of the smallest blocks that equal groups fit; 0: they fit none.
constexpr int span_threads(std::uint64_t n) {
    for (const int threads : {kSpanThreads, kLargeSpanThreads})
        if (equal_group(n) <= kMostOfSpan * span_items(threads)) return threads;
    return 0;
}
/// With values a word holds a key's way from the lowest code and its place: whether so many groups of two digits, of
/// this size or a little more, have room for that.
constexpr bool fits_words(std::uint64_t groups, std::uint64_t group) {
    std::uint64_t places = 1;
    while (places < groups * group * 17 / 16) places *= 2;
    return groups * places <= 1 << 16;
}
/// The places of which a block has the groups that begin there, if there are 2^16 groups of the same size: as many of
/// these as fit, and with values no more than fit words when there is another one, unless that one cannot fit the chip.
constexpr std::uint64_t span_stretch(std::uint64_t n, int threads, bool has_values) {
    const std::uint64_t items = span_items(threads), group = whole_group(n);
    const std::uint64_t fitting = items * 31 / 32 / group > 0 ? items * 31 / 32 / group : 1;
    std::uint64_t groups = has_values ? 1 : fitting;
    while (groups < fitting &&
           (fits_words(groups + 2, group) || ((groups + 2) * group * 31 / 32 > items && fits_words(groups + 1, group))))
        ++groups;
    return groups * group;
}
/// Whether spans may be of the values of floats, which are those of 32 bits. With others' values, a large one leaves
/// few bits of words for codes, and its bins may have more equal keys than ranks go.
constexpr bool spans_take_floats(std::size_t key_bytes, int threads, bool has_values) {
    return key_bytes == sizeof(float) && (!has_values || threads == kSpanThreads);
}

/// Whether a plan may put small groups in order: in place of spans, or where these will not do.
template <class Plan>
constexpr bool orders_small_groups(const Plan& plan) {
    return plan.orders_groups && (plan.span_threads == 0 || plan.shape.key_bytes > 4);
}
/// Of a plan that puts spans in order.
template <class Plan>
constexpr std::uint32_t span_stretches(const Plan& plan) {
    return static_cast<std::uint32_t>(divide_up(plan.n, plan.span_stretch));
}
/// Blocks that put spans in order: as many as there are stretches, but of keys alone no more than start in no time, and
/// of large ones those that are resident, which let the next stretch come while they have one.
constexpr std::uint64_t span_blocks(std::uint64_t stretches, int threads, bool has_values, int multiprocessors) {
    const std::uint64_t most = threads == kLargeSpanThreads ? static_cast<std::uint64_t>(multiprocessors)
                               : has_values                 ? stretches
                                                            : 8192;
    return stretches < most ? stretches : most;
}

static_assert(span_shared_bytes(kLargeSpanThreads, 8) <= split_shared_bytes(8), "passes need as much");

/// Blocks a multiprocessor that sort again what is out of order.
inline constexpr int kAgainBlocks = 3;
/// Groups that are too large for `order_groups` are listed, up to so many.
constexpr std::uint32_t most_large_groups(std::uint64_t n) {
    return n / 16384 < 1024 ? static_cast<std::uint32_t>(n / 16384) : 1024;
}

struct LargeGroup {
    std::uint64_t begin;  ///< any place of the group, until it is found where it begins
    std::uint64_t end;
};

}  // namespace kogge::grid
