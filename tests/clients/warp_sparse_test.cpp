// kogge-test: GPU HOST
// Warp compresses block-sparse matrices: the triplets that are not zero, in place, with their number in an int; and
// whole blocks of several numbers, which stand some way apart, by a stencil, with their number behind the row offsets.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kBlocks = 5'003, kNumbers = 6, kStride = 8;

struct IsBlock {
    KOGGE_HOST_DEVICE bool operator()(std::int32_t triplet) const { return triplet >= 0; }
};
std::vector<std::int32_t> triplets() {
    auto all = random_items<std::int32_t>(kBlocks);
    for (std::int32_t& triplet : all) triplet %= 1000;  // about half are below 0, which are pruned
    return all;
}

TEST(Warp, CompressesTripletsInPlace) {
    const auto all = triplets();
    std::vector<std::int32_t> want;
    for (const std::int32_t triplet : all)
        if (triplet >= 0) want.push_back(triplet);
    Array<std::int32_t> own(all), number(1);
    kogge::compact(own.data(), own.data(), number.data(), kBlocks, IsBlock{});
    ASSERT_EQ(number.get()[0], static_cast<std::int32_t>(want.size()));
    EXPECT_TRUE(same(front(own, want.size()), want));
}

struct Block {
    float numbers[kNumbers];
};
struct BlocksApart {
    const float* numbers;
    KOGGE_HOST_DEVICE Block operator[](std::uint64_t i) const {
        Block block;
        for (std::size_t k = 0; k < kNumbers; ++k) block.numbers[k] = numbers[i * kStride + k];
        return block;
    }
};
TEST(Warp, CompressesBlocksByTheirTriplets) {
    constexpr std::size_t kRows = 10;
    const auto all = triplets();
    const auto numbers = random_items<float>(kBlocks * kStride, 2);
    std::vector<Block> want;
    for (std::size_t i = 0; i < kBlocks; ++i)
        if (all[i] >= 0) want.push_back(BlocksApart{numbers.data()}[i]);
    const Array<std::int32_t> stencil(all);
    const Array<float> in(numbers);
    Array<Block> out(kBlocks);
    Array<std::int32_t> offsets(kRows + 1);
    kogge::compact_stencil(BlocksApart{in.data()}, stencil.data(), out.data(), offsets.data() + kRows, kBlocks,
                           IsBlock{});
    ASSERT_EQ(offsets.get()[kRows], static_cast<std::int32_t>(want.size()));
    EXPECT_TRUE(same(front(out, want.size()), want));
}

}  // namespace
