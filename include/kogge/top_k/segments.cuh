// Top-k of segments. A warp takes a short segment (warp_list.cuh). The warps of a block share a longer one, or a part
// of a row, each with a list of its own, and the block selects among these (list.cuh); the last block to be done with a
// part of a row selects among what its parts have first. A block whose k is too great for lists selects as a launch of
// its own does (kernel.cuh).
//
// Each item is read once, if there are lists. Global traffic besides: of a row in parts, k ranks per part, written and
// read.
#pragma once

#include <cstdint>

#include "kogge/top_k/kernel.cuh"
#include "kogge/top_k/list.cuh"
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
    std::uint32_t* left;  ///< the number of segments that warps leave to blocks; null: they leave none, or all
    std::uint64_t* left_segments;
    const std::uint64_t* each_k;  ///< of each segment, at most each.k; null: each.k for all
    // Of rows whose parts go to blocks.
    std::uint32_t parts;  ///< of a row; 1 of other segments
    std::uint64_t part_items;
    Rank* firsts;            ///< of each part, k places
    std::uint32_t* arrived;  ///< parts of each row that are done, 0 at first

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
    /// The item of this rank in the segment that begins at item `begin` stands at this place of the segment's result.
    KOGGE_DEVICE void write(std::uint64_t segment, std::uint64_t begin, Rank rank, std::uint64_t place) const {
        write_result(each.out, each.keys, each.codes, rank, segment * each.k.host + place, begin);
    }
};

// ---- a warp per segment --------------------------------------------------------------------------------

template <class Rank>
struct TopKWarpsShared {
    static constexpr std::size_t kWarps = kTopKThreads / simt::kWarpSize;
    Rank lists[kWarps][kTopKWarpBytes / sizeof(Rank)];
};

template <class Key, class Codec, class Rank>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTopKThreads, kTopKBlocks)
    top_k_short_segments_kernel(KOGGE_KERNEL_PARAMETER TopKSegmentsProblem<Key, Codec, Rank> problem) {
    simt::wait_for_stream();
    using Selection = WarpSelection<Key, Codec, Rank>;
    constexpr std::uint64_t warps = kTopKThreads / simt::kWarpSize;
    Rank* const list = simt::shared_memory<TopKWarpsShared<Rank>>().lists[simt::warp_rank()];
    const std::uint64_t number = problem.segments.bounds.number();
    for (std::uint64_t s = simt::block_rank() * warps + static_cast<std::uint64_t>(simt::warp_rank()); s < number;
         s += simt::grid_size() * warps) {
        const TopKSegments::Bounds bounds = problem.segments.at(s, number);
        const std::uint64_t k = problem.k_of(s, bounds.length);
        if (k == 0) continue;
        if (bounds.length <= problem.longest_short) {
            Selection selection(problem.each.codes, static_cast<int>(k), list);
            const Key* const keys = problem.each.keys + bounds.begin;
            KOGGE_NO_UNROLL
            for (std::uint64_t first = 0; first < bounds.length; first += Selection::kBatch)
                selection.take(keys, first, bounds.length);
            selection.write([&](Rank rank, std::uint64_t place) { problem.write(s, bounds.begin, rank, place); });
        } else if (simt::lane() == 0) {
            problem.left_segments[simt::atomic_add<simt::Scope::device>(problem.left, 1)] = s;
        }
    }
}

// ---- a block per segment, or per part of a row ---------------------------------------------------------

/// The last block of a row to be done puts what its parts have first in order.
template <class Key, class Codec, class Rank>
KOGGE_DEVICE_CALL void select_among_parts(const TopKSegmentsProblem<Key, Codec, Rank>& problem, std::uint64_t row,
                                          const TopKSegments::Bounds& bounds, std::uint64_t k,
                                          TopKListShared<Rank>& shared) {
    if (simt::thread_rank() == 0)
        shared.is_last = simt::atomic_add_acq_rel(problem.arrived + row, 1) + 1 == problem.parts ? 1 : 0;
    simt::sync_block();  // the verdict is written
    if (shared.is_last == 0) return;
    // Only the last part may have fewer than k items.
    const std::uint64_t before = problem.parts - 1, of_last = bounds.length - before * problem.part_items;
    const auto count = static_cast<std::uint32_t>(before * k + (k < of_last ? k : of_last));
    const Rank* const firsts = problem.firsts + row * problem.parts * problem.each.k.host;
    Rank* const listed = &shared.lists[0][0];
    for (auto i = static_cast<std::uint32_t>(simt::thread_rank()); i < count; i += kTopKThreads)
        listed[i] = firsts[i / k * problem.each.k.host + i % k];
    simt::sync_block();  // all are listed
    write_listed(shared, count, count, k, problem.each.most_compared,
                 [&](Rank rank, std::uint64_t place) { problem.write(row, bounds.begin, rank, place); });
}

template <class Key, class Codec, class Rank>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTopKThreads, kTopKBlocks)
    top_k_listed_segments_kernel(KOGGE_KERNEL_PARAMETER TopKSegmentsProblem<Key, Codec, Rank> problem) {
    simt::wait_for_stream();
    auto& shared = simt::shared_memory<TopKListShared<Rank>>();
    const std::uint64_t number = problem.segments.bounds.number(), parts = problem.parts;
    const std::uint64_t count = problem.left ? *problem.left : number;
    for (std::uint64_t i = simt::block_rank(); i < count * parts; i += simt::grid_size()) {
        const std::uint64_t s = problem.left ? problem.left_segments[i] : i / parts;
        const TopKSegments::Bounds bounds = problem.segments.at(s, number);
        const std::uint64_t k = problem.k_of(s, bounds.length);
        if (k == 0) continue;
        const std::uint64_t begin = i % parts * problem.part_items, left = bounds.length - begin;
        const std::uint64_t length = parts > 1 && problem.part_items < left ? problem.part_items : left;
        const std::uint64_t of_part = k < length ? k : length;
        const std::uint32_t listed = list_part<Key, Codec>(problem.each.keys + bounds.begin + begin, length, of_part,
                                                           problem.each.codes, shared);
        constexpr auto places = static_cast<std::uint32_t>(sizeof(shared.lists) / sizeof(Rank));
        if (parts == 1) {
            write_listed(shared, places, listed, of_part, problem.each.most_compared,
                         [&](Rank rank, std::uint64_t place) { problem.write(s, bounds.begin, rank, place); });
        } else {
            Rank* const firsts = problem.firsts + i * problem.each.k.host;
            write_listed(shared, places, listed, of_part, problem.each.most_compared,
                         [&](Rank rank, std::uint64_t place) { firsts[place] = static_cast<Rank>(rank + begin); });
            simt::sync_block();  // the part's first ranks are written
            select_among_parts(problem, s, bounds, k, shared);
        }
        simt::sync_block();  // the lists have been read
    }
}

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
