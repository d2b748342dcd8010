// Sorts of many segments of an array at once, each on its own. Stable in both orders.
//
// Shared by all of them
//   items        n counts keys in all; value arrays have n items, too.
//   segments     segment s begins at offsets[s] and ends where the next one begins, the last one at n. Offsets ascend
//                (equal neighbours are empty segments) and live where the data lives; those past n count as n; items
//                before offsets[0] form a segment of their own. Any number of segments of any lengths. Where an offset
//                is less than the one before it, the host throws, and a device, which cannot, sorts nothing: all items
//                are written in the order in which they are read.
//   keys         as radix_sort's, up to about 350 bytes each; see sort_options for order, bit range, zeros and NaNs.
//   values       arrays of any type that travels as bytes; kogge::arrays(a, b, …) moves several.
//   aliasing     in place forms sort where the data is; out of place, each array's in and out are apart or the same,
//                and different arrays are apart; offsets overlap nothing that is written. Any other overlap throws
//                errc::overlap.
//   scratch      on the device as the plan says (plan_segmented_sort): about one more array of the keys and of the
//                values, and 1 to 4 bytes a key of tables. On the host that of the longest segment for each thread.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a bit range outside the
//                key, keys too wide, a number of segments on the device; on the host a device_count, and offsets that
//                fall), overlap, unreachable, out_of_memory (scratch), not_built (struct keys on the device, in a file
//                that nvcc did not compile).
//   speed        a device sorts segments of up to a few thousand keys on chip, in one read and one write. Longer ones
//                are split first, with two reads and one write for each digit until they are short enough. Segments of
//                few different keys, or of very uneven ones, take several times as long on chip.
//   method       long segments by their highest digits, as many as it takes; short ones are spread over a bin a key by
//                the keys' size, or sorted by digits and then by segment where that crowds the bins.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <tuple>

#include "kogge/counts.hpp"
#include "kogge/host/segmented_sort.hpp"
#include "kogge/plan.hpp"
#include "kogge/radix_sort.hpp"
#if KOGGE_KERNELS
#include "kogge/segmented/launch.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

template <class Key, class Moved>
void run_segmented_sort(SortCall<Key, Moved> sort, const std::uint64_t* offsets, const item_count& segments,
                        const sort_options& options, const exec& how) {
    static_assert(!std::is_const_v<Key>,
                  "keys sorted in place are not const; out of place, give an array for the results");
    static_assert(encodable<Key>,
                  "this key type has no key_codec: specialise kogge::key_codec for it, as keys.hpp says");
    static_assert(travels_as_bytes<Key>, "keys travel as bytes: see kogge::travels_as_bytes");
    if (segments.on_device())
        throw error(errc::invalid_argument, sort.call, "the number of segments must be known to the host");
    const BitRange bits = bit_range<Key>(sort.call, options);
    sort.beside = {offsets, bytes_of(sort.call, segments.bound(), sizeof(std::uint64_t)), "offsets"};
    const RunsOn where = check_sort(sort, how);
    if (sort.n.bound() == 0) return;
    const codec_of<Key> codec = make_codec<Key>(options);
    const auto* in = reinterpret_cast<const stored_key<Key>*>(sort.keys_in);
    auto* out = reinterpret_cast<stored_key<Key>*>(sort.keys_out);
    if (where == backend::host) {
        if (sort.n.on_device())
            throw error(errc::invalid_argument, sort.call, "a device_count needs the device; pass the number itself");
        const std::uint64_t* const end = offsets + segments.bound();
        const std::uint64_t* const falls = std::is_sorted_until(offsets, end);
        if (falls != end)
            throw error(errc::invalid_argument, sort.call,
                        "offsets[" + std::to_string(falls - offsets) + "] is " + std::to_string(falls[0]) +
                            ", but the one before it " + std::to_string(falls[-1]) + "; they must ascend");
        const host::CallerFunctions functions(sort.call);
        host::segmented_sort(in, out, sort.n.bound(), offsets, segments.bound(), codec, bits.begin, bits.end,
                             sort.values, how.host_threads);
        return;
    }
    if constexpr (KOGGE_KERNELS || grid::is_prebuilt<stored_key<Key>, codec_of<Key>>)
        with_device_codec<Key>(codec, [&](const auto& of_device) {
            grid::device_segmented_sort<Moved, grid::code_of<stored_key<Key>, codec_of<Key>>>(
                sort.call, in, out, sort.n, offsets, segments.bound(), of_device, bits, sort.values, how);
        });
    else
        throw error(errc::not_built, sort.call,
                    "the library holds no device code for this key type; compile this file with nvcc");
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Sorts each segment of keys[0 … n) in place.
template <class Key>
void segmented_sort(Key* keys, item_count n, detail::offsets_in offsets, item_count segments,
                    const sort_options& options = {}, const exec& how = {}) {
    detail::run_segmented_sort<Key, grid::NoValue>({"segmented_sort", keys, keys, n, {}}, offsets, segments, options,
                                                   how);
}

/// Sorts each segment of in[0 … n) to the same places of out.
template <class Key>
void segmented_sort(const Key* in, Key* out, item_count n, detail::offsets_in offsets, item_count segments,
                    const sort_options& options = {}, const exec& how = {}) {
    detail::run_segmented_sort<Key, grid::NoValue>({"segmented_sort", in, out, n, {}}, offsets, segments, options, how);
}

/// Sorts each segment's keys in place, and moves each value with its key.
template <class Key, class Value>
void segmented_sort_pairs(Key* keys, Value* values, item_count n, detail::offsets_in offsets, item_count segments,
                          const sort_options& options = {}, const exec& how = {}) {
    const grid::value_array array = detail::value_of<Value>(values, values);
    detail::run_segmented_sort<Key, grid::moved_values<Value>>({"segmented_sort_pairs", keys, keys, n, {&array, 1}},
                                                               offsets, segments, options, how);
}

/// The same with several value arrays: segmented_sort_pairs(keys, kogge::arrays(x, y, z), n, offsets, segments).
template <class Key, class... Values>
void segmented_sort_pairs(Key* keys, array_pack<Values...> values, item_count n, detail::offsets_in offsets,
                          item_count segments, const sort_options& options = {}, const exec& how = {}) {
    const auto list = std::apply(
        [](auto*... each) { return std::array<grid::value_array, sizeof...(Values)>{detail::value_of(each, each)...}; },
        values.pointers);
    detail::run_segmented_sort<Key, grid::moved_values<Values...>>({"segmented_sort_pairs", keys, keys, n, list},
                                                                   offsets, segments, options, how);
}

/// Out of place: each array beside its output.
template <class Key, class Value>
void segmented_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, item_count n,
                          detail::offsets_in offsets, item_count segments, const sort_options& options = {},
                          const exec& how = {}) {
    const grid::value_array array = detail::value_of<Value>(values_in, values_out);
    detail::run_segmented_sort<Key, grid::moved_values<Value>>(
        {"segmented_sort_pairs", keys_in, keys_out, n, {&array, 1}}, offsets, segments, options, how);
}

}  // namespace kogge::KOGGE_CODE
