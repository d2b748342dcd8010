// Prefix sums from the end: the scans of scan.hpp over the items in reverse order, with each result at its item.
//
// Shared by both
//   items, accumulator, operator, aliasing, order, scratch, returns, throws
//                as in scan.hpp; on the device the file must be compiled by nvcc (not_built).
//   speed        the kernels and their traffic are the scan's: bulk copies where in + n and out + n are at 16-byte
//                boundaries.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/detail/reversed.hpp"
#include "kogge/exec.hpp"
#include "kogge/scan.hpp"

namespace kogge::detail::KOGGE_CODE {

template <class Acc, class In, class Out, class Op>
void reverse_scan(const char* call, In in, Out* out, const item_count& n, Op op, const Acc* start, bool inclusive,
                  const scan_options& options, const exec& how) {
    static_assert(!std::is_const_v<Out>, "results are not const: they are written");
    const RunsOn where = check_scan(call, in, out, n, how);
    // In place, too: a result takes its item's place, as in a scan from the start.
    const Reversed<decltype(read_only(in))> items{read_only(in), n.bound(), n.on_device()};
    run_scan<Acc>(call, where, items, out, n, op, start, inclusive, options, how);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// out[i] = in[n − 1] ⊕ … ⊕ in[i].
template <class In, class Out, class Op = plus>
void reverse_inclusive_scan(In in, Out* out, item_count n, Op op = {}, scan_options options = {},
                            const exec& how = {}) {
    detail::reverse_scan<Out>("reverse_inclusive_scan", in, out, n, op, static_cast<const Out*>(nullptr), true, options,
                              how);
}
template <class In, class Out, class Op = plus>
void reverse_inclusive_scan(In in, Out* out, item_count n, Op op, const exec& how) {
    reverse_inclusive_scan(in, out, n, op, scan_options{}, how);
}

/// out[i] = init ⊕ in[n − 1] ⊕ … ⊕ in[i + 1], accumulated in Acc; out[n − 1] = init.
template <class In, class Out, class Acc, class Op = plus>
void reverse_exclusive_scan(In in, Out* out, item_count n, Acc init, Op op = {}, scan_options options = {},
                            const exec& how = {}) {
    detail::reverse_scan<Acc>("reverse_exclusive_scan", in, out, n, op, &init, false, options, how);
}
template <class In, class Out, class Acc, class Op = plus>
void reverse_exclusive_scan(In in, Out* out, item_count n, Acc init, Op op, const exec& how) {
    reverse_exclusive_scan(in, out, n, init, op, scan_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
