// kogge-test: HOST
// Every primitive has a plan on every device, for all widths of keys and values.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kogge/plan.hpp"
#include "kogge/plan_segmented_sort.hpp"
#include "support/device_shapes.hpp"
#include "support/sort_plans.hpp"

namespace {

using namespace kogge;
using namespace tests;

constexpr std::uint64_t kSizes[] = {1, 1000, 5000, 100000, 1u << 24, std::uint64_t{1} << 33};

/// check(n, shape, device, name) for keys alone, and with values that travel, and structs that follow.
template <class Check>
void for_each_sort(const Check& check) {
    for (const device_properties& device : tests::device_shapes())
        for (const std::size_t bytes : {1, 2, 4, 8, 16, 32})
            for (const std::size_t value : {0, 4, 8, 16, 32})
                for (const std::uint64_t n : kSizes) {
                    const bool number = bytes <= 16;
                    radix_sort_shape shape{.key_bytes = bytes, .begin_bit = 0, .end_bit = static_cast<int>(8 * bytes)};
                    shape.merges_keys = !number;
                    if (value > 0) shape.values.push_back({value, value < 32 ? value : 4});
                    SCOPED_TRACE(device.name + ": " + std::to_string(n) + " keys of " + std::to_string(bytes) +
                                 " bytes, values of " + std::to_string(value));
                    ASSERT_NO_THROW(check(n, shape, device));
                }
}

TEST(ShapesPlan, RadixSort) {
    for_each_sort([](std::uint64_t n, const radix_sort_shape& shape, const device_properties& device) {
        const radix_sort_plan plan = plan_radix_sort(n, shape, device);
        EXPECT_LE(launch_of(plan).shared_bytes, device.shared_bytes_per_block);
        EXPECT_LE(launch_of(plan).threads, device.max_threads_per_multiprocessor);
    });
}

// Sorts that no chip holds, of fewer items than make pipelined passes faster than a sort on chip.
TEST(ShapesPlan, FewItemsTakePipelinedPassesOnAnH100) {
    const auto devices = tests::device_shapes();
    const auto h100 = *std::find_if(devices.begin(), devices.end(), [](const auto& of) { return of.name == "H100"; });
    ASSERT_EQ(h100.multiprocessors, 132);
    radix_sort_shape pairs{.key_bytes = 8, .end_bit = 64, .values = {{4, 4}}};
    EXPECT_TRUE(is_resident(plan_radix_sort(132 * 13312, pairs, h100)));
    EXPECT_TRUE(is_by_prefix(plan_radix_sort(132 * 13312 + 1, pairs, h100)));
    radix_sort_shape wide{.key_bytes = 16, .end_bit = 128, .values = {{16, 16}}};
    EXPECT_TRUE(is_resident(plan_radix_sort(132 * 6144, wide, h100)));
    EXPECT_TRUE(is_plain_passes(plan_radix_sort(132 * 6144 + 1, wide, h100)));
    EXPECT_TRUE(is_plain_passes(plan_radix_sort(132 * 7168 - 1, wide, h100)));
    EXPECT_TRUE(is_pipelined(plan_radix_sort(132 * 7168, wide, h100)));
    // Others stay with plain passes: older devices, structs and splits.
    device_properties old = h100;
    old.compute_major = 8;
    EXPECT_TRUE(is_plain_passes(plan_radix_sort(2'000'000, pairs, old)));
    radix_sort_shape structs = pairs;
    structs.merges_keys = true;
    EXPECT_TRUE(is_plain_passes(plan_radix_sort(1'500'000, structs, h100)));
    EXPECT_TRUE(is_plain_passes(plan_split(1'500'000, pairs, h100)));
}

TEST(ShapesPlan, SegmentedSort) {
    for_each_sort([](std::uint64_t n, const radix_sort_shape& shape, const device_properties& device) {
        for (const std::uint64_t segments : {std::uint64_t{0}, n / 1000, n / 10}) {
            const segmented_sort_plan plan = plan_segmented_sort(n, segments, shape, device);
            EXPECT_GT(plan.items_per_thread, 0);
            EXPECT_LE(plan.shared_bytes, device.shared_bytes_per_block);
            EXPECT_LE(plan.digit_bytes, device.shared_bytes_per_block);
            EXPECT_EQ(plan.window_items % 32, 0u);
            EXPECT_GT(plan.window_items, 0u);
            EXPECT_EQ(plan.window_items + plan.longest_short,
                      static_cast<std::uint64_t>(plan.threads * plan.items_per_thread));
        }
    });
}

// Where a block has most of 227 KiB, items a thread are what registers hold.
TEST(ShapesPlan, SegmentedSortOfLargeChips) {
    const auto items = [](std::size_t key, std::size_t value, const device_properties& device) {
        radix_sort_shape shape{.key_bytes = key, .begin_bit = 0, .end_bit = static_cast<int>(8 * key)};
        if (value > 0) shape.values.push_back({value, value});
        return plan_segmented_sort(100000, 100, shape, device).items_per_thread;
    };
    for (const device_properties& device : tests::device_shapes()) {
        SCOPED_TRACE(device.name);
        const bool large = device.shared_bytes_per_block > 160 * 1024;
        for (const auto& [key, value, most] : {std::tuple{4, 0, 16}, {4, 4, 16}, {8, 0, 12}, {8, 8, 12}, {16, 0, 8}}) {
            const int here = items(static_cast<std::size_t>(key), static_cast<std::size_t>(value), device);
            if (large) {
                EXPECT_EQ(here, most);
            }
            EXPECT_LE(here, most);
            EXPECT_GE(here, most / 4);
        }
    }
}

TEST(ShapesPlan, OnlyWideStructsAreRefused) {
    for (const device_properties& device : tests::device_shapes()) {
        const radix_sort_shape wide{.key_bytes = 2000, .begin_bit = 0, .end_bit = 8, .merges_keys = true};
        try {
            plan_segmented_sort(100000, 100, wide, device);
            ADD_FAILURE() << device.name;
        } catch (const error& refused) {
            EXPECT_EQ(refused.code(), errc::invalid_argument);
            EXPECT_NE(std::string(refused.what()).find("2000 bytes are too wide"), std::string::npos);
        }
    }
}

TEST(ShapesPlan, ScansAndPartitions) {
    for (const device_properties& device : tests::device_shapes())
        for (const std::size_t bytes : {1, 2, 4, 8, 16, 32})
            for (const std::uint64_t n : kSizes) {
                SCOPED_TRACE(device.name + ": " + std::to_string(n) + " items of " + std::to_string(bytes) + " bytes");
                ASSERT_NO_THROW(EXPECT_GT(plan_scan(n, {bytes, bytes, bytes}, {}, device).launches, 0));
                ASSERT_NO_THROW(EXPECT_GT(plan_scan(n, {bytes, bytes, bytes, bytes, true}, {}, device).launches, 0));
                for (const bool rejected : {false, true})
                    for (const bool in_place : {false, true})
                        ASSERT_NO_THROW(EXPECT_GT(plan_compact(n, bytes, rejected, in_place, device).launches, 0));
                ASSERT_NO_THROW(EXPECT_GT(plan_compact_arrays(n, {{bytes, 4, 8}}, device).launches, 0));
                ASSERT_NO_THROW(EXPECT_GT(plan_emit(n, n, 4, device).launches, 0));
                const radix_sort_shape bins{.key_bytes = bytes, .begin_bit = 0, .end_bit = 8};
                ASSERT_NO_THROW(EXPECT_GT(plan_split(n, bins, device).launches, 0));
            }
}

// ---- reductions ----------------------------------------------------------------------------------------

/// check(n, shape, device) for all widths of items and accumulators.
template <class Check>
void for_each_reduction(const Check& check) {
    for (const device_properties& device : tests::device_shapes())
        for (const std::size_t bytes : {1, 2, 4, 8, 16, 32})
            for (const std::size_t accumulator : {1, 4, 8, 16, 64})
                for (const std::uint64_t n : kSizes) {
                    SCOPED_TRACE(device.name + ": " + std::to_string(n) + " items of " + std::to_string(bytes) +
                                 " bytes, accumulators of " + std::to_string(accumulator));
                    ASSERT_NO_THROW(check(n, reduce_shape{bytes, accumulator}, device));
                }
}

/// Blocks that meet are all resident.
template <class Plan>
void check_meeting(const Plan& plan, bool cluster, bool cooperative, const device_properties& device) {
    if (cluster) {
        EXPECT_LE(plan.blocks, device.cluster_blocks);
    } else if (cooperative) {
        EXPECT_LE(static_cast<int>(plan.blocks) * plan.threads,
                  device.multiprocessors * device.max_threads_per_multiprocessor);
    }
}

TEST(ShapesPlan, Reductions) {
    for_each_reduction([](std::uint64_t n, const reduce_shape& shape, const device_properties& device) {
        const reduce_plan plan = plan_reduce(n, shape, device);
        EXPECT_GT(plan.blocks, 0u);
        EXPECT_LE(plan.shared_bytes, device.shared_bytes_per_block);
        EXPECT_LE(plan.threads, device.max_threads_per_multiprocessor);
        const auto* const wave = plan.as<reduce_wave>();
        EXPECT_EQ(plan.launches, wave ? 1 : 2);
        check_meeting(plan, wave && wave->cluster, wave && wave->cooperative, device);
        const std::size_t sum = shape.accumulator_bytes;
        EXPECT_GT(plan_reduce_by_key(n, {shape.item_bytes, sum, sum}, device).launches, 0);
    });
}

TEST(ShapesPlan, SegmentedReductions) {
    for_each_reduction([](std::uint64_t n, const reduce_shape& shape, const device_properties& device) {
        for (const std::uint64_t segments : {std::uint64_t{1}, n / 1000 + 1, n / 10 + 1, n})
            for (const bool equal : {false, true})
                for (const bool are_stored : {false, true}) {
                    SCOPED_TRACE(std::to_string(segments) + (equal ? " rows" : " segments"));
                    const std::uint64_t items = equal ? n / segments * segments : n;
                    const segment_layout layout{.have_ends = are_stored, .are_stored = are_stored};
                    const segmented_reduce_plan plan =
                        plan_segmented_reduce(items, segments, equal, shape, device, layout);
                    EXPECT_GT(plan.blocks, 0u);
                    EXPECT_LE(plan.threads, device.max_threads_per_multiprocessor);
                    EXPECT_EQ(plan.launches, are_stored ? 3 : 1);
                    EXPECT_GT(plan.longest_short, 0u);
                    EXPECT_GT(plan.part_items, 0u);
                    EXPECT_GE(plan.lanes, 1u);
                    EXPECT_LE(plan.lanes, 32u);
                    if (plan.parts_per_row > 0) {
                        EXPECT_GE(plan.parts_per_row * plan.part_items, n / segments);
                    }
                    check_meeting(plan, false, plan.cooperative, device);
                }
    });
}

// ---- runs, histograms, merges and searches -------------------------------------------------------------

TEST(ShapesPlan, Runs) {
    const auto check = [](std::uint64_t n, const runs_shape& shape, const device_properties& device) {
        const runs_plan plan = plan_runs(n, shape, device);
        EXPECT_GT(plan.launches, 0);
        EXPECT_GE(plan.tiles * plan.tile_items, n);
    };
    for (const device_properties& device : tests::device_shapes())
        for (const std::size_t bytes : {1, 2, 4, 8, 12, 16, 32})
            for (const std::uint64_t n : kSizes)
                for (const runs_output writes : {runs_output::items, runs_output::values, runs_output::lengths}) {
                    SCOPED_TRACE(device.name + ": " + std::to_string(n) + " keys of " + std::to_string(bytes) +
                                 " bytes");
                    ASSERT_NO_THROW(check(n, {bytes, writes}, device));
                }
}

TEST(ShapesPlan, Histograms) {
    const auto check = [](std::uint64_t length, std::uint64_t rows, std::uint32_t bins, const histogram_shape& shape,
                          const device_properties& device) {
        const histogram_plan plan = plan_histogram(length, rows, bins, shape, device);
        const launch_size launch = std::visit([](const auto& way) { return way.launch; }, plan.way);
        EXPECT_GT(plan.launches, 0);
        EXPECT_GT(launch.blocks, 0u);
        EXPECT_LE(launch.threads, device.max_threads_per_multiprocessor);
        EXPECT_LE(launch.shared_bytes, device.shared_bytes_per_block);
    };
    for (const device_properties& device : tests::device_shapes())
        for (const std::uint32_t bins : {1u, 256u, 1u << 15, 1u << 20, ~0u})
            for (const std::size_t counter : {4, 8})
                for (const std::uint64_t n : kSizes)
                    for (const std::uint64_t rows : {std::uint64_t{1}, n / 1000 + 1}) {
                        SCOPED_TRACE(device.name + ": " + std::to_string(n) + " items, " + std::to_string(rows) +
                                     " rows, " + std::to_string(bins) + " bins");
                        ASSERT_NO_THROW(check(n / rows, rows, bins, {4, counter, false}, device));
                        ASSERT_NO_THROW(check(n / rows, rows, bins, {8, counter, true}, device));
                    }
}

TEST(ShapesPlan, MergesAndSearches) {
    const auto check_merge = [](std::uint64_t n, std::size_t bytes, const device_properties& device) {
        const merge_plan plan = plan_merge(n, n / 3, bytes, device);
        EXPECT_EQ(plan.launches, 1);
        EXPECT_GE(plan.tiles * plan.tile_items, plan.n);
        EXPECT_LE(plan.shared_bytes, device.shared_bytes_per_block);
    };
    const auto check_search = [](std::uint64_t n, std::uint64_t needles, std::size_t bytes,
                                 const device_properties& device) {
        const search_plan plan = plan_search(n, needles, bytes, device);
        EXPECT_EQ(plan.launches, 1);
        EXPECT_GE(plan.tiles * plan.tile_items, needles);
        const auto* const by_threads = plan.as<search_by_threads>();
        EXPECT_LE(by_threads ? by_threads->shared_bytes : 0, device.shared_bytes_per_block);
    };
    for (const device_properties& device : tests::device_shapes())
        for (const std::size_t bytes : {1, 2, 4, 8, 16, 32, 100})
            for (const std::uint64_t n : kSizes) {
                SCOPED_TRACE(device.name + ": " + std::to_string(n) + " items of " + std::to_string(bytes) + " bytes");
                ASSERT_NO_THROW(check_merge(n, bytes, device));
                for (const std::uint64_t needles : {std::uint64_t{1}, n / 10 + 1, n})
                    ASSERT_NO_THROW(check_search(n, needles, bytes, device));
            }
}

// ---- ranks ---------------------------------------------------------------------------------------------

TEST(ShapesPlan, TopKAndSelections) {
    const auto check = [](std::uint64_t n, std::uint64_t k, std::size_t bytes, const device_properties& device) {
        const int bits = static_cast<int>(8 * bytes);
        for (const std::size_t value : {0, 8})
            EXPECT_GT(plan_top_k(n, k, {.key_bytes = bytes, .end_bit = bits, .value_bytes = value}, device).launches,
                      0);
        const std::uint64_t ranks = std::min<std::uint64_t>(k, 1000);
        EXPECT_GT(plan_select(n, ranks, {.key_bytes = bytes, .end_bit = bits}, device).launches, 0);
    };
    for (const device_properties& device : tests::device_shapes())
        for (const std::size_t bytes : {1, 2, 4, 8, 16})
            for (const std::uint64_t n : kSizes)
                for (const std::uint64_t k : {std::uint64_t{1}, n / 1000 + 1, n}) {
                    SCOPED_TRACE(device.name + ": " + std::to_string(k) + " of " + std::to_string(n) + " keys of " +
                                 std::to_string(bytes) + " bytes");
                    ASSERT_NO_THROW(check(n, k, bytes, device));
                }
}

TEST(ShapesPlan, SegmentedTopKAndSelections) {
    const auto check_launches = [](const auto& plan, const device_properties& device) {
        EXPECT_GT(plan.launches, 0);
        EXPECT_GT(plan.warps.blocks + plan.blocks.blocks, 0u);
        for (const launch_size& launch : {plan.warps, plan.blocks}) {
            EXPECT_LE(launch.shared_bytes, device.shared_bytes_per_block);
            EXPECT_LE(launch.threads, device.max_threads_per_multiprocessor);
        }
    };
    const auto check = [&](std::uint64_t segments, std::uint64_t longest, bool equal, std::size_t bytes,
                           const device_properties& device) {
        const int bits = static_cast<int>(8 * bytes);
        const top_k_shape first{.key_bytes = bytes, .end_bit = bits};
        for (const std::uint64_t k : {std::uint64_t{1}, longest / 10 + 1, longest})
            check_launches(plan_segmented_top_k(segments, longest, equal, k, first, device), device);
        const select_shape ranked{.key_bytes = bytes, .end_bit = bits};
        check_launches(plan_segmented_select(segments, longest, equal, ranked, device), device);
    };
    for (const device_properties& device : tests::device_shapes())
        for (const std::size_t bytes : {1, 2, 4, 8})
            for (const std::uint64_t longest : {1, 100, 5000, 1 << 20})
                for (const std::uint64_t segments : {1, 1000, 1 << 20})
                    for (const bool equal : {false, true}) {
                        SCOPED_TRACE(device.name + ": " + std::to_string(segments) + " segments of " +
                                     std::to_string(longest) + " keys of " + std::to_string(bytes) + " bytes");
                        ASSERT_NO_THROW(check(segments, longest, equal, bytes, device));
                    }
}

}  // namespace
