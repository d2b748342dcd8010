// kogge-test: GPU HOST
// ONNX Runtime GenAI: the best of each row of a batch of logits, without offsets or column numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

TEST(OnnxRuntimeGenAI, BestOfEachRow) {
    constexpr std::uint64_t kRows = 4, kVocabulary = 5000, kBest = 50;
    std::vector<float> logits(kRows * kVocabulary);
    Random random(17);
    for (float& logit : logits) logit = static_cast<float>(random() % 3001) / 128 + 1;
    std::vector<std::int32_t> want;
    for (std::uint64_t row = 0; row < kRows; ++row) {
        std::vector<std::int32_t> order(kVocabulary);
        std::iota(order.begin(), order.end(), 0);
        const float* const of = logits.data() + row * kVocabulary;
        std::stable_sort(order.begin(), order.end(), [of](auto a, auto b) { return of[a] > of[b]; });
        want.insert(want.end(), order.begin(), order.begin() + kBest);
    }
    const Array<float> in(logits);
    Array<float> highest(kRows * kBest);
    Array<std::int32_t> best(kRows * kBest);
    kogge::segmented_arg_top_k(in.data(), highest.data(), best.data(), kogge::rows_of{kVocabulary, kRows}, kBest);
    EXPECT_TRUE(same(best.get(), want));
}

}  // namespace
