// Plans of merges.
#include "kogge/plan/merge.hpp"

#include <algorithm>
#include <string>

#include "kogge/exec.hpp"
#include "kogge/merge/shape.hpp"
#include "plan/text.hpp"

namespace kogge {

merge_plan plan_merge(std::uint64_t n_a, std::uint64_t n_b, std::size_t item_bytes, const device_properties& device) {
    constexpr const char* call = "plan_merge";
    detail::bytes_of(call, n_a, item_bytes);
    detail::bytes_of(call, n_b, item_bytes);
    detail::bytes_of(call, n_a + n_b, item_bytes);
    merge_plan plan;
    plan.n = n_a + n_b;
    if (plan.n == 0) return plan;
    const auto multiprocessors = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    const auto tiles_of = [&](int items) {
        return grid::divide_up(plan.n, static_cast<std::uint64_t>(items * grid::kMergeThreads));
    };
    plan.items_per_thread = grid::merge_items(item_bytes);
    // With fewer tiles than resident blocks, shorter ones end sooner.
    if (grid::merge_shared_bytes(item_bytes, plan.items_per_thread) > device.shared_bytes_per_block ||
        tiles_of(plan.items_per_thread) < grid::kMergeBlocks * multiprocessors)
        plan.items_per_thread = grid::few_merge_items(item_bytes);
    plan.tiles = tiles_of(plan.items_per_thread);
    plan.tile_items = static_cast<std::uint64_t>(plan.items_per_thread * grid::kMergeThreads);
    plan.shared_bytes = grid::merge_shared_bytes(item_bytes, plan.items_per_thread);
    const std::uint64_t by_shared = device.shared_bytes_per_multiprocessor / (plan.shared_bytes + 1024);
    const auto by_threads = static_cast<std::uint64_t>(device.max_threads_per_multiprocessor / grid::kMergeThreads);
    const std::uint64_t each =
        std::clamp(std::min(by_shared, by_threads), std::uint64_t{1}, std::uint64_t{grid::kMergeBlocks});
    plan.blocks = static_cast<std::uint32_t>(std::min(plan.tiles, each * multiprocessors));
    plan.launches = 1;
    return plan;
}

std::string to_string(const merge_plan& plan) { return "merge: " + grid::tiles_text(plan); }

}  // namespace kogge
