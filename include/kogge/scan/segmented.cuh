// Scans of segments: the segments' starts become one bit per item, which the scan reads beside the items. Global
// traffic besides the scan's own: the offsets once; and, where the items do not fit a wave, the bits written and read
// once each.
#pragma once

#include <cstdint>

#include "kogge/scan/heads.cuh"
#include "kogge/scan/launch.cuh"
#include "kogge/scan/scratch.hpp"

namespace kogge::grid {

/// Writes one bit per item, set where a segment starts. The kernel is compiled into the library.
void mark_heads(const std::uint64_t* offsets, std::uint64_t segments, const item_count& n, std::uint32_t* heads,
                stream_t stream);

}  // namespace kogge::grid

namespace kogge::grid::KOGGE_CODE {

/// Scans make_input(heads), whose sums have type Sum. `out` is a pointer to FlaggedResult<Sum>, or takes them. The
/// arguments have been checked. In a wave each block marks the heads of its tile on chip, and no other kernel is
/// launched.
template <class Sum, class MakeInput, class Place, class Op>
void device_segmented_scan(const char* call, const MakeInput& make_input, const Place& out, const item_count& n,
                           const std::uint64_t* offsets, std::uint64_t segments, Op op, const scan_shape& shape,
                           const scan_options& options, const exec& how) {
    if (n.bound() == 0) return;
    using Acc = detail::Flagged<Sum>;
    const scan_plan plan = plan_scan(n.bound(), shape, options, simt::properties_of(how.stream));
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes,
                                        [&](detail::Carver& carver) { return carve_scan(carver, plan, sizeof(Acc)); });
    const ScanMemory& memory = *scratch;
    const Count count{n.bound(), n.on_device()};
    const auto problem = [&](auto heads_of) {
        const auto in = make_input(heads_of);
        return ScanProblem<std::remove_const_t<decltype(in)>, detail::FlaggedResult<Sum>, Acc, Op, Place>{
            in, out, count, op, {}, true};
    };
    if (const auto* const wave = plan.as<wave_scan>())
        return launch_way(*wave, problem(SegmentStarts{offsets, segments}), DefaultNetwork{}, plan, memory, how.stream);
    mark_heads(offsets, segments, n, memory.marks, how.stream);
    const auto marked = problem(SegmentHeads{memory.marks});
    const auto launch = [&](auto network) {
        launch_one_of<level_scan, tile_scan, pipeline_scan>(marked, network, plan, memory, how.stream);
    };
    if (options.block == network::shuffle) launch(DefaultNetwork{});
    else launch(ChosenNetwork{options.block});
}

}  // namespace kogge::grid::KOGGE_CODE
