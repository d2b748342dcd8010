// kogge-test: GPU HOST
// PyTorch, SortStable.cu: many rows at once, values and their i64 column numbers, stable; and the same by sorts of the
// whole.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/calls/segmented_argsort.hpp"
#include "kogge/radix_sort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

TEST(PyTorch, SortOfManyRows) {
    const std::uint64_t length = 333, rows = 25;
    const auto keys = random_items<std::int16_t>(length * rows);
    const Array<std::int16_t> in(keys);
    Array<std::int16_t> values(keys.size());
    Array<std::int64_t> indices(keys.size());
    kogge::segmented_argsort(in.data(), values.data(), indices.data(), kogge::rows_of{length, rows});
    std::vector<std::int16_t> sorted;
    std::vector<std::int64_t> columns;
    for (const Span& row : row_spans(length, rows))
        for (const std::uint64_t i : places_in_order(row, [&](auto a, auto b) { return keys[a] < keys[b]; })) {
            sorted.push_back(keys[i]);
            columns.push_back(static_cast<std::int64_t>(i - row.begin));
        }
    EXPECT_TRUE(same(values.get(), sorted));
    EXPECT_TRUE(same(indices.get(), columns));
}

// By a sort of the whole: values move the column (high half) and the row along, which are then sorted by as many bits
// as rows have.
TEST(PyTorch, SortOfRowsByTheWhole) {
    constexpr std::uint64_t length = 611, rows = 13;
    constexpr int kRowBits = 4;
    auto keys = random_items<std::int16_t>(length * rows, 2);
    for (std::int16_t& key : keys) key &= 255;
    std::vector<std::int64_t> origins, want;
    for (std::size_t i = 0; i < keys.size(); ++i)
        origins.push_back(static_cast<std::int64_t>(i % length << 32 | i / length));
    for (const Span& row : row_spans(length, rows))
        for (const std::uint64_t i : places_in_order(row, [&](auto a, auto b) { return keys[a] < keys[b]; }))
            want.push_back(origins[i]);
    Array<std::int16_t> by(keys);
    Array<std::int64_t> moved(origins);
    kogge::radix_sort_pairs(by.data(), moved.data(), keys.size());
    kogge::radix_sort(moved.data(), keys.size(), {.end_bit = kRowBits});
    EXPECT_TRUE(same(moved.get(), want));
}

}  // namespace
