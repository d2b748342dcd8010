// kogge-test: GPU HOST
// llama.cpp, argsort.cu: the order of each row of logits, f32, as i32 column numbers, descending; eager and captured
// alike.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/calls/segmented_argsort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

TEST(LlamaCpp, ArgsortOfRows) {
    const std::uint64_t columns = 1200, rows = 7;
    auto logits = random_items<std::uint16_t>(columns * rows);
    const std::vector<float> keys(logits.begin(), logits.end());
    const Array<float> in(keys);
    Array<std::int32_t> indices(keys.size());
    kogge::segmented_argsort(in.data(), indices.data(), kogge::rows_of{columns, rows}, {.order = kogge::descending});
    std::vector<std::int32_t> want;
    for (const Span& row : row_spans(columns, rows))
        for (const std::uint64_t i : places_in_order(row, [&](auto a, auto b) { return keys[a] > keys[b]; }))
            want.push_back(static_cast<std::int32_t>(i - row.begin));
    EXPECT_TRUE(same(indices.get(), want));
}

}  // namespace
