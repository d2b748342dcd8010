// kogge-test: EMULATED GPU HOST
// Sorts within a budget of scratch: each way that fits is taken, gives the same result, and takes exactly the bytes
// that its plan says; where none fits, the error names the least and nothing has changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/counting_resource.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"
#include "support/sort_plans.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace {

using namespace tests;
using kogge::radix_sort_plan;
using kogge::radix_sort_shape;

/// The plans that ever smaller limits lead to.
std::vector<radix_sort_plan> ways(std::uint64_t n, const radix_sort_shape& shape,
                                  const kogge::device_properties& device) {
    std::vector<radix_sort_plan> list{kogge::plan_radix_sort(n, shape, device)};
    try {
        while (list.back().scratch_bytes > 0)
            list.push_back(kogge::plan_radix_sort(n, shape, device, list.back().scratch_bytes - 1));
    } catch (const kogge::error& failure) {
        EXPECT_EQ(failure.code(), kogge::errc::out_of_memory);
        const std::string least = "at least " + std::to_string(list.back().scratch_bytes) + " bytes";
        EXPECT_NE(std::string(failure.what()).find(least), std::string::npos) << failure.what();
        const std::string limit = std::to_string(list.back().scratch_bytes - 1);
        EXPECT_NE(std::string(failure.what()).find("scratch_limit is " + limit), std::string::npos) << failure.what();
    }
    return list;
}

radix_sort_shape shape_of(std::size_t key_bytes, bool in_place, std::vector<kogge::value_layout> values = {}) {
    return {.key_bytes = key_bytes,
            .end_bit = static_cast<int>(8 * key_bytes),
            .in_place = in_place,
            .values = std::move(values)};
}

// ---- plans ---------------------------------------------------------------------------------------------
TEST(ScratchLimitPlans, TakeTheFirstWayThatFits) {
    const kogge::device_properties device = kogge::h200_properties();
    // One launch by all blocks; then one block, which takes nothing; then there is no smaller.
    auto list = ways(1u << 14, shape_of(4, true), device);
    ASSERT_EQ(list.size(), 2u);
    EXPECT_TRUE(list[0].is<kogge::resident_sort>() && list[1].is<kogge::block_sort>());
    EXPECT_EQ(list[1].scratch_bytes, 0u);
    // Too many for a block: passes share smaller tables than a grid does.
    list = ways(1u << 17, shape_of(4, true), device);
    ASSERT_GE(list.size(), 2u);
    EXPECT_TRUE(list[0].is<kogge::resident_sort>());
    EXPECT_TRUE(is_plain_passes(list[1]));
    // Counters of all values, or one more array; for bytes they are less than that.
    list = ways(1u << 22, shape_of(2, true), device);
    EXPECT_TRUE(list[0].is<kogge::counting_sort>());
    EXPECT_FALSE(list[1].is<kogge::counting_sort>());
    list = ways(1u << 20, shape_of(1, true), device);
    ASSERT_EQ(list.size(), 2u);
    EXPECT_TRUE(list[0].is<kogge::resident_sort>() && list[1].is<kogge::counting_sort>());
    // Values of 16 bytes move with their keys, or are gathered by indices of 4.
    list = ways(1u << 24, shape_of(4, false, {{16, 16}}), device);
    EXPECT_TRUE(is_pipelined(list.front()) && list.front().index_bytes == 0);
    EXPECT_GT(list.back().index_bytes, 0u);
}

TEST(ScratchLimitPlans, InPlaceTakesOneMoreArrayAndLittleElse) {
    const kogge::device_properties device = kogge::h200_properties();
    for (const std::uint64_t n :
         {std::uint64_t{1} << 20, std::uint64_t{1} << 24, std::uint64_t{1} << 28, (std::uint64_t{1} << 32) + 1})
        for (const std::size_t value_bytes : {0, 4, 8, 16})
            for (const std::size_t key_bytes : {4, 8, 16}) {
                SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(key_bytes) + ", values of " +
                             std::to_string(value_bytes));
                auto shape = shape_of(key_bytes, true);
                if (value_bytes > 0) shape.values = {{value_bytes, value_bytes}};
                const std::uint64_t array = n * (key_bytes + value_bytes);
                const auto list = ways(n, shape, device);
                const std::uint64_t index_bytes = list.back().index_bytes;  // the least way may gather values
                EXPECT_GE(
                    list.back().scratch_bytes,
                    index_bytes == 0 ? array : n * std::max(key_bytes + 2 * index_bytes, value_bytes + index_bytes));
                EXPECT_LE(list.back().scratch_bytes, array + (std::uint64_t{4} << 20));
                for (std::size_t i = 1; i < list.size(); ++i) {
                    EXPECT_LT(list[i].scratch_bytes, list[i - 1].scratch_bytes);
                    const auto* const way = list[i].as<kogge::pass_sort>();
                    if (!way) continue;
                    EXPECT_GE(way->tiles_per_launch * way->launches_per_pass, way->tiles);
                    EXPECT_LT(way->tiles_per_launch * (way->launches_per_pass - 1), way->tiles)
                        << "a launch without tiles";
                }
            }
}

// Indices of 4 or 8 bytes take turns with others as values would; the copy of values lies over what the sort took.
TEST(ScratchLimitPlans, ValuesThatAreGatheredInPlaceTakeOneMoreArrayOrIndices) {
    const kogge::device_properties device = kogge::h200_properties();
    for (const std::uint64_t n : {std::uint64_t{1} << 20, std::uint64_t{1} << 28, (std::uint64_t{1} << 32) + 1})
        for (const std::size_t key_bytes : {1, 2, 4, 8, 16})
            for (const std::size_t value_bytes : {1, 2, 3, 6, 12, 20, 64}) {
                SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(key_bytes) + ", values of " +
                             std::to_string(value_bytes));
                const std::uint64_t index_bytes = n <= (std::uint64_t{1} << 32) ? 4 : 8;
                const std::uint64_t most = std::max(key_bytes + 2 * index_bytes, value_bytes + index_bytes);
                const bool large = key_bytes >= index_bytes && value_bytes >= 2 * index_bytes;
                EXPECT_TRUE(!large || most <= key_bytes + value_bytes) << "one more array";
                for (const bool several : {false, true}) {
                    auto shape = shape_of(key_bytes, true, {{value_bytes, 1}});
                    if (several) shape.values.push_back({1, 1});
                    const auto list = ways(n, shape, device);
                    EXPECT_GT(list.back().index_bytes, 0u);
                    EXPECT_GE(list.back().scratch_bytes, n * (value_bytes + index_bytes));
                    EXPECT_LE(list.back().scratch_bytes, n * most + (std::uint64_t{4} << 20));
                }
            }
}

TEST(ScratchLimitPlans, OfWhatTakesNoneNeedNone) {
    const kogge::device_properties device = kogge::h200_properties();
    EXPECT_TRUE(kogge::plan_radix_sort(1000, shape_of(4, true), device, 0).is<kogge::rank_sort>());
    auto nothing = shape_of(4, false);
    nothing.end_bit = 0;
    EXPECT_EQ(kogge::plan_radix_sort(1u << 28, nothing, device, 0).passes, 0);
    EXPECT_EQ(kogge::plan_radix_sort(0, shape_of(4, true), device, 0).launches, 0);
}

// ---- calls ---------------------------------------------------------------------------------------------
#if KOGGE_KERNELS

struct Counts {
    std::uint64_t launches = 0, allocations = 0;
};
Counts counts_now() {
#if KOGGE_EMULATED
    kogge::simt::synchronize(nullptr);
    const auto seen = kogge::simt::emulator::statistics();
    return {seen.launches, seen.allocations};
#else
    return {};
#endif
}

/// Calls sort(how) once for each way, and below the least. `prepare` makes its arrays anew, `verify` looks at its
/// result, and `unchanged` whether there is none.
template <class Prepare, class Sort, class Verify, class Unchanged>
std::vector<radix_sort_plan> check_ways(std::uint64_t n, const radix_sort_shape& shape, const Prepare& prepare,
                                        const Sort& sort, const Verify& verify, const Unchanged& unchanged) {
    const auto list = ways(n, shape, kogge::simt::current_properties());
    for (const radix_sort_plan& plan : list) {
        SCOPED_TRACE(kogge::to_string(plan));
        prepare();
        CountingResource recorder;
        const Counts before = counts_now();
        sort({.scratch = &recorder, .scratch_limit = plan.scratch_bytes});
        EXPECT_EQ(counts_now().allocations - before.allocations, KOGGE_EMULATED ? recorder.calls : 0u)
            << "memory from elsewhere";
        EXPECT_EQ(recorder.largest, plan.scratch_bytes);
        EXPECT_LE(recorder.calls, 1u);
        verify();
    }
    const std::size_t least = list.back().scratch_bytes;
    if (least > 0) {
        prepare();
        const Counts before = counts_now();
        EXPECT_EQ(code_of([&] { sort({.scratch_limit = least - 1}); }), kogge::errc::out_of_memory);
        EXPECT_EQ(counts_now().allocations, before.allocations);
        EXPECT_EQ(counts_now().launches, before.launches);
        unchanged();
    }
    return list;
}

template <class Key>
class KeysInPlace : public ::testing::Test {};
using Keys = ::testing::Types<std::uint16_t, std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(KeysInPlace, Keys);

// On two multiprocessors: sizes for a block, for all blocks, for plain passes and for pipelined ones of several parts.
TYPED_TEST(KeysInPlace, EveryWay) {
    const Pretending device(2);
    for (const std::size_t n : {std::size_t{9001}, std::size_t{30011}, std::size_t{300007}}) {
        if (small() && n > 100000) continue;
        SCOPED_TRACE(n);
        const auto keys = random_items<TypeParam>(n, n);
        auto sorted = keys;
        std::sort(sorted.begin(), sorted.end());
        std::unique_ptr<Array<TypeParam>> array;
        const auto list = check_ways(
            n, shape_of(sizeof(TypeParam), true), [&] { array = std::make_unique<Array<TypeParam>>(keys); },
            [&](const kogge::exec& how) { kogge::radix_sort(array->data(), n, {}, how); },
            [&] { EXPECT_TRUE(same(array->get(), sorted)); }, [&] { EXPECT_TRUE(same(array->get(), keys)); });
#if KOGGE_EMULATED
        if (n > 100000 && sizeof(TypeParam) > 2) {
            EXPECT_TRUE(is_pipelined(list.back()) && launches_per_pass(list.back()) > 1);
        }
#endif
    }
}

struct alignas(16) Wide {
    std::uint64_t word[2];
};

TEST(PairsOutOfPlace, MoveOrAreGathered) {
    const Pretending device(2);
    const std::size_t n = small() ? 9001 : 120011;
    const auto keys = random_items<std::uint32_t>(n);
    const auto values = random_items<Wide>(n, 2);
    std::vector<std::uint32_t> order(n), sorted(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    std::vector<Wide> moved(n);
    for (std::size_t i = 0; i < n; ++i) {
        sorted[i] = keys[order[i]];
        moved[i] = values[order[i]];
    }
    const Array<std::uint32_t> in(keys);
    const Array<Wide> with(values);
    std::unique_ptr<Array<std::uint32_t>> out;
    std::unique_ptr<Array<Wide>> with_out;
    const auto list = check_ways(
        n, shape_of(4, false, {{16, 16}}),
        [&] {
            out = std::make_unique<Array<std::uint32_t>>(n);
            with_out = std::make_unique<Array<Wide>>(n);
        },
        [&](const kogge::exec& how) {
            kogge::radix_sort_pairs(in.data(), out->data(), with.data(), with_out->data(), n, {}, how);
        },
        [&] {
            EXPECT_TRUE(same(out->get(), sorted));
            EXPECT_TRUE(same(with_out->get(), moved));
        },
        [&] {
            EXPECT_TRUE(same(out->get(), std::vector(n, Array<std::uint32_t>::poison())));
            EXPECT_TRUE(same(with_out->get(), std::vector(n, Array<Wide>::poison())));
        });
    EXPECT_GT(list.back().index_bytes, 0u);
}

// A workspace of the limit's size serves each way.
TEST(Workspaces, OfALimitsSize) {
    const Pretending device(2);
    const std::size_t n = 30011;
    const auto keys = random_items<std::uint32_t>(n);
    auto sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    for (const radix_sort_plan& plan : ways(n, shape_of(4, true), kogge::simt::current_properties())) {
        Array<std::uint32_t> array(keys);
        Array<std::uint8_t> space(plan.scratch_bytes, 3);
        kogge::radix_sort(array.data(), n, {},
                          {.space = {space.data(), plan.scratch_bytes}, .scratch_limit = plan.scratch_bytes});
        EXPECT_TRUE(same(array.get(), sorted)) << kogge::to_string(plan);
    }
}

// Other calls have one way: it fits, or the error says what it needs.
TEST(OtherCalls, KeepToTheLimit) {
    const std::size_t n = 60000;
    const auto items = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(items);
    const auto& device = kogge::simt::current_properties();
    const std::size_t scan = kogge::plan_scan(n, {4, 4, 4}, {}, device).scratch_bytes;
    const std::size_t compact = kogge::plan_compact(n, 4, false, false, device).scratch_bytes;
    ASSERT_GT(scan, 0u);
    ASSERT_GT(compact, 0u);
    const kogge::compare<std::uint32_t> low{kogge::relation::less, 1u << 31};
    Array<std::uint32_t> out(n);
    const Counts before = counts_now();
    EXPECT_EQ(
        code_of([&] { kogge::inclusive_scan(in.data(), out.data(), n, kogge::plus{}, {.scratch_limit = scan - 1}); }),
        kogge::errc::out_of_memory);
    EXPECT_EQ(code_of([&] { kogge::compact(in.data(), out.data(), n, low, {.scratch_limit = compact - 1}); }),
              kogge::errc::out_of_memory);
    EXPECT_EQ(counts_now().launches, before.launches);
    EXPECT_TRUE(same(out.get(), std::vector(n, Array<std::uint32_t>::poison())));
    kogge::inclusive_scan(in.data(), out.data(), n, kogge::plus{}, {.scratch_limit = scan});
    EXPECT_EQ(out.get()[n - 1], std::accumulate(items.begin(), items.end(), 0u));
    EXPECT_EQ(kogge::compact(in.data(), out.data(), n, low, {.scratch_limit = compact}),
              static_cast<std::uint64_t>(std::count_if(items.begin(), items.end(), low)));
}

#endif

}  // namespace
