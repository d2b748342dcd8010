// Top-k of segments. A warp takes a short segment: it finds the two least ranks of each lane, of these 64 the k-th
// least, which cannot miss, and puts in order what is up to that. A block takes a long segment, as a selection of its
// own (kernel.cuh). Each item is read once by a block, twice by a warp, the second time from the cache.
#pragma once

#include <cstdint>

#include "kogge/top_k/kernel.cuh"
#include "kogge/types/segments.hpp"

namespace kogge::grid::KOGGE_CODE {

/// Where segments are.
struct TopKSegments {
    detail::SegmentBounds bounds;
    Count n{};

    struct Bounds {
        std::uint64_t begin, length;
    };
    KOGGE_DEVICE Bounds at(std::uint64_t segment, std::uint64_t number) const {
        const detail::SegmentBounds::Bounds own = bounds.at(segment, number, n.get());
        return {own.begin, own.end - own.begin};
    }
};

template <class Key, class Codec, class Rank>
struct TopKSegmentsProblem {
    TopKProblem<Key, Codec, Rank> each;  ///< the arrays of all segments, and the memory of block 0
    TopKSegments segments;
    std::uint64_t longest_short;
    std::uint32_t listed;
    std::uint32_t* left;  ///< null: warps leave no segment, or there are no warps
    std::uint64_t* left_segments;
    const std::uint64_t* each_k;  ///< of each segment, at most each.k; null: each.k for all

    KOGGE_DEVICE std::uint64_t k_of(std::uint64_t segment, std::uint64_t length) const {
        std::uint64_t k = each.k.host;
        if (each_k && each_k[segment] < k) k = each_k[segment];
        return k < length ? k : length;
    }
    /// What belongs to a segment that begins at item `begin`.
    KOGGE_DEVICE TopKProblem<Key, Codec, Rank> of(std::uint64_t segment, std::uint64_t begin) const {
        TopKProblem<Key, Codec, Rank> one = each;
        const std::uint64_t first = segment * each.k.host;
        const auto bytes_at = [](const void* array, std::uint64_t bytes) {
            return const_cast<unsigned char*>(static_cast<const unsigned char*>(array)) + bytes;
        };
        one.keys += begin;
        if (one.out.keys) one.out.keys += first;
        if (one.out.indices)
            one.out.indices = bytes_at(one.out.indices, first * static_cast<std::uint64_t>(one.out.index_bytes));
        KOGGE_NO_UNROLL
        for (int a = 0; a < each.out.value_arrays; ++a) {
            TopKValues& values = one.out.values[a];
            const std::uint64_t bytes = std::uint64_t{values.words} * static_cast<std::uint64_t>(values.word_bytes);
            values.in = bytes_at(values.in, begin * bytes);
            values.out = bytes_at(values.out, first * bytes);
        }
        return one;
    }
};

/// A warp's work on one segment.
template <class Key, class Codec, class Rank>
class WarpSelection {
public:
    using Problem = TopKProblem<Key, Codec, Rank>;
    KOGGE_DEVICE WarpSelection(const Problem& problem, std::uint32_t length, std::uint32_t k, Rank* list)
        : problem_(problem), length_(length), k_(k), list_(list) {}

    /// False if there are more candidates than `listed`; then nothing is written.
    KOGGE_DEVICE bool run(std::uint32_t listed) {
        const Rank threshold = k_ <= kTopKWarpMost && length_ > 2 * k_ ? find_threshold() : kNoRank<Rank>;
        const std::uint32_t count = list_up_to(threshold, listed);
        simt::sync_warp();  // the list is complete, or left for another segment
        if (count > listed) return false;
        for (std::uint32_t c = lane(); c < count; c += simt::kWarpSize) {
            const Rank own = list_[c];
            std::uint32_t place = 0;
            for (std::uint32_t i = 0; i < count; ++i) place += list_[i] < own ? 1u : 0u;
            if (place < k_) write_result(problem_.out, problem_.keys, problem_.codes, own, std::uint64_t{place});
        }
        simt::sync_warp();  // the list has been read
        return true;
    }

private:
    static constexpr int kLoads = 4;
    KOGGE_DEVICE static std::uint32_t lane() { return static_cast<std::uint32_t>(simt::lane()); }
    KOGGE_DEVICE Rank rank_at(std::uint32_t i) const {
        return i < length_ ? make_rank<Rank>(problem_.codes.of(problem_.keys[i]), i) : kNoRank<Rank>;
    }

    /// The k-th of the lanes' two least ranks each; none if there are not so many.
    KOGGE_DEVICE Rank find_threshold() const {
        Rank first = kNoRank<Rank>, second = kNoRank<Rank>;
        for (std::uint32_t from = 0; from < length_; from += kLoads * simt::kWarpSize) {
            Rank ranks[kLoads];
            KOGGE_UNROLL
            for (int l = 0; l < kLoads; ++l)
                ranks[l] = rank_at(from + static_cast<std::uint32_t>(l * simt::kWarpSize) + lane());
            KOGGE_UNROLL
            for (int l = 0; l < kLoads; ++l) {
                const Rank greater = ranks[l] < first ? first : ranks[l];
                first = lesser(first, ranks[l]);
                second = lesser(second, greater);
            }
        }
        std::uint32_t before_first = 0, before_second = 0;
        KOGGE_NO_UNROLL
        for (int other = 0; other < simt::kWarpSize; ++other) {
            const Rank one = simt::shuffle(first, other), two = simt::shuffle(second, other);
            before_first += (one < first ? 1u : 0u) + (two < first ? 1u : 0u);
            before_second += (one < second ? 1u : 0u) + (two < second ? 1u : 0u);
        }
        const simt::mask_t at_first = simt::ballot(first != kNoRank<Rank> && before_first + 1 == k_);
        const simt::mask_t at_second = simt::ballot(second != kNoRank<Rank> && before_second + 1 == k_);
        if (at_first != 0) return simt::shuffle(first, simt::lowest_bit(at_first));
        if (at_second != 0) return simt::shuffle(second, simt::lowest_bit(at_second));
        return kNoRank<Rank>;
    }

    /// Lists the ranks up to the threshold; returns their number, of which no more than `listed` are written.
    KOGGE_DEVICE std::uint32_t list_up_to(Rank threshold, std::uint32_t listed) const {
        std::uint32_t count = 0;
        for (std::uint32_t from = 0; from < length_ && count <= listed; from += simt::kWarpSize) {
            const Rank rank = rank_at(from + lane());
            const bool is_candidate = from + lane() < length_ && rank <= threshold;
            const simt::mask_t votes = simt::ballot(is_candidate);
            const std::uint32_t place =
                count + static_cast<std::uint32_t>(simt::count_bits(votes & simt::lanes_before()));
            if (is_candidate && place < listed) list_[place] = rank;
            count += static_cast<std::uint32_t>(simt::count_bits(votes));
        }
        return count;
    }

    const Problem& problem_;
    std::uint32_t length_, k_;
    Rank* list_;
};

template <class Rank>
struct TopKWarpsShared {
    static constexpr std::size_t kListed = kTopKWarpBytes / sizeof(Rank), kWarps = kTopKThreads / simt::kWarpSize;
    Rank lists[kWarps][kListed];
};

template <class Key, class Codec, class Rank>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTopKThreads, kTopKBlocks)
    top_k_short_segments_kernel(TopKSegmentsProblem<Key, Codec, Rank> problem) {
    simt::wait_for_stream();
    constexpr std::uint64_t warps = kTopKThreads / simt::kWarpSize;
    Rank* const list = simt::shared_memory<TopKWarpsShared<Rank>>().lists[simt::warp_rank()];
    const std::uint64_t number = problem.segments.bounds.number();
    for (std::uint64_t s = simt::block_rank() * warps + static_cast<std::uint64_t>(simt::warp_rank()); s < number;
         s += simt::grid_size() * warps) {
        const TopKSegments::Bounds bounds = problem.segments.at(s, number);
        const std::uint64_t k = problem.k_of(s, bounds.length);
        if (k == 0) continue;
        bool done = false;
        if (bounds.length <= problem.longest_short) {
            const TopKProblem<Key, Codec, Rank> one = problem.of(s, bounds.begin);
            done = WarpSelection<Key, Codec, Rank>(one, static_cast<std::uint32_t>(bounds.length),
                                                   static_cast<std::uint32_t>(k), list)
                       .run(problem.listed);
        }
        if (!done && simt::lane() == 0)
            problem.left_segments[simt::atomic_add<simt::Scope::device>(problem.left, 1)] = s;
    }
}

/// A block that selects alone.
struct BlockTeam {
    KOGGE_DEVICE std::uint64_t blocks() const { return 1; }
    KOGGE_DEVICE std::uint64_t block() const { return 0; }
    KOGGE_DEVICE std::uint64_t thread() const { return static_cast<std::uint64_t>(simt::thread_rank()); }
    KOGGE_DEVICE std::uint64_t threads() const { return kTopKThreads; }
    KOGGE_DEVICE void sync() const { simt::sync_block(); }
};

template <class Key, class Codec, class Rank>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTopKThreads, kTopKBlocks)
    top_k_long_segments_kernel(TopKSegmentsProblem<Key, Codec, Rank> problem) {
    simt::wait_for_stream();
    auto& shared = simt::shared_memory<TopKShared<Rank>>();
    const std::uint64_t block = simt::block_rank(), number = problem.segments.bounds.number();
    const std::uint64_t count = problem.left ? *problem.left : number;
    for (std::uint64_t i = block; i < count; i += simt::grid_size()) {
        const std::uint64_t s = problem.left ? problem.left_segments[i] : i;
        const TopKSegments::Bounds bounds = problem.segments.at(s, number);
        const std::uint64_t k = problem.k_of(s, bounds.length);
        if (k == 0) continue;
        TopKProblem<Key, Codec, Rank> one = problem.of(s, bounds.begin);
        one.control += block;
        one.groups += block * kTopKGroups;
        one.candidates += block * one.places;
        one.fewer += block * one.places;
        const std::uint64_t chunks = TopKInput<Key>(one.keys, bounds.length).chunks;
        if (chunks > std::uint64_t{kTopKChunks} * kTopKThreads || 4 * k > 3 * kTopKGroups) {
            const std::uint64_t sampled = divide_up(chunks * 32, k), most = kTopKSamples * kTopKThreads;
            one.sample.loads = sampled < kTopKGroups ? kTopKGroups : sampled < most ? sampled : most;
            one.sample.step = sample_step(one.sample.loads, chunks);
        }
        Selection<Key, Codec, Rank, BlockTeam>(one, shared, bounds.length, k).run();
    }
}

}  // namespace kogge::grid::KOGGE_CODE
