// kogge-test: GPU HOST
// TensorRT-LLM, samplingTopPKernels.cu: rows of probabilities with token numbers, descending; a row that needs no sort
// has its begin moved to its end, and is left as it is.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/segmented_sort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

TEST(TensorRtLlm, RowsThatAreSkipped) {
    const std::uint64_t vocabulary = 1000, rows = 9;
    const auto noise = random_items<std::uint16_t>(vocabulary * rows);
    const std::vector<float> probabilities(noise.begin(), noise.end());
    std::vector<std::int32_t> tokens, begins, ends;
    for (std::uint64_t i = 0; i < noise.size(); ++i) tokens.push_back(static_cast<std::int32_t>(i % vocabulary));
    for (std::uint64_t row = 0; row < rows; ++row) {
        ends.push_back(static_cast<std::int32_t>((row + 1) * vocabulary));
        begins.push_back(row % 3 == 1 ? ends.back() : static_cast<std::int32_t>(row * vocabulary));
    }
    const Array<float> in(probabilities);
    const Array<std::int32_t> with(tokens), from(begins), to(ends);
    Array<float> out(noise.size());
    Array<std::int32_t> with_out(noise.size());
    kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), noise.size(),
                                kogge::segments_of(from.data(), to.data(), rows), {.order = kogge::descending});
    std::vector<float> sorted(noise.size(), Array<float>::poison());
    std::vector<std::int32_t> moved(noise.size(), Array<std::int32_t>::poison());
    for (std::uint64_t row = 0; row < rows; ++row) {
        auto place = static_cast<std::uint64_t>(begins[row]);
        for (const std::uint64_t i :
             places_in_order({place, static_cast<std::uint64_t>(ends[row])},
                             [&](auto a, auto b) { return probabilities[a] > probabilities[b]; })) {
            sorted[place] = probabilities[i];
            moved[place++] = tokens[i];
        }
    }
    EXPECT_TRUE(same(out.get(), sorted));
    EXPECT_TRUE(same(with_out.get(), moved));
}

}  // namespace
