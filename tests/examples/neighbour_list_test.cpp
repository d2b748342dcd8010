// kogge-test: EMULATED GPU HOST
// Lists of neighbours, against the distances of all pairs.
#include "examples/neighbour_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
using examples::Point;

/// Points spread over a square, or most of them crowded into its corner.
std::vector<Point> make_points(std::size_t n, std::int32_t extent, bool crowded) {
    Random random(n + 1);
    const auto coordinate = [&](std::int32_t end) {
        return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(end));
    };
    std::vector<Point> points(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t end = crowded && i % 4 != 0 ? extent / 20 : extent;
        points[i] = {coordinate(end), coordinate(end)};
    }
    return points;
}

void check(std::size_t n, std::int32_t extent, std::int32_t radius, bool crowded, kogge::stream_t stream = nullptr) {
    SCOPED_TRACE(std::to_string(n) + " points in " + std::to_string(extent) + ", radius " + std::to_string(radius));
    const std::vector<Point> points = make_points(n, extent, crowded);
    const Array<Point> in(points);
    const auto list = examples::list_neighbours(in.data(), n, extent, radius, {.stream = stream, .where = kWhere});
    const auto got = list.points.to_vector();
    const auto starts = list.starts.to_vector();
    const auto neighbours = list.neighbours.to_vector();

    auto by_bin = points;
    std::stable_sort(by_bin.begin(), by_bin.end(), [&](const Point& a, const Point& b) {
        return std::pair(a.y / radius, a.x / radius) < std::pair(b.y / radius, b.x / radius);
    });
    EXPECT_TRUE(same(got, by_bin));
    std::vector<std::uint64_t> want_starts{0};
    std::vector<std::uint32_t> want;
    for (const Point& a : by_bin) {
        for (std::uint32_t other = 0; other < n; ++other) {
            const double dx = a.x - by_bin[other].x, dy = a.y - by_bin[other].y;
            const bool self = want_starts.size() - 1 == other;
            if (!self && dx * dx + dy * dy <= static_cast<double>(radius) * radius) want.push_back(other);
        }
        want_starts.push_back(want.size());
    }
    EXPECT_EQ(starts, want_starts);
    EXPECT_EQ(neighbours, want);
}

TEST(NeighbourList, AgainstAllPairs) {
    check(0, 1000, 100, false);
    check(1, 1000, 100, false);
    check(2, 10, 10, false);
    check(300, 1000, 1000, false);  // one bin
    check(1500, 10000, 333, false);
    check(small() ? 500 : 3000, 4000, 77, false);
    check(small() ? 500 : 2500, 20000, 100, true);
    check(400, 5, 2, false);  // many at the same place
}

#if KOGGE_KERNELS
TEST(NeighbourList, InAStreamOfItsOwn) {
    const kogge::stream_t stream = kogge::simt::create_stream();
    check(1500, 10000, 333, false, stream);
    kogge::simt::destroy_stream(stream);
}
#endif

}  // namespace
