// Top-k on the device: the plan, its scratch, and the launch of the way that the plan names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/gather.cuh"
#include "kogge/keys.hpp"
#include "kogge/plan/top_k.hpp"
#include "kogge/sort/launch.cuh"
#include "kogge/top_k/cluster.cuh"
#include "kogge/top_k/scratch.hpp"

namespace kogge::grid::KOGGE_CODE {

template <class Codec>
inline constexpr bool is_number_codec = false;
template <class Bits>
inline constexpr bool is_number_codec<detail::NumberCodec<Bits>> = true;
template <class Bits>
inline constexpr bool is_number_codec<detail::MergingCodec<Bits>> = true;

template <class Rank, class Key, class Codec>
TopKProblem<Key, Codec, Rank> top_k_problem(const Key* keys, const item_count& n, const item_count& k,
                                            const Codec& codec, detail::BitRange bits, const top_k_arrays& arrays) {
    TopKOutputs<Key> out{static_cast<Key*>(arrays.keys), arrays.indices, static_cast<int>(arrays.index_bytes)};
    out.value_arrays = static_cast<int>(arrays.value_count());
    for (std::size_t a = 0; a < arrays.value_count(); ++a) {
        const value_array& values = arrays.values[a];
        const std::size_t word = values.alignment < 8 ? values.alignment : 8;
        out.values[a] = {values.in, values.out, static_cast<std::uint32_t>(values.bytes / word),
                         static_cast<int>(word)};
    }
    return {keys, TopKCodes<Codec>(codec, bits), out, {n.bound(), n.on_device()}, {k.bound(), k.on_device()}};
}

/// The ways that keep ranks, each with the problem that it adds to.
template <class Key, class Codec, class Rank>
void launch_top_k(const top_k_compare& way, TopKProblem<Key, Codec, Rank> problem, const TopKMemory&, stream_t stream) {
    static_assert(sizeof(TopKPlacesShared) <= top_k_shared_bytes(sizeof(Rank)), "plans count on it");
    simt::launch(top_k_compare_kernel<Key, Codec, Rank>, shape_of(way.launch, stream, "top_k_compare_kernel"), problem);
}
template <class Key, class Codec, class Rank>
void launch_top_k(const top_k_select& way, TopKProblem<Key, Codec, Rank> problem, const TopKMemory& memory,
                  stream_t stream) {
    static_assert(sizeof(TopKShared<Rank>) <= top_k_shared_bytes(sizeof(Rank)), "plans count on it");
    const std::uint64_t step = way.samples > 0 ? sample_step(way.samples, problem.n.host / TopKInput<Key>::kEach) : 0;
    problem.sample = {way.samples, step, way.groups_per_block, way.groups};
    problem.places = way.places;
    problem.most_compared = way.compared;
    problem.control = memory.control;
    problem.groups = static_cast<Rank*>(memory.groups);
    problem.candidates = static_cast<Rank*>(memory.candidates);
    if constexpr (sizeof(Rank) == top_k_rank_bytes(sizeof(Key), 0)) {  // a cluster holds less than 2^32 keys
        static_assert(sizeof(TopKClusterShared<Rank>) <= top_k_cluster_shared_bytes(sizeof(Rank)), "plans count on it");
        if (way.cluster) {
            simt::LaunchShape shape = shape_of(way.launch, stream, "top_k_cluster_kernel");
            shape.cluster = way.launch.blocks > 1;
            return simt::launch(top_k_cluster_kernel<Key, Codec, Rank>, shape, problem);
        }
    }
    simt::launch(top_k_kernel<Key, Codec, Rank>, shape_of(way.launch, stream, "top_k_kernel", way.cooperative),
                 problem);
}

/// Copies the front of what is sorted, or gathers by it.
inline void take_front(const TopKMemory& memory, const top_k_plan& plan, bool sorts_indices, const void* keys,
                       std::size_t key_alignment, const item_count& count, const top_k_arrays& arrays,
                       stream_t stream) {
    if (!sorts_indices) return copy_items(memory.sorted, arrays.keys, plan.shape.key_bytes, count, stream);
    const std::size_t order_bytes = top_k_order_bytes(plan);
    if (arrays.keys) {
        const value_array keys_array{keys, arrays.keys, plan.shape.key_bytes, key_alignment};
        gather_values({&keys_array, 1}, memory.sorted, order_bytes, nullptr, count, stream);
    }
    if (arrays.value_count() > 0)
        gather_values({arrays.values, arrays.value_count()}, memory.sorted, order_bytes, nullptr, count, stream);
    if (arrays.indices) copy_items(memory.sorted, arrays.indices, order_bytes, count, stream);
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

/// Writes the first k of n keys in order, on the device; arguments have been checked.
template <class Code, class Key, class Codec>
void device_top_k(const char* call, const Key* keys, const item_count& n, const item_count& k, const Codec& codec,
                  detail::BitRange bits, const top_k_arrays& arrays, const exec& how) {
    if (n.bound() == 0 || k.bound() == 0) return;
    constexpr bool is_number = is_number_codec<Codec>;
    using Bucket = bucket_of<Codec>;
    top_k_shape shape{sizeof(Key),
                      bits.begin,
                      bits.end,
                      arrays.writes_keys,
                      arrays.index_bytes,
                      arrays.value_bytes(),
                      !Bucket::kIdentifies,
                      false,
                      is_number,
                      static_cast<int>(arrays.value_count())};
    if constexpr (Bucket::kIdentifies) shape.are_floats = Bucket{codec, bits.begin, bits.end}.is_float();
    const top_k_plan plan = plan_top_k(n.bound(), k.bound(), shape, simt::properties_of(how.stream), how.scratch_limit);
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes,
                                        [&](detail::Carver& carver) { return carve_top_k(carver, plan); });
    const TopKMemory& memory = *scratch;
    if constexpr (is_number && sizeof(Key) <= 8) {  // the codes fit ranks
        const auto launch = [&](const auto& way) {
            const auto with = [&]<class Rank>(Rank) {
                launch_top_k(way, top_k_problem<Rank>(keys, n, k, codec, bits, arrays), memory, how.stream);
            };
            if constexpr (sizeof(Key) <= 4)
                if (top_k_rank_bytes(sizeof(Key), n.bound()) == 8) return with(std::uint64_t{});
            with(uint128{});
        };
        if (const auto* const way = plan.as<top_k_compare>()) return launch(*way);
        if (const auto* const way = plan.as<top_k_select>()) return launch(*way);
    }

    const top_k_sort& way = *plan.as<top_k_sort>();
    exec of_sort = how;
    of_sort.space = {memory.of_sort, way.sort.scratch_bytes};
    of_sort.scratch_limit = way.sort.scratch_bytes;
    const auto sort_indices = [&]<class Index>(Index) {
        const value_array order{nullptr, memory.sorted, sizeof(Index), alignof(Index)};
        device_radix_sort<Index, Code>(call, keys, static_cast<Key*>(nullptr), n, codec, bits, {&order, 1}, of_sort);
    };
    if (way.sorts_indices) {
        if (top_k_order_bytes(plan) == 8) sort_indices(std::uint64_t{});
        else sort_indices(std::uint32_t{});
    } else if constexpr (is_number) {
        device_radix_sort<NoValue, Code>(call, keys, static_cast<Key*>(memory.sorted), n, codec, bits, {}, of_sort);
    }
    item_count count = k;
    if (n.on_device() && k.on_device()) {
        write_least(memory.least, n, k, how.stream);
        count = device_count{memory.least, k.bound()};
    } else if (n.on_device()) {
        count = device_count{n.on_device(), k.bound()};
    }
    take_front(memory, plan, way.sorts_indices, keys, alignof(Key), count, arrays, how.stream);
}

}  // namespace kogge::grid
