// Prefix sums: inclusive and exclusive scans, by key and by segments, with any associative operator.
//
// Shared by all of them
//   items        in[0 … n) → out[0 … n); n counts items. `in` is a pointer, or any copyable object with
//                operator[](uint64) (a transform, a counting sequence); on the device it is copied into a kernel.
//   accumulator  sums are accumulated in the type of out's items, or, if there is an `init`, in its type. So bytes are
//                summed in 64 bits if the results are std::uint64_t. By key and of segments: in the type of out's
//                items.
//   operator     op(a, b) is associative; it need not commute and needs no identity. Many threads may call it.
//   aliasing     out == in is allowed if their items have one size, unless a function says otherwise; any other overlap
//                throws errc::overlap. An input that is not a pointer may read out[i] for its item i, and no other item
//                of out.
//   order        the association of a sum depends on n, the types, the options, the device model and the number of its
//                multiprocessors that the stream is limited to (on the host on the types alone). So results are the
//                same from run to run, floating point included.
//   scratch      on the device as the plan says (plan_scan); on the host none that grows with n.
//   returns      on the device as soon as the work is queued on exec.stream; on the host when the work is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a device_count on the
//                host), overlap, unreachable, out_of_memory (scratch), not_built (types without prebuilt device code,
//                in a file that nvcc did not compile). On the host also what the operator throws; then out is
//                unspecified.
//   method       reduce-then-scan; within a tile Kogge and Stone's network (1973) over the folds of each thread's
//                contiguous items; see scan/launch.cuh and host/scan.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kogge/counts.hpp"
#include "kogge/detail/flagged.hpp"
#include "kogge/detail/inputs.hpp"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/detail/reversed.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/scan.hpp"
#include "kogge/operators.hpp"
#include "kogge/plan.hpp"
#if KOGGE_KERNELS
#include "kogge/scan/launch.cuh"
#include "kogge/scan/segmented.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

template <class Acc, class In, class Out, class Op>
void run_host_scan(const char* call, const In& in, Out* out, const item_count& n, Op op, const Acc* start,
                   bool inclusive, const exec& how) {
    if (n.on_device())
        throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
    if constexpr (runs_on_host<In> && runs_on_host<Op>) {
        const host::CallerFunctions functions(call);
        host::scan(in, results_of(in, out), n.bound(), op, start ? *start : Acc{}, start != nullptr, inclusive,
                   how.host_threads);
    } else if (n.bound() > 0) {
        report_device_only(call);
    }
}
[[noreturn]] inline void report_no_device_code(const char* call) {
    throw error(errc::not_built, call,
                "the library holds no device code for these types and this operator; compile this file with nvcc");
}

/// Scans `in`. `start` is the initial value, or null.
template <class Acc, class In, class Out, class Op>
void run_scan(const char* call, backend where, const In& in, Out* out, const item_count& n, Op op, const Acc* start,
              bool inclusive, const scan_options& options, const exec& how) {
    static_assert(travels_as_bytes<Acc> && travels_as_bytes<item_of<In>> && travels_as_bytes<Out>,
                  "items and sums travel as bytes: see kogge::travels_as_bytes");
    check_function<Op, Acc, Acc>();
    if (n.bound() == 0) return;
    if constexpr (!is_plain_item<Acc> || !is_plain_item<item_of<In>> || !is_plain_item<Out>) {
        const carried<Acc> first = start ? carried<Acc>(*start) : carried<Acc>();
        return run_scan<carried<Acc>>(call, where, carry_input(in), carry(out), n, OnCarried<Op>{op},
                                      start ? &first : nullptr, inclusive, options, how);
    } else {
        if (where == backend::host) return run_host_scan(call, in, out, n, op, start, inclusive, how);
        if constexpr (KOGGE_KERNELS || grid::is_prebuilt<In, Out, Acc, Op>) {
            grid::Carry<Acc> carry{};
            if (start) carry = {*start, true};
            grid::device_scan(call, in, out, n, op, carry, inclusive, options, how);
        } else {
            report_no_device_code(call);
        }
    }
}

template <class In, class Out>
RunsOn check_scan(const char* call, const In& in, Out* out, const item_count& n, const exec& how) {
    const Region input = input_region(call, in, n.bound(), "in");
    const Region output{out, bytes_of(call, n.bound(), sizeof(Out)), "out"};
    // With items of two sizes, a tile's results would overwrite the next tile's items.
    const std::size_t in_place = sizeof(item_of<In>) == sizeof(Out) ? 1 : 0;
    return check_call(call, how, n, {input}, {output}, in_place);
}

template <class Acc, class In, class Out, class Op>
void scan(const char* call, In in, Out* out, const item_count& n, Op op, const Acc* start, bool inclusive,
          const scan_options& options, const exec& how) {
    static_assert(!std::is_const_v<Out>, "results are not const: they are written");
    const RunsOn where = check_scan(call, in, out, n, how);
    run_scan<Acc>(call, where, read_only(in), out, n, op, start, inclusive, options, how);
}

/// `exclusive` scans are shifted by one item, and begin each run with `init`.
template <bool exclusive, class Key, class T, class Sum, class Op, class Equal>
void scan_by_key(const char* call, const Key* keys, const T* in, Sum* out, const item_count& n,
                 const carried<Sum>& init, Op op, const Equal& equal, const scan_options& options, const exec& how) {
    static_assert(!std::is_const_v<Sum>, "results are not const: they are written");
    const Region key_region{keys, bytes_of(call, n.bound(), sizeof(Key)), "keys"};
    const Region input{in, bytes_of(call, n.bound(), sizeof(T)), "in"};
    const Region output{out, bytes_of(call, n.bound(), sizeof(Sum)), "out"};
    const std::size_t in_place = !exclusive && sizeof(T) == sizeof(Sum) ? 1 : 0;
    const RunsOn where = check_call(call, how, n, {input, key_region}, {output}, in_place);
    check_function<Op, Sum, Sum>();
    check_function<Equal, Key, Key>();
    const auto same = on_carried<Key>(equal);
    using Heads = KeyHeads<carried<Key>, std::remove_const_t<decltype(same)>>;
    run_scan<Flagged<Sum>>(call, where,
                           RunsInput<carried<T>, Sum, Heads, exclusive>{carry(in), {carry(keys), same}, init},
                           reinterpret_cast<FlaggedResult<Sum>*>(out), n, FlaggedOperator<Op>{op},
                           static_cast<const Flagged<Sum>*>(nullptr), true, options, how);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// out[i] = in[0] ⊕ … ⊕ in[i].
template <class In, class Out, class Op = plus>
void inclusive_scan(In in, Out* out, item_count n, Op op = {}, scan_options options = {}, const exec& how = {}) {
    detail::scan<Out>("inclusive_scan", in, out, n, op, static_cast<const Out*>(nullptr), true, options, how);
}
template <class In, class Out, class Op = plus>
void inclusive_scan(In in, Out* out, item_count n, Op op, const exec& how) {
    inclusive_scan(in, out, n, op, scan_options{}, how);
}

/// out[i] = init ⊕ in[0] ⊕ … ⊕ in[i], accumulated in Acc.
template <class In, class Out, class Op, class Acc>
requires(!std::is_same_v<Acc, exec> &&
         !std::is_same_v<Acc, scan_options>) void inclusive_scan(In in, Out* out, item_count n, Op op, Acc init,
                                                                 scan_options options = {}, const exec& how = {}) {
    detail::scan<Acc>("inclusive_scan", in, out, n, op, &init, true, options, how);
}

/// out[i] = init ⊕ in[0] ⊕ … ⊕ in[i − 1], accumulated in Acc; out[0] = init.
template <class In, class Out, class Acc, class Op = plus>
void exclusive_scan(In in, Out* out, item_count n, Acc init, Op op = {}, scan_options options = {},
                    const exec& how = {}) {
    detail::scan<Acc>("exclusive_scan", in, out, n, op, &init, false, options, how);
}
template <class In, class Out, class Acc, class Op = plus>
void exclusive_scan(In in, Out* out, item_count n, Acc init, Op op, const exec& how) {
    exclusive_scan(in, out, n, init, op, scan_options{}, how);
}

/// Scans each run of equal consecutive keys on its own: a run starts where equal(keys[i − 1], keys[i]) is false. Sums
/// are accumulated in the type of `out`. out == in is allowed. Keys are only read, and must not overlap written arrays.
template <class Key, class T, class Sum, class Op = plus, class Equal = equal_to>
void inclusive_scan_by_key(const Key* keys, const T* in, Sum* out, item_count n, Op op = {}, Equal equal = {},
                           scan_options options = {}, const exec& how = {}) {
    detail::scan_by_key<false>("inclusive_scan_by_key", keys, in, out, n, detail::carried<Sum>{}, op, equal, options,
                               how);
}
template <class Key, class T, class Sum, class Op = plus, class Equal = equal_to>
void inclusive_scan_by_key(const Key* keys, const T* in, Sum* out, item_count n, Op op, Equal equal, const exec& how) {
    inclusive_scan_by_key(keys, in, out, n, op, equal, scan_options{}, how);
}

/// The same, exclusive: the first item of a run gets `init`. Not in place: `out` and `in` must not overlap.
template <class Key, class T, class Sum, class Op = plus, class Equal = equal_to>
void exclusive_scan_by_key(const Key* keys, const T* in, Sum* out, item_count n, std::type_identity_t<Sum> init,
                           Op op = {}, Equal equal = {}, scan_options options = {}, const exec& how = {}) {
    detail::scan_by_key<true>("exclusive_scan_by_key", keys, in, out, n, detail::carried<Sum>(init), op, equal, options,
                              how);
}
template <class Key, class T, class Sum, class Op = plus, class Equal = equal_to>
void exclusive_scan_by_key(const Key* keys, const T* in, Sum* out, item_count n, std::type_identity_t<Sum> init, Op op,
                           Equal equal, const exec& how) {
    exclusive_scan_by_key(keys, in, out, n, init, op, equal, scan_options{}, how);
}

/// The shapes of scans by key and of segments, for plan_scan: values of type T, sums of type Sum.
template <class T, class Sum = T>
constexpr scan_shape by_key_shape() {
    using Flagged = detail::Flagged<Sum>;
    return {sizeof(Flagged), sizeof(Sum), sizeof(Flagged), sizeof(T)};
}
template <class T, class Sum = T>
constexpr scan_shape segments_shape() {
    scan_shape shape = by_key_shape<T, Sum>();
    shape.by_offsets = true;
    return shape;
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

/// `make_input` makes the scan's input from an object that tells where segments start.
template <class T, class Sum, class MakeInput, class Op>
void segmented_scan(const char* call, const MakeInput& make_input, const T* in, Sum* out, const item_count& n,
                    const std::uint64_t* offsets, const item_count& of_segments, bool may_alias, Op op,
                    [[maybe_unused]] const scan_options& options, const exec& how) {
    static_assert(!std::is_const_v<Sum>, "results are not const: they are written");
    static_assert(travels_as_bytes<T> && travels_as_bytes<Sum>, "items travel as bytes: see kogge::travels_as_bytes");
    static_assert(is_plain_item<T> && is_plain_item<Sum>,
                  "items and sums of segments are trivially copyable, default constructible and assignable");
    check_function<Op, Sum, Sum>();
    if (of_segments.on_device())
        throw error(errc::invalid_argument, call, "the number of segments must be known to the host");
    const std::uint64_t segments = of_segments.bound();
    const Region items{in, bytes_of(call, n.bound(), sizeof(T)), "in"};
    const Region output{out, bytes_of(call, n.bound(), sizeof(Sum)), "out"};
    const Region bounds{offsets, bytes_of(call, segments, sizeof(std::uint64_t)), "offsets"};
    const std::size_t in_place = may_alias && sizeof(T) == sizeof(Sum) ? 1 : 0;
    const RunsOn where = check_call(call, how, n, {items, bounds}, {output}, in_place);
    auto* const results = reinterpret_cast<FlaggedResult<Sum>*>(out);
    const FlaggedOperator<Op> flagged{op};
    if (where == backend::host)
        return run_host_scan(call, make_input(SegmentOffsets{offsets, segments}), results, n, flagged,
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
/// segment of their own. Sums are accumulated in the type of `out`. out == in is allowed. If an offset is less than the
/// one before it, out's items are unspecified; nothing else is written.
template <class T, class Sum, class Op = plus>
void inclusive_segmented_scan(const T* in, Sum* out, item_count n, detail::offsets_in offsets, item_count segments,
                              Op op = {}, scan_options options = {}, const exec& how = {}) {
    const auto input = [=](auto heads) { return detail::RunsInput<T, Sum, decltype(heads), false>{in, heads, Sum{}}; };
    detail::segmented_scan("inclusive_segmented_scan", input, in, out, n, offsets, segments, true, op, options, how);
}
template <class T, class Sum, class Op = plus>
void inclusive_segmented_scan(const T* in, Sum* out, item_count n, detail::offsets_in offsets, item_count segments,
                              Op op, const exec& how) {
    inclusive_segmented_scan(in, out, n, offsets, segments, op, scan_options{}, how);
}

/// The same, exclusive: the first item of a segment gets `init`. Not in place: `out` and `in` must not overlap.
template <class T, class Sum, class Op = plus>
void exclusive_segmented_scan(const T* in, Sum* out, item_count n, detail::offsets_in offsets, item_count segments,
                              std::type_identity_t<Sum> init, Op op = {}, scan_options options = {},
                              const exec& how = {}) {
    const auto input = [=](auto heads) { return detail::RunsInput<T, Sum, decltype(heads), true>{in, heads, init}; };
    detail::segmented_scan("exclusive_segmented_scan", input, in, out, n, offsets, segments, false, op, options, how);
}
template <class T, class Sum, class Op = plus>
void exclusive_segmented_scan(const T* in, Sum* out, item_count n, detail::offsets_in offsets, item_count segments,
                              std::type_identity_t<Sum> init, Op op, const exec& how) {
    exclusive_segmented_scan(in, out, n, offsets, segments, init, op, scan_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
