// Top-k by selection, in one launch whose blocks are all resident, a cooperative grid. (cluster.cuh: a cluster.)
//
//   threshold   the blocks load all keys, if they can hold them, or a sample; they find the least ranks of groups, and
//               from these a threshold                                                 (threshold.cuh)  barrier
//   collect     one read of the items; the candidates, up to the threshold, go to a list (collect.cuh)  barrier
//   order       a candidate's place is the number of lesser ones, all or those of its bin   (order.cuh)
//
// Global traffic: each item read once, and 16 bytes of each stratum of the sample. The result is exact for any data. If
// there are fewer than k candidates, or more than the list has places for, rounds of counting over the items find the
// threshold (narrow.cuh), and they are collected again. Candidates are in any order, but their ranks, and so the
// result, are the same on every run.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/engine/carry.cuh"
#include "kogge/top_k/collect.cuh"
#include "kogge/top_k/narrow.cuh"
#include "kogge/top_k/order.cuh"
#include "kogge/top_k/threshold.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Key, class Codec, class Rank>
struct TopKProblem {
    const Key* keys;
    TopKCodes<Codec> codes;
    TopKOutputs<Key> out;
    Count n, k;
    // Of a selection.
    TopKSample sample{};
    std::uint32_t places = 0;         ///< of candidates
    std::uint32_t most_compared = 0;  ///< candidates that are compared each with each
    TopKControl* control = nullptr;
    Rank* groups = nullptr;
    Rank* candidates = nullptr;
};

template <class Rank>
struct TopKShared {
    Rank groups[kTopKThreads];
    Rank threshold;
    union {
        TopKNarrowShared<Rank> narrow;
        TopKBinsShared<Rank> order;
    };
    TopKPlacesShared places;
};

/// Writes the k least of `count` candidates, up to the threshold, in order. All threads of the team call.
template <class Rank, class Key, class Codec, class Team, class RankAt>
KOGGE_DEVICE void write_first(const RankAt& rank_at, std::uint32_t count, Rank threshold, std::uint64_t k,
                              const TopKProblem<Key, Codec, Rank>& problem, const Team& team,
                              TopKShared<Rank>& shared) {
    const auto write = [&problem](Rank rank, std::uint64_t place) {
        write_result(problem.out, problem.keys, problem.codes, rank, place);
    };
    if (count <= problem.most_compared) write_in_order<Rank>(rank_at, count, k, team, shared.places, write);
    else write_by_bins<Rank>(rank_at, count, threshold, k, team, shared.order, shared.groups, shared.places, write);
}

template <class Key, class Codec, class Rank, class Team>
class Selection {
public:
    using Problem = TopKProblem<Key, Codec, Rank>;
    using Shared = TopKShared<Rank>;

    KOGGE_DEVICE Selection(const Problem& problem, Shared& shared, std::uint64_t n, std::uint64_t k)
        : problem_(problem), shared_(shared), in_(problem.keys, n), n_(n), k_(k) {}

    KOGGE_DEVICE void run() {
        if (team_.block() == 0) {
            for (int b = simt::thread_rank(); b < kTopKBins; b += kTopKThreads) problem_.control->bins[0][b] = 0;
            static_assert(sizeof(TopKControl::tickets) == kTopKThreads * sizeof(std::uint32_t));
            (&problem_.control->tickets[0][0][0])[simt::thread_rank()] = 0;
            if (simt::thread_rank() < 4) problem_.control->counts[simt::thread_rank()] = 0;
        }
        const Rank threshold = collect_candidates();
        const Rank* const ranks = problem_.candidates;
        write_first<Rank>([ranks](std::uint32_t i) { return ranks[i]; }, count_, threshold, k_, problem_, team_,
                          shared_);
    }

private:
    /// Whether the team's first batches are the whole input. Of longer ones none is loaded before the threshold is
    /// known, since what the blocks exchange would queue behind it.
    KOGGE_DEVICE bool is_held() const { return in_.chunks <= kTopKChunks * team_.threads(); }

    /// The batch's chunks are loaded meanwhile, if they are held.
    KOGGE_DEVICE Rank first_threshold(TopKBatch<Key, kTopKChunks>& batch) {
        TopKSample sample = problem_.sample;
        if (problem_.n.device && sample.loads > 0) sample.step = sample_step(sample.loads, in_.chunks);
        const Rank least = least_of_thread<Rank>(in_, sample, batch, is_held(), problem_.codes, team_);
        const auto first = team_.block() * static_cast<std::uint64_t>(sample.groups_per_block);
        least_of_groups(least, sample.groups_per_block, shared_.groups,
                        [this, first](int group, Rank of_group, int member, int) {
                            if (member == 0) problem_.groups[first + static_cast<std::uint64_t>(group)] = of_group;
                        });
        const std::uint64_t place = threshold_place(k_, n_, sample.loads * TopKInput<Key>::kEach, sample.groups);
        team_.sync();  // all groups are published, and the control is zero
        return find_threshold(problem_.groups, sample, place, shared_.groups, &shared_.threshold, team_);
    }

    KOGGE_DEVICE TopKList<Rank> list_of(int collection) const {
        return {problem_.candidates, problem_.control->counts + collection, problem_.places};
    }
    /// Returns the threshold, up to which there are at least k candidates and at most as many as there are places.
    KOGGE_DEVICE Rank collect_candidates() {
        Rank threshold;
        int collection = 0;
        {
            TopKBatch<Key, kTopKChunks> batch(team_);
            threshold = first_threshold(batch);
            if (is_held()) {
                collect_ragged(in_, problem_.codes, threshold, list_of(0), team_);
                if (batch.any(in_)) collect_batch(in_, batch, problem_.codes, threshold, list_of(0));
                if (is_complete(collection++)) return threshold;
            }
        }
        KOGGE_NO_UNROLL
        for (;; ++collection) {
            if (collection > 0) threshold = exact_threshold(threshold);
            collect_ragged(in_, problem_.codes, threshold, list_of(collection), team_);
            collect_chunks(in_, problem_.codes, threshold, list_of(collection), problem_.control->tickets[collection],
                           team_);
            if (is_complete(collection)) return threshold;
        }
    }
    /// Behind a threshold that had too few candidates, or too many.
    KOGGE_DEVICE Rank exact_threshold(Rank threshold) {
        const Rank greatest = make_rank<Rank>(problem_.codes.greatest(), n_ - 1);
        TopKBounds<Rank> bounds{0, lesser(threshold, greatest), 0};
        if (count_ < k_) bounds = {static_cast<Rank>(threshold + 1), greatest, count_};
        return narrow(
            bounds, k_, problem_.places, n_, [this](std::uint64_t i) { return rank_at(i); }, round_, problem_.control,
            shared_.narrow, team_);
    }
    /// Waits for a collection and counts it. Whether it has what it should have.
    KOGGE_DEVICE bool is_complete(int collection) {
        team_.sync();  // all candidates are in the list
        count_ = simt::load_relaxed(problem_.control->counts + collection);
        return count_ >= k_ && count_ <= problem_.places;
    }

    KOGGE_DEVICE Rank rank_at(std::uint64_t index) const {
        return make_rank<Rank>(problem_.codes.of(problem_.keys[index]), index);
    }

    const Problem& problem_;
    Shared& shared_;
    Team team_{};
    TopKInput<Key> in_;
    std::uint64_t n_, k_;
    std::uint32_t count_ = 0;  ///< of candidates
    int round_ = 0;            ///< of counting
};

template <class Key, class Codec, class Rank>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTopKThreads, kTopKBlocks)
    top_k_kernel(KOGGE_KERNEL_PARAMETER TopKProblem<Key, Codec, Rank> problem) {
    simt::wait_for_stream();
    const std::uint64_t n = problem.n.get(), wanted = problem.k.get(), k = wanted < n ? wanted : n;
    if (k == 0) return;
    Selection<Key, Codec, Rank, GridTeam>(problem, simt::shared_memory<TopKShared<Rank>>(), n, k).run();
}

/// Few keys: each is compared with all others. Any number of blocks.
template <class Key, class Codec, class Rank>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTopKThreads, kTopKBlocks)
    top_k_compare_kernel(TopKProblem<Key, Codec, Rank> problem) {
    simt::wait_for_stream();
    const std::uint64_t n = problem.n.get(), wanted = problem.k.get();
    write_in_order<Rank>([&problem](std::uint32_t i) { return make_rank<Rank>(problem.codes.of(problem.keys[i]), i); },
                         static_cast<std::uint32_t>(n), wanted, GridTeam{}, simt::shared_memory<TopKPlacesShared>(),
                         [&problem](Rank rank, std::uint64_t place) {
                             write_result(problem.out, problem.keys, problem.codes, rank, place);
                         });
}

}  // namespace kogge::grid::KOGGE_CODE
