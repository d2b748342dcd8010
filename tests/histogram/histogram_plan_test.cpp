// kogge-test: EMULATED
// Plans of histograms: their choices, what the kernels rely on, and runs on devices of each compute capability.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kogge/calls/histogram.hpp"
#include "kogge/histogram/shape.hpp"
#include "support/backend.hpp"
#include "support/device_shapes.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using namespace kogge;

const device_properties kDevice = h200_properties();

histogram_plan plan_of(std::uint64_t n, std::uint32_t bins, std::uint64_t rows = 1, const histogram_shape& shape = {}) {
    return plan_histogram(n, rows, bins, shape, kDevice);
}
histogram_blocks blocks_of(const histogram_plan& plan) {
    const auto* const way = plan.as<histogram_blocks>();
    EXPECT_NE(way, nullptr) << to_string(plan);
    return way ? *way : histogram_blocks{};
}

TEST(HistogramPlan, CountersByBins) {
    const std::uint64_t n = 1 << 28;
    EXPECT_EQ(blocks_of(plan_of(n, 2)).copies_log2, 5);
    EXPECT_EQ(blocks_of(plan_of(n, 256)).copies_log2, 5);
    EXPECT_EQ(blocks_of(plan_of(n, 1024)).copies_log2, 5);
    EXPECT_EQ(blocks_of(plan_of(n, 4096)).copies_log2, 3);
    EXPECT_EQ(blocks_of(plan_of(n, 32768)).copies_log2, 0);
    EXPECT_FALSE(blocks_of(plan_of(n, 32768)).narrow);
    EXPECT_TRUE(blocks_of(plan_of(n, 32769)).narrow);
    EXPECT_EQ(blocks_of(plan_of(n, 65536)).ranges, 1u);
    EXPECT_TRUE(blocks_of(plan_of(n, 65536)).narrow);
    EXPECT_EQ(blocks_of(plan_of(n, 1 << 17)).ranges, 2u);
    EXPECT_EQ(blocks_of(plan_of(n, 400000)).ranges, 4u);
    EXPECT_TRUE(plan_of(n, 1 << 20).is<histogram_atomics>());
    const histogram_shape sums{8, 8, true};
    EXPECT_EQ(blocks_of(plan_of(n, 1024, 1, sums)).copies_log2, 4);
    EXPECT_EQ(blocks_of(plan_of(n, 65536, 1, sums)).ranges, 3u);
    EXPECT_FALSE(blocks_of(plan_of(n, 65536, 1, sums)).narrow);
}
TEST(HistogramPlan, WaysBySize) {
    EXPECT_FALSE(blocks_of(plan_of(1000, 256)).adds);
    EXPECT_EQ(plan_of(1000, 256).launches, 1);
    EXPECT_TRUE(blocks_of(plan_of(1 << 20, 256)).zeroes);
    EXPECT_EQ(plan_of(1 << 20, 256).launches, 1);
    EXPECT_EQ(blocks_of(plan_of(1 << 20, 256)).copies_log2, 0) << "too few items per bin";
    EXPECT_FALSE(blocks_of(plan_of(1 << 21, 256)).zeroes);
    EXPECT_EQ(plan_of(1 << 21, 256).launches, 2);
    EXPECT_TRUE(plan_of(1000, 65536).is<histogram_atomics>()) << "more bins than items";
    EXPECT_FALSE(blocks_of(plan_of(1 << 20, 256)).tickets);
    EXPECT_TRUE(blocks_of(plan_of(1 << 28, 256)).tickets);
    EXPECT_EQ(plan_of(1 << 28, 256).launches, 3);
    EXPECT_FALSE(blocks_of(plan_of(1 << 28, 65536)).tickets);
    EXPECT_TRUE(plan_of(256, 256, 1 << 20).is<histogram_warps>());
    EXPECT_TRUE(plan_of(4096, 256, 5000).is<histogram_warps>());
    EXPECT_EQ(blocks_of(plan_of(4096, 256, 10)).parts, 1u);
    EXPECT_EQ(blocks_of(plan_of(1 << 20, 256, 500)).parts, 1u);
    EXPECT_FALSE(blocks_of(plan_of(1 << 20, 256, 500)).adds);
    EXPECT_EQ(blocks_of(plan_of(1 << 20, 256, 10)).parts, 13u);
    EXPECT_EQ(plan_of(0, 256).launches, 1);
    EXPECT_EQ(plan_of(0, 256, 0).launches, 0);
    const histogram_plan large = plan_of(std::uint64_t{1} << 40, 4, 1, {1, 8});
    EXPECT_EQ(large.most, std::uint64_t{132} << 31);
    EXPECT_EQ(large.launches, 1 + 4);
    EXPECT_FALSE(blocks_of(large).tickets);
}

// What the kernels rely on, for all sizes and devices.
TEST(HistogramPlan, FitsItsDevice) {
    for (const device_properties& device : device_shapes())
        for (std::uint64_t n = 1; n < std::uint64_t{1} << 44; n = n * 7 / 2 + 3)
            for (const std::uint64_t rows : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{100000}})
                for (std::uint64_t bins = 1; bins < std::uint64_t{1} << 32; bins = bins * 3 + 1)
                    for (const histogram_shape& shape : {histogram_shape{1, 4}, {4, 8}, {8, 4, true}, {12, 8, true}}) {
                        if (rows > 1 && (n > 1u << 30 || bins > 1u << 20)) continue;
                        const histogram_plan plan =
                            plan_histogram(n, rows, static_cast<std::uint32_t>(bins), shape, device);
                        SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(bins) + " bins on " + device.name +
                                     ": " + to_string(plan));
                        std::visit(
                            [&](const auto& way) {
                                EXPECT_LE(way.launch.shared_bytes, device.shared_bytes_per_block);
                                EXPECT_GE(way.launch.blocks, 1u);
                            },
                            plan.way);
                        if (plan.is<histogram_warps>()) {
                            EXPECT_GE(plan.most, n);
                            EXPECT_FALSE(rows == 1);
                        }
                        const auto* const way = plan.as<histogram_blocks>();
                        if (!way) continue;
                        const auto kind = way->narrow                                  ? grid::CounterKind::narrow
                                          : shape.weighted && shape.counter_bytes == 8 ? grid::CounterKind::wide
                                                                                       : grid::CounterKind::word;
                        EXPECT_FALSE(way->narrow && shape.weighted);
                        EXPECT_EQ(way->launch.shared_bytes,
                                  grid::histogram_bytes(kind, way->range_bins, way->copies_log2));
                        EXPECT_GE(std::uint64_t{way->range_bins} * way->ranges, bins);
                        EXPECT_LT(std::uint64_t{way->range_bins} * (way->ranges - 1), bins);
                        EXPECT_TRUE(way->adds || (way->parts == 1 && !way->narrow && plan.most >= n));
                        EXPECT_TRUE(!way->zeroes || (way->adds && !way->narrow && plan.most >= n &&
                                                     way->launch.blocks == rows * way->parts * way->ranges));
                        EXPECT_TRUE(!way->tickets || way->parts >= grid::kHistogramTickets);
                        EXPECT_LE(plan.most / way->parts, std::uint64_t{1} << 31);
                    }
}
TEST(HistogramPlan, Mistakes) {
    EXPECT_EQ(code_of([&] { plan_of(10, 0); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_of(10, 1, 1, {4, 2}); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_of(std::uint64_t{1} << 61, 1); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_of(std::uint64_t{1} << 40, 1, std::uint64_t{1} << 40); }), errc::invalid_argument);
}
TEST(HistogramPlan, Texts) {
    EXPECT_EQ(to_string(plan_of(1000, 256)), "histogram: blocks, 1 of them, counters, 1 launch, 0 bytes of scratch");
    EXPECT_EQ(to_string(plan_of(1 << 24, 1 << 17)),
              "histogram: blocks, 132 of them, 16-bit counters, 2 ranges of bins, 66 parts, 2 launches, 0 bytes of "
              "scratch");
    EXPECT_EQ(to_string(plan_of(256, 256, 8)), "histogram: warps, in 1 blocks, 1 launch, 0 bytes of scratch");
    EXPECT_EQ(to_string(plan_of(1 << 24, 1 << 24)), "histogram: atomics, 264 blocks, 2 launches, 0 bytes of scratch");
}

TEST(HistogramPlan, ScratchIsExact) {
    const std::size_t n = 17 << 20;  // so many bytes are shared out by tickets
    Random random(1);
    std::vector<std::uint64_t> items(n / 2);
    for (auto& item : items) item = random();
    const Array<std::uint64_t> in(items);
    const histogram_plan plan = plan_histogram(items.size(), 1, 16, {8, 4}, simt::current_properties());
    SCOPED_TRACE(to_string(plan));
    const auto modulo = [](std::uint64_t item) { return static_cast<std::uint32_t>(item % 16); };
    std::vector<std::uint32_t> want(16);
    for (const std::uint64_t item : items) ++want[item % 16];
    for (const std::size_t at : {0u, 1u}) {
        Array<std::uint8_t> space(plan.scratch_bytes, at);
        Array<std::uint32_t> counts(16);
        if (plan.scratch_bytes > 0) {
            const exec less{.space = {space.data(), plan.scratch_bytes - 1}};
            EXPECT_EQ(code_of([&] { histogram(in.data(), counts.data(), items.size(), 16, modulo, less); }),
                      errc::out_of_memory);
            EXPECT_TRUE(same(counts.get(), std::vector<std::uint32_t>(16, Array<std::uint32_t>::poison())));
        }
        const exec exact{.space = {space.data(), plan.scratch_bytes}, .scratch_limit = plan.scratch_bytes};
        histogram(in.data(), counts.data(), items.size(), 16, modulo, exact);
        EXPECT_TRUE(same(counts.get(), want));
    }
}

TEST(HistogramPlan, RunsOnEachDevice) {
    const device_properties before = simt::current_properties();
    const std::size_t n = small() ? 60001 : 300007;
    const auto items = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(items, 1);
    for (const device_properties& device : device_shapes()) {
        SCOPED_TRACE(device.name);
        pretend(shrunk(device));
        for (const std::uint32_t bins : {100u, 5000u, 30000u}) {
            std::vector<std::uint32_t> want(bins);
            for (const std::uint32_t item : items) ++want[item % bins];
            Array<std::uint32_t> counts(bins);
            histogram(in.data(), counts.data(), n, bins, [=](std::uint32_t item) { return item % bins; });
            EXPECT_TRUE(same(counts.get(), want)) << bins;
        }
    }
    pretend(before);
}

}  // namespace
