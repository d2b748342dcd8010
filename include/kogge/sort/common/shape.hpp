// The shapes of the sorts that hold all keys on chip, and of those without passes: threads per block, items per thread,
// bytes of shared memory. Plans choose by them (lib/plan/sort_*.cpp), and kernels are compiled for them, so both read
// them here. The ways are explained in sort/README.md, words such as chunk and group in kogge/README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/pass/shape.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

/// A call's keys and values as plans see them. `in_place`: the keys' output is their input.
radix_sort_shape sort_shape(std::size_t key_bytes, int begin_bit, int end_bit, bool in_place, bool writes_keys,
                            bool merges_keys, std::span<const value_array> values);

bool sorts_all_bits(const radix_sort_shape& shape);
/// Whether nobody can see in which order equal keys come out: they are the same bits, and no values move with them.
/// Then passes may rank in arrival order.
bool stability_is_unobservable(const radix_sort_shape& shape);

/// The bytes that move with a key: its value's, those of the value's index if values are gathered at the end, or 0.
template <class Plan>
std::size_t moved_value_bytes(const Plan& plan) {
    return plan.index_bytes > 0 ? plan.index_bytes : plan.shape.values.empty() ? 0 : plan.shape.values[0].bytes;
}

// ---- rank sort (sort/small/rank_sort.cuh) --------------------------------------------------------------

/// The most threads of a block, which compares its 32 keys with all others. Two such blocks fit a multiprocessor.
inline constexpr int kRankSortThreads = 1024;
/// Per thread a code, of a word at least, and a counter.
constexpr std::size_t rank_sort_shared_bytes(std::size_t key_bytes) {
    return static_cast<std::size_t>(kRankSortThreads) * ((key_bytes < 4 ? 4 : key_bytes) + 4);
}

// ---- counting sort (sort/counting/) --------------------------------------------------------------------

/// Blocks of kCountThreads count how often each value occurs, then blocks of kFillThreads write the values.
inline constexpr int kCountThreads = 1024, kFillThreads = 512;
/// Keys of the output per block that writes, at least; there are up to two such blocks per multiprocessor.
inline constexpr std::uint64_t kFillLeast = 1024;
/// A block's counters: of 256 values in 32 stripes of 4 bytes, or of 65,536 values in 2 bytes each.
constexpr std::size_t count_shared_bytes(std::size_t key_bytes) { return (key_bytes == 1 ? 32 : 128) * 1024; }
/// Scratch: a total of 8 bytes per value. With 16-bit keys also a total per group of 256 values, and the counters of
/// each block that counts, which a launch of its own adds up.
constexpr std::size_t value_count_bytes(std::size_t key_bytes, std::size_t blocks) {
    return key_bytes == 1 ? kBins * 8 : (kBins + 1) * kBins * 8 + blocks * count_shared_bytes(key_bytes);
}

/// Keys of one byte: up to kRankSortBytes a rank sort is as fast, and up to kBlockCountKeys one block counts and writes
/// (sort/counting/one_block.cuh), with kBlockCountTables bytes of shared memory.
inline constexpr std::uint64_t kRankSortBytes = 1024, kBlockCountKeys = 16384;
inline constexpr std::size_t kBlockCountTables = 10 * 1024;

// ---- sort in one block (sort/small/block_sort.cuh) -----------------------------------------------------

inline constexpr int kBlockSortThreads = 1024;  ///< at most
/// Bytes of shared memory before the keys: for each of up to 32 warps a row of 256 counters, and sums.
inline constexpr std::size_t kBlockSortTables = 34 * 1024;
/// The most keys that a thread holds in registers, with their indices if there are values.
constexpr int block_sort_items(std::size_t key_bytes, bool has_values) {
    return key_bytes <= 4 ? (has_values ? 8 : 16) : key_bytes <= 8 ? (has_values ? 4 : 8) : key_bytes <= 16 ? 4 : 1;
}
/// The tables, and per key its place in the exchange, with a 16-bit index if there are values.
constexpr std::size_t block_sort_bytes(int threads, std::size_t key_bytes, bool has_values) {
    return kBlockSortTables + static_cast<std::size_t>(threads * block_sort_items(key_bytes, has_values)) *
                                  (key_bytes + (has_values ? 2 : 0));
}

// ---- resident sort (sort/resident/) --------------------------------------------------------------------

/// One cooperative launch with at most one block per multiprocessor. A thread has 64 registers, 256 bytes, for its keys
/// and values, so a block holds at most 2^15 keys: its chunk.
inline constexpr int kResidentSortThreads = 512;
/// Blocks per group, whose counts are added up for the blocks of other groups (sort/resident/count_exchange.cuh). There
/// are at most as many groups, and so at most 256 blocks.
inline constexpr int kResidentSortGroup = 16;
/// Bytes of shared memory before the keys: the warps' counters, targets, and what is known of the block's bucket.
inline constexpr std::size_t kResidentSortTables = 20 * 1024;
/// The most items per thread whose keys and values are in registers at once: 64 registers over the words of both, in
/// multiples of four, which is how many loads are in flight together.
constexpr int resident_joint_items(std::size_t key_bytes, std::size_t value_bytes) {
    const std::size_t words = (key_bytes + 3) / 4 + (value_bytes + 3) / 4;
    return words <= 8 ? static_cast<int>(64 / words / 4 * 4) : 1;
}
/// The most items per thread. Where fewer than 32 keys fit beside their values, keys and values may take turns in the
/// registers, up to 32.
constexpr int resident_sort_items(std::size_t key_bytes, std::size_t value_bytes) {
    const int joint = resident_joint_items(key_bytes, value_bytes);
    const int apart = resident_joint_items(key_bytes > value_bytes ? key_bytes : value_bytes, 0);
    return value_bytes == 0 || joint >= 32 || apart < joint ? joint : apart < 32 ? apart : 32;
}
/// Whether values are loaded only after the keys have left the registers for shared memory, for want of registers.
constexpr bool resident_values_follow(int items, std::size_t key_bytes, std::size_t value_bytes) {
    return value_bytes > 0 && items > resident_joint_items(key_bytes, value_bytes);
}
/// The most keys per thread when a block sorts its bucket, a range of codes (sort/resident/bucket_sort.cuh). Keys
/// alone: fewer than in a pass, because the check of their order takes registers, too. With values: more than in a
/// pass, because 16-bit indices travel in place of the values.
constexpr int resident_bucket_items(std::size_t key_bytes, std::size_t value_bytes) {
    const int items = resident_joint_items(key_bytes, value_bytes);
    if (items < 4) return items;
    return (value_bytes > 0 ? items * 5 / 4 : key_bytes <= 4 ? items * 5 / 8 : items * 3 / 4) / 4 * 4;
}
/// Shared memory per key of a bucket: the key, which its value replaces at the end, and the index.
constexpr std::size_t resident_bucket_bytes(std::size_t key_bytes, std::size_t value_bytes) {
    return value_bytes == 0 ? key_bytes : (key_bytes > value_bytes ? key_bytes : value_bytes) + 2;
}
/// One block sorts this many keys in less time than all blocks take for passes over digits. So keys count as uniform if
/// no bin has more of them, even where other bins have far fewer.
inline constexpr std::uint32_t kQuickBucketKeys = 6144;
/// The most keys of a bucket that take one pass over a digit of 13 bits (sort/resident/wide_digit.cuh). With more, so
/// many keys share a digit that two passes over 8 bits are faster: with 4000, by 5 % of the sort's time.
inline constexpr std::uint32_t kMostOfWide = 2560;

// ---- the resident sort's pass by quantiles, for keys that are not uniform (sort/resident/quantile_sort.cuh) ----

/// Its bins, whose bounds are quantiles of a sample. Afterwards blocks sort their buckets by digits of kQuantileBits
/// bits at most (sort/resident/word_sort.cuh).
inline constexpr int kQuantileBits = 10, kQuantileBins = 1 << kQuantileBits;
/// The most keys per thread in the pass, and the most in a bucket. A bucket may have more, because its threads hold one
/// 32-bit word per key at a time.
constexpr int quantile_chunk_items(std::size_t key_bytes) { return key_bytes <= 8 ? 32 : 16; }
inline constexpr int kQuantileBucketItems = 40;
/// Whether the pass is faster than `passes` passes over digits, and may work out. It and the sorts of buckets take
/// about 25 µs on an H100, however few keys there are, so blocks must have enough of them. And a bucket needs room for
/// 5/4 of the average `chunk`, or one of an H100's 132 buckets may not fit.
constexpr bool quantiles_pay(std::uint64_t chunk, int passes, std::uint64_t bucket_items) {
    return chunk * static_cast<std::uint64_t>(passes) >= 24 * 1024 && 4 * bucket_items >= 5 * chunk;
}
/// The pass's own tables in shared memory: per bin its bound, its target and a 16-bit counter of each warp.
constexpr std::size_t quantile_table_bytes(std::size_t key_bytes) {
    return kQuantileBins * (key_bytes + 4 + kResidentSortThreads / 32 * 2) + 512;
}
/// Shared memory per key: in the pass, the key with its 16-bit bin; in a bucket's sort, the key with its 16-bit index.
/// Values replace keys once these have been stored.
constexpr std::size_t quantile_item_bytes(std::size_t key_bytes, std::size_t value_bytes) {
    return (key_bytes > value_bytes ? key_bytes : value_bytes) + 2;
}
/// All the shared memory of a block if values stand beside their keys in the pass, instead of replacing them,
/// which is done where there is room.
constexpr std::size_t quantile_beside_bytes(std::uint64_t chunk, std::size_t key_bytes, std::size_t value_bytes) {
    return kResidentSortTables + quantile_table_bytes(key_bytes) +
           static_cast<std::size_t>(chunk) * (key_bytes + value_bytes + 2);
}
// ---- the resident sort's passes over digits ------------------------------------------------------------

/// Whether keys without values of this size may be ranked in arrival order.
constexpr bool ranks_by_arrival(std::size_t key_bytes) { return key_bytes <= 4; }
/// The keys of a block, its chunk: an equal share of all, rounded up to whole rows of 32.
template <class Number>
constexpr Number resident_sort_chunk(Number n, std::uint32_t blocks) {
    return ((n + blocks - 1) / blocks + 31) / 32 * 32;
}
/// Words of scratch for the counts that blocks hand to each other in a pass: a row of `bins` per block, then per group.
constexpr std::uint32_t count_exchange_words(std::uint32_t blocks, int bins) {
    return (blocks + (blocks + kResidentSortGroup - 1) / kResidentSortGroup) * static_cast<std::uint32_t>(bins);
}
inline constexpr int kResidentSortPasses = 16;  ///< at most
/// Shared memory of a block in passes over digits: the tables, and an item for each register of each thread.
constexpr std::size_t resident_sort_bytes(std::uint64_t chunk, std::size_t item_bytes) {
    return kResidentSortTables +
           static_cast<std::size_t>(divide_up(chunk, kResidentSortThreads)) * kResidentSortThreads * item_bytes;
}

}  // namespace kogge::grid
