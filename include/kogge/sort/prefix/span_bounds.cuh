// Finds where the spans of sort/prefix/spans.cuh begin and end: the bucket around each bound between two slices. After
// passes over all digits the launch checks the order of the result instead, since an idle launch takes time too.
//
// Keys ranked in arrival order may have their leading digits out of order. The buckets around the bounds, each found by
// itself, may then contradict each other, and spans would overlap. So neighbouring buckets are compared: if any two do
// not fit, no span is sorted, and the sort is repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/pass/check_order.cuh"
#include "kogge/pass/schedule.cuh"
#include "kogge/sort/prefix/bucket_bounds.cuh"
#include "kogge/sort/prefix/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// `threads`: of a block that sorts spans.
template <class AgainProblem, int threads>
struct SpanProblem {
    using Again = AgainProblem;
    using Key = typename Again::key_type;
    using Value = typename Again::value_type;
    static constexpr bool kHasValues = Again::kHasValues;
    static constexpr int kThreads = threads;
    static constexpr std::size_t kItemBytes = sizeof(Key) + Again::kValueBytes;
    static constexpr bool kIsWide = sizeof(Key) > sizeof(std::uint32_t);  ///< words have 64 bits
    static constexpr std::uint32_t kItems = span_items(threads);          ///< the most items of a span
    static_assert(std::is_same_v<Key, std::uint32_t> || (std::is_same_v<Key, std::uint64_t> && !kHasValues));
    static_assert(!kHasValues || std::is_same_v<Value, std::uint32_t>);

    Again all;           ///< the items, and the fallback's arguments
    bool writes_keys;    ///< else keys are written only for a large bucket, which may lead to a sort of all keys again
    LargeGroup* bounds;  ///< of the buckets around the slices' bounds: one more than slices
    std::uint64_t stretch;  ///< places per slice
    std::uint32_t stretches;
    std::uint32_t blocks;
    std::uint32_t check_blocks;  ///< of the launch, if it checks the order

    KOGGE_DEVICE Key code(std::uint64_t place) const { return all.bucket.code(all.keys[place]); }
    KOGGE_DEVICE int shift() const { return static_cast<int>(all.control->lowest) * kDigitBits; }
};

/// The order that the passes have made: by the leading digits of codes.
template <class Problem>
struct LeadingOfCodes {
    static constexpr bool kByValues = false;
    const Problem& problem;
    int shift;
    KOGGE_DEVICE explicit LeadingOfCodes(const Problem& spans) : problem(spans), shift(spans.shift()) {}
    KOGGE_DEVICE auto operator()(std::uint64_t place) const { return problem.code(place) >> shift; }
};
/// Or by the leading digits of floats' values.
template <class Problem>
struct LeadingOfValues {
    static constexpr bool kByValues = true;
    const Problem& problem;
    ValueDigits values;
    KOGGE_DEVICE explicit LeadingOfValues(const Problem& spans) : problem(spans), values(spans.all.control->values) {}
    KOGGE_DEVICE std::uint32_t operator()(std::uint64_t place) const { return values(problem.all.keys[place]); }
};
/// Calls f with one of these. `may_go_by_values`: the keys may be floats.
template <bool may_go_by_values, class Problem, class F>
KOGGE_DEVICE void with_leading(const Problem& problem, const F& f) {
    if constexpr (may_go_by_values)
        if (problem.all.control->values.are_some()) return f(LeadingOfValues(problem));
    f(LeadingOfCodes(problem));
}

/// Lanes that find the bucket of the last item before a slice's end. For keys alone a warp's last bucket is also the
/// next warp's first, which compares it with its neighbour.
inline constexpr int kBoundLanes = 8;
constexpr int warp_bounds(bool has_values) { return simt::kWarpSize / kBoundLanes - (has_values ? 0 : 1); }
constexpr int block_bounds(bool has_values) { return kCheckThreads / simt::kWarpSize * warp_bounds(has_values); }
template <class Problem, class Leading>
KOGGE_DEVICE void find_spans(const Problem& problem, const Leading& leading_at) {
    constexpr int bounds = warp_bounds(Problem::kHasValues);
    const int of_warp = simt::lane() / kBoundLanes, looker = simt::lane() % kBoundLanes;
    const std::uint32_t own = simt::block_rank() * block_bounds(Problem::kHasValues) +
                              static_cast<std::uint32_t>(simt::warp_rank() * bounds + of_warp);
    const std::uint32_t bound = own < problem.stretches ? own : problem.stretches;
    const std::uint64_t n = problem.all.n.get(), at = bound * problem.stretch, end = at < n ? at : n;
    LargeGroup group{0, 0};
    if (n > 0) {
        const std::uint64_t place = end > 0 ? end - 1 : 0;
        const auto leading = leading_at(place);
        const auto shares = [&](std::uint64_t other) { return leading_at(other) == leading; };
        using Reach = GroupReach<kBoundLanes / 2>;
        Reach reach(place, n, Problem::kItems, shares);
        if (simt::any(reach.before >= Problem::kItems || reach.behind >= Problem::kItems))
            reach = Reach(place, n, n, shares);
        if (end > 0) group = {place - reach.before, place + reach.behind + 1};
        if constexpr (!Problem::kHasValues) {
            const LargeGroup next{simt::shuffle(group.begin, (simt::lane() + kBoundLanes) % simt::kWarpSize),
                                  simt::shuffle(group.end, (simt::lane() + kBoundLanes) % simt::kWarpSize)};
            bool fits =
                of_warp == bounds || next.begin >= group.end || (next.begin == group.begin && next.end == group.end);
            if (end > 0 && looker == 0) fits = fits && leading_at(group.begin) == leading;
            if (end > 0 && looker == 1) fits = fits && leading_at(group.end - 1) == leading;
            if (group.begin > 0 && looker == 2) fits = fits && leading_at(group.begin - 1) < leading;
            if (end > 0 && group.end < n && looker == 3) fits = fits && leading_at(group.end) > leading;
            if (!fits) {
                simt::atomic_or<simt::Scope::device>(&problem.all.control->no_spans, 1);
                simt::atomic_or<simt::Scope::device>(&problem.all.control->disorder, 1);
            }
        }
    }
    if (looker > 0 || of_warp >= bounds || own > problem.stretches) return;
    problem.bounds[bound] = group;
    if (group.end - group.begin > Problem::kItems)
        simt::atomic_or<simt::Scope::device>(&problem.all.control->has_large, 1);
}

template <bool may_go_by_values, class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kCheckThreads, kCheckBlocks) find_spans_kernel(Problem problem) {
    simt::wait_for_stream();
    if (problem.all.control->by_spans != 0) {
        if (simt::block_rank() * block_bounds(Problem::kHasValues) <= problem.stretches)
            with_leading<may_go_by_values>(problem, [&](const auto& leading_at) { find_spans(problem, leading_at); });
    } else if constexpr (!Problem::kHasValues) {  // with values, ranks are in order
        check_order(problem.all.keys, problem.all.n.get(), problem.all.bucket, problem.all.control);
    }
}

}  // namespace kogge::grid::KOGGE_CODE
