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
    std::uint32_t ranks[simt::kWarpSize];       ///< of the block's codes among the sample
    std::uint32_t greatest[2];  ///< of the moves of the bins in the block's bucket, and of their complements

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
    KOGGE_DEVICE void find_bins(const Code (&codes)[number], const F& f) const {
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
// Bins in the lanes' order of a tree of kQuantileBits levels.
static_assert(kQuantileBins == 2 * kResidentSortThreads, "a thread has two bins");

/// Publishes the block's codes of the sample. A grid barrier must follow.
template <class Problem>
KOGGE_DEVICE void publish_sample(const Problem& problem, std::uint64_t n) {
    using Key = typename Problem::KeyType;
    if (simt::warp_rank() > 0) return;
    const std::uint64_t place = simt::block_rank() * simt::kWarpSize + static_cast<std::uint32_t>(simt::lane());
    const Key key = problem.keys_in[place * n / (simt::grid_size() * simt::kWarpSize)];
    static_cast<Key*>(problem.memory.samples)[place] = problem.bucket.code(key);
}

/// Finds the bounds, after a grid barrier that follows publish_sample. Calls a grid barrier itself. `codes` is room on
/// chip for the sample, aligned to 16 bytes. All threads call.
template <class Problem, class Code>
KOGGE_DEVICE void find_bounds(QuantileTables<Code>& tables, const Problem& problem, Code* codes) {
    constexpr std::uint32_t each = simt::kWarpSize;
    constexpr int step = sizeof(Code) <= 4 ? 4 : sizeof(Code) <= 8 ? 2 : 1;  // codes of 16 bytes
    struct alignas(16) Quad {
        Code codes[std::size_t{step}];
    };
    const std::uint32_t blocks = simt::grid_size(), samples = blocks * each, block = simt::block_rank();
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank()),
               warp = static_cast<std::uint32_t>(simt::warp_rank()), lane = static_cast<std::uint32_t>(simt::lane());
    const auto* const sampled = static_cast<const Code*>(problem.memory.samples);
    auto* const sorted = static_cast<Code*>(problem.memory.samples) + samples;
    for (std::uint32_t i = thread; i < samples; i += kResidentSortThreads) codes[i] = sampled[i];
    if (thread < each) tables.ranks[thread] = 0;
    simt::sync_block();  // the sample is on chip
    // Each lane of each warp has one of the block's codes, and compares it with the codes of every kWarps-th block.
    const Code own = codes[block * each + lane];
    std::uint32_t rank = 0;
    for (std::uint32_t b = warp; b < blocks; b += ResidentSortShared::kWarps) {
        const auto* const others = reinterpret_cast<const Quad*>(codes + b * each);
        KOGGE_UNROLL
        for (int q = 0; q < simt::kWarpSize / step; ++q) {
            const Quad quad = others[q];
            for_each_item<step>([&](int i) {
                // Equal codes are in order of their places.
                const bool earlier = b < block || (b == block && static_cast<std::uint32_t>(q * step + i) < lane);
                rank += quad.codes[i] < own || (earlier && quad.codes[i] == own) ? 1 : 0;
            });
        }
    }
    simt::atomic_add<simt::Scope::block>(tables.ranks + lane, rank);
    simt::sync_block();  // the block's codes are ranked
    if (warp == 0) sorted[tables.ranks[lane]] = own;
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
