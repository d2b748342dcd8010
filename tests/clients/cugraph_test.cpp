// kogge-test: GPU HOST
// cugraph's edges, whose sources, destinations and weights stand in arrays of their own: parallel ones joined by both
// vertices; kept, removed and partitioned by a predicate of the whole edge; and chosen by flags that are computed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kEdges = 9'001;

std::vector<std::int32_t> some_vertices(std::uint64_t seed) {
    std::vector<std::int32_t> vertices(kEdges);
    Random random(seed);
    for (std::int32_t& vertex : vertices) vertex = static_cast<std::int32_t>(random() % 40);
    return vertices;
}
const std::vector<std::int32_t> kSources = some_vertices(1), kDestinations = some_vertices(2);
bool is_loop(std::size_t i) { return kSources[i] == kDestinations[i]; }
/// The items of the edges that are loops, or of those that are none.
std::vector<std::int32_t> of_edges(const std::vector<std::int32_t>& vertices, bool loops) {
    std::vector<std::int32_t> chosen;
    for (std::size_t i = 0; i < kEdges; ++i)
        if (is_loop(i) == loops) chosen.push_back(vertices[i]);
    return chosen;
}

struct Edge {
    std::int32_t from, to;
};
struct Edges {
    const std::int32_t* from;
    const std::int32_t* to;
    KOGGE_HOST_DEVICE Edge operator[](std::uint64_t i) const { return {from[i], to[i]}; }
};
struct IsLoop {
    KOGGE_HOST_DEVICE bool operator()(const Edge& edge) const { return edge.from == edge.to; }
};
struct IsNoLoop {
    KOGGE_HOST_DEVICE bool operator()(const Edge& edge) const { return edge.from != edge.to; }
};

TEST(Cugraph, SumsOfParallelEdges) {
    std::vector<float> weights(kEdges);
    std::map<std::pair<std::int32_t, std::int32_t>, std::pair<float, float>> sums;  // and the greatest
    Random random(3);
    for (std::size_t i = 0; i < kEdges; ++i) {
        weights[i] = static_cast<float>(random() % 64);
        auto& [sum, most] = sums[{kSources[i], kDestinations[i]}];
        sum += weights[i];
        most = std::max(most, weights[i]);
    }
    std::vector<std::int32_t> want_from, want_to;
    std::vector<float> want, want_most;
    for (const auto& [edge, sum_and_most] : sums) {
        want_from.push_back(edge.first);
        want_to.push_back(edge.second);
        want.push_back(sum_and_most.first);
        want_most.push_back(sum_and_most.second);
    }
    Array<std::int32_t> from(kSources), to(kDestinations), from_out(kEdges), to_out(kEdges);
    Array<float> with(weights), found(kEdges);
    const auto keys = kogge::arrays(from.data(), to.data());
    kogge::radix_sort_pairs(keys, with.data(), kEdges);
    // Several arrays of values are reduced by a call for each; where keys are not wanted again, they are discarded.
    const std::uint64_t n =
        kogge::reduce_by_key(keys, with.data(), kogge::arrays(from_out.data(), to_out.data()), found.data(), kEdges);
    ASSERT_EQ(n, want.size());
    EXPECT_TRUE(same(front(from_out, n), want_from));
    EXPECT_TRUE(same(front(to_out, n), want_to));
    EXPECT_TRUE(same(front(found, n), want));
    kogge::reduce_by_key(keys, with.data(), kogge::discard{}, found.data(), kogge::discard{}, kEdges, kogge::maximum{});
    EXPECT_TRUE(same(front(found, n), want_most));
}

// Where arrays are kept together by a predicate of all of them, it reads them as one stencil, and they go elsewhere:
// in place it would read what is written.
TEST(Cugraph, EdgesWithoutLoops) {
    const Array<std::int32_t> from(kSources), to(kDestinations);
    Array<std::int32_t> from_out(kEdges), to_out(kEdges);
    const std::uint64_t n = kogge::compact_stencil(kogge::arrays(from.data(), to.data()), Edges{from.data(), to.data()},
                                                   kogge::arrays(from_out.data(), to_out.data()), kEdges, IsNoLoop{});
    EXPECT_TRUE(same(front(from_out, n), of_edges(kSources, false)));
    EXPECT_TRUE(same(front(to_out, n), of_edges(kDestinations, false)));
}

struct IsOfAnother {
    KOGGE_HOST_DEVICE bool operator()(std::int32_t vertex) const { return vertex != 7; }
};
TEST(Cugraph, RemovesEdgesOfAVertexInPlace) {
    std::vector<std::int32_t> want_from, want_to;
    for (std::size_t i = 0; i < kEdges; ++i)
        if (kSources[i] != 7) {
            want_from.push_back(kSources[i]);
            want_to.push_back(kDestinations[i]);
        }
    Array<std::int32_t> from(kSources), to(kDestinations);
    const auto edges = kogge::arrays(from.data(), to.data());
    const std::uint64_t n = kogge::compact(edges, edges, kEdges, IsOfAnother{});
    EXPECT_TRUE(same(front(from, n), want_from));
    EXPECT_TRUE(same(front(to, n), want_to));
}

// A partition moves one array, by a stencil that may be the whole edge.
TEST(Cugraph, LoopsFirst) {
    const Array<std::int32_t> from(kSources), to(kDestinations);
    Array<std::int32_t> out(kEdges);
    const std::uint64_t loops =
        kogge::partition_stencil(from.data(), Edges{from.data(), to.data()}, out.data(), kEdges, IsLoop{});
    auto want = of_edges(kSources, true);
    EXPECT_EQ(loops, want.size());
    for (const std::int32_t vertex : of_edges(kSources, false)) want.push_back(vertex);
    EXPECT_TRUE(same(out.get(), want));
}

/// Flags and items that stand in no array.
struct LoopFlags {
    Edges edges;
    KOGGE_HOST_DEVICE bool operator[](std::uint64_t i) const { return IsLoop{}(edges[i]); }
};
TEST(Cugraph, CopiesByComputedFlags) {
    const Array<std::int32_t> from(kSources), to(kDestinations);
    Array<std::uint64_t> places(kEdges);
    Array<std::size_t> number(1);
    kogge::compact_flags(kogge::positions{}, LoopFlags{{from.data(), to.data()}}, places.data(), number.data(), kEdges);
    std::vector<std::uint64_t> want;
    for (std::size_t i = 0; i < kEdges; ++i)
        if (is_loop(i)) want.push_back(i);
    ASSERT_EQ(number.get()[0], want.size());
    EXPECT_TRUE(same(front(places, want.size()), want));
}

}  // namespace
