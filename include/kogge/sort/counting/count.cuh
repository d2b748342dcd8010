// Counts how often each value occurs among keys of 8 or 16 bits. Bit patterns are counted, whatever the order asked
// for.
//
// A block counts on chip, then adds its counters to the totals. For 16 bits it writes its counters out as they are, and
// a second launch sums the counters of all blocks.
#pragma once

#include <cstdint>

#include "kogge/engine/carry.cuh"
#include "kogge/sort/counting/counts.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A block's counters on chip. 8 bits: 32 stripes, one per lane, so that lanes never meet.
template <class Key>
struct ValueCounters {
    static constexpr std::uint32_t kWords = kBins * simt::kWarpSize;
    std::uint32_t* words;
    const ValueCounts<Key>& counts;

    KOGGE_DEVICE void clear() const {
        for (std::uint32_t i = static_cast<std::uint32_t>(simt::thread_rank()); i < kWords; i += kCountThreads)
            words[i] = 0;
    }
    KOGGE_DEVICE void count(const KeyWords<Key>& pack, bool real) const {
        if (!real) return;
        KOGGE_UNROLL
        for (int k = 0; k < pack.kKeys; ++k)
            simt::atomic_add<simt::Scope::block>(words + simt::lane() + pack.key(k) * simt::kWarpSize, 1);
    }
    KOGGE_DEVICE void end_round() const {}
    KOGGE_DEVICE void flush() const {
        const std::uint32_t value = static_cast<std::uint32_t>(simt::thread_rank());
        if (value >= kBins) return;
        std::uint32_t sum = 0;
        for (int s = 0; s < simt::kWarpSize; ++s)
            sum += words[value * simt::kWarpSize + (static_cast<std::uint32_t>(s + simt::lane()) % simt::kWarpSize)];
        if (sum > 0) counts.add(value, sum);
    }
};

/// 16 bits: two 16-bit counters per word, since shared memory has no room for wider ones. A counter that reaches 2^15
/// hands that many over to global memory. A round adds at most 2^15 to a counter and ends with a barrier, so that no
/// counter reaches 2^16.
template <>
struct ValueCounters<std::uint16_t> {
    static constexpr std::uint32_t kWords = 1u << 15, kSpill = 1u << 15;
    std::uint32_t* words;
    const ValueCounts<std::uint16_t>& counts;

    KOGGE_DEVICE void clear() const {
        for (std::uint32_t i = static_cast<std::uint32_t>(simt::thread_rank()); i < kWords; i += kCountThreads)
            words[i] = 0;
    }
    KOGGE_DEVICE void add(std::uint32_t value, std::uint32_t amount) const {
        std::uint32_t* const word = words + value % kWords;
        const std::uint32_t shift = value / kWords * 16;
        const std::uint32_t old = simt::atomic_add<simt::Scope::block>(word, amount << shift) >> shift & 0xffffu;
        if (old < kSpill && old + amount >= kSpill) {
            simt::atomic_add<simt::Scope::block>(word, 0u - (kSpill << shift));
            counts.add(value, kSpill);
        }
    }
    KOGGE_DEVICE void count(const KeyWords<std::uint16_t>& pack, bool real) const {
        // A whole warp of one value, where atomics would queue up, is added at once.
        const std::uint32_t first = simt::shuffle(pack.word[0], 0);
        std::uint32_t differs = first ^ pack.repeated(pack.key(0));
        KOGGE_UNROLL
        for (int w = 0; w < 4; ++w) differs |= pack.word[w] ^ first;
        if (simt::all(real && differs == 0)) {
            if (simt::lane() == 0) add(pack.key(0), pack.kKeys * simt::kWarpSize);
        } else if (real) {
            KOGGE_UNROLL
            for (int k = 0; k < pack.kKeys; ++k) add(pack.key(k), 1);
        }
    }
    KOGGE_DEVICE void end_round() const { simt::sync_block(); }  // full counters have been handed over
    KOGGE_DEVICE void flush() const {
        for (std::uint32_t i = static_cast<std::uint32_t>(simt::thread_rank()); i < kWords; i += kCountThreads)
            counts.rows[simt::block_rank() * kWords + i] = words[i];
    }
};

/// Counts the block's share of all vectors, in rounds. All threads call.
template <class Key>
KOGGE_DEVICE void count_packs(const Key* keys, const PackedRange<Key>& range, const ValueCounters<Key>& counters) {
    using Pack = KeyWords<Key>;
    constexpr int in_flight = 4;
    static_assert(sizeof(Key) == 1 || kCountThreads * in_flight * Pack::kKeys <= 1 << 15, "a round, see ValueCounters");
    const std::uint64_t stride = static_cast<std::uint64_t>(simt::grid_size()) * kCountThreads;
    const std::uint64_t own = static_cast<std::uint64_t>(simt::block_rank()) * kCountThreads + simt::thread_rank();
    const auto* const packs = reinterpret_cast<const Pack*>(keys + range.head);
    Pack next[in_flight] = {};
    const auto load = [&](std::uint64_t round) {
        KOGGE_UNROLL
        for (int u = 0; u < in_flight; ++u) {
            const std::uint64_t index = round + u * stride + own;
            if (index < range.packs) next[u] = packs[index];
        }
    };
    load(0);
    for (std::uint64_t round = 0; round < range.packs; round += in_flight * stride) {
        Pack mine[in_flight];
        KOGGE_UNROLL
        for (int u = 0; u < in_flight; ++u) mine[u] = next[u];
        load(round + in_flight * stride);
        KOGGE_UNROLL
        for (int u = 0; u < in_flight; ++u) counters.count(mine[u], round + u * stride + own < range.packs);
        counters.end_round();
    }
}

template <class Key>
struct CountShared {
    alignas(128) std::uint32_t words[ValueCounters<Key>::kWords];
};

template <class Key>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kCountThreads, 1)
    count_values_kernel(const Key* keys, Count count, ValueCounts<Key> counts) {
    simt::wait_for_stream();
    static_assert(sizeof(CountShared<Key>) <= count_shared_bytes(sizeof(Key)));
    auto& shared = simt::shared_memory<CountShared<Key>>();
    const int thread = simt::thread_rank();
    const ValueCounters<Key> counters{shared.words, counts};
    counters.clear();
    simt::sync_block();  // the counters are zero

    const std::uint64_t n = count.get();
    const PackedRange<Key> range(keys, n);
    count_packs(keys, range, counters);
    if (simt::block_rank() == 0) {  // keys outside all vectors
        const std::uint64_t at = static_cast<std::uint64_t>(thread);
        if (at < range.head) counts.add(keys[at], 1);
        if (range.tail() + at < n) counts.add(keys[range.tail() + at], 1);
    }
    simt::sync_block();  // the block has counted
    counters.flush();
}

struct SumShared {
    static constexpr int kParts = kCountThreads / kBins;
    std::uint64_t sums[2][kParts][kBins];
    std::uint64_t groups[2];
};

/// Adds the blocks' rows of counters to the totals, and sums groups of 256 values. A block has 256 words per row, hence
/// two groups; its threads work in four parts, which alternate over the rows.
template <class Key>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kCountThreads, 1) sum_counts_kernel(ValueCounts<Key> counts, std::uint32_t rows) {
    simt::wait_for_stream();
    constexpr std::uint32_t words = ValueCounters<Key>::kWords, parts = SumShared::kParts;
    auto& shared = simt::shared_memory<SumShared>();
    const std::uint32_t thread = static_cast<std::uint32_t>(simt::thread_rank()), part = thread / kBins;
    const std::uint32_t column = simt::block_rank() * kBins + thread % kBins;
    std::uint64_t sums[2] = {};
    constexpr std::uint32_t in_flight = 16;
    for (std::uint32_t first = part; first < rows; first += in_flight * parts) {
        std::uint32_t seen[in_flight];
        KOGGE_UNROLL
        for (std::uint32_t u = 0; u < in_flight; ++u)
            seen[u] = first + u * parts < rows ? counts.rows[(first + u * parts) * words + column] : 0;
        KOGGE_UNROLL
        for (std::uint32_t u = 0; u < in_flight; ++u) {
            sums[0] += seen[u] & 0xffffu;
            sums[1] += seen[u] >> 16;
        }
    }
    if (thread < 2) shared.groups[thread] = 0;
    shared.sums[0][part][thread % kBins] = sums[0];
    shared.sums[1][part][thread % kBins] = sums[1];
    simt::sync_block();  // all parts have been summed
    if (thread < 2 * kBins) {
        const std::uint32_t half = thread / kBins, value = half * words + column;
        std::uint64_t sum = counts.values[value];
        KOGGE_UNROLL
        for (std::uint32_t p = 0; p < parts; ++p) sum += shared.sums[half][p][thread % kBins];
        counts.values[value] = sum;
        const std::uint64_t warp_sum = warp::inclusive_scan(sum, simt::kWarpSize, plus{});
        if (simt::lane() == simt::kWarpSize - 1) simt::atomic_add<simt::Scope::block>(shared.groups + half, warp_sum);
    }
    simt::sync_block();  // both groups are summed
    if (thread < 2) counts.groups[thread * (words / kBins) + simt::block_rank()] = shared.groups[thread];
}

}  // namespace kogge::grid::KOGGE_CODE
