// kogge-test: GPU HOST
// CuPy's reductions: of an array, of an axis, the index of the least item, and histograms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kRows = 19, kLength = 423, kItems = kRows * kLength;

std::vector<float> array() {
    std::vector<float> items(kItems);
    Random random(1);
    for (float& item : items) item = static_cast<float>(random() % 4096) / 4 - 512;
    return items;
}

TEST(CuPy, SumAndMaximum) {
    const auto items = array();
    const Array<float> in(items);
    Array<double> sum(1);
    kogge::reduce(in.data(), sum.data(), kItems);
    EXPECT_EQ(sum.get()[0], std::accumulate(items.begin(), items.end(), 0.0));
    EXPECT_EQ(kogge::reduce(in.data(), kItems, kogge::maximum{}), *std::max_element(items.begin(), items.end()));
}

TEST(CuPy, SumsOfTheLastAxis) {
    const auto items = array();
    std::vector<float> want;
    for (auto row = items.begin(); row < items.end(); row += kLength)
        want.push_back(std::accumulate(row, row + kLength, 0.0f));
    const Array<float> in(items);
    Array<float> sums(kRows);
    kogge::segmented_reduce(in.data(), sums.data(), kogge::rows_of{kLength, kRows});
    EXPECT_TRUE(same(sums.get(), want));
}

TEST(CuPy, IndexOfTheLeast) {
    const auto items = array();
    const Array<float> in(items);
    Array<std::int64_t> index(1);
    kogge::arg_min(in.data(), index.data(), kItems);
    EXPECT_EQ(index.get()[0], std::min_element(items.begin(), items.end()) - items.begin());
}

TEST(CuPy, Histogram) {
    constexpr std::uint32_t bins = 16;
    const auto items = array();
    std::vector<std::uint64_t> want(bins);
    for (const float item : items)
        if (item >= -256 && item < 256) ++want[static_cast<std::size_t>((item + 256) / 32)];
    const Array<float> in(items);
    Array<std::uint64_t> counts(bins);
    kogge::histogram(in.data(), counts.data(), kItems, kogge::even_bins(-256.0f, 256.0f, bins));
    EXPECT_TRUE(same(counts.get(), want));
}

}  // namespace
