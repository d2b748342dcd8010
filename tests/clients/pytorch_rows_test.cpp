// kogge-test: EMULATED GPU HOST
// PyTorch, SortStable.cu: many rows at once, values and their i64 column numbers, stable.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/calls/segmented_argsort.hpp"
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

}  // namespace
