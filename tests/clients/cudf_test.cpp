// kogge-test: EMULATED GPU HOST
// cuDF: columns with NaNs greatest, and sums within groups of sorted rows, in place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

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
