// Segmented sort: longer segments than fit the chip are split by their highest digits until they do
// (segmented/long.cuh), and all that fit are sorted there (segmented/spread.cuh, segmented/tiny.cuh,
// segmented/digits.cuh). The device finds out which is which (segmented/list.cuh).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/digit/key_digits.cuh"
#include "kogge/engine/gather.cuh"
#include "kogge/keys.hpp"
#include "kogge/plan/segmented/sort.hpp"
#include "kogge/segmented/digits.cuh"
#include "kogge/segmented/list.cuh"
#include "kogge/segmented/long.cuh"
#include "kogge/segmented/shape.hpp"
#include "kogge/segmented/spread.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The kernels of a planned sort whose values are words, or indices where values_in is null, or none.
template <class Key, class Value, class Bucket>
void launch_segmented_sort(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                           const Bucket& bucket, const SegmentShape& shape, const segmented_sort_plan& plan,
                           const SegmentMemory& memory, stream_t stream) {
    using Long = LongProblem<Key, Value, Bucket>;
    const SegmentRoute<Key, Value> route{keys_in,   keys_out,   static_cast<Key*>(memory.keys),
                                         values_in, values_out, static_cast<Value*>(memory.values)};
    if (plan.may_be_long)
        simt::launch(split_segments_kernel<Key, Value, Bucket>,
                     {plan.blocks, kTileThreads, long_shared_bytes(sizeof(Key), Long::kValueBytes, Long::kHasTables),
                      stream, "split_segments_kernel", true},
                     Long{route, bucket, shape, memory});
    const ShortProblem<Key, Value, Bucket> problem{route, bucket, shape, memory};
    simt::launch(
        spread_segments_kernel<Key, Value, Bucket>,
        {static_cast<std::uint32_t>(plan.windows), kShortThreads, plan.shared_bytes, stream, "spread_segments_kernel"},
        problem);
    simt::launch(sort_short_segments_kernel<Key, Value, Bucket>,
                 {plan.digit_blocks, kShortDigitThreads, plan.digit_bytes, stream, "sort_short_segments_kernel"},
                 problem);
}

// Those of numbers are prebuilt.
#define KOGGE_SEGMENTED_LAUNCH_OF(prefix, Value, Key, Codec)                                              \
    prefix template void launch_segmented_sort(const Key*, Key*, const Value*, Value*,                    \
                                               const bucket_of<detail::Codec<Key>>&, const SegmentShape&, \
                                               const segmented_sort_plan&, const SegmentMemory&, stream_t);
#define KOGGE_DECLARE_WORDS(Value, Key, Codec) KOGGE_SEGMENTED_LAUNCH_OF(extern, Value, Key, Codec)
#define KOGGE_DECLARE(Key) KOGGE_VALUE_WORDS(KOGGE_DECLARE_WORDS, Key, NumberCodec)
KOGGE_STORED_KEYS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#define KOGGE_DECLARE(Key) KOGGE_VALUE_WORDS(KOGGE_DECLARE_WORDS, Key, MergingCodec)
KOGGE_FLOAT_KEYS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#undef KOGGE_DECLARE_WORDS

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

/// The length of rows whose number the host knows; 0: segments are others, or no code of the library's sorts them.
template <class Code>
std::uint64_t known_row_length(const detail::DeviceSegments& given, const item_count& n) {
    const detail::SegmentBounds& bounds = given.bounds;
    // A file should not compile both sorts.
    if (!std::is_same_v<Code, LibraryCode> || given.store || bounds.begins.first || bounds.count || n.on_device())
        return 0;
    return bounds.length;
}

/// Sorts rows one after another, all in the same scratch.
template <class Moved, class Code, class Key, class Codec>
void sort_rows_apart(const char* call, const Key* keys_in, Key* keys_out, std::uint64_t n, const Codec& codec,
                     detail::BitRange bits, std::span<const value_array> values, const segmented_sort_plan& plan,
                     const exec& how) {
    const detail::Scratch scratch(call, how, plan.scratch_bytes);
    exec of_row = how;
    of_row.scratch_limit = exec{}.scratch_limit;
    of_row.space = {scratch.data(), plan.scratch_bytes > 0 ? plan.scratch_bytes - detail::kScratchAlignment : 0};
    std::vector<value_array> moved(values.begin(), values.end());
    for (std::uint64_t row = 0; row < n; row += plan.row_length) {
        for (std::size_t v = 0; v < values.size(); ++v) {
            const std::size_t offset = row * values[v].bytes;
            if (values[v].in) moved[v].in = static_cast<const std::byte*>(values[v].in) + offset;
            moved[v].out = static_cast<std::byte*>(values[v].out) + offset;
        }
        device_radix_sort<Moved, Code>(call, keys_in + row, keys_out ? keys_out + row : nullptr,
                                       item_count((std::min)(plan.row_length, n - row)), codec, bits, moved, of_row);
    }
}

/// Sorts each segment on the device; arguments have been checked. Moved is the values' moved_values. An argsort has no
/// keys_out.
template <class Moved, class Code, class Key, class Codec>
void device_segmented_sort(const char* call, const Key* keys_in, Key* keys_out, const item_count& n,
                           const detail::DeviceSegments& given, const Codec& codec, detail::BitRange bits,
                           std::span<const value_array> values, const exec& how) {
    using Bucket = bucket_of<Codec>;
    const bool have_ends = given.bounds.have_ends, writes_keys = keys_out != nullptr;
    const bool writes_indices = !values.empty() && !values[0].in;
    if (bits.begin == bits.end) bits = {0, 0};
    const Bucket bucket{codec, bits.begin, bits.end};
    const device_properties device = simt::properties_of(how.stream);
    radix_sort_shape of_items =
        sort_shape(sizeof(Key), bits.begin, bits.end, keys_in == keys_out, writes_keys, !Bucket::kIdentifies, values);
    if constexpr (Bucket::kIdentifies) of_items.are_floats = bucket.is_float();
    of_items.merges_floats = Bucket::kEncodes && !Bucket::kIdentifies;
    const segmented_sort_plan plan = plan_segmented_sort(n.bound(), given.bounds.most, of_items, device,
                                                         {have_ends, given.store != nullptr, writes_indices,
                                                          given.indices_in_segment, known_row_length<Code>(given, n)});
    if constexpr (std::is_same_v<Code, LibraryCode>)
        if (plan.row_length > 0)
            return sort_rows_apart<Moved, Code>(call, keys_in, keys_out, n.bound(), codec, bits, values, plan, how);
    if (plan.passes == 0) {
        copy_items(keys_in, keys_out, sizeof(Key), n, how.stream);
        for (const value_array& array : values) copy_items(array.in, array.out, array.bytes, n, how.stream);
        return;
    }
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes,
                                        [&](detail::Carver& carver) { return carve_segmented_sort(carver, plan); });
    const SegmentMemory& memory = *scratch;
    const detail::SegmentBounds segments = given.stored(memory.begins, memory.ends, how.stream);
    const SegmentShape shape = segment_shape({n.bound(), n.on_device()}, plan);
    simt::fill(memory.marks, 0, memory.zeroed, how.stream);
    list_segments(segments, n, plan, memory, how.stream);
    if (!writes_keys) keys_out = static_cast<Key*>(memory.sorted_keys);
    // Items of gaps are read where they are written.
    if (have_ends && !writes_keys) simt::fill(keys_out, 0, n.bound() * sizeof(Key), how.stream);
    if (have_ends && plan.index_bytes > 0) simt::fill(memory.indices, 0xff, n.bound() * plan.index_bytes, how.stream);
    const auto sort_with = [&]<class Value>(const Value* in, Value* out) {
        launch_segmented_sort(keys_in, keys_out, in, out, bucket, shape, plan, memory, how.stream);
    };
    if constexpr (std::is_same_v<Moved, ByIndex>) {
        sort_indices<true>(memory.indices, plan.index_bytes, sort_with);
        gather_values(values, memory.indices, plan.index_bytes, memory.gathered, n, how.stream, have_ends);
    } else {
        with_values<Moved>(values, sort_with);
    }
    if (given.indices_in_segment) count_from_begins(values[0].out, values[0].bytes, segments, n, memory, how.stream);
}

}  // namespace kogge::grid
