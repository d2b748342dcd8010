// kogge-test: GPU HOST
// CuPy: sort and argsort with NaNs last, lexsort, and cumulative sums of complex numbers.
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

constexpr std::size_t kItems = 7001;

std::vector<double> with_nans() {
    std::vector<double> items(kItems);
    Random random(2);
    for (double& item : items) item = random() % 9 == 0 ? std::nan("") : static_cast<double>(random() % 500) - 250.5;
    return items;
}
bool nans_last(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

TEST(CuPy, Argsort) {
    const auto items = with_nans();
    std::vector<std::uint64_t> want(kItems);
    std::iota(want.begin(), want.end(), 0u);
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) { return nans_last(items[a], items[b]); });
    const Array<double> in(items);
    Array<std::uint64_t> indices(kItems);
    kogge::argsort(in.data(), indices.data(), kItems, {.nans = kogge::nan_order::last});
    EXPECT_TRUE(same(indices.get(), want));
}

// The last key is the first to order by.
TEST(CuPy, Lexsort) {
    std::vector<std::uint16_t> rows = random_items<std::uint16_t>(kItems),
                               columns = random_items<std::uint16_t>(kItems, 2);
    for (std::uint16_t& row : rows) row %= 40;
    std::vector<std::uint32_t> want(kItems);
    std::iota(want.begin(), want.end(), 0u);
    std::stable_sort(want.begin(), want.end(),
                     [&](auto a, auto b) { return rows[a] != rows[b] ? rows[a] < rows[b] : columns[a] < columns[b]; });
    const Array<std::uint16_t> by_column(columns), by_row(rows);
    Array<std::uint32_t> order(kItems);
    kogge::argsort(kogge::arrays(by_row.data(), by_column.data()), order.data(), kItems);
    EXPECT_TRUE(same(order.get(), want));
}

struct Complex {
    float real, imaginary;
};
struct Product {
    KOGGE_HOST_DEVICE Complex operator()(const Complex& a, const Complex& b) const {
        return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    }
};
// Products of the fourth roots of one are exact.
TEST(CuPy, CumulativeProductOfComplexNumbers) {
    constexpr Complex kRoots[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    std::vector<Complex> items(kItems), want(kItems);
    std::uint64_t turns = 0;
    Random random(4);
    for (std::size_t i = 0; i < kItems; ++i) {
        const std::uint64_t turn = random() % 4;
        items[i] = kRoots[turn];
        want[i] = kRoots[(turns += turn) % 4];
    }
    const Array<Complex> in(items);
    Array<Complex> out(kItems);
    kogge::inclusive_scan(in.data(), out.data(), kItems, Product{});
    const auto found = out.get();
    for (std::size_t i = 0; i < kItems; ++i) {
        ASSERT_EQ(found[i].real, want[i].real) << i;
        ASSERT_EQ(found[i].imaginary, want[i].imaginary) << i;
    }
}

}  // namespace
