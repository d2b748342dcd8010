// Sorts of many segments of an array at once, each on its own. Stable in both orders.
//
// Shared by all of them
//   items        n counts keys in all; value arrays have n items, too.
//   segments     as segments.hpp says: offsets and their number; segments_of(begins, ends, number), whose gaps stay as
//                they are; or rows_of(length, number), which need no n. With offsets alone, items before the first one
//                form a segment of their own. Any number of segments of any lengths. Where an offset is less than the
//                one before it, or segments overlap, the host throws, and a device, which cannot, sorts nothing: all
//                items are written in the order in which they are read.
//   keys         as radix_sort's, up to about 350 bytes each; see sort_options for order, bit range, zeros and NaNs.
//   values       arrays of any type that travels as bytes; kogge::arrays(a, b, …) moves several.
//   exec         may stand right behind the arguments that a call is given.
//   aliasing     in place forms sort where the data is; out of place, each array's in and out are apart or the same,
//                and different arrays are apart; offsets overlap nothing that is written. Any other overlap throws
//                errc::overlap.
//   scratch      on the device as the plan says (plan_segmented_sort): about one more array of the keys and of the
//                values, and 1 to 4 bytes a key of tables; offsets that are neither pointers nor rows take 8 bytes
//                each, an argsort as much again as its keys. On the host that of the longest segment for each thread.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a bit range outside the
//                key, keys too wide; on the host a device_count, offsets that fall, and segments that overlap),
//                overlap, unreachable, out_of_memory (scratch), not_built (struct keys, or offsets that are neither
//                pointers nor rows, on the device, in a file that nvcc did not compile).
//   speed        a device sorts segments of up to a few thousand keys on chip, in one read and one write. Longer ones
//                are split first, with two reads and one write for each digit until they are short enough. Segments of
//                few different keys, or of very uneven ones, take several times as long on chip. Rows of a million
//                numbers and more (7168 for each multiprocessor) are sorted one after another, as radix_sort does; not
//                so where indices count in the whole array.
//   method       long segments by their highest digits, as many as it takes; short ones are spread over a bin a key by
//                the keys' size, or sorted by digits and then by segment where that crowds the bins.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "kogge/calls/given_segments.hpp"
#include "kogge/host/segmented_sort.hpp"
#include "kogge/plan.hpp"
#include "kogge/radix_sort.hpp"
#if KOGGE_KERNELS
#include "kogge/segmented/launch.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

template <class Key, class Moved, class Segments>
void run_segmented_sort(SortCall<Key, Moved> sort, Segments segments, const sort_options& options, const exec& how,
                        bool indices_of_whole = true) {
    static_assert(!std::is_const_v<Key>,
                  "keys sorted in place are not const; out of place, give an array for the results");
    static_assert(encodable<Key>,
                  "this key type has no key_codec: specialise kogge::key_codec for it, as keys.hpp says");
    static_assert(travels_as_bytes<Key>, "keys travel as bytes: see kogge::travels_as_bytes");
    const BitRange bits = bit_range<Key>(sort.call, options);
    const auto& regions = segments.regions();
    sort.beside = regions;
    const RunsOn where = check_sort(sort, how);
    segments.check_count(where == backend::host, how.stream);
    if (sort.n.bound() == 0) return;
    const codec_of<Key> codec = make_codec<Key>(options);
    const auto* in = reinterpret_cast<const stored_key<Key>*>(sort.keys_in);
    auto* out = reinterpret_cast<stored_key<Key>*>(sort.keys_out);
    if (where == backend::host) {
        if (sort.n.on_device())
            throw error(errc::invalid_argument, sort.call, "a device_count needs the device; pass the number itself");
        const std::uint64_t n = sort.n.bound();
        const SegmentBounds bounds = segments.on_host(n);
        const std::uint64_t number = bounds.most, before = bounds.have_ends ? 0 : 1;
        const auto bounds_of = [=](std::uint64_t s) {  // with offsets, segment 0 is what precedes them
            if (s < before) return SegmentBounds::Bounds{0, number > 0 ? bounds.at(0, number, n).begin : n};
            return bounds.at(s - before, number, n);
        };
        const host::CallerFunctions functions(sort.call);
        host::segmented_sort(in, out, n, number + before, bounds_of, codec, bits.begin, bits.end, sort.values,
                             indices_of_whole, how.host_threads);
        return;
    }
    if constexpr (KOGGE_KERNELS || grid::is_prebuilt<stored_key<Key>, codec_of<Key>>) {
        DeviceSegments on_device = segments.on_device();
        on_device.indices_in_segment = sort.writes_indices && !indices_of_whole;
        with_device_codec<Key>(codec, [&](const auto& of_device) {
            grid::device_segmented_sort<Moved, grid::code_of<stored_key<Key>, codec_of<Key>>>(
                sort.call, in, out, sort.n, on_device, of_device, bits, sort.values, how);
        });
    } else {
        throw error(errc::not_built, sort.call,
                    "the library holds no device code for this key type; compile this file with nvcc");
    }
}

/// The value arrays of a sort in place.
template <class... Values>
std::array<grid::value_array, sizeof...(Values)> values_in_place(const array_pack<Values...>& values) {
    return std::apply(
        [](auto*... each) { return std::array<grid::value_array, sizeof...(Values)>{detail::value_of(each, each)...}; },
        values.pointers);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Sorts each segment of keys[0 … n) in place.
template <class Key, class Begins, class Ends>
void segmented_sort(Key* keys, item_count n, segment_bounds<Begins, Ends> segments, const sort_options& options = {},
                    const exec& how = {}) {
    detail::run_segmented_sort<Key, grid::NoValue>({"segmented_sort", keys, keys, n, {}},
                                                   detail::given_segments("segmented_sort", segments), options, how);
}
template <class Key, class Begins, class Ends>
void segmented_sort(Key* keys, item_count n, segment_bounds<Begins, Ends> segments, const exec& how) {
    segmented_sort(keys, n, segments, sort_options{}, how);
}
template <class Key, detail::offset_source Offsets>
void segmented_sort(Key* keys, item_count n, Offsets offsets, item_count segments, const sort_options& options = {},
                    const exec& how = {}) {
    segmented_sort(keys, n, segments_of(offsets, segments), options, how);
}
template <class Key, detail::offset_source Offsets>
void segmented_sort(Key* keys, item_count n, Offsets offsets, item_count segments, const exec& how) {
    segmented_sort(keys, n, offsets, segments, sort_options{}, how);
}
template <class Key>
void segmented_sort(Key* keys, rows_of rows, const sort_options& options = {}, const exec& how = {}) {
    const auto segments = detail::given_segments("segmented_sort", rows);
    detail::run_segmented_sort<Key, grid::NoValue>({"segmented_sort", keys, keys, segments.n(), {}}, segments, options,
                                                   how);
}
template <class Key>
void segmented_sort(Key* keys, rows_of rows, const exec& how) {
    segmented_sort(keys, rows, sort_options{}, how);
}

/// Sorts each segment of in[0 … n) to the same places of out.
template <class Key, class Begins, class Ends>
void segmented_sort(const Key* in, Key* out, item_count n, segment_bounds<Begins, Ends> segments,
                    const sort_options& options = {}, const exec& how = {}) {
    in = detail::array_to_come(in, detail::kKeysIn);
    out = detail::array_to_come(out, detail::kKeysOut);
    detail::run_segmented_sort<Key, grid::NoValue>({"segmented_sort", in, out, n, {}},
                                                   detail::given_segments("segmented_sort", segments), options, how);
}
template <class Key, class Begins, class Ends>
void segmented_sort(const Key* in, Key* out, item_count n, segment_bounds<Begins, Ends> segments, const exec& how) {
    segmented_sort(in, out, n, segments, sort_options{}, how);
}
template <class Key, detail::offset_source Offsets>
void segmented_sort(const Key* in, Key* out, item_count n, Offsets offsets, item_count segments,
                    const sort_options& options = {}, const exec& how = {}) {
    segmented_sort(in, out, n, segments_of(offsets, segments), options, how);
}
template <class Key, detail::offset_source Offsets>
void segmented_sort(const Key* in, Key* out, item_count n, Offsets offsets, item_count segments, const exec& how) {
    segmented_sort(in, out, n, offsets, segments, sort_options{}, how);
}
template <class Key>
void segmented_sort(const Key* in, Key* out, rows_of rows, const sort_options& options = {}, const exec& how = {}) {
    in = detail::array_to_come(in, detail::kKeysIn);
    out = detail::array_to_come(out, detail::kKeysOut);
    const auto segments = detail::given_segments("segmented_sort", rows);
    detail::run_segmented_sort<Key, grid::NoValue>({"segmented_sort", in, out, segments.n(), {}}, segments, options,
                                                   how);
}
template <class Key>
void segmented_sort(const Key* in, Key* out, rows_of rows, const exec& how) {
    segmented_sort(in, out, rows, sort_options{}, how);
}

/// Sorts each segment's keys in place, and moves each value with its key.
template <class Key, class Value, class Begins, class Ends>
void segmented_sort_pairs(Key* keys, Value* values, item_count n, segment_bounds<Begins, Ends> segments,
                          const sort_options& options = {}, const exec& how = {}) {
    segmented_sort_pairs(keys, arrays(values), n, segments, options, how);
}
template <class Key, class Value, class Begins, class Ends>
void segmented_sort_pairs(Key* keys, Value* values, item_count n, segment_bounds<Begins, Ends> segments,
                          const exec& how) {
    segmented_sort_pairs(keys, values, n, segments, sort_options{}, how);
}
template <class Key, class Value, detail::offset_source Offsets>
void segmented_sort_pairs(Key* keys, Value* values, item_count n, Offsets offsets, item_count segments,
                          const sort_options& options = {}, const exec& how = {}) {
    segmented_sort_pairs(keys, arrays(values), n, segments_of(offsets, segments), options, how);
}
template <class Key, class Value, detail::offset_source Offsets>
void segmented_sort_pairs(Key* keys, Value* values, item_count n, Offsets offsets, item_count segments,
                          const exec& how) {
    segmented_sort_pairs(keys, values, n, offsets, segments, sort_options{}, how);
}
template <class Key, class Value>
void segmented_sort_pairs(Key* keys, Value* values, rows_of rows, const sort_options& options = {},
                          const exec& how = {}) {
    segmented_sort_pairs(keys, arrays(values), rows, options, how);
}
template <class Key, class Value>
void segmented_sort_pairs(Key* keys, Value* values, rows_of rows, const exec& how) {
    segmented_sort_pairs(keys, values, rows, sort_options{}, how);
}

/// The same with several value arrays: segmented_sort_pairs(keys, kogge::arrays(x, y, z), n, offsets, segments).
template <class Key, class... Values, class Begins, class Ends>
void segmented_sort_pairs(Key* keys, array_pack<Values...> values, item_count n, segment_bounds<Begins, Ends> segments,
                          const sort_options& options = {}, const exec& how = {}) {
    const auto list = detail::values_in_place(values);
    detail::run_segmented_sort<Key, grid::moved_values<Values...>>(
        {"segmented_sort_pairs", keys, keys, n, list}, detail::given_segments("segmented_sort_pairs", segments),
        options, how);
}
template <class Key, class... Values, class Begins, class Ends>
void segmented_sort_pairs(Key* keys, array_pack<Values...> values, item_count n, segment_bounds<Begins, Ends> segments,
                          const exec& how) {
    segmented_sort_pairs(keys, values, n, segments, sort_options{}, how);
}
template <class Key, class... Values, detail::offset_source Offsets>
void segmented_sort_pairs(Key* keys, array_pack<Values...> values, item_count n, Offsets offsets, item_count segments,
                          const sort_options& options = {}, const exec& how = {}) {
    segmented_sort_pairs(keys, values, n, segments_of(offsets, segments), options, how);
}
template <class Key, class... Values, detail::offset_source Offsets>
void segmented_sort_pairs(Key* keys, array_pack<Values...> values, item_count n, Offsets offsets, item_count segments,
                          const exec& how) {
    segmented_sort_pairs(keys, values, n, offsets, segments, sort_options{}, how);
}
template <class Key, class... Values>
void segmented_sort_pairs(Key* keys, array_pack<Values...> values, rows_of rows, const sort_options& options = {},
                          const exec& how = {}) {
    const auto segments = detail::given_segments("segmented_sort_pairs", rows);
    const auto list = detail::values_in_place(values);
    detail::run_segmented_sort<Key, grid::moved_values<Values...>>(
        {"segmented_sort_pairs", keys, keys, segments.n(), list}, segments, options, how);
}
template <class Key, class... Values>
void segmented_sort_pairs(Key* keys, array_pack<Values...> values, rows_of rows, const exec& how) {
    segmented_sort_pairs(keys, values, rows, sort_options{}, how);
}

/// Out of place: each array beside its output.
template <class Key, class Value, class Begins, class Ends>
void segmented_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, item_count n,
                          segment_bounds<Begins, Ends> segments, const sort_options& options = {},
                          const exec& how = {}) {
    keys_in = detail::array_to_come(keys_in, detail::kKeysIn);
    keys_out = detail::array_to_come(keys_out, detail::kKeysOut);
    const grid::value_array array = detail::value_of<Value>(detail::array_to_come(values_in, detail::kValuesIn),
                                                            detail::array_to_come(values_out, detail::kValuesOut));
    detail::run_segmented_sort<Key, grid::moved_values<Value>>(
        {"segmented_sort_pairs", keys_in, keys_out, n, {&array, 1}},
        detail::given_segments("segmented_sort_pairs", segments), options, how);
}
template <class Key, class Value, class Begins, class Ends>
void segmented_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, item_count n,
                          segment_bounds<Begins, Ends> segments, const exec& how) {
    segmented_sort_pairs(keys_in, keys_out, values_in, values_out, n, segments, sort_options{}, how);
}
template <class Key, class Value, detail::offset_source Offsets>
void segmented_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, item_count n,
                          Offsets offsets, item_count segments, const sort_options& options = {},
                          const exec& how = {}) {
    segmented_sort_pairs(keys_in, keys_out, values_in, values_out, n, segments_of(offsets, segments), options, how);
}
template <class Key, class Value, detail::offset_source Offsets>
void segmented_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, item_count n,
                          Offsets offsets, item_count segments, const exec& how) {
    segmented_sort_pairs(keys_in, keys_out, values_in, values_out, n, offsets, segments, sort_options{}, how);
}
template <class Key, class Value>
void segmented_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, rows_of rows,
                          const sort_options& options = {}, const exec& how = {}) {
    keys_in = detail::array_to_come(keys_in, detail::kKeysIn);
    keys_out = detail::array_to_come(keys_out, detail::kKeysOut);
    const auto segments = detail::given_segments("segmented_sort_pairs", rows);
    const grid::value_array array = detail::value_of<Value>(detail::array_to_come(values_in, detail::kValuesIn),
                                                            detail::array_to_come(values_out, detail::kValuesOut));
    detail::run_segmented_sort<Key, grid::moved_values<Value>>(
        {"segmented_sort_pairs", keys_in, keys_out, segments.n(), {&array, 1}}, segments, options, how);
}
template <class Key, class Value>
void segmented_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, rows_of rows,
                          const exec& how) {
    segmented_sort_pairs(keys_in, keys_out, values_in, values_out, rows, sort_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
