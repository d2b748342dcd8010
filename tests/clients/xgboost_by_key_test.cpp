// kogge-test: GPU HOST
// XGBoost's sums by groups: gradients of nodes by keys that are computed, gains of queries by group pointers, and the
// ranks of equal entries of a column, from its end and in place.
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
constexpr std::size_t kItems = 9'001;

/// The column, or the target, of position i.
struct Every {
    std::uint64_t length;
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const { return i / length; }
};

struct SketchEntry {
    float low, high, value;  ///< the ranks of the first and the last one of a value
};
struct HighestRank {
    KOGGE_HOST_DEVICE SketchEntry operator()(const SketchEntry& later, const SketchEntry& own) const {
        return {own.low, later.value == own.value ? later.high : own.high, own.value};
    }
};
TEST(XGBoost, RanksOfEqualEntriesFromTheEnd) {
    constexpr std::size_t length = 611;
    std::vector<SketchEntry> entries(kItems);
    Random random(1);
    for (std::size_t i = 0; i < kItems; ++i) {
        const float before = i == 0 ? 0 : entries[i - 1].value;  // some go on in the next column
        const auto rank = static_cast<float>(i);
        entries[i] = {rank, rank + 1, before + (random() % 4 == 0 ? 1.0f : 0.0f)};
    }
    auto want = entries;
    for (std::size_t i = kItems - 1; i-- > 0;)
        if (i / length == (i + 1) / length && want[i].value == want[i + 1].value) want[i].high = want[i + 1].high;
    Array<SketchEntry> own(entries);
    kogge::reverse_inclusive_scan_by_key(Every{length}, own.data(), own.data(), kItems, HighestRank{});
    EXPECT_TRUE(same(own.get(), want));
}

struct Gradient {
    double grad, hess;
};
struct AddGradients {
    KOGGE_HOST_DEVICE Gradient operator()(const Gradient& a, const Gradient& b) const {
        return {a.grad + b.grad, a.hess + b.hess};
    }
};
TEST(XGBoost, GradientsOfTargets) {
    constexpr std::size_t samples = 1'000;
    std::vector<Gradient> gradients(kItems), want((kItems + samples - 1) / samples);
    Random random(2);
    for (std::size_t i = 0; i < kItems; ++i) {
        gradients[i] = {static_cast<double>(random() % 64) - 32, static_cast<double>(random() % 16)};
        want[i / samples] = AddGradients{}(want[i / samples], gradients[i]);
    }
    const Array<Gradient> in(gradients);
    Array<Gradient> sums(want.size());
    const std::uint64_t targets =
        kogge::reduce_by_key(Every{samples}, in.data(), kogge::discard{}, sums.data(), kItems, AddGradients{});
    ASSERT_EQ(targets, want.size());
    EXPECT_TRUE(same(sums.get(), want));
}

TEST(XGBoost, GainsOfQueries) {
    const std::vector<std::uint32_t> groups{0, 17, 17, 4'000, 4'001, kItems};
    std::vector<float> gains(kItems);
    std::vector<double> want(groups.size() - 1);
    Random random(3);
    for (float& gain : gains) gain = static_cast<float>(random() % 1000) / 8;
    for (std::size_t g = 0; g + 1 < groups.size(); ++g)
        for (std::size_t i = groups[g]; i < groups[g + 1]; ++i) want[g] += gains[i];
    const Array<float> in(gains);
    const Array<std::uint32_t> pointers(groups);
    Array<double> sums(want.size());
    kogge::segmented_reduce(in.data(), sums.data(), kItems, pointers.data(), want.size());
    EXPECT_TRUE(same(sums.get(), want));
}

}  // namespace
