// kogge-test: GPU HOST
// CUDA samples, segmentationTree: the lightest edge of each vertex by a scan of pairs, where segments begin by their
// flags, and the first of each run of equal keys by its position, without the keys.
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
constexpr std::size_t kItems = 12'289;

/// Runs of 1 to 20 equal keys, whose lengths have no order.
std::vector<std::uint32_t> sorted_keys() {
    std::vector<std::uint32_t> keys;
    Random random(1);
    for (std::uint32_t key = 0; keys.size() < kItems; key += 2) keys.resize(keys.size() + 1 + random() % 20, key);
    keys.resize(kItems);
    return keys;
}

struct Edge {
    float weight;
    std::uint32_t to;
};
struct Edges {
    const float* weights;
    const std::uint32_t* ends;
    KOGGE_HOST_DEVICE Edge operator[](std::uint64_t i) const { return {weights[i], ends[i]}; }
};
struct Lighter {
    KOGGE_HOST_DEVICE Edge operator()(const Edge& a, const Edge& b) const {
        return b.weight < a.weight || (b.weight == a.weight && b.to < a.to) ? b : a;
    }
};
TEST(SegmentationTree, LightestEdgesOfVertices) {
    const auto vertices = sorted_keys();
    auto ends = random_items<std::uint32_t>(kItems, 2);
    std::vector<float> weights(kItems);
    std::vector<Edge> want(kItems);
    Random random(3);
    for (std::size_t i = 0; i < kItems; ++i) {
        weights[i] = static_cast<float>(random() % 9);
        want[i] = {weights[i], ends[i]};
        if (i > 0 && vertices[i - 1] == vertices[i]) want[i] = Lighter{}(want[i - 1], want[i]);
    }
    const Array<std::uint32_t> keys(vertices), to(ends);
    const Array<float> by(weights);
    Array<Edge> lightest(kItems);
    kogge::inclusive_scan_by_key(keys.data(), Edges{by.data(), to.data()}, lightest.data(), kItems, Lighter{});
    EXPECT_TRUE(same(lightest.get(), want));
}

TEST(SegmentationTree, IndicesOfTheHeadsOfSegments) {
    std::vector<std::uint32_t> flags(kItems);
    std::vector<std::uint32_t> want;
    for (std::size_t i = 0; i < kItems; ++i)
        if ((flags[i] = i % 11 == 0 || i % 17 == 3)) want.push_back(static_cast<std::uint32_t>(i));
    const Array<std::uint32_t> stencil(flags);
    Array<std::uint32_t> heads(kItems);
    const std::uint64_t kept = kogge::compact_indices(stencil.data(), heads.data(), kItems,
                                                      kogge::compare<std::uint32_t>{kogge::relation::not_equal, 0});
    ASSERT_EQ(kept, want.size());
    EXPECT_TRUE(same(front(heads, kept), want));
}

TEST(SegmentationTree, FirstEdgesOfVertices) {
    const auto vertices = sorted_keys();
    std::vector<std::uint32_t> want;
    for (std::size_t i = 0; i < kItems; ++i)
        if (i == 0 || vertices[i - 1] != vertices[i]) want.push_back(static_cast<std::uint32_t>(i));
    const Array<std::uint32_t> keys(vertices);
    Array<std::uint32_t> firsts(kItems);
    const std::uint64_t runs =
        kogge::unique_by_key(keys.data(), kogge::positions{}, kogge::discard{}, firsts.data(), kItems);
    ASSERT_EQ(runs, want.size());
    EXPECT_TRUE(same(front(firsts, runs), want));
}

}  // namespace
