// kogge-test: HOST
// Calls in the order of arguments that they had until version 0.2 still compile, and do the same.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "kogge/kogge.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

using Words = std::vector<std::uint32_t>;

struct IsOdd {
    bool operator()(std::uint32_t item) const { return item % 2 != 0; }
};
struct HalfOf {
    std::uint32_t operator()(std::uint32_t item) const { return item / 4; }
};
struct Two {
    std::uint32_t operator()(std::uint64_t) const { return 2; }
};
struct Twice {
    std::uint32_t operator()(std::uint64_t item, std::uint64_t k) const {
        return static_cast<std::uint32_t>(2 * item + k);
    }
};

const Words kIn{1, 1, 6, 3, 3, 4};
const Words kOdd{1, 1, 3, 3};

class FormerOrder : public testing::Test {
protected:
    const std::uint32_t* in = kIn.data();
    Words out = Words(12), beside = Words(6);
    std::uint64_t number = 99;

    Words first(std::uint64_t n) const { return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n)}; }
};

TEST_F(FormerOrder, Compactions) {
    const std::vector<std::uint8_t> flags{1, 1, 0, 1, 1, 0};
    EXPECT_EQ(kogge::compact(in, 6, out.data(), IsOdd{}), 4u);
    EXPECT_EQ(first(4), kOdd);
    kogge::compact(in, 6, out.data(), &number, IsOdd{});
    EXPECT_EQ(number, 4u);
    EXPECT_EQ(kogge::compact_flags(in, flags.data(), 6, out.data()), 4u);
    kogge::compact_flags(in, flags.data(), 6, out.data(), &(number = 0));
    EXPECT_EQ(number, 4u);
    EXPECT_EQ(kogge::compact_stencil(in, in, 6, out.data(), IsOdd{}), 4u);
    EXPECT_EQ(kogge::compact_stencil(in, in, 6, out.data(), kogge::count_at(&number), IsOdd{}), 4u);
    EXPECT_EQ(first(4), kOdd);
}

TEST_F(FormerOrder, CompactionsOfArrays) {
    const std::vector<std::uint8_t> flags{1, 1, 0, 1, 1, 0};
    const auto both = kogge::arrays(in, in);
    const auto to = kogge::arrays(out.data(), beside.data());
    EXPECT_EQ(kogge::compact(both, 6, to, IsOdd{}), 4u);
    EXPECT_EQ(kogge::compact(both, 6, to, kogge::count_at(&number), IsOdd{}), 4u);
    EXPECT_EQ(kogge::compact_flags(both, flags.data(), 6, to), 4u);
    EXPECT_EQ(kogge::compact_flags(both, flags.data(), 6, to, kogge::count_at(&number)), 4u);
    EXPECT_EQ(kogge::compact_stencil(both, in, 6, to, IsOdd{}), 4u);
    EXPECT_EQ(kogge::compact_stencil(both, in, 6, to, kogge::count_at(&number), IsOdd{}), 4u);
    EXPECT_EQ(first(4), kOdd);
}

TEST_F(FormerOrder, PartitionsAndSplits) {
    EXPECT_EQ(kogge::partition(in, 6, out.data(), IsOdd{}), 4u);
    EXPECT_EQ(first(6), (Words{1, 1, 3, 3, 6, 4}));
    EXPECT_EQ(kogge::partition(in, 6, out.data(), kogge::count_at(&number), IsOdd{}), 4u);
    const kogge::two_outputs<std::uint32_t> two{out.data(), beside.data()};
    EXPECT_EQ(kogge::partition(in, 6, two, IsOdd{}), 4u);
    EXPECT_EQ(kogge::partition(in, 6, two, kogge::count_at(&number), IsOdd{}), 4u);
    EXPECT_EQ((Words{beside[0], beside[1]}), (Words{6, 4}));
    std::array<std::uint64_t, 3> starts{};
    kogge::split(in, 6, out.data(), 2, HalfOf{}, starts.data());
    EXPECT_EQ(first(6), (Words{1, 1, 3, 3, 6, 4}));
    EXPECT_EQ(starts[1], 4u);
    Words values(6);
    kogge::split_pairs(in, in, 6, out.data(), values.data(), 2, HalfOf{}, starts.data());
    EXPECT_EQ(first(6), values);
}

TEST_F(FormerOrder, Emissions) {
    EXPECT_EQ(kogge::emit(3, out.data(), 6, Two{}, Twice{}), 6u);
    EXPECT_EQ(first(6), (Words{0, 1, 2, 3, 4, 5}));
    kogge::emit(3, out.data(), 6, &number, Two{}, Twice{});
    EXPECT_EQ(number, 6u);
}

TEST_F(FormerOrder, Runs) {
    Words values(6), lengths(6);
    EXPECT_EQ(kogge::unique(in, 6, out.data()), 4u);
    EXPECT_EQ(first(4), (Words{1, 6, 3, 4}));
    kogge::unique(in, 6, out.data(), &number);
    EXPECT_EQ(number, 4u);
    EXPECT_EQ(kogge::unique_by_key(in, in, 6, out.data(), values.data()), 4u);
    EXPECT_EQ(kogge::unique_by_key(in, in, 6, out.data(), values.data(), kogge::count_at(&number)), 4u);
    EXPECT_EQ((Words{values[0], values[3]}), (Words{1, 4}));
    EXPECT_EQ(kogge::run_length_encode(in, 6, out.data(), lengths.data()), 4u);
    EXPECT_EQ(kogge::run_length_encode(in, 6, out.data(), lengths.data(), kogge::count_at(&number)), 4u);
    EXPECT_EQ((Words{lengths[0], lengths[1]}), (Words{2, 1}));
}

}  // namespace
