// kogge-test: GPU HOST
// cuDF: columns with NaNs greatest, the order of a table's rows, and sums within groups of sorted rows, in place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/tables.hpp"

namespace {

using namespace tests;

constexpr std::size_t kItems = 8009;

TEST(CuDF, ColumnWithNansGreatest) {
    std::vector<float> column(kItems);
    Random random(9);
    for (float& item : column) item = random() % 5 == 0 ? std::nanf("") : static_cast<float>(random() % 700) - 350.5f;
    auto want = column;
    std::stable_sort(want.begin(), want.end(),
                     [](float a, float b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
    Array<float> sorted(column);
    kogge::radix_sort(sorted.data(), kItems, {.nans = kogge::nan_order::greatest});
    EXPECT_TRUE(same(sorted.get(), want));
    std::reverse(want.begin(), want.end());  // equal items are the same
    kogge::radix_sort(sorted.data(), kItems, {.order = kogge::descending, .nans = kogge::nan_order::greatest});
    EXPECT_TRUE(same(sorted.get(), want));
}

// Columns ascending and descending; nulls by a bitmap, before or after; NaNs greatest.
TEST(CuDF, OrderOfATablesRows) {
    const auto nulls_first = kogge::null_order::first;
    TestColumn<std::int32_t> group{few_keys<std::int32_t>(kItems, 1), some_valid(kItems, 2), {.nulls = nulls_first}};
    TestColumn<double> price{
        few_keys<double>(kItems, 3),
        some_valid(kItems, 4),
        {.order = kogge::descending, .zeros = kogge::zero_order::equal, .nans = kogge::nan_order::greatest}};
    const TestColumn<std::int64_t> time{random_items<std::int64_t>(kItems, 5), {}, {.order = kogge::descending}};
    const auto rows = order_of_rows(kItems, group, price, time);
    const Array<std::int32_t> groups(group.keys);
    const Array<double> prices(price.keys);
    const Array<std::int64_t> times(time.keys);
    const Array<std::uint32_t> group_mask(group.mask()), price_mask(price.mask());
    group.options.valid = group_mask.data();
    price.options.valid = price_mask.data();
    Array<std::int32_t> order(kItems);
    kogge::argsort(
        kogge::columns(kogge::column(groups.data(), group.options), kogge::column(prices.data(), price.options),
                       kogge::column(times.data(), {.order = kogge::descending})),
        order.data(), kItems);
    EXPECT_TRUE(same(order.get(), std::vector<std::int32_t>(rows.begin(), rows.end())));
}

TEST(CuDF, SumsWithinGroupsInPlace) {
    std::vector<std::int32_t> groups(kItems);
    auto values = random_items<std::int64_t>(kItems);
    Random random(10);
    for (std::size_t i = 1; i < kItems; ++i) groups[i] = groups[i - 1] + (random() % 6 == 0 ? 1 : 0);
    for (std::int64_t& value : values) value %= 1000;
    std::vector<std::int64_t> want(kItems);
    for (std::size_t i = 0; i < kItems; ++i)
        want[i] = values[i] + (i > 0 && groups[i] == groups[i - 1] ? want[i - 1] : 0);
    const Array<std::int32_t> keys(groups);
    Array<std::int64_t> sums(values);
    kogge::inclusive_scan_by_key(keys.data(), sums.data(), sums.data(), kItems);
    EXPECT_TRUE(same(sums.get(), want));
}

}  // namespace
