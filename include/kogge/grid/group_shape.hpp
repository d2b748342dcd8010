// The shapes that plans and kernels agree on for what follows passes over leading digits only: putting the groups of
// keys that agree in these in order, and sorting again what that leaves out of order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/grid/split_shape.hpp"

namespace kogge::grid {

/// What a block puts in order when passes over leading digits are done: keys or values of at most 32 KiB.
inline constexpr int kGroupThreads = 512;
constexpr int group_items(std::size_t widest) { return widest <= 8 ? 4096 : static_cast<int>(32768 / widest); }

/// The same where groups, of so many leading digits of keys or of floats' values, are not that small: neighbouring ones
/// of up to so many items at once, in so many bins, if none has more than `kCrowdedBin` keys that are not in order.
/// Four blocks fit a multiprocessor, or one of four times as many threads, for groups that do not fit these.
inline constexpr int kSpanDigits = 2;
constexpr bool orders_spans(std::size_t key_bytes, std::size_t value_bytes) {
    return key_bytes == 4 && (value_bytes == 0 || value_bytes == 4);
}
inline constexpr int kSpanThreads = 256, kLargeSpanThreads = 1024;
constexpr std::uint32_t span_items(int threads) { return 18 * static_cast<std::uint32_t>(threads); }
constexpr std::uint32_t span_bins(int threads) { return 16 * static_cast<std::uint32_t>(threads); }
inline constexpr std::uint32_t kCrowdedBin = 24;
constexpr std::size_t span_shared_bytes(int threads, bool has_values) {
    return 4 * span_bins(threads) + (has_values ? 8 : 4) * span_items(threads) + 1024;
}
inline constexpr double kMostOfSpan = 0.95;  ///< that a group may be expected to have
/// The keys of a group, if there are 2^16 of the same size.
constexpr double equal_group(std::uint64_t n) { return static_cast<double>(n) / (1 << kSpanDigits * kDigitBits); }
/// Of the smallest blocks that equal groups fit; 0: they fit none.
constexpr int span_threads(std::uint64_t n) {
    for (const int threads : {kSpanThreads, kLargeSpanThreads})
        if (equal_group(n) <= kMostOfSpan * span_items(threads)) return threads;
    return 0;
}
/// The places of which a block has the groups that begin there, if there are 2^16 groups of the same size: so many
/// groups that one more fits, and with values fits 32 bits beside the places of its keys; of large ones as many as fit.
constexpr std::uint64_t span_stretch(std::uint64_t n, int threads, bool has_values) {
    const std::uint64_t group = n >> 16 > 0 ? n >> 16 : 1, fitting = span_items(threads) * 31 / 32 / group;
    if (fitting < 8 || !has_values) return fitting > 0 ? fitting * group : span_items(threads);
    std::uint64_t groups = 1;
    for (std::uint64_t more = 2; more <= fitting; ++more) {
        std::uint64_t places = 1;
        while (places * 31 / 32 <= more * group) places *= 2;
        if (more * places <= 1 << 16) groups = more - 1;
    }
    return groups * group;
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
