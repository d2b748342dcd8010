// Radix sort on the device: the plan, its scratch, and the launch of the way that the plan names. Each way is a
// launch_sort in the folder of its kernels, except copy_way (below) and small_split (split/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/digit/key_digits.cuh"
#include "kogge/engine/gather.cuh"
#include "kogge/keys.hpp"
#include "kogge/plan/radix_sort.hpp"
#include "kogge/sort/common/arrays.cuh"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"
#include "kogge/sort/counting/launch.cuh"
#include "kogge/sort/passes.cuh"
#include "kogge/sort/resident/kernel.cuh"
#include "kogge/sort/small/block_sort.cuh"
#include "kogge/sort/small/rank_sort.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Launches the plan's way, which is one of `Ways`; others are not compiled.
template <class... Ways, class Key, class Value, class Bucket>
void launch_one_of(const SortArrays<Key, Value>& arrays, const Bucket& bucket, const radix_sort_plan& plan,
                   const SortMemory& memory, stream_t stream) {
    const auto launch = [&]<class Way>(const Way& way) {
        if constexpr ((std::is_same_v<Way, Ways> || ...)) launch_sort(way, plan, arrays, bucket, memory, stream);
        else
            throw std::logic_error(std::string("no sort of these keys takes the way of its plan, ") +
                                   to_string(plan.way));
    };
    std::visit(launch, plan.way);
}

/// Launches the kernels of a planned sort whose values are words, or indices where values_in is null, or none.
template <class Key, class Value, class Bucket>
void launch_radix_sort(const SortArrays<Key, Value>& arrays, const Bucket& bucket, const radix_sort_plan& plan,
                       const SortMemory& memory, stream_t stream) {
    if constexpr (!Bucket::kIdentifies)
        launch_one_of<block_sort, resident_sort, pass_sort>(arrays, bucket, plan, memory, stream);
    else if constexpr (sizeof(Key) <= 2 && std::is_same_v<Value, NoValue>)
        launch_one_of<rank_sort, block_sort, counting_sort, resident_sort, pass_sort>(arrays, bucket, plan, memory,
                                                                                      stream);
    else launch_one_of<rank_sort, block_sort, resident_sort, pass_sort>(arrays, bucket, plan, memory, stream);
}

// The instantiations for numbers are prebuilt.
#define KOGGE_RADIX_LAUNCH_OF(prefix, Value, Key, Codec)                                                        \
    prefix template void launch_radix_sort(const SortArrays<Key, Value>&, const bucket_of<detail::Codec<Key>>&, \
                                           const radix_sort_plan&, const SortMemory&, stream_t);
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
    shape.merges_floats = Bucket::kEncodes && !Bucket::kIdentifies;
    const radix_sort_plan plan = plan_radix_sort(n.bound(), shape, simt::properties_of(how.stream), how.scratch_limit);
    if (plan.is<copy_way>()) {
        if (keys_out) copy_items(keys_in, keys_out, sizeof(Key), n, how.stream);
        for (const value_array& array : values) {
            if (array.in) copy_items(array.in, array.out, array.bytes, n, how.stream);
            else write_indices(array.out, array.bytes, n, how.stream);
        }
        return;
    }

    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes,
                                        [&](detail::Carver& carver) { return carve_radix_sort(carver, plan); });
    const SortMemory& memory = *scratch;
    const auto sort_with = [&]<class Value>(const Value* in, Value* out) {
        launch_radix_sort(SortArrays<Key, Value>{keys_in, keys_out, in, out, {n.bound(), n.on_device()}}, bucket, plan,
                          memory, how.stream);
    };
    if constexpr (!std::is_same_v<Moved, ByIndex>)
        if (plan.index_bytes == 0) return with_values<Moved>(values, sort_with);
    // A value that could travel is gathered by index only if it is wider than an index.
    if constexpr (std::is_same_v<Moved, ByIndex> || sizeof(Moved) > 4) {
        sort_indices<std::is_same_v<Moved, ByIndex>>(memory.indices, plan.index_bytes, sort_with);
        gather_values(values, memory.indices, plan.index_bytes, memory.gathered, n, how.stream);
    }
}

}  // namespace kogge::grid
