// Plans of scans.
#include <algorithm>
#include <string>

#include "kogge/engine/wave_shape.hpp"
#include "kogge/plan.hpp"
#include "kogge/scan/scratch.hpp"
#include "plan/tiles.hpp"
#include "plan/wave.hpp"

namespace kogge {
namespace grid {
namespace {

// Of one launch.
constexpr std::uint64_t kMostBlocks = (std::uint64_t{1} << 31) - 1;

// Below this many tiles one block walks over all of them in less time than a second launch takes.
constexpr std::uint64_t kOneBlockTiles = 2;

}  // namespace
}  // namespace grid

scan_plan plan_scan(std::uint64_t n, const scan_shape& shape, const scan_options& options,
                    const device_properties& device) {
    detail::bytes_of("plan_scan", n, shape.item_bytes);
    scan_plan plan;
    plan.block = options.block;
    plan.threads = grid::kScanThreads;
    plan.items_per_thread = grid::scan_items(shape);
    if (n == 0) return plan;
    std::uint64_t tile_items = static_cast<std::uint64_t>(plan.items_per_thread) * grid::kScanThreads;
    plan.tiles = grid::divide_up(n, tile_items);
    plan.grid = options.grid;
    const bool may_wave = plan.grid == grid_strategy::automatic || plan.grid == grid_strategy::one_wave;
    if (may_wave && plan.block == network::shuffle) {
        const std::size_t place = grid::place_bytes(shape);
        int most_rows = grid::most_scan_rows(shape);
        if (plan.grid == grid_strategy::automatic)
            most_rows = std::min(most_rows, grid::chosen_rows(grid::Choice::scan_wave_rows, place));
        grid::Wave wave = grid::plan_wave(n, place, shape.accumulator_bytes, most_rows, grid::Staged::marks, device);
        if (wave.rows == 0 && grid::fits_deep_wave(shape)) {
            wave = grid::plan_deep_wave(n, shape, device);
            plan.deep = wave.rows > 0;
        }
        if (wave.rows > 0) {
            plan.grid = grid_strategy::one_wave;
            plan.threads = grid::kWaveThreads;
            plan.rows = wave.rows;
            plan.items_per_thread = plan.deep ? grid::deep_items(place) : wave.rows * grid::wave_piece_items(place);
            plan.tiles = plan.blocks = static_cast<std::uint32_t>(wave.tiles);
            plan.cluster = wave.cluster;
            plan.cooperative = wave.cooperative;
            plan.launches = 1;
            detail::Carver carver;
            grid::carve_scan(carver, plan, shape.accumulator_bytes);
            plan.scratch_bytes = detail::scratch_with_slack(carver.used());
            return plan;
        }
    }

    if (may_wave)
        plan.grid = plan.tiles <= grid::kOneBlockTiles && plan.block != network::shuffle ? grid_strategy::one_block
                                                                                         : grid_strategy::on_chip;
    plan.pipelined = plan.grid == grid_strategy::on_chip && plan.block == network::shuffle &&
                     grid::runs_rings(device) && grid::fits_ring(shape);
    if (plan.pipelined) {
        plan.ring = grid::scan_ring(shape);
        plan.threads = grid::kRingThreads;
        plan.items_per_thread = grid::ring_items(shape);
        tile_items = static_cast<std::uint64_t>(plan.items_per_thread) * grid::kRingThreads;
        plan.tiles = grid::divide_up(n, tile_items);
        plan.cooperative = grid::is_one_launch(
            plan.tiles, grid::chosen(grid::Choice::scan_ring_rounds, grid::place_bytes(shape)), device);
    }

    if (shape.by_offsets) plan.mark_words = grid::divide_up(n, grid::kHeadsPerWord);
    // Levels scan sums, too.
    const std::size_t sum =
        plan.grid == grid_strategy::two_level || plan.grid == grid_strategy::recursive ? shape.accumulator_bytes : 0;
    const std::size_t most = std::max(grid::scan_shared_bytes(shape, plan.block),
                                      sum > 0 ? grid::scan_shared_bytes({sum, sum, sum}, plan.block) : 0);
    if (!plan.pipelined && most > device.shared_bytes_per_block)
        throw error(errc::invalid_argument, "plan_scan",
                    "items of " + std::to_string(shape.item_bytes) + " bytes and results of " +
                        std::to_string(shape.result_bytes) + ", summed in " + std::to_string(shape.accumulator_bytes) +
                        ", are too wide for this device's chip");

    const std::size_t shared = tile_items * std::max(shape.item_bytes, shape.result_bytes);
    const std::uint32_t resident = grid::resident_blocks(plan.threads, shared, shape.item_bytes, device);
    switch (plan.grid) {
        case grid_strategy::on_chip:
            plan.blocks = grid::blocks_for(
                plan.tiles,
                plan.pipelined ? static_cast<std::uint32_t>(std::max(device.multiprocessors, 1)) : resident);
            plan.launches = plan.cooperative ? 1 : 2;
            break;
        case grid_strategy::two_level: {
            const std::uint64_t each = grid::divide_up(plan.tiles, resident);
            plan.blocks = static_cast<std::uint32_t>(grid::divide_up(plan.tiles, each));
            plan.levels.push_back({each, plan.blocks});
            break;
        }
        case grid_strategy::recursive: {
            const std::uint64_t sums_tile =
                static_cast<std::uint64_t>(grid::segment_items(shape.accumulator_bytes)) * grid::kScanThreads;
            for (std::uint64_t tiles = plan.tiles; tiles > 1;) {
                const std::uint64_t each = grid::divide_up(tiles, grid::kMostBlocks);
                const auto blocks = static_cast<std::uint32_t>(grid::divide_up(tiles, each));
                plan.levels.push_back({each, blocks});
                tiles = grid::divide_up(blocks, sums_tile);
            }
            plan.blocks = plan.levels.empty() ? 1 : plan.levels[0].blocks;
            break;
        }
        default:
            plan.blocks = 1;
            plan.levels.push_back({plan.tiles, 1});
    }
    if (plan.grid != grid_strategy::on_chip && (plan.levels.empty() || plan.levels.back().blocks > 1)) {
        const std::uint64_t sums = plan.levels.empty() ? n : plan.levels.back().blocks;
        const std::uint64_t sums_tile =
            plan.levels.empty()
                ? tile_items
                : static_cast<std::uint64_t>(grid::segment_items(shape.accumulator_bytes)) * grid::kScanThreads;
        plan.levels.push_back({grid::divide_up(sums, sums_tile), 1});
    }
    if (!plan.levels.empty()) plan.launches = static_cast<int>(2 * plan.levels.size() - 1);
    if (plan.mark_words > 0) ++plan.launches;

    detail::Carver carver;
    grid::carve_scan(carver, plan, shape.accumulator_bytes);
    plan.scratch_bytes = detail::scratch_with_slack(carver.used());
    return plan;
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

std::string ring_text(const ring_shape& ring) {
    return ", " + std::to_string(ring.worker_warps) + " worker warps, " + std::to_string(ring.stages) + " stages, " +
           std::to_string(ring.ahead) + " tiles ahead, " + std::to_string(ring.parts) + " parts a tile and " +
           std::to_string(ring.loading) + " on their way";
}

}  // namespace

std::string to_string(const scan_plan& plan) {
    return std::string("scan ") + to_string(plan.grid) +
           (plan.cluster     ? " in a cluster"
            : plan.deep      ? " deep"
            : plan.pipelined ? " pipelined"
                             : "") +
           " over " + to_string(plan.block) + ": " + grid::launch_text(plan) +
           (plan.pipelined ? ring_text(plan.ring) : "");
}

}  // namespace kogge
