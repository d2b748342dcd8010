// Plans of selections by rank in segments.
#include "kogge/plan/segmented/select.hpp"

#include <algorithm>
#include <sstream>

#include "kogge/engine/tile_shape.hpp"
#include "kogge/error.hpp"
#include "kogge/select/scratch.hpp"
#include "kogge/top_k/shape.hpp"
#include "plan/candidates.hpp"

namespace kogge {

segmented_select_plan plan_segmented_select(std::uint64_t segments, std::uint64_t longest, bool equal,
                                            const select_shape& shape, const device_properties& device,
                                            const segment_layout& layout) {
    const char* const call = "plan_segmented_select";
    if (!shape.are_numbers || shape.key_bytes > 8)
        throw error(errc::invalid_argument, call, "keys are numbers of up to 64 bits");
    detail::bytes_of(call, segments, sizeof(std::uint64_t));
    detail::bytes_of(call, longest, shape.key_bytes);
    segmented_select_plan plan;
    plan.segments = segments;
    plan.longest = longest;
    plan.shape = shape;
    plan.layout = layout;
    plan.rank_bytes = grid::top_k_rank_bytes(shape.key_bytes, longest);
    if (segments == 0 || longest == 0) return plan;

    constexpr std::uint64_t warps = grid::kSelectRowThreads / 32, few = 128;
    const auto multiprocessors = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    const std::uint64_t held = grid::kTopKWarpBytes / shape.key_bytes;
    plan.longest_short = held;
    // Few rows are faster by a block each.
    if (equal && (longest > held || (longest > few && segments < multiprocessors))) plan.longest_short = 0;
    if (plan.longest_short > 0) {
        const std::uint64_t resident = grid::kSelectRowBlocks * multiprocessors;
        plan.warps = {static_cast<std::uint32_t>(std::min(grid::divide_up(segments, warps), resident)),
                      grid::kSelectRowThreads, warps * grid::kTopKWarpBytes};
        plan.launches += 1;
    }
    if (longest > plan.longest_short) {
        plan.blocks = {static_cast<std::uint32_t>(std::min(segments, grid::kTopKBlocks * multiprocessors)),
                       grid::kTopKThreads, grid::select_block_bytes(plan.rank_bytes)};
        plan.launches += plan.warps.blocks > 0 ? 2 : 1;
    }
    if (layout.are_stored) plan.launches += layout.have_ends ? 2 : 1;
    plan.scratch_bytes = grid::scratch_of([&](detail::Carver& carver) { grid::carve_segmented_select(carver, plan); });
    return plan;
}

std::string to_string(const segmented_select_plan& plan) {
    std::ostringstream text;
    text << "segmented_select: " << plan.segments << " segments";
    if (plan.warps.blocks > 0) text << ", a warp each for up to " << plan.longest_short << " items";
    if (plan.blocks.blocks > 0)
        text << ", " << plan.blocks.blocks << " blocks" << (plan.warps.blocks > 0 ? " for others" : "");
    text << ", " << plan.launches << (plan.launches == 1 ? " launch, " : " launches, ") << plan.scratch_bytes
         << " bytes of scratch";
    return text.str();
}

}  // namespace kogge
