// kogge-test: GPU HOST
// MinkowskiEngine: rows of a kernel map that are in use, from several arrays at once; and unique coordinates, with the
// first one and the length of each run.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

constexpr std::uint32_t kUnused = 0xffffffffu;

struct InUse {
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t row) const { return row != kUnused; }
};
TEST(MinkowskiEngine, RowsInUse) {
    constexpr std::size_t kItems = 7919;
    std::vector<std::uint32_t> rows(kItems), kernels(kItems), want_rows, want_kernels;
    Random random(11);
    for (std::size_t i = 0; i < kItems; ++i) {
        rows[i] = random() % 3 == 0 ? kUnused : static_cast<std::uint32_t>(random() % 5000);
        kernels[i] = static_cast<std::uint32_t>(i % 27);
        if (rows[i] == kUnused) continue;
        want_rows.push_back(rows[i]);
        want_kernels.push_back(kernels[i]);
    }
    Array<std::uint32_t> in_rows(rows), in_kernels(kernels);
    const auto both = kogge::arrays(in_rows.data(), in_kernels.data());
    const std::uint64_t kept = kogge::compact(both, both, kItems, InUse{});
    ASSERT_EQ(kept, want_rows.size());
    auto found_rows = in_rows.get(), found_kernels = in_kernels.get();
    found_rows.resize(kept);
    found_kernels.resize(kept);
    EXPECT_TRUE(same(found_rows, want_rows));
    EXPECT_TRUE(same(found_kernels, want_kernels));
}

/// Which coordinate comes first, and how many there are, of each run of equal keys.
struct Interval {
    std::uint32_t first, length;
};
struct Intervals {
    KOGGE_HOST_DEVICE Interval operator[](std::uint64_t i) const { return {static_cast<std::uint32_t>(i), 1}; }
};
struct Join {
    KOGGE_HOST_DEVICE Interval operator()(const Interval& a, const Interval& b) const {
        return {a.first, a.length + b.length};
    }
};
TEST(MinkowskiEngine, FirstAndLengthOfEachRun) {
    constexpr std::size_t kItems = 7919;
    auto items = random_items<std::uint32_t>(kItems, 2);
    for (std::uint32_t& item : items) item %= 1500;
    Array<std::uint32_t> keys(items), found(kItems);
    Array<Interval> runs(kItems);
    kogge::radix_sort(keys.data(), kItems);
    const std::uint64_t number =
        kogge::reduce_by_key(keys.data(), Intervals{}, found.data(), runs.data(), kItems, Join{});
    const std::uint64_t left = kogge::unique(keys.data(), keys.data(), kItems);  // in place

    std::sort(items.begin(), items.end());
    auto want = items;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    std::vector<Interval> want_runs;
    for (const std::uint32_t key : want) {
        const auto [first, last] = std::equal_range(items.begin(), items.end(), key);
        want_runs.push_back(
            {static_cast<std::uint32_t>(first - items.begin()), static_cast<std::uint32_t>(last - first)});
    }
    ASSERT_EQ(number, want.size());
    ASSERT_EQ(left, want.size());
    EXPECT_TRUE(same(front(found, number), want));
    EXPECT_TRUE(same(front(runs, number), want_runs));
    EXPECT_TRUE(same(front(keys, left), want));
}

}  // namespace
