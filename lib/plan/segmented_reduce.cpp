// Plans of reductions of segments.
#include "kogge/plan/segmented/reduce.hpp"

#include <algorithm>
#include <string>

#include "kogge/engine/tile_shape.hpp"
#include "kogge/error.hpp"
#include "kogge/reduce/segments_scratch.hpp"
#include "kogge/reduce/shape.hpp"
#include "plan/candidates.hpp"

namespace kogge {
namespace grid {
namespace {

// Items per lane, expected, up to which fewer lanes than a warp take a segment.
constexpr std::uint64_t kItemsPerLane = 4;
// Lanes of segments that may differ in length, where there are more than warps: most of them may be much shorter than
// the average.
constexpr std::uint32_t kMostLanes = 16;
// A block's rounds up to which it is sooner done with all items than blocks have met.
constexpr std::uint64_t kAloneRounds = 4;
// A warp takes a segment of up to so many of its rounds; a block is sooner done with a longer one.
constexpr std::uint64_t kWarpRounds = 4;
// Few rows of equal length are faster by a block each from this length on.
constexpr std::uint64_t kLeastBlockRow = 1024;
// The most rounds of a block per part: about a megabyte.
constexpr std::uint64_t kPartRounds = 16;
// Parts, and blocks that never meet, per resident block, so that others take the place of a slow one.
constexpr std::uint64_t kPartsPerPlace = 4, kBlocksPerPlace = 8;

}  // namespace
}  // namespace grid

segmented_reduce_plan plan_segmented_reduce(std::uint64_t n, std::uint64_t segments, bool equal,
                                            const reduce_shape& shape, const device_properties& device,
                                            const segment_layout& layout) {
    using namespace grid;
    const reduce_plan whole = plan_reduce(n, shape, device);  // checks the sizes
    detail::bytes_of("plan_segmented_reduce", segments, sizeof(std::uint64_t));
    segmented_reduce_plan plan;
    plan.threads = whole.threads;
    plan.segments = segments;
    plan.layout = layout;
    if (segments == 0) return plan;
    const std::size_t shared = segments_shared_bytes(shape.accumulator_bytes);
    if (shared > device.shared_bytes_per_block)
        throw error(errc::invalid_argument, "plan_segmented_reduce",
                    "accumulators of " + std::to_string(shape.accumulator_bytes) +
                        " bytes are too wide for this device's chip");
    const auto by_threads = static_cast<std::uint64_t>(device.max_threads_per_multiprocessor / kReduceThreads);
    const std::uint64_t by_shared = device.shared_bytes_per_multiprocessor / (shared + 1024);
    const std::uint64_t each = std::clamp<std::uint64_t>(std::min(by_threads, by_shared), 1, kReduceBlocks);
    const std::uint64_t places =
        std::min<std::uint64_t>(each * static_cast<std::uint64_t>(std::max(device.multiprocessors, 1)), kReduceThreads);
    const std::uint64_t length = n / segments;
    const std::uint32_t most_lanes = equal || segments <= places * kReduceWarps ? 32 : kMostLanes;
    while (plan.lanes < most_lanes && plan.lanes * kItemsPerLane < length) plan.lanes *= 2;
    const std::uint64_t round = std::max<std::uint64_t>(reduce_round_bytes(shape) / shape.item_bytes, 1);
    plan.longest_short = std::max<std::uint64_t>(kWarpRounds * round / kReduceWarps, 1);
    if (equal && segments <= places && length > kLeastBlockRow) plan.longest_short = kLeastBlockRow;
    const std::uint64_t share = divide_up(n, kPartsPerPlace * places);
    plan.part_items = round * std::clamp<std::uint64_t>(divide_up(share, round), 1, kPartRounds);
    const bool is_alone = !equal && n <= kAloneRounds * round;
    if (is_alone) plan.part_items = kAloneRounds * round;
    // A segment is no longer than n items; nor is a row longer than the others.
    const bool may_be_long = (equal ? length : n) > plan.longest_short;
    const std::uint64_t at_once = static_cast<std::uint64_t>(kReduceWarps) * (32 / plan.lanes);
    std::uint64_t blocks = divide_up(segments, at_once), most_blocks = kBlocksPerPlace * places;
    if (may_be_long && equal) {
        plan.parts_per_row = divide_up(length, plan.part_items);
        blocks = segments * plan.parts_per_row;
        if (plan.parts_per_row > 1) plan.most_parts = blocks;
    } else if (may_be_long) {
        plan.list_items = static_cast<std::uint32_t>(std::min<std::uint64_t>(n / plan.longest_short + 1, kMostListed));
        // Of segments that do not overlap: one part per `part_items` items, and a partial one each.
        if (!is_alone) plan.most_parts = n / plan.part_items + std::min(segments, n / plan.longest_short) + 1;
        const std::uint64_t expected =
            length > plan.longest_short ? segments * divide_up(length, plan.part_items) : divide_up(n, plan.part_items);
        if (!is_alone) blocks = std::max(blocks, expected);
    }
    if (plan.most_parts > 0) most_blocks = places;  // they meet
    plan.blocks = static_cast<std::uint32_t>(std::min(blocks, most_blocks));
    if (plan.most_parts > 0 && plan.blocks > 1) {
        plan.cluster = plan.blocks <= device.cluster_blocks && each == kReduceBlocks;
        plan.cooperative = !plan.cluster;
    }
    plan.launches = 1;
    if (layout.are_stored) plan.launches += layout.have_ends ? 2 : 1;
    plan.scratch_bytes =
        scratch_of([&](detail::Carver& carver) { carve_segmented_reduce(carver, plan, shape.accumulator_bytes); });
    return plan;
}

std::string to_string(const segmented_reduce_plan& plan) {
    return "segmented reduce: " + std::to_string(plan.lanes) + (plan.lanes == 1 ? " lane" : " lanes") +
           " per segment, a warp up to " + std::to_string(plan.longest_short) + " items, parts of " +
           std::to_string(plan.part_items) + " items, " + std::to_string(plan.blocks) +
           (plan.blocks == 1 ? " block" : " blocks") + (plan.cluster ? ", a cluster" : "") + ", " +
           std::to_string(plan.launches) + (plan.launches == 1 ? " launch, " : " launches, ") +
           std::to_string(plan.scratch_bytes) + " bytes of scratch" +
           (plan.layout.are_stored ? ", offsets stored" : "");
}

}  // namespace kogge
