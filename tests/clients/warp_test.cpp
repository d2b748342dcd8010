// kogge-test: GPU HOST
// Warp: array sorts in place, and the order of sparse triplets by row and column.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

constexpr std::size_t kItems = 6007;

TEST(Warp, SortOfFloatsInPlace) {
    std::vector<float> keys(kItems);
    Random random(5);
    for (float& key : keys) key = static_cast<float>(random() % 3001) - 1500.5f;
    std::vector<std::int32_t> values(kItems);
    std::iota(values.begin(), values.end(), 0);
    auto want = values;
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) {
        return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
    });
    Array<float> in(keys);
    Array<std::int32_t> with(values);
    kogge::radix_sort_pairs(in.data(), with.data(), kItems);
    EXPECT_TRUE(same(with.get(), want));
}

// Blocks of a sparse matrix: triplets in order, each distinct one with its number, and where its summands begin.
TEST(Warp, TripletsOfASparseMatrix) {
    std::vector<std::uint64_t> places(kItems);
    Random random(6);
    for (std::uint64_t& place : places) place = (random() % 70) << 32 | random() % 50;
    Array<std::uint64_t> keys(places), blocks(kItems);
    std::vector<std::int32_t> numbers(kItems);
    std::iota(numbers.begin(), numbers.end(), 0);
    Array<std::int32_t> triplets(numbers), summands(kItems), starts(kItems);
    kogge::radix_sort_pairs(keys.data(), triplets.data(), kItems);
    Array<std::uint64_t> number(1);
    kogge::run_length_encode(keys.data(), blocks.data(), summands.data(), number.data(), kItems);
    std::sort(places.begin(), places.end());
    auto want = places;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    ASSERT_EQ(number.get()[0], want.size());
    // The number stays where it is: nobody waits for it.
    const kogge::item_count distinct =
        kOnDevice ? kogge::item_count(kogge::device_count{number.data(), kItems}) : kogge::item_count(want.size());
    kogge::exclusive_scan(summands.data(), starts.data(), distinct, 0);
    auto found = blocks.get();
    found.resize(want.size());
    EXPECT_TRUE(same(found, want));
    const auto at = starts.get();
    for (std::size_t i = 0; i < want.size(); ++i)
        ASSERT_EQ(at[i], std::lower_bound(places.begin(), places.end(), want[i]) - places.begin());
}

// The low half of a key rides along.
TEST(Warp, SortByTheHighHalf) {
    auto keys = random_items<std::uint64_t>(kItems);
    Array<std::uint64_t> sorted(keys);
    kogge::radix_sort(sorted.data(), kItems, {.begin_bit = 32});
    std::stable_sort(keys.begin(), keys.end(), [](auto a, auto b) { return a >> 32 < b >> 32; });
    EXPECT_TRUE(same(sorted.get(), keys));
}

}  // namespace
