// Prefix sums: inclusive and exclusive scans, by key and by segments, with any associative operator.
//
// Shared by all of them
//   items        in[0 … n) → out[0 … n); n counts items. Inputs (keys and values, too) are pointers, or any copyable
//                objects with operator[](uint64) (a transform, a counting sequence); on the device they are copied into
//                a kernel. So are outputs that are no pointers, whose out[i] is assigned once for each i, and not read
//                (transforming, discarding, strided outputs).
//   accumulator  sums are accumulated in the type of the results: of out's items, or, if out[i] refers to no item, of
//                in's. So bytes are summed in 64 bits if the results are std::uint64_t. From an `init` they are
//                accumulated in its type; if it and the results are numbers, in the type that both have in common
//                (std::common_type), so that a literal 0 narrows nothing. By key and of segments: in the results' type.
//   operator     op(a, b) is associative; it need not commute and needs no identity. Many threads may call it.
//   aliasing     out == in is allowed if their items have one size, unless a function says otherwise; any other overlap
//                throws errc::overlap. An input that is not a pointer may read out[i] for its item i, and no other item
//                of out. Outputs that are no pointers are not checked.
//   order        the association of a sum depends on n, the types, the options, the device model and the number of its
//                multiprocessors that the stream is limited to (on the host on the types alone). So results are the
//                same from run to run, floating point included.
//   scratch      on the device as the plan says (plan_scan); on the host none that grows with n.
//   returns      on the device as soon as the work is queued on exec.stream; on the host when the work is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a device_count on the
//                host), overlap, unreachable, out_of_memory (scratch), not_built (types without prebuilt device code,
//                in a file that nvcc did not compile). On the host also what the operator throws; then out is
//                unspecified.
//   exec         may stand right behind the arguments that a call is given: inclusive_scan(in, out, n, how).
//   method       reduce-then-scan; within a tile Kogge and Stone's network (1973) over the folds of each thread's
//                contiguous items; see scan/launch.cuh and host/scan.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/calls/stored_offsets.hpp"
#include "kogge/detail/flagged.hpp"
#include "kogge/detail/inputs.hpp"
#include "kogge/detail/key_arrays.hpp"
#include "kogge/detail/outputs.hpp"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/detail/reversed.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/scan.hpp"
#include "kogge/operators.hpp"
#include "kogge/plan.hpp"
#include "kogge/types/counts.hpp"
#if KOGGE_KERNELS
#include "kogge/scan/launch.cuh"
#include "kogge/scan/segmented.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// Results are of type Result.
template <class Acc, class Result, class In, class Out, class Op>
void run_host_scan(const char* call, const In& in, const Out& out, const item_count& n, Op op, const Acc* start,
                   bool inclusive, const exec& how) {
    if (n.on_device())
        throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
    if constexpr (runs_on_host<In> && runs_on_host<Out> && runs_on_host<Op>) {
        const host::CallerFunctions functions(call);
        host::scan<Result>(in, results_of(in, out), n.bound(), op, start ? *start : Acc{}, start != nullptr, inclusive,
                           how.host_threads);
    } else if (n.bound() > 0) {
        report_device_only(call);
    }
}

/// Scans `in` to `out`, a pointer to results, or what takes them by operator[]. `start` is the initial value, or null.
template <class Acc, class Result, class In, class Out, class Op>
void run_scan(const char* call, backend where, const In& in, const Out& out, const item_count& n, Op op,
              const Acc* start, bool inclusive, const scan_options& options, const exec& how) {
    static_assert(travels_as_bytes<Acc> && travels_as_bytes<item_of<In>> && travels_as_bytes<Result>,
                  "items and sums travel as bytes: see kogge::travels_as_bytes");
    check_function<Acc, Op, Acc, Acc>();
    if (n.bound() == 0) return;
    if constexpr (!is_plain_item<Acc> || !is_plain_item<item_of<In>> || !is_plain_item<Result>) {
        const carried<Acc> first = start ? carried<Acc>(*start) : carried<Acc>();
        return run_scan<carried<Acc>, carried<Result>>(call, where, carry_input(in), carry_results<Result>(out), n,
                                                       OnCarried<Op>{op}, start ? &first : nullptr, inclusive, options,
                                                       how);
    } else {
        if (where == backend::host) return run_host_scan<Acc, Result>(call, in, out, n, op, start, inclusive, how);
        if constexpr (std::is_pointer_v<Out> && (KOGGE_KERNELS || grid::is_prebuilt<In, Result, Acc, Op>)) {
            grid::Carry<Acc> carry{};
            if (start) carry = {*start, true};
            grid::device_scan(call, in, out, n, op, carry, inclusive, options, how);
        } else {
#if KOGGE_KERNELS
            grid::Carry<Acc> carry{};
            if (start) carry = {*start, true};
            grid::device_scan_to<Result>(call, in, out, n, op, carry, inclusive, options, how);
#else
            report_no_device_code(call);
#endif
        }
    }
}

/// `more`, if any, is read, too. Where items of an input that is a pointer and results have two sizes, a tile's results
/// would overwrite the next tile's items.
template <class Result, class In, class Out>
RunsOn check_scan(const char* call, const In& in, const Out& out, const item_count& n, const exec& how,
                  bool may_alias = true, const std::vector<Region>& more = {}) {
    static_assert(!is_const_array<Out>, "results are not const: they are written");
    const Region input = input_region(call, in, n.bound(), "in"), output = input_region(call, out, n.bound(), "out");
    const std::size_t in_place = may_alias && sizeof(item_of<In>) == sizeof(Result) ? 1 : 0;
    if (more.empty()) return check_call(call, how, n, {input}, {output}, in_place);
    std::vector<Region> reads{input};
    reads.insert(reads.end(), more.begin(), more.end());
    return check_call(call, how, n, reads, std::span(&output, 1), in_place);
}

struct NoInit {};
inline constexpr const NoInit* no_init = nullptr;

/// `start` is the initial value, of the accumulator's type, or no_init.
template <class Init, class In, class Out, class Op>
void scan(const char* call, const In& in, const Out& out, const item_count& n, Op op, const Init* start, bool inclusive,
          const scan_options& options, const exec& how) {
    using Result = result_of<In, Out>;
    const RunsOn where = check_scan<Result>(call, in, out, n, how);
    const auto run = [&]<class Acc>(const Acc* first) {
        run_scan<Acc, Result>(call, where, read_only(in), out, n, op, first, inclusive, options, how);
    };
    if constexpr (std::is_same_v<Init, NoInit>) run(static_cast<const Result*>(nullptr));
    else run(start);
}

/// Where a flagged scan stores its sums.
template <class Sum, class Out>
auto flagged_output(const Out& out) {
    if constexpr (std::is_pointer_v<Out>) return reinterpret_cast<FlaggedResult<Sum>*>(out);
    else return MappedOutput<Out, ValueOfFlagged>{out};
}

/// Keys or values as a scan by key reads them: from the end, if `reversed`.
template <bool reversed, class In>
auto in_order(const In& in, const item_count& n) {
    if constexpr (reversed) return Reversed<In>{in, n.bound(), n.on_device()};
    else return in;
}
template <bool reversed, class Equal>
auto in_order(const Equal& equal) {
    if constexpr (reversed) return FlippedEqual<Equal>{equal};
    else return equal;
}

/// `exclusive` scans are shifted by one item, and begin each run with `init`.
template <bool reversed, bool exclusive, class Keys, class In, class Out, class Sum, class Op, class Equal>
void scan_by_key(const char* call, const Keys& keys, const In& in, const Out& out, const item_count& n,
                 const carried<Sum>& init, Op op, const Equal& equal, const scan_options& options, const exec& how) {
    check_keys<Keys, Keys, Equal>();
    std::vector<Region> key_regions;
    add_key_regions(key_regions, call, keys, n.bound(), "keys");
    const RunsOn where = check_scan<Sum>(call, in, out, n, how, !exclusive, key_regions);
    const auto own_keys = keys_from(keys);
    using Key = item_of<std::remove_const_t<decltype(own_keys)>>;
    check_function<Sum, Op, Sum, Sum>();
    check_function<bool, Equal, Key, Key>();
    const auto values = in_order<reversed>(carry_input(read_only(in)), n);
    const auto of_keys = in_order<reversed>(carry_input(read_only(own_keys)), n);
    const auto same = in_order<reversed>(on_carried<Key>(equal));
    using Heads = KeyHeads<std::remove_const_t<decltype(of_keys)>, std::remove_const_t<decltype(same)>>;
    using Input = RunsInput<std::remove_const_t<decltype(values)>, Sum, Heads, exclusive>;
    run_scan<Flagged<Sum>, FlaggedResult<Sum>>(call, where, Input{values, {of_keys, same}, init},
                                               flagged_output<Sum>(out), n, FlaggedOperator<Op>{op},
                                               static_cast<const Flagged<Sum>*>(nullptr), true, options, how);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// out[i] = in[0] ⊕ … ⊕ in[i].
template <class In, detail::item_output Out, class Op = plus>
void inclusive_scan(In in, Out out, item_count n, Op op = {}, scan_options options = {}, const exec& how = {}) {
    detail::scan("inclusive_scan", in, out, n, op, detail::no_init, true, options, how);
}
template <class In, detail::item_output Out>
void inclusive_scan(In in, Out out, item_count n, const exec& how) {
    inclusive_scan(in, out, n, plus{}, scan_options{}, how);
}
template <class In, detail::item_output Out, class Op = plus>
void inclusive_scan(In in, Out out, item_count n, Op op, const exec& how) {
    inclusive_scan(in, out, n, op, scan_options{}, how);
}

/// out[i] = init ⊕ in[0] ⊕ … ⊕ in[i].
template <class In, detail::item_output Out, class Op, class Acc>
requires(!std::is_same_v<Acc, exec> &&
         !std::is_same_v<Acc, scan_options>) void inclusive_scan(In in, Out out, item_count n, Op op, Acc init,
                                                                 scan_options options = {}, const exec& how = {}) {
    const auto start = detail::initial_sum<detail::item_of<In>, detail::result_of<In, Out>>(init);
    detail::scan("inclusive_scan", in, out, n, op, &start, true, options, how);
}
template <class In, detail::item_output Out, class Op, class Acc>
requires(!std::is_same_v<Acc, exec> &&
         !std::is_same_v<Acc, scan_options>) void inclusive_scan(In in, Out out, item_count n, Op op, Acc init,
                                                                 const exec& how) {
    inclusive_scan(in, out, n, op, init, scan_options{}, how);
}

/// out[i] = init ⊕ in[0] ⊕ … ⊕ in[i − 1]; out[0] = init.
template <class In, detail::item_output Out, class Acc, class Op = plus>
void exclusive_scan(In in, Out out, item_count n, Acc init, Op op = {}, scan_options options = {},
                    const exec& how = {}) {
    const auto start = detail::initial_sum<detail::item_of<In>, detail::result_of<In, Out>>(init);
    detail::scan("exclusive_scan", in, out, n, op, &start, false, options, how);
}
template <class In, detail::item_output Out, class Acc, class Op = plus>
void exclusive_scan(In in, Out out, item_count n, Acc init, Op op, const exec& how) {
    exclusive_scan(in, out, n, init, op, scan_options{}, how);
}
template <class In, detail::item_output Out, class Acc>
void exclusive_scan(In in, Out out, item_count n, Acc init, const exec& how) {
    exclusive_scan(in, out, n, init, plus{}, scan_options{}, how);
}
/// Sums from a value-initialised result: from 0 for numbers. What stands in braces alone is taken for exec: an initial
/// value of a class names its type.
template <class In, detail::item_output Out>
void exclusive_scan(In in, Out out, item_count n, const exec& how = {}) {
    exclusive_scan(in, out, n, detail::result_of<In, Out>{}, plus{}, scan_options{}, how);
}

/// Scans each run of equal consecutive keys on its own: a run starts where equal(keys[i − 1], keys[i]) is false. Sums
/// are accumulated in the type of the results. out == in is allowed. Keys are only read, and must not overlap written
/// arrays. Keys in several arrays, kogge::arrays(a, b, …), are equal where all of them are.
template <class Keys, class In, detail::item_output Out, class Op = plus, class Equal = equal_to>
void inclusive_scan_by_key(Keys keys, In in, Out out, item_count n, Op op = {}, Equal equal = {},
                           scan_options options = {}, const exec& how = {}) {
    using Sum = detail::result_of<In, Out>;
    detail::scan_by_key<false, false, Keys, In, Out, Sum>("inclusive_scan_by_key", keys, in, out, n, {}, op, equal,
                                                          options, how);
}
template <class Keys, class In, detail::item_output Out>
void inclusive_scan_by_key(Keys keys, In in, Out out, item_count n, const exec& how) {
    inclusive_scan_by_key(keys, in, out, n, plus{}, equal_to{}, scan_options{}, how);
}
template <class Keys, class In, detail::item_output Out, class Op = plus>
void inclusive_scan_by_key(Keys keys, In in, Out out, item_count n, Op op, const exec& how) {
    inclusive_scan_by_key(keys, in, out, n, op, equal_to{}, scan_options{}, how);
}
template <class Keys, class In, detail::item_output Out, class Op = plus, class Equal = equal_to>
void inclusive_scan_by_key(Keys keys, In in, Out out, item_count n, Op op, Equal equal, const exec& how) {
    inclusive_scan_by_key(keys, in, out, n, op, equal, scan_options{}, how);
}

/// The same, exclusive: the first item of a run gets `init`. Not in place: `out` and `in` must not overlap.
template <class Keys, class In, detail::item_output Out, class Op = plus, class Equal = equal_to>
void exclusive_scan_by_key(Keys keys, In in, Out out, item_count n, detail::result_of<In, Out> init, Op op = {},
                           Equal equal = {}, scan_options options = {}, const exec& how = {}) {
    using Sum = detail::result_of<In, Out>;
    detail::scan_by_key<false, true, Keys, In, Out, Sum>("exclusive_scan_by_key", keys, in, out, n,
                                                         detail::carried<Sum>(init), op, equal, options, how);
}
template <class Keys, class In, detail::item_output Out>
void exclusive_scan_by_key(Keys keys, In in, Out out, item_count n, detail::result_of<In, Out> init, const exec& how) {
    exclusive_scan_by_key(keys, in, out, n, init, plus{}, equal_to{}, scan_options{}, how);
}
template <class Keys, class In, detail::item_output Out, class Op = plus>
void exclusive_scan_by_key(Keys keys, In in, Out out, item_count n, detail::result_of<In, Out> init, Op op,
                           const exec& how) {
    exclusive_scan_by_key(keys, in, out, n, init, op, equal_to{}, scan_options{}, how);
}
template <class Keys, class In, detail::item_output Out, class Op = plus, class Equal = equal_to>
void exclusive_scan_by_key(Keys keys, In in, Out out, item_count n, detail::result_of<In, Out> init, Op op, Equal equal,
                           const exec& how) {
    exclusive_scan_by_key(keys, in, out, n, init, op, equal, scan_options{}, how);
}

/// Sums from a value-initialised result: from 0 for numbers. What stands in braces alone is taken for exec: an initial
/// value of a class names its type.
template <class Keys, class In, detail::item_output Out>
void exclusive_scan_by_key(Keys keys, In in, Out out, item_count n, const exec& how = {}) {
    exclusive_scan_by_key(keys, in, out, n, detail::result_of<In, Out>{}, plus{}, equal_to{}, scan_options{}, how);
}

}  // namespace kogge::KOGGE_CODE

namespace kogge::detail::KOGGE_CODE {

/// Whether item i starts a segment, by binary search in the segments' ascending offsets.
struct SegmentOffsets {
    const std::uint64_t* offsets;
    std::uint64_t segments;
    KOGGE_HOST_DEVICE bool starts(std::uint64_t i) const {
        return i == 0 || std::binary_search(offsets, offsets + segments, i);
    }
};

/// `exclusive` scans are shifted by one item, and begin each segment with `init`.
template <bool exclusive, class In, class Out, class Sum, class Op>
void segmented_scan(const char* call, const In& given, const Out& out, const item_count& n,
                    const std::uint64_t* offsets, const item_count& of_segments, const Sum& init, Op op,
                    [[maybe_unused]] const scan_options& options, const exec& how) {
    using T = item_of<In>;
    static_assert(travels_as_bytes<T> && travels_as_bytes<Sum>, "items travel as bytes: see kogge::travels_as_bytes");
    static_assert(is_plain_item<T> && is_plain_item<Sum>,
                  "items and sums of segments are trivially copyable, default constructible and assignable");
    check_function<Sum, Op, Sum, Sum>();
    if (of_segments.on_device())
        return with_stored_offsets(call, n, given, out, given_segments(call, segments_of(offsets, of_segments)), how,
                                   [&](const std::uint64_t* stored, std::uint64_t number, const exec& inner) {
                                       segmented_scan<exclusive>(call, given, out, n, stored, number, init, op, options,
                                                                 inner);
                                   });
    const std::uint64_t segments = of_segments.bound();
    const Region bounds{offsets, bytes_of(call, segments, sizeof(std::uint64_t)), "offsets"};
    const RunsOn where = check_scan<Sum>(call, given, out, n, how, !exclusive, {bounds});
    const auto in = read_only(given);
    const auto make_input = [=](auto heads) {
        return RunsInput<std::remove_const_t<decltype(in)>, Sum, decltype(heads), exclusive>{in, heads, init};
    };
    const auto results = flagged_output<Sum>(out);
    const FlaggedOperator<Op> flagged{op};
    if (where == backend::host)
        return run_host_scan<Flagged<Sum>, FlaggedResult<Sum>>(call, make_input(SegmentOffsets{offsets, segments}),
                                                               results, n, flagged,
                                                               static_cast<const Flagged<Sum>*>(nullptr), true, how);
#if KOGGE_KERNELS
    grid::device_segmented_scan<Sum>(call, make_input, results, n, offsets, segments, flagged, segments_shape<T, Sum>(),
                                     options, how);
#else
    report_no_device_code(call);
#endif
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Scans each segment on its own. Segment s begins at offsets[s] and ends where the next segment begins, the last one
/// at n. Offsets ascend (equal neighbours are empty segments) and are where the data is. Items before offsets[0] form a
/// segment of their own. Sums are accumulated in the type of the results. out == in is allowed. If an offset is less
/// than the one before it, out's items are unspecified; nothing else is written. Where the number of segments is a
/// device_count, offsets are copied first: 8 bytes of scratch per segment, and as much as 512 more.
template <class In, detail::item_output Out, class Op = plus>
void inclusive_segmented_scan(In in, Out out, item_count n, detail::offsets_in offsets, item_count segments, Op op = {},
                              scan_options options = {}, const exec& how = {}) {
    detail::segmented_scan<false>("inclusive_segmented_scan", in, out, n, offsets, segments,
                                  detail::result_of<In, Out>{}, op, options, how);
}
template <class In, detail::item_output Out>
void inclusive_segmented_scan(In in, Out out, item_count n, detail::offsets_in offsets, item_count segments,
                              const exec& how) {
    inclusive_segmented_scan(in, out, n, offsets, segments, plus{}, scan_options{}, how);
}
template <class In, detail::item_output Out, class Op = plus>
void inclusive_segmented_scan(In in, Out out, item_count n, detail::offsets_in offsets, item_count segments, Op op,
                              const exec& how) {
    inclusive_segmented_scan(in, out, n, offsets, segments, op, scan_options{}, how);
}

/// The same, exclusive: the first item of a segment gets `init`. Not in place: `out` and `in` must not overlap.
template <class In, detail::item_output Out, class Op = plus>
void exclusive_segmented_scan(In in, Out out, item_count n, detail::offsets_in offsets, item_count segments,
                              detail::result_of<In, Out> init, Op op = {}, scan_options options = {},
                              const exec& how = {}) {
    detail::segmented_scan<true>("exclusive_segmented_scan", in, out, n, offsets, segments, init, op, options, how);
}
template <class In, detail::item_output Out>
void exclusive_segmented_scan(In in, Out out, item_count n, detail::offsets_in offsets, item_count segments,
                              detail::result_of<In, Out> init, const exec& how) {
    exclusive_segmented_scan(in, out, n, offsets, segments, init, plus{}, scan_options{}, how);
}
template <class In, detail::item_output Out, class Op = plus>
void exclusive_segmented_scan(In in, Out out, item_count n, detail::offsets_in offsets, item_count segments,
                              detail::result_of<In, Out> init, Op op, const exec& how) {
    exclusive_segmented_scan(in, out, n, offsets, segments, init, op, scan_options{}, how);
}

/// Sums from a value-initialised result: from 0 for numbers. What stands in braces alone is taken for exec: an initial
/// value of a class names its type.
template <class In, detail::item_output Out>
void exclusive_segmented_scan(In in, Out out, item_count n, detail::offsets_in offsets, item_count segments,
                              const exec& how = {}) {
    exclusive_segmented_scan(in, out, n, offsets, segments, detail::result_of<In, Out>{}, plus{}, scan_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
