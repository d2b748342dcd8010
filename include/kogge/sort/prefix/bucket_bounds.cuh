// After passes over leading digits: finds the bucket around each bound between two slices, so that the buckets that
// begin in a slice are known, and lists the buckets that are too large for a block.
#pragma once

#include <cstdint>

#include "kogge/sort/prefix/buckets.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The number of places before and after a given one, up to `most` each, that belong to its bucket. shares(place) tells
/// whether another of the n places does. `lookers` lanes probe places before it, and as many probe places after it; the
/// most distant place of the bucket tells where to probe closer. All lanes of the warp call, with the same `most`.
template <int lookers>
struct BucketReach {
    std::uint64_t before = 0, after = 0;

    template <class Shares>
    KOGGE_DEVICE BucketReach(std::uint64_t place, std::uint64_t n, std::uint64_t most, const Shares& shares) {
        constexpr simt::mask_t side = (1u << lookers) - 1u;
        const int lane = simt::lane(), first = lane / (2 * lookers) * (2 * lookers);
        const bool is_after = lane - first >= lookers;
        const std::uint64_t within = is_after ? n - 1 - place : place;
        for (std::uint64_t span = most, step; span > 0; span = step - 1) {
            step = divide_up(span, static_cast<std::uint64_t>(lookers));
            const std::uint64_t distance =
                (is_after ? after : before) + static_cast<std::uint64_t>(lane % lookers + 1) * step;
            const simt::mask_t sharing =
                simt::ballot(distance <= within && shares(is_after ? place + distance : place - distance)) >> first;
            before += static_cast<std::uint64_t>(simt::count_bits(sharing & side)) * step;
            after += static_cast<std::uint64_t>(simt::count_bits(sharing >> lookers & side)) * step;
        }
    }
};

/// kBoundLanes lanes find the bucket of the last item before a slice's end.
template <class Problem, class Leading>
KOGGE_DEVICE void find_bounds(const Problem& problem, std::uint32_t first, const Leading& leading_at) {
    const std::uint32_t slices = problem.slices();
    const std::uint32_t own = first + static_cast<std::uint32_t>(simt::thread_rank() / kBoundLanes);
    const std::uint32_t bound = own < slices ? own : slices;
    const std::uint64_t n = problem.n.get(), places = problem.places(), most = problem.most_on_chip();
    const std::uint64_t end = bound * places < n ? bound * places : n;
    const std::uint64_t place = end > 0 ? end - 1 : 0;
    const auto leading = leading_at(place);
    const auto shares = [&](std::uint64_t other) { return leading_at(other) == leading; };
    using Reach = BucketReach<kBoundLanes / 2>;
    constexpr std::uint64_t near = 2 * kBoundLanes;  // two looks; most buckets of uniform keys end within
    Reach reach(place, n, near, shares);
    if (simt::any(reach.before >= near || reach.after >= near)) {
        reach = Reach(place, n, most, shares);
        if (simt::any(reach.before >= most || reach.after >= most)) reach = Reach(place, n, n, shares);
    }
    if (own > slices || simt::lane() % kBoundLanes > 0) return;
    const Places bucket = end > 0 ? Places{place - reach.before, place + reach.after + 1} : Places{0, 0};
    problem.bounds[bound] = bucket;
    if (problem.is_wide(bucket)) simt::store_relaxed(&problem.control->has_wide, 1u);
    // The first bound in a bucket lists it.
    const bool is_first = bound <= 1 || bucket.begin >= (bound - 1) * places;
    if (bucket.end - bucket.begin <= most || !is_first) return;
    // After passes by values, keys of a bucket may differ in all digits.
    problem.list_large(
        problem.list(0), bucket,
        problem.control->values.are_some() ? static_cast<std::uint32_t>(problem.passes) : problem.control->lowest, 0);
}

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kBoundThreads, 4) find_bounds_kernel(Problem problem) {
    simt::wait_for_stream();
    if (problem.control->lowest == 0) return;
    const std::uint64_t first = std::uint64_t{simt::block_rank()} * kBlockBounds;
    if (problem.n.get() == 0 || first > problem.slices()) return;
    with_leading<Problem::kMayGoByValues>(
        problem, [&](const auto& leading_at) { find_bounds(problem, static_cast<std::uint32_t>(first), leading_at); });
}

}  // namespace kogge::grid::KOGGE_CODE
