// kogge-test: EMULATED
// Plans of reductions: which way is taken, on devices of every compute capability, and their exact scratch.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kogge/calls/reduce.hpp"
#include "kogge/calls/reduce_by_key.hpp"
#include "kogge/calls/segmented_reduce.hpp"
#include "support/backend.hpp"
#include "support/device_shapes.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using Word = std::uint32_t;

kogge::reduce_plan words(std::uint64_t n, const kogge::device_properties& device) {
    return kogge::plan_reduce(n, {sizeof(Word), sizeof(Word)}, device);
}

TEST(ReducePlan, OneLaunchUpToFourRounds) {
    const kogge::device_properties device = kogge::h200_properties();
    const auto way = [&](std::uint64_t n) -> std::string {
        const auto plan = words(n, device);
        const auto* const wave = plan.as<kogge::reduce_wave>();
        if (!wave) return "blocks";
        return wave->cluster ? "cluster" : wave->cooperative ? "grid" : "block";
    };
    EXPECT_EQ(way(0), "block");
    EXPECT_EQ(way(1000), "block");
    EXPECT_EQ(way(1 << 14), "block");
    EXPECT_EQ(way((1 << 14) + 1), "cluster");
    EXPECT_EQ(way(1 << 20), "grid");
    EXPECT_EQ(way(1 << 24), "grid");
    EXPECT_EQ(way(1 << 28), "blocks");
    EXPECT_EQ(words(1 << 24, device).launches, 1);
    EXPECT_EQ(words(1 << 28, device).launches, 2);
    EXPECT_EQ(words(1000, device).scratch_bytes, 0u);
}
TEST(ReducePlan, BlocksFitEveryDevice) {
    for (const auto& device : device_shapes())
        for (const std::uint64_t n :
             {std::uint64_t{1}, std::uint64_t{100000}, std::uint64_t{1} << 24, std::uint64_t{1} << 36}) {
            SCOPED_TRACE(device.name + ", " + std::to_string(n));
            const auto plan = words(n, device);
            SCOPED_TRACE(to_string(plan));
            const auto* const wave = plan.as<kogge::reduce_wave>();
            const int each = std::min(2, device.max_threads_per_multiprocessor / plan.threads);
            const auto resident = static_cast<std::uint32_t>(each * device.multiprocessors);
            EXPECT_GE(plan.blocks, 1u);
            if (!wave) EXPECT_GT(plan.blocks, resident);
            else EXPECT_LE(plan.blocks, wave->cluster ? device.cluster_blocks : resident);
            EXPECT_LE(plan.blocks, 4 * resident);
            EXPECT_LE(plan.shared_bytes, device.shared_bytes_per_block);
        }
}
TEST(ReducePlan, RefusesWhatIsTooWide) {
    const auto& device = kogge::h200_properties();
    EXPECT_EQ(code_of([&] {
                  kogge::plan_reduce(5, {4, std::size_t{1} << 20}, device);
              }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::plan_reduce(5, {0, 4}, device); }), kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::plan_reduce(std::uint64_t{1} << 62, {4, 4}, device);
              }),
              kogge::errc::invalid_argument);
}
TEST(ReduceByKeyPlan, TakesEveryWay) {
    kogge::device_properties device = kogge::h200_properties();
    const kogge::reduce_by_key_shape shape{4, 4, 4};
    EXPECT_TRUE(kogge::plan_reduce_by_key(1 << 20, shape, device).is<kogge::wave_scan>());
    EXPECT_TRUE(kogge::plan_reduce_by_key(1 << 26, shape, device).is<kogge::pipeline_scan>());
    device.compute_major = 8;
    EXPECT_TRUE(kogge::plan_reduce_by_key(1 << 26, shape, device).is<kogge::tile_scan>());
}
TEST(SegmentedReducePlan, TakesEveryWay) {
    const auto device = kogge::h200_properties();
    const auto plan = [&](std::uint64_t n, std::uint64_t segments, bool equal) {
        return kogge::plan_segmented_reduce(n, segments, equal, {4, 4}, device);
    };
    const auto way = [&](std::uint64_t n, std::uint64_t segments, bool equal) {
        const auto of = plan(n, segments, equal);
        EXPECT_EQ(of.launches, 1);
        EXPECT_EQ(of.cooperative, of.most_parts > 0);
        return kogge::to_string(of.way);
    };
    EXPECT_STREQ(way(1000000, 100000, true), "all_short");
    EXPECT_STREQ(way(4000, 1000, false), "all_short");  // no segment is longer than all items
    EXPECT_STREQ(way(800000, 100, true), "row_blocks");
    EXPECT_STREQ(way(1u << 28, 1u << 15, true), "all_short");  // each warp takes several
    EXPECT_STREQ(way(1u << 28, 2, true), "row_parts");
    EXPECT_STREQ(way(50000, 100, false), "own_blocks");
    EXPECT_STREQ(way(100000, 100, false), "listed");
    EXPECT_EQ(plan(1000000, 100000, true).lanes, 4);
    EXPECT_EQ(plan(1u << 20, 10, false).blocks, 65u);  // a part per warp
    EXPECT_EQ(plan(1u << 28, 100, false).blocks, 264u);
    EXPECT_EQ(plan(1u << 30, 1, true).parts_per_row, 4096u);  // of more rounds than those of several rows
    EXPECT_EQ(plan(1u << 28, 100, false).part_items, 8192u);
    EXPECT_EQ(plan(0, 100, false).launches, 1);
    EXPECT_EQ(plan(1000, 0, false).launches, 0);
}

/// The call runs in a workspace of the plan's size, and not in one of a byte less.
void check_scratch(std::size_t bytes, const std::function<void(const kogge::exec&)>& call) {
    call({});
    Array<std::uint8_t> space(bytes, 1);
    if (bytes > 0) {
        EXPECT_EQ(code_of([&] { call({.space = {space.data(), bytes - 1}}); }), kogge::errc::out_of_memory);
        EXPECT_EQ(code_of([&] { call({.scratch_limit = bytes - 1}); }), kogge::errc::out_of_memory);
    }
    call({.space = {space.data(), bytes}, .scratch_limit = bytes});
}
TEST(ReducePlan, ScratchIsExact) {
    for (const std::size_t shared_bytes : {std::size_t{0}, std::size_t{99} << 10}) {
        const Pretending pretended(2, shared_bytes);
        const auto device = kogge::simt::current_properties();
        for (const std::size_t n : {0, 1000, 70001, 400001}) {
            SCOPED_TRACE(n);
            const auto items = random_items<Word>(n);
            std::vector<Word> keys(n);
            std::vector<std::uint64_t> offsets;
            for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Word>(i / 777);
            for (std::size_t i = 0; i < n; i += 1 + i / 2) offsets.push_back(i);
            const Array<Word> in(items), with(keys);
            const Array<std::uint64_t> at(offsets);
            Array<Word> out(1), keys_out(n), sums(n), of_segments(offsets.size());
            Array<std::uint64_t> runs(1);
            check_scratch(words(n, device).scratch_bytes,
                          [&](const kogge::exec& how) { kogge::reduce(in.data(), out.data(), n, how); });
            check_scratch(kogge::plan_reduce_by_key(n, {4, 4, 4}, device).scratch_bytes, [&](const kogge::exec& how) {
                kogge::reduce_by_key(with.data(), in.data(), keys_out.data(), sums.data(), runs.data(), n, how);
            });
            check_scratch(kogge::plan_segmented_reduce(n, offsets.size(), false, {4, 4}, device).scratch_bytes,
                          [&](const kogge::exec& how) {
                              kogge::segmented_reduce(in.data(), of_segments.data(), n, at.data(), offsets.size(), how);
                          });
            const kogge::rows_of rows{n / 3, 3};
            Array<Word> of_rows(3);
            check_scratch(
                kogge::plan_segmented_reduce(n / 3 * 3, 3, true, {4, 4}, device).scratch_bytes,
                [&](const kogge::exec& how) { kogge::segmented_reduce(in.data(), of_rows.data(), rows, how); });
        }
    }
}

}  // namespace
