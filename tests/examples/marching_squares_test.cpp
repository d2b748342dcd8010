// kogge-test: EMULATED GPU HOST
// Contours, square by square against the table of the sixteen cases, and as curves: closed, or from border to border.
#include "examples/marching_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/map.hpp"

namespace {

using namespace tests;
using examples::Crossing;
using examples::Segment;

struct Found {
    std::vector<Segment> segments;
    std::vector<std::uint64_t> starts;
};
Found contour_of(const Map& map, int level) {
    const Array<std::int32_t> heights(map.heights);
    const auto found = examples::marching_squares({heights.data(), map.width, map.height}, level, {.where = kWhere});
    return {found.segments.to_vector(), found.starts.to_vector()};
}

/// The edges that each case joins, high corners on the left: lower, right, upper and left edge are 0 to 3, and the case
/// has bit c for the c-th corner counterclockwise. The two saddles have high corners apart; joined ones follow.
using Edges = std::vector<std::pair<int, int>>;
const Edges kCases[] = {{},       {{0, 3}}, {{1, 0}},         {{1, 3}}, {{2, 1}}, {{0, 3}, {2, 1}}, {{2, 0}}, {{2, 3}},
                        {{3, 2}}, {{0, 2}}, {{1, 0}, {3, 2}}, {{1, 2}}, {{3, 1}}, {{0, 1}},         {{3, 0}}, {}};
const Edges kJoined5 = {{0, 1}, {2, 3}}, kJoined10 = {{1, 2}, {3, 0}};

/// A crossing from the two ends of its edge, in double precision.
std::pair<std::uint32_t, double> crossing(const Map& map, std::uint32_t x, std::uint32_t y, int edge, int level) {
    const std::uint32_t from_x = x + (edge == 1 ? 1 : 0), from_y = y + (edge == 2 ? 1 : 0);
    const bool upright = edge == 1 || edge == 3;
    const double begin = map.at(from_x, from_y);
    const double end = map.at(from_x + (upright ? 0 : 1), from_y + (upright ? 1 : 0));
    const std::uint32_t number = from_y * map.width + from_x + (upright ? map.width * map.height : 0);
    return {number, (level - begin) / (end - begin)};
}

void check_squares(const Map& map, int level, const Found& found) {
    const std::uint32_t columns = map.width - 1, rows = map.height - 1;
    ASSERT_EQ(found.starts.size(), std::size_t{columns} * rows + 1);
    std::uint64_t next = 0;
    for (std::uint32_t y = 0; y < rows; ++y)
        for (std::uint32_t x = 0; x < columns; ++x) {
            const std::int64_t heights[] = {map.at(x, y), map.at(x + 1, y), map.at(x + 1, y + 1), map.at(x, y + 1)};
            int which = 0;
            for (int corner = 0; corner < 4; ++corner) which |= heights[corner] > level ? 1 << corner : 0;
            const bool joined = heights[0] + heights[1] + heights[2] + heights[3] > 4 * level;
            const Edges& want = joined && which == 5 ? kJoined5 : joined && which == 10 ? kJoined10 : kCases[which];
            ASSERT_EQ(found.starts[y * columns + x], next) << x << ", " << y;
            for (const auto& [from, to] : want) {
                ASSERT_LT(next, found.segments.size());
                const Segment& got = found.segments[next++];
                for (const auto& [end, edge] : {std::pair{got.from, from}, {got.to, to}}) {
                    const auto [number, at] = crossing(map, x, y, edge, level);
                    ASSERT_EQ(end.edge, number) << x << ", " << y << ", case " << which;
                    ASSERT_NEAR(end.at, at, 1e-6);
                }
            }
        }
    EXPECT_EQ(found.starts.back(), next);
    EXPECT_EQ(found.segments.size(), next);
}

bool on_border(const Map& map, std::uint32_t edge) {
    const std::uint32_t points = map.width * map.height, at = edge % points;
    return edge < points ? at / map.width == 0 || at / map.width == map.height - 1
                         : at % map.width == 0 || at % map.width == map.width - 1;
}

/// Each end inside the map is one segment's begin and another's end, at the same place to the bit; on the border it
/// is of one segment. Returns how many closed curves and how many from border to border there are.
std::pair<int, int> check_curves(const Map& map, const std::vector<Segment>& segments) {
    std::map<std::uint32_t, std::size_t> begins, ends;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        EXPECT_TRUE(begins.emplace(segments[i].from.edge, i).second) << "two begins";
        EXPECT_TRUE(ends.emplace(segments[i].to.edge, i).second) << "two ends";
    }
    for (const Segment& segment : segments) {
        EXPECT_EQ(ends.count(segment.from.edge), on_border(map, segment.from.edge) ? 0u : 1u);
        EXPECT_EQ(begins.count(segment.to.edge), on_border(map, segment.to.edge) ? 0u : 1u);
        if (const auto next = begins.find(segment.to.edge); next != begins.end()) {
            EXPECT_EQ(segments[next->second].from, segment.to);
        }
    }
    int closed = 0, open = 0;
    std::vector<bool> walked(segments.size());
    const auto walk = [&](std::size_t at) {
        for (;;) {
            walked[at] = true;
            const auto next = begins.find(segments[at].to.edge);
            if (next == begins.end() || walked[next->second]) return;
            at = next->second;
        }
    };
    for (const bool from_border : {true, false})
        for (std::size_t i = 0; i < segments.size(); ++i)
            if (!walked[i] && (on_border(map, segments[i].from.edge) || !from_border)) {
                walk(i);
                ++(from_border ? open : closed);
            }
    return {closed, open};
}

std::pair<int, int> check(const Map& map, int level) {
    SCOPED_TRACE(std::to_string(map.width) + " x " + std::to_string(map.height) + " at " + std::to_string(level));
    const Found found = contour_of(map, level);
    check_squares(map, level, found);
    return check_curves(map, found.segments);
}

TEST(MarchingSquares, OfEveryCaseAndShape) {
    Random random(1);
    const auto rough = [&](int, int) { return static_cast<int>(random() % 7); };
    const auto waves = [](int x, int y) {
        return static_cast<int>(1000 * std::sin(0.13 * x) * std::cos(0.09 * y) + 200 * std::sin(0.6 * x + 0.3 * y));
    };
    for (const auto& [width, height] : {std::pair{2u, 2u}, {2u, 40u}, {17u, 9u}, {100u, 63u}, {301u, 257u}}) {
        if (small() && width > 100) continue;
        for (const int level : {-1, 0, 3, 6}) check(Map(width, height, rough), level);
        for (const int level : {-300, 0, 555}) check(Map(width, height, waves), level);
    }
}

TEST(MarchingSquares, OfAMapWithoutSquares) {
    for (const auto& [width, height] : {std::pair{1u, 1u}, {1u, 9u}, {9u, 1u}}) {
        const Found found = contour_of(Map(width, height, [](int x, int y) { return x + y; }), 3);
        EXPECT_TRUE(found.segments.empty());
        EXPECT_EQ(found.starts, std::vector<std::uint64_t>{0});
    }
}

TEST(MarchingSquares, AHillIsOneClosedCurveAndASlopeGoesFromBorderToBorder) {
    const Map hill(80, 70, [](int x, int y) { return 1000 - (x - 40) * (x - 40) - (y - 33) * (y - 33); });
    EXPECT_EQ(check(hill, 400), std::pair(1, 0));
    EXPECT_EQ(check(hill, 1000), std::pair(0, 0)) << "nothing is above the summit";
    EXPECT_EQ(check(Map(80, 70, [](int x, int) { return x; }), 30), std::pair(0, 1));
}

// High points alternate with low ones within a low rim.
TEST(MarchingSquares, ASaddleJoinsWhatItsMeanSays) {
    const auto board = [](int low) {
        return [low](int x, int y) {
            const bool rim = x == 0 || y == 0 || x == 8 || y == 8;
            return rim || (x + y) % 2 == 0 ? low : 1;
        };
    };
    EXPECT_EQ(check(Map(9, 9, board(-1)), 0), std::pair(24, 0)) << "each high point is alone";
    EXPECT_EQ(check(Map(9, 9, board(0)), 0), std::pair(1 + 13, 0))
        << "the outline, and a hole at each low point inside";
}

}  // namespace
