// Scans of segments in every form but begins and ends apart, which would leave results unwritten: offsets of any
// integer type, sequences of them, rows, and a number of segments on the device. What they do stands in scan.hpp, at
// the scans whose offsets are of 64 bits. Other forms are first stored as such on the device: 8 bytes of scratch per
// segment, and as much as 512 bytes more, besides what the plan of the scan says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "kogge/calls/given_segments.hpp"
#include "kogge/calls/scratch_bytes.hpp"
#include "kogge/scan.hpp"

namespace kogge::detail::KOGGE_CODE {

/// Offsets that scan.hpp does not take itself.
template <class Offsets>
concept other_offsets = offset_source<Offsets> && !std::is_null_pointer_v<Offsets> &&
                        !(std::is_pointer_v<Offsets> && is_count<std::remove_cv_t<std::remove_pointer_t<Offsets>>>);

/// Calls scan(offsets, number, how) with offsets of 64 bits, where the arrays are.
template <class In, class Out, class Segments, class Scan>
void with_stored_offsets(const char* call, const item_count& n, const In& in, const Out& out, Segments segments,
                         const exec& how, const Scan& scan) {
    std::vector<Region> reads{input_region(call, in, n.bound(), "in")};
    const auto& regions = segments.regions();
    reads.insert(reads.end(), regions.begin(), regions.end());
    const std::vector<Region> writes{output_region(call, out, n.bound(), "out")};
    const RunsOn where = check_call(call, how, n, reads, writes, 1);  // the scan says whether it may be in place
    segments.check_count(where == backend::host, how.stream);
    exec inner = how;
    inner.where = where;
    if (n.bound() == 0) return scan(static_cast<const std::uint64_t*>(nullptr), std::uint64_t{0}, inner);
    if (where == backend::host) {
        const SegmentBounds bounds = segments.on_host(n.bound());
        std::vector<std::uint64_t> offsets(bounds.most);
        for (std::uint64_t s = 0; s < bounds.most; ++s) offsets[s] = SegmentBegins{bounds}[s];
        return scan(static_cast<const std::uint64_t*>(offsets.data()), bounds.most, inner);
    }
#if KOGGE_KERNELS
    const DeviceSegments on_device = segments.on_device();
    Carver carver;
    carver.take<std::uint64_t>(on_device.bounds.most);
    const std::size_t bytes = scratch_with_slack(carver.used());
    const Scratch scratch(call, how, bytes);
    auto* const offsets = static_cast<std::uint64_t*>(scratch.data());
    if (simt::is_measuring()) {  // the scan's scratch is beside this
        const std::size_t beside = scratch_bytes(
            [&](const exec& asked) { scan(static_cast<const std::uint64_t*>(offsets), on_device.bounds.most, asked); },
            simt::properties_of(how.stream), inner);
        const Scratch both(call, how, bytes + beside);
        return;
    }
    if (inner.space.data) {
        inner.space.data = static_cast<std::byte*>(inner.space.data) + bytes;
        inner.space.bytes -= bytes;
    }
    if (inner.scratch_limit != kNoLimit) inner.scratch_limit -= bytes;
    if (on_device.store) on_device.store(on_device.given, on_device.bounds, offsets, nullptr, how.stream);
    else if (on_device.bounds.most > 0) grid::store_offsets(on_device.bounds, offsets, how.stream);
    scan(static_cast<const std::uint64_t*>(offsets), on_device.bounds.most, inner);
#else
    report_no_device_code(call);
#endif
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// As scan.hpp's, of other segments.
template <class In, class Out, class Offsets, class Op = plus>
void inclusive_segmented_scan(In in, Out out, item_count n, segment_bounds<Offsets, detail::NextBegin> segments,
                              Op op = {}, scan_options options = {}, const exec& how = {}) {
    const char* const call = "inclusive_segmented_scan";
    detail::with_stored_offsets(call, n, in, out, detail::given_segments(call, segments), how,
                                [&](const std::uint64_t* offsets, std::uint64_t number, const exec& inner) {
                                    inclusive_segmented_scan(in, out, n, offsets, number, op, options, inner);
                                });
}
template <class In, class Out, class Offsets, class Op>
void inclusive_segmented_scan(In in, Out out, item_count n, segment_bounds<Offsets, detail::NextBegin> segments, Op op,
                              const exec& how) {
    inclusive_segmented_scan(in, out, n, segments, op, scan_options{}, how);
}
template <class In, class Out, class Offsets>
void inclusive_segmented_scan(In in, Out out, item_count n, segment_bounds<Offsets, detail::NextBegin> segments,
                              const exec& how) {
    inclusive_segmented_scan(in, out, n, segments, plus{}, scan_options{}, how);
}
template <class In, class Out, detail::other_offsets Offsets, class Op = plus>
void inclusive_segmented_scan(In in, Out out, item_count n, Offsets offsets, item_count segments, Op op = {},
                              scan_options options = {}, const exec& how = {}) {
    inclusive_segmented_scan(in, out, n, segments_of(offsets, segments), op, options, how);
}
template <class In, class Out, detail::other_offsets Offsets, class Op>
void inclusive_segmented_scan(In in, Out out, item_count n, Offsets offsets, item_count segments, Op op,
                              const exec& how) {
    inclusive_segmented_scan(in, out, n, offsets, segments, op, scan_options{}, how);
}
template <class In, class Out, detail::other_offsets Offsets>
void inclusive_segmented_scan(In in, Out out, item_count n, Offsets offsets, item_count segments, const exec& how) {
    inclusive_segmented_scan(in, out, n, offsets, segments, plus{}, scan_options{}, how);
}
template <class In, class Out, class Op = plus>
void inclusive_segmented_scan(In in, Out out, rows_of rows, Op op = {}, scan_options options = {},
                              const exec& how = {}) {
    const char* const call = "inclusive_segmented_scan";
    const auto segments = detail::given_segments(call, rows);
    const item_count n = segments.n();
    detail::with_stored_offsets(call, n, in, out, segments, how,
                                [&](const std::uint64_t* offsets, std::uint64_t number, const exec& inner) {
                                    inclusive_segmented_scan(in, out, n, offsets, number, op, options, inner);
                                });
}
template <class In, class Out, class Op>
void inclusive_segmented_scan(In in, Out out, rows_of rows, Op op, const exec& how) {
    inclusive_segmented_scan(in, out, rows, op, scan_options{}, how);
}
template <class In, class Out>
void inclusive_segmented_scan(In in, Out out, rows_of rows, const exec& how) {
    inclusive_segmented_scan(in, out, rows, plus{}, scan_options{}, how);
}

/// The same, exclusive: the first item of a segment gets `init`. Not in place.
template <class In, class Out, class Offsets, class Init, class Op = plus>
void exclusive_segmented_scan(In in, Out out, item_count n, segment_bounds<Offsets, detail::NextBegin> segments,
                              Init init, Op op = {}, scan_options options = {}, const exec& how = {}) {
    const char* const call = "exclusive_segmented_scan";
    detail::with_stored_offsets(call, n, in, out, detail::given_segments(call, segments), how,
                                [&](const std::uint64_t* offsets, std::uint64_t number, const exec& inner) {
                                    exclusive_segmented_scan(in, out, n, offsets, number, init, op, options, inner);
                                });
}
template <class In, class Out, class Offsets, class Init, class Op>
void exclusive_segmented_scan(In in, Out out, item_count n, segment_bounds<Offsets, detail::NextBegin> segments,
                              Init init, Op op, const exec& how) {
    exclusive_segmented_scan(in, out, n, segments, init, op, scan_options{}, how);
}
template <class In, class Out, class Offsets, class Init>
void exclusive_segmented_scan(In in, Out out, item_count n, segment_bounds<Offsets, detail::NextBegin> segments,
                              Init init, const exec& how) {
    exclusive_segmented_scan(in, out, n, segments, init, plus{}, scan_options{}, how);
}
template <class In, class Out, detail::other_offsets Offsets, class Init, class Op = plus>
void exclusive_segmented_scan(In in, Out out, item_count n, Offsets offsets, item_count segments, Init init, Op op = {},
                              scan_options options = {}, const exec& how = {}) {
    exclusive_segmented_scan(in, out, n, segments_of(offsets, segments), init, op, options, how);
}
template <class In, class Out, detail::other_offsets Offsets, class Init, class Op>
void exclusive_segmented_scan(In in, Out out, item_count n, Offsets offsets, item_count segments, Init init, Op op,
                              const exec& how) {
    exclusive_segmented_scan(in, out, n, offsets, segments, init, op, scan_options{}, how);
}
template <class In, class Out, detail::other_offsets Offsets, class Init>
void exclusive_segmented_scan(In in, Out out, item_count n, Offsets offsets, item_count segments, Init init,
                              const exec& how) {
    exclusive_segmented_scan(in, out, n, offsets, segments, init, plus{}, scan_options{}, how);
}
template <class In, class Out, class Init, class Op = plus>
void exclusive_segmented_scan(In in, Out out, rows_of rows, Init init, Op op = {}, scan_options options = {},
                              const exec& how = {}) {
    const char* const call = "exclusive_segmented_scan";
    const auto segments = detail::given_segments(call, rows);
    const item_count n = segments.n();
    detail::with_stored_offsets(call, n, in, out, segments, how,
                                [&](const std::uint64_t* offsets, std::uint64_t number, const exec& inner) {
                                    exclusive_segmented_scan(in, out, n, offsets, number, init, op, options, inner);
                                });
}
template <class In, class Out, class Init, class Op>
void exclusive_segmented_scan(In in, Out out, rows_of rows, Init init, Op op, const exec& how) {
    exclusive_segmented_scan(in, out, rows, init, op, scan_options{}, how);
}
template <class In, class Out, class Init>
void exclusive_segmented_scan(In in, Out out, rows_of rows, Init init, const exec& how) {
    exclusive_segmented_scan(in, out, rows, init, plus{}, scan_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
