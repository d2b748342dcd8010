// Bins of about equally many keys, whatever the keys are (sort/resident/kernel.cuh): their bounds are quantiles of a
// sample. A value that fills several bins by itself gets a bin of its own, in which there is nothing to sort.
//
// Each block contributes 32 codes to the sample. All blocks rank them together: a block finds the places of its own
// codes among all, and writes them there. Any bounds give a right result; those of the sample decide how many keys a
// bin has.
//
// The search tree in order of levels is the layout of Khuong and Morin, Array Layouts for Comparison-Based Searching
// (2017). On chip it avoids bank conflicts: the nodes of a level lie side by side.
#pragma once

#include <cstdint>

#include "kogge/sort/resident/block_keys.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The tables of a pass by quantiles, in shared memory.
template <class Code>
struct QuantileTables {
    static constexpr int kWarps = ResidentSortShared::kWarps;

    Code nodes[kQuantileBins];  ///< from 1 on: a search tree, level by level
    std::uint32_t targets[kQuantileBins];
    std::uint16_t rows[kWarps][kQuantileBins];  ///< per warp: keys of a bin, then the place of its next key of the bin
    std::uint32_t ranks[simt::kWarpSize + 1];   ///< of the block's codes among the sample
    std::uint32_t greatest[4];  ///< of the moves of the bins in the block's bucket, of the bins, and of complements

    /// Both take the place of rows that have been read.
    /// @{
    /// Of a bin, without the keys that go straight to the output.
    KOGGE_DEVICE std::uint32_t* starts() { return reinterpret_cast<std::uint32_t*>(rows[2]); }
    /// From that to the bin's place in the output.
    KOGGE_DEVICE std::uint32_t* moves() { return reinterpret_cast<std::uint32_t*>(rows[4]); }
    /// @}

    /// The bound between bins b and b + 1: the least code of the latter.
    KOGGE_DEVICE const Code& bound(int b) const { return nodes[node_of(b)]; }
    KOGGE_DEVICE void set_bound(int b, const Code& code) { nodes[node_of(b)] = code; }

    /// Calls f(i, bin) for the bins of some codes, which are searched side by side.
    template <int number, class F>
    KOGGE_DEVICE void find_bins(const Code* codes, const F& f) const {
        std::uint32_t node[number];
        for_each_item<number>([&](int i) { node[i] = 1; });
        KOGGE_UNROLL
        for (int level = 0; level < kQuantileBits; ++level)
            for_each_item<number>([&](int i) { node[i] = 2 * node[i] + (nodes[node[i]] <= codes[i] ? 1 : 0); });
        for_each_item<number>([&](int i) { f(i, node[i] - kQuantileBins); });
    }
    /// Whether all keys of a bin are equal.
    KOGGE_DEVICE bool has_one_code(int bin) const {
        constexpr int last = kQuantileBins - 1;
        if (bin == 0) return false;
        if (bin == last) return bound(last - 1) == static_cast<Code>(~Code{0});
        return static_cast<Code>(bound(bin) - bound(bin - 1)) == 1;
    }

private:
    KOGGE_DEVICE static int node_of(int b) {
        const int place = b + 1, height = simt::lowest_bit(static_cast<std::uint32_t>(place));
        return (kQuantileBins / 2 >> height) + (place >> (height + 1));
    }
};
static_assert(kQuantileBins == 2 * kResidentSortThreads, "a thread has two bins");

/// Publishes the block's codes of the sample. A grid barrier must follow. All threads may call: one warp does it.
template <class Problem>
KOGGE_DEVICE void publish_sample(const Problem& problem, std::uint64_t n) {
    using Key = typename Problem::KeyType;
    if (simt::warp_rank() > 0) return;
    const std::uint64_t place = simt::block_rank() * simt::kWarpSize + static_cast<std::uint32_t>(simt::lane());
    const Key key = problem.keys_in[place * n / (simt::grid_size() * simt::kWarpSize)];
    static_cast<Key*>(problem.memory.samples)[place] = problem.bucket.code(key);
}

/// Finds the bounds, after a grid barrier that follows publish_sample. Calls a grid barrier itself. All threads call.
///
/// The block's own codes are in order in shared memory, a code a bank. Each other code is searched among them, and
/// counts for all own codes that it precedes.
template <class Problem, class Code>
KOGGE_DEVICE void find_bounds(QuantileTables<Code>& tables, const Problem& problem, Code* own_codes) {
    constexpr std::uint32_t each = simt::kWarpSize;
    constexpr int step = 4;
    const std::uint32_t blocks = simt::grid_size(), samples = blocks * each, block = simt::block_rank();
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank()),
               lane = static_cast<std::uint32_t>(simt::lane());
    const auto* const sampled = static_cast<const Code*>(problem.memory.samples);
    auto* const sorted = static_cast<Code*>(problem.memory.samples) + samples;
    const Code own = sampled[block * each + lane];
    if (thread <= each) tables.ranks[thread] = 0;
    std::uint32_t own_rank = 0;
    if (simt::warp_rank() == 0) {
        KOGGE_UNROLL
        for (int l = 0; l < simt::kWarpSize; ++l) {
            const Code other = simt::shuffle(own, l);
            own_rank += other < own || (other == own && static_cast<std::uint32_t>(l) < lane) ? 1 : 0;
        }
        own_codes[own_rank] = own;
    }
    simt::sync_block();  // the own codes are in order
    for (std::uint32_t first = thread; first < samples; first += step * kResidentSortThreads) {
        Code codes[std::size_t{step}];
        for_each_item<step>([&](int i) {
            const std::uint32_t place = first + static_cast<std::uint32_t>(i) * kResidentSortThreads;
            if (place < samples) codes[i] = sampled[place];
        });
        for_each_item<step>([&](int i) {
            const std::uint32_t place = first + static_cast<std::uint32_t>(i) * kResidentSortThreads;
            if (place >= samples || place / each == block) return;
            const bool later = place / each > block;  // equal codes are in order of their places
            std::uint32_t before = 0;                 // own codes before this one
            KOGGE_UNROLL
            for (std::uint32_t half = each / 2; half > 0; half /= 2) {
                const Code& at = own_codes[before + half - 1];
                if (at < codes[i] || (later && at == codes[i])) before += half;
            }
            const Code& last = own_codes[before];
            if (last < codes[i] || (later && last == codes[i])) ++before;
            simt::atomic_add<simt::Scope::block>(tables.ranks + before, 1);
        });
    }
    simt::sync_block();  // all other codes are counted
    if (simt::warp_rank() == 0) {
        const std::uint32_t others = warp::inclusive_scan(tables.ranks[lane], simt::kWarpSize, plus{});
        sorted[others + lane] = own_codes[lane];
    }
    simt::sync_grid();  // the sample is in order
    KOGGE_UNROLL
    for (int part = 0; part < 2; ++part) {
        const std::uint32_t b = static_cast<std::uint32_t>(part) * kResidentSortThreads + thread;
        if (b == kQuantileBins - 1) break;
        const Code code = sorted[(b + 1) * samples / kQuantileBins];
        const bool again = b > 0 && sorted[b * samples / kQuantileBins] == code && code != static_cast<Code>(~Code{0});
        tables.set_bound(static_cast<int>(b), again ? static_cast<Code>(code + 1) : code);
    }
}

}  // namespace kogge::grid::KOGGE_CODE
