// How the blocks of the resident sort (sort/resident/kernel.cuh) learn where their keys of each digit go.
//
// To read the counts of all blocks would take too long: each group of 16 blocks also publishes the sum of its counts,
// and a block reads the sums of all groups, and the rows of earlier blocks in its own group. A count and its
// completeness share one word: a row carries a flag, the sum of a group the number of blocks that have added to it.
// Each pass has its own words.
#pragma once

#include <cstdint>

#include "kogge/simt/device.cuh"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The counts of `bins` bins that blocks exchange in one pass: words that are written once.
template <int bins>
struct CountExchange {
    /// A group has at most 16 × 2^15 keys; the bits from kArrival on count its blocks.
    static constexpr int kArrival = 20;
    static constexpr std::uint32_t kFlag = 1u << 31;

    std::uint32_t* rows;    ///< [blocks][bins]
    std::uint32_t* groups;  ///< [groups][bins]
    bool ordered;           ///< once a block's counts are seen, what it has read may be overwritten

    /// Of a pass, whose words are `counts`: count_exchange_words(blocks, bins).
    KOGGE_DEVICE CountExchange(std::uint32_t* counts, bool in_order)
        : rows(counts), groups(counts + simt::grid_size() * bins), ordered(in_order) {}

    /// Clears the counts of some passes before any block reads them; a grid barrier must follow.
    KOGGE_DEVICE static void clear(std::uint32_t* counts, int passes) {
        const std::uint32_t words = static_cast<std::uint32_t>(passes) * count_exchange_words(simt::grid_size(), bins);
        for (std::uint32_t i =
                 simt::block_rank() * kResidentSortThreads + static_cast<std::uint32_t>(simt::thread_rank());
             i < words; i += simt::grid_size() * kResidentSortThreads)
            counts[i] = 0;
    }

    /// Publishes this block's count of a bin.
    KOGGE_DEVICE void publish(std::uint32_t bin, std::uint32_t count) const {
        const std::uint32_t block = simt::block_rank();
        if (ordered) simt::fence_device();
        simt::store_relaxed(rows + block * bins + bin, kFlag | count);
        simt::atomic_add<simt::Scope::device>(groups + block / kResidentSortGroup * bins + bin, 1u << kArrival | count);
    }

    static constexpr int kParts = 2 * kResidentSortThreads / bins;  ///< threads that learn the counts of two bins
    static_assert(kParts == 1 || kParts == 4);
    /// The counts of two bins, as all threads of a pair of bins learn them.
    struct Found {
        std::uint32_t before[2];  ///< keys in earlier blocks
        std::uint32_t of_all[2];  ///< in all blocks
    };

    /// Waits for the counts of bins 2 pair and 2 pair + 1, where pair = thread / kParts. All threads call.
    KOGGE_DEVICE Found collect() const {
        constexpr int parts = kParts, rounds = kResidentSortGroup / parts;
        constexpr std::uint64_t twice = (std::uint64_t{1} << 32) + 1;
        constexpr std::uint64_t arrivals_mask = ((1u << (32 - kArrival)) - 1) * twice;
        constexpr std::uint64_t flags = kFlag * twice;
        const int pair = simt::thread_rank() / parts, part = simt::thread_rank() % parts;
        const int blocks = static_cast<int>(simt::grid_size()), block = static_cast<int>(simt::block_rank());
        const int own = block / kResidentSortGroup, place = block % kResidentSortGroup;
        const int last = (blocks - 1) / kResidentSortGroup;
        const auto* const of_group = reinterpret_cast<const std::uint64_t*>(groups) + pair;
        const auto* const of_block =
            reinterpret_cast<const std::uint64_t*>(rows + own * kResidentSortGroup * bins) + pair;
        // The words, and their upper bits once complete. A group or block that does not exist counts as complete.
        std::uint64_t sums[rounds] = {}, counts[rounds] = {};
        [[maybe_unused]] std::uint64_t awaited[rounds];
        const auto arrivals = [&](int r) {
            const int group = r * parts + part;
            const int members = group < last    ? kResidentSortGroup
                                : group == last ? blocks - last * kResidentSortGroup
                                                : 0;
            return static_cast<std::uint64_t>(members) * twice;
        };
        if constexpr (parts > 1) for_each_item<rounds>([&](int r) { awaited[r] = arrivals(r); });
        const auto is_sum = [&](int r) {
            const std::uint64_t found = sums[r] >> kArrival & arrivals_mask;
            if constexpr (parts > 1) return found == awaited[r];
            else return found == arrivals(r);
        };
        const auto is_count = [&](int r) { return r * parts + part >= place || (counts[r] & flags) == flags; };
        const auto await = [&](bool for_sums, bool for_counts) {
            for (;;) {
                KOGGE_UNROLL
                for (int r = 0; r < rounds; ++r) {
                    const int i = r * parts + part;
                    if (for_sums && !is_sum(r)) sums[r] = simt::load_relaxed(of_group + i * (bins / 2));
                    if (for_counts && !is_count(r)) counts[r] = simt::load_relaxed(of_block + i * (bins / 2));
                }
                bool complete = true;
                KOGGE_UNROLL
                for (int r = 0; r < rounds; ++r)
                    complete = complete && (!for_sums || is_sum(r)) && (!for_counts || is_count(r));
                if (simt::all(complete)) break;  // lanes poll together: diverged lanes would take turns
                simt::poll_pause();
            }
        };
        Found found{};
        const auto add_sums = [&] {
            for_each_item<rounds>([&](int r) {
                for_each_item<2>([&](int b) {
                    const std::uint32_t sum = static_cast<std::uint32_t>(sums[r] >> 32 * b) & ((1u << kArrival) - 1);
                    found.of_all[b] += sum;
                    if (r * parts + part < own) found.before[b] += sum;
                });
            });
        };
        // Where a thread waits for 32 words, there are no registers for all of them at once.
        await(true, parts > 1);
        if constexpr (parts == 1) {
            add_sums();
            await(false, true);
        }
        if (ordered) simt::fence_device();
        if constexpr (parts > 1) add_sums();
        for_each_item<2>([&](int b) {
            for_each_item<rounds>(
                [&](int r) { found.before[b] += static_cast<std::uint32_t>(counts[r] >> 32 * b) & ~kFlag; });
            KOGGE_UNROLL
            for (int lanes = 1; lanes < parts; lanes *= 2) {
                found.before[b] += simt::shuffle_xor(found.before[b], lanes);
                found.of_all[b] += simt::shuffle_xor(found.of_all[b], lanes);
            }
        });
        return found;
    }
};

/// Returns once all blocks have moved their keys `moves` times.
KOGGE_DEVICE void finish_move(std::uint32_t* moved, std::uint32_t moves) {
    simt::sync_block();  // the block has moved its keys
    if (simt::thread_rank() == 0) {
        simt::add_release(moved, 1);
        while (simt::load_acquire(moved) < simt::grid_size() * moves) simt::poll_pause();  // others may be further
    }
    simt::sync_block();  // and all others have
}

}  // namespace kogge::grid::KOGGE_CODE
