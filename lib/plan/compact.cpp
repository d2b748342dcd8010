// Plans of compactions and partitions: the candidates, fastest first.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kogge/compact/scratch.hpp"
#include "kogge/engine/wave_shape.hpp"
#include "kogge/plan.hpp"
#include "plan/candidates.hpp"
#include "plan/compact_task.hpp"
#include "plan/text.hpp"
#include "plan/tiles.hpp"
#include "plan/wave.hpp"

namespace kogge {
namespace grid {
namespace {

using MaybePlan = std::optional<compact_plan>;

compact_plan with_scratch(compact_plan plan, std::uint64_t n, std::size_t item_bytes) {
    plan.scratch_bytes = scratch_of([&](detail::Carver& carver) { carve_compact(carver, plan, n, item_bytes); });
    return plan;
}

MaybePlan plan_of(const Wave& wave, std::uint64_t n, std::size_t item_bytes) {
    if (wave.rows == 0) return std::nullopt;
    const compact_wave way{wave.cluster, wave.cooperative,   wave.rows,
                           wave.groups,  wave.packed_groups, wave.counted_groups};
    const int thread_items = wave.groups * wave.rows * wave_piece_items(item_bytes);
    return with_scratch({{},
                         way,
                         1,
                         wave.tiles,
                         static_cast<std::uint64_t>(thread_items * kWaveThreads),
                         std::max(static_cast<std::uint32_t>(wave.tiles), 1u),
                         1,
                         0},
                        n, item_bytes);
}

// ---- candidates of one array ---------------------------------------------------------------------------

MaybePlan try_counted_wave(const CompactTask& task) {
    if (!task.keep_rejected || task.in_place || !may_count_rows(task.item_bytes)) return std::nullopt;
    return plan_of(plan_counted_wave(task.n, task.item_bytes, task.device), task.n, task.item_bytes);
}

std::optional<counting_pass> plan_counting(const CompactTask& task) {
    if (!task.keep_rejected) return std::nullopt;
    return counting_pass{static_cast<std::uint32_t>(kCountBlocks * std::max(task.device.multiprocessors, 1)),
                         task.in_place};
}
// Kernels and copies.
int count_launches(const std::optional<counting_pass>& counting) {
    return 1 + (counting ? 1 + (counting->copies_input ? 1 : 0) : 0);
}

MaybePlan try_pipeline(const CompactTask& task) {
    if (!fits_ring(task.item_bytes)) return std::nullopt;
    const auto tiles = pipeline_tiles(task.n, segment_items(task.item_bytes), task.item_bytes, task.device);
    if (!tiles) return std::nullopt;
    // The count of kept items is zeroed before.
    const compact_pipeline way{tiles->cooperative && !task.keep_rejected, plan_counting(task)};
    const int launches = count_launches(way.counting) + (way.cooperative ? 0 : 1);
    return with_scratch({{}, way, 1, tiles->tiles, tiles->tile_items, tiles->blocks, launches, 0}, task.n,
                        task.item_bytes);
}

// Takes every task, or throws errc::invalid_argument for items that are too wide for the device's chip.
MaybePlan try_tiles(const CompactTask& task) {
    if (compact_shared_bytes(task.item_bytes) > task.device.shared_bytes_per_block)
        throw error(errc::invalid_argument, "plan_compact",
                    "items of " + std::to_string(task.item_bytes) + " bytes are too wide for this device's chip");
    const auto tile_items = static_cast<std::uint64_t>(segment_items(task.item_bytes) * kCompactThreads);
    const std::uint64_t tiles = divide_up(task.n, tile_items);
    const std::uint32_t resident =
        resident_blocks(kCompactThreads, 2 * task.item_bytes * tile_items, task.item_bytes, task.device);
    const compact_tiles way{plan_counting(task)};
    return with_scratch(
        {{}, way, 1, tiles, tile_items, std::max(blocks_for(tiles, resident), 1u), count_launches(way.counting) + 1, 0},
        task.n, task.item_bytes);
}

// ---- candidates of several arrays ----------------------------------------------------------------------

struct ArraysTask {
    std::uint64_t n;
    const compact_arrays_shape& shape;
    const device_properties& device;

    // Of all arrays that one kernel reads.
    std::vector<std::size_t> item_bytes() const {
        std::vector<std::size_t> all = shape.item_bytes;
        if (shape.stencil_bytes > 0) all.push_back(shape.stencil_bytes);
        return all;
    }
    int arrays() const { return static_cast<int>(shape.item_bytes.size()); }
    bool may_share_kernel() const { return arrays() > 1 && !shape.one_by_one && arrays_items(item_bytes()) > 0; }
};

MaybePlan try_arrays_wave(const ArraysTask& task) {
    if (!task.may_share_kernel()) return std::nullopt;
    const std::vector<std::size_t> item_bytes = task.item_bytes();
    const std::size_t place = arrays_place_bytes(item_bytes);
    MaybePlan plan = plan_of(
        plan_wave(task.n, place, sizeof(std::uint32_t), most_arrays_rows(item_bytes), Staged::one_group, task.device),
        task.n, place);
    if (plan) plan->arrays = task.arrays();
    return plan;
}

MaybePlan try_arrays_pipeline(const ArraysTask& task) {
    if (!task.may_share_kernel() || task.shape.byte_flags) return std::nullopt;
    const std::vector<std::size_t> item_bytes = task.item_bytes();
    const std::size_t widest = *std::max_element(item_bytes.begin(), item_bytes.end());
    const auto tiles = pipeline_tiles(task.n, arrays_items(item_bytes), widest, task.device);
    if (!tiles) return std::nullopt;
    return with_scratch({{},
                         compact_pipeline{tiles->cooperative, std::nullopt},
                         task.arrays(),
                         tiles->tiles,
                         tiles->tile_items,
                         tiles->blocks,
                         tiles->cooperative ? 1 : 2,
                         0},
                        task.n, 0);
}

// Takes every task.
MaybePlan try_one_by_one(const ArraysTask& task) {
    compact_plan widest;
    int launches = 0;
    for (const std::size_t bytes : task.shape.item_bytes) {
        const compact_plan plan = plan_compact(task.n, bytes, false, false, task.device);
        launches += plan.launches;
        if (plan.scratch_bytes >= widest.scratch_bytes) widest = plan;
    }
    widest.launches = launches;
    widest.scratch_bytes = detail::scratch_with_slack(widest.scratch_bytes);  // their calls share it
    return widest;
}

// ---- choice --------------------------------------------------------------------------------------------

constexpr std::array kCandidates{try_compact_wave, try_counted_wave, try_pipeline, try_tiles};
constexpr std::array kArraysCandidates{try_arrays_wave, try_arrays_pipeline, try_one_by_one};

}  // namespace

MaybePlan try_compact_wave(const CompactTask& task) {
    return plan_of(plan_wave(task.n, task.item_bytes, sizeof(std::uint32_t), most_compact_rows(task.item_bytes),
                             Staged::groups, task.device),
                   task.n, task.item_bytes);
}

}  // namespace grid

compact_plan plan_compact(std::uint64_t n, std::size_t item_bytes, bool keep_rejected, bool in_place,
                          const device_properties& device) {
    detail::bytes_of("plan_compact", n, item_bytes);
    return grid::first_plan(grid::kCandidates, grid::CompactTask{n, item_bytes, keep_rejected, in_place, device});
}

compact_plan plan_compact_arrays(std::uint64_t n, const compact_arrays_shape& shape, const device_properties& device) {
    if (shape.item_bytes.empty()) throw error(errc::invalid_argument, "plan_compact_arrays", "there are no arrays");
    for (const std::size_t bytes : shape.item_bytes) detail::bytes_of("plan_compact_arrays", n, bytes);
    return grid::first_plan(grid::kArraysCandidates, grid::ArraysTask{n, shape, device});
}

// ---- text ----------------------------------------------------------------------------------------------

namespace {

constexpr std::array kWayNames{"wave", "pipeline", "tiles"};
static_assert(kWayNames.size() == std::variant_size_v<compact_way>);

std::string details_of(const std::optional<counting_pass>& counting) {
    if (!counting) return "";
    return counting->copies_input ? ", input copied and kept items counted first" : ", kept items counted first";
}
std::string details_of(const compact_wave& way) {
    std::string text = way.cluster ? ", a cluster" : "";
    if (way.batches > 1) text += ", " + std::to_string(way.batches) + " batches of rows per tile";
    if (way.counted_batches > 0) text += ", " + std::to_string(way.counted_batches) + " of them read twice";
    return text;
}
std::string details_of(const compact_pipeline& way) { return details_of(way.counting); }
std::string details_of(const compact_tiles& way) { return details_of(way.counting); }

}  // namespace

std::string grid::text_of(const compact_way& way) {
    return to_string(way) + std::visit([](const auto& chosen) { return details_of(chosen); }, way);
}

const char* to_string(const compact_way& way) { return kWayNames[way.index()]; }

std::string to_string(const compact_plan& plan) {
    return "compact" + (plan.arrays > 1 ? " of " + std::to_string(plan.arrays) + " arrays: " : std::string(": ")) +
           grid::text_of(plan.way) + ", " + grid::tiles_text(plan);
}

}  // namespace kogge
