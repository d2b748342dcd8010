// The contour of a height map: marching squares. Each square of four neighbouring points yields none, one or two
// segments between its edges, and emit packs them, square by square.
//
// The contour keeps the points above the level on its left, so a segment begins on an edge that leaves them, seen
// counterclockwise round its square, and ends on one that comes back. Where there are two of each, the mean of the four
// heights says whether the two high corners are joined.
#pragma once

#include <cstdint>

#include "examples/height_map.hpp"
#include "kogge/kogge.hpp"

namespace examples {

/// Where the contour crosses an edge of the grid: edges from (x, y) to (x + 1, y) have the index of (x, y), those from
/// (x, y) to (x, y + 1) the same and width × height more. `at` is the place along the edge, from 0 to 1.
struct Crossing {
    std::uint32_t edge;
    float at;
    friend bool operator==(const Crossing&, const Crossing&) = default;
};
struct Segment {
    Crossing from, to;
};

struct Contour {
    HeightMap map;
    std::int32_t level;

    KOGGE_HOST_DEVICE std::uint64_t squares() const {
        return map.width > 0 && map.height > 0 ? std::uint64_t{map.width - 1} * (map.height - 1) : 0;
    }
    /// The number of segments of a square.
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t square) const {
        const Corners corners(*this, square);
        std::uint32_t count = 0;
        for (int edge = 0; edge < 4; ++edge) count += corners.leaves(edge) ? 1 : 0;
        return count;
    }
    KOGGE_HOST_DEVICE Segment operator()(std::uint64_t square, std::uint64_t k) const {
        const Corners corners(*this, square);
        int from = 0;
        while (!corners.leaves(from) || k-- > 0) ++from;
        // Round the next low corner when the high ones are joined, else round the own high corner.
        const int turn = corners.joined() ? 1 : 3;
        int to = (from + turn) % 4;
        while (!corners.returns(to)) to = (to + turn) % 4;
        return {crossing(corners, from), crossing(corners, to)};
    }

private:
    /// The corners of a square, counterclockwise from (x, y). Edge e goes from corner e to the next.
    struct Corners {
        std::uint32_t point[4];
        std::int32_t height[4];
        std::int32_t level;

        KOGGE_HOST_DEVICE Corners(const Contour& contour, std::uint64_t square) : level(contour.level) {
            const HeightMap& map = contour.map;
            const auto x = static_cast<std::uint32_t>(square % (map.width - 1));
            const auto y = static_cast<std::uint32_t>(square / (map.width - 1));
            for (std::uint32_t corner = 0; corner < 4; ++corner) {
                point[corner] = map.index(x + (corner == 1 || corner == 2 ? 1 : 0), y + corner / 2);
                height[corner] = map.heights[point[corner]];
            }
        }
        KOGGE_HOST_DEVICE bool high(int corner) const { return height[corner % 4] > level; }
        KOGGE_HOST_DEVICE bool leaves(int edge) const { return high(edge) && !high(edge + 1); }
        KOGGE_HOST_DEVICE bool returns(int edge) const { return !high(edge) && high(edge + 1); }
        KOGGE_HOST_DEVICE bool joined() const {
            return std::int64_t{height[0]} + height[1] + height[2] + height[3] > 4 * std::int64_t{level};
        }
    };

    /// Both squares of an edge look at it in the same direction, so that they agree to the bit.
    KOGGE_HOST_DEVICE Crossing crossing(const Corners& corners, int edge) const {
        const int begin = edge < 2 ? edge : (edge + 1) % 4, end = edge < 2 ? edge + 1 : edge;
        const float low = static_cast<float>(corners.height[begin]), high = static_cast<float>(corners.height[end]);
        const std::uint32_t upright = edge % 2 == 1 ? map.width * map.height : 0;
        return {upright + corners.point[begin], (static_cast<float>(level) - low) / (high - low)};
    }
};

/// All segments of the contour; those of square s are the ones from starts[s] to starts[s + 1].
struct ContourSegments {
    kogge::buffer<Segment> segments;
    kogge::buffer<std::uint64_t> starts;
};
inline ContourSegments marching_squares(const HeightMap& map, std::int32_t level, const kogge::exec& how) {
    const Contour contour{map, level};
    ContourSegments result{{2 * contour.squares(), how.where, how.stream},
                           {contour.squares() + 1, how.where, how.stream}};
    result.segments.shrink(kogge::emit(result.segments.data(), result.segments.size(), contour.squares(), contour,
                                       contour, result.starts.data(), how));
    return result;
}

}  // namespace examples
