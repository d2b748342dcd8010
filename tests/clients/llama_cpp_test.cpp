// kogge-test: GPU HOST
// llama.cpp's sampling: the order of a row of logits without an iota or sorted keys, and the best of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

constexpr std::size_t kVocabulary = 32'000, kBest = 40;

std::vector<float> logits() {
    std::vector<float> row(kVocabulary);
    Random random(7);
    for (float& logit : row) logit = static_cast<float>(random() % 4001) / 100 - 20;
    return row;
}
std::vector<std::int32_t> best_first(const std::vector<float>& row) {
    std::vector<std::int32_t> order(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
        return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
    });
    return order;
}
constexpr kogge::sort_options kAsNumbers{.order = kogge::descending, .zeros = kogge::zero_order::equal};

TEST(LlamaCpp, OrderOfARow) {
    const Array<float> row(logits());
    Array<std::int32_t> order(kVocabulary);
    kogge::argsort(row.data(), order.data(), kVocabulary, kAsNumbers);
    EXPECT_TRUE(same(order.get(), best_first(logits())));
}

TEST(LlamaCpp, BestOfARow) {
    const Array<float> row(logits());
    Array<std::int32_t> best(kBest);
    kogge::arg_top_k(row.data(), best.data(), kVocabulary, kBest, {.zeros = kogge::zero_order::equal});
    auto want = best_first(logits());
    want.resize(kBest);
    EXPECT_TRUE(same(best.get(), want));
}

}  // namespace
