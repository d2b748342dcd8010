// kogge-test: GPU HOST
// Warp's volumes: sorted codes of points, the cells that they fall into as runs of computed keys with lengths and their
// number in integers of 32 bits, and where the points of each cell begin, in 64 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kItems = 12'289;

/// The cell of each point.
template <class Cell>
struct Cells {
    const std::uint64_t* points;
    KOGGE_HOST_DEVICE Cell operator[](std::uint64_t i) const { return static_cast<Cell>(points[i] >> 9); }
};

TEST(Warp, CellsOfSortedPoints) {
    auto codes = random_items<std::uint64_t>(kItems);
    for (std::uint64_t& code : codes) code &= (1u << 21) - 1;
    Array<std::uint64_t> points(codes), cells(kItems), starts(kItems);
    Array<std::uint32_t> counts(kItems), number(1);
    kogge::radix_sort(points.data(), kItems);
    kogge::run_length_encode(Cells<std::uint64_t>{points.data()}, cells.data(), counts.data(), number.data(), kItems);
    const std::uint64_t n = number.get()[0];
    kogge::exclusive_scan(counts.data(), starts.data(), n);

    std::sort(codes.begin(), codes.end());
    std::vector<std::uint64_t> want, want_starts;
    for (std::size_t i = 0; i < kItems; ++i)
        if (want.empty() || want.back() != codes[i] >> 9) {
            want.push_back(codes[i] >> 9);
            want_starts.push_back(i);
        }
    ASSERT_EQ(n, want.size());
    EXPECT_TRUE(same(front(cells, n), want));
    EXPECT_TRUE(same(front(starts, n), want_starts));
}

TEST(Warp, EncodesComputedKeysIntoInts) {
    std::vector<std::uint64_t> points(kItems);
    Random random(2);
    for (std::size_t i = 1; i < kItems; ++i) points[i] = points[i - 1] + random() % 300;
    std::vector<int> want, lengths;
    for (const std::uint64_t point : points) {
        const int cell = static_cast<int>(point >> 9);
        if (want.empty() || want.back() != cell) {
            want.push_back(cell);
            lengths.push_back(0);
        }
        ++lengths.back();
    }
    const Array<std::uint64_t> in(points);
    Array<int> cells(kItems), counts(kItems), number(1);
    kogge::run_length_encode(Cells<int>{in.data()}, cells.data(), counts.data(), number.data(), kItems);
    ASSERT_EQ(number.get()[0], static_cast<int>(want.size()));
    EXPECT_TRUE(same(front(cells, want.size()), want));
    EXPECT_TRUE(same(front(counts, want.size()), lengths));
}

}  // namespace
