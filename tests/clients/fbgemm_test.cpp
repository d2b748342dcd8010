// kogge-test: GPU HOST
// FBGEMM: embedding indices in order with their places, the unique ones with their counts in ints, and the sums of
// jagged lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

TEST(FBGEMM, IndicesWithTheirPlaces) {
    constexpr std::size_t kItems = 6011;
    constexpr int kBits = 20;
    auto indices = random_items<std::int64_t>(kItems);
    for (std::int64_t& index : indices) index &= (1 << kBits) - 1;
    std::vector<std::int32_t> places(kItems);
    std::iota(places.begin(), places.end(), 0);
    auto want = places;
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) {
        return indices[static_cast<std::size_t>(a)] < indices[static_cast<std::size_t>(b)];
    });
    const Array<std::int64_t> in(indices);
    Array<std::int64_t> sorted(kItems);
    const Array<std::int32_t> with(places);
    Array<std::int32_t> moved(kItems);
    kogge::radix_sort_pairs(in.data(), sorted.data(), with.data(), moved.data(), kItems, {.end_bit = kBits});
    EXPECT_TRUE(same(moved.get(), want));
}

TEST(FBGEMM, OffsetsOfJaggedLengths) {
    constexpr std::size_t kItems = 5009;
    std::vector<std::int32_t> lengths(kItems), want(kItems + 1);
    Random random(13);
    for (std::int32_t& length : lengths) length = static_cast<std::int32_t>(random() % 50);
    std::partial_sum(lengths.begin(), lengths.end(), want.begin() + 1);
    const Array<std::int32_t> in(lengths);
    Array<std::int32_t> out(std::vector<std::int32_t>(kItems + 1));
    kogge::inclusive_scan(in.data(), out.data() + 1, kItems);
    EXPECT_TRUE(same(out.get(), want));
}

TEST(FBGEMM, UniqueIndicesWithCounts) {
    constexpr std::size_t kItems = 6011;
    auto indices = random_items<std::int64_t>(kItems, 2);
    for (std::int64_t& index : indices) index &= 1023;
    std::sort(indices.begin(), indices.end());
    const Array<std::int64_t> sorted(indices);
    Array<std::int64_t> found(kItems), alone(kItems);
    Array<std::int32_t> lengths(kItems), number(1), number_alone(1);
    kogge::run_length_encode(sorted.data(), found.data(), lengths.data(), number.data(), kItems);
    kogge::unique(sorted.data(), alone.data(), number_alone.data(), kItems);
    std::vector<std::int64_t> want;
    std::vector<std::int32_t> want_lengths;
    for (const std::int64_t index : indices) {
        if (want.empty() || want.back() != index) want.push_back(index), want_lengths.push_back(0);
        ++want_lengths.back();
    }
    ASSERT_EQ(number.get()[0], static_cast<std::int32_t>(want.size()));
    ASSERT_EQ(number_alone.get(), number.get());
    EXPECT_TRUE(same(front(found, want.size()), want));
    EXPECT_TRUE(same(front(alone, want.size()), want));
    EXPECT_TRUE(same(front(lengths, want.size()), want_lengths));
}

TEST(FBGEMM, ExclusiveSumsOf64Bits) {
    constexpr std::size_t kItems = 5009;
    std::vector<std::int64_t> lengths(kItems), want(kItems);
    Random random(14);
    for (std::int64_t& length : lengths) length = static_cast<std::int64_t>(random() >> 20);
    std::exclusive_scan(lengths.begin(), lengths.end(), want.begin(), std::int64_t{0});
    const Array<std::int64_t> in(lengths);
    Array<std::int64_t> out(kItems);
    kogge::exclusive_scan(in.data(), out.data(), kItems);
    EXPECT_TRUE(same(out.get(), want));
}

}  // namespace
