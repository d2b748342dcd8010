// Top-k of segments on the device: the plan, its scratch, and the launches.
#pragma once

#include <cstdint>

#include "kogge/plan/segmented/top_k.hpp"
#include "kogge/top_k/launch.cuh"
#include "kogge/top_k/segments.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Rank, class Key, class Codec>
void launch_segmented_top_k(const segmented_top_k_plan& plan, const TopKProblem<Key, Codec, Rank>& each,
                            const TopKSegments& segments, const std::uint64_t* each_k,
                            const SegmentedTopKMemory& memory, stream_t stream) {
    static_assert(sizeof(TopKShared<Rank>) <= top_k_shared_bytes(sizeof(Rank)) &&
                      sizeof(TopKListShared<Rank>) <= top_k_list_shared_bytes(sizeof(Rank)) &&
                      sizeof(TopKWarpsShared<Rank>) == kTopKThreads / 32 * kTopKWarpBytes,
                  "plans count on it");
    TopKSegmentsProblem<Key, Codec, Rank> problem{each,
                                                  segments,
                                                  plan.longest_short,
                                                  memory.left,
                                                  memory.left_segments,
                                                  each_k,
                                                  plan.parts,
                                                  plan.part_items,
                                                  static_cast<Rank*>(memory.firsts),
                                                  memory.arrived};
    problem.each.sample = {0, 0, static_cast<int>(kTopKGroups), static_cast<int>(kTopKGroups)};
    problem.each.places = plan.places;
    problem.each.most_compared = plan.compared;
    problem.each.control = memory.control;
    problem.each.groups = static_cast<Rank*>(memory.groups);
    problem.each.candidates = static_cast<Rank*>(memory.candidates);
    if (memory.left) simt::fill(memory.left, 0, sizeof(*memory.left), stream);
    if (plan.warps.blocks > 0)
        simt::launch(top_k_short_segments_kernel<Key, Codec, Rank>,
                     shape_of(plan.warps, stream, "top_k_short_segments_kernel"), problem);
    if (memory.arrived) simt::fill(memory.arrived, 0, plan.segments * sizeof(*memory.arrived), stream);
    if (plan.blocks.blocks > 0 && plan.lists)
        simt::launch(top_k_listed_segments_kernel<Key, Codec, Rank>,
                     shape_of(plan.blocks, stream, "top_k_listed_segments_kernel"), problem);
    else if (plan.blocks.blocks > 0)
        simt::launch(top_k_long_segments_kernel<Key, Codec, Rank>,
                     shape_of(plan.blocks, stream, "top_k_long_segments_kernel"), problem);
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

/// Writes the first k of each segment, on the device; arguments have been checked. each_k: null for k of each.
template <class Code, class Key, class Codec>
void device_segmented_top_k(const char* call, const Key* keys, const item_count& n, const detail::DeviceSegments& given,
                            std::uint64_t k, const std::uint64_t* each_k, const Codec& codec, detail::BitRange bits,
                            const top_k_arrays& arrays, const exec& how) {
    const top_k_shape shape{sizeof(Key),        bits.begin,         bits.end,
                            arrays.writes_keys, arrays.index_bytes, arrays.value_bytes()};
    const std::uint64_t length = given.bounds.length;  // 0: no rows
    const segmented_top_k_plan plan =
        plan_segmented_top_k(given.bounds.most, length > 0 ? length : n.bound(), length > 0, k, shape,
                             simt::properties_of(how.stream), {given.bounds.have_ends, given.store != nullptr});
    if (plan.launches == 0) return;
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes,
                                        [&](detail::Carver& carver) { return carve_segmented_top_k(carver, plan); });
    const TopKSegments segments{given.stored((*scratch).begins, (*scratch).ends, how.stream),
                                {n.bound(), n.on_device()}};
    const auto launch = [&]<class Rank>(Rank) {
        launch_segmented_top_k<Rank>(plan, top_k_problem<Rank>(keys, n, k, codec, bits, arrays), segments, each_k,
                                     *scratch, how.stream);
    };
    if constexpr (sizeof(Key) <= 4)
        if (plan.rank_bytes == 8) return launch(std::uint64_t{});
    launch(uint128{});
}

}  // namespace kogge::grid
