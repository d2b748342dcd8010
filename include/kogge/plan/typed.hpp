// Plans by the types of a call's arguments: plan_radix_sort<Key, Value>(n, options, device) and the like. Each is the
// plan that the call of that name takes for arrays of these items, on a device of these properties. To ask for the
// scratch of calls alone, without types, see calls/scratch_bytes.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/detail/flagged.hpp"
#include "kogge/keys.hpp"
#include "kogge/plan/compact.hpp"
#include "kogge/plan/emit.hpp"
#include "kogge/plan/radix_sort.hpp"
#include "kogge/plan/runs.hpp"
#include "kogge/plan/scan.hpp"
#include "kogge/plan/segmented/sort.hpp"
#include "kogge/plan/segmented/top_k.hpp"
#include "kogge/plan/top_k.hpp"
#include "kogge/simt/runtime.hpp"
#include "kogge/types/rows.hpp"

namespace kogge {

namespace detail {

/// A bool parameter that takes no number: one that is meant for the parameter after it does not compile.
class OnlyBool {
public:
    template <class Given>
    OnlyBool(Given value) : value_(static_cast<bool>(value)) {  // NOLINT: implicit by design
        static_assert(std::is_same_v<Given, bool>,
                      "this argument is true or false; scratch_limit, where there is one, comes after it");
    }
    operator bool() const { return value_; }  // NOLINT: implicit by design

private:
    bool value_;
};

}  // namespace detail

// ---- scans ---------------------------------------------------------------------------------------------

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

/// Items of type T, results of type Out, accumulated in Acc: the type of an initial value if there is one.
template <class T, class Out = T, class Acc = Out>
scan_plan plan_scan(std::uint64_t n, const scan_options& options, const device_properties& device) {
    return plan_scan(n, {sizeof(T), sizeof(Out), sizeof(Acc)}, options, device);
}
template <class T, class Sum = T>
scan_plan plan_scan_by_key(std::uint64_t n, const scan_options& options, const device_properties& device) {
    return plan_scan(n, by_key_shape<T, Sum>(), options, device);
}
template <class T, class Sum = T>
scan_plan plan_segmented_scan(std::uint64_t n, const scan_options& options, const device_properties& device) {
    return plan_scan(n, segments_shape<T, Sum>(), options, device);
}

// ---- compactions ---------------------------------------------------------------------------------------

/// Of one array, or of several with items of these types, in a file that nvcc compiles.
template <class Item, class... Others>
compact_plan plan_compact(std::uint64_t n, const device_properties& device) {
    if constexpr (sizeof...(Others) == 0) return plan_compact(n, sizeof(Item), false, false, device);
    else return plan_compact_arrays(n, {{sizeof(Item), sizeof(Others)...}}, device);
}
/// Decided by flags that are bytes.
template <class Item, class... Others>
compact_plan plan_compact_flags(std::uint64_t n, const device_properties& device) {
    if constexpr (sizeof...(Others) == 0) return plan_compact(n, sizeof(Item), false, false, device);
    else return plan_compact_arrays(n, {{sizeof(Item), sizeof(Others)...}, 0, true}, device);
}
template <class Stencil, class Item, class... Others>
compact_plan plan_compact_stencil(std::uint64_t n, const device_properties& device) {
    if constexpr (sizeof...(Others) == 0) return plan_compact(n, sizeof(Item), false, false, device);
    else return plan_compact_arrays(n, {{sizeof(Item), sizeof(Others)...}, sizeof(Stencil)}, device);
}
/// Into one output; that into two_outputs is plan_compact<Item>.
template <class Item>
compact_plan plan_partition(std::uint64_t n, const device_properties& device, detail::OnlyBool in_place = false) {
    return plan_compact(n, sizeof(Item), true, in_place, device);
}
/// Into so many bins; values move with the keys.
template <class Key, class... Value>
requires(sizeof...(Value) <= 1) radix_sort_plan
    plan_split(std::uint64_t n, std::uint32_t bins, const device_properties& device) {
    int bits = 0;  // of a bin's number
    while (bits < 32 && (std::uint64_t{1} << bits) < bins) ++bits;
    return plan_split(n, {sizeof(Key), 0, bits, false, true, {value_layout{sizeof(Value), sizeof(Value)}...}}, device);
}

// ---- runs ----------------------------------------------------------------------------------------------

template <class Item>
runs_plan plan_unique(std::uint64_t n, const device_properties& device) {
    return plan_runs(n, {sizeof(Item), runs_output::items}, device);
}
template <class Key>
runs_plan plan_unique_by_key(std::uint64_t n, const device_properties& device) {
    return plan_runs(n, {sizeof(Key), runs_output::values}, device);
}
template <class Item>
runs_plan plan_run_length_encode(std::uint64_t n, const device_properties& device) {
    return plan_runs(n, {sizeof(Item), runs_output::lengths}, device);
}

// ---- emissions -----------------------------------------------------------------------------------------

/// `Number` is the type of an item's number of outputs; for a count function that is __device__ only, std::uint64_t.
template <std::integral Number>
emit_plan plan_emit(std::uint64_t n, std::uint64_t capacity, const device_properties& device) {
    return plan_emit(n, capacity, sizeof(Number) <= 4 ? 4 : 8, device);
}

// ---- sorts ---------------------------------------------------------------------------------------------

namespace detail {

/// Whether different keys may be equal, as kernels see it.
template <class Key>
bool merges_keys(const sort_options& options) {
    if constexpr (!is_number_key<Key>) return true;
    else return is_float_key<Key> && (options.zeros == zero_order::equal || options.nans != nan_order::by_sign);
}
template <class Key>
bool are_whole_floats(const sort_options& options, const BitRange& bits) {
    return is_float_key<Key> && !merges_keys<Key>(options) && bits.begin == 0 && bits.end == key_bits<Key>;
}

template <class Key, class... Values>
radix_sort_shape typed_sort_shape(const char* call, const sort_options& options, bool in_place) {
    const BitRange bits = bit_range<Key>(call, options);
    return {sizeof(Key),
            bits.begin,
            bits.end,
            in_place,
            true,
            {value_layout{sizeof(Values), alignof(Values)}...},
            merges_keys<Key>(options),
            are_whole_floats<Key>(options, bits),
            is_number_key<Key> && merges_keys<Key>(options)};
}

}  // namespace detail

/// Keys alone, or with values of these types. `in_place`: the arrays are sorted onto themselves.
template <class Key, class... Values>
radix_sort_plan plan_radix_sort(std::uint64_t n, const sort_options& options, const device_properties& device,
                                detail::OnlyBool in_place = true, std::size_t scratch_limit = kNoLimit) {
    return plan_radix_sort(n, detail::typed_sort_shape<Key, Values...>("plan_radix_sort", options, in_place), device,
                           scratch_limit);
}
template <class Key, class Index>
radix_sort_plan plan_argsort(std::uint64_t n, const sort_options& options, const device_properties& device,
                             std::size_t scratch_limit = kNoLimit) {
    radix_sort_shape shape = detail::typed_sort_shape<Key, Index>("plan_argsort", options, false);
    shape.writes_keys = false;
    return plan_radix_sort(n, shape, device, scratch_limit);
}
template <class Key, class... Values>
segmented_sort_plan plan_segmented_sort(std::uint64_t n, std::uint64_t segments, const sort_options& options,
                                        const device_properties& device, detail::OnlyBool in_place = true) {
    radix_sort_shape shape = detail::typed_sort_shape<Key, Values...>("plan_segmented_sort", options, in_place);
    shape.are_floats = false;  // no matter there
    return plan_segmented_sort(n, segments, shape, device);
}

// ---- top-k ---------------------------------------------------------------------------------------------

namespace detail {

template <class Key, class... Value>
requires(sizeof...(Value) <= 1) top_k_shape typed_top_k_shape(const char* call, const sort_options& options) {
    const BitRange bits = bit_range<Key>(call, options);
    return {sizeof(Key),
            bits.begin,
            bits.end,
            true,
            0,
            (sizeof(Value) + ... + 0),
            merges_keys<Key>(options),
            are_whole_floats<Key>(options, bits),
            is_number_key<Key>};
}
template <class Key, class Index>
top_k_shape typed_arg_top_k_shape(const char* call, const sort_options& options, bool writes_keys) {
    top_k_shape shape = typed_top_k_shape<Key>(call, options);
    shape.writes_keys = writes_keys;
    shape.index_bytes = sizeof(Index);
    return shape;
}

}  // namespace detail

/// Of keys, or of keys with a value of this type. The options may be top_k_options.
template <class Key, class... Value>
top_k_plan plan_top_k(std::uint64_t n, std::uint64_t k, const sort_options& options, const device_properties& device,
                      std::size_t scratch_limit = kNoLimit) {
    return plan_top_k(n, k, detail::typed_top_k_shape<Key, Value...>("plan_top_k", options), device, scratch_limit);
}
/// The indices, and also the keys if `writes_keys`.
template <class Key, class Index>
top_k_plan plan_arg_top_k(std::uint64_t n, std::uint64_t k, const sort_options& options,
                          const device_properties& device, detail::OnlyBool writes_keys = false,
                          std::size_t scratch_limit = kNoLimit) {
    return plan_top_k(n, k, detail::typed_arg_top_k_shape<Key, Index>("plan_arg_top_k", options, writes_keys), device,
                      scratch_limit);
}

/// Of rows, or of `segments` segments of n items in all.
template <class Key, class... Value>
segmented_top_k_plan plan_segmented_top_k(const rows_of& rows, std::uint64_t k, const sort_options& options,
                                          const device_properties& device) {
    return plan_segmented_top_k(rows.count, rows.length, true, k,
                                detail::typed_top_k_shape<Key, Value...>("plan_segmented_top_k", options), device);
}
template <class Key, class... Value>
segmented_top_k_plan plan_segmented_top_k(std::uint64_t n, std::uint64_t segments, std::uint64_t k,
                                          const sort_options& options, const device_properties& device) {
    return plan_segmented_top_k(segments, n, false, k,
                                detail::typed_top_k_shape<Key, Value...>("plan_segmented_top_k", options), device);
}
template <class Key, class Index>
segmented_top_k_plan plan_segmented_arg_top_k(const rows_of& rows, std::uint64_t k, const sort_options& options,
                                              const device_properties& device, detail::OnlyBool writes_keys = false) {
    return plan_segmented_top_k(
        rows.count, rows.length, true, k,
        detail::typed_arg_top_k_shape<Key, Index>("plan_segmented_arg_top_k", options, writes_keys), device);
}
template <class Key, class Index>
segmented_top_k_plan plan_segmented_arg_top_k(std::uint64_t n, std::uint64_t segments, std::uint64_t k,
                                              const sort_options& options, const device_properties& device,
                                              detail::OnlyBool writes_keys = false) {
    return plan_segmented_top_k(
        segments, n, false, k,
        detail::typed_arg_top_k_shape<Key, Index>("plan_segmented_arg_top_k", options, writes_keys), device);
}

}  // namespace kogge
