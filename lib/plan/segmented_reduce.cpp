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
// A warp takes a segment of up to so many of its rounds; a block is sooner done with a longer one.
constexpr std::uint64_t kWarpRounds = 4;
// Few rows of equal length are faster by a block each from this length on.
constexpr std::uint64_t kLeastBlockRow = 1024;
// The most rounds of a block per part: about a megabyte.
constexpr std::uint64_t kPartRounds = 16;
// Parts per resident block, so that others take the place of a slow one.
constexpr std::uint64_t kPartsPerPlace = 4;

}  // namespace
}  // namespace grid

segmented_reduce_plan plan_segmented_reduce(std::uint64_t n, std::uint64_t segments, bool equal,
                                            const reduce_shape& shape, const device_properties& device) {
    using namespace grid;
    const reduce_plan whole = plan_reduce(n, shape, device);  // checks the sizes
    detail::bytes_of("plan_segmented_reduce", segments, sizeof(std::uint64_t));
    segmented_reduce_plan plan;
    plan.threads = whole.threads;
    if (segments == 0) return plan;
    const std::uint64_t places = kReduceBlocks * static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    const std::uint64_t length = n / segments;
    while (plan.lanes < 32 && plan.lanes * kItemsPerLane < length) plan.lanes *= 2;
    const std::uint64_t round = std::max<std::uint64_t>(reduce_round_bytes(shape) / shape.item_bytes, 1);
    plan.longest_short = std::max<std::uint64_t>(kWarpRounds * round / kReduceWarps, 1);
    if (equal && segments <= places && length > kLeastBlockRow) plan.longest_short = kLeastBlockRow;
    const std::uint64_t share = divide_up(n, kPartsPerPlace * places);
    plan.part_items = round * std::clamp<std::uint64_t>(divide_up(share, round), 1, kPartRounds);
    // A segment is no longer than n items; nor is a row longer than the others.
    const bool may_be_long = (equal ? length : n) > plan.longest_short;
    if (!equal || !may_be_long) {
        const std::uint64_t at_once = static_cast<std::uint64_t>(kReduceWarps) * (32 / plan.lanes);
        plan.short_blocks = static_cast<std::uint32_t>(std::min(divide_up(segments, at_once), 8 * places));
        plan.launches += 1;
    }
    if (may_be_long) {
        if (equal) {
            const std::uint64_t each = divide_up(length, plan.part_items);
            plan.parts_per_row = each;
            plan.most_parts = each > 1 ? segments * each : 0;
            plan.long_blocks = static_cast<std::uint32_t>(std::min(segments * each, kPartsPerPlace * places));
        } else {
            // Of segments that do not overlap: one part per `part_items` items, and a partial one each.
            plan.most_parts = n / plan.part_items + std::min(segments, n / plan.longest_short) + 1;
            plan.long_blocks = static_cast<std::uint32_t>(std::min(plan.most_parts, kPartsPerPlace * places));
        }
        plan.launches += plan.most_parts > 0 ? 2 : 1;
    }
    plan.scratch_bytes =
        scratch_of([&](detail::Carver& carver) { carve_segmented_reduce(carver, plan, shape.accumulator_bytes); });
    return plan;
}

std::string to_string(const segmented_reduce_plan& plan) {
    return "segmented reduce: " + std::to_string(plan.lanes) + (plan.lanes == 1 ? " lane" : " lanes") +
           " per segment, a warp up to " + std::to_string(plan.longest_short) + " items, parts of " +
           std::to_string(plan.part_items) + " items, " + std::to_string(plan.short_blocks) + " and " +
           std::to_string(plan.long_blocks) + " blocks, " + std::to_string(plan.launches) + " launches, " +
           std::to_string(plan.scratch_bytes) + " bytes of scratch";
}

}  // namespace kogge
