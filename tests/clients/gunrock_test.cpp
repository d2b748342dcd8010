// kogge-test: GPU HOST
// Gunrock: the frontier of a graph search advances to the neighbours of its vertices, and is filtered; the work
// before each vertex by its degree; and unique vertices in place.
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

struct Graph {
    const std::uint32_t* starts;
    const std::uint32_t* neighbours;
    const std::uint32_t* frontier;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        return starts[frontier[i] + 1] - starts[frontier[i]];
    }
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i, std::uint64_t k) const {
        return neighbours[starts[frontier[i]] + k];
    }
};
struct Unvisited {
    const std::uint8_t* visited;
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t vertex) const { return visited[vertex] == 0; }
};

TEST(Gunrock, AdvanceAndFilter) {
    constexpr std::uint32_t kVertices = 1500;
    Random random(12);
    std::vector<std::uint32_t> starts{0}, neighbours, frontier, want;
    std::vector<std::uint8_t> visited(kVertices);
    for (std::uint32_t vertex = 0; vertex < kVertices; ++vertex) {
        const std::uint64_t degree = vertex % 100 == 0 ? 700 : random() % 9;
        for (std::uint64_t k = 0; k < degree; ++k)
            neighbours.push_back(static_cast<std::uint32_t>(random() % kVertices));
        starts.push_back(static_cast<std::uint32_t>(neighbours.size()));
        visited[vertex] = random() % 2 == 0;
        if (random() % 4 == 0) frontier.push_back(vertex);
    }
    for (const std::uint32_t vertex : frontier)
        for (std::uint32_t k = starts[vertex]; k < starts[vertex + 1]; ++k)
            if (visited[neighbours[k]] == 0) want.push_back(neighbours[k]);
    const Array<std::uint32_t> from(starts), to(neighbours), at(frontier);
    const Array<std::uint8_t> seen(visited);
    const Graph graph{from.data(), to.data(), at.data()};
    const kogge::exec how{.where = kWhere};
    Array<std::uint32_t> next(neighbours.size());
    const std::uint64_t edges = kogge::emit(next.data(), neighbours.size(), frontier.size(), graph, graph, how);
    const std::uint64_t kept = kogge::compact(next.data(), next.data(), edges, Unvisited{seen.data()});
    ASSERT_EQ(kept, want.size());
    auto found = next.get();
    found.resize(kept);
    EXPECT_TRUE(same(found, want));
}

/// The degree of vertex i.
struct Degrees {
    const std::uint32_t* starts;
    KOGGE_HOST_DEVICE std::uint32_t operator[](std::uint64_t i) const { return starts[i + 1] - starts[i]; }
};
TEST(Gunrock, WorkBeforeEachVertex) {
    constexpr std::size_t kVertices = 5'001;
    Random random(13);
    std::vector<std::uint32_t> starts{7};
    for (std::size_t i = 0; i < kVertices; ++i)
        starts.push_back(starts.back() + static_cast<std::uint32_t>(random() % 9));
    std::vector<std::uint32_t> want;
    for (std::size_t i = 0; i < kVertices; ++i) want.push_back(starts[i] - 7);
    const Array<std::uint32_t> from(starts);
    Array<std::uint32_t> before(kVertices);
    kogge::exclusive_scan(Degrees{from.data()}, before.data(), kVertices, 0u);
    EXPECT_TRUE(same(before.get(), want));
}

TEST(Gunrock, UniqueVerticesInPlace) {
    constexpr std::size_t kVertices = 5'001;
    auto vertices = random_items<std::uint32_t>(kVertices, 14);
    for (std::uint32_t& vertex : vertices) vertex %= 2'000;
    Array<std::uint32_t> own(vertices);
    kogge::radix_sort(own.data(), kVertices);
    const std::uint64_t kept = kogge::unique(own.data(), own.data(), kVertices);
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    EXPECT_TRUE(same(front(own, kept), vertices));
}

}  // namespace
