// Top-k of each of many segments of an array at once.
//
// Shared by all of them
//   result       for each segment the first k items of its stable sort by the same options, the greatest first unless
//                the options say .order = ascending. Segment s writes to places [s × k, s × k + k) of each output;
//                indices count from the segment's first item.
//   segments     as segments.hpp says: rows_of(length, count), whose k is at most the length; offsets and their number;
//                or segments_of(begins, ends, number), which may overlap. Where the next offset is less, a segment is
//                empty; items before offsets[0] belong to none. Of a segment of fewer than k items these are written,
//                and the places behind them are left as they were.
//   k            a number, or each_k(counts, most): one per segment, where the data is.
//   keys         numbers of up to 64 bits: integers, enumerations, bool, half, bfloat16, float, double.
//   values       an array of any type that travels as bytes, or up to 8 of them: kogge::arrays(a, b, …).
//   exec         may stand right behind k, where options would.
//   aliasing     all arrays are apart, or errc::overlap.
//   scratch      on the device as the plan says (plan_segmented_top_k): none where segments are short, otherwise 50 KB
//                and a list of candidates for each block; offsets that are neither pointers nor rows take 8 bytes each.
//                On the host that of the longest segment for each thread.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a bit range outside the
//                key, k above the length of rows, k on the device; on the device a k above 2^30, if a segment may be
//                as long; on the host a device_count), overlap, unreachable, out_of_memory (scratch), not_built
//                (offsets that are neither pointers nor rows, on the device, in a file that nvcc did not compile).
//   speed        made for a k of up to some hundreds: a block compares as many candidates each with each.
//   method       as top_k's: a warp takes a short segment, a block a long one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kogge/calls/given_segments.hpp"
#include "kogge/top_k.hpp"
#include "kogge/types/counts.hpp"
#if KOGGE_KERNELS
#include "kogge/top_k/launch_segments.cuh"
#endif

namespace kogge {

/// The k of each segment, in the place of one k: segment s gives its first counts[s] items, at most `most`. Its results
/// begin at place s × most. `counts` is where the data is.
struct each_k {
    const std::uint64_t* counts;
    std::uint64_t most;
    template <class Number>
    each_k(Number* numbers, std::uint64_t limit) : counts(detail::offsets_in(numbers)), most(limit) {}
};

}  // namespace kogge

namespace kogge::detail::KOGGE_CODE {

/// One k, or one per segment.
class SegmentK {
public:
    template <std::integral Integer>
    SegmentK(Integer k) : k_(k) {}                                                     // NOLINT: implicit by design
    SegmentK(const item_count& k) : k_(k) {}                                           // NOLINT: implicit by design
    SegmentK(const device_count& k) : k_(k) {}                                         // NOLINT: implicit by design
    SegmentK(const kogge::each_k& k) : k_(k.most), each_(k.counts), is_each_(true) {}  // NOLINT: implicit by design

    const item_count& most() const { return k_; }
    /// Null if one k is for all.
    const std::uint64_t* each() const { return each_; }
    bool is_each() const { return is_each_; }

private:
    item_count k_;
    const std::uint64_t* each_ = nullptr;
    bool is_each_ = false;
};

template <class Key, class Segments>
void run_segmented_top_k(const char* call, const Key* keys, const item_count& n, Segments given,
                         const SegmentK& wanted_k, const grid::top_k_arrays& arrays, const sort_options& options,
                         const exec& how) {
    static_assert(is_number_key<Key> && sizeof(Key) <= 8, "keys are numbers of up to 64 bits");
    const BitRange bits = bit_range<Key>(call, options);
    const item_count& wanted = wanted_k.most();
    if (wanted.on_device()) throw error(errc::invalid_argument, call, "k must be known to the host");
    const std::uint64_t k = wanted.bound(), segments = given.most();
    if (segments > 0 && k > given.longest())
        throw error(errc::invalid_argument, call,
                    "k is " + std::to_string(k) + ", but a row has " + std::to_string(given.longest()) + " keys");
    const bool any = k > 0 && segments > 0;
    std::vector<Region> reads, writes;
    const auto read = [&](const void* in, std::size_t bytes, const char* name) {
        reads.push_back({in, any ? bytes_of(call, n.bound(), bytes) : 0, name});
    };
    const auto write = [&](const void* out, std::size_t bytes, const char* name) {
        writes.push_back({out, any ? bytes_of(call, segments, bytes_of(call, k, bytes)) : 0, name});
    };
    read(keys, sizeof(Key), "the keys");
    for (std::size_t a = 0; a < arrays.value_count(); ++a)
        read(arrays.values[a].in, arrays.values[a].bytes, "the values");
    if (wanted_k.is_each())
        reads.push_back({wanted_k.each(), any ? bytes_of(call, segments, sizeof(std::uint64_t)) : 0, "each k"});
    const auto& regions = given.regions();
    reads.insert(reads.end(), regions.begin(), regions.end());
    if (arrays.writes_keys) write(arrays.keys, sizeof(Key), "the first keys");
    if (arrays.index_bytes > 0) write(arrays.indices, arrays.index_bytes, "the indices");
    for (std::size_t a = 0; a < arrays.value_count(); ++a)
        write(arrays.values[a].out, arrays.values[a].bytes, "the first values");
    const RunsOn where = check_call(call, how, n, reads, writes);
    given.check_count(where == backend::host, how.stream);
    if (!any || n.bound() == 0) return;
    using Stored = stored_key<Key>;
    const codec_of<Key> codec = make_codec<Key>(options);
    const auto* in = reinterpret_cast<const Stored*>(keys);
    if (where == backend::host) {
        if (n.on_device())
            throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
        const SegmentIntervals bounds_of{given.on_host(n.bound(), true), n.bound()};
        host::segmented_top_k(in, n.bound(), segments, bounds_of, k, wanted_k.each(), codec, bits.begin, bits.end,
                              arrays, how.host_threads);
        return;
    }
    const DeviceSegments on_device = given.on_device();
    with_device_codec<Key>(codec, [&](const auto& of_device) {
        grid::device_segmented_top_k<grid::code_of<Stored, codec_of<Key>>>(call, in, n, on_device, k, wanted_k.each(),
                                                                           of_device, bits, arrays, how);
    });
}

template <class Key, class Index>
grid::top_k_arrays top_k_indices_to(Key* keys_out, Index* indices) {
    return {.keys = keys_out, .writes_keys = keys_out != nullptr, .indices = indices, .index_bytes = sizeof(Index)};
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Writes the first k keys of each row.
template <class Key>
void segmented_top_k(const Key* keys, Key* out, rows_of rows, detail::SegmentK k, const top_k_options& options = {},
                     const exec& how = {}) {
    const auto given = detail::given_segments("segmented_top_k", rows);
    detail::run_segmented_top_k("segmented_top_k", keys, given.n(), given, k, {.keys = out, .writes_keys = true},
                                options, how);
}
template <class Key>
void segmented_top_k(const Key* keys, Key* out, rows_of rows, detail::SegmentK k, const exec& how) {
    segmented_top_k(keys, out, rows, k, top_k_options{}, how);
}
/// The same of other segments.
template <class Key, class Begins, class Ends>
void segmented_top_k(const Key* keys, Key* out, item_count n, segment_bounds<Begins, Ends> segments, detail::SegmentK k,
                     const top_k_options& options = {}, const exec& how = {}) {
    detail::run_segmented_top_k("segmented_top_k", keys, n, detail::given_segments("segmented_top_k", segments), k,
                                {.keys = out, .writes_keys = true}, options, how);
}
template <class Key, class Begins, class Ends>
void segmented_top_k(const Key* keys, Key* out, item_count n, segment_bounds<Begins, Ends> segments, detail::SegmentK k,
                     const exec& how) {
    segmented_top_k(keys, out, n, segments, k, top_k_options{}, how);
}
template <class Key, detail::offset_source Offsets>
void segmented_top_k(const Key* keys, Key* out, item_count n, Offsets offsets, item_count segments, detail::SegmentK k,
                     const top_k_options& options = {}, const exec& how = {}) {
    segmented_top_k(keys, out, n, segments_of(offsets, segments), k, options, how);
}
template <class Key, detail::offset_source Offsets>
void segmented_top_k(const Key* keys, Key* out, item_count n, Offsets offsets, item_count segments, detail::SegmentK k,
                     const exec& how) {
    segmented_top_k(keys, out, n, offsets, segments, k, top_k_options{}, how);
}

/// Writes the first k keys of each row and their values.
template <class Key, class Value>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, const Value* values, Value* values_out, rows_of rows,
                           detail::SegmentK k, const top_k_options& options = {}, const exec& how = {}) {
    const auto given = detail::given_segments("segmented_top_k_pairs", rows);
    detail::run_segmented_top_k("segmented_top_k_pairs", keys, given.n(), given, k,
                                detail::top_k_outputs(keys_out, values, values_out), options, how);
}
template <class Key, class Value>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, const Value* values, Value* values_out, rows_of rows,
                           detail::SegmentK k, const exec& how) {
    segmented_top_k_pairs(keys, keys_out, values, values_out, rows, k, top_k_options{}, how);
}
/// The same of other segments.
template <class Key, class Value, class Begins, class Ends>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, const Value* values, Value* values_out, item_count n,
                           segment_bounds<Begins, Ends> segments, detail::SegmentK k, const top_k_options& options = {},
                           const exec& how = {}) {
    detail::run_segmented_top_k("segmented_top_k_pairs", keys, n,
                                detail::given_segments("segmented_top_k_pairs", segments), k,
                                detail::top_k_outputs(keys_out, values, values_out), options, how);
}
template <class Key, class Value, class Begins, class Ends>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, const Value* values, Value* values_out, item_count n,
                           segment_bounds<Begins, Ends> segments, detail::SegmentK k, const exec& how) {
    segmented_top_k_pairs(keys, keys_out, values, values_out, n, segments, k, top_k_options{}, how);
}
template <class Key, class Value, detail::offset_source Offsets>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, const Value* values, Value* values_out, item_count n,
                           Offsets offsets, item_count segments, detail::SegmentK k, const top_k_options& options = {},
                           const exec& how = {}) {
    segmented_top_k_pairs(keys, keys_out, values, values_out, n, segments_of(offsets, segments), k, options, how);
}
template <class Key, class Value, detail::offset_source Offsets>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, const Value* values, Value* values_out, item_count n,
                           Offsets offsets, item_count segments, detail::SegmentK k, const exec& how) {
    segmented_top_k_pairs(keys, keys_out, values, values_out, n, offsets, segments, k, top_k_options{}, how);
}

/// The same with several arrays of values: kogge::arrays(a, b, …).
template <class Key, class... Values, class... Outputs>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, array_pack<Values...> values,
                           array_pack<Outputs...> values_out, rows_of rows, detail::SegmentK k,
                           const top_k_options& options = {}, const exec& how = {}) {
    const auto given = detail::given_segments("segmented_top_k_pairs", rows);
    detail::run_segmented_top_k("segmented_top_k_pairs", keys, given.n(), given, k,
                                detail::top_k_outputs(keys_out, values, values_out), options, how);
}
template <class Key, class... Values, class... Outputs>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, array_pack<Values...> values,
                           array_pack<Outputs...> values_out, rows_of rows, detail::SegmentK k, const exec& how) {
    segmented_top_k_pairs(keys, keys_out, values, values_out, rows, k, top_k_options{}, how);
}
template <class Key, class... Values, class... Outputs, class Begins, class Ends>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, array_pack<Values...> values,
                           array_pack<Outputs...> values_out, item_count n, segment_bounds<Begins, Ends> segments,
                           detail::SegmentK k, const top_k_options& options = {}, const exec& how = {}) {
    detail::run_segmented_top_k("segmented_top_k_pairs", keys, n,
                                detail::given_segments("segmented_top_k_pairs", segments), k,
                                detail::top_k_outputs(keys_out, values, values_out), options, how);
}
template <class Key, class... Values, class... Outputs, class Begins, class Ends>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, array_pack<Values...> values,
                           array_pack<Outputs...> values_out, item_count n, segment_bounds<Begins, Ends> segments,
                           detail::SegmentK k, const exec& how) {
    segmented_top_k_pairs(keys, keys_out, values, values_out, n, segments, k, top_k_options{}, how);
}
template <class Key, class... Values, class... Outputs, detail::offset_source Offsets>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, array_pack<Values...> values,
                           array_pack<Outputs...> values_out, item_count n, Offsets offsets, item_count segments,
                           detail::SegmentK k, const top_k_options& options = {}, const exec& how = {}) {
    segmented_top_k_pairs(keys, keys_out, values, values_out, n, segments_of(offsets, segments), k, options, how);
}
template <class Key, class... Values, class... Outputs, detail::offset_source Offsets>
void segmented_top_k_pairs(const Key* keys, Key* keys_out, array_pack<Values...> values,
                           array_pack<Outputs...> values_out, item_count n, Offsets offsets, item_count segments,
                           detail::SegmentK k, const exec& how) {
    segmented_top_k_pairs(keys, keys_out, values, values_out, n, offsets, segments, k, top_k_options{}, how);
}

/// Writes the first k keys of each row, unless keys_out is null, and their indices in the row. Index is a 32- or 64-bit
/// integer that holds every index, or errc::invalid_argument is thrown.
template <class Key, detail::top_k_index Index>
void segmented_arg_top_k(const Key* keys, Key* keys_out, Index* indices, rows_of rows, detail::SegmentK k,
                         const top_k_options& options = {}, const exec& how = {}) {
    detail::check_index<Index>("segmented_arg_top_k", rows.length);
    const auto given = detail::given_segments("segmented_arg_top_k", rows);
    detail::run_segmented_top_k("segmented_arg_top_k", keys, given.n(), given, k,
                                detail::top_k_indices_to(keys_out, indices), options, how);
}
template <class Key, detail::top_k_index Index>
void segmented_arg_top_k(const Key* keys, Key* keys_out, Index* indices, rows_of rows, detail::SegmentK k,
                         const exec& how) {
    segmented_arg_top_k(keys, keys_out, indices, rows, k, top_k_options{}, how);
}
/// The same of other segments.
template <class Key, detail::top_k_index Index, class Begins, class Ends>
void segmented_arg_top_k(const Key* keys, Key* keys_out, Index* indices, item_count n,
                         segment_bounds<Begins, Ends> segments, detail::SegmentK k, const top_k_options& options = {},
                         const exec& how = {}) {
    detail::check_index<Index>("segmented_arg_top_k", n);
    detail::run_segmented_top_k("segmented_arg_top_k", keys, n, detail::given_segments("segmented_arg_top_k", segments),
                                k, detail::top_k_indices_to(keys_out, indices), options, how);
}
template <class Key, detail::top_k_index Index, class Begins, class Ends>
void segmented_arg_top_k(const Key* keys, Key* keys_out, Index* indices, item_count n,
                         segment_bounds<Begins, Ends> segments, detail::SegmentK k, const exec& how) {
    segmented_arg_top_k(keys, keys_out, indices, n, segments, k, top_k_options{}, how);
}
template <class Key, detail::top_k_index Index, detail::offset_source Offsets>
void segmented_arg_top_k(const Key* keys, Key* keys_out, Index* indices, item_count n, Offsets offsets,
                         item_count segments, detail::SegmentK k, const top_k_options& options = {},
                         const exec& how = {}) {
    segmented_arg_top_k(keys, keys_out, indices, n, segments_of(offsets, segments), k, options, how);
}
template <class Key, detail::top_k_index Index, detail::offset_source Offsets>
void segmented_arg_top_k(const Key* keys, Key* keys_out, Index* indices, item_count n, Offsets offsets,
                         item_count segments, detail::SegmentK k, const exec& how) {
    segmented_arg_top_k(keys, keys_out, indices, n, offsets, segments, k, top_k_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
