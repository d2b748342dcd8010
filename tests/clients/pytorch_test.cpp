// kogge-test: GPU HOST
// PyTorch's sort of a row, unique with counts and inverse, masked_scatter's places, and randperm.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

constexpr std::size_t kItems = 12'289;

TEST(PyTorch, StableSortOfARow) {
    std::vector<float> row(kItems);
    Random random(1);
    for (float& item : row) item = static_cast<float>(random() % 1000) - 500;
    std::vector<std::int64_t> want(kItems);
    std::iota(want.begin(), want.end(), 0);
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) {
        return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
    });
    const Array<float> keys(row);
    Array<std::int64_t> indices(kItems);
    kogge::argsort(keys.data(), indices.data(), kItems,
                   {.order = kogge::descending, .zeros = kogge::zero_order::equal, .nans = kogge::nan_order::last});
    EXPECT_TRUE(same(indices.get(), want));
}

TEST(PyTorch, UniqueWithCounts) {
    auto items = random_items<std::int32_t>(kItems);
    for (std::int32_t& item : items) item %= 300;
    Array<std::int32_t> sorted(items), unique(kItems);
    Array<std::int64_t> counts(kItems);
    kogge::radix_sort(sorted.data(), kItems);
    const std::uint64_t runs = kogge::run_length_encode(sorted.data(), unique.data(), counts.data(), kItems);
    std::sort(items.begin(), items.end());
    auto want = items;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    ASSERT_EQ(runs, want.size());
    const auto found = unique.get();
    const auto lengths = counts.get();
    for (std::size_t run = 0; run < runs; ++run) {
        EXPECT_EQ(found[run], want[run]);
        EXPECT_EQ(lengths[run], std::count(items.begin(), items.end(), want[run]));
    }
}

/// mask[i] as a number, read on the fly.
struct AsNumbers {
    const std::uint8_t* mask;
    KOGGE_HOST_DEVICE std::int64_t operator[](std::uint64_t i) const { return mask[i] != 0; }
};
TEST(PyTorch, PlacesOfMaskedScatter) {
    auto mask = random_items<std::uint8_t>(kItems);
    for (std::uint8_t& flag : mask) flag &= 1;
    std::vector<std::int64_t> want(kItems);
    std::exclusive_scan(mask.begin(), mask.end(), want.begin(), std::int64_t{0});
    const Array<std::uint8_t> flags(mask);
    Array<std::int64_t> places(kItems);
    kogge::exclusive_scan(AsNumbers{flags.data()}, places.data(), kItems, std::int64_t{0});
    EXPECT_TRUE(same(places.get(), want));
}

struct Rgb {
    std::uint8_t red, green, blue;
};
TEST(PyTorch, RandomPermutation) {
    constexpr int kBits = 28;
    const auto keys = random_items<std::int64_t>(kItems);
    const auto items = random_items<Rgb>(kItems, 2);
    std::vector<std::size_t> order(kItems);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto low = [&](std::size_t i) { return static_cast<std::uint64_t>(keys[i]) & ((1u << kBits) - 1); };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return low(a) < low(b); });
    std::vector<Rgb> want(kItems);
    for (std::size_t i = 0; i < kItems; ++i) want[i] = items[order[i]];
    Array<std::int64_t> by(keys);
    Array<Rgb> permuted(items);
    kogge::radix_sort_pairs(by.data(), permuted.data(), kItems, {.end_bit = kBits});
    EXPECT_TRUE(same(permuted.get(), want));
}

}  // namespace
