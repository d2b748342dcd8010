// Buckets, keys that agree in all leading digits, that are too large to be sorted where they are met
// (sort/prefix/small_buckets.cuh). A sample does not show buckets of a few thousand keys among millions, so they must
// not cost much: one block sorts a bucket by its lower digits alone, or by all digits after passes by values, between
// the output and the temporary array.
//
// First the bounds of each listed bucket are found, then the buckets are sorted: a bucket may be listed more than once,
// and while it or its neighbour is sorted no other block may read it. All neighbours are in order of their leading
// digits by then, so that buckets do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/pass/schedule.cuh"
#include "kogge/pass/slice.cuh"
#include "kogge/sort/prefix/bucket_bounds.cuh"
#include "kogge/sort/prefix/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The most keys of a bucket that one block sorts: with more, a sort of all keys by all blocks takes no longer.
constexpr std::uint64_t most_large_keys(std::uint64_t n) { return n / 512 > 16384 ? n / 512 : 16384; }

/// Finds where a listed bucket begins and ends.
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

/// Sorts [begin, end) by the `passes` lowest digits, an even number. All threads call.
template <class Shared, class Problem>
KOGGE_DEVICE void sort_stretch_alone(Shared& shared, const Problem& problem, int passes, std::uint64_t begin,
                                     std::uint64_t end) {
    for (int pass = 0; pass < passes; ++pass) {
        simt::sync_block();  // the previous pass has written its keys
        const auto bucket = problem.bucket.in_pass(pass);
        const auto route = problem.route(pass, passes);
        const std::uint32_t count = count_stretch(shared, route, bucket, begin, end);
        // The scan's barrier follows all reads of the rows.
        const auto bins = block::ShuffleScan<kBins>::scan(count, kBins, plus{}, shared.network);
        split_stretch(shared, route, bucket, begin, end, begin + (bins.has_before ? bins.before : 0));
    }
}

/// The bucket of this number, whose bounds are known. Empty if an earlier entry lists it too, or if all keys are to be
/// sorted again. All lanes call.
template <class Problem>
KOGGE_DEVICE LargeGroup group_to_sort(const Problem& problem, std::uint32_t number) {
    if (simt::load_relaxed(&problem.control->too_large) != 0) return {0, 0};
    const LargeGroup group = problem.large[number];
    bool is_known = false;  // each warp finds out for itself
    for (auto earlier = static_cast<std::uint32_t>(simt::lane()); earlier < number; earlier += simt::kWarpSize)
        is_known = is_known || problem.large[earlier].begin == group.begin;
    return simt::any(is_known) ? LargeGroup{0, 0} : group;
}
/// The number of lowest digits that tell a bucket's keys apart, rounded up to an even number: all keys share the
/// additional digit, so its pass moves nothing. After passes by values keys share no digit.
template <class Problem>
KOGGE_DEVICE int passes_of_group(const Problem& problem) {
    return problem.control->values.are_some() ? problem.passes
                                              : static_cast<int>(divide_up(problem.control->lowest, 2) * 2);
}

}  // namespace kogge::grid::KOGGE_CODE
