// Groups of keys that agree in all leading digits, and are too large to be put in order where they are met
// (order_groups.cuh). A sample does not show groups of a few thousand keys among millions, so they must not cost much:
// a block sorts a group by its lower digits alone, between the output and the temporary.
//
// First the bounds of each listed group are found, then the groups are sorted: some are listed more than once, and
// while one is sorted nobody else may look at it. All neighbours are in order of their leading digits by then, so that
// groups do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/grid/stretches.cuh"

namespace kogge::grid {

/// Finds where a listed group begins and ends. Half of a warp looks at places before the listed one and half at places
/// behind it: of those that share the group's leading digits the most distant tells where to look closer.
template <class Problem>
KOGGE_DEVICE void find_large(const Problem& problem, std::uint32_t number) {
    constexpr int lookers = simt::kWarpSize / 2;
    if (simt::warp_rank() > 0) return;
    const int lane = simt::lane(), shift = static_cast<int>(problem.control->lowest) * kDigitBits;
    const bool is_behind = lane >= lookers;
    const std::uint64_t n = problem.n.get(), most = most_large_keys(n), place = problem.large[number].begin;
    const std::uint64_t within = is_behind ? n - 1 - place : place;
    const auto code = problem.bucket.code(problem.keys[place]);
    std::uint64_t before = 0, behind = 0;  // so many places share them
    for (std::uint64_t span = most, step; span > 0; span = step - 1) {
        step = divide_up(span, static_cast<std::uint64_t>(lookers));
        const std::uint64_t distance =
            (is_behind ? behind : before) + static_cast<std::uint64_t>(lane % lookers + 1) * step;
        const std::uint64_t looked_at = is_behind ? place + distance : place - distance;
        const simt::mask_t sharing =
            simt::ballot(distance <= within && (problem.bucket.code(problem.keys[looked_at]) ^ code) >> shift == 0);
        before += static_cast<std::uint64_t>(simt::count_bits(sharing & ((1u << lookers) - 1u))) * step;
        behind += static_cast<std::uint64_t>(simt::count_bits(sharing >> lookers)) * step;
    }
    simt::sync_warp();  // all lanes have read the place
    if (lane > 0) return;
    if (before + behind < most) problem.large[number] = {place - before, place + behind + 1};
    else simt::atomic_or<simt::Scope::device>(&problem.control->too_large, 1);
}

/// Sorts a group whose bounds are known, unless it stands on the list before, or all keys are to be sorted again.
template <class Shared, class Problem>
KOGGE_DEVICE void sort_large(Shared& shared, const Problem& problem, std::uint32_t number) {
    if (simt::load_relaxed(&problem.control->too_large) != 0) return;
    const LargeGroup group = problem.large[number];
    bool is_known = false;  // each warp finds out by itself
    for (auto earlier = static_cast<std::uint32_t>(simt::lane()); earlier < number; earlier += simt::kWarpSize)
        is_known = is_known || problem.large[earlier].begin == group.begin;
    if (simt::any(is_known)) return;
    // An even number of passes: one more moves nothing, as all keys share that digit.
    const int passes = static_cast<int>(divide_up(problem.control->lowest, 2) * 2);
    for (int pass = 0; pass < passes; ++pass) {
        simt::sync_block();  // the last pass has written its keys
        const auto bucket = problem.bucket.in_pass(pass);
        const auto route = problem.route(pass, passes);
        const std::uint32_t count = count_stretch(shared, route, bucket, group.begin, group.end);
        // Behind the scan's barrier all rows have been read.
        const auto bins = block::ShuffleScan<kBins>::scan(count, kBins, plus{}, shared.network);
        split_stretch(shared, route, bucket, group.begin, group.end, group.begin + (bins.has_before ? bins.before : 0));
    }
}

}  // namespace kogge::grid
