// Scans of segments in every form but begins and ends apart, which would leave results unwritten: offsets of any
// integer type, sequences of them, rows, and a number of segments on the device. What they do stands in scan.hpp, at
// the scans whose offsets are of 64 bits. Other forms are first stored as such on the device: 8 bytes of scratch per
// segment, and as much as 512 bytes more, besides what the plan of the scan says.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/calls/given_segments.hpp"
#include "kogge/calls/stored_offsets.hpp"
#include "kogge/scan.hpp"

namespace kogge::detail::KOGGE_CODE {

/// Offsets that scan.hpp does not take itself.
template <class Offsets>
concept other_offsets = offset_source<Offsets> && !std::is_null_pointer_v<Offsets> &&
                        !(std::is_pointer_v<Offsets> && is_count<std::remove_cv_t<std::remove_pointer_t<Offsets>>>);

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
template <class In, class Out, class Offsets, class Op = plus>
void exclusive_segmented_scan(In in, Out out, item_count n, segment_bounds<Offsets, detail::NextBegin> segments,
                              detail::result_of<In, Out> init, Op op = {}, scan_options options = {},
                              const exec& how = {}) {
    const char* const call = "exclusive_segmented_scan";
    detail::with_stored_offsets(call, n, in, out, detail::given_segments(call, segments), how,
                                [&](const std::uint64_t* offsets, std::uint64_t number, const exec& inner) {
                                    exclusive_segmented_scan(in, out, n, offsets, number, init, op, options, inner);
                                });
}
template <class In, class Out, class Offsets, class Op>
void exclusive_segmented_scan(In in, Out out, item_count n, segment_bounds<Offsets, detail::NextBegin> segments,
                              detail::result_of<In, Out> init, Op op, const exec& how) {
    exclusive_segmented_scan(in, out, n, segments, init, op, scan_options{}, how);
}
template <class In, class Out, class Offsets>
void exclusive_segmented_scan(In in, Out out, item_count n, segment_bounds<Offsets, detail::NextBegin> segments,
                              detail::result_of<In, Out> init, const exec& how) {
    exclusive_segmented_scan(in, out, n, segments, init, plus{}, scan_options{}, how);
}
template <class In, class Out, detail::other_offsets Offsets, class Op = plus>
void exclusive_segmented_scan(In in, Out out, item_count n, Offsets offsets, item_count segments,
                              detail::result_of<In, Out> init, Op op = {}, scan_options options = {},
                              const exec& how = {}) {
    exclusive_segmented_scan(in, out, n, segments_of(offsets, segments), init, op, options, how);
}
template <class In, class Out, detail::other_offsets Offsets, class Op>
void exclusive_segmented_scan(In in, Out out, item_count n, Offsets offsets, item_count segments,
                              detail::result_of<In, Out> init, Op op, const exec& how) {
    exclusive_segmented_scan(in, out, n, offsets, segments, init, op, scan_options{}, how);
}
template <class In, class Out, detail::other_offsets Offsets>
void exclusive_segmented_scan(In in, Out out, item_count n, Offsets offsets, item_count segments,
                              detail::result_of<In, Out> init, const exec& how) {
    exclusive_segmented_scan(in, out, n, offsets, segments, init, plus{}, scan_options{}, how);
}
template <class In, class Out, class Op = plus>
void exclusive_segmented_scan(In in, Out out, rows_of rows, detail::result_of<In, Out> init, Op op = {},
                              scan_options options = {}, const exec& how = {}) {
    const char* const call = "exclusive_segmented_scan";
    const auto segments = detail::given_segments(call, rows);
    const item_count n = segments.n();
    detail::with_stored_offsets(call, n, in, out, segments, how,
                                [&](const std::uint64_t* offsets, std::uint64_t number, const exec& inner) {
                                    exclusive_segmented_scan(in, out, n, offsets, number, init, op, options, inner);
                                });
}
template <class In, class Out, class Op>
void exclusive_segmented_scan(In in, Out out, rows_of rows, detail::result_of<In, Out> init, Op op, const exec& how) {
    exclusive_segmented_scan(in, out, rows, init, op, scan_options{}, how);
}
template <class In, class Out>
void exclusive_segmented_scan(In in, Out out, rows_of rows, detail::result_of<In, Out> init, const exec& how) {
    exclusive_segmented_scan(in, out, rows, init, plus{}, scan_options{}, how);
}

/// Sums from a value-initialised result: from 0 for numbers. What stands in braces alone is taken for exec: an initial
/// value of a class names its type.
template <class In, class Out, class Offsets>
void exclusive_segmented_scan(In in, Out out, item_count n, segment_bounds<Offsets, detail::NextBegin> segments,
                              const exec& how = {}) {
    exclusive_segmented_scan(in, out, n, segments, detail::result_of<In, Out>{}, plus{}, scan_options{}, how);
}
template <class In, class Out, detail::other_offsets Offsets>
void exclusive_segmented_scan(In in, Out out, item_count n, Offsets offsets, item_count segments,
                              const exec& how = {}) {
    exclusive_segmented_scan(in, out, n, segments_of(offsets, segments), how);
}
template <class In, class Out>
void exclusive_segmented_scan(In in, Out out, rows_of rows, const exec& how = {}) {
    exclusive_segmented_scan(in, out, rows, detail::result_of<In, Out>{}, plus{}, scan_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
