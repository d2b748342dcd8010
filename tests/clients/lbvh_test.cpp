// kogge-test: GPU HOST
// lbvh: boxes and their numbers by Morton code.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

struct Box {
    float low[4], high[4];
};
TEST(Lbvh, BoxesByMortonCode) {
    constexpr std::size_t kItems = 4099;
    auto codes = random_items<std::uint32_t>(kItems);
    for (std::uint32_t& code : codes) code &= (1u << 30) - 1;
    const auto boxes = random_items<Box>(kItems, 15);
    std::vector<std::uint32_t> numbers(kItems);
    std::iota(numbers.begin(), numbers.end(), 0u);
    auto want = numbers;
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) { return codes[a] < codes[b]; });
    std::vector<Box> want_boxes;
    for (const std::uint32_t number : want) want_boxes.push_back(boxes[number]);
    Array<std::uint32_t> keys(codes), with(numbers);
    Array<Box> moved(boxes);
    kogge::radix_sort_pairs(keys.data(), kogge::arrays(moved.data(), with.data()), kItems, {.end_bit = 30});
    EXPECT_TRUE(same(with.get(), want));
    EXPECT_TRUE(same(moved.get(), want_boxes));
}

}  // namespace
