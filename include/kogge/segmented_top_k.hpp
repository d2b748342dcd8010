// Top-k of each of many segments of an array at once.
//
// Shared by all of them
//   result       for each segment the first k items of its stable sort by the same options, the greatest first unless
//                the options say .order = ascending. Segment s writes to places [s × k, s × k + k) of each output;
//                indices count from the segment's first item.
//   segments     rows_of(length, count): rows of equal length, one behind the other; k is at most the length. Or
//                offsets: segment s begins at offsets[s] and ends where the next one begins, the last one at n. Offsets
//                past n count as n; where the next offset is less, a segment is empty; items before offsets[0] belong
//                to none. Of a segment of fewer than k items these are written, and the places behind them are left as
//                they were.
//   keys         numbers of up to 64 bits: integers, enumerations, bool, half, bfloat16, float, double.
//   values       an array of any type that travels as bytes.
//   aliasing     all arrays are apart, or errc::overlap.
//   scratch      on the device as the plan says (plan_segmented_top_k): none where segments are short, otherwise 50 KB
//                and a list of candidates for each block. On the host that of the longest segment for each thread.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a bit range outside the
//                key, k above the length of rows, k or a number of segments on the device; on the device a k above
//                2^30, if a segment may be as long; on the host a device_count), overlap, unreachable, out_of_memory
//                (scratch).
//   speed        made for a k of up to some hundreds: a block compares as many candidates each with each.
//   method       as top_k's: a warp takes a short segment, a block a long one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kogge/counts.hpp"
#include "kogge/rows.hpp"
#include "kogge/top_k.hpp"
#if KOGGE_KERNELS
#include "kogge/top_k/launch_segments.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// The segments of a call: offsets, or rows.
struct TopKSegmentsOf {
    item_count n;
    const std::uint64_t* offsets;  ///< null: rows
    rows_of rows;                  ///< with offsets only their number
};
inline TopKSegmentsOf top_k_rows(const char* call, const rows_of& rows) {
    if (rows.length == 0) return {0, nullptr, rows};
    return {bytes_of(call, rows.count, rows.length), nullptr, rows};  // the product, checked
}
inline TopKSegmentsOf top_k_segments(const char* call, const item_count& n, const std::uint64_t* offsets,
                                     const item_count& segments) {
    if (segments.on_device())
        throw error(errc::invalid_argument, call, "the number of segments must be known to the host");
    if (!offsets && segments.bound() > 0)
        throw error(errc::invalid_argument, call, "null given for offsets, although there are segments");
    return {n, offsets, {0, segments.bound()}};
}

template <class Key>
void run_segmented_top_k(const char* call, const Key* keys, const TopKSegmentsOf& of, const item_count& wanted,
                         const grid::top_k_arrays& arrays, const sort_options& options, const exec& how) {
    static_assert(is_number_key<Key> && sizeof(Key) <= 8, "keys are numbers of up to 64 bits");
    const BitRange bits = bit_range<Key>(call, options);
    if (wanted.on_device()) throw error(errc::invalid_argument, call, "k must be known to the host");
    const std::uint64_t k = wanted.bound(), segments = of.rows.count;
    const bool are_rows = of.offsets == nullptr;
    if (are_rows && segments > 0 && k > of.rows.length)
        throw error(errc::invalid_argument, call,
                    "k is " + std::to_string(k) + ", but a row has " + std::to_string(of.rows.length) + " keys");
    const bool any = k > 0 && segments > 0;
    std::vector<Region> reads, writes;
    const auto read = [&](const void* in, std::size_t bytes, const char* name) {
        reads.push_back({in, any ? bytes_of(call, of.n.bound(), bytes) : 0, name});
    };
    const auto write = [&](const void* out, std::size_t bytes, const char* name) {
        writes.push_back({out, any ? bytes_of(call, segments, bytes_of(call, k, bytes)) : 0, name});
    };
    read(keys, sizeof(Key), "the keys");
    if (arrays.values.bytes > 0) read(arrays.values.in, arrays.values.bytes, "the values");
    reads.push_back({of.offsets, are_rows ? 0 : bytes_of(call, segments, sizeof(std::uint64_t)), "offsets"});
    if (arrays.writes_keys) write(arrays.keys, sizeof(Key), "the first keys");
    if (arrays.index_bytes > 0) write(arrays.indices, arrays.index_bytes, "the indices");
    if (arrays.values.bytes > 0) write(arrays.values.out, arrays.values.bytes, "the first values");
    const RunsOn where = check_call(call, how, of.n, reads, writes);
    if (!any || of.n.bound() == 0) return;
    using Stored = stored_key<Key>;
    const codec_of<Key> codec = make_codec<Key>(options);
    const auto* in = reinterpret_cast<const Stored*>(keys);
    if (where == backend::host) {
        if (of.n.on_device())
            throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
        const std::uint64_t n = of.n.bound(), length = of.rows.length;
        const std::uint64_t* const offsets = of.offsets;
        const auto bounds_of = [=](std::uint64_t s) -> std::pair<std::uint64_t, std::uint64_t> {
            if (!offsets) return {s * length, length};
            const std::uint64_t begin = offsets[s];
            const std::uint64_t end = (std::min)(n, s + 1 < segments ? offsets[s + 1] : n);
            return {(std::min)(begin, n), begin < end ? end - begin : 0};
        };
        host::segmented_top_k(in, n, segments, bounds_of, k, codec, bits.begin, bits.end, arrays, how.host_threads);
        return;
    }
    with_device_codec<Key>(codec, [&](const auto& of_device) {
        grid::device_segmented_top_k<grid::code_of<Stored, codec_of<Key>>>(call, in, of.n, of.offsets, of.rows, k,
                                                                           of_device, bits, arrays, how);
    });
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Writes the first k keys of each row.
template <class Key>
void segmented_top_k(const Key* keys, Key* out, rows_of rows, item_count k, const top_k_options& options = {},
                     const exec& how = {}) {
    detail::run_segmented_top_k("segmented_top_k", keys, detail::top_k_rows("segmented_top_k", rows), k,
                                {.keys = out, .writes_keys = true}, options, how);
}
/// The same of segments by offsets.
template <class Key>
void segmented_top_k(const Key* keys, Key* out, item_count n, detail::offsets_in offsets, item_count segments,
                     item_count k, const top_k_options& options = {}, const exec& how = {}) {
    detail::run_segmented_top_k("segmented_top_k", keys,
                                detail::top_k_segments("segmented_top_k", n, offsets, segments), k,
                                {.keys = out, .writes_keys = true}, options, how);
}

/// Writes the first k keys of each row and their values.
template <class Key, class Value>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, const Value* values, Value* values_out, rows_of rows,
                           item_count k, const top_k_options& options = {}, const exec& how = {}) {
    static_assert(travels_as_bytes<Value>, "values travel as bytes: see kogge::travels_as_bytes");
    detail::run_segmented_top_k(
        "segmented_top_k_pairs", keys, detail::top_k_rows("segmented_top_k_pairs", rows), k,
        {.keys = keys_out, .writes_keys = true, .values = {values, values_out, sizeof(Value), alignof(Value)}}, options,
        how);
}
/// The same of segments by offsets.
template <class Key, class Value>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, const Value* values, Value* values_out, item_count n,
                           detail::offsets_in offsets, item_count segments, item_count k,
                           const top_k_options& options = {}, const exec& how = {}) {
    static_assert(travels_as_bytes<Value>, "values travel as bytes: see kogge::travels_as_bytes");
    detail::run_segmented_top_k(
        "segmented_top_k_pairs", keys, detail::top_k_segments("segmented_top_k_pairs", n, offsets, segments), k,
        {.keys = keys_out, .writes_keys = true, .values = {values, values_out, sizeof(Value), alignof(Value)}}, options,
        how);
}

/// Writes the first k keys of each row, unless keys_out is null, and their indices in the row. Index is a 32- or 64-bit
/// integer that holds every index, or errc::invalid_argument is thrown.
template <class Key, detail::top_k_index Index>
void segmented_arg_top_k(const Key* keys, Key* keys_out, Index* indices, rows_of rows, item_count k,
                         const top_k_options& options = {}, const exec& how = {}) {
    detail::check_index<Index>("segmented_arg_top_k", rows.length);
    detail::run_segmented_top_k(
        "segmented_arg_top_k", keys, detail::top_k_rows("segmented_arg_top_k", rows), k,
        {.keys = keys_out, .writes_keys = keys_out != nullptr, .indices = indices, .index_bytes = sizeof(Index)},
        options, how);
}
/// The same of segments by offsets.
template <class Key, detail::top_k_index Index>
void segmented_arg_top_k(const Key* keys, Key* keys_out, Index* indices, item_count n, detail::offsets_in offsets,
                         item_count segments, item_count k, const top_k_options& options = {}, const exec& how = {}) {
    detail::check_index<Index>("segmented_arg_top_k", n);
    detail::run_segmented_top_k(
        "segmented_arg_top_k", keys, detail::top_k_segments("segmented_arg_top_k", n, offsets, segments), k,
        {.keys = keys_out, .writes_keys = keys_out != nullptr, .indices = indices, .index_bytes = sizeof(Index)},
        options, how);
}

}  // namespace kogge::KOGGE_CODE
