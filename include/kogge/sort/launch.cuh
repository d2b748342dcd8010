// LSD radix sort: the split of sort/passes.cuh, repeated by digit from the least significant one up. Traffic: one read
// of the keys for the histograms of all digits, then each pass reads and writes every key (and value) once. Keys of 8
// or 16 bits alone take no passes: sort/counting/launch.cuh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/digit/key_digits.cuh"
#include "kogge/engine/gather.cuh"
#include "kogge/keys.hpp"
#include "kogge/plan.hpp"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"
#include "kogge/sort/counting/launch.cuh"
#include "kogge/sort/counting/one_block.cuh"
#include "kogge/sort/passes.cuh"
#include "kogge/sort/resident/kernel.cuh"
#include "kogge/sort/small/block_sort.cuh"
#include "kogge/sort/small/rank_sort.cuh"

namespace kogge::grid::KOGGE_CODE {

/// No passes: all places are counted by comparing.
template <class Key, class Value, class Bucket>
void sort_by_comparing(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, const Count& n,
                       const Bucket& bucket, const radix_sort_plan& plan, stream_t stream) {
    const bool in_place = keys_in == keys_out || (values_in == values_out && values_in != nullptr);
    const CompareProblem<Key, Value, Bucket> problem{keys_in, keys_out, values_in, values_out, n, bucket, in_place};
    simt::launch(sort_compare_kernel<Key, Value, Bucket>,
                 {plan.blocks, static_cast<std::uint32_t>(plan.threads), plan.shared_bytes, stream,
                  "sort_compare_kernel", in_place},
                 problem);
}

/// All passes by one block.
template <class Key, class Value, class Bucket>
void sort_in_block(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, const Count& n,
                   const Bucket& bucket, const radix_sort_plan& plan, stream_t stream) {
    const BlockSortProblem<Key, Value, Bucket> problem{keys_in, keys_out, values_in,   values_out,
                                                       n,       bucket,   plan.passes, plan.reorders_first};
    simt::launch(sort_block_kernel<Key, Value, Bucket>,
                 {1, static_cast<std::uint32_t>(plan.threads), plan.shared_bytes, stream, "sort_block_kernel"},
                 problem);
}

/// All passes by blocks that hold all keys.
template <class Key, class Value, class Bucket>
void sort_in_grid(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, const Count& n,
                  const Bucket& bucket, const radix_sort_plan& plan, const GridSortMemory& memory, stream_t stream) {
    const bool in_place = keys_in == keys_out || (values_in == values_out && values_in != nullptr);
    const GridSortProblem<Key, Value, Bucket> problem{keys_in,
                                                      keys_out ? keys_out : static_cast<Key*>(memory.more_keys),
                                                      static_cast<Key*>(memory.keys),
                                                      values_in,
                                                      values_out,
                                                      static_cast<Value*>(memory.values),
                                                      keys_out != nullptr,
                                                      in_place,
                                                      n,
                                                      bucket,
                                                      plan.passes,
                                                      plan.reorders_first,
                                                      plan.checks_order,
                                                      plan.range_items,
                                                      memory};
    const auto launch = [&](auto kernel) {
        simt::launch(kernel,
                     {plan.blocks, static_cast<std::uint32_t>(plan.threads), plan.shared_bytes, stream,
                      "sort_grid_kernel", true},
                     problem);
    };
    if constexpr (Bucket::kIdentifies && (sizeof(Key) == 4 || sizeof(Key) == 8))
        if (plan.range_items > 0 && bucket.is_float())
            return launch(sort_grid_kernel<ValueSteps<Key>, Key, Value, Bucket>);
    if constexpr (Bucket::kIdentifies && sizeof(Key) >= 4)
        if (plan.range_items > 0) return launch(sort_grid_kernel<CodeSteps<Key>, Key, Value, Bucket>);
    launch(sort_grid_kernel<void, Key, Value, Bucket>);
}

/// The kernels of a planned sort whose values are words, or indices where values_in is null, or none.
template <class Key, class Value, class Bucket>
void launch_radix_sort(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, const Count& n,
                       const Bucket& bucket, const radix_sort_plan& plan, const SortMemory& memory, stream_t stream) {
    if constexpr (Bucket::kIdentifies)
        if (plan.compares) return sort_by_comparing(keys_in, keys_out, values_in, values_out, n, bucket, plan, stream);
    if (plan.one_block) sort_in_block(keys_in, keys_out, values_in, values_out, n, bucket, plan, stream);
    else if (plan.one_grid)
        sort_in_grid(keys_in, keys_out, values_in, values_out, n, bucket, plan, memory.grid, stream);
    else split_passes(keys_in, keys_out, values_in, values_out, n, bucket, plan, memory.split, stream);
}

// Those of numbers are prebuilt.
#define KOGGE_RADIX_LAUNCH_OF(prefix, Value, Key, Codec)                                                 \
    prefix template void launch_radix_sort(const Key*, Key*, const Value*, Value*, const Count&,         \
                                           const bucket_of<detail::Codec<Key>>&, const radix_sort_plan&, \
                                           const SortMemory&, stream_t);
#define KOGGE_DECLARE_WORDS(Value, Key, Codec) KOGGE_RADIX_LAUNCH_OF(extern, Value, Key, Codec)
#define KOGGE_DECLARE(Key) KOGGE_VALUE_WORDS(KOGGE_DECLARE_WORDS, Key, NumberCodec)
KOGGE_STORED_KEYS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#define KOGGE_DECLARE(Key) KOGGE_VALUE_WORDS(KOGGE_DECLARE_WORDS, Key, MergingCodec)
KOGGE_FLOAT_KEYS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#undef KOGGE_DECLARE_WORDS

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

/// Sorts on the device; arguments have been checked. `keys_out` is null for argsort. Value arrays: none, or one that
/// travels with the keys, or any number that are gathered afterwards by sorted indices, as the plan says; Moved is
/// their moved_values.
template <class Moved, class Code, class Key, class Codec>
void device_radix_sort(const char* call, const Key* keys_in, Key* keys_out, const item_count& n, const Codec& codec,
                       detail::BitRange bits, std::span<const value_array> values, const exec& how) {
    if (n.bound() == 0) return;
    using Bucket = bucket_of<Codec>;
    const Bucket bucket{codec, bits.begin, bits.end};
    radix_sort_shape shape = sort_shape(sizeof(Key), bits.begin, bits.end, keys_in == keys_out, keys_out != nullptr,
                                        !Bucket::kIdentifies, values);
    if constexpr (Bucket::kIdentifies) shape.are_floats = bucket.is_float();
    const radix_sort_plan plan = plan_radix_sort(n.bound(), shape, simt::properties_of(how.stream), how.scratch_limit);
    detail::Carver measure;
    carve_radix_sort(measure, plan);
    detail::Scratch scratch(call, how, measure.used());
    detail::Carver carver(scratch.data());
    const SortMemory memory = carve_radix_sort(carver, plan);
    const Count count{n.bound(), n.on_device()};
    if constexpr (Bucket::kIdentifies && sizeof(Key) == 1 && std::is_same_v<Moved, NoValue>)
        if (plan.counts_values && plan.one_block)
            return simt::launch(
                count_block_kernel<Key>,
                {1, static_cast<std::uint32_t>(plan.threads), plan.shared_bytes, how.stream, "count_block_kernel"},
                keys_in, keys_out, count, bucket.encoding);
    if constexpr (Bucket::kIdentifies && sizeof(Key) <= 2 && std::is_same_v<Moved, NoValue>)
        if (plan.counts_values)
            return count_and_fill(keys_in, keys_out, count, bucket.encoding, plan, memory.value_counts, how.stream);
    if (plan.passes == 0 && !plan.compares) {
        if (keys_out) copy_items(keys_in, keys_out, sizeof(Key), n, how.stream);
        for (const value_array& array : values) {
            if (array.in) copy_items(array.in, array.out, array.bytes, n, how.stream);
            else write_indices(array.out, array.bytes, n, how.stream);
        }
        return;
    }

    const auto sort_with = [&]<class Value>(const Value* in, Value* out) {
        launch_radix_sort(keys_in, keys_out, in, out, count, bucket, plan, memory, how.stream);
    };
    if constexpr (!std::is_same_v<Moved, ByIndex>)
        if (!plan.gathers_values) return with_values<Moved>(values, sort_with);
    // Indices move in the values' place only where they are narrower.
    if constexpr (std::is_same_v<Moved, ByIndex> || sizeof(Moved) > 4) {
        sort_indices<std::is_same_v<Moved, ByIndex>>(memory.indices, plan.index_bytes, sort_with);
        gather_values(values, memory.indices, plan.index_bytes, memory.gathered, n, how.stream);
    }
}

}  // namespace kogge::grid
