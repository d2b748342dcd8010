// kogge-test: GPU HOST
// XGBoost's sketches and rankings: entries by column and value, weights summed within a column, and queries as
// segments.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

struct Entry {
    std::uint32_t column;
    float value;
};

}  // namespace

template <>
struct kogge::key_codec<Entry> {
    using bits = std::uint64_t;
    KOGGE_HOST_DEVICE static bits encode(const Entry& entry) {
        const auto value = std::bit_cast<std::uint32_t>(entry.value);  // as a number that orders like the float
        return bits{entry.column} << 32 | (value >> 31 != 0 ? ~value : value | 1u << 31);
    }
};

namespace {

using namespace tests;

constexpr std::size_t kItems = 9'001;

std::vector<Entry> entries() {
    std::vector<Entry> entries(kItems);
    Random random(3);
    for (Entry& entry : entries)
        entry = {static_cast<std::uint32_t>(random() % 50), static_cast<float>(random() % 2001) - 1000.5f};
    return entries;
}

TEST(XGBoost, EntriesByColumnAndValue) {
    auto want = entries();
    std::stable_sort(want.begin(), want.end(), [](const Entry& a, const Entry& b) {
        return a.column != b.column ? a.column < b.column : a.value < b.value;
    });
    Array<Entry> sorted(entries());
    kogge::radix_sort(sorted.data(), kItems, {.end_bit = 32 + 6});
    EXPECT_TRUE(same(sorted.get(), want));
}

struct OfOneColumn {
    KOGGE_HOST_DEVICE bool operator()(const Entry& a, const Entry& b) const { return a.column == b.column; }
};
TEST(XGBoost, WeightsWithinColumns) {
    auto keys = entries();
    std::stable_sort(keys.begin(), keys.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
    std::vector<float> weights(kItems, 0.5f), want(kItems);
    for (std::size_t i = 0; i < kItems; ++i)
        want[i] = weights[i] + (i > 0 && keys[i].column == keys[i - 1].column ? want[i - 1] : 0.0f);
    const Array<Entry> by(keys);
    Array<float> sums(weights);
    kogge::inclusive_scan_by_key(by.data(), sums.data(), sums.data(), kItems, kogge::plus{}, OfOneColumn{});
    EXPECT_TRUE(same(sums.get(), want));
}

// What stands before the first query counts as a query of its own.
TEST(XGBoost, LabelsOfQueries) {
    auto labels = random_items<std::uint32_t>(kItems);
    const std::vector<std::uint64_t> queries{100, 101, 4000};
    auto want = labels;
    for (const auto& [begin, end] : {std::pair{0, 100}, {100, 101}, {101, 4000}, {4000, static_cast<int>(kItems)}})
        std::sort(want.begin() + begin, want.begin() + end, std::greater{});
    Array<std::uint32_t> sorted(labels);
    const Array<std::uint64_t> offsets(queries);
    kogge::segmented_sort(sorted.data(), kItems, offsets.data(), queries.size(), {.order = kogge::descending});
    EXPECT_TRUE(same(sorted.get(), want));
}

}  // namespace
