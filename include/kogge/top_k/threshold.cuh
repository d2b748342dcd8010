// The threshold of a selection: a rank that probably has k ranks up to it, and not many more.
//
// Each block finds the least ranks of groups of items. If the groups cover all items, the k-th least of these is a
// threshold that cannot miss: k groups have a rank up to it. Otherwise the items are a sample, one item from each
// stratum of the input at a random place in it: then the threshold is the rank, among the groups' least ones, that
// leaves a margin of six standard deviations of what the sample may be wrong by. A 16-byte load is one item of the
// sample, its least one, because neighbours of sorted data are no independent items.
#pragma once

#include <cmath>
#include <cstdint>

#include "kogge/top_k/input.cuh"
#include "kogge/top_k/rank.cuh"

namespace kogge::grid::KOGGE_CODE {

/// How the threshold is found. `loads` of a sample; 0: the items that the blocks hold are all there are.
struct TopKSample {
    std::uint64_t loads;
    std::uint64_t step;    ///< chunks per load, as sampled_chunk takes it
    int groups_per_block;  ///< a power of two, at most kTopKGroups
    int fold;              ///< groups that count as one; not neighbours, because these have neighbouring items
};

template <class Rank>
KOGGE_DEVICE Rank lesser(Rank a, Rank b) {
    return b < a ? b : a;
}

/// The least rank of a thread's items. Backwards, so that of equal ones the first is found.
template <class Rank, class Key, class Codes>
KOGGE_DEVICE Rank least_of_batch(const TopKInput<Key>& in, const TopKBatch<Key, kTopKChunks>& batch,
                                 const Codes& codes) {
    constexpr int each = TopKInput<Key>::kEach;
    using Code = typename Codes::Code;
    const std::uint32_t present = batch.present(in);
    Code least = static_cast<Code>(~Code{0});
    int place = -1;
    KOGGE_UNROLL
    for (int j = kTopKChunks - 1; j >= 0; --j) {
        if ((present >> j & 1u) == 0) continue;
        Key items[std::size_t{each}];
        unpack(batch.chunk[j], items);
        KOGGE_UNROLL
        for (int i = each - 1; i >= 0; --i) {
            const Code code = codes.of(items[i]);
            if (code > least) continue;
            least = code;
            place = j * each + i;
        }
    }
    if (place < 0) return kNoRank<Rank>;
    return make_rank<Rank>(least, in.index_of(batch.at(place / each), place % each));
}

/// The chunk that is read of stratum `number`, at a random place in it. Strata are `step` chunks long, in units of
/// 2^-24; at most 2^28 chunks.
KOGGE_HOST_DEVICE std::uint64_t sampled_chunk(std::uint64_t number, std::uint64_t step, std::uint64_t chunks) {
    std::uint32_t bits = static_cast<std::uint32_t>(number) * 0x9e3779b1u;
    bits = (bits ^ bits >> 15) * 0x85ebca6bu;
    bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
    const std::uint64_t within = (bits ^ bits >> 16) >> 8;
    const std::uint64_t chunk = (number * step + (within * (step >> 12) >> 12)) >> 24;
    return chunk < chunks ? chunk : chunks - 1;
}
KOGGE_HOST_DEVICE std::uint64_t sample_step(std::uint64_t strata, std::uint64_t chunks) {
    return (chunks << 24) / strata;
}

/// A thread's part of the sample. The loads are begun by the constructor, so that others can follow before their end is
/// waited for.
template <class Key>
class TopKSampled {
public:
    template <class Team>
    KOGGE_DEVICE TopKSampled(const TopKInput<Key>& in, const TopKSample& sample, const Team& team) {
        // Few strata are spread over all blocks.
        const std::uint64_t first = static_cast<std::uint64_t>(simt::thread_rank()) * team.blocks() + team.block();
        KOGGE_UNROLL
        for (int i = 0; i < kTopKSamples; ++i) {
            const std::uint64_t stratum = first + static_cast<std::uint64_t>(i) * team.threads();
            place_[i] = kNone;
            chunk_[i] = {};
            if (stratum >= sample.loads || in.chunks == 0) continue;
            place_[i] = sampled_chunk(stratum, sample.step, in.chunks);
            chunk_[i] = in.load(place_[i]);
        }
    }
    template <class Rank, class Codes>
    KOGGE_DEVICE Rank least(const TopKInput<Key>& in, const Codes& codes) const {
        constexpr int each = TopKInput<Key>::kEach;
        Rank least = kNoRank<Rank>;
        KOGGE_UNROLL
        for (int s = 0; s < kTopKSamples; ++s) {
            if (place_[s] == kNone) continue;
            Key items[std::size_t{each}];
            unpack(chunk_[s], items);
            KOGGE_UNROLL
            for (int i = 0; i < each; ++i)
                least = lesser(least, make_rank<Rank>(codes.of(items[i]), in.index_of(place_[s], i)));
        }
        return least;
    }

private:
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    std::uint64_t place_[kTopKSamples];
    block::Chunk chunk_[kTopKSamples];
};

/// Writes the least rank of each of a block's groups. Thread t belongs to group t modulo their number, so that a warp
/// that has items gives some to many groups. All threads of the block call.
template <class Rank, class Team>
KOGGE_DEVICE void publish_groups(Rank least, int groups_per_block, Rank* groups, Rank* shared, const Team& team) {
    const int wide = groups_per_block < simt::kWarpSize ? groups_per_block : simt::kWarpSize;
    for (int lanes = wide; lanes < simt::kWarpSize; lanes *= 2) least = lesser(least, simt::shuffle_xor(least, lanes));
    if (simt::lane() < wide) shared[simt::warp_rank() * wide + simt::lane()] = least;
    simt::sync_block();  // each warp's least ranks are written
    const int thread = simt::thread_rank();
    if (thread >= groups_per_block) return;
    const int step = groups_per_block / wide;  // warps between two of one group
    least = kNoRank<Rank>;
    for (int warp = thread / wide; warp < kTopKThreads / simt::kWarpSize; warp += step)
        least = lesser(least, shared[warp * wide + thread % wide]);
    groups[team.block() * static_cast<std::uint64_t>(groups_per_block) + static_cast<std::uint64_t>(thread)] = least;
}

/// Which of `groups` least ranks is the threshold, counted from 1; more than `groups`: there is none.
KOGGE_DEVICE std::uint64_t threshold_place(std::uint64_t k, std::uint64_t n, std::uint64_t sampled, int groups) {
    if (sampled == 0) return k;
    // Of the sample, x items are among the k first ones on average. If r items of it lie in so many groups at random,
    // some share one.
    const float x = static_cast<float>(k) * static_cast<float>(sampled) / static_cast<float>(n);
    const float r = x + 6 * std::sqrt(x) + 8, all = static_cast<float>(groups);
    return static_cast<std::uint64_t>(all * r / (all + r / 2)) + 1;
}

/// The threshold, in all threads of the block, which all call after all blocks have published their groups.
template <class Rank, class Team>
KOGGE_DEVICE Rank find_threshold(const Rank* groups, const TopKSample& sample, std::uint64_t place, Rank* shared,
                                 Rank* result, const Team& team) {
    constexpr int kMost = static_cast<int>(kTopKGroups);
    const int published = static_cast<int>(team.blocks()) * sample.groups_per_block;
    const int count = (published + sample.fold - 1) / sample.fold;
    if (place > static_cast<std::uint64_t>(count)) return kNoRank<Rank>;
    const int thread = simt::thread_rank();
    Rank least = kNoRank<Rank>;
    if (thread < count)
        for (int i = thread; i < published; i += count) least = lesser(least, groups[i]);
    if (thread < kMost) shared[thread] = least;
    if (thread == 0) *result = kNoRank<Rank>;  // which stays if two groups in question are equal
    simt::sync_block();                        // the groups are on chip, and places without one
    constexpr int each = kMost / simt::kWarpSize;
    Rank others[each];
    KOGGE_UNROLL
    for (int i = 0; i < each; ++i) others[i] = shared[i * simt::kWarpSize + simt::lane()];
    KOGGE_NO_UNROLL
    for (int group = simt::warp_rank(); group < count; group += kTopKThreads / simt::kWarpSize) {
        const Rank own = shared[group];
        std::uint32_t before = 0;
        KOGGE_UNROLL
        for (int i = 0; i < each; ++i) before += others[i] < own ? 1u : 0u;
        before = simt::reduce_add(before);
        if (simt::lane() == 0 && before + 1 == place) *result = own;
    }
    simt::sync_block();  // the threshold is written
    return *result;
}

}  // namespace kogge::grid::KOGGE_CODE
