// kogge-test: GPU HOST
// onnxruntime-genai, top-k by a sort: scores of each batch entry, f32, descending, with their i32 token numbers.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/calls/segmented_argsort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

TEST(OnnxRuntimeGenai, SortedScoresOfABatch) {
    const std::uint64_t vocabulary = 2000, batch = 4;
    const auto noise = random_items<std::uint16_t>(vocabulary * batch);
    const std::vector<float> scores(noise.begin(), noise.end());
    const Array<float> in(scores);
    Array<float> sorted(noise.size());
    Array<std::int32_t> tokens(noise.size());
    kogge::segmented_argsort(in.data(), sorted.data(), tokens.data(), kogge::rows_of{vocabulary, batch},
                             {.order = kogge::descending});
    std::vector<float> want;
    std::vector<std::int32_t> places;
    for (const Span& row : row_spans(vocabulary, batch))
        for (const std::uint64_t i : places_in_order(row, [&](auto a, auto b) { return scores[a] > scores[b]; })) {
            want.push_back(scores[i]);
            places.push_back(static_cast<std::int32_t>(i - row.begin));
        }
    EXPECT_TRUE(same(sorted.get(), want));
    EXPECT_TRUE(same(tokens.get(), places));
}

}  // namespace
