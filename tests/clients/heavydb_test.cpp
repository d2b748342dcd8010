// kogge-test: GPU HOST
// HeavyDB: rows by a column in either order, rows of a table in use first, and offsets of a hash table in place.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

constexpr std::size_t kItems = 4507;

TEST(HeavyDB, RowsByAColumn) {
    const auto column = random_items<std::int64_t>(kItems);
    for (const auto order : {kogge::ascending, kogge::descending}) {
        std::vector<std::uint32_t> want(kItems);
        std::iota(want.begin(), want.end(), 0u);
        std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) {
            return order == kogge::ascending ? column[a] < column[b] : column[a] > column[b];
        });
        const Array<std::int64_t> keys(column);
        Array<std::uint32_t> rows(kItems);
        kogge::argsort(keys.data(), rows.data(), kItems, {.order = order});
        EXPECT_TRUE(same(rows.get(), want));
    }
}

struct IsUsed {
    const std::uint8_t* used;
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t row) const { return used[row] != 0; }
};
TEST(HeavyDB, RowsInUseFirst) {
    auto used = random_items<std::uint8_t>(kItems);
    for (std::uint8_t& flag : used) flag &= 1;
    std::vector<std::uint32_t> rows(kItems);
    std::iota(rows.begin(), rows.end(), 0u);
    auto want = rows;
    const auto boundary = std::stable_partition(want.begin(), want.end(), [&](auto row) { return used[row] != 0; });
    const Array<std::uint8_t> flags(used);
    Array<std::uint32_t> partitioned(rows);
    EXPECT_EQ(kogge::partition(partitioned.data(), partitioned.data(), kItems, IsUsed{flags.data()}),
              static_cast<std::uint64_t>(boundary - want.begin()));
    EXPECT_TRUE(same(partitioned.get(), want));
}

TEST(HeavyDB, OffsetsOfAHashTableInPlace) {
    std::vector<std::int32_t> counts(kItems), want(kItems);
    Random random(16);
    for (std::int32_t& count : counts) count = static_cast<std::int32_t>(random() % 100);
    std::partial_sum(counts.begin(), counts.end(), want.begin());
    Array<std::int32_t> own(counts);
    kogge::inclusive_scan(own.data(), own.data(), kItems);
    EXPECT_TRUE(same(own.get(), want));
}

}  // namespace
