// Plans of unique and run-length encoding: the candidates, fastest first.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <variant>

#include "kogge/engine/wave_shape.hpp"
#include "kogge/plan.hpp"
#include "kogge/runs/scratch.hpp"
#include "plan/candidates.hpp"
#include "plan/compact_task.hpp"
#include "plan/text.hpp"
#include "plan/tiles.hpp"
#include "plan/wave.hpp"

namespace kogge {
namespace grid {
namespace {

struct RunsTask {
    std::uint64_t n;
    const runs_shape& shape;
    const device_properties& device;

    CompactTask compaction() const { return {n, shape.key_bytes, false, false, device}; }
};

using MaybePlan = std::optional<runs_plan>;

runs_plan with_scratch(runs_plan plan, const RunsTask& task) {
    plan.scratch_bytes = scratch_of([&](detail::Carver& carver) { carve_runs(carver, plan, task.shape.writes); });
    return plan;
}

runs_plan plan_of(const compact_plan& plan) {
    return {{}, plan.way, plan.tiles, plan.tile_items, plan.blocks, plan.launches, plan.scratch_bytes};
}

// Whether kernels that find runs on chip are compiled for such keys.
bool finds_on_chip(const runs_shape& shape) {
    return packs_places(shape.key_bytes, shape.writes) && (shape.writes != runs_output::items || shape.key_bytes <= 16);
}

Wave wave_of(const RunsTask& task) {
    const std::size_t key_bytes = task.shape.key_bytes;
    return plan_wave(task.n, key_bytes, kRunTallyBytes, most_run_rows(key_bytes), Staged::one_group, task.device);
}

// A compaction holds more words on chip, in fewer rows, and finds the neighbours of wide items sooner in the cache than
// the lanes of a wave hand them on.
MaybePlan try_compaction_by_wave(const RunsTask& task) {
    const std::size_t key_bytes = task.shape.key_bytes;
    if (task.shape.writes != runs_output::items || key_bytes < 4) return std::nullopt;
    const int rows = key_bytes == 4 ? wave_of(task).rows : 0;
    if (rows > 0 && rows <= most_compact_rows(key_bytes)) return std::nullopt;
    const auto plan = try_compact_wave(task.compaction());
    return plan ? MaybePlan(plan_of(*plan)) : std::nullopt;
}

MaybePlan try_wave(const RunsTask& task) {
    const Wave wave = wave_of(task);
    if (!finds_on_chip(task.shape) || wave.rows == 0) return std::nullopt;
    const int items = wave.rows * wave_piece_items(task.shape.key_bytes);
    return with_scratch({{},
                         runs_wave{wave.cluster, wave.cooperative, wave.rows},
                         wave.tiles,
                         static_cast<std::uint64_t>(items * kWaveThreads),
                         std::max(static_cast<std::uint32_t>(wave.tiles), 1u),
                         1,
                         0},
                        task);
}

MaybePlan try_pipeline(const RunsTask& task) {
    const std::size_t key_bytes = task.shape.key_bytes;
    if (!finds_on_chip(task.shape) || !fits_ring(key_bytes)) return std::nullopt;
    const auto tiles = pipeline_tiles(task.n, segment_items(key_bytes), key_bytes, task.device);
    if (!tiles) return std::nullopt;
    const int launches = (tiles->cooperative ? 1 : 2) + (task.shape.writes == runs_output::lengths ? 1 : 0);
    return with_scratch(
        {{}, runs_pipeline{tiles->cooperative}, tiles->tiles, tiles->tile_items, tiles->blocks, launches, 0}, task);
}

MaybePlan try_compaction(const RunsTask& task) {
    if (task.shape.writes != runs_output::items) return std::nullopt;
    return plan_of(plan_compact(task.n, task.shape.key_bytes, false, false, task.device));
}

// Takes every task.
MaybePlan try_intervals(const RunsTask& task) {
    constexpr std::uint64_t warps = kRunThreads / 32;
    const std::uint64_t intervals = divide_up(task.n, kRunInterval);
    const scan_plan scan = plan_scan(intervals + 1, kRunTallies, {}, task.device);
    const std::uint32_t blocks = blocks_for(divide_up(intervals + 1, warps),
                                            8 * static_cast<std::uint32_t>(std::max(task.device.multiprocessors, 1)));
    return with_scratch({{},
                         runs_intervals{intervals, scan.scratch_bytes},
                         divide_up(intervals, warps),
                         warps * kRunInterval,
                         blocks,
                         2 + scan.launches,
                         0},
                        task);
}

constexpr std::array kCandidates{try_compaction_by_wave, try_wave, try_pipeline, try_compaction, try_intervals};

}  // namespace
}  // namespace grid

runs_plan plan_runs(std::uint64_t n, const runs_shape& shape, const device_properties& device) {
    detail::bytes_of("plan_runs", n, shape.key_bytes);
    return grid::first_plan(grid::kCandidates, grid::RunsTask{n, shape, device});
}

// ---- text ----------------------------------------------------------------------------------------------

namespace {

constexpr std::array kWayNames{"compaction", "wave", "pipeline", "intervals"};
static_assert(kWayNames.size() == std::variant_size_v<runs_way>);

std::string details_of(const compact_way& way) { return " by " + grid::text_of(way); }
std::string details_of(const runs_wave& way) { return way.cluster ? ", a cluster" : ""; }
std::string details_of(const runs_pipeline&) { return ""; }
std::string details_of(const runs_intervals& way) {
    return ", " + std::to_string(way.intervals) + " of them counted, scanned and written";
}

}  // namespace

const char* to_string(const runs_way& way) { return kWayNames[way.index()]; }

std::string to_string(const runs_plan& plan) {
    return std::string("runs: ") + to_string(plan.way) +
           std::visit([](const auto& way) { return details_of(way); }, plan.way) + ", " + grid::tiles_text(plan);
}

}  // namespace kogge
