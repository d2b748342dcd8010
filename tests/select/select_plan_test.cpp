// kogge-test: EMULATED
// Plans of selections by rank: their choices, exact scratch, and runs on devices of each compute capability.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kogge/calls/select.hpp"
#include "support/backend.hpp"
#include "support/device_shapes.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

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
    EXPECT_TRUE(plan_of(65535, 9).is<select_sort>());
    EXPECT_TRUE(plan_of(65536, 9).is<select_digits>());
    EXPECT_TRUE(plan_of(1 << 20, 1025).is<select_sort>());
    EXPECT_TRUE(plan_of(1 << 20, 9, 16).is<select_sort>()) << "keys too wide for ranks";
    EXPECT_TRUE(plan_select(1 << 20, 9, {4, 7, 7}, h200_properties()).is<select_sort>()) << "no bits to order by";
    EXPECT_EQ(plan_of(0, 9).launches, 0);
    EXPECT_EQ(plan_of(9, 0).scratch_bytes, 0u);
}
TEST(SelectPlan, Digits) {
    using Bits = std::vector<int>;
    EXPECT_EQ(bits_of(plan_of(1 << 28, 1)), (Bits{16, 16}));
    EXPECT_EQ(bits_of(plan_of(1 << 28, 64)), (Bits{16, 16}));
    EXPECT_EQ(bits_of(plan_of(1 << 28, 1024)), (Bits{16, 12, 4}));
    EXPECT_EQ(bits_of(plan_of(1 << 28, 9, 8)), (Bits{16, 16, 16, 16}));
    EXPECT_EQ(bits_of(plan_of(1 << 28, 9, 1)), (Bits{8}));
    EXPECT_EQ(bits_of(plan_of(1 << 28, 9, 2)), (Bits{16}));
    EXPECT_EQ(bits_of(plan_select(1 << 20, 9, {.key_bytes = 4, .end_bit = 32, .merges_keys = true}, h200_properties())),
              (Bits{16, 16, -16, -4}));
    EXPECT_EQ(bits_of(plan_select((1 << 20) + 1, 9, {4, 8, 20}, h200_properties())), (Bits{12, -16, -5}));
    EXPECT_EQ(plan_of(1 << 20, 9).as<select_digits>()->places, 0u) << "two reads need no list";
    EXPECT_EQ(plan_of(1 << 24, 9, 8).as<select_digits>()->places, 1u << 20);
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
    EXPECT_EQ(to_string(plan_of(1 << 20, 9)).find("select: digits of 16 16, 7 launches, "), 0u)
        << to_string(plan_of(1 << 20, 9));
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
    for (const std::size_t n : {2000u, 9000u, 70000u}) {
        const auto keys = random_items<std::uint64_t>(n, n);
        const std::vector<std::uint64_t> ranks{n / 2, 0, n - 1};
        const Array<std::uint64_t> in(keys), wanted(ranks);
        const auto plan = plan_of(n, 3, 8, simt::current_properties());
        SCOPED_TRACE(to_string(plan));
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
TEST(SelectPlan, RunsOnEachDevice) {
    const device_properties before = simt::current_properties();
    for (const device_properties& device : device_shapes()) {
        SCOPED_TRACE(device.name);
        pretend(shrunk(device));
        for (const std::size_t n : {3000u, 20000u, 70000u}) {
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
