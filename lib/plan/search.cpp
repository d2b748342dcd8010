// Plans of searches.
#include "kogge/plan/search.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <variant>

#include "kogge/exec.hpp"
#include "kogge/search/shape.hpp"
#include "plan/candidates.hpp"
#include "plan/text.hpp"

namespace kogge {
namespace grid {
namespace {

struct SearchTask {
    std::uint64_t n;
    std::uint64_t needles;
    std::size_t item_bytes;
    const device_properties& device;

    // Blocks that are resident together, as far as threads and shared memory say.
    std::uint64_t resident(std::size_t shared_bytes) const {
        const std::uint64_t by_shared = device.shared_bytes_per_multiprocessor / (shared_bytes + 1024);
        const auto by_threads = static_cast<std::uint64_t>(device.max_threads_per_multiprocessor / kSearchThreads);
        const std::uint64_t each =
            std::clamp(std::min(by_shared, by_threads), std::uint64_t{1}, std::uint64_t{kSearchBlocks});
        return each * static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    }
    search_plan plan(const search_way& way, std::uint64_t tile_items, std::size_t shared_bytes) const {
        search_plan plan{{}, way, divide_up(needles, tile_items), tile_items, 0, 1, 0};
        plan.blocks = static_cast<std::uint32_t>(std::min(plan.tiles, resident(shared_bytes)));
        return plan;
    }
};

// While each warp of the device has one needle.
std::optional<search_plan> try_warps(const SearchTask& task) {
    constexpr std::uint64_t warps = kSearchThreads / 32;
    if (task.needles > warps * task.resident(0)) return std::nullopt;
    return task.plan(search_by_warps{}, warps, 0);
}
std::optional<search_plan> try_threads(const SearchTask& task) {
    const std::size_t shared_bytes = search_shared_bytes(task.item_bytes);
    return task.plan(search_by_threads{shared_bytes}, kSearchTile, shared_bytes);
}

constexpr std::optional<search_plan> (*kSearches[])(const SearchTask&) = {try_warps, try_threads};

}  // namespace
}  // namespace grid

search_plan plan_search(std::uint64_t n, std::uint64_t needles, std::size_t item_bytes,
                        const device_properties& device) {
    detail::bytes_of("plan_search", n, item_bytes);
    detail::bytes_of("plan_search", needles, 1);
    if (needles == 0) return {};
    return grid::first_plan(grid::kSearches, grid::SearchTask{n, needles, item_bytes, device});
}

// ---- text ----------------------------------------------------------------------------------------------

namespace {

constexpr std::array kWayNames{"by warps", "by threads"};
static_assert(kWayNames.size() == std::variant_size_v<search_way>);

}  // namespace

const char* to_string(const search_way& way) { return kWayNames[way.index()]; }

std::string to_string(const search_plan& plan) {
    return std::string("search: ") + to_string(plan.way) + ", " + grid::tiles_text(plan);
}

}  // namespace kogge
