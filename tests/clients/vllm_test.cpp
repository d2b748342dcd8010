// kogge-test: GPU HOST
// vLLM: tokens of a mixture of experts by expert, and where each expert's tokens begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

struct Expert {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::int32_t expert) const { return static_cast<std::uint32_t>(expert); }
};
TEST(VLLM, TokensOfExperts) {
    constexpr std::uint32_t kExperts = 160;
    constexpr std::size_t kItems = 8 * 1024;
    std::vector<std::int32_t> experts(kItems), rows(kItems);
    Random random(14);
    for (std::int32_t& expert : experts)
        expert = static_cast<std::int32_t>(random() % kExperts % (1 + random() % kExperts));
    std::iota(rows.begin(), rows.end(), 0);
    auto want = rows;
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) {
        return experts[static_cast<std::size_t>(a)] < experts[static_cast<std::size_t>(b)];
    });
    std::vector<std::uint64_t> want_starts(kExperts + 1);
    for (std::uint32_t expert = 0; expert <= kExperts; ++expert)
        for (const std::int32_t of : experts) want_starts[expert] += of < static_cast<std::int32_t>(expert) ? 1 : 0;
    const Array<std::int32_t> in(experts), with(rows);
    Array<std::int32_t> sorted(kItems), moved(kItems);
    Array<std::uint64_t> starts(kExperts + 1);
    kogge::split_pairs(in.data(), with.data(), sorted.data(), moved.data(), starts.data(), kItems, kExperts, Expert{});
    EXPECT_TRUE(same(moved.get(), want));
    EXPECT_TRUE(same(starts.get(), want_starts));
}

}  // namespace
