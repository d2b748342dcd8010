// Plans of scans.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kogge/engine/wave_shape.hpp"
#include "kogge/plan.hpp"
#include "kogge/scan/scratch.hpp"
#include "plan/candidates.hpp"
#include "plan/tiles.hpp"
#include "plan/wave.hpp"

namespace kogge {
namespace grid {
namespace {

// Of one launch.
constexpr std::uint64_t kMostBlocks = (std::uint64_t{1} << 31) - 1;

// With a network other than shuffle, one block walks over up to this many tiles sooner than a second launch would
// start.
constexpr std::uint64_t kOneBlockTiles = 2;

struct ScanTask {
    std::uint64_t n;
    const scan_shape& shape;
    const scan_options& options;
    const device_properties& device;

    bool may_be_a_wave() const {
        return options.grid == grid_strategy::automatic || options.grid == grid_strategy::one_wave;
    }
    bool is_on_chip() const {
        if (may_be_a_wave()) return options.block == network::shuffle || tiles() > kOneBlockTiles;
        return options.grid == grid_strategy::on_chip;
    }
    std::uint64_t tile_items() const { return static_cast<std::uint64_t>(scan_items(shape)) * kScanThreads; }
    std::uint64_t tiles() const { return divide_up(n, tile_items()); }
    // Blocks of the kernels of plain tiles that fill the device.
    std::uint32_t resident() const {
        return resident_blocks(kScanThreads, tile_items() * std::max(shape.item_bytes, shape.result_bytes),
                               shape.item_bytes, device);
    }
    // The tile of sums of blocks.
    std::uint64_t sums_tile() const {
        return static_cast<std::uint64_t>(segment_items(shape.accumulator_bytes)) * kScanThreads;
    }
};

using MaybePlan = std::optional<scan_plan>;

scan_plan with_scratch(scan_plan plan, const ScanTask& task) {
    plan.scratch_bytes =
        scratch_of([&](detail::Carver& carver) { carve_scan(carver, plan, task.shape.accumulator_bytes); });
    return plan;
}

scan_plan plan_of(const Wave& wave, const scan_way& way, int items_per_thread, const ScanTask& task) {
    scan_plan plan{{}, grid_strategy::one_wave, task.options.block, way, kWaveThreads, items_per_thread};
    plan.tiles = plan.blocks = static_cast<std::uint32_t>(wave.tiles);
    plan.launches = 1;
    return with_scratch(plan, task);
}

MaybePlan try_wave(const ScanTask& task) {
    if (!task.may_be_a_wave() || task.options.block != network::shuffle) return std::nullopt;
    const std::size_t place = place_bytes(task.shape);
    int most_rows = most_scan_rows(task.shape);
    if (task.options.grid == grid_strategy::automatic)
        most_rows = std::min(most_rows, chosen_rows(Choice::scan_wave_rows, place));
    const Wave wave = plan_wave(task.n, place, task.shape.accumulator_bytes, most_rows, Staged::marks, task.device);
    if (wave.rows == 0) return std::nullopt;
    return plan_of(wave, wave_scan{wave.rows, wave.cluster, wave.cooperative}, wave.rows * wave_piece_items(place),
                   task);
}

MaybePlan try_deep_wave(const ScanTask& task) {
    if (!task.may_be_a_wave() || task.options.block != network::shuffle || !fits_deep_wave(task.shape))
        return std::nullopt;
    const Wave wave = plan_deep_wave(task.n, task.shape, task.device);
    if (wave.rows == 0) return std::nullopt;
    return plan_of(wave, deep_wave_scan{wave.cooperative}, deep_items(place_bytes(task.shape)), task);
}

// Ways other than waves keep the marks of segments in memory, written by one more launch.
scan_plan with_marks(scan_plan plan, const ScanTask& task) {
    if (task.shape.by_offsets) {
        plan.mark_words = divide_up(task.n, kHeadsPerWord);
        ++plan.launches;
    }
    return with_scratch(plan, task);
}

MaybePlan try_pipeline(const ScanTask& task) {
    if (!task.is_on_chip() || task.options.block != network::shuffle || !runs_rings(task.device) ||
        !fits_ring(task.shape))
        return std::nullopt;
    scan_plan plan{{}, grid_strategy::on_chip, task.options.block, {}, kRingThreads, ring_items(task.shape)};
    plan.tiles = divide_up(task.n, static_cast<std::uint64_t>(plan.items_per_thread) * kRingThreads);
    plan.blocks = blocks_for(plan.tiles, static_cast<std::uint32_t>(std::max(task.device.multiprocessors, 1)));
    const bool cooperative =
        is_one_launch(plan.tiles, chosen(Choice::scan_ring_rounds, place_bytes(task.shape)), task.device);
    plan.way = pipeline_scan{scan_ring(task.shape), cooperative};
    plan.launches = cooperative ? 1 : 2;
    return with_marks(plan, task);
}

// Throws if a tile of the items, or of `sum` bytes, does not fit the chip.
void check_width(const ScanTask& task, std::size_t sum) {
    const scan_shape& shape = task.shape;
    const std::size_t most = std::max(scan_shared_bytes(shape, task.options.block),
                                      sum > 0 ? scan_shared_bytes({sum, sum, sum}, task.options.block) : 0);
    if (most > task.device.shared_bytes_per_block)
        throw error(errc::invalid_argument, "plan_scan",
                    "items of " + std::to_string(shape.item_bytes) + " bytes and results of " +
                        std::to_string(shape.result_bytes) + ", summed in " + std::to_string(shape.accumulator_bytes) +
                        ", are too wide for this device's chip");
}

MaybePlan try_tiles(const ScanTask& task) {
    if (!task.is_on_chip()) return std::nullopt;
    check_width(task, 0);
    scan_plan plan{{}, grid_strategy::on_chip, task.options.block, tile_scan{}, kScanThreads, scan_items(task.shape)};
    plan.tiles = task.tiles();
    plan.blocks = blocks_for(plan.tiles, task.resident());
    plan.launches = 2;
    return with_marks(plan, task);
}

// One block scans the sums of all blocks.
std::vector<scan_level> two_levels(const ScanTask& task) {
    const std::uint64_t each = divide_up(task.tiles(), task.resident()), blocks = divide_up(task.tiles(), each);
    if (blocks == 1) return {{each, 1}};
    return {{each, static_cast<std::uint32_t>(blocks)}, {divide_up(blocks, task.sums_tile()), 1}};
}

// A block per tile; the same for its sums, until one tile holds them.
std::vector<scan_level> recursive_levels(const ScanTask& task) {
    std::vector<scan_level> levels;
    std::uint64_t tiles = task.tiles();
    while (tiles > 1) {
        const std::uint64_t each = divide_up(tiles, kMostBlocks), blocks = divide_up(tiles, each);
        levels.push_back({each, static_cast<std::uint32_t>(blocks)});
        tiles = divide_up(blocks, task.sums_tile());
    }
    if (levels.empty() || levels.back().blocks > 1) levels.push_back({1, 1});
    return levels;
}

MaybePlan try_levels(const ScanTask& task) {
    const grid_strategy grid = task.may_be_a_wave() ? grid_strategy::one_block : task.options.grid;
    check_width(task, grid == grid_strategy::one_block ? 0 : task.shape.accumulator_bytes);
    level_scan way;
    if (grid == grid_strategy::two_level) way.levels = two_levels(task);
    else if (grid == grid_strategy::recursive) way.levels = recursive_levels(task);
    else way.levels = {{task.tiles(), 1}};
    scan_plan plan{{}, grid, task.options.block, {}, kScanThreads, scan_items(task.shape)};
    plan.tiles = task.tiles();
    plan.blocks = way.levels[0].blocks;
    plan.launches = static_cast<int>(2 * way.levels.size() - 1);
    plan.way = std::move(way);
    return with_marks(plan, task);
}

// Fastest first; the last takes everything.
constexpr MaybePlan (*kCandidates[])(const ScanTask&) = {try_wave, try_deep_wave, try_pipeline, try_tiles, try_levels};

}  // namespace
}  // namespace grid

scan_plan plan_scan(std::uint64_t n, const scan_shape& shape, const scan_options& options,
                    const device_properties& device) {
    detail::bytes_of("plan_scan", n, shape.item_bytes);
    if (n == 0)
        return {{}, grid_strategy::one_block, options.block, level_scan{}, grid::kScanThreads, grid::scan_items(shape)};
    return grid::first_plan(grid::kCandidates, grid::ScanTask{n, shape, options, device});
}

const char* to_string(grid_strategy strategy) {
    switch (strategy) {
        case grid_strategy::automatic:
            return "automatic";
        case grid_strategy::one_wave:
            return "one_wave";
        case grid_strategy::on_chip:
            return "on_chip";
        case grid_strategy::two_level:
            return "two_level";
        case grid_strategy::recursive:
            return "recursive";
        case grid_strategy::one_block:
            return "one_block";
    }
    return "unknown";
}

namespace {

std::string text_of(const level_scan&) { return ""; }
std::string text_of(const tile_scan&) { return ""; }
std::string text_of(const pipeline_scan& way) {
    const ring_shape& ring = way.ring;
    return ", " + std::to_string(ring.worker_warps) + " worker warps, " + std::to_string(ring.stages) + " stages, " +
           std::to_string(ring.ahead) + " tiles ahead, " + std::to_string(ring.parts) + " parts a tile and " +
           std::to_string(ring.loading) + " on their way";
}
std::string text_of(const wave_scan& way) { return way.cluster ? ", in a cluster" : ""; }
std::string text_of(const deep_wave_scan&) { return ""; }

constexpr std::array kWayNames{"levels", "tiles", "pipeline", "wave", "deep wave"};
static_assert(kWayNames.size() == std::variant_size_v<scan_way>);

}  // namespace

const char* to_string(const scan_way& way) { return kWayNames[way.index()]; }

std::string to_string(const scan_plan& plan) {
    return std::string("scan ") + to_string(plan.grid) + ", " + to_string(plan.way) + " over " + to_string(plan.block) +
           ": " + grid::launch_text(plan) + std::visit([](const auto& way) { return text_of(way); }, plan.way);
}

}  // namespace kogge
