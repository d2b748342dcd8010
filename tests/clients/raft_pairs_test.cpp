// kogge-test: GPU HOST
// RAFT's edges by weight, with rows and columns in arrays of their own; and its samples without replacement: pairs in
// order, and the first of each key.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kItems = 7'013;

template <class Key>
std::vector<std::size_t> order_of(const std::vector<Key>& keys) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    return order;
}

TEST(Raft, CooSortByWeight) {
    std::vector<float> weights(kItems);
    Random random(1);
    for (float& weight : weights) weight = static_cast<float>(random() % 2001) - 1000.5f;
    const auto rows = random_items<int>(kItems, 2), columns = random_items<int>(kItems, 3);
    std::vector<int> want_rows, want_columns;
    for (const std::size_t i : order_of(weights)) {
        want_rows.push_back(rows[i]);
        want_columns.push_back(columns[i]);
    }
    Array<float> by(weights);
    Array<int> own_rows(rows), own_columns(columns);
    kogge::radix_sort_pairs(by.data(), kogge::arrays(own_rows.data(), own_columns.data()), kItems);
    EXPECT_TRUE(same(own_rows.get(), want_rows));
    EXPECT_TRUE(same(own_columns.get(), want_columns));
    std::sort(weights.begin(), weights.end());
    EXPECT_TRUE(same(by.get(), weights));
}

TEST(Raft, SamplesWithoutReplacement) {
    auto samples = random_items<std::int64_t>(kItems, 4);
    for (std::int64_t& sample : samples) sample = (sample & 4095) - 2048;
    const auto draws = random_items<std::int32_t>(kItems, 5);
    std::vector<std::int64_t> want;
    std::vector<std::int32_t> want_draws;
    for (const std::size_t i : order_of(samples)) {
        if (!want.empty() && want.back() == samples[i]) continue;
        want.push_back(samples[i]);
        want_draws.push_back(draws[i]);
    }
    Array<std::int64_t> keys(samples), keys_out(kItems);
    Array<std::int32_t> values(draws), values_out(kItems), number(1);
    kogge::radix_sort_pairs(keys.data(), values.data(), kItems);
    kogge::unique_by_key(keys.data(), values.data(), keys_out.data(), values_out.data(), number.data(), kItems);
    ASSERT_EQ(number.get()[0], static_cast<std::int32_t>(want.size()));
    EXPECT_TRUE(same(front(keys_out, want.size()), want));
    EXPECT_TRUE(same(front(values_out, want.size()), want_draws));
}

}  // namespace
