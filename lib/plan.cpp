#include "kogge/plan.hpp"

#include <algorithm>
#include <sstream>

#include "kogge/grid/tile_memory.hpp"
#include "kogge/grid/tile_shape.hpp"
#include "kogge/grid/wave_shape.hpp"
#include "tuning.hpp"

namespace kogge {
namespace grid {
namespace {

int chosen_rows(Choice what, std::size_t item_bytes) { return static_cast<int>(chosen(what, item_bytes)); }

// Blocks of `threads` threads and `shared_bytes` bytes of shared memory that fill the device. One kibibyte a block is
// the system's own; more blocks than are chosen do not raise the number of bytes in flight.
std::uint32_t resident_blocks(int threads, std::size_t shared_bytes, std::size_t item_bytes,
                              const device_properties& device) {
    const std::size_t by_shared = device.shared_bytes_per_multiprocessor / (shared_bytes + 1024);
    const std::size_t by_threads = static_cast<std::size_t>(device.max_threads_per_multiprocessor / threads);
    const std::size_t each =
        std::clamp<std::size_t>(std::min(by_shared, by_threads), 1, chosen(Choice::tile_blocks, item_bytes));
    return static_cast<std::uint32_t>(each * static_cast<std::size_t>(std::max(device.multiprocessors, 1)));
}

// Whether the device has bulk copies and room on chip for a ring.
bool runs_rings(const device_properties& device) {
    return device.compute_major >= 9 && device.shared_bytes_per_block >= kRingSharedBytes;
}

// Whether a ring is one cooperative launch: up to `rounds` tiles a block, because zeroing before it takes 2 us.
bool is_one_launch(std::uint64_t tiles, std::uint64_t rounds, const device_properties& device) {
    return tiles <= rounds * static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
}

std::uint32_t blocks_for(std::uint64_t tiles, std::uint32_t most) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(tiles, most));
}

// Of one launch.
constexpr std::uint64_t kMostBlocks = (std::uint64_t{1} << 31) - 1;

// Below this many tiles one block walks over all of them in less time than a second launch takes.
constexpr std::uint64_t kOneBlockTiles = 2;

// The tiles of a wave.
struct Wave {
    int rows = 0;  // 0: the input does not fit
    int groups = 1;
    int packed_groups = 1;
    std::uint64_t tiles = 0;
    int counted_groups = 0;
    bool cluster = false, cooperative = false;
};
// What of a wave is in shared memory, beside its tables: of a scan, of runs, of a compaction.
enum class Staged { marks, one_group, groups };
// A single block if the items fit in few rows, because that needs no barrier between blocks; a cluster if they fit in
// few rows of its blocks, because its barrier takes half a microsecond where the grid's takes more than one; otherwise
// all blocks. Always the fewest rows a thread, and then the fewest groups of them.
Wave plan_wave(std::uint64_t n, std::size_t item_bytes, std::size_t aggregate_bytes, int most_rows, Staged staged,
               const device_properties& device) {
    const std::size_t by_threads = static_cast<std::size_t>(device.max_threads_per_multiprocessor / kWaveThreads);
    const auto multiprocessors = static_cast<std::uint64_t>(std::max(device.multiprocessors, 0));
    const auto group_items = [&](int rows) {
        return static_cast<std::uint64_t>(kWaveThreads * rows * wave_piece_items(item_bytes));
    };
    const auto shared_bytes = [&](int rows, int packed_groups) {
        const std::size_t packed = static_cast<std::size_t>(packed_groups) * group_items(rows) * item_bytes;
        return wave_table_bytes(aggregate_bytes) + (staged == Staged::marks ? kWaveMarkBytes : packed);
    };
    const auto blocks_each = [&](int rows, int packed_groups) -> std::uint64_t {  // that a multiprocessor holds
        const std::size_t shared = shared_bytes(rows, packed_groups);
        if (shared > device.shared_bytes_per_block) return 0;
        const std::size_t by_shared = device.shared_bytes_per_multiprocessor / (shared + 1024);
        return std::min({by_threads, by_shared, static_cast<std::size_t>(kWaveBlocks)});
    };
    const auto most_tiles = [&](int rows, int packed_groups) {
        return std::min(blocks_each(rows, packed_groups) * multiprocessors, kMostWaveTiles);
    };
    const auto tiles = [&](int rows, int groups) {
        return divide_up(n, group_items(rows) * static_cast<std::uint64_t>(groups));
    };
    const bool scans = staged == Staged::marks;
    const auto fewest_rows = [&](int most, auto most_blocks) -> Wave {
        for (int rows : kWaveRows) {
            const std::uint64_t needed = std::max<std::uint64_t>(tiles(rows, 1), 1);
            if (rows <= std::min(most, most_rows) && needed <= most_tiles(rows, 1) && needed <= most_blocks(rows))
                return {rows, 1, 1, tiles(rows, 1)};
        }
        return {};
    };
    Wave wave = fewest_rows(chosen_rows(scans ? Choice::scan_block_rows : Choice::compact_block_rows, item_bytes),
                            [](int) { return std::uint64_t{1}; });
    if (wave.rows > 0) return wave;
    const std::uint64_t most_in_cluster = device.cluster_blocks > 1 ? device.cluster_blocks : 0;
    wave = fewest_rows(chosen_rows(scans ? Choice::scan_cluster_rows : Choice::compact_cluster_rows, item_bytes),
                       [&](int rows) { return blocks_each(rows, 1) == kWaveBlocks ? most_in_cluster : 0; });
    wave.cluster = wave.rows > 0;
    if (wave.cluster) return wave;
    wave = fewest_rows(most_rows, [](int) { return kMostWaveTiles; });
    if (staged == Staged::groups) {
        const int most = chosen_rows(Choice::compact_wave_groups, item_bytes);
        for (int groups = 2;
             groups <= most && wave.rows == 0 && shared_bytes(most_rows, groups - 1) <= device.shared_bytes_per_block;
             ++groups)
            for (const int packed : {groups, groups - 1})
                if (wave.rows == 0 && tiles(most_rows, groups) <= most_tiles(most_rows, packed))
                    wave = {most_rows, groups, packed, tiles(most_rows, groups)};
    }
    wave.cooperative = wave.tiles > 1;
    return wave;
}

// A scan's wave whose blocks, two a multiprocessor, fill shared memory too. It needs work for most of them. (H200,
// 64-bit sums in a graph: 160 of 264 blocks 18.1 us, by a ring 17.9; 192 blocks 18.8 and 20.9.)
Wave plan_deep_wave(std::uint64_t n, const scan_shape& shape, const device_properties& device) {
    const std::size_t shared = deep_shared_bytes(shape.accumulator_bytes);
    if (device.compute_major < 9 || device.max_threads_per_multiprocessor < kWaveBlocks * kWaveThreads ||
        shared > device.shared_bytes_per_block ||
        kWaveBlocks * (shared + 1024) > device.shared_bytes_per_multiprocessor)
        return {};
    const auto tile = static_cast<std::uint64_t>(kWaveThreads * deep_items(shape.item_bytes));
    const auto blocks = static_cast<std::uint64_t>(kWaveBlocks * std::max(device.multiprocessors, 0));
    const std::uint64_t tiles = divide_up(n, tile);
    if (tiles > std::min(blocks, kMostWaveTiles) || tiles * 8 < blocks * 5) return {};
    Wave wave;
    wave.rows = kDeepRows;
    wave.tiles = tiles;
    wave.cooperative = tiles > 1;
    return wave;
}

// Of more groups in all, too few of those that are read again are still in the L2 cache. (H200: 2^25 words, 31 groups,
// take 122 us, and 128 by a ring; 2^24 of 64 bits, as many, 134 and 129; 12.6 million of them, 24 groups, 91 and 98.)
constexpr std::uint64_t most_counted_groups(std::size_t item_bytes) { return item_bytes < 8 ? 32 : 24; }

// A wave of a partition that counts the groups that do not fit the chip, and reads them again.
Wave plan_counted_wave(std::uint64_t n, std::size_t item_bytes, const device_properties& device) {
    const std::size_t group = static_cast<std::size_t>(kWaveThreads * kCountedRows * wave_piece_items(item_bytes));
    const std::size_t tables = wave_table_bytes(sizeof(std::uint32_t));
    const std::size_t shared =
        std::min(device.shared_bytes_per_multiprocessor / kWaveBlocks - 1024, device.shared_bytes_per_block);
    const std::uint64_t blocks =
        std::min(static_cast<std::uint64_t>(kWaveBlocks * std::max(device.multiprocessors, 0)), kMostWaveTiles);
    if (shared < tables || device.max_threads_per_multiprocessor < kWaveBlocks * kWaveThreads || blocks == 0) return {};
    const std::uint64_t packed = (shared - tables) / (group * item_bytes), groups = divide_up(n, group * blocks);
    if (packed == 0 || groups < packed + 2 || groups > most_counted_groups(item_bytes)) return {};
    Wave wave{kCountedRows, static_cast<int>(groups), static_cast<int>(packed)};
    wave.counted_groups = wave.groups - wave.packed_groups - 1;  // the last one is in registers
    wave.tiles = divide_up(n, group * groups);
    wave.cooperative = wave.tiles > 1;
    return wave;
}

}  // namespace

BoardMemory carve_board(detail::Carver& carver, std::uint64_t tiles, int words_per_slot,
                        std::size_t large_value_bytes) {
    BoardMemory memory{};
    const std::size_t start = carver.used();
    memory.ticket = carver.take<std::uint32_t>(1);
    memory.counter = carver.take<std::uint64_t>(1);
    memory.words = carver.take<std::uint64_t>(tiles * static_cast<std::uint64_t>(words_per_slot));
    memory.zeroed = carver.used() - start;
    if (large_value_bytes > 0) memory.values = carver.take<unsigned char>(tiles * large_value_bytes);
    return memory;
}

ScanMemory carve_scan(detail::Carver& carver, const scan_plan& plan, std::size_t accumulator_bytes) {
    ScanMemory memory;
    if (plan.grid == grid_strategy::one_wave)
        memory.sums.push_back(carver.take<unsigned char>(plan.tiles * accumulator_bytes));
    else if (plan.grid == grid_strategy::on_chip)
        memory.board = carve_board(carver, plan.tiles, slot_words(accumulator_bytes),
                                   slot_is_split(accumulator_bytes) ? 0 : accumulator_bytes);
    for (const scan_level& level : plan.levels)
        if (level.blocks > 1) memory.sums.push_back(carver.take<unsigned char>(level.blocks * accumulator_bytes));
    return memory;
}

CompactMemory carve_compact(detail::Carver& carver, const compact_plan& plan, std::uint64_t n, std::size_t item_bytes) {
    CompactMemory memory;
    if (plan.one_wave) memory.aggregates = carver.take<std::uint32_t>(plan.blocks);
    else memory.board = carve_board(carver, plan.tiles, 1, 0);
    if (plan.copies_input) memory.items = carver.take<unsigned char>(n * item_bytes);
    return memory;
}

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
        const std::size_t held = grid::held_bytes(shape);
        int most_rows = grid::most_scan_rows(shape);
        if (plan.grid == grid_strategy::automatic)
            most_rows = std::min(most_rows, grid::chosen_rows(grid::Choice::scan_wave_rows, held));
        grid::Wave wave = grid::plan_wave(n, held, shape.accumulator_bytes, most_rows, grid::Staged::marks, device);
        if (wave.rows == 0 && grid::fits_deep_wave(shape)) {
            wave = grid::plan_deep_wave(n, shape, device);
            plan.deep = wave.rows > 0;
        }
        if (wave.rows > 0) {
            plan.grid = grid_strategy::one_wave;
            plan.threads = grid::kWaveThreads;
            plan.rows = wave.rows;
            plan.items_per_thread = plan.deep ? grid::deep_items(held) : wave.rows * grid::wave_piece_items(held);
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
        plan.threads = grid::kRingThreads;
        plan.items_per_thread = grid::ring_items(shape);
        tile_items = static_cast<std::uint64_t>(plan.items_per_thread) * grid::kRingThreads;
        plan.tiles = grid::divide_up(n, tile_items);
        plan.cooperative = grid::is_one_launch(
            plan.tiles, grid::chosen(grid::Choice::scan_ring_rounds, grid::held_bytes(shape)), device);
    }

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

    detail::Carver carver;
    grid::carve_scan(carver, plan, shape.accumulator_bytes);
    plan.scratch_bytes = detail::scratch_with_slack(carver.used());
    return plan;
}

namespace {

compact_plan plan_kept(std::uint64_t n, std::size_t item_bytes, bool keep_rejected, bool in_place, int most_rows,
                       grid::Staged staged, const device_properties& device) {
    compact_plan plan;
    const auto with_scratch = [&] {
        detail::Carver carver;
        grid::carve_compact(carver, plan, n, item_bytes);
        plan.scratch_bytes = detail::scratch_with_slack(carver.used());
        return plan;
    };
    grid::Wave wave = grid::plan_wave(n, item_bytes, sizeof(std::uint32_t), most_rows, staged, device);
    if (wave.rows == 0 && keep_rejected && !in_place && grid::may_count_rows(item_bytes))
        wave = grid::plan_counted_wave(n, item_bytes, device);
    if (wave.rows > 0) {
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
        return with_scratch();
    }
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
    return with_scratch();
}

}  // namespace

compact_plan plan_compact(std::uint64_t n, std::size_t item_bytes, bool keep_rejected, bool in_place,
                          const device_properties& device) {
    detail::bytes_of("plan_compact", n, item_bytes);
    return plan_kept(n, item_bytes, keep_rejected, in_place, grid::most_compact_rows(item_bytes), grid::Staged::groups,
                     device);
}

compact_plan plan_runs(std::uint64_t n, std::size_t key_bytes, const device_properties& device) {
    detail::bytes_of("plan_runs", n, key_bytes);
    return plan_kept(n, key_bytes, false, false, grid::most_run_rows(key_bytes), grid::Staged::one_group, device);
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

template <class Plan>
std::string launch_text(const Plan& plan) {
    std::ostringstream text;
    text << plan.tiles << " tiles of " << plan.threads << " x " << plan.items_per_thread << " items, " << plan.blocks
         << " blocks, " << plan.launches << " launches, " << plan.scratch_bytes << " bytes of scratch";
    return text.str();
}

}  // namespace

std::string to_string(const scan_plan& plan) {
    return std::string("scan ") + to_string(plan.grid) +
           (plan.cluster     ? " in a cluster"
            : plan.deep      ? " deep"
            : plan.pipelined ? " pipelined"
                             : "") +
           " over " + to_string(plan.block) + ": " + launch_text(plan);
}

std::string to_string(const compact_plan& plan) {
    return std::string("compact") +
           (plan.cluster     ? " in one wave, a cluster: "
            : plan.one_wave  ? " in one wave: "
            : plan.pipelined ? " pipelined: "
                             : ": ") +
           launch_text(plan);
}

}  // namespace kogge
