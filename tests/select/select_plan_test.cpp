// kogge-test: EMULATED
// Plans of selections by rank: their choices, exact scratch, and runs on devices of each compute capability.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kogge/calls/select.hpp"
#include "support/backend.hpp"
#include "support/device_shapes.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"
#include "support/select_plans.hpp"

namespace {

using namespace tests;
using namespace kogge;

select_plan plan_of(std::uint64_t n, std::uint64_t m, std::size_t key_bytes = 4,
                    const device_properties& device = h200_properties()) {
    return plan_select(n, m, {key_bytes, 0, static_cast<int>(8 * key_bytes)}, device);
}
std::vector<int> bits_of(const select_plan& plan) {
    std::vector<int> bits;
    if (const auto* const way = plan.as<select_digits>())
        for (const select_digit& digit : way->digits) bits.push_back(digit.of_index ? -digit.bits : digit.bits);
    return bits;
}

TEST(SelectPlan, Ways) {
    EXPECT_TRUE(plan_of(4096, 9).is<select_compare>());
    EXPECT_TRUE(plan_of(4097, 9).is<select_sort>());
    EXPECT_TRUE(plan_of(1 << 22, 9).is<select_sort>());
    EXPECT_TRUE(plan_of(1 << 23, 9).is<select_digits>());
    EXPECT_TRUE(plan_of(1 << 23, 1025).is<select_sort>());
    EXPECT_TRUE(plan_of(1 << 23, 9, 16).is<select_sort>()) << "keys too wide for ranks";
    EXPECT_TRUE(plan_select(1 << 23, 9, {4, 7, 7}, h200_properties()).is<select_sort>()) << "no bits to order by";
    EXPECT_EQ(plan_of(0, 9).launches, 0);
    EXPECT_EQ(plan_of(9, 0).scratch_bytes, 0u);
}
// Whether keys are counted depends on their number per multiprocessor.
TEST(SelectPlan, LeastCounted) {
    device_properties device = h200_properties();
    for (const std::size_t bytes : {1u, 2u, 4u, 8u})
        for (const int multiprocessors : {1, 2, 4, 40, 132, 148}) {
            device.multiprocessors = multiprocessors;
            const select_shape shape{bytes, 0, static_cast<int>(8 * bytes)};
            const auto least = 61440 * static_cast<std::uint64_t>(multiprocessors);
            EXPECT_EQ(least_counted(shape, device), least) << bytes << " bytes, " << multiprocessors;
            for (const std::uint64_t m : {1u, 1024u}) {
                EXPECT_TRUE(plan_select(least - 1, m, shape, device).is<select_sort>());
                EXPECT_TRUE(plan_select(least, m, shape, device).is<select_digits>());
            }
        }
}
// The fastest way that fits the limit: either may take less scratch than the other.
TEST(SelectPlan, ScratchLimits) {
    const auto plan_within = [](std::size_t limit) {
        return plan_select(1 << 20, 9, {4, 0, 32}, h200_properties(), limit);
    };
    const select_plan sort = plan_of(1 << 20, 9);
    ASSERT_TRUE(sort.is<select_sort>());
    EXPECT_TRUE(plan_within(sort.scratch_bytes).is<select_sort>());
    const select_plan counted = plan_within(std::size_t{4} << 20);
    EXPECT_TRUE(counted.is<select_digits>()) << "no sort fits, counters do";
    EXPECT_LE(counted.scratch_bytes, std::size_t{4} << 20);
    EXPECT_EQ(plan_within(counted.scratch_bytes).scratch_bytes, counted.scratch_bytes);
    EXPECT_EQ(code_of([&] { plan_within(counted.scratch_bytes - 1); }), errc::out_of_memory);
    device_properties one = h200_properties();
    one.multiprocessors = 1;
    const select_shape words{8, 0, 64};
    const select_plan few = plan_select(70000, 9, words, one);
    ASSERT_TRUE(few.is<select_digits>());
    const select_plan sorted = plan_select(70000, 9, words, one, few.scratch_bytes - 1);
    EXPECT_TRUE(sorted.is<select_sort>()) << "counters do not fit, a sort does";
    EXPECT_LT(sorted.scratch_bytes, few.scratch_bytes);
}
TEST(SelectPlan, Digits) {
    using Bits = std::vector<int>;
    EXPECT_EQ(bits_of(plan_of(1 << 28, 1)), (Bits{16, 16}));
    EXPECT_EQ(bits_of(plan_of(1 << 28, 64)), (Bits{16, 16}));
    EXPECT_EQ(bits_of(plan_of(1 << 28, 1024)), (Bits{16, 12, 4}));
    EXPECT_EQ(bits_of(plan_of(1 << 28, 9, 8)), (Bits{16, 16, 16, 16}));
    EXPECT_EQ(bits_of(plan_of(1 << 28, 9, 1)), (Bits{8}));
    EXPECT_EQ(bits_of(plan_of(1 << 28, 9, 2)), (Bits{16}));
    EXPECT_EQ(bits_of(plan_select(1 << 23, 9, {.key_bytes = 4, .end_bit = 32, .merges_keys = true}, h200_properties())),
              (Bits{16, 16, -16, -7}));
    EXPECT_EQ(bits_of(plan_select((1 << 23) + 1, 9, {4, 8, 20}, h200_properties())), (Bits{12, -16, -8}));
    EXPECT_EQ(plan_of(1 << 23, 9).as<select_digits>()->places, 0u) << "two reads need no list";
    EXPECT_EQ(plan_of(1 << 24, 9, 8).as<select_digits>()->places, 1u << 20);
    device_properties one = h200_properties();
    one.multiprocessors = 1;
    EXPECT_EQ(plan_of(1 << 18, 9, 8, one).as<select_digits>()->places, 1u << 16);
}
TEST(SelectPlan, FitsItsDevice) {
    for (const device_properties& device : device_shapes())
        for (std::uint64_t n = 1; n < std::uint64_t{1} << 36; n = n * 7 / 2 + 3)
            for (const std::uint64_t m : {1u, 9u, 64u, 65u, 1024u})
                for (const std::size_t bytes : {1u, 2u, 4u, 8u}) {
                    const select_plan plan = plan_of(n, m, bytes, device);
                    SCOPED_TRACE(device.name + ", " + std::to_string(n) + ": " + to_string(plan));
                    const auto* const way = plan.as<select_digits>();
                    if (!way) continue;
                    EXPECT_LE(way->count.shared_bytes, device.shared_bytes_per_block);
                    EXPECT_LE(way->find.shared_bytes, device.shared_bytes_per_block);
                    EXPECT_LE(way->find.blocks, m);
                    EXPECT_EQ(way->counter_bytes, n < std::uint64_t{1} << 32 ? 4u : 8u);
                    int bits = 0;
                    for (std::size_t d = 0; d < way->digits.size(); ++d) {
                        bits += way->digits[d].bits;
                        EXPECT_LE(way->digits[d].bits, 16);
                        EXPECT_LE((d == 0 ? 1 : m) << way->digits[d].bits, way->counters);
                    }
                    EXPECT_EQ(bits, static_cast<int>(8 * bytes));
                }
}
TEST(SelectPlan, Mistakes) {
    EXPECT_EQ(code_of([&] { plan_select(10, 1, {4, 5, 4}, h200_properties()); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_of(std::uint64_t{1} << 62, 1); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_select(100000, 40, {4, 0, 32}, h200_properties(), 1000); }), errc::out_of_memory);
}
TEST(SelectPlan, Texts) {
    EXPECT_EQ(to_string(plan_of(1000, 9)), "select: compare, 63 blocks, 1 launch, 0 bytes of scratch");
    EXPECT_EQ(to_string(plan_of(1 << 23, 9)).find("select: digits of 16 16, 7 launches, "), 0u)
        << to_string(plan_of(1 << 23, 9));
    EXPECT_EQ(to_string(plan_of(20000, 9)).find("select: sort, by "), 0u);
}

std::vector<std::uint64_t> keys_at(std::vector<std::uint64_t> keys, const std::vector<std::uint64_t>& ranks) {
    std::sort(keys.begin(), keys.end());
    std::vector<std::uint64_t> out;
    for (const std::uint64_t rank : ranks) out.push_back(keys[rank]);
    return out;
}

// A workspace of scratch_bytes is enough, wherever it begins; one of a byte less is refused, and nothing has changed.
TEST(SelectPlan, ScratchIsExact) {
    const Pretending device(1);
    const std::pair<const char*, std::size_t> sizes[] = {{"compare", 2000}, {"sort", 9000}, {"digits", 70000}};
    for (const auto& [way, n] : sizes) {
        const auto keys = random_items<std::uint64_t>(n, n);
        const std::vector<std::uint64_t> ranks{n / 2, 0, n - 1};
        const Array<std::uint64_t> in(keys), wanted(ranks);
        const auto plan = plan_of(n, 3, 8, simt::current_properties());
        SCOPED_TRACE(to_string(plan));
        EXPECT_STREQ(to_string(plan.way), way);
        for (const std::size_t at : {0u, 1u}) {
            Array<std::uint8_t> space(plan.scratch_bytes, at);
            Array<std::uint64_t> out(3);
            if (plan.scratch_bytes > 0) {
                const exec less{.space = {space.data(), plan.scratch_bytes - 1}};
                EXPECT_EQ(code_of([&] { quantiles(in.data(), out.data(), n, wanted.data(), 3, less); }),
                          errc::out_of_memory);
                EXPECT_TRUE(same(out.get(), std::vector<std::uint64_t>(3, Array<std::uint64_t>::poison())));
            }
            const exec exact{.space = {space.data(), plan.scratch_bytes}, .scratch_limit = plan.scratch_bytes};
            quantiles(in.data(), out.data(), n, wanted.data(), 3, exact);
            EXPECT_TRUE(same(out.get(), keys_at(keys, ranks)));
        }
    }
}
// Under a limit that no sort fits, few keys are counted as well.
TEST(SelectPlan, CountsWithinALimit) {
    const std::size_t n = 100000, limit = 500000;
    const select_shape shape{4, 0, 32};
    const device_properties device = simt::current_properties();
    EXPECT_TRUE(plan_select(n, 1, shape, device).is<select_sort>());
    EXPECT_TRUE(plan_select(n, 1, shape, device, limit).is<select_digits>());
    auto keys = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(keys);
    Array<std::uint32_t> out(1);
    select(in.data(), out.data(), n, n / 3, exec{.scratch_limit = limit});
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(out.get()[0], keys[n / 3]);
}
TEST(SelectPlan, RunsOnEachDevice) {
    const device_properties before = simt::current_properties();
    const std::pair<const char*, std::size_t> sizes[] = {{"compare", 3000}, {"sort", 20000}, {"digits", 70000}};
    for (device_properties device : device_shapes()) {
        SCOPED_TRACE(device.name);
        device = shrunk(device);
        device.multiprocessors = 1;
        pretend(device);
        for (const auto& [way, n] : sizes) {
            EXPECT_STREQ(to_string(plan_of(n, 4, 8, device).way), way);
            const auto keys = random_items<std::uint64_t>(n, 2);
            const std::vector<std::uint64_t> ranks{n / 3, n - 2, n / 2, 1};
            const Array<std::uint64_t> in(keys, 1), wanted(ranks);
            Array<std::uint64_t> out(4);
            quantiles(in.data(), out.data(), n, wanted.data(), 4);
            EXPECT_TRUE(same(out.get(), keys_at(keys, ranks))) << n;
        }
    }
    pretend(before);
}

}  // namespace
