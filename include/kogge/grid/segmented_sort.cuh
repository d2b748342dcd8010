// Segmented sort: longer segments than fit the chip are split by their highest digits until they do (segment_pass.cuh),
// and all that fit are sorted there (segment_block.cuh, segment_digits.cuh). The device finds out which is which
// (segment_list.cuh).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kogge/grid/digits.cuh"
#include "kogge/grid/move.cuh"
#include "kogge/grid/segment_block.cuh"
#include "kogge/grid/segment_digits.cuh"
#include "kogge/grid/segment_list.cuh"
#include "kogge/grid/segment_pass.cuh"
#include "kogge/grid/segment_shape.hpp"
#include "kogge/keys.hpp"
#include "kogge/plan_segmented_sort.hpp"
#include "kogge/prebuilt.hpp"

namespace kogge::grid::KOGGE_CODE {

template <class Key, class Bucket>
void sort_segments_by_bucket(const char* call, const Key* keys_in, Key* keys_out, const item_count& n,
                             const std::uint64_t* offsets, std::uint64_t segments, const Bucket& bucket, bool merges,
                             std::span<const value_array> values, const exec& how) {
    const device_properties device = simt::properties_of(how.stream);
    const segmented_sort_plan plan = plan_segmented_sort(
        n.bound(), segments,
        sort_shape(sizeof(Key), bucket.begin, bucket.end, keys_in == keys_out, true, merges, values), device);
    const Count count{n.bound(), n.on_device()};
    if (plan.passes == 0) {
        copy_items(keys_in, keys_out, sizeof(Key), count, how.stream);
        for (const value_array& array : values) copy_items(array.in, array.out, array.bytes, count, how.stream);
        return;
    }
    detail::Carver measure;
    carve_segmented_sort(measure, plan);
    detail::Scratch scratch(call, how, measure.used());
    detail::Carver carver(scratch.data());
    const SegmentMemory memory = carve_segmented_sort(carver, plan);
    const SegmentShape shape{offsets,
                             segments,
                             count,
                             static_cast<std::uint32_t>(plan.window_items),
                             static_cast<std::uint32_t>(plan.window_items + plan.longest_short),
                             plan.longest_short,
                             plan.tile_items,
                             plan.passes};

    simt::fill(memory.marks, 0, memory.zeroed, how.stream);
    const auto list_blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        divide_up(segments + 1, kListThreads), 8 * static_cast<std::uint64_t>(device.multiprocessors)));
    simt::launch(list_segments_kernel, {list_blocks, kListThreads, 0, how.stream, "list_segments_kernel"}, shape,
                 memory);
    const auto sort_with = [&]<class Value>(const Value* in, Value* out) {
        using Long = LongProblem<Key, Value, Bucket>;
        const SegmentRoute<Key, Value> route{keys_in, keys_out, static_cast<Key*>(memory.keys),
                                             in,      out,      static_cast<Value*>(memory.values)};
        if (plan.may_be_long)
            simt::launch(split_segments_kernel<Key, Value, Bucket>,
                         {plan.blocks, kTileThreads, tile_shared_bytes(TileShared<Long>::kWidest), how.stream,
                          "split_segments_kernel", true},
                         Long{route, bucket, shape, memory});
        const ShortProblem<Key, Value, Bucket> problem{route, bucket, shape, memory};
        simt::launch(spread_segments_kernel<Key, Value, Bucket>,
                     {static_cast<std::uint32_t>(plan.windows), kShortThreads, plan.shared_bytes, how.stream,
                      "spread_segments_kernel"},
                     problem);
        simt::launch(
            sort_short_segments_kernel<Key, Value, Bucket>,
            {plan.digit_blocks, kShortDigitThreads, plan.digit_bytes, how.stream, "sort_short_segments_kernel"},
            problem);
    };
    if (!plan.gathers_values) {
        if (values.empty()) with_values(nullptr, nullptr, 0, sort_with);
        else with_values(values[0].in, values[0].out, values[0].bytes, sort_with);
        return;
    }
    with_values(nullptr, memory.indices, plan.index_bytes, sort_with);
    if (plan.index_bytes == 4)
        gather_values(values, static_cast<const std::uint32_t*>(memory.indices), memory.gathered, count, how.stream);
    else gather_values(values, static_cast<const std::uint64_t*>(memory.indices), memory.gathered, count, how.stream);
}

/// Sorts each segment on the device; arguments have been checked.
template <class Key, class Codec>
void device_segmented_sort(const char* call, const Key* keys_in, Key* keys_out, const item_count& n,
                           const std::uint64_t* offsets, std::uint64_t segments, const Codec& codec,
                           detail::BitRange bits, std::span<const value_array> values, const exec& how) {
    with_bucket<Key>(codec, bits, [&](const auto& bucket, bool merges) {
        sort_segments_by_bucket(call, keys_in, keys_out, n, offsets, segments, bucket, merges, values, how);
    });
}

}  // namespace kogge::grid::KOGGE_CODE
