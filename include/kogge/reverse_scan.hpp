// Prefix sums from the end: the scans of scan.hpp over the items in reverse order, with each result at its item.
//
// Shared by all of them
//   items, accumulator, operator, aliasing, order, scratch, returns, throws, exec
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

/// `start` is the initial value, of the accumulator's type, or no_init.
template <class Init, class In, class Out, class Op>
void reverse_scan(const char* call, const In& in, const Out& out, const item_count& n, Op op, const Init* start,
                  bool inclusive, const scan_options& options, const exec& how) {
    using Result = result_of<In, Out>;
    const RunsOn where = check_scan<Result>(call, in, out, n, how);
    // In place, too: a result takes its item's place, as in a scan from the start.
    const auto items = in_order<true>(read_only(in), n);
    const auto run = [&]<class Acc>(const Acc* first) {
        run_scan<Acc, Result>(call, where, items, out, n, op, first, inclusive, options, how);
    };
    if constexpr (std::is_same_v<Init, NoInit>) run(static_cast<const Result*>(nullptr));
    else run(start);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// out[i] = in[n − 1] ⊕ … ⊕ in[i].
template <class In, detail::item_output Out, class Op = plus>
void reverse_inclusive_scan(In in, Out out, item_count n, Op op = {}, scan_options options = {}, const exec& how = {}) {
    detail::reverse_scan("reverse_inclusive_scan", in, out, n, op, detail::no_init, true, options, how);
}
template <class In, detail::item_output Out>
void reverse_inclusive_scan(In in, Out out, item_count n, const exec& how) {
    reverse_inclusive_scan(in, out, n, plus{}, scan_options{}, how);
}
template <class In, detail::item_output Out, class Op = plus>
void reverse_inclusive_scan(In in, Out out, item_count n, Op op, const exec& how) {
    reverse_inclusive_scan(in, out, n, op, scan_options{}, how);
}

/// out[i] = init ⊕ in[n − 1] ⊕ … ⊕ in[i + 1]; out[n − 1] = init.
template <class In, detail::item_output Out, class Acc, class Op = plus>
void reverse_exclusive_scan(In in, Out out, item_count n, Acc init, Op op = {}, scan_options options = {},
                            const exec& how = {}) {
    const auto start = detail::initial_sum<detail::item_of<In>, detail::result_of<In, Out>>(init);
    detail::reverse_scan("reverse_exclusive_scan", in, out, n, op, &start, false, options, how);
}
template <class In, detail::item_output Out, class Acc, class Op = plus>
void reverse_exclusive_scan(In in, Out out, item_count n, Acc init, Op op, const exec& how) {
    reverse_exclusive_scan(in, out, n, init, op, scan_options{}, how);
}
template <class In, detail::item_output Out, class Acc>
void reverse_exclusive_scan(In in, Out out, item_count n, Acc init, const exec& how) {
    reverse_exclusive_scan(in, out, n, init, plus{}, scan_options{}, how);
}
/// Sums from a value-initialised result: from 0 for numbers. What stands in braces alone is taken for exec: an initial
/// value of a class names its type.
template <class In, detail::item_output Out>
void reverse_exclusive_scan(In in, Out out, item_count n, const exec& how = {}) {
    reverse_exclusive_scan(in, out, n, detail::result_of<In, Out>{}, plus{}, scan_options{}, how);
}

/// Scans each run of equal consecutive keys on its own, from its end: out[i] = in[last] ⊕ … ⊕ in[i], where `last` is
/// the index of the run's last item. Runs are those of inclusive_scan_by_key: one starts where equal(keys[i − 1],
/// keys[i]) is false.
template <class Keys, class In, detail::item_output Out, class Op = plus, class Equal = equal_to>
void reverse_inclusive_scan_by_key(Keys keys, In in, Out out, item_count n, Op op = {}, Equal equal = {},
                                   scan_options options = {}, const exec& how = {}) {
    using Sum = detail::result_of<In, Out>;
    detail::scan_by_key<true, false, Keys, In, Out, Sum>("reverse_inclusive_scan_by_key", keys, in, out, n, {}, op,
                                                         equal, options, how);
}
template <class Keys, class In, detail::item_output Out>
void reverse_inclusive_scan_by_key(Keys keys, In in, Out out, item_count n, const exec& how) {
    reverse_inclusive_scan_by_key(keys, in, out, n, plus{}, equal_to{}, scan_options{}, how);
}
template <class Keys, class In, detail::item_output Out, class Op = plus>
void reverse_inclusive_scan_by_key(Keys keys, In in, Out out, item_count n, Op op, const exec& how) {
    reverse_inclusive_scan_by_key(keys, in, out, n, op, equal_to{}, scan_options{}, how);
}
template <class Keys, class In, detail::item_output Out, class Op = plus, class Equal = equal_to>
void reverse_inclusive_scan_by_key(Keys keys, In in, Out out, item_count n, Op op, Equal equal, const exec& how) {
    reverse_inclusive_scan_by_key(keys, in, out, n, op, equal, scan_options{}, how);
}

/// The same, exclusive: the last item of a run gets `init`. Not in place: `out` and `in` must not overlap.
template <class Keys, class In, detail::item_output Out, class Op = plus, class Equal = equal_to>
void reverse_exclusive_scan_by_key(Keys keys, In in, Out out, item_count n, detail::result_of<In, Out> init, Op op = {},
                                   Equal equal = {}, scan_options options = {}, const exec& how = {}) {
    using Sum = detail::result_of<In, Out>;
    detail::scan_by_key<true, true, Keys, In, Out, Sum>("reverse_exclusive_scan_by_key", keys, in, out, n,
                                                        detail::carried<Sum>(init), op, equal, options, how);
}
template <class Keys, class In, detail::item_output Out>
void reverse_exclusive_scan_by_key(Keys keys, In in, Out out, item_count n, detail::result_of<In, Out> init,
                                   const exec& how) {
    reverse_exclusive_scan_by_key(keys, in, out, n, init, plus{}, equal_to{}, scan_options{}, how);
}
template <class Keys, class In, detail::item_output Out, class Op = plus>
void reverse_exclusive_scan_by_key(Keys keys, In in, Out out, item_count n, detail::result_of<In, Out> init, Op op,
                                   const exec& how) {
    reverse_exclusive_scan_by_key(keys, in, out, n, init, op, equal_to{}, scan_options{}, how);
}
template <class Keys, class In, detail::item_output Out, class Op = plus, class Equal = equal_to>
void reverse_exclusive_scan_by_key(Keys keys, In in, Out out, item_count n, detail::result_of<In, Out> init, Op op,
                                   Equal equal, const exec& how) {
    reverse_exclusive_scan_by_key(keys, in, out, n, init, op, equal, scan_options{}, how);
}

/// Sums from a value-initialised result: from 0 for numbers. What stands in braces alone is taken for exec: an initial
/// value of a class names its type.
template <class Keys, class In, detail::item_output Out>
void reverse_exclusive_scan_by_key(Keys keys, In in, Out out, item_count n, const exec& how = {}) {
    reverse_exclusive_scan_by_key(keys, in, out, n, detail::result_of<In, Out>{}, plus{}, equal_to{}, scan_options{},
                                  how);
}

}  // namespace kogge::KOGGE_CODE
