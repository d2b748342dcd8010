// The threshold of a selection: a rank that probably has k ranks up to it, and not many more.
//
// Each block finds the least ranks of groups of items. If the groups cover all items, the k-th least of these is a
// threshold that cannot miss: k groups have a rank up to it. Otherwise the items are a sample, one item from each
// stratum of the input at a random place in it: then the threshold is the rank, among the groups' least ones, that
// leaves a margin of six standard deviations of what the sample may be wrong by. A 16-byte load is one item of the
// sample, its least one, because neighbours of sorted data are no independent items.
#pragma once

#include <cstdint>

#include "kogge/top_k/input.cuh"
#include "kogge/top_k/rank.cuh"

namespace kogge::grid::KOGGE_CODE {

/// How the threshold is found. `loads` of a sample; 0: the items that the blocks hold are all there are.
struct TopKSample {
    std::uint64_t loads;
    std::uint64_t step;    ///< chunks per load, as sampled_chunk takes it
    int groups_per_block;  ///< a power of two, at most kTopKGroups
    int groups;            ///< in all; if fewer than are published, some of these count as one, no neighbours
};

/// The least code of a thread's items, with the last index of the chunk that has it first: so at least one item's rank
/// is up to it, and no other thread's is equal.
template <class Rank, class Key, class Codes>
KOGGE_DEVICE Rank least_of_batch(const TopKInput<Key>& in, const TopKBatch<Key, kTopKChunks>& batch,
                                 const Codes& codes) {
    constexpr int each = TopKInput<Key>::kEach;
    using Code = typename Codes::Code;
    Code least = static_cast<Code>(~Code{0});
    int found = -1;
    KOGGE_UNROLL
    for (int j = 0; j < kTopKChunks; ++j) {
        if (!batch.any(in, j)) break;
        Key items[std::size_t{each}];
        unpack(batch.chunk[j], items);
        Code of_chunk = codes.of(items[0]);
        KOGGE_UNROLL
        for (int i = 1; i < each; ++i) {
            const Code code = codes.of(items[i]);
            of_chunk = code < of_chunk ? code : of_chunk;
        }
        if (batch.at(j) < in.chunks && (of_chunk < least || found < 0)) {
            least = of_chunk;
            found = j;
        }
    }
    return found < 0 ? kNoRank<Rank> : make_rank<Rank>(least, in.index_of(batch.at(found), each - 1));
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

/// The least rank of a thread's part of the sample, or, without one, of all of its items. The batch is loaded
/// meanwhile, if `holds`.
template <class Rank, class Key, class Codes, class Team>
KOGGE_DEVICE Rank least_of_thread(const TopKInput<Key>& in, const TopKSample& sample,
                                  TopKBatch<Key, kTopKChunks>& batch, bool holds, const Codes& codes,
                                  const Team& team) {
    if (sample.loads > 0) {
        const TopKSampled<Key> sampled(in, sample, team);
        if (holds) batch.load(in);
        return sampled.template least<Rank>(in, codes);
    }
    batch.load(in);
    Rank least = least_of_batch<Rank>(in, batch, codes);
    in.for_ragged(team, [&](bool is_there, std::uint64_t index) {
        if (is_there) least = lesser(least, make_rank<Rank>(codes.of(in.keys[index]), index));
    });
    return least;
}

/// Finds the least rank of each of a block's groups, and calls publish(group, rank, member, members) in as many threads
/// as a group has members. Thread t belongs to group t modulo their number, so that a warp that has items gives some to
/// many groups. All threads of the block call.
template <class Rank, class Publish>
KOGGE_DEVICE void least_of_groups(Rank least, int groups_per_block, Rank* shared, const Publish& publish) {
    constexpr int warps = kTopKThreads / simt::kWarpSize;
    const int wide = groups_per_block < simt::kWarpSize ? groups_per_block : simt::kWarpSize;
    for (int lanes = wide; lanes < simt::kWarpSize; lanes *= 2) least = lesser(least, simt::shuffle_xor(least, lanes));
    // The ranks of a group side by side, as many as warps have some of the group: neighbouring lanes find the least.
    const int of_lanes_bits = groups_per_block > simt::kWarpSize ? simt::highest_bit(groups_per_block) - 5 : 0;
    const int members = warps >> of_lanes_bits, members_bits = simt::highest_bit(members);
    const int warp = simt::warp_rank(), thread = simt::thread_rank(), of_lanes = warp & ((1 << of_lanes_bits) - 1);
    if (simt::lane() < wide)
        shared[((of_lanes * simt::kWarpSize + simt::lane()) << members_bits) + (warp >> of_lanes_bits)] = least;
    simt::sync_block();  // each warp's least ranks are written
    if (warp * simt::kWarpSize >= groups_per_block << members_bits) return;
    least = thread < groups_per_block << members_bits ? shared[thread] : kNoRank<Rank>;
    for (int lanes = 1; lanes < members; lanes *= 2) least = lesser(least, simt::shuffle_xor(least, lanes));
    if (thread < groups_per_block << members_bits)
        publish(thread >> members_bits, least, thread & (members - 1), members);
}

/// The threshold, in all threads of the block, which all call after all blocks have published their groups.
template <class Rank, class Team>
KOGGE_DEVICE Rank find_threshold(const Rank* groups, const TopKSample& sample, std::uint64_t place, Rank* shared,
                                 Rank* result, const Team& team) {
    constexpr int most = static_cast<int>(kTopKGroups), loads = 8;
    const int published = static_cast<int>(team.blocks()) * sample.groups_per_block, count = sample.groups;
    if (place > static_cast<std::uint64_t>(count)) return kNoRank<Rank>;
    const int thread = simt::thread_rank();
    Rank least = kNoRank<Rank>;
    if (thread < count)
        for (int i = thread; i < published; i += count) least = lesser(least, groups[i]);
    if (thread < most) shared[thread] = least;
    if (thread == 0) *result = kNoRank<Rank>;  // which stays if two groups in question are equal
    simt::sync_block();                        // the groups are on chip, and places without one
    // Some neighbouring threads compare a group with a part of the others each.
    const int parts_bits = count > most / 2 ? 2 : 3, parts = 1 << parts_bits;
    static_assert(most << 2 == kTopKThreads);
    const Rank own = shared[thread >> parts_bits];
    std::uint32_t before = 0;
    KOGGE_NO_UNROLL
    for (int from = thread & (parts - 1); from < count; from += loads * parts) {
        Rank others[loads];
        KOGGE_UNROLL
        for (int i = 0; i < loads; ++i) others[i] = shared[from + i * parts];
        KOGGE_UNROLL
        for (int i = 0; i < loads; ++i) before += others[i] < own ? 1u : 0u;
    }
    for (int lanes = 1; lanes < parts; lanes *= 2) before += simt::shuffle_xor(before, lanes);
    if ((thread & (parts - 1)) == 0 && own != kNoRank<Rank> && before + 1 == place) *result = own;
    simt::sync_block();  // the threshold is written
    return *result;
}

}  // namespace kogge::grid::KOGGE_CODE
