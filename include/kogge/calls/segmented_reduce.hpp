// Reductions of segments: the fold of each segment's items, by any associative operator.
//
//   items        out[s] = in[begin of s] ⊕ … ⊕ in[end of s − 1]. `in` is a pointer, or any copyable object with
//                operator[](uint64).
//   segments     offsets, begins and ends apart, or rows_of(length, count), as types/segments.hpp says. Items before
//                offsets[0], and in gaps, belong to none and are not read. A segment that does not end behind its begin
//                is empty; segments may overlap. The number of segments may live on the device; the results of others
//                are left as they were.
//   accumulator, operator, no items, NaN
//                as in reduce.hpp. So an empty segment gives `init`, or without one the fold of no items.
//   aliasing     `out` overlaps neither the items nor begins and ends, or errc::overlap.
//   order        the association of a result depends on the segment's length, n, the number of segments, the types, the
//                device model and the number of its multiprocessors that the stream is limited to (on the host on the
//                length and the types alone): the same bits from run to run.
//   scratch      on the device as the plan says (plan_segmented_reduce): none where no segment can be long; otherwise
//                room for lists of long segments and for the folds of their parts; 8 bytes for each begin and end that
//                is given by an object with operator[], which are stored first. On the host none, or these 8 bytes.
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
#include <vector>

#include "kogge/calls/given_segments.hpp"
#include "kogge/calls/reduce.hpp"
#include "kogge/plan/segmented/reduce.hpp"
#include "kogge/types/counts.hpp"
#include "kogge/types/segments.hpp"
#if KOGGE_KERNELS
#include "kogge/reduce/segments.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

template <class Acc, class In, class Out, class Op, class Segments>
void run_segmented_reduce(const In& in, Out* out, const item_count& n, Segments segments,
                          [[maybe_unused]] bool are_rows, const Op& op, const Acc* init, const exec& how) {
    static_assert(travels_as_bytes<Acc> && travels_as_bytes<item_of<In>> && travels_as_bytes<Out>,
                  "items and results travel as bytes: see kogge::travels_as_bytes");
    static_assert(!std::is_const_v<Out>, "results are not const: they are written");
    check_function<Acc, Op, Acc, Acc>();
    const char* const call = "segmented_reduce";
    std::vector<Region> reads{input_region(call, in, n.bound(), "in")};
    const auto& regions = segments.regions();
    reads.insert(reads.end(), regions.begin(), regions.end());
    const std::vector<Region> writes{{out, bytes_of(call, segments.most(), sizeof(Out)), "out"}};
    const RunsOn where = check_call(call, how, n, reads, writes);
    segments.check_count(where == backend::host, how.stream);
    if (segments.most() == 0) return;
    const auto start = start_of<Acc, Op>(init);
    const auto join = on_carried<Acc>(op);
    const ToPlaces<carried<Out>> places{carry(out)};
    const AsItem<carried<Acc>> as{};
    const auto run = [&](const auto& items) {
        if (where == backend::host) {
            if (n.on_device())
                throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
            if constexpr (runs_on_host<In> && runs_on_host<Op>) {
                const host::CallerFunctions functions(call);
                const SegmentBounds bounds = segments.on_host(n.bound(), true);
                const auto bounds_of = [bounds](std::uint64_t s, std::uint64_t all) {
                    return bounds.at(s, bounds.most, all);
                };
                host::segmented_reduce(items, n.bound(), bounds_of, bounds.most, join, as, start, places,
                                       how.host_threads);
            } else {
                report_device_only(call);
            }
            return;
        }
#if KOGGE_KERNELS
        grid::device_segmented_reduce(call, items, n, segments.on_device(), are_rows, join, as, start, places, how);
#else
        report_no_device_code(call);
#endif
    };
    if constexpr (is_plain_item<item_of<In>>) run(read_only(in));
    else run(carry_input(read_only(in)));
}

template <class Acc, class In, class Out, class Begins, class Ends, class Op>
void segmented_reduce(const In& in, Out* out, const item_count& n, const segment_bounds<Begins, Ends>& segments,
                      const Op& op, const Acc* init, const exec& how) {
    run_segmented_reduce<Acc>(in, out, n, given_segments("segmented_reduce", segments), false, op, init, how);
}
template <class Acc, class In, class Out, class Op>
void segmented_reduce(const In& in, Out* out, const rows_of& rows, const Op& op, const Acc* init, const exec& how) {
    const GivenRows given = given_segments("segmented_reduce", rows);
    run_segmented_reduce<Acc>(in, out, given.n(), given, true, op, init, how);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// By begins and ends, or by offsets: of segments_of(…).
template <class In, class Out, class Begins, class Ends, detail::no_exec Op = plus>
void segmented_reduce(In in, Out* out, item_count n, segment_bounds<Begins, Ends> segments, Op op = {},
                      const exec& how = {}) {
    detail::check_default<Out>();
    detail::segmented_reduce(in, out, n, segments, op, static_cast<const Out*>(nullptr), how);
}
template <class In, class Out, class Begins, class Ends>
void segmented_reduce(In in, Out* out, item_count n, segment_bounds<Begins, Ends> segments, const exec& how) {
    kogge::segmented_reduce(in, out, n, segments, plus{}, how);
}
/// The same from an initial value; see reduce.hpp for what it is accumulated in.
template <class In, class Out, class Begins, class Ends, class Op, detail::no_exec Acc>
void segmented_reduce(In in, Out* out, item_count n, segment_bounds<Begins, Ends> segments, Op op, Acc init,
                      const exec& how = {}) {
    const auto start = detail::initial_sum<detail::item_of<In>, Out>(init);
    detail::segmented_reduce(in, out, n, segments, op, &start, how);
}

/// By offsets.
template <class In, class Out, detail::offset_source Offsets, detail::no_exec Op = plus>
void segmented_reduce(In in, Out* out, item_count n, Offsets offsets, item_count segments, Op op = {},
                      const exec& how = {}) {
    kogge::segmented_reduce(in, out, n, segments_of(offsets, segments), op, how);
}
template <class In, class Out, detail::offset_source Offsets>
void segmented_reduce(In in, Out* out, item_count n, Offsets offsets, item_count segments, const exec& how) {
    kogge::segmented_reduce(in, out, n, segments_of(offsets, segments), plus{}, how);
}
template <class In, class Out, detail::offset_source Offsets, class Op, detail::no_exec Acc>
void segmented_reduce(In in, Out* out, item_count n, Offsets offsets, item_count segments, Op op, Acc init,
                      const exec& how = {}) {
    kogge::segmented_reduce(in, out, n, segments_of(offsets, segments), op, init, how);
}

/// Of rows of equal length.
template <class In, class Out, detail::no_exec Op = plus>
void segmented_reduce(In in, Out* out, rows_of rows, Op op = {}, const exec& how = {}) {
    detail::check_default<Out>();
    detail::segmented_reduce(in, out, rows, op, static_cast<const Out*>(nullptr), how);
}
template <class In, class Out>
void segmented_reduce(In in, Out* out, rows_of rows, const exec& how) {
    kogge::segmented_reduce(in, out, rows, plus{}, how);
}
template <class In, class Out, class Op, detail::no_exec Acc>
void segmented_reduce(In in, Out* out, rows_of rows, Op op, Acc init, const exec& how = {}) {
    const auto start = detail::initial_sum<detail::item_of<In>, Out>(init);
    detail::segmented_reduce(in, out, rows, op, &start, how);
}

}  // namespace kogge::KOGGE_CODE
