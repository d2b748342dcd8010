// kogge-test: GPU HOST
// lbvh: the box of all boxes, and unique codes of 32 bits as ones of 64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kItems = 4099;

struct Box {
    float low[4], high[4];
};
struct Merge {
    KOGGE_HOST_DEVICE Box operator()(Box a, const Box& b) const {
        for (int i = 0; i < 4; ++i) {
            if (b.low[i] < a.low[i]) a.low[i] = b.low[i];
            if (b.high[i] > a.high[i]) a.high[i] = b.high[i];
        }
        return a;
    }
};
TEST(Lbvh, BoxOfAllBoxes) {
    std::vector<Box> boxes(kItems);
    Random random(1);
    for (Box& box : boxes)
        for (int i = 0; i < 4; ++i) {
            box.low[i] = static_cast<float>(random() % 100'000) - 50'000;
            box.high[i] = box.low[i] + static_cast<float>(random() % 1000);
        }
    const Box none{{1e9f, 1e9f, 1e9f, 1e9f}, {-1e9f, -1e9f, -1e9f, -1e9f}};
    Box want = none;
    for (int i = 0; i < 4; ++i)
        for (const Box& box : boxes) {
            want.low[i] = std::min(want.low[i], box.low[i]);
            want.high[i] = std::max(want.high[i], box.high[i]);
        }
    const Array<Box> in(boxes);
    EXPECT_TRUE(same(std::vector{kogge::reduce(in.data(), kItems, Merge{}, none)}, std::vector{want}));
}

TEST(Lbvh, UniqueCodesIntoAWiderType) {
    auto codes = random_items<std::uint32_t>(kItems, 2);
    for (std::uint32_t& code : codes) code &= 2047;
    std::sort(codes.begin(), codes.end());
    std::vector<std::uint64_t> want;
    for (const std::uint32_t code : codes)
        if (want.empty() || want.back() != code) want.push_back(code);
    const Array<std::uint32_t> in(codes);
    Array<std::uint64_t> out(kItems);
    const std::uint64_t kept = kogge::unique(in.data(), out.data(), kItems);
    ASSERT_EQ(kept, want.size());
    EXPECT_TRUE(same(front(out, kept), want));
}

}  // namespace
