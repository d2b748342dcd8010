// Top-k by selection, of keys that the registers of one cluster hold: the steps of kernel.cuh, whose blocks exchange
// what they find through each other's shared memory. That takes a fraction of the time that memory takes, and waiting
// for each other is most of a short selection.
//
// Every block has all groups' least ranks, and all candidates. If there are too few or too many of these, the cluster
// begins again through memory. Where the device has no clusters, one block is one.
#pragma once

#include <cstdint>

#include "kogge/top_k/kernel.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The blocks of the launch, which reach each other's shared memory.
struct ClusterTeam : GridTeam {
    struct Arrival {
        simt::ClusterArrival of_cluster{};
    };
    KOGGE_DEVICE bool is_alone() const { return simt::grid_size() == 1; }
    KOGGE_DEVICE Arrival arrive() const { return is_alone() ? Arrival{} : Arrival{simt::arrive_cluster()}; }
    KOGGE_DEVICE void wait(Arrival arrival) const {
        if (is_alone()) simt::sync_block();
        else simt::wait_cluster(arrival.of_cluster);
    }
    KOGGE_DEVICE void sync() const { wait(arrive()); }
    /// A block's own place that corresponds to this block's.
    template <class T>
    KOGGE_DEVICE T* of_block(T* place, std::uint32_t block) const {
        return is_alone() ? place : simt::map_shared_rank(place, block);
    }
};

/// A list of which every block has a copy. Block 0's count gives places; at the end all counts are equal.
template <class Rank>
struct TopKClusterList {
    using Item = Rank;
    static constexpr auto places = static_cast<std::uint32_t>(kTopKClusterPlaces);
    ClusterTeam team;
    Rank* ranks;
    std::uint32_t* count;

    KOGGE_DEVICE std::uint32_t reserve(std::uint32_t wanted) const {
        const std::uint32_t up_to = warp::inclusive_scan(wanted, simt::kWarpSize, plus{});
        const std::uint32_t all = simt::shuffle(up_to, simt::kWarpSize - 1);
        std::uint32_t begin = 0;
        for (auto b = static_cast<std::uint32_t>(simt::lane()); b < simt::grid_size(); b += simt::kWarpSize) {
            const std::uint32_t before = simt::atomic_add<simt::Scope::device>(team.of_block(count, b), all);
            if (b == 0) begin = before;
        }
        return simt::shuffle(begin, 0) + up_to - wanted;
    }
    KOGGE_DEVICE void put(std::uint32_t place, Rank rank) const {
        constexpr std::uint32_t stores = 8;
        if (place >= places) return;
        KOGGE_NO_UNROLL
        for (std::uint32_t first = 0; first < simt::grid_size(); first += stores) {
            KOGGE_UNROLL
            for (std::uint32_t b = first; b < first + stores; ++b)
                if (b < simt::grid_size()) *team.of_block(ranks + place, b) = rank;
        }
    }
    KOGGE_DEVICE void append(bool is_candidate, Rank rank) const {
        if (!simt::any(is_candidate)) return;
        const std::uint32_t place = reserve(is_candidate ? 1 : 0);
        if (is_candidate) put(place, rank);
    }
};

template <class Rank>
struct TopKClusterShared {
    TopKShared<Rank> each;
    Rank published[kTopKThreads];  ///< the least ranks of all blocks' groups
    Rank candidates[kTopKClusterPlaces];
    std::uint32_t count;
};

template <class Key, class Codec, class Rank>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTopKThreads, 1)
    top_k_cluster_kernel(KOGGE_KERNEL_PARAMETER TopKProblem<Key, Codec, Rank> problem) {
    simt::wait_for_stream();
    auto& shared = simt::shared_memory<TopKClusterShared<Rank>>();
    const ClusterTeam team;
    if (simt::thread_rank() == 0) shared.count = 0;
    const ClusterTeam::Arrival begun = team.arrive();
    const std::uint64_t n = problem.n.get(), wanted = problem.k.get(), k = wanted < n ? wanted : n;
    if (k == 0) return team.wait(begun);
    const TopKInput<Key> in(problem.keys, n);
    TopKBatch<Key, kTopKChunks> batch(team);
    TopKSample sample = problem.sample;
    if (problem.n.device && sample.loads > 0) sample.step = sample_step(sample.loads, in.chunks);
    const Rank least = least_of_thread<Rank>(in, sample, batch, true, problem.codes, team);
    const std::uint64_t place = threshold_place(k, n, sample.loads * TopKInput<Key>::kEach, sample.groups);
    team.wait(begun);  // all blocks have begun, and have counted nothing
    const int per_block = sample.groups_per_block, first = static_cast<int>(team.block()) * per_block;
    least_of_groups(least, per_block, shared.each.groups, [&](int group, Rank of_group, int member, int members) {
        for (auto b = static_cast<std::uint32_t>(member); b < simt::grid_size();
             b += static_cast<std::uint32_t>(members))
            *team.of_block(shared.published + first + group, b) = of_group;
    });
    team.sync();  // all groups are published
    const Rank threshold =
        find_threshold(shared.published, sample, place, shared.each.groups, &shared.each.threshold, team);
    const TopKClusterList<Rank> list{team, shared.candidates, &shared.count};
    collect_ragged(in, problem.codes, threshold, list, team);
    if (batch.any(in)) collect_batch(in, batch, problem.codes, threshold, list);
    team.sync();  // all candidates are listed; from here on, each block needs its own memory alone
    const std::uint32_t count = shared.count;
    if (count < k || count > kTopKClusterPlaces)
        return Selection<Key, Codec, Rank, GridTeam>(problem, shared.each, n, k).run();
    const Rank* const ranks = shared.candidates;
    write_first<Rank>([ranks](std::uint32_t i) { return ranks[i]; }, count, threshold, k, problem, team, shared.each);
}

}  // namespace kogge::grid::KOGGE_CODE
