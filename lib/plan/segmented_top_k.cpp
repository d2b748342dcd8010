// Plans of top-k of segments.
#include "kogge/plan/segmented/top_k.hpp"

#include <algorithm>
#include <bit>
#include <sstream>

#include "kogge/engine/tile_shape.hpp"
#include "kogge/error.hpp"
#include "kogge/top_k/scratch.hpp"
#include "kogge/top_k/shape.hpp"
#include "plan/candidates.hpp"

namespace kogge {

segmented_top_k_plan plan_segmented_top_k(std::uint64_t segments, std::uint64_t longest, bool equal, std::uint64_t k,
                                          const top_k_shape& shape, const device_properties& device,
                                          const segment_layout& layout) {
    const char* const call = "plan_segmented_top_k";
    if (!shape.are_numbers || (shape.key_bytes > 8))
        throw error(errc::invalid_argument, call, "keys are numbers of up to 64 bits");
    if (equal && k > longest)
        throw error(errc::invalid_argument, call,
                    "k is " + std::to_string(k) + ", but a row has " + std::to_string(longest) + " keys");
    detail::bytes_of(call, segments, sizeof(std::uint64_t));
    detail::bytes_of(call, longest, shape.key_bytes);
    if (std::min(k, longest) > grid::kMostOfSegment)
        throw error(errc::invalid_argument, call,
                    "k is " + std::to_string(k) + ", but of a segment at most " + std::to_string(grid::kMostOfSegment) +
                        " items are put in order");
    segmented_top_k_plan plan;
    plan.segments = segments;
    plan.longest = longest;
    plan.k = k;
    plan.shape = shape;
    plan.layout = layout;
    plan.rank_bytes = grid::top_k_rank_bytes(shape.key_bytes, longest);
    if (segments == 0 || longest == 0 || k == 0) return plan;

    const auto multiprocessors = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    constexpr std::uint64_t warps = grid::kTopKThreads / 32;
    constexpr std::size_t warp_bytes = warps * grid::kTopKWarpBytes;
    const std::uint64_t most = std::min(k, longest), resident = grid::kTopKBlocks * multiprocessors;
    const std::uint64_t batch = grid::kTopKWarpBytes / plan.rank_bytes;
    const bool may_list = most <= grid::top_k_list_most(plan.rank_bytes);
    plan.lists = may_list && grid::top_k_list_shared_bytes(plan.rank_bytes) <= device.shared_bytes_per_block;
    if (plan.lists && equal && segments < resident) {
        // The places of a block's lists hold what all parts have first.
        const std::uint64_t parts =
            std::min({resident / segments, grid::divide_up(longest, grid::kTopKPartItems), warps * batch / most});
        plan.part_items = grid::divide_up(grid::divide_up(longest, parts), 64) * 64;
        plan.parts = static_cast<std::uint32_t>(grid::divide_up(longest, plan.part_items));
    }
    if (may_list && warp_bytes <= device.shared_bytes_per_block) {
        const std::uint64_t by_warps = grid::divide_up(segments, warps * resident) * grid::divide_up(longest, batch);
        const std::uint64_t of_block = plan.parts > 1 ? plan.part_items : longest;
        const std::uint64_t by_blocks = grid::divide_up(segments * plan.parts, resident) *
                                        (grid::divide_up(of_block, warps * batch) + grid::kTopKMergeBatches);
        if (!equal) plan.longest_short = grid::kTopKShortBatches * batch;
        else if (by_warps <= by_blocks || !plan.lists) plan.longest_short = longest;
    }
    if (plan.longest_short > 0) {
        plan.warps = {static_cast<std::uint32_t>(std::min(grid::divide_up(segments, warps), resident)),
                      grid::kTopKThreads, warp_bytes};
        plan.launches += 1;
    }
    if (longest > plan.longest_short) {
        plan.compared = 384;
        if (!plan.lists)
            plan.places = static_cast<std::uint32_t>(std::min(std::max<std::uint64_t>(2 * k, 4096), longest));
        plan.blocks = {
            static_cast<std::uint32_t>(std::min(segments * plan.parts, resident)), grid::kTopKThreads,
            plan.lists ? grid::top_k_list_shared_bytes(plan.rank_bytes) : grid::top_k_shared_bytes(plan.rank_bytes)};
        plan.launches += (plan.warps.blocks > 0) + (plan.parts > 1) + 1;
    } else {
        plan.lists = false;
        plan.parts = 1;
    }
    if (layout.are_stored) plan.launches += layout.have_ends ? 2 : 1;
    plan.scratch_bytes = grid::scratch_of([&](detail::Carver& carver) { grid::carve_segmented_top_k(carver, plan); });
    return plan;
}

std::string to_string(const segmented_top_k_plan& plan) {
    std::ostringstream text;
    text << "segmented_top_k: " << plan.segments << " segments";
    if (plan.warps.blocks > 0) text << ", a warp each for up to " << plan.longest_short << " items";
    if (plan.blocks.blocks > 0)
        text << ", " << plan.blocks.blocks << " blocks" << (plan.lists ? " with lists" : "")
             << (plan.warps.blocks > 0 ? " for others" : "");
    if (plan.parts > 1) text << ", " << plan.parts << " parts per row";
    text << ", " << plan.launches << (plan.launches == 1 ? " launch, " : " launches, ") << plan.scratch_bytes
         << " bytes of scratch";
    return text.str();
}

}  // namespace kogge
