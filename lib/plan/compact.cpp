// Plans of compactions, partitions and runs.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kogge/compact/scratch.hpp"
#include "kogge/engine/wave_shape.hpp"
#include "kogge/plan.hpp"
#include "kogge/runs/scratch.hpp"
#include "plan/tiles.hpp"
#include "plan/wave.hpp"

namespace kogge {
namespace {

compact_plan plan_of(const grid::Wave& wave, std::size_t item_bytes) {
    compact_plan plan;
    plan.one_wave = true;
    plan.threads = grid::kWaveThreads;
    plan.rows = wave.rows;
    plan.groups = wave.groups;
    plan.packed_groups = wave.packed_groups;
    plan.counted_groups = wave.counted_groups;
    plan.items_per_thread = wave.groups * wave.rows * grid::wave_piece_items(item_bytes);
    plan.tiles = wave.tiles;
    plan.cluster = wave.cluster;
    plan.cooperative = wave.cooperative;
    plan.blocks = std::max(static_cast<std::uint32_t>(wave.tiles), 1u);
    plan.launches = 1;
    return plan;
}

// Items of so many bytes are copied, if any.
compact_plan with_scratch(compact_plan plan, std::uint64_t n, std::size_t item_bytes) {
    detail::Carver carver;
    grid::carve_compact(carver, plan, n, item_bytes);
    plan.scratch_bytes = detail::scratch_with_slack(carver.used());
    return plan;
}

// Without the scratch, which depends on what blocks tell each other.
compact_plan plan_kept(std::uint64_t n, std::size_t item_bytes, std::size_t aggregate_bytes, bool keep_rejected,
                       bool in_place, int most_rows, grid::Staged staged, const device_properties& device) {
    grid::Wave wave = grid::plan_wave(n, item_bytes, aggregate_bytes, most_rows, staged, device);
    if (wave.rows == 0 && keep_rejected && !in_place && grid::may_count_rows(item_bytes))
        wave = grid::plan_counted_wave(n, item_bytes, device);
    if (wave.rows > 0) return plan_of(wave, item_bytes);
    compact_plan plan;
    plan.items_per_thread = grid::segment_items(item_bytes);
    const auto tiles_of = [&](int threads) {
        return grid::divide_up(n,
                               static_cast<std::uint64_t>(plan.items_per_thread) * static_cast<std::uint64_t>(threads));
    };
    plan.pipelined = grid::runs_rings(device) && grid::fits_ring(item_bytes) && tiles_of(grid::kRingThreads) > 1;
    plan.threads = plan.pipelined ? grid::kRingThreads : grid::kCompactThreads;
    plan.tiles = tiles_of(plan.threads);
    const std::size_t shared = 2 * item_bytes * static_cast<std::size_t>(plan.items_per_thread * plan.threads);
    const std::uint32_t most = plan.pipelined ? static_cast<std::uint32_t>(std::max(device.multiprocessors, 1))
                                              : grid::resident_blocks(plan.threads, shared, item_bytes, device);
    plan.blocks = std::max(grid::blocks_for(plan.tiles, most), 1u);
    if (keep_rejected)
        plan.count_blocks = static_cast<std::uint32_t>(grid::kCountBlocks * std::max(device.multiprocessors, 1));
    plan.copies_input = in_place;
    plan.cooperative =
        plan.pipelined && !keep_rejected &&
        grid::is_one_launch(plan.tiles, grid::chosen(grid::Choice::compact_ring_rounds, item_bytes), device);
    plan.launches = (plan.cooperative ? 1 : 2) + (keep_rejected ? 1 : 0) + (in_place ? 1 : 0);
    return plan;
}

// Of arrays of such items that one kernel takes, if one does.
std::optional<compact_plan> plan_together(std::uint64_t n, std::span<const std::size_t> item_bytes, bool byte_flags,
                                          const device_properties& device) {
    const int items = grid::arrays_items(item_bytes);
    if (items == 0) return {};
    const std::size_t place = grid::arrays_place_bytes(item_bytes);
    const grid::Wave wave = grid::plan_wave(n, place, sizeof(std::uint32_t), grid::most_arrays_rows(item_bytes),
                                            grid::Staged::one_group, device);
    if (wave.rows > 0) return with_scratch(plan_of(wave, place), n, 0);
    compact_plan plan;
    plan.tiles = grid::divide_up(n, static_cast<std::uint64_t>(items) * grid::kRingThreads);
    if (byte_flags || !grid::runs_rings(device) || plan.tiles < 2) return {};
    plan.pipelined = true;
    plan.threads = grid::kRingThreads;
    plan.items_per_thread = items;
    plan.blocks = grid::blocks_for(plan.tiles, static_cast<std::uint32_t>(std::max(device.multiprocessors, 1)));
    const std::size_t widest = *std::max_element(item_bytes.begin(), item_bytes.end());
    plan.cooperative = grid::is_one_launch(plan.tiles, grid::chosen(grid::Choice::compact_ring_rounds, widest), device);
    plan.launches = plan.cooperative ? 1 : 2;
    return with_scratch(plan, n, 0);
}

}  // namespace

compact_plan plan_compact(std::uint64_t n, std::size_t item_bytes, bool keep_rejected, bool in_place,
                          const device_properties& device) {
    detail::bytes_of("plan_compact", n, item_bytes);
    const compact_plan plan = plan_kept(n, item_bytes, sizeof(std::uint32_t), keep_rejected, in_place,
                                        grid::most_compact_rows(item_bytes), grid::Staged::groups, device);
    if (!plan.one_wave && !plan.pipelined && grid::compact_shared_bytes(item_bytes) > device.shared_bytes_per_block)
        throw error(errc::invalid_argument, "plan_compact",
                    "items of " + std::to_string(item_bytes) + " bytes are too wide for this device's chip");
    return with_scratch(plan, n, item_bytes);
}

compact_plan plan_compact_arrays(std::uint64_t n, const compact_arrays_shape& shape, const device_properties& device) {
    if (shape.item_bytes.empty()) throw error(errc::invalid_argument, "plan_compact_arrays", "there are no arrays");
    for (const std::size_t bytes : shape.item_bytes) detail::bytes_of("plan_compact_arrays", n, bytes);
    const int arrays = static_cast<int>(shape.item_bytes.size());
    if (arrays > 1 && !shape.one_by_one) {
        std::vector<std::size_t> item_bytes = shape.item_bytes;
        if (shape.stencil_bytes > 0) item_bytes.push_back(shape.stencil_bytes);
        if (auto plan = plan_together(n, item_bytes, shape.byte_flags, device)) {
            plan->arrays = arrays;
            return *plan;
        }
    }
    compact_plan widest;
    int launches = 0;
    for (const std::size_t bytes : shape.item_bytes) {
        const compact_plan plan = plan_compact(n, bytes, false, false, device);
        launches += plan.launches;
        if (plan.scratch_bytes >= widest.scratch_bytes) widest = plan;
    }
    widest.launches = launches;
    widest.scratch_bytes = detail::scratch_with_slack(widest.scratch_bytes);  // their calls share it
    return widest;
}

runs_plan plan_runs(std::uint64_t n, const runs_shape& shape, const device_properties& device) {
    const std::size_t key_bytes = shape.key_bytes;
    detail::bytes_of("plan_runs", n, key_bytes);
    runs_plan plan{plan_kept(n, key_bytes, grid::kRunTallyBytes, false, false, grid::most_run_rows(key_bytes),
                             grid::Staged::one_group, device)};
    const bool on_chip = grid::packs_places(key_bytes, shape.writes) && (plan.one_wave || plan.pipelined);
    if (shape.writes == runs_output::items) {
        // A compaction holds more words on chip, in fewer rows, and finds the neighbours of wide items sooner in the
        // cache than the lanes of a wave hand them on.
        const bool wave_is_narrow = plan.one_wave && plan.rows <= grid::most_compact_rows(key_bytes);
        const bool must = !on_chip || key_bytes > 16, may = key_bytes > 4 || (key_bytes == 4 && !wave_is_narrow);
        if (must || may) {
            const compact_plan kept = plan_compact(n, key_bytes, false, false, device);
            plan.compacts = must || kept.one_wave;
            if (plan.compacts) static_cast<compact_plan&>(plan) = kept;
        }
        if (plan.compacts) return plan;
    }
    if (on_chip) {
        plan.launches += !plan.one_wave && shape.writes == runs_output::lengths ? 1 : 0;
    } else {
        static_cast<compact_plan&>(plan) = {};
        plan.threads = grid::kRunThreads;
        plan.items_per_thread = grid::kRunRows;
        plan.stretches = grid::divide_up(n, grid::kRunStretch);
        constexpr std::uint64_t warps = grid::kRunThreads / 32;
        plan.tiles = grid::divide_up(plan.stretches, warps);
        plan.blocks = grid::blocks_for(grid::divide_up(plan.stretches + 1, warps),
                                       8 * static_cast<std::uint32_t>(std::max(device.multiprocessors, 1)));
        const scan_plan scan = plan_scan(plan.stretches + 1, grid::kRunTallies, {}, device);
        plan.scan_bytes = scan.scratch_bytes;
        plan.launches = 2 + scan.launches;
    }
    detail::Carver carver;
    grid::carve_runs(carver, plan, shape.writes);
    plan.scratch_bytes = detail::scratch_with_slack(carver.used());
    return plan;
}

std::string to_string(const compact_plan& plan) {
    return std::string("compact") + (plan.arrays > 1 ? " of " + std::to_string(plan.arrays) + " arrays" : "") +
           (plan.cluster     ? " in one wave, a cluster: "
            : plan.one_wave  ? " in one wave: "
            : plan.pipelined ? " pipelined: "
                             : ": ") +
           grid::launch_text(plan);
}

std::string to_string(const runs_plan& plan) {
    if (plan.compacts) return to_string(static_cast<const compact_plan&>(plan));
    return std::string("runs") +
           (plan.one_wave    ? " in one wave: "
            : plan.pipelined ? " pipelined: "
                             : ", counted and then written: ") +
           grid::launch_text(plan);
}

}  // namespace kogge
