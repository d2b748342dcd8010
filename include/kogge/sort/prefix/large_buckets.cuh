// Buckets that do not fit the chip of a block are sorted by all blocks together: by least significant digit first,
// only those keys. A launch without such buckets returns at once.
//
// A bucket is cut into slices. First every slice looks whether it is in order; buckets in order, as those of equal
// keys, need nothing else. Then each digit takes two phases: the digits of every slice are counted, then every slice
// adds up the counts of earlier slices and is split. A digit that all keys share moves nothing. Keys go to and fro
// between the output and the alternate, and a last phase copies what has ended in the alternate.
//
// Blocks draw the slices of all phases by tickets, and wait until earlier phases are done. All work that a block waits
// for has been drawn by running blocks, so any number of resident blocks makes progress.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/operators.hpp"
#include "kogge/pass/slice.cuh"
#include "kogge/sort/prefix/buckets.cuh"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

/// As TileShared wants it.
template <class BucketProblem>
struct LargeTile {
    using key_type = typename BucketProblem::Key;
    using value_type = typename BucketProblem::Value;
    static constexpr bool kHasValues = BucketProblem::kHasValues;
    static constexpr std::size_t kValueBytes = BucketProblem::kValueBytes;
};

/// The work of one block on one slice of a large bucket.
template <class Problem>
struct LargeSlice {
    using Shared = TileShared<LargeTile<Problem>>;
    const Problem& problem;
    Shared& shared;
    LargeBucket* bucket;  ///< in global memory
    std::uint32_t row;    ///< of the slice's counts
    std::uint64_t begin;
    std::uint64_t end;

    KOGGE_DEVICE LargeSlice(const Problem& buckets, Shared& tile, std::uint32_t slice)
        : problem(buckets), shared(tile), bucket(buckets.large + buckets.owners[slice]), row(slice) {
        constexpr std::uint64_t most = Shared::kItems * kTileThreads;
        const std::uint64_t all = bucket->end - bucket->begin,
                            length = divide_up(divide_up(all, most), bucket->slices) * most,
                            before = length * (slice - bucket->first_slice);
        begin = bucket->begin + (before < all ? before : all);
        end = bucket->begin + (before + length < all ? before + length : all);
    }
    KOGGE_DEVICE std::uint32_t moved_before(std::uint32_t pass) const {
        return static_cast<std::uint32_t>(simt::count_bits(simt::load_relaxed(&bucket->moved) & ((1u << pass) - 1u)));
    }
    KOGGE_DEVICE auto route(std::uint32_t pass) const {
        const bool back = moved_before(pass) % 2 == 1, recodes = problem.bucket.in_pass(0).recodes();
        return TileRoute<typename Problem::Key, typename Problem::Value>{back ? problem.other_keys : problem.keys,
                                                                         back ? problem.keys : problem.other_keys,
                                                                         back ? problem.other_values : problem.values,
                                                                         back ? problem.values : problem.other_values,
                                                                         recodes,
                                                                         recodes};
    }

    /// Whether the slice, and the first key after it, are in order.
    KOGGE_DEVICE void look() const {
        constexpr int in_flight = 4;
        bool descends = false;
        const std::uint64_t last = end < bucket->end ? end : end - 1;  // of the comparisons
        for (std::uint64_t i = begin + static_cast<std::uint64_t>(simt::thread_rank()); i < last;
             i += in_flight * kTileThreads) {
            typename Problem::Key codes[in_flight], next[in_flight];
            for_each_item<in_flight>([&](int u) {
                if (i + u * kTileThreads >= last) return;
                codes[u] = problem.code(i + u * kTileThreads);
                next[u] = problem.code(i + u * kTileThreads + 1);
            });
            for_each_item<in_flight>([&](int u) {
                if (i + u * kTileThreads < last) descends = descends || codes[u] > next[u];
            });
        }
        if (simt::any(descends) && simt::lane() == 0) {
            simt::atomic_or<simt::Scope::device>(&bucket->descends, 1);
            simt::atomic_or<simt::Scope::device>(&problem.control->descends, 1);
        }
    }
    KOGGE_DEVICE void count(std::uint32_t pass) const {
        const auto digit = problem.bucket.in_pass(static_cast<int>(pass));
        problem.counts[std::uint64_t{row} * kBins + simt::thread_rank()] =
            count_stretch(shared, route(pass), digit, begin, end);
    }
    /// The slice's keys of a bin follow all keys of lower bins and the bin's keys of earlier slices.
    KOGGE_DEVICE void split(std::uint32_t pass) const {
        const int thread = simt::thread_rank();
        const std::uint32_t* const first = problem.counts + std::uint64_t{bucket->first_slice} * kBins + thread;
        const std::uint32_t own = row - bucket->first_slice;
        std::uint64_t before = 0, all = 0;  // per bin
        for (std::uint32_t s = 0; s < bucket->slices; ++s) {
            const std::uint32_t keys = first[std::uint64_t{s} * kBins];
            if (s < own) before += keys;
            all += keys;
        }
        if (thread == 0) shared.described[0] = 0;
        const std::uint64_t to_here = warp::inclusive_scan(all, simt::kWarpSize, plus{});
        if (simt::lane() == simt::kWarpSize - 1) shared.targets[simt::warp_rank()] = to_here;
        simt::sync_block();  // the sums of the warps' bins are written, and no bin is known to have all keys
        if (all == bucket->end - bucket->begin) shared.described[0] = 1;
        std::uint64_t place = bucket->begin + to_here - all + before;
        for (int w = 0; w < simt::warp_rank(); ++w) place += shared.targets[w];
        const auto from_to = route(pass);
        simt::sync_block();  // it is known whether a bin has all keys, and the sums have been read
        if (shared.described[0] != 0) return;
        if (thread == 0) simt::atomic_or<simt::Scope::device>(&bucket->moved, 1u << pass);
        split_stretch(shared, from_to, problem.bucket.in_pass(static_cast<int>(pass)), begin, end, place);
    }
    KOGGE_DEVICE void copy_back() const {
        if (moved_before(31) % 2 == 0) return;
        for (std::uint64_t i = begin + static_cast<std::uint64_t>(simt::thread_rank()); i < end; i += kTileThreads) {
            problem.keys[i] = problem.other_keys[i];
            if constexpr (Problem::kHasValues) problem.values[i] = problem.other_values[i];
        }
    }
};

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTileThreads, kLargeBlocks) sort_large_kernel(Problem problem) {
    simt::wait_for_stream();
    SplitControl* const control = problem.control;
    const auto slices = static_cast<std::uint32_t>(control->listed);
    if (slices == 0) return;
    using Slice = LargeSlice<Problem>;
    auto& shared = simt::shared_memory<typename Slice::Shared>();
    const std::uint32_t digits =
        control->lists_spans != 0 ? static_cast<std::uint32_t>(problem.passes) : control->lowest;
    const std::uint32_t phases = 2 * digits + 2;
    for (;;) {
        if (simt::thread_rank() == 0) {
            const std::uint32_t ticket = simt::atomic_add<simt::Scope::device>(&control->drawn, 1);
            const std::uint32_t phase = ticket / slices;
            const auto wait_for = [&](std::uint32_t done) {
                while (simt::load_acquire(&control->finished) < done) simt::poll_pause();
            };
            if (phase > 0 && phase < phases) {
                wait_for(slices);  // then it is known whether anything is out of order
                if (simt::load_relaxed(&control->descends) != 0) wait_for(phase * slices);
            }
            shared.ticket = ticket;
        }
        simt::sync_block();  // the ticket is written, and earlier phases are done
        const std::uint32_t phase = shared.ticket / slices;
        if (phase >= phases || (phase > 0 && simt::load_relaxed(&control->descends) == 0)) return;
        const Slice slice(problem, shared, shared.ticket % slices);
        const std::uint32_t pass = (phase - 1) / 2;  // of phases 1 … 2 × digits
        if (phase == 0) {
            if (slice.begin < slice.end) slice.look();
        } else if (simt::load_relaxed(&slice.bucket->descends) != 0) {
            if (phase == phases - 1) slice.copy_back();
            else if (pass >= slice.bucket->digits) {
            } else if (phase % 2 == 1) {
                slice.count(pass);
            } else {
                slice.split(pass);
            }
        }
        simt::sync_block();  // the drawn work is done, and its ticket has been read
        if (simt::thread_rank() == 0) simt::add_release(&control->finished, 1);
    }
}

}  // namespace kogge::grid::KOGGE_CODE
