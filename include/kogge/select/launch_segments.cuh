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

/// Writes the key of a rank of each segment, on the device; arguments have been checked. offsets: null for rows; ranks:
/// null for one rank.
template <class Code, class Key, class Codec>
void device_segmented_select(const char* call, const Key* keys, Key* out, const item_count& n,
                             const std::uint64_t* offsets, const rows_of& rows, const std::uint64_t* ranks,
                             std::uint64_t rank, const Codec& codec, detail::BitRange bits, const exec& how) {
    const select_shape shape{sizeof(Key), bits.begin, bits.end};
    const std::uint64_t longest = offsets ? n.bound() : rows.length;
    const segmented_select_plan plan =
        plan_segmented_select(rows.count, longest, !offsets, shape, simt::properties_of(how.stream));
    if (plan.launches == 0) return;
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes,
                                        [&](detail::Carver& carver) { return carve_segmented_select(carver, plan); });
    const SelectSegmentsProblem<Key, Codec> problem{keys,
                                                    out,
                                                    TopKCodes<Codec>(codec, bits),
                                                    {rows.count, rows.length, offsets, {n.bound(), n.on_device()}},
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
