#include "plan/wave.hpp"

#include <algorithm>

#include "kogge/engine/wave_shape.hpp"

namespace kogge::grid {

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

namespace {

// With more groups, too few of those that are read again are still in the L2 cache. (H200: 2^25 words, 31 groups,
// take 122 us, and 128 by a ring; 2^24 of 64 bits, as many, 134 and 129; 12.6 million of them, 24 groups, 91 and 98.)
constexpr std::uint64_t most_counted_groups(std::size_t item_bytes) { return item_bytes < 8 ? 32 : 24; }

}  // namespace

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

}  // namespace kogge::grid
