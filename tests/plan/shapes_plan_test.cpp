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

}  // namespace
