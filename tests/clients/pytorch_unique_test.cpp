// kogge-test: GPU HOST
// PyTorch's unique: of numbers, with the place of each item among the unique ones, lengths and their number in 64-bit
// integers on the device; and of bools, whose bytes may have any value.
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
constexpr std::size_t kItems = 9'973;

/// 1 where an item differs from the one before it.
struct Heads {
    const std::int32_t* sorted;
    KOGGE_HOST_DEVICE std::int32_t operator[](std::uint64_t i) const { return i > 0 && sorted[i - 1] != sorted[i]; }
};
/// A result goes where the item came from.
struct Inverse {
    const std::int64_t* origins;
    std::int64_t* places;
    KOGGE_HOST_DEVICE std::int64_t& operator[](std::uint64_t i) const { return places[origins[i]]; }
};
TEST(PyTorchUnique, WithInverseAndCounts) {
    auto items = random_items<std::int32_t>(kItems);
    for (std::int32_t& item : items) item %= 700;
    std::vector<std::int64_t> indices(kItems);
    std::iota(indices.begin(), indices.end(), 0);
    Array<std::int32_t> sorted(items), found(kItems);
    Array<std::int64_t> origins(indices), inverse(kItems), counts(kItems), number(1);
    kogge::radix_sort_pairs(sorted.data(), origins.data(), kItems);
    kogge::inclusive_scan(Heads{sorted.data()}, Inverse{origins.data(), inverse.data()}, kItems);
    kogge::run_length_encode(sorted.data(), found.data(), counts.data(), number.data(), kItems);

    auto want = items;
    std::sort(want.begin(), want.end());
    want.erase(std::unique(want.begin(), want.end()), want.end());
    std::vector<std::int64_t> places(kItems), lengths(want.size());
    for (std::size_t i = 0; i < kItems; ++i) {
        places[i] = std::lower_bound(want.begin(), want.end(), items[i]) - want.begin();
        ++lengths[static_cast<std::size_t>(places[i])];
    }
    ASSERT_EQ(number.get()[0], static_cast<std::int64_t>(want.size()));
    EXPECT_TRUE(same(front(found, want.size()), want));
    EXPECT_TRUE(same(front(counts, want.size()), lengths));
    EXPECT_TRUE(same(inverse.get(), places));
}

TEST(PyTorchUnique, OfSortedNumbers) {
    auto items = random_items<std::int16_t>(kItems);
    std::sort(items.begin(), items.end());
    const Array<std::int16_t> sorted(items);
    Array<std::int16_t> found(kItems);
    Array<std::int64_t> number(1);
    kogge::unique(sorted.data(), found.data(), number.data(), kItems);
    items.erase(std::unique(items.begin(), items.end()), items.end());
    ASSERT_EQ(number.get()[0], static_cast<std::int64_t>(items.size()));
    EXPECT_TRUE(same(front(found, items.size()), items));
}

struct IsTrue {
    KOGGE_HOST_DEVICE int operator()(std::uint8_t byte) const { return byte != 0; }
};
TEST(PyTorchUnique, NumberOfTrueOnes) {
    auto bytes = random_items<std::uint8_t>(kItems);
    for (std::uint8_t& byte : bytes) byte &= 3;
    const Array<std::uint8_t> bools(bytes);
    EXPECT_EQ(kogge::transform_reduce(bools.data(), kItems, IsTrue{}),
              static_cast<int>(kItems) - std::count(bytes.begin(), bytes.end(), 0));
}

}  // namespace
