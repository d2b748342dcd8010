// Selections by rank in segments on the device: the plan, its scratch, and the launches.
#pragma once

#include <cstdint>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/select/scratch.hpp"
#include "kogge/select/segments.cuh"
#include "kogge/top_k/launch.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Rank, class Key, class Codec>
void launch_segmented_select(const segmented_select_plan& plan, const SelectSegmentsProblem<Key, Codec>& problem,
                             stream_t stream) {
    using Code = typename TopKCodes<Codec>::Code;
    static_assert(sizeof(SelectRowsShared<Code>) == kSelectRowThreads / 32 * kTopKWarpBytes, "plans count on it");
    static_assert(sizeof(SelectBlockShared<Rank>) <= select_block_bytes(sizeof(Rank)), "plans count on it");
    if (problem.left) simt::fill(problem.left, 0, sizeof(*problem.left), stream);
    if (plan.warps.blocks > 0)
        simt::launch(select_short_segments_kernel<Key, Codec>,
                     shape_of(plan.warps, stream, "select_short_segments_kernel"), problem);
    if (plan.blocks.blocks > 0)
        simt::launch(select_long_segments_kernel<Key, Codec, Rank>,
                     shape_of(plan.blocks, stream, "select_long_segments_kernel"), problem);
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

/// Writes the key of a rank of each segment, on the device; arguments have been checked. ranks: null for one rank.
template <class Code, class Key, class Codec>
void device_segmented_select(const char* call, const Key* keys, Key* out, const item_count& n,
                             const detail::DeviceSegments& given, const std::uint64_t* ranks, std::uint64_t rank,
                             const Codec& codec, detail::BitRange bits, const exec& how) {
    const select_shape shape{sizeof(Key), bits.begin, bits.end};
    const std::uint64_t length = given.bounds.length;  // 0: no rows
    const segmented_select_plan plan =
        plan_segmented_select(given.bounds.most, length > 0 ? length : n.bound(), length > 0, shape,
                              simt::properties_of(how.stream), {given.bounds.have_ends, given.store != nullptr});
    if (plan.launches == 0) return;
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes,
                                        [&](detail::Carver& carver) { return carve_segmented_select(carver, plan); });
    const SelectSegmentsProblem<Key, Codec> problem{
        keys,
        out,
        TopKCodes<Codec>(codec, bits),
        {given.stored((*scratch).begins, (*scratch).ends, how.stream), {n.bound(), n.on_device()}},
        ranks,
        rank,
        plan.longest_short,
        scratch->control,
        scratch->left,
        scratch->left_segments};
    if constexpr (sizeof(Key) <= 4)
        if (plan.rank_bytes == 8) return launch_segmented_select<std::uint64_t>(plan, problem, how.stream);
    launch_segmented_select<uint128>(plan, problem, how.stream);
}

}  // namespace kogge::grid
