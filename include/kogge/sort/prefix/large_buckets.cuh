// Groups of keys that agree in all leading digits, and are too large to be put in order where they are met
// (sort/prefix/small_buckets.cuh). A sample does not show groups of a few thousand keys among millions, so they must
// not cost much: a block sorts a group by its lower digits alone, or by all digits behind passes by values, between the
// output and the temporary.
//
// First the bounds of each listed group are found, then the groups are sorted: some are listed more than once, and
// while one is sorted, or what stands beside it, nobody else may look at it. All neighbours are in order of their
// leading digits by then, so that groups do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/pass/schedule.cuh"
#include "kogge/pass/slice.cuh"
#include "kogge/sort/prefix/bucket_bounds.cuh"
#include "kogge/sort/prefix/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// A block sorts a group of up to so many keys: for more, all blocks together take no longer for all keys.
constexpr std::uint64_t most_large_keys(std::uint64_t n) { return n / 512 > 16384 ? n / 512 : 16384; }

/// Finds where a listed group begins and ends.
template <class Problem>
KOGGE_DEVICE void find_large(const Problem& problem, std::uint32_t number) {
    if (simt::warp_rank() > 0) return;
    const int shift = static_cast<int>(problem.control->lowest) * kDigitBits;
    const std::uint64_t n = problem.n.get(), most = most_large_keys(n), place = problem.large[number].begin;
    const auto own = problem.keys[place];
    const auto code = problem.bucket.code(own);
    const GroupReach<> reach(place, n, most, [&](std::uint64_t other) {
        const auto key = problem.keys[other];
        if constexpr (may_go_by_values<typename Problem::key_type, typename Problem::bucket_type>())
            if (problem.control->values.are_some()) return problem.control->values(key) == problem.control->values(own);
        return (problem.bucket.code(key) ^ code) >> shift == 0;
    });
    simt::sync_warp();  // all lanes have read the place
    if (simt::lane() > 0) return;
    if (reach.before + reach.behind < most) problem.large[number] = {place - reach.before, place + reach.behind + 1};
    else simt::atomic_or<simt::Scope::device>(&problem.control->too_large, 1);
}

/// Sorts [begin, end) by the lowest digits, an even number of them. All threads call.
template <class Shared, class Problem>
KOGGE_DEVICE void sort_stretch_alone(Shared& shared, const Problem& problem, int passes, std::uint64_t begin,
                                     std::uint64_t end) {
    for (int pass = 0; pass < passes; ++pass) {
        simt::sync_block();  // the last pass has written its keys
        const auto bucket = problem.bucket.in_pass(pass);
        const auto route = problem.route(pass, passes);
        const std::uint32_t count = count_stretch(shared, route, bucket, begin, end);
        // Behind the scan's barrier all rows have been read.
        const auto bins = block::ShuffleScan<kBins>::scan(count, kBins, plus{}, shared.network);
        split_stretch(shared, route, bucket, begin, end, begin + (bins.has_before ? bins.before : 0));
    }
}

/// The group of this number, whose bounds are known; none, if it stands on the list before, or all keys are to be
/// sorted again. All lanes call.
template <class Problem>
KOGGE_DEVICE LargeGroup group_to_sort(const Problem& problem, std::uint32_t number) {
    if (simt::load_relaxed(&problem.control->too_large) != 0) return {0, 0};
    const LargeGroup group = problem.large[number];
    bool is_known = false;  // each warp finds out by itself
    for (auto earlier = static_cast<std::uint32_t>(simt::lane()); earlier < number; earlier += simt::kWarpSize)
        is_known = is_known || problem.large[earlier].begin == group.begin;
    return simt::any(is_known) ? LargeGroup{0, 0} : group;
}
/// How many of the lowest digits tell its keys apart, rounded up to an even number: one more moves nothing, as all keys
/// share that digit. Of values they share none.
template <class Problem>
KOGGE_DEVICE int passes_of_group(const Problem& problem) {
    return problem.control->values.are_some() ? problem.passes
                                              : static_cast<int>(divide_up(problem.control->lowest, 2) * 2);
}

}  // namespace kogge::grid::KOGGE_CODE
