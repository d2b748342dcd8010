// kogge-test: GPU HOST
// XLA: sorts of keys and of pairs with values of 2, 4 and 8 bytes, found in the library by plain C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

template <class Value>
void check_pairs_with() {
    constexpr std::size_t kItems = 3001;
    const auto keys = random_items<std::int32_t>(kItems);
    const auto values = random_items<Value>(kItems, 16);
    std::vector<std::size_t> order(kItems);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] > keys[b]; });
    std::vector<Value> want(kItems);
    for (std::size_t i = 0; i < kItems; ++i) want[i] = values[order[i]];
    const Array<std::int32_t> in(keys);
    const Array<Value> with(values);
    Array<std::int32_t> sorted(kItems);
    Array<Value> moved(kItems);
    kogge::radix_sort_pairs(in.data(), sorted.data(), with.data(), moved.data(), kItems, {.order = kogge::descending});
    EXPECT_TRUE(same(moved.get(), want)) << sizeof(Value);
}
TEST(XLA, PairsDescending) {
    check_pairs_with<std::uint16_t>();
    check_pairs_with<std::uint32_t>();
    check_pairs_with<std::uint64_t>();
}

}  // namespace
