// kogge-test: GPU HOST
// cupy, argsort of the last axis: f64 with NaNs last, size_t indices within the row.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/calls/segmented_argsort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

TEST(Cupy, ArgsortOfTheLastAxis) {
    const std::uint64_t length = 500, rows = 9;
    const auto keys = random_items<double>(length * rows);
    const Array<double> in(keys);
    Array<std::uint64_t> indices(keys.size());
    kogge::segmented_argsort(in.data(), indices.data(), kogge::rows_of{length, rows},
                             {.zeros = kogge::zero_order::equal, .nans = kogge::nan_order::last});
    std::vector<std::uint64_t> want;
    for (const Span& row : row_spans(length, rows))
        for (const std::uint64_t i : places_in_order(row, [&](auto a, auto b) {
                 const double x = keys[a], y = keys[b];
                 return x == x && (y != y || x < y);
             }))
            want.push_back(i - row.begin);
    EXPECT_TRUE(same(indices.get(), want));
}

}  // namespace
