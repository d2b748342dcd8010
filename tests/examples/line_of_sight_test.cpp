// kogge-test: EMULATED GPU HOST
// The points that an observer sees, against a comparison of each point of a ray with all points before it.
#include "examples/line_of_sight.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/map.hpp"

namespace {

using namespace tests;
using examples::Observer;

std::vector<std::uint32_t> seen(const Map& map, const Observer& observer) {
    const Array<std::int32_t> heights(map.heights);
    return examples::line_of_sight({heights.data(), map.width, map.height}, observer, {.where = kWhere}).to_vector();
}

/// Slopes are compared as fractions, without rounding.
std::vector<std::uint32_t> expected(const Map& map, const Observer& observer) {
    std::set<std::uint32_t> points;
    const auto look = [&](int to_x, int to_y) {
        const double dx = to_x - static_cast<double>(observer.x), dy = to_y - static_cast<double>(observer.y);
        const int steps = static_cast<int>(std::max(std::abs(dx), std::abs(dy)));
        std::vector<std::int64_t> rises;
        for (int step = 1; step <= steps; ++step) {
            const auto x = static_cast<std::int64_t>(std::floor(observer.x + dx * step / steps + 0.5));
            const auto y = static_cast<std::int64_t>(std::floor(observer.y + dy * step / steps + 0.5));
            const std::int64_t rise = std::int64_t{map.at(x, y)} - observer.eye;
            bool visible = true;
            for (int before = 1; before < step; ++before)
                visible = visible && rise * before > rises[static_cast<std::size_t>(before - 1)] * step;
            if (visible) points.insert(static_cast<std::uint32_t>(y * map.width + x));
            rises.push_back(rise);
        }
    };
    const int right = static_cast<int>(map.width) - 1, top = static_cast<int>(map.height) - 1;
    for (int x = 0; x <= right; ++x)
        for (const int y : {0, top}) look(x, y);
    for (int y = 0; y <= top; ++y)
        for (const int x : {0, right}) look(x, y);
    return {points.begin(), points.end()};
}

int hills(int x, int y) {
    return static_cast<int>(300 * std::sin(0.11 * x) * std::cos(0.07 * y) + 90 * std::sin(0.9 * x + 0.5 * y));
}

TEST(LineOfSight, AgainstAllPairsOfARay) {
    Random random(1);
    const auto rough = [&](int, int) { return static_cast<int>(random() % 1000); };
    for (const auto& [width, height] : {std::pair{1u, 1u}, {2u, 1u}, {1u, 90u}, {13u, 7u}, {64u, 65u}, {200u, 121u}})
        for (const Map& map : {Map(width, height, hills), Map(width, height, rough)})
            for (const auto& [x, y] : {std::pair{0u, 0u}, {width / 2, height / 3}, {width - 1, height - 1}}) {
                const Observer observer{x, y, map.heights[y * width + x] + 20};
                EXPECT_EQ(seen(map, observer), expected(map, observer))
                    << width << " x " << height << ", from " << x << ", " << y;
            }
}

TEST(LineOfSight, APlainIsSeenAsAWhole) {
    const Map map(31, 20, [](int, int) { return 7; });
    EXPECT_EQ(seen(map, {10, 10, 8}).size(), 31u * 20 - 1);
}

TEST(LineOfSight, AWallHidesWhatIsBehindIt) {
    const Map map(50, 50, [](int x, int) { return x == 20 ? 100 : 0; });
    const auto points = seen(map, {5, 25, 10});
    EXPECT_FALSE(points.empty());
    for (const std::uint32_t point : points) EXPECT_LE(point % 50, 20u);
}

}  // namespace
