// kogge-test: EMULATED
// Plans of top-k calls: their choices, exact scratch, and runs on devices of each compute capability.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "kogge/top_k.hpp"
#include "support/backend.hpp"
#include "support/device_shapes.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using namespace kogge;

top_k_plan plan_of(std::uint64_t n, std::uint64_t k, const device_properties& device, std::size_t key_bytes = 4) {
    return plan_top_k(n, k, {key_bytes, 0, static_cast<int>(8 * key_bytes)}, device);
}

TEST(TopKPlan, ChoosesByKeysAndCount) {
    const device_properties device = h200_properties();
    const auto is_cluster = [](const top_k_plan& plan) {
        const auto* const way = plan.as<top_k_select>();
        return way && way->cluster && !way->cooperative;
    };
    const auto is_grid = [](const top_k_plan& plan) {
        const auto* const way = plan.as<top_k_select>();
        return way && way->cooperative && !way->cluster;
    };
    for (const std::uint64_t n : {1, 100, 4096})
        for (const std::uint64_t k : {std::uint64_t{1}, n}) EXPECT_TRUE(plan_of(n, k, device).is<top_k_compare>()) << n;
    for (const std::uint64_t n : {4097, 32000, 1 << 18}) EXPECT_TRUE(is_cluster(plan_of(n, 40, device))) << n;
    for (const std::uint64_t n : {(1 << 18) + 1, 1 << 20, 1 << 28}) EXPECT_TRUE(is_grid(plan_of(n, 40, device))) << n;
    EXPECT_TRUE(is_grid(plan_of(32000, 1000, device)));
    EXPECT_TRUE(plan_of(32000, 4001, device).is<top_k_sort>()) << "more than an eighth";
    EXPECT_TRUE(plan_of(1 << 20, 16384, device).is<top_k_select>());
    EXPECT_TRUE(plan_of(1 << 20, 16385, device).is<top_k_sort>());
    EXPECT_TRUE(plan_of(1 << 20, 40, device, 16).is<top_k_sort>()) << "keys too wide for ranks";
    EXPECT_TRUE(plan_top_k(5000, 9, {4, 7, 7}, device).is<top_k_sort>()) << "no bits to order by";
    EXPECT_TRUE(plan_top_k(5000, 9, {.key_bytes = 8, .end_bit = 64, .merges_keys = true, .are_numbers = false}, device)
                    .is<top_k_sort>());
    device_properties small = device;
    small.cluster_blocks = 1;
    const top_k_plan plan = plan_of(8192, 40, small);
    const auto* const alone = plan.as<top_k_select>();
    ASSERT_NE(alone, nullptr);
    EXPECT_EQ(alone->launch.blocks, 1u);
    EXPECT_FALSE(alone->cooperative);
    EXPECT_TRUE(is_grid(plan_of(8193, 40, small)));
    EXPECT_EQ(plan_of(5000, 0, device).scratch_bytes, 0u);
    EXPECT_EQ(plan_of(5000, 0, device).launches, 0);
}

// What the kernels rely on, for all sizes and devices.
TEST(TopKPlan, SelectionsFitTheirDevice) {
    for (const device_properties& device : device_shapes())
        for (std::uint64_t n = 5000; n < std::uint64_t{1} << 36; n = n * 5 / 2 + 3)
            for (const std::uint64_t k : {1, 40, 64, 600, 16384})
                for (const std::size_t bytes : {1, 2, 4, 8}) {
                    if (k > n) continue;
                    SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(n) + " on " + device.name);
                    const top_k_plan plan = plan_of(n, k, device, bytes);
                    const auto* const way = plan.as<top_k_select>();
                    if (!way) continue;
                    EXPECT_EQ(plan.launches, 1);
                    EXPECT_LE(way->launch.shared_bytes, device.shared_bytes_per_block);
                    EXPECT_LE(way->launch.blocks, 2u * static_cast<unsigned>(device.multiprocessors));
                    if (way->cluster) {
                        EXPECT_LE(way->launch.blocks, device.cluster_blocks);
                    }
                    EXPECT_EQ(way->rank_bytes, bytes <= 4 && n < std::uint64_t{1} << 32 ? 8u : 16u);
                    const auto groups = static_cast<int>(way->launch.blocks) * way->groups_per_block;
                    EXPECT_GE(groups, 128);
                    EXPECT_LE(way->groups, std::min(groups, 128));
                    EXPECT_GE(way->places, k);
                    EXPECT_LT(plan.scratch_bytes, std::size_t{8} << 20);
                }
}

// A row of gigabytes has long strata, as a block takes few samples: any place of a stratum may be sampled.
TEST(TopKPlan, SamplesOfLongStrata) {
    for (const std::uint64_t chunks : {std::uint64_t{10000}, std::uint64_t{1} << 24, std::uint64_t{1} << 34})
        for (const std::uint64_t strata : {std::uint64_t{128}, std::uint64_t{1536}}) {
            const std::uint64_t step = grid::sample_step(strata, chunks);
            const double length = static_cast<double>(chunks) / static_cast<double>(strata);
            double sum = 0, most = 0;
            for (std::uint64_t s = 0; s < strata; ++s) {
                const auto chunk = static_cast<double>(grid::sampled_chunk(s, step, chunks));
                const double way = (chunk + 1 - static_cast<double>(s) * length) / length;  // within the stratum
                ASSERT_GE(way, 0);
                ASSERT_LE(way, 1 + 1 / length) << s << " of " << strata;
                sum += way;
                most = std::max(most, way);
            }
            EXPECT_GT(most, 0.9) << chunks << " chunks";
            EXPECT_NEAR(sum / static_cast<double>(strata), 0.5 + 0.5 / length, 0.1) << chunks << " chunks";
        }
}

TEST(TopKPlan, Mistakes) {
    const device_properties device = h200_properties();
    EXPECT_EQ(code_of([&] { plan_of(10, 11, device); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_top_k(10, 1, {4, 5, 4}, device); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_of(std::uint64_t{1} << 62, 1, device); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_top_k(20000, 40, {4, 0, 32}, device, 1000); }), errc::out_of_memory);
    EXPECT_EQ(code_of([&] { plan_top_k(20000, 40, {4, 0, 32}, device, 90000); }), errc::out_of_memory);
}

TEST(TopKPlan, Texts) {
    const device_properties device = h200_properties();
    EXPECT_EQ(to_string(plan_of(1000, 40, device)), "top_k: compare, 63 blocks, 1 launch, 0 bytes of scratch");
    EXPECT_EQ(to_string(plan_of(32000, 40, device))
                  .find("top_k: select, 16 blocks, a cluster, threshold from all keys, 32000 places for candidates, 1 "
                        "launch, "),
              0u);
    EXPECT_NE(to_string(plan_of(1 << 28, 40, device)).find(", threshold from 135168 samples, "), std::string::npos);
    EXPECT_EQ(to_string(plan_of(32000, 20000, device)).find("top_k: sort, by resident_sort, "), 0u);
}

/// The front of the descending order.
std::vector<std::uint32_t> front_of(const std::vector<std::uint32_t>& keys, std::size_t k) {
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] > keys[b]; });
    order.resize(k);
    return order;
}

// A workspace of scratch_bytes is enough, wherever it begins; one of a byte less is refused, and nothing has changed.
TEST(TopKPlan, ScratchIsExact) {
    for (const std::size_t n : {2000, 9000, 60000})
        for (const std::size_t k : {std::size_t{50}, std::size_t{600}, n / 2}) {
            const auto keys = random_items<std::uint32_t>(n, k);
            const auto want = front_of(keys, k);
            const Array<std::uint32_t> in(keys);
            const auto plan = plan_top_k(n, k, {.key_bytes = 4, .end_bit = 32, .writes_keys = false, .index_bytes = 4},
                                         simt::current_properties());
            SCOPED_TRACE(to_string(plan));
            for (const std::size_t at : {0, 1}) {
                Array<std::uint8_t> space(plan.scratch_bytes, at);
                Array<std::uint32_t> out(k);
                if (plan.scratch_bytes > 0) {
                    const exec less{.space = {space.data(), plan.scratch_bytes - 1}};
                    EXPECT_EQ(code_of([&] { arg_top_k(in.data(), out.data(), n, k, {}, less); }), errc::out_of_memory);
                    EXPECT_EQ(out.get(), std::vector<std::uint32_t>(k, Array<std::uint32_t>::poison()));
                }
                arg_top_k(in.data(), out.data(), n, k, {},
                          {.space = {space.data(), plan.scratch_bytes}, .scratch_limit = plan.scratch_bytes});
                EXPECT_TRUE(same(out.get(), want));
            }
        }
}

// Less than a selection takes may be enough for a sort; the result is the same, or nothing has changed.
TEST(TopKPlan, LittleScratch) {
    const std::size_t n = 20000, k = 100;
    const auto keys = random_items<std::uint32_t>(n, k);
    const Array<std::uint32_t> in(keys);
    const top_k_shape shape{.key_bytes = 4, .end_bit = 32};  // a sort of keys alone takes less than one of indices
    const auto plan = plan_top_k(n, k, shape, simt::current_properties());
    ASSERT_TRUE(plan.is<top_k_select>());
    const std::size_t less = plan.scratch_bytes - 1;
    std::size_t least = 0;
    for (std::size_t most = less; least < most;) {
        const std::size_t middle = least + (most - least) / 2;
        bool fits = true;
        try {
            plan_top_k(n, k, shape, simt::current_properties(), middle);
        } catch (const error&) {
            fits = false;
        }
        if (fits) most = middle;
        else least = middle + 1;
    }
    ASSERT_LT(least, less);
    for (const std::size_t limit : {std::size_t{0}, least - 1, least, less}) {
        Array<std::uint32_t> out(k);
        const auto call = [&] { top_k(in.data(), out.data(), n, k, {}, {.scratch_limit = limit}); };
        if (limit < least) {
            EXPECT_EQ(code_of(call), errc::out_of_memory);
            EXPECT_EQ(out.get(), std::vector<std::uint32_t>(k, Array<std::uint32_t>::poison()));
        } else {
            call();
            std::vector<std::uint32_t> want;
            for (const std::uint32_t index : front_of(keys, k)) want.push_back(keys[index]);
            EXPECT_TRUE(same(out.get(), want));
        }
    }
}

TEST(TopKPlan, RunsOnEachDevice) {
    const device_properties before = simt::current_properties();
    for (const device_properties& device : device_shapes()) {
        SCOPED_TRACE(device.name);
        pretend(shrunk(device));
        for (const std::size_t n : {3000, 8000, 50000}) {
            const auto keys = random_items<std::uint32_t>(n, 2);
            const Array<std::uint32_t> in(keys, 3);
            for (const std::size_t k : {40, 700}) {
                Array<std::uint32_t> out(k);
                arg_top_k(in.data(), out.data(), n, k);
                EXPECT_TRUE(same(out.get(), front_of(keys, k))) << k << " of " << n;
            }
        }
    }
    pretend(before);
}

}  // namespace
