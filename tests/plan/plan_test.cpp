// kogge-test: HOST
// Plans are pure functions that need no GPU, say what they plan, and cover every item.
#include "kogge/plan.hpp"
#include "kogge/plan_segmented_sort.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <string>

#include "../../lib/tuning/tuning.hpp"
#include "kogge/pass/shape.hpp"
#include "kogge/sort/prefix/shape.hpp"
#include "support/compact_plans.hpp"
#include "support/scan_plans.hpp"
#include "support/sort_plans.hpp"

namespace {

using namespace kogge;
using namespace tests;

constexpr std::uint64_t kTwo31 = std::uint64_t{1} << 31, kTwo32 = std::uint64_t{1} << 32;
constexpr std::uint64_t kSizes[] = {1,          2,          1000,     5119,       5120,
                                    5121,       100000,     1u << 24, kTwo31 - 1, kTwo31,
                                    kTwo31 + 1, kTwo32 - 1, kTwo32,   kTwo32 + 1, std::uint64_t{1} << 36};

std::vector<device_properties> devices() {
    std::vector<device_properties> list(4, h200_properties());
    list[1].compute_major = 7;
    list[1].cluster_blocks = 1;
    list[2].multiprocessors = 1;
    list[3].shared_bytes_per_block = 99 * 1024;
    list[3].shared_bytes_per_multiprocessor = 100 * 1024;
    return list;
}

void for_each(const std::function<void(std::uint64_t, const device_properties&)>& check) {
    for (const std::uint64_t n : kSizes)
        for (const device_properties& device : devices()) {
            SCOPED_TRACE(std::to_string(n) + " items on " + std::to_string(device.multiprocessors) +
                         " multiprocessors of compute capability " + std::to_string(device.compute_major));
            check(n, device);
        }
}

TEST(Devices, AreKnownByName) {
    EXPECT_EQ(known_device("H100").multiprocessors, 132);
    EXPECT_EQ(known_device("sm_89"), known_device("RTX 4090"));
    EXPECT_EQ(known_device("T4").compute_minor, 5);
    for (const char* const name : {"", "H1000", "sm_9", "rtx 4090"}) {
        try {
            known_device(name);
            ADD_FAILURE() << name;
        } catch (const error& failure) {
            EXPECT_EQ(failure.code(), errc::invalid_argument);
            EXPECT_NE(std::string(failure.what()).find("RTX 4090 (sm_89)"), std::string::npos) << failure.what();
        }
    }
}

TEST(ScanPlan, CoversEveryItemWithEveryStrategy) {
    for_each([](std::uint64_t n, const device_properties& device) {
        for (const auto grid : {grid_strategy::automatic, one_wave, on_chip, two_level, recursive, one_block})
            for (const scan_shape shape : {scan_shape{1, 1, 1}, {4, 4, 4}, {1, 8, 8}, {16, 16, 16}, {100, 100, 100}}) {
                const scan_plan plan = plan_scan(n, shape, {.grid = grid}, device);
                const std::uint64_t tile =
                    static_cast<std::uint64_t>(plan.threads) * static_cast<std::uint64_t>(plan.items_per_thread);
                const std::vector<scan_level> levels = levels_of(plan);
                EXPECT_GE(plan.tiles * tile, n);
                EXPECT_LT((plan.tiles - 1) * tile, n);
                EXPECT_GE(plan.blocks, 1u);
                EXPECT_LE(plan.blocks, plan.tiles);
                EXPECT_TRUE(grid == grid_strategy::automatic || plan.grid == grid ||
                            (grid == one_wave && plan.grid == on_chip));
                if (plan.grid == one_wave) {
                    EXPECT_EQ(plan.blocks, plan.tiles) << "a tile a block";
                    EXPECT_EQ(plan.launches, 1);
                    EXPECT_GE(plan.scratch_bytes, plan.tiles * shape.accumulator_bytes);
                } else if (plan.grid == on_chip) {
                    EXPECT_TRUE(levels.empty());
                } else {
                    ASSERT_FALSE(levels.empty());
                    EXPECT_GE(levels[0].tiles_per_block * levels[0].blocks, plan.tiles);
                    EXPECT_EQ(levels.back().blocks, 1u);
                    EXPECT_EQ(plan.launches, static_cast<int>(2 * levels.size() - 1));
                }
                EXPECT_EQ(plan.scratch_bytes == 0, !levels.empty() && levels[0].blocks == 1);
            }
    });
}

// One block a tile, as far as a launch has blocks.
TEST(ScanPlan, RecursesOverMoreTilesThanALaunchHasBlocks) {
    const scan_shape shape{100, 100, 100};  // tiles of 256 items
    for (const std::uint64_t tiles : {kTwo31 - 1, kTwo31, kTwo32 - 1, kTwo32, kTwo32 + 1, 5 * kTwo31}) {
        const scan_plan plan = plan_scan(tiles * 256, shape, {.grid = recursive}, h200_properties());
        ASSERT_FALSE(levels_of(plan).empty());
        const scan_level first = levels_of(plan)[0];
        EXPECT_EQ(plan.blocks, first.blocks);
        EXPECT_LT(first.blocks, kTwo31);
        EXPECT_GE(first.tiles_per_block * first.blocks, tiles);
        EXPECT_LT(first.tiles_per_block * (first.blocks - 1), tiles);
        EXPECT_EQ(first.tiles_per_block == 1, tiles < kTwo31);
        EXPECT_GE(plan.scratch_bytes, std::uint64_t{first.blocks} * 100);
    }
}

// A ring of few tiles zeroes its board itself, and must be resident as a whole.
TEST(ScanPlan, ARingOfFewTilesIsOneLaunch) {
    const device_properties device = h200_properties();
    const std::uint64_t round = 132 * 10240;
    const auto most_items = [&](const auto& is_one_launch) {
        std::uint64_t rounds = 1;
        while (is_one_launch((rounds + 1) * round)) ++rounds;
        return rounds * round;
    };
    const std::uint64_t most = most_items([&](std::uint64_t n) {
        return is_cooperative(plan_scan(n, {4, 4, 4}, {}, device));
    });
    const scan_plan few = plan_scan(most, {4, 4, 4}, {}, device), many = plan_scan(most + 1, {4, 4, 4}, {}, device);
    EXPECT_TRUE(is_pipelined(few) && is_cooperative(few));
    EXPECT_EQ(few.launches, 1);
    EXPECT_EQ(few.blocks, 132u);
    EXPECT_TRUE(is_pipelined(many) && !is_cooperative(many));
    EXPECT_EQ(many.launches, 2);
    EXPECT_FALSE(is_cooperative(plan_scan(most, {4, 4, 4}, {}, devices()[1]))) << "no ring";
}

// By key and of segments the values are on chip, and a bit an item.
TEST(ScanPlan, RunsTakeTheRoomOfTheirValues) {
    const auto plan = [](std::uint64_t n, std::size_t value, std::size_t flagged) {
        return plan_scan(n, {flagged, value, flagged, value}, {}, h200_properties());
    };
    const std::uint64_t wave = 264 * 512 * 8 * 4;
    EXPECT_EQ(plan(wave, 4, 8).grid, one_wave);
    EXPECT_EQ(wave_rows(plan(wave, 4, 8)), 8);
    EXPECT_EQ(wave_rows(plan(wave / 4, 8, 16)), 4);
    EXPECT_NE(plan(wave / 4 + 1, 8, 16).grid, one_wave) << "four rows of other values";
    const scan_plan ring = plan(wave + 1, 4, 8);
    EXPECT_TRUE(is_pipelined(ring));
    EXPECT_EQ(ring.items_per_thread, 20);
    EXPECT_EQ(plan(1u << 26, 1, 2).items_per_thread, 20) << "a bit an item in one word";
    EXPECT_EQ(plan(1u << 26, 8, 16).items_per_thread, 10);
    EXPECT_FALSE(is_pipelined(plan(1u << 26, 16, 32))) << "wide folds";
    EXPECT_FALSE(is_pipelined(plan(1u << 26, 12, 16))) << "values that bulk copies do not take";
}

TEST(ScanPlan, NeedsRoomOnChipForARing) {
    const auto all = devices();
    EXPECT_TRUE(is_pipelined(plan_scan(1u << 24, {4, 4, 4}, {}, all[0])));
    EXPECT_FALSE(is_pipelined(plan_scan(1u << 24, {4, 4, 4}, {}, all[1])));
    EXPECT_FALSE(is_pipelined(plan_scan(1u << 24, {4, 4, 4}, {}, all[3])));
    EXPECT_FALSE(is_pipelined(plan_scan(1u << 24, {4, 4, 4}, {.block = network::blelloch}, all[0])));
}

// A wave must be resident as a whole, and its registers hold so many rows.
TEST(ScanPlan, AWaveFitsTheDevice) {
    device_properties device = h200_properties();
    const auto plan = [&](std::uint64_t n, std::size_t bytes) {
        return plan_scan(n, {bytes, bytes, bytes}, {.grid = one_wave}, device);  // rings may be faster before
    };
    EXPECT_EQ(plan(2048, 4).blocks, 1u);
    EXPECT_EQ(wave_rows(plan(2048, 4)), 1);
    EXPECT_EQ(plan(4096, 4).blocks, 1u) << "two rows";
    EXPECT_EQ(plan(4097, 4).blocks, 3u);
    EXPECT_EQ(plan(513, 100).blocks, 2u) << "one row";
    const std::uint64_t most = 264 * 512 * 8 * 4;
    EXPECT_EQ(plan(most, 4).grid, one_wave);
    EXPECT_EQ(plan(most, 4).blocks, 264u);
    EXPECT_EQ(plan(most + 1, 4).grid, on_chip);
    EXPECT_EQ(plan(264 * 512 * 32 + 1, 1).grid, on_chip) << "of bytes two rows, whose code is long";
    device.multiprocessors = 1000;
    EXPECT_EQ(plan(2'000'000, 16).blocks, 489u);
    EXPECT_EQ(plan(512 * 512 * 8 + 1, 16).grid, on_chip) << "a thread an aggregate";
    device.max_threads_per_multiprocessor = 1024;
    device.multiprocessors = 10;
    EXPECT_EQ(plan(20 * 512 * 8 * 4, 4).blocks, 20u);
    device.max_threads_per_multiprocessor = 768;
    EXPECT_EQ(plan(20 * 512 * 8 * 4, 4).grid, on_chip) << "one block a multiprocessor";
}

// Beyond what registers hold, shared memory does, of all blocks at once.
TEST(ScanPlan, ADeepWaveFillsSharedMemoryToo) {
    device_properties device = h200_properties();
    const auto plan = [&](std::uint64_t n, std::size_t bytes) {
        return plan_scan(n, {bytes, bytes, bytes}, {}, device);
    };
    const std::uint64_t tile = 512 * 32, wave = 132 * tile, least = 165 * tile, most = 264 * tile;
    EXPECT_FALSE(is_deep(plan(wave, 8)));
    EXPECT_TRUE(is_pipelined(plan(wave + 1, 8))) << "too few blocks";
    EXPECT_TRUE(is_deep(plan(least, 8)) && is_cooperative(plan(least, 8)));
    EXPECT_EQ(plan(most, 8).grid, one_wave);
    EXPECT_EQ(plan(most, 8).blocks, 264u);
    EXPECT_EQ(plan(most, 8).items_per_thread, 32);
    EXPECT_NE(to_string(plan(most, 8)).find("one_wave, deep wave"), std::string::npos);
    EXPECT_TRUE(is_pipelined(plan(most + 1, 8)));
    EXPECT_FALSE(is_deep(plan(2 * most, 4)));
    EXPECT_FALSE(is_deep(plan_scan(most, {8, 8, 8, 4}, {}, device))) << "by key";
    EXPECT_FALSE(is_deep(plan_scan(most, {8, 8, 16}, {}, device))) << "wide folds";
    EXPECT_FALSE(is_deep(plan_scan(most, {8, 8, 8}, {.grid = on_chip}, device)));
    device.shared_bytes_per_multiprocessor -= 8 * 1024;
    EXPECT_TRUE(is_pipelined(plan(most, 8))) << "room for one block";
    device = h200_properties();
    device.compute_major = 8;
    EXPECT_EQ(plan(most, 8).grid, on_chip) << "no bulk copies";
}

// A pipeline of few tiles zeroes their status itself, and must be resident as a whole.
TEST(CompactPlan, APipelineOfFewTilesIsOneLaunch) {
    const device_properties device = h200_properties();
    const auto plan = [&](std::uint64_t tiles) { return plan_compact(tiles * 10240, 4, false, false, device); };
    std::uint64_t most = 132;
    while (is_cooperative(plan(most + 132))) most += 132;
    EXPECT_TRUE(is_pipelined(plan(most)));
    EXPECT_EQ(plan(most).launches, 1);
    EXPECT_EQ(plan(most).blocks, 132u);
    EXPECT_TRUE(draws_tickets(plan(most + 1)));
    EXPECT_EQ(plan(most + 1).launches, 2);
    const compact_plan in_place = plan_compact(most * 10240, 4, true, true, device);
    EXPECT_TRUE(draws_tickets(in_place)) << "its count is zeroed before";
    EXPECT_EQ(in_place.launches, 4) << "a fill, a count, a copy, the compaction";
}

TEST(CompactPlan, NeedsRoomOnChipForAPipeline) {
    const auto all = devices();
    EXPECT_TRUE(is_pipelined(plan_compact(1u << 24, 4, false, false, all[0])));
    EXPECT_TRUE(plan_compact(1u << 24, 4, false, false, all[1]).is<compact_tiles>()) << "no bulk copies";
    EXPECT_TRUE(plan_compact(1u << 24, 4, false, false, all[3]).is<compact_tiles>());
    EXPECT_TRUE(plan_compact(1u << 24, 12, false, false, all[0]).is<compact_tiles>());
}

TEST(CompactPlan, AWaveOfFewBlocksIsACluster) {
    const auto wave = [](std::uint64_t n, std::size_t bytes) {
        return wave_of(plan_compact(n, bytes, false, false, h200_properties()));
    };
    EXPECT_FALSE(wave(1000, 4).cluster || wave(1000, 4).cooperative) << "one block";
    EXPECT_TRUE(wave(4097, 4).cluster && !wave(4097, 4).cooperative);
    EXPECT_TRUE(!wave(20'000, 100).cluster && wave(20'000, 100).cooperative) << "40 tiles";
}

// Few rows are in registers. More are in batches, as many of them in shared memory as two blocks per multiprocessor
// have room for, and one more in registers.
TEST(CompactPlan, AWaveFitsTheDevice) {
    const auto plan = [](std::uint64_t n, std::size_t bytes) {
        return plan_compact(n, bytes, false, false, h200_properties());
    };
    const auto expect_batches = [&](std::uint64_t n, std::size_t bytes, int rows, int batches, int packed) {
        const compact_wave made = wave_of(plan(n, bytes));
        EXPECT_EQ(made.rows, rows) << n;
        EXPECT_EQ(made.batches, batches) << n;
        EXPECT_EQ(made.packed_batches, packed) << n;
        EXPECT_EQ(made.counted_batches, 0) << n;
    };
    const std::uint64_t group = 264 * 512 * 4 * 4;
    expect_batches(1u << 20, 4, 2, 1, 1);
    expect_batches(group, 4, 4, 1, 1);
    expect_batches(group + 1, 4, 4, 2, 2);
    expect_batches(3 * group, 4, 4, 3, 3);
    expect_batches(3 * group + 1, 4, 4, 4, 3);
    expect_batches(4 * group, 4, 4, 4, 3);
    EXPECT_FALSE(is_wave(plan(4 * group + 1, 4)));
    expect_batches(1u << 22, 8, 4, 4, 3);
    expect_batches(1u << 24, 1, 2, 4, 4);
    expect_batches(100'000, 100, 1, 1, 1);
    expect_batches(264 * 512 * 3, 100, 1, 3, 2);
    EXPECT_FALSE(is_wave(plan(264 * 512 * 3 + 1, 100))) << "a row is 50 KiB";
    const auto runs = [](std::uint64_t n, std::size_t bytes, runs_output writes = runs_output::lengths) {
        return plan_runs(n, {bytes, writes}, h200_properties());
    };
    EXPECT_EQ(wave_of(runs(2 * group, 4)).rows, 8);
    EXPECT_GE(runs(2 * group, 4).scratch_bytes, 264 * 2 * sizeof(std::uint32_t))
        << "a count and a place for each block";
    EXPECT_LT(runs(2 * group, 4, runs_output::values).scratch_bytes, 264 * 2 * sizeof(std::uint32_t)) << "a count";
    EXPECT_FALSE(is_wave(runs(2 * group + 1, 4))) << "runs have one batch";
    EXPECT_EQ(wave_of(runs(264 * 512 * 8 * 2, 8)).rows, 8);
}

TEST(RunsPlan, OfKeysOfManySizes) {
    for_each([](std::uint64_t n, const device_properties& device) {
        for (const std::size_t bytes : {1, 2, 4, 8, 12, 16, 24})
            for (const auto writes : {runs_output::items, runs_output::values, runs_output::lengths}) {
                const runs_plan plan = plan_runs(n, {bytes, writes}, device);
                EXPECT_GE(plan.tiles * plan.tile_items, n);
                EXPECT_LT((plan.tiles - 1) * plan.tile_items, n);
                if (is_compaction(plan)) {
                    EXPECT_EQ(writes, runs_output::items);
                    EXPECT_EQ(plan.scratch_bytes, plan_compact(n, bytes, false, false, device).scratch_bytes);
                    continue;
                }
                const auto* const way = plan.as<runs_intervals>();
                EXPECT_FALSE(way && writes == runs_output::items) << n << ", " << bytes;
                EXPECT_TRUE(way || writes == runs_output::items || bytes > 1) << "no places fit where bytes stand";
                if (!way) continue;
                EXPECT_EQ(way->intervals, (n + 1023) / 1024);
                EXPECT_GE(plan.scratch_bytes, way->intervals * 16 + way->scan_bytes);
                EXPECT_GE(plan.launches, 3);
            }
    });
    const device_properties device = h200_properties();
    EXPECT_EQ(plan_runs(1u << 28, {4, runs_output::lengths}, device).launches,
              plan_runs(1u << 28, {4, runs_output::items}, device).launches + 1)
        << "lengths at the ends of slices";
    EXPECT_TRUE(is_compaction(plan_runs(1u << 20, {8, runs_output::items}, device)));
    EXPECT_TRUE(is_pipelined(plan_runs(1u << 28, {8, runs_output::items}, device)));
    EXPECT_TRUE(is_compaction(plan_runs(1u << 28, {24, runs_output::items}, device)));
}

TEST(EmitPlan, CoversItemsAndOutputs) {
    for_each([](std::uint64_t n, const device_properties& device) {
        for (const std::uint64_t capacity : {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{1} << 34})
            for (const std::size_t count_bytes : {4, 8}) {
                if (n > std::uint64_t{1} << 43) continue;
                const emit_plan plan = plan_emit(n, capacity, count_bytes, device);
                EXPECT_EQ(plan.tiles, (n + plan.tile_items - 1) / plan.tile_items);
                EXPECT_GE(plan.blocks, 1u);
                EXPECT_TRUE(!is_wave(plan) || plan.blocks >= plan.tiles) << n;
                EXPECT_EQ(wave_of(plan).cluster + wave_of(plan).cooperative, is_wave(plan) && plan.blocks > 1) << n;
                EXPECT_GE(plan.scratch_bytes, plan.tiles * 8);
                EXPECT_LT(plan.scratch_bytes, plan.tiles * 32 + 2000) << "a sum, and at most a large tile, of each";
            }
    });
    const device_properties device = h200_properties();
    EXPECT_EQ(plan_emit(1000, 1000, 4, device).blocks, 1u);
    EXPECT_TRUE(is_wave(plan_emit(1000, 1u << 20, 4, device)));
    EXPECT_GT(plan_emit(1000, 1u << 20, 4, device).blocks, 1u) << "blocks share outputs of one tile";
    EXPECT_EQ(wave_of(plan_emit(1000, 1000, 4, device)).items_per_thread, 4);
    EXPECT_EQ(wave_of(plan_emit(1u << 20, 1u << 20, 4, device)).items_per_thread, 8);
    EXPECT_FALSE(is_wave(plan_emit(1u << 24, 1u << 20, 4, device)));
    EXPECT_GT(plan_emit(std::uint64_t{1} << 43, 9, 4, device).tiles, std::uint64_t{1} << 31);
    EXPECT_THROW(plan_emit(std::uint64_t{1} << 45, 9, 4, device), error);
    EXPECT_THROW(plan_emit(9, 9, 2, device), error);
    EXPECT_THROW(plan_emit(9, ~std::uint64_t{0}, 4, device), error);
}

// A partition into one output whose items do not fit the chip reads some of them twice, unless they are very many.
TEST(CompactPlan, APartitionMayReadBatchesTwice) {
    const std::uint64_t group = 264 * 512 * 2 * 4;
    for (const int batches : {9, 16, 32}) {
        const compact_plan plan =
            plan_compact(group * static_cast<std::uint64_t>(batches), 4, true, false, h200_properties());
        const compact_wave wave = wave_of(plan);
        EXPECT_TRUE(wave.cooperative) << batches;
        EXPECT_EQ(wave.rows, 2);
        EXPECT_EQ(wave.batches, batches);
        EXPECT_EQ(wave.packed_batches, 7);
        EXPECT_EQ(wave.counted_batches, batches - 8);
        EXPECT_EQ(plan.blocks, 264u);
    }
    const compact_wave fits = wave_of(plan_compact(group * 8, 4, true, false, h200_properties()));
    EXPECT_TRUE(fits.rows > 0 && fits.counted_batches == 0);
    EXPECT_FALSE(is_wave(plan_compact(group * 32 + 1, 4, true, false, h200_properties())));
    EXPECT_TRUE(is_wave(plan_compact(group / 2 * 24, 8, true, false, h200_properties())));
    EXPECT_FALSE(is_wave(plan_compact(group / 2 * 24 + 1, 8, true, false, h200_properties())));
    EXPECT_FALSE(is_wave(plan_compact(group * 16, 4, true, true, h200_properties()))) << "in place";
    EXPECT_FALSE(is_wave(plan_compact(group * 16, 4, false, false, h200_properties()))) << "two outputs";
    EXPECT_FALSE(is_wave(plan_compact(group * 64, 1, true, false, h200_properties()))) << "of bytes two rows";
    device_properties device = h200_properties();
    device.max_threads_per_multiprocessor = 768;
    EXPECT_FALSE(is_wave(plan_compact(group * 16, 4, true, false, device))) << "one block a multiprocessor";
}

// Few blocks are a cluster where the device has them; a cluster of many rows would be slower than more blocks.
TEST(ScanPlan, AWaveOfFewBlocksIsACluster) {
    device_properties device = h200_properties();
    const auto plan = [&](std::uint64_t n) { return plan_scan(n, {4, 4, 4}, {}, device); };
    EXPECT_FALSE(is_cluster(plan(4096)) || is_cooperative(plan(4096))) << "one block";
    constexpr std::uint64_t row = 2048;
    const int rows = static_cast<int>(grid::chosen(grid::Choice::scan_cluster_rows, 4));
    const std::uint64_t most = 16 * row * static_cast<std::uint64_t>(rows);
    for (const std::uint64_t n : {std::uint64_t{4097}, 16 * row, most}) {
        EXPECT_TRUE(is_cluster(plan(n)) && !is_cooperative(plan(n))) << n;
        EXPECT_LE(plan(n).blocks, 16u);
    }
    EXPECT_EQ(wave_rows(plan(16 * row)), 1);
    EXPECT_EQ(wave_rows(plan(most)), rows);
    EXPECT_TRUE(!is_cluster(plan(most + 1)) && is_cooperative(plan(most + 1)));
    EXPECT_EQ(plan(most + 1).blocks, most / row + 1) << "a row";
    EXPECT_NE(to_string(plan(4097)).find(", in a cluster"), std::string::npos);
    device.cluster_blocks = 8;
    EXPECT_TRUE(is_cluster(plan(most / 2)) && !is_cluster(plan(most / 2 + 1)));
    device.cluster_blocks = 1;
    EXPECT_TRUE(is_cooperative(plan(4097)) && !is_cluster(plan(4097)))
        << "no clusters, however many rows a block may take";
    device.cluster_blocks = 16;
    device.max_threads_per_multiprocessor = 768;
    EXPECT_FALSE(is_cluster(plan(4097))) << "one block a multiprocessor: clusters of that kind may be smaller";
}

TEST(CompactPlan, OfSeveralArrays) {
    for_each([](std::uint64_t n, const device_properties& device) {
        for (const compact_arrays_shape& shape : {compact_arrays_shape{{4, 4}},
                                                  {{1, 1}},
                                                  {{8, 4, 4}, 2},
                                                  {{16, 16, 16, 16}},
                                                  {{4, 12}},
                                                  {{8, 8}, 0, true}}) {
            const compact_plan plan = plan_compact_arrays(n, shape, device);
            std::size_t scratch = 0;
            int launches = 0;
            for (const std::size_t bytes : shape.item_bytes) {
                const compact_plan each = plan_compact(n, bytes, false, false, device);
                scratch = std::max(scratch, each.scratch_bytes);
                launches += each.launches;
            }
            EXPECT_TRUE(plan.arrays == 1 || plan.arrays == static_cast<int>(shape.item_bytes.size()));
            if (plan.arrays == 1) {
                EXPECT_EQ(plan.launches, launches);
                EXPECT_EQ(plan.scratch_bytes, detail::scratch_with_slack(scratch));
                continue;
            }
            EXPECT_EQ(plan.tiles, (n + plan.tile_items - 1) / plan.tile_items);
            EXPECT_LE(plan.blocks, std::max(plan.tiles, std::uint64_t{1}));
            EXPECT_LE(plan.launches, 2);
            EXPECT_TRUE(is_wave(plan) || is_pipelined(plan));
            if (is_wave(plan)) EXPECT_GE(plan.scratch_bytes, plan.tiles * sizeof(std::uint32_t));
            else EXPECT_GT(plan.scratch_bytes, plan.tiles * sizeof(std::uint64_t));
        }
    });
    const device_properties device = h200_properties();
    EXPECT_EQ(plan_compact_arrays(1u << 20, {{4, 4}}, device).arrays, 2);
    EXPECT_TRUE(is_wave(plan_compact_arrays(1u << 20, {{4, 4}}, device)));
    EXPECT_TRUE(is_wave(plan_compact_arrays(1u << 20, {{4, 4}, 0, true}, device))) << "byte flags";
    EXPECT_TRUE(is_wave(plan_compact_arrays(1000, {{4, 4, 8}, 1}, devices()[1]))) << "no ring";
    EXPECT_EQ(plan_compact_arrays(1000, {{4, 4}, 0, false, true}, device).arrays, 1) << "not by nvcc";
    EXPECT_EQ(plan_compact_arrays(1u << 24, {{4, 4}}, device).arrays, 2);
    EXPECT_EQ(plan_compact_arrays(1u << 24, {{4, 4, 8}, 4}, device).arrays, 3);
    EXPECT_EQ(plan_compact_arrays(1u << 24, {{4, 4}, 3}, device).arrays, 1) << "a stencil of 3 bytes";
    EXPECT_EQ(plan_compact_arrays(1u << 24, {{4, 4}, 0, true}, device).arrays, 1) << "byte flags";
    EXPECT_EQ(plan_compact_arrays(1u << 24, {{4, 4}}, devices()[1]).arrays, 1) << "no ring";
    EXPECT_NE(to_string(plan_compact_arrays(1u << 24, {{4, 4}}, device)).find("of 2 arrays: pipeline, "),
              std::string::npos);
    EXPECT_THROW(plan_compact_arrays(9, {}, device), error);
    EXPECT_THROW(plan_compact_arrays(9, {{4, 0}}, device), error);
}

TEST(CompactPlan, CoversEveryItem) {
    for_each([](std::uint64_t n, const device_properties& device) {
        for (const std::size_t bytes : {1, 4, 12, 16, 100}) {
            const compact_plan plan = plan_compact(n, bytes, false, false, device);
            EXPECT_GE(plan.tiles * plan.tile_items, n);
            EXPECT_LT((plan.tiles - 1) * plan.tile_items, n);
            EXPECT_LE(plan.blocks, plan.tiles);
            const compact_plan sides = plan_compact(n, bytes, true, false, device);
            const compact_plan in_place = plan_compact(n, bytes, true, true, device);
            EXPECT_EQ(is_wave(sides), is_wave(plan) || wave_of(sides).counted_batches > 0);
            EXPECT_EQ(is_wave(in_place), is_wave(plan));
            EXPECT_TRUE(!is_wave(sides) || sides.launches == 1);
            if (is_wave(plan)) {
                EXPECT_EQ(in_place.scratch_bytes, plan.scratch_bytes);
                continue;
            }
            // A partition counts before, and in place it copies before.
            if (!is_wave(sides)) {
                EXPECT_EQ(sides.scratch_bytes, plan.scratch_bytes);
                EXPECT_GT(sides.launches, plan.launches);
            }
            EXPECT_GE(in_place.scratch_bytes, plan.scratch_bytes + n * bytes);
        }
    });
}

TEST(SortPlan, PassesCoverTheBitsAndTilesTheItems) {
    for_each([](std::uint64_t n, const device_properties& device) {
        for (const std::size_t bytes : {1, 2, 4, 8, 16})
            for (const auto& [begin, end] : {std::pair{0, 8 * static_cast<int>(bytes)}, {3, 7}, {5, 5}}) {
                const radix_sort_shape shape{.key_bytes = bytes, .begin_bit = begin, .end_bit = end};
                const radix_sort_plan plan = plan_radix_sort(n, shape, device);
                EXPECT_EQ(plan.n, n);
                EXPECT_LE(launch_of(plan).shared_bytes, device.shared_bytes_per_block);
                if (const auto* const way = plan.as<counting_sort>()) {
                    EXPECT_LE(bytes, 2u);
                    EXPECT_EQ(plan.passes, 0);
                    EXPECT_EQ(plan.scratch_bytes > 0, way->fill.has_value());
                    EXPECT_EQ(plan.launches > 1, way->fill.has_value());
                    continue;
                }
                if (const auto* const way = plan.as<rank_sort>()) {
                    EXPECT_EQ(plan.passes, 0);
                    EXPECT_EQ(plan.launches, 1);
                    EXPECT_EQ(plan.scratch_bytes, 0u);
                    EXPECT_GE(way->launch.blocks * 32, n);
                    continue;
                }
                EXPECT_EQ(plan.passes, n == 0 ? 0 : (end - begin + grid::kDigitBits - 1) / grid::kDigitBits);
                EXPECT_EQ(plan.passes == 0, plan.is<copy_way>());
                if (plan.is<copy_way>()) {
                    EXPECT_EQ(plan.scratch_bytes, 0u);
                } else if (const auto* const block = plan.as<block_sort>()) {
                    EXPECT_GE(static_cast<std::uint64_t>(block->launch.threads * block->items_per_thread), n);
                    EXPECT_EQ(plan.scratch_bytes, 0u);
                    EXPECT_EQ(plan.launches, 1);
                } else if (const auto* const resident = plan.as<resident_sort>()) {
                    EXPECT_GE(resident->launch.blocks * resident->block_items, n);
                    EXPECT_EQ(plan.launches, 1);
                    EXPECT_LE(static_cast<int>(resident->launch.blocks), device.multiprocessors);
                    EXPECT_GT(plan.scratch_bytes, 0u);
                } else {
                    const pass_sort& way = *plan.as<pass_sort>();
                    EXPECT_GE(way.tiles * way.tile_items, n);
                    EXPECT_LT((way.tiles - 1) * way.tile_items, n);
                    EXPECT_GE(way.tiles_per_launch * way.launches_per_pass, way.tiles);
                    EXPECT_LT(way.tiles_per_launch * way.tile_items, std::uint64_t{1} << 30) << "look-back counts";
                    EXPECT_GE(plan.scratch_bytes, n * bytes) << "in place takes one more array";
                    const int counted = std::min(plan.passes, way.digits_per_read);
                    if (device.shared_bytes_per_block >= 96 * 1024) {
                        EXPECT_LE(plan.passes, way.digits_per_read) << "numbers are counted in one read";
                    }
                    const int stripe_bits =
                        way.many_stripes ? grid::histogram_stripe_bits(bytes) : grid::kFewStripeBits;
                    EXPECT_LE(grid::histogram_bytes(counted, stripe_bits), device.shared_bytes_per_block);
                }
            }
    });
}

// What a launch has behind its whole tiles is shared out among all blocks, whatever the device says that n is.
TEST(PassTiles, HoldAllItemsAndFitTheTableOfCounts) {
    constexpr std::uint32_t segment = 96, tile = grid::kRankingWarps * segment;
    for (const std::uint32_t blocks : {1u, 2u, 7u, 132u}) {
        const std::uint64_t bound = 3 * tile * std::uint64_t{blocks} + 5 * segment + 7,
                            tiles = grid::divide_up(bound, tile);
        for (std::uint64_t n = 0; n <= bound; n += n < 1000 || bound - n < 1000 ? 1 : 1 + n % 911) {
            const grid::PassTiles shared = grid::share_out(n, segment, blocks);
            const std::uint64_t rest = n - std::uint64_t{shared.whole} * tile, others = shared.tiles - shared.whole;
            ASSERT_EQ(shared.whole % blocks, 0u) << n;
            ASSERT_LE(others, blocks) << n;
            ASSERT_LE(others * shared.rest_items, tile * std::uint64_t{blocks}) << n;
            ASSERT_TRUE(rest == 0 ? others == 0
                                  : rest <= others * shared.rest_items && rest > (others - 1) * shared.rest_items)
                << n;
            ASSERT_TRUE(shared.rest_items % segment == 0 && shared.rest_items <= tile) << n;
            ASSERT_LE(shared.tiles, grid::most_pass_tiles(tiles, std::min<std::uint64_t>(blocks, tiles))) << n;
        }
    }
}

TEST(SortPlan, CountsKeysOfFewValuesThatComeAlone) {
    const auto all = devices();
    const radix_sort_shape bytes{.key_bytes = 1, .begin_bit = 0, .end_bit = 8};
    const radix_sort_shape words{.key_bytes = 2, .begin_bit = 0, .end_bit = 16};
    EXPECT_TRUE(plan_radix_sort(1u << 21, bytes, all[0]).is<counting_sort>());
    EXPECT_TRUE(plan_radix_sort(1u << 20, bytes, all[0]).is<resident_sort>()) << "one pass is faster";
    EXPECT_TRUE(plan_radix_sort(1u << 21, words, all[0]).is<counting_sort>());
    EXPECT_TRUE(plan_radix_sort(1u << 20, words, all[0]).is<resident_sort>()) << "two passes are faster";
    EXPECT_FALSE(plan_radix_sort(1u << 21, words, all[3]).is<counting_sort>()) << "counters do not fit";
    EXPECT_FALSE(plan_radix_sort(1000, words, all[0]).is<counting_sort>()) << "few are compared";
    EXPECT_FALSE(plan_split(1u << 21, bytes, all[0]).is<counting_sort>());
    for (const std::uint64_t n : {1025, 4096, 4097, 16384}) {
        const radix_sort_plan plan = plan_radix_sort(n, bytes, all[0]);
        ASSERT_TRUE(plan.is<counting_sort>()) << n;
        EXPECT_FALSE(plan.as<counting_sort>()->fill) << "one block";
    }
    EXPECT_TRUE(plan_radix_sort(1024, bytes, all[0]).is<rank_sort>());
    EXPECT_TRUE(plan_radix_sort(16385, bytes, all[0]).is<resident_sort>());
    for (const std::function<void(radix_sort_shape&)>& spoil : std::vector<std::function<void(radix_sort_shape&)>>{
             [](auto& shape) { shape.end_bit = 7; }, [](auto& shape) { shape.merges_keys = true; },
             [](auto& shape) {
                 shape.values = {{4, 4}};
             },
             [](auto& shape) { shape = radix_sort_shape{.key_bytes = 4, .begin_bit = 0, .end_bit = 32}; }}) {
        radix_sort_shape shape = bytes;
        spoil(shape);
        EXPECT_FALSE(plan_radix_sort(1u << 21, shape, all[0]).is<counting_sort>());
    }
}

TEST(SortPlan, ComparesThenAllBlocksThenPasses) {
    const device_properties device = h200_properties();
    radix_sort_shape shape{.key_bytes = 4, .begin_bit = 0, .end_bit = 32};
    for (const std::uint64_t n : {1u, 33u, 264u * 32}) EXPECT_TRUE(plan_radix_sort(n, shape, device).is<rank_sort>());
    EXPECT_FALSE(plan_split(1000, shape, device).is<rank_sort>()) << "bins are no codes";
    shape.merges_keys = true;
    EXPECT_TRUE(plan_radix_sort(1u << 13, shape, device).is<block_sort>()) << "keys have no code to compare";
    shape.merges_keys = false;
    for (const std::uint64_t n : {264u * 32 + 1, 1u << 16, 1u << 20, 1u << 22, 132u << 15}) {
        EXPECT_TRUE(plan_radix_sort(n, shape, device).is<resident_sort>());
        EXPECT_EQ(checks_order(plan_radix_sort(n, shape, device)), n > 1u << 20) << "many keys to a block";
    }
    // By ranges where some more keys than on average fit a block, and several passes are saved.
    for (const std::uint64_t n : {264u * 32 + 1, 1u << 16, 1u << 21}) {
        const radix_sort_plan plan = plan_radix_sort(n, shape, device);
        EXPECT_GT(plan.as<resident_sort>()->bucket_items, plan.as<resident_sort>()->block_items);
        EXPECT_NE(to_string(plan).find("by buckets"), std::string::npos);
    }
    EXPECT_EQ(plan_radix_sort(1u << 22, shape, device).as<resident_sort>()->bucket_items, 0u);
    radix_sort_shape few_bits = shape;
    few_bits.begin_bit = 16;
    EXPECT_EQ(plan_radix_sort(1u << 20, few_bits, device).as<resident_sort>()->bucket_items, 0u);
    EXPECT_TRUE(is_pipelined(plan_radix_sort((132u << 15) + 1, shape, device)));
    EXPECT_EQ(launch_of(plan_radix_sort(1u << 21, shape, device)).blocks, 132u);
    EXPECT_TRUE(is_pipelined(plan_radix_sort(1u << 24, shape, device)));
    // What blocks cannot hold is pipelined.
    radix_sort_shape pairs = shape;
    pairs.values = {{4, 4}};
    EXPECT_TRUE(plan_radix_sort(132u << 14, pairs, device).is<resident_sort>());
    EXPECT_TRUE(is_pipelined(plan_radix_sort((132u << 14) + 1, pairs, device)));
    EXPECT_FALSE(checks_order(plan_radix_sort(1u << 22, pairs, device))) << "values tell equal keys apart";
    // Indices of an argsort travel in a second array; a third pass needs one for the keys too.
    const std::size_t counts = plan_radix_sort(1u << 16, shape, device).scratch_bytes - 4 * (1u << 16);
    shape.writes_keys = false;
    shape.values = {{4, 4}};
    EXPECT_EQ(plan_radix_sort(1u << 16, shape, device).scratch_bytes, counts + 12 * (1u << 16));
    // A device without room for many keys beside the tables has only passes.
    device_properties narrow = device;
    narrow.shared_bytes_per_block = 36 * 1024;
    const radix_sort_plan passes = plan_radix_sort(1u << 20, shape, narrow);
    EXPECT_TRUE(is_plain_passes(passes));
}

TEST(SortPlan, MayGoByLeadingDigits) {
    const device_properties device = h200_properties();
    const std::uint64_t n = 1u << 24;
    const radix_sort_shape shape{.key_bytes = 8, .begin_bit = 0, .end_bit = 64};
    radix_sort_shape pairs = shape, wide_values = shape, floats = shape, apart = shape, indices = shape;
    pairs.values = {{4, 4}};
    wide_values.values = {{16, 16}};
    floats.are_floats = true;
    apart.in_place = false;
    indices.writes_keys = false;
    indices.values = {{4, 4}};
    std::vector<radix_sort_shape> shapes{shape, pairs, wide_values, floats, apart, indices};
    for (const std::size_t bytes : {4, 8, 16})
        for (int passes = 3; passes <= static_cast<int>(bytes); ++passes)  // even and odd
            for (const int spare : {0, 3}) {
                radix_sort_shape bits = shape;
                bits.key_bytes = bytes;
                bits.begin_bit = spare > 0 && passes < static_cast<int>(bytes) ? 5 : 0;
                bits.end_bit = bits.begin_bit + 8 * passes - spare;
                shapes.push_back(bits);
            }
    for (const radix_sort_shape& each : shapes) {
        const radix_sort_plan plan = plan_radix_sort(n, each, device);
        SCOPED_TRACE(to_string(plan));
        ASSERT_TRUE(is_by_prefix(plan));
        const pass_sort& way = *plan.as<pass_sort>();
        const prefix_plan& prefix = *way.prefix;
        const std::size_t moved = each.values.empty() ? 0 : each.values[0].bytes,
                          widest = std::max(each.key_bytes, moved);
        EXPECT_GT(prefix.batch_places, 0u);
        EXPECT_LE(prefix.batch_places, grid::batch_items(each.key_bytes))
            << "what begins in a slice fits without its last bucket";
        const std::uint64_t batches = grid::divide_up(n, prefix.batch_places), spans = spans_of(plan).spans;
        EXPECT_GT(std::uint64_t{prefix.bound_blocks} * grid::kBlockBounds, std::max(batches, spans))
            << "one more than slices";
        EXPECT_TRUE(prefix.batch_blocks > 0 && prefix.batch_blocks <= batches);
        EXPECT_EQ(prefix.large_blocks % 132, 0u) << "resident ones";
        EXPECT_LE(prefix.large_blocks / 132 * (grid::large_shared_bytes(widest) + 1024),
                  device.shared_bytes_per_multiprocessor);
        EXPECT_EQ(prefix.spans.has_value(), grid::orders_spans(each.key_bytes, moved));
        const int copies = plan.passes % 2 == 1 && each.in_place && each.writes_keys ? 1 : 0;
        const int values = spans_of(plan).samples_values ? 2 + grid::kSpanDigits : 0;
        EXPECT_EQ(plan.launches, 2 + plan.passes + copies + 3 + (prefix.spans ? 1 : 0) + values);
        EXPECT_EQ(is_by_prefix(plan_radix_sort(n, each, device, plan.scratch_bytes)), true)
            << "the scratch that it names";
    }
    const span_plan spans = spans_of(plan_radix_sort(n, shape, device));
    EXPECT_EQ(spans.threads, grid::kSpanThreads);
    EXPECT_EQ(spans.spans, grid::divide_up(n, spans.places));
    EXPECT_EQ(spans.blocks, std::min(spans.spans, 8192u));
    const radix_sort_plan large = plan_radix_sort(std::uint64_t{1} << 32, shape, device);
    EXPECT_GT(large.as<pass_sort>()->prefix->bound_blocks * std::uint64_t{grid::kBlockBounds},
              grid::divide_up(large.n, large.as<pass_sort>()->prefix->batch_places));

    radix_sort_shape two = shape, merging = shape;  // structs
    two.end_bit = 16, merging.merges_keys = true;
    for (const radix_sort_shape& other : {two, merging})
        EXPECT_FALSE(is_by_prefix(plan_radix_sort(n, other, device))) << other.end_bit;
    EXPECT_FALSE(is_by_prefix(plan_split(n, {.key_bytes = 4, .begin_bit = 0, .end_bit = 32}, device)));
    device_properties old = device;
    old.compute_major = 8;
    EXPECT_FALSE(is_by_prefix(plan_radix_sort(n, shape, old)));
}

/// Zeros are equal, or NaNs are.
radix_sort_shape merged_floats(std::size_t bytes, const std::vector<value_layout>& values = {}) {
    return {.key_bytes = bytes,
            .end_bit = static_cast<int>(8 * bytes),
            .values = values,
            .merges_keys = true,
            .merges_floats = true};
}

// Their codes are numbers, but do not tell equal keys apart.
TEST(SortPlan, MergedFloats) {
    const device_properties device = h200_properties();
    EXPECT_TRUE(plan_radix_sort(1000, merged_floats(4), device).is<block_sort>()) << "no rank sort";
    EXPECT_FALSE(plan_radix_sort(1u << 21, merged_floats(2), device).is<counting_sort>());
    const radix_sort_plan resident = plan_radix_sort(1u << 20, merged_floats(4), device);
    ASSERT_TRUE(resident.is<resident_sort>());
    EXPECT_EQ(resident.as<resident_sort>()->bucket_items, 0u) << "no buckets";
    EXPECT_FALSE(checks_order(plan_radix_sort(1u << 22, merged_floats(4), device))) << "ranks in order";
    for (const std::size_t bytes : {2, 4, 8})
        for (const std::vector<value_layout>& values :
             {std::vector<value_layout>{}, {value_layout{4, 4}}, {value_layout{8, 8}}, {value_layout{16, 16}}}) {
            const radix_sort_shape shape = merged_floats(bytes, values);
            radix_sort_shape numbers = shape;
            numbers.merges_keys = numbers.merges_floats = false;
            for (const std::uint64_t n : {std::uint64_t{1} << 24, std::uint64_t{1} << 28}) {
                const radix_sort_plan plan = plan_radix_sort(n, shape, device);
                SCOPED_TRACE(to_string(plan));
                ASSERT_TRUE(is_pipelined(plan));
                EXPECT_EQ(is_by_prefix(plan), bytes > 2);
                EXPECT_EQ(spans_of(plan).threads, 0) << "no spans";
                if (bytes == 2 && values.empty()) continue;  // numbers are counted
                const radix_sort_plan other = plan_radix_sort(n, numbers, device);
                EXPECT_EQ(plan.as<pass_sort>()->tiles, other.as<pass_sort>()->tiles);
                EXPECT_EQ(plan.as<pass_sort>()->many_stripes, other.as<pass_sort>()->many_stripes);
                EXPECT_EQ(is_pipelined(plan_radix_sort(n, shape, device, plan.scratch_bytes)), true);
            }
        }
    EXPECT_TRUE(is_pipelined(plan_radix_sort(132u * 12288, merged_floats(8), device))) << "rather than on chip";
    EXPECT_TRUE(plan_radix_sort(132u * 12288 - 1, merged_floats(8), device).is<resident_sort>());
    device_properties old = device;
    old.compute_major = 8;
    EXPECT_TRUE(is_plain_passes(plan_radix_sort(1u << 24, merged_floats(4), old)));
}

TEST(SortPlan, PairsOf32BitsAreOrderedBySpans) {
    const device_properties device = h200_properties();
    radix_sort_shape shape{.key_bytes = 4, .begin_bit = 0, .end_bit = 32, .values = {{4, 4}}};
    for (const std::uint64_t n : {1u << 22, 1u << 24, 100'000'000u, 1u << 28}) {
        const radix_sort_plan plan = plan_radix_sort(n, shape, device);
        const span_plan spans = spans_of(plan);
        const std::uint64_t group = n >> 16, groups = spans.places / group;
        EXPECT_TRUE(is_by_prefix(plan) && spans.threads == grid::kSpanThreads) << n;
        EXPECT_TRUE(spans.places > 0 && spans.places <= grid::span_items(spans.threads)) << n;
        EXPECT_EQ(spans.blocks, grid::divide_up(n, spans.places));
        EXPECT_EQ(static_cast<std::uint32_t>(plan.launches), 2 + 4 * plan.as<pass_sort>()->launches_per_pass + 4);
        radix_sort_shape floats = shape;
        floats.are_floats = true;
        const radix_sort_plan sampled = plan_radix_sort(n, floats, device);
        EXPECT_TRUE(spans_of(sampled).samples_values && !spans.samples_values);
        EXPECT_EQ(static_cast<std::uint32_t>(sampled.launches), 2 + 4 * plan.as<pass_sort>()->launches_per_pass + 4 +
                                                                    2 + 2 * plan.as<pass_sort>()->launches_per_pass);
        EXPECT_EQ(sampled.scratch_bytes, plan.scratch_bytes);
        if (groups > 4) {
            EXPECT_LE((groups + 1) * std::bit_ceil((groups + 1) * group), std::uint64_t{1} << 16) << n;
        }
    }
    EXPECT_EQ(spans_of(plan_radix_sort(1u << 28, shape, device)).places, 4096u) << "a bucket";
    EXPECT_LE(4 * (grid::span_shared_bytes(grid::kSpanThreads, 8) + 1024), device.shared_bytes_per_multiprocessor);
    for (const std::uint64_t n : {290'000'000u, 300'000'000u, 380'000'000u, 1u << 29, 1u << 30}) {
        const radix_sort_plan plan = plan_radix_sort(n, shape, device);
        const span_plan spans = spans_of(plan);
        EXPECT_EQ(spans.threads, grid::kLargeSpanThreads) << n;
        EXPECT_EQ(spans.places % (n >> 16), 0u) << "whole buckets";
        for (std::uint64_t groups = spans.places / (n >> 16), more = 0; more < 2; ++more)
            EXPECT_TRUE((groups + more) * std::bit_ceil((groups + more) * (n >> 16) + 1) <= 1 << 16 ||
                        (groups + more) * (n >> 16) > grid::span_items(spans.threads))
                << n;
        EXPECT_EQ(spans.blocks, 132u) << "resident ones";
        radix_sort_shape floats = shape;
        floats.are_floats = true;
        EXPECT_FALSE(spans_of(plan_radix_sort(n, floats, device)).samples_values);
    }
    const span_plan third = spans_of(plan_radix_sort(1'200'000'000u, shape, device));
    EXPECT_EQ(third.threads, grid::kSpanThreads) << "buckets of two digits do not fit, those of three do";
    EXPECT_LE(third.places, grid::span_items(third.threads));
    shape.end_bit = 31;
    shape.are_floats = true;
    EXPECT_FALSE(spans_of(plan_radix_sort(1u << 24, shape, device)).samples_values) << "part of the bits";
    // Wider items leave large spans no room.
    shape = radix_sort_shape{.key_bytes = 4, .begin_bit = 0, .end_bit = 32, .values = {{8, 8}}};
    for (const std::uint64_t n : {1u << 24, 1u << 28, 300'000'000u, 1u << 30})
        EXPECT_EQ(spans_of(plan_radix_sort(n, shape, device)).threads, grid::kSpanThreads) << n;
    shape.are_floats = true;
    EXPECT_FALSE(spans_of(plan_radix_sort(1u << 24, shape, device)).samples_values);
}

TEST(SortPlan, KeysOf32BitsAreOrderedBySpans) {
    const device_properties device = h200_properties();
    radix_sort_shape shape{.key_bytes = 4, .begin_bit = 0, .end_bit = 32};
    for (const std::uint64_t n : {(132u << 15) + 1, 1u << 24, 100'000'000u, 1u << 28}) {
        const radix_sort_plan plan = plan_radix_sort(n, shape, device);
        const span_plan spans = spans_of(plan);
        EXPECT_TRUE(is_by_prefix(plan) && spans.threads == grid::kSpanThreads) << n;
        EXPECT_TRUE(spans.places > 0 && spans.places <= grid::span_items(spans.threads)) << n;
        EXPECT_EQ(spans.blocks, std::min<std::uint64_t>(grid::divide_up(n, spans.places), 8192));
        EXPECT_EQ(static_cast<std::uint32_t>(plan.launches), 2 + 4 * plan.as<pass_sort>()->launches_per_pass + 4);
        const radix_sort_plan limited = plan_radix_sort(n, shape, device, plan.scratch_bytes);
        EXPECT_EQ(spans_of(limited).places, spans.places) << "the scratch that the plan names";
    }
    EXPECT_EQ(spans_of(plan_radix_sort(1u << 28, shape, device)).places, 4096u) << "a bucket";
    EXPECT_EQ(spans_of(plan_radix_sort(1u << 30, shape, device)).threads, grid::kLargeSpanThreads);
    EXPECT_EQ(spans_of(plan_radix_sort(1'200'000'000u, shape, device)).threads, grid::kSpanThreads)
        << "buckets of three digits fit";
    shape.are_floats = true;
    EXPECT_TRUE(spans_of(plan_radix_sort(1u << 30, shape, device)).samples_values);
    shape.end_bit = 24;
    EXPECT_FALSE(spans_of(plan_radix_sort(1u << 24, shape, device)).samples_values);
}

TEST(SplitPlan, FewAreCountedThenAllBlocksThenPasses) {
    const device_properties device = h200_properties();
    radix_sort_shape shape{.key_bytes = 4, .begin_bit = 0};
    for (const std::uint64_t n : {1, 64, 65, 8192})
        for (const int bits : {1, 8, 9, 12}) {
            shape.end_bit = bits;
            const radix_sort_plan few = plan_split(n, shape, device);
            ASSERT_TRUE(few.is<small_split>()) << n;
            EXPECT_EQ(launch_of(few).blocks, (n + 63) / 64);
            EXPECT_EQ(few.passes, 1);
            EXPECT_EQ(few.launches, 1);
            EXPECT_EQ(few.scratch_bytes, 0u);
            EXPECT_NE(to_string(few).find("1 pass of 12 bits"), std::string::npos);
            EXPECT_NE(to_string(few).find("small_split"), std::string::npos);
        }
    shape.end_bit = 13;
    EXPECT_TRUE(plan_split(1u << 12, shape, device).is<block_sort>()) << "more bins than are counted at once";
    shape.end_bit = 8;
    EXPECT_FALSE(plan_radix_sort(1000, shape, device).is<small_split>()) << "keys are compared";
    for (const std::uint64_t n : {8193u, 1u << 16, 1u << 22})
        EXPECT_TRUE(plan_split(n, shape, device).is<resident_sort>()) << n;
    EXPECT_EQ(plan_split(1u << 16, shape, device).launches, 1);
    EXPECT_TRUE(is_pipelined(plan_split(1u << 24, shape, device)));
    shape.values = {{4, 4}};
    EXPECT_TRUE(plan_split(1u << 21, shape, device).is<resident_sort>());
    EXPECT_TRUE(is_pipelined(plan_split(1u << 22, shape, device)));
    // Wide items move by passes, whatever their number.
    for (const std::uint64_t n : {1000, 100000}) {
        const radix_sort_plan passes =
            plan_split(n, {.key_bytes = 64, .begin_bit = 0, .end_bit = 8, .values = {}}, device);
        EXPECT_TRUE(is_plain_passes(passes));
    }
}

TEST(SortPlan, ValuesTravelOrAreGathered) {
    const device_properties device = h200_properties();
    radix_sort_shape shape{.key_bytes = 4, .begin_bit = 0, .end_bit = 32};
    shape.values = {{4, 4}};
    EXPECT_FALSE(plan_radix_sort(1u << 20, shape, device).index_bytes > 0);
    shape.values = {{12, 4}};
    EXPECT_TRUE(plan_radix_sort(1u << 20, shape, device).index_bytes > 0);
    EXPECT_EQ(plan_radix_sort(1u << 20, shape, device).index_bytes, 4u);
    EXPECT_EQ(plan_radix_sort(kTwo32, shape, device).index_bytes, 4u);
    EXPECT_EQ(plan_radix_sort(kTwo32 + 1, shape, device).index_bytes, 8u);
    shape.values = {{4, 4}, {8, 8}};
    EXPECT_TRUE(plan_radix_sort(1u << 20, shape, device).index_bytes > 0);
    EXPECT_FALSE(
        plan_split(1u << 20, {.key_bytes = 4, .begin_bit = 0, .end_bit = 3, .values = {{12, 4}}}, device).index_bytes >
        0);
}

TEST(Plans, OfNothingDoNothing) {
    const device_properties device = h200_properties();
    EXPECT_EQ(plan_scan(0, {4, 4, 4}, {}, device).tiles, 0u);
    EXPECT_EQ(plan_scan(0, {4, 4, 4}, {}, device).scratch_bytes, 0u);
    EXPECT_EQ(plan_compact(0, 4, false, false, device).tiles, 0u);
    const runs_plan runs = plan_runs(0, {1, runs_output::lengths}, device);
    ASSERT_TRUE(runs.is<runs_intervals>());
    EXPECT_EQ(runs.as<runs_intervals>()->intervals, 0u);
    EXPECT_GE(runs.scratch_bytes, 16 + runs.as<runs_intervals>()->scan_bytes) << "a tally after all intervals";
    EXPECT_EQ(plan_radix_sort(0, {.key_bytes = 4, .begin_bit = 0, .end_bit = 32}, device).passes, 0);
}

TEST(Plans, OfMoreThanMemoryCanHoldAreErrors) {
    const device_properties device = h200_properties();
    for (const std::uint64_t n : {~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{1} << 61}) {
        const radix_sort_shape pairs{.key_bytes = 1, .begin_bit = 0, .end_bit = 8, .values = {{8, 8}}};
        EXPECT_THROW(plan_scan(n, {4, 4, 4}, {}, device), error);
        EXPECT_THROW(plan_compact(n, 4, false, false, device), error);
        EXPECT_THROW(plan_radix_sort(n, pairs, device), error);
        EXPECT_THROW(plan_split(n, pairs, device), error);
        EXPECT_THROW(plan_segmented_sort(n, 1, pairs, device), error);
        EXPECT_THROW(plan_segmented_sort(1, n, pairs, device), error);
    }
}

TEST(Plans, OfNoSuchKeysAreErrors) {
    const device_properties device = h200_properties();
    EXPECT_THROW(plan_scan(9, {0, 4, 4}, {}, device), error);
    EXPECT_THROW(plan_compact(9, 0, false, false, device), error);
    EXPECT_THROW(plan_runs(9, {0, runs_output::items}, device), error);
    for (const radix_sort_shape& shape : {radix_sort_shape{.key_bytes = 0, .end_bit = 8},
                                          radix_sort_shape{.key_bytes = 4, .begin_bit = 9, .end_bit = 8},
                                          radix_sort_shape{.key_bytes = 4, .begin_bit = -1, .end_bit = 8}}) {
        EXPECT_THROW(plan_radix_sort(9, shape, device), error);
        EXPECT_THROW(plan_split(9, shape, device), error);
        EXPECT_THROW(plan_segmented_sort(9, 1, shape, device), error);
    }
}

template <class F>
errc code_of(const F& call) {
    try {
        call();
    } catch (const error& failure) {
        return failure.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

TEST(SortPlan, CountsAsManyDigitsAsTheChipHasRoomFor) {
    device_properties device = h200_properties();
    const radix_sort_shape structs{.key_bytes = 32, .end_bit = 256, .merges_keys = true};
    const radix_sort_shape numbers{.key_bytes = 16, .end_bit = 128};
    EXPECT_EQ(plan_radix_sort(1u << 24, structs, device).as<pass_sort>()->digits_per_read, 32);
    EXPECT_TRUE(plan_radix_sort(1u << 24, numbers, device).as<pass_sort>()->many_stripes);
    const int launches = plan_radix_sort(1u << 24, structs, device).launches;
    device.shared_bytes_per_block = 99 * 1024;
    EXPECT_EQ(plan_radix_sort(1u << 24, structs, device).as<pass_sort>()->digits_per_read, 24);
    EXPECT_EQ(plan_radix_sort(1u << 24, structs, device).launches, launches + 1);
    EXPECT_FALSE(plan_radix_sort(1u << 24, numbers, device).as<pass_sort>()->many_stripes);
    device.shared_bytes_per_block = 64 * 1024;
    EXPECT_EQ(plan_radix_sort(1u << 24, numbers, device).passes, 16);
    EXPECT_EQ(plan_radix_sort(1u << 24, numbers, device).as<pass_sort>()->digits_per_read, 15)
        << "and the last one in another read";
    EXPECT_EQ(plan_radix_sort(1u << 24, {.key_bytes = 8, .end_bit = 64}, device).passes, 8);
}

TEST(Plans, OfItemsTooWideForTheChipAreErrors) {
    const device_properties device = h200_properties();
    for (const std::uint64_t n : {std::uint64_t{5000}, kTwo31}) {
        EXPECT_GT(plan_compact(n, 440, true, false, device).blocks, 0u);
        EXPECT_EQ(code_of([&] { plan_compact(n, 460, true, false, device); }), errc::invalid_argument);
        EXPECT_GT(plan_scan(n, {800, 800, 800}, {.grid = on_chip}, device).blocks, 0u);
        EXPECT_EQ(code_of([&] { plan_scan(n, {900, 900, 900}, {.grid = on_chip}, device); }), errc::invalid_argument);
        EXPECT_EQ(code_of([&] {
                      plan_scan(n, {800, 800, 800}, {.block = network::kogge_stone}, device);
                  }),
                  errc::invalid_argument);
        EXPECT_GT(plan_scan(n, {4, 4, 900}, {.grid = one_block}, device).blocks, 0u);
        EXPECT_EQ(code_of([&] { plan_scan(n, {4, 4, 900}, {.grid = recursive}, device); }), errc::invalid_argument);
        EXPECT_GT(launch_of(plan_split(n, {.key_bytes = 800, .end_bit = 4, .values = {{840, 4}}}, device)).blocks, 0u);
        EXPECT_EQ(code_of([&] {
                      plan_split(n, {.key_bytes = 4, .end_bit = 4, .values = {{900, 4}}}, device);
                  }),
                  errc::invalid_argument);
        EXPECT_EQ(code_of([&] { plan_radix_sort(n, {.key_bytes = 900, .end_bit = 32, .merges_keys = true}, device); }),
                  errc::invalid_argument);
    }
}

// A pipelined block has room for its stages, and its parts are whole warps' stretches.
TEST(Plans, RingsOfScansAreValues) {
    const device_properties device = h200_properties();
    for (const scan_shape& shape :
         {scan_shape{4, 4, 4}, scan_shape{1, 8, 8}, scan_shape{2, 4, 4}, scan_shape{8, 8, 8}}) {
        const scan_plan plan = plan_scan(kTwo32, shape, {}, device);
        ASSERT_TRUE(is_pipelined(plan));
        const ring_shape ring = ring_of(plan);
        EXPECT_EQ(ring.worker_warps * 32, plan.threads);
        EXPECT_EQ(ring.worker_warps % ring.parts, 0);
        EXPECT_LT(ring.ahead, ring.stages);
        EXPECT_EQ(ring.parts == 1, shape.item_bytes != shape.result_bytes);
        EXPECT_LE(ring.stages * static_cast<std::size_t>(plan.threads * plan.items_per_thread) *
                      std::max(shape.item_bytes, shape.result_bytes),
                  device.shared_bytes_per_block);
    }
    EXPECT_EQ(ring_of(plan_scan(1000, {4, 4, 4}, {}, device)).stages, 0) << "a wave has no ring";
}

TEST(Plans, PrintWhatTheyPlan) {
    const device_properties device = h200_properties();
    const scan_plan scan = plan_scan(kTwo32, {4, 4, 4}, {}, device);
    EXPECT_NE(to_string(scan).find("on_chip, pipeline over shuffle"), std::string::npos) << to_string(scan);
    EXPECT_NE(to_string(scan).find(std::to_string(scan.scratch_bytes) + " bytes of scratch"), std::string::npos);
    EXPECT_NE(to_string(scan).find(std::to_string(scan.tiles) + " tiles"), std::string::npos);
    EXPECT_NE(to_string(scan).find(", 16 worker warps, 5 stages, 2 tiles ahead, 4 parts a tile and 5 on their way"),
              std::string::npos)
        << to_string(scan);
    EXPECT_EQ(to_string(plan_scan(1000, {4, 4, 4}, {}, device)).find("warps"), std::string::npos) << "no ring";
    EXPECT_NE(to_string(plan_runs(kTwo31, {4, runs_output::items}, device)).find("runs: pipeline, "),
              std::string::npos);
    EXPECT_NE(to_string(plan_runs(kTwo31, {1, runs_output::values}, device)).find("runs: intervals, "),
              std::string::npos);
    EXPECT_NE(to_string(plan_runs(kTwo31, {24, runs_output::items}, device)).find("runs: compaction by tiles, "),
              std::string::npos);
    EXPECT_NE(to_string(plan_emit(1000, 1000, 4, device)).find("emit: wave, 1 tile of 1024 items, 1 block, 1 launch, "),
              std::string::npos);
    const compact_plan compact = plan_compact(1000, 4, false, false, device);
    EXPECT_NE(to_string(compact).find("compact: wave, 1 tile of "), std::string::npos) << to_string(compact);
    EXPECT_NE(to_string(compact).find(std::to_string(compact.scratch_bytes) + " bytes of scratch"), std::string::npos);
    for (const auto& [plan, text] :
         {std::pair{plan_compact(4097, 4, false, false, device), "compact: wave, a cluster, "},
          {plan_compact(1u << 22, 8, false, false, device), ", 4 batches of rows per tile, "},
          {plan_compact(264 * 512 * 2 * 4 * 16, 4, true, false, device), " per tile, 8 of them read twice, "},
          {plan_compact(kTwo31, 4, true, false, device), "compact: pipeline, kept items counted first, "},
          {plan_compact(kTwo31, 12, true, true, device), "tiles, input copied and kept items counted first, "}})
        EXPECT_NE(to_string(plan).find(text), std::string::npos) << to_string(plan);
    const radix_sort_plan sort = plan_radix_sort(kTwo32, {.key_bytes = 4, .begin_bit = 0, .end_bit = 32}, device);
    EXPECT_NE(to_string(sort).find("4 passes of 8 bits"), std::string::npos) << to_string(sort);
    EXPECT_NE(to_string(sort).find(std::to_string(sort.scratch_bytes) + " bytes of scratch"), std::string::npos);
    EXPECT_NE(to_string(sort).find("pipelined"), std::string::npos) << to_string(sort);
    for (const auto grid : {grid_strategy::automatic, one_wave, on_chip, two_level, recursive, one_block})
        EXPECT_NE(std::string(to_string(grid)), "unknown");
}

}  // namespace
