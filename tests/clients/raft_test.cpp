// kogge-test: GPU HOST
// RAFT's labels, sorted and made unique in place with their number in an int, as MinkowskiEngine's and Gunrock's keys
// are; its cache's partition of indices by flags; and its COO matrices, sorted by row and column.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kItems = 12'289;

TEST(Raft, UniqueLabelsInPlace) {
    auto labels = random_items<int>(kItems);
    for (int& label : labels) label %= 1000;
    Array<int> own(labels);
    Array<int> number(1);
    kogge::radix_sort(own.data(), kItems);
    kogge::unique(own.data(), own.data(), number.data(), kItems);
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    EXPECT_EQ(number.get()[0], static_cast<int>(labels.size()));
    auto found = own.get();
    found.resize(labels.size());
    EXPECT_TRUE(same(found, labels));
}

TEST(Raft, CooSort) {
    auto rows = random_items<int>(kItems), columns = random_items<int>(kItems, 2);
    const auto values = random_items<float>(kItems, 3);
    for (int& row : rows) row = (row & 0x7fffffff) % 300;
    for (int& column : columns) column = (column & 0x7fffffff) % 300;
    std::vector<std::size_t> order(kItems);
    for (std::size_t i = 0; i < kItems; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(rows[a], columns[a]) < std::pair(rows[b], columns[b]);
    });
    const auto in_order = [&](auto items) {
        auto sorted = items;
        for (std::size_t i = 0; i < kItems; ++i) sorted[i] = items[order[i]];
        return sorted;
    };
    Array<int> own_rows(rows), own_columns(columns);
    Array<float> own_values(values);
    kogge::radix_sort_pairs(kogge::arrays(own_rows.data(), own_columns.data()), own_values.data(), kItems);
    EXPECT_TRUE(same(own_rows.get(), in_order(rows)));
    EXPECT_TRUE(same(own_columns.get(), in_order(columns)));
    EXPECT_TRUE(same(own_values.get(), in_order(values)));
}

TEST(Raft, PartitionOfCacheIndicesByFlags) {
    const auto indices = random_items<int>(kItems);
    auto bytes = random_items<std::uint8_t>(kItems);
    std::vector<int> want, others;
    for (std::size_t i = 0; i < kItems; ++i) {
        bytes[i] %= 2;
        (bytes[i] ? want : others).push_back(indices[i]);
    }
    const auto boundary = static_cast<int>(want.size());
    want.insert(want.end(), others.begin(), others.end());
    const Array<int> in(indices);
    const Array<std::uint8_t> is_cached(bytes);
    Array<int> out(kItems), number(1);
    kogge::partition_flags(in.data(), reinterpret_cast<const bool*>(is_cached.data()), out.data(), number.data(),
                           kItems);
    EXPECT_EQ(number.get()[0], boundary);
    EXPECT_TRUE(same(out.get(), want));
}

}  // namespace
