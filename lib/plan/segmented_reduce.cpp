// Plans of reductions of segments.
#include "kogge/plan/segmented/reduce.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kogge/engine/tile_shape.hpp"
#include "kogge/reduce/segments_scratch.hpp"
#include "plan/candidates.hpp"
#include "plan/reduce_places.hpp"

namespace kogge {
namespace grid {
namespace {

// Items per lane, expected, up to which fewer lanes than a warp take a segment.
constexpr std::uint64_t kItemsPerLane = 4;
// Lanes of segments that may differ in length, where there are more than warps: most of them may be much shorter than
// the average.
constexpr std::uint32_t kMostLanes = 16;
// A block's rounds up to which it is sooner done with a segment than blocks have met.
constexpr std::uint64_t kAloneRounds = 4;
// A warp takes a segment of up to so many of its rounds; a block is sooner done with a longer one.
constexpr std::uint64_t kWarpRounds = 4;
// The same of rows of equal length where warps are more than those, and where each takes several.
constexpr std::uint64_t kFewRowRounds = 1, kManyRowRounds = 16, kManyRowsPerWarp = 4;
// The most rounds of a warp per part, so that finding parts takes a fraction of folding them, and the fewest parts per
// resident warp.
constexpr std::uint64_t kPartRounds = 8, kPartsPerWarp = 2;
// Blocks that never meet, per resident block.
constexpr std::uint64_t kBlocksPerPlace = 8;

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
    check_width("plan_segmented_reduce", shared, shape.accumulator_bytes, device);
    const std::uint64_t places = std::min<std::uint64_t>(reduce_places(shared, device), kReduceThreads);
    const std::uint64_t length = n / segments;
    const std::uint32_t most_lanes = equal || segments <= places * kReduceWarps ? 32 : kMostLanes;
    while (plan.lanes < most_lanes && plan.lanes * kItemsPerLane < length) plan.lanes *= 2;
    const std::uint64_t warps = places * kReduceWarps;
    const std::uint64_t round = std::max<std::uint64_t>(reduce_round_bytes(shape) / kReduceWarps / shape.item_bytes, 1);
    std::uint64_t rounds = kWarpRounds;
    if (equal && segments < warps) rounds = kFewRowRounds;
    if (equal && segments >= kManyRowsPerWarp * warps) rounds = kManyRowRounds;
    plan.longest_short = rounds * round;
    plan.part_items = round * std::clamp<std::uint64_t>(divide_up(n, kPartsPerWarp * warps * round), 1, kPartRounds);
    const std::uint64_t longest = equal ? length : n;
    const bool is_alone = longest <= kAloneRounds * kReduceWarps * round;
    const std::uint64_t at_once = static_cast<std::uint64_t>(kReduceWarps) * (32 / plan.lanes);
    using enum segmented_reduce_way;
    if (longest <= plan.longest_short) plan.way = all_short;
    else if (equal) plan.way = is_alone ? row_blocks : row_parts;
    else plan.way = is_alone ? own_blocks : listed;
    std::uint64_t blocks = divide_up(segments, at_once), most_blocks = kBlocksPerPlace * places;
    if (plan.way == row_blocks) {
        blocks = segments;
    } else if (plan.way == row_parts) {
        plan.part_items = std::max(plan.part_items, divide_up(divide_up(length, kMostParts), round) * round);
        plan.parts_per_row = divide_up(length, plan.part_items);
        plan.most_parts = segments * plan.parts_per_row;
        blocks = divide_up(plan.most_parts, kReduceWarps);
    } else if (plan.way == listed) {
        // Of segments that do not overlap: one part per `part_items` items, and a partial one each.
        plan.most_parts = n / plan.part_items + std::min(segments, n / plan.longest_short) + 1;
        const std::uint64_t parts = length > plan.longest_short ? segments * divide_up(length, plan.part_items)
                                                                : divide_up(n, plan.part_items);  // expected
        blocks = std::max(blocks, divide_up(parts, kReduceWarps));
    }
    if (plan.most_parts > 0) most_blocks = places;  // they meet
    plan.blocks = static_cast<std::uint32_t>(std::min(blocks, most_blocks));
    plan.cooperative = plan.most_parts > 0 && plan.blocks > 1;
    plan.launches = 1;
    if (layout.are_stored) plan.launches += layout.have_ends ? 2 : 1;
    plan.scratch_bytes =
        scratch_of([&](detail::Carver& carver) { carve_segmented_reduce(carver, plan, shape.accumulator_bytes); });
    return plan;
}

const char* to_string(segmented_reduce_way way) {
    constexpr std::array kNames{"all_short", "own_blocks", "listed", "row_blocks", "row_parts"};
    return kNames[static_cast<std::size_t>(way)];
}

std::string to_string(const segmented_reduce_plan& plan) {
    return std::string("segmented reduce: ") + to_string(plan.way) + ", " + std::to_string(plan.lanes) +
           (plan.lanes == 1 ? " lane" : " lanes") + " per segment, a warp up to " + std::to_string(plan.longest_short) +
           " items, parts of " + std::to_string(plan.part_items) + " items, " + std::to_string(plan.blocks) +
           (plan.blocks == 1 ? " block" : " blocks") + ", " + std::to_string(plan.launches) +
           (plan.launches == 1 ? " launch, " : " launches, ") + std::to_string(plan.scratch_bytes) +
           " bytes of scratch" + (plan.layout.are_stored ? ", offsets stored" : "");
}

}  // namespace kogge
