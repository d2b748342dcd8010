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

#include "kogge/digit/sample.cuh"
#include "kogge/sort/resident/block_keys.cuh"
#include "kogge/traits.hpp"

namespace kogge::grid::KOGGE_CODE {

/// A row of 16-bit counters per warp, for up to 2^kQuantileBits bins; a word has those of two.
struct PackedRows {
    static constexpr int kWarps = ResidentSortShared::kWarps;
    static constexpr std::uint32_t kWords = kQuantileBins / 2;

    alignas(16) std::uint32_t words[std::size_t{kWarps} * kWords];

    KOGGE_DEVICE std::uint32_t* row(int warp) { return words + static_cast<std::uint32_t>(warp) * kWords; }
    /// Reads one half of a word: this takes one instruction, where to shift it takes four more.
    KOGGE_DEVICE static std::uint32_t get(const std::uint32_t* row, std::uint32_t bin) {
        return reinterpret_cast<const detail::Word16*>(row)[bin];
    }
    /// Zeros for the warp's own row. All lanes call.
    KOGGE_DEVICE static void clear(std::uint32_t* row, std::uint32_t used) {
        for (auto i = static_cast<std::uint32_t>(simt::lane()); i < used; i += simt::kWarpSize) row[i] = 0;
        simt::sync_warp();  // the counters are zero
    }
    /// Counts the bins of some rows of the warp's keys, and replaces them by their keys' ranks in the bin, in order: by
    /// ballots, whatever the bins are. All lanes call.
    template <int number>
    KOGGE_DEVICE static void rank_by_ballots(c_array<std::uint32_t, number>& bins, std::uint32_t* row) {
        simt::mask_t peers[number];
        for_each_item<number>([&](int u) { peers[u] = simt::match_digit<kQuantileBits>(bins[u]); });
        for_each_item<number>([&](int u) {
            const simt::mask_t earlier = peers[u] & simt::lanes_before();
            const std::uint32_t seen = get(row, bins[u]);
            simt::sync_warp();  // all lanes have read before one lane per bin adds
            if (earlier == 0)
                simt::atomic_add<simt::Scope::block>(
                    row + bins[u] / 2, static_cast<std::uint32_t>(simt::count_bits(peers[u])) << (bins[u] % 2 * 16));
            simt::sync_warp();  // the next row reads the new counts
            bins[u] = seen + static_cast<std::uint32_t>(simt::count_bits(earlier));
        });
    }
    /// The same, sooner where few lanes of a row share a bin, as between quantiles. All lanes call.
    ///
    /// A key's rank is the count as it finds it. Where lanes of a row share a bin, all but the one that is served first
    /// find more than all lanes have read before; these bins are ranked by ballots.
    template <int number>
    KOGGE_DEVICE static void rank_and_repair(c_array<std::uint32_t, number>& bins, std::uint32_t* row) {
        constexpr int few = 4;  // shared bins, which take a ballot each
        std::uint32_t seen[number], ranks[number];
        for_each_item<number>([&](int u) {
            seen[u] = get(row, bins[u]);
            simt::sync_warp();  // all lanes have read before any adds
            ranks[u] = rank_as_served(bins[u], row);
            simt::sync_warp();  // the next row reads the new counts
        });
        for_each_item<number>([&](int u) {
            simt::mask_t late = simt::ballot(ranks[u] != seen[u]);
            const auto rank_among = [&](simt::mask_t peers) {
                return seen[u] + static_cast<std::uint32_t>(simt::count_bits(peers & simt::lanes_before()));
            };
            if (simt::count_bits(late) > few) {
                ranks[u] = rank_among(simt::match_digit<kQuantileBits>(bins[u]));
                late = 0;
            }
            while (late != 0) {
                const std::uint32_t bin = simt::shuffle(bins[u], simt::lowest_bit(late));
                const simt::mask_t peers = simt::ballot(bins[u] == bin);
                if (bins[u] == bin) ranks[u] = rank_among(peers);
                late &= ~peers;
            }
            bins[u] = ranks[u];
        });
    }
    /// The places past the end of the warp's keys that are ranked with them, `number` rows at a time.
    template <int number>
    KOGGE_DEVICE static std::uint32_t past_end(const WarpShare& share) {
        const int rows = (share.used + number - 1) / number * number;
        return static_cast<std::uint32_t>(rows * simt::kWarpSize - share.keys);
    }

    /// Counts a key's bin, if there is a key. The order among keys that are served at once is open. Lanes without a key
    /// add 0: a condition around the atomic would be a branch for each of a thread's keys, one waiting for the other.
    KOGGE_DEVICE static std::uint32_t rank_as_served(std::uint32_t bin, std::uint32_t* row, bool is_key = true) {
        const std::uint32_t shift = bin % 2 * 16, one = is_key ? 1 : 0;
        return simt::atomic_add<simt::Scope::block>(row + bin / 2, one << shift) >> shift & 0xffffu;
    }

    /// Turns the warps' counts into the place of each warp's next key of each bin, of 2 × `used` bins, and calls
    /// publish(bin, count, count of the next bin) for every other bin. Two threads never share a word. All threads call
    /// after a barrier.
    template <class Publish>
    KOGGE_DEVICE void place(ResidentSortShared& shared, std::uint32_t used, const Publish& publish) {
        const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
        std::uint32_t* const column = words + thread;
        std::uint32_t before[std::size_t{kWarps}], sum = 0;
        const bool mine = thread < used;
        if (mine) {
            for_each_item<kWarps>([&](int w) {
                before[w] = sum;
                sum += column[static_cast<std::uint32_t>(w) * kWords];
            });
            publish(2 * thread, sum & 0xffffu, sum >> 16);
        }
        const std::uint32_t low = sum & 0xffffu, base = sum_before(shared, low + (sum >> 16));
        if (mine)
            for_each_item<kWarps>([&](int w) {
                column[static_cast<std::uint32_t>(w) * kWords] = before[w] + (base | (base + low) << 16);
            });
        simt::sync_block();  // the places of all bins are known
    }
};
static_assert(PackedRows::kWords == kResidentSortThreads, "a thread has two bins");

/// The tables of a pass by quantiles, in shared memory.
template <class Code>
struct QuantileTables {
    static constexpr int kWords = static_cast<int>(sizeof(Code) / 4);

    Code nodes[kQuantileBins];  ///< from 1 on: a search tree, level by level
    std::uint32_t targets[kQuantileBins];
    PackedRows rows;
    std::uint32_t ranks[simt::kWarpSize + 1];  ///< of the block's codes among the sample
    std::uint32_t greatest[4];  ///< of the moves of the bins in the block's bucket, of the bins, and of complements
    std::uint32_t low[std::size_t{kWords}];  ///< of the bucket's codes, word by word, the least
    int width[std::size_t{kWords}];          ///< the bits in which words differ from it

    /// In place of the nodes: of a bin, without the keys that go straight to the output.
    KOGGE_DEVICE std::uint32_t* starts() { return reinterpret_cast<std::uint32_t*>(nodes); }
    /// In place of the targets: from a start to the bin's place in the output.
    KOGGE_DEVICE std::uint32_t* moves() { return targets; }

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
/// Publishes the block's codes of the sample. A grid barrier must follow. All threads may call: one warp does it.
template <class Problem>
KOGGE_DEVICE void publish_sample(const Problem& problem, std::uint64_t n) {
    using Key = typename Problem::KeyType;
    if (simt::warp_rank() > 0) return;
    const std::uint32_t sample = simt::block_rank() * simt::kWarpSize + static_cast<std::uint32_t>(simt::lane());
    const Key key = problem.keys_in[sample_place(sample, simt::grid_size() * simt::kWarpSize, n)];
    static_cast<Key*>(problem.memory.samples)[sample] = problem.bucket.code(key);
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
