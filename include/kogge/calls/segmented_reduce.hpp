// Reductions of segments: the fold of each segment's items, by any associative operator.
//
//   items        out[s] = in[begin of s] ⊕ … ⊕ in[end of s − 1]. `in` is a pointer, or any copyable object with
//                operator[](uint64).
//   segments     offsets: segment s begins at offsets[s] and ends where the next one begins, the last one at n. Offsets
//                past n count as n; where the next offset is less, a segment is empty; items before offsets[0] belong
//                to none. Or rows_of(length, count): rows of equal length, one behind the other. The number of segments
//                may live on the device; the results of others are left as they were.
//   accumulator, operator, no items, NaN
//                as in reduce.hpp. So an empty segment gives `init`, or without one the fold of no items.
//   aliasing     `out` overlaps neither the items nor the offsets, or errc::overlap.
//   order        the association of a result depends on the segment's length, n, the number of segments, the types, the
//                device model and the number of its multiprocessors that the stream is limited to (on the host on the
//                length and the types alone): the same bits from run to run.
//   scratch      on the device as the plan says (plan_segmented_reduce): none where no segment can be long; otherwise
//                room for a list of parts of long segments. On the host none.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items or segments, a device_count
//                on the host, rows of more items than memory can hold), overlap, unreachable, out_of_memory (scratch),
//                not_built (on the device these calls need a file compiled by nvcc).
//   method       some lanes of a warp take a short segment, a warp a longer one, and blocks the parts of a long one;
//                see reduce/segments.cuh.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/calls/reduce.hpp"
#include "kogge/detail/segment_intervals.hpp"
#include "kogge/plan/segmented/reduce.hpp"
#include "kogge/types/counts.hpp"
#include "kogge/types/rows.hpp"
#if KOGGE_KERNELS
#include "kogge/reduce/segments.cuh"
#endif

namespace kogge::detail {

/// Result s goes to out[s].
template <class Out>
struct ToPlaces {
    Out* out;
    template <class Acc>
    KOGGE_HOST_DEVICE void operator()(std::uint64_t s, const Acc& result) const {
        out[s] = static_cast<Out>(result);
    }
};

}  // namespace kogge::detail

namespace kogge::detail::KOGGE_CODE {

/// `bounds` gives the segments' bounds; it reads `offsets`, if there are any. `equal`: they all have the same length.
template <class Acc, class In, class Out, class Bounds, class Op>
void segmented_reduce(const In& in, Out* out, const item_count& n, const Bounds& bounds, const Region& offsets,
                      const item_count& segments, [[maybe_unused]] bool equal, const Op& op, const Acc* init,
                      const exec& how) {
    static_assert(travels_as_bytes<Acc> && travels_as_bytes<item_of<In>> && travels_as_bytes<Out>,
                  "items and results travel as bytes: see kogge::travels_as_bytes");
    static_assert(!std::is_const_v<Out>, "results are not const: they are written");
    check_function<Op, Acc, Acc>();
    const char* const call = "segmented_reduce";
    const RunsOn where = check_call(call, how, n, {input_region(call, in, n.bound(), "in"), offsets},
                                    {{out, bytes_of(call, segments.bound(), sizeof(Out)), "out"}});
    if (segments.bound() == 0) return;
    const auto start = start_of<Acc, Op>(init);
    const auto join = on_carried<Acc>(op);
    const ToPlaces<carried<Out>> places{carry(out)};
    const AsItem<carried<Acc>> as{};
    const auto run = [&](const auto& items) {
        if (where == backend::host) {
            if (n.on_device() || segments.on_device())
                throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
            if constexpr (runs_on_host<In> && runs_on_host<Op>) {
                const host::CallerFunctions functions(call);
                host::segmented_reduce(items, n.bound(), bounds, segments.bound(), join, as, start, places,
                                       how.host_threads);
            } else {
                report_device_only(call);
            }
            return;
        }
#if KOGGE_KERNELS
        grid::device_segmented_reduce(call, items, n, bounds, segments, equal, join, as, start, places, how);
#else
        report_no_device_code(call);
#endif
    };
    if constexpr (is_plain_item<item_of<In>>) run(read_only(in));
    else run(carry_input(read_only(in)));
}

template <class Acc, class In, class Out, class Op>
void segmented_reduce(const In& in, Out* out, const item_count& n, const std::uint64_t* offsets,
                      const item_count& segments, const Op& op, const Acc* init, const exec& how) {
    const Region region{offsets, bytes_of("segmented_reduce", segments.bound(), sizeof(std::uint64_t)), "offsets"};
    segmented_reduce<Acc>(in, out, n, SegmentsByOffsets{offsets, segments.bound(), segments.on_device()}, region,
                          segments, false, op, init, how);
}
template <class Acc, class In, class Out, class Op>
void segmented_reduce(const In& in, Out* out, const rows_of& rows, const Op& op, const Acc* init, const exec& how) {
    const std::uint64_t n =
        rows.length == 0 ? 0 : bytes_of("segmented_reduce", rows.count, rows.length);  // the product, checked
    segmented_reduce<Acc>(in, out, n, SegmentsInRows{rows.length}, Region{}, rows.count, true, op, init, how);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// By offsets.
template <class In, class Out, detail::no_exec Op = plus>
void segmented_reduce(In in, Out* out, item_count n, detail::offsets_in offsets, item_count segments, Op op = {},
                      const exec& how = {}) {
    detail::check_start(static_cast<const Out*>(nullptr));
    detail::segmented_reduce(in, out, n, offsets, segments, op, static_cast<const Out*>(nullptr), how);
}
template <class In, class Out>
void segmented_reduce(In in, Out* out, item_count n, detail::offsets_in offsets, item_count segments, const exec& how) {
    kogge::segmented_reduce(in, out, n, offsets, segments, plus{}, how);
}
/// The same from an initial value, accumulated in Acc.
template <class In, class Out, class Op, detail::no_exec Acc>
void segmented_reduce(In in, Out* out, item_count n, detail::offsets_in offsets, item_count segments, Op op, Acc init,
                      const exec& how = {}) {
    detail::segmented_reduce<Acc>(in, out, n, offsets, segments, op, &init, how);
}

/// Of rows of equal length.
template <class In, class Out, detail::no_exec Op = plus>
void segmented_reduce(In in, Out* out, rows_of rows, Op op = {}, const exec& how = {}) {
    detail::check_start(static_cast<const Out*>(nullptr));
    detail::segmented_reduce(in, out, rows, op, static_cast<const Out*>(nullptr), how);
}
template <class In, class Out>
void segmented_reduce(In in, Out* out, rows_of rows, const exec& how) {
    kogge::segmented_reduce(in, out, rows, plus{}, how);
}
template <class In, class Out, class Op, detail::no_exec Acc>
void segmented_reduce(In in, Out* out, rows_of rows, Op op, Acc init, const exec& how = {}) {
    detail::segmented_reduce<Acc>(in, out, rows, op, &init, how);
}

}  // namespace kogge::KOGGE_CODE
