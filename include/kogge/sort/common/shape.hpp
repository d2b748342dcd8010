// The shapes of sorts on chip, or without passes, that plans and kernels agree on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/pass/shape.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

/// What plans ask of a call's keys and values.
radix_sort_shape sort_shape(std::size_t key_bytes, int begin_bit, int end_bit, bool in_place, bool writes_keys,
                            bool merges_keys, std::span<const value_array> values);

bool sorts_all_bits(const radix_sort_shape& shape);
/// Equal keys are the same, and nothing else moves: passes may leave equal digits in any order.
bool stability_is_unobservable(const radix_sort_shape& shape);

/// What moves with a key, as planned: its value, the value's index, or nothing.
template <class Plan>
std::size_t moved_value_bytes(const Plan& plan) {
    return plan.index_bytes > 0 ? plan.index_bytes : plan.shape.values.empty() ? 0 : plan.shape.values[0].bytes;
}

/// A sort that compares: a block has 32 keys, and up to so many threads compare them with all; two blocks fit a
/// multiprocessor.
inline constexpr int kRankSortThreads = 1024;
constexpr std::size_t rank_sort_shared_bytes(std::size_t key_bytes) {
    return static_cast<std::size_t>(kRankSortThreads) * ((key_bytes < 4 ? 4 : key_bytes) + 4);
}

/// A sort that counts values; then there is a block for so many keys to fill.
inline constexpr int kCountThreads = 1024, kFillThreads = 512;
inline constexpr std::uint64_t kFillLeast = 1024;
constexpr std::size_t count_shared_bytes(std::size_t key_bytes) { return (key_bytes == 1 ? 32 : 128) * 1024; }
/// Counts of all values; of 16 bits also of groups of 256, and the counters of each block that counts.
constexpr std::size_t value_count_bytes(std::size_t key_bytes, std::size_t blocks) {
    return key_bytes == 1 ? kBins * 8 : (kBins + 1) * kBins * 8 + blocks * count_shared_bytes(key_bytes);
}

/// Of more bytes than are compared as fast, one block counts and fills up to so many.
inline constexpr std::uint64_t kRankSortBytes = 1024, kBlockCountKeys = 16384;
inline constexpr std::size_t kBlockCountTables = 10 * 1024;

inline constexpr int kBlockSortThreads = 1024;
inline constexpr std::size_t kBlockSortTables = 34 * 1024;
/// The most items a thread of the one-block sort holds.
constexpr int block_sort_items(std::size_t key_bytes, bool has_values) {
    return key_bytes <= 4 ? (has_values ? 8 : 16) : key_bytes <= 8 ? (has_values ? 4 : 8) : key_bytes <= 16 ? 4 : 1;
}
constexpr std::size_t block_sort_bytes(int threads, std::size_t key_bytes, bool has_values) {
    return kBlockSortTables + static_cast<std::size_t>(threads * block_sort_items(key_bytes, has_values)) *
                                  (key_bytes + (has_values ? 2 : 0));
}

/// A sort by one cooperative launch: a block a multiprocessor holds up to 256 bytes of keys a thread, in 64 registers
/// of it, then of their values, and at most 2^15 keys.
inline constexpr int kResidentSortThreads = 512;
inline constexpr int kResidentSortGroup = 16;  ///< blocks whose counts are added up; there are at most so many groups
inline constexpr std::size_t kResidentSortTables = 20 * 1024;
constexpr int resident_joint_items(std::size_t key_bytes, std::size_t value_bytes) {  // keys and values in registers
    const std::size_t words = (key_bytes + 3) / 4 + (value_bytes + 3) / 4;
    return words <= 8 ? static_cast<int>(64 / words / 4 * 4) : 1;
}
constexpr int resident_sort_items(std::size_t key_bytes, std::size_t value_bytes) {
    const int joint = resident_joint_items(key_bytes, value_bytes);
    const int apart = resident_joint_items(key_bytes > value_bytes ? key_bytes : value_bytes, 0);
    return value_bytes == 0 || joint >= 32 || apart < joint ? joint : apart < 32 ? apart : 32;
}
/// Whether a thread's values follow once its keys are on chip, because there are no registers for both.
constexpr bool resident_values_follow(int items, std::size_t key_bytes, std::size_t value_bytes) {
    return value_bytes > 0 && items > resident_joint_items(key_bytes, value_bytes);
}
/// The most items a thread has of a range of codes: fewer keys alone than in a pass, because to find what is in order
/// takes registers too, and more pairs, because of values only indices travel.
constexpr int resident_bucket_items(std::size_t key_bytes, std::size_t value_bytes) {
    const int items = resident_joint_items(key_bytes, value_bytes);
    if (items < 4) return items;
    return (value_bytes > 0 ? items * 5 / 4 : key_bytes <= 4 ? items * 5 / 8 : items * 3 / 4) / 4 * 4;
}
/// The bytes that a block needs of each of them.
constexpr std::size_t resident_bucket_bytes(std::size_t key_bytes, std::size_t value_bytes) {
    return value_bytes == 0 ? key_bytes : (key_bytes > value_bytes ? key_bytes : value_bytes) + 2;
}
/// Keys that a block sorts sooner than all blocks make passes over digits, so that others may have fewer.
inline constexpr std::uint32_t kQuickBucketKeys = 6144;
/// Of more keys in a range, so many share a wide digit that two passes are faster: of 4000, by 5 % of a sort.
inline constexpr std::uint32_t kMostOfWide = 2560;
/// Keys that are not uniform go by so many bins, whose bounds are quantiles of a sample.
inline constexpr int kQuantileBits = 10, kQuantileBins = 1 << kQuantileBits;
/// The keys a thread has in the pass by quantiles, and the most in a bucket: of it, the code's words travel one by one.
constexpr int quantile_chunk_items(std::size_t key_bytes) { return key_bytes <= 8 ? 32 : 16; }
inline constexpr int kQuantileBucketItems = 40;
/// Whether such a pass pays: it and a sort on chip take about 25 µs on an H100 beside what grows with a block's keys,
/// so passes over digits are as fast for fewer; and where buckets have less room, one of 132 may not fit.
constexpr bool quantiles_pay(std::uint64_t chunk, int passes, std::uint64_t bucket_items) {
    return chunk * static_cast<std::uint64_t>(passes) >= 24 * 1024 && 4 * bucket_items >= 5 * chunk;
}
/// The tables of a pass by quantiles: bounds, targets, a row of 16-bit counters per warp.
constexpr std::size_t quantile_table_bytes(std::size_t key_bytes) {
    return kQuantileBins * (key_bytes + 4 + kResidentSortThreads / 32 * 2) + 512;
}
/// What precedes them in shared memory: a block's keys or values with their bins, or its bucket's with their indices.
constexpr std::size_t quantile_item_bytes(std::size_t key_bytes, std::size_t value_bytes) {
    return (key_bytes > value_bytes ? key_bytes : value_bytes) + 2;
}
/// What a block's keys, values and bins take behind the tables, if values have a place beside keys.
constexpr std::size_t quantile_beside_bytes(std::uint64_t chunk, std::size_t key_bytes, std::size_t value_bytes) {
    return kResidentSortTables + quantile_table_bytes(key_bytes) +
           static_cast<std::size_t>(chunk) * (key_bytes + value_bytes + 2);
}
/// Whether keys alone of this size may be ranked in arrival order.
constexpr bool ranks_by_arrival(std::size_t key_bytes) { return key_bytes <= 4; }
/// The keys of a block: whole rows of a warp.
template <class Number>
constexpr Number resident_sort_chunk(Number n, std::uint32_t blocks) {
    return ((n + blocks - 1) / blocks + 31) / 32 * 32;
}
/// The counts that blocks hand to each other in a pass: a row of each block, then one of each group.
constexpr std::uint32_t count_exchange_words(std::uint32_t blocks, int bins) {
    return (blocks + (blocks + kResidentSortGroup - 1) / kResidentSortGroup) * static_cast<std::uint32_t>(bins);
}
inline constexpr int kResidentSortPasses = 16;  ///< at most
constexpr std::size_t resident_sort_bytes(std::uint64_t chunk, std::size_t item_bytes) {
    return kResidentSortTables +
           static_cast<std::size_t>(divide_up(chunk, kResidentSortThreads)) * kResidentSortThreads * item_bytes;
}

}  // namespace kogge::grid
