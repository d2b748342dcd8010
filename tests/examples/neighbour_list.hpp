// The neighbours of each of many points: all others within a radius, packed, with the place where each point's list
// starts. Points are split into square bins as wide as the radius, so that neighbours are in the bin or beside it; emit
// counts them, scans the counts, and writes the lists.
#pragma once

#include <cstdint>

#include "kogge/kogge.hpp"

namespace examples {

struct Point {
    std::int32_t x, y;
};

/// Bins of a square of `side` × `side` bins.
struct Bins {
    std::int32_t width;
    std::uint32_t side;

    KOGGE_HOST_DEVICE std::uint32_t column(std::int32_t at) const { return static_cast<std::uint32_t>(at / width); }
    KOGGE_HOST_DEVICE std::uint32_t operator()(const Point& point) const {
        return column(point.y) * side + column(point.x);
    }
};

/// How many neighbours a point has, and its k-th.
struct Neighbours {
    const Point* points;  ///< bin by bin
    const std::uint64_t* starts;
    Bins bins;

    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t item) const {
        std::uint64_t count = 0;
        walk(item, [&](std::uint64_t) { return ++count, true; });
        return count;
    }
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t item, std::uint64_t k) const {
        std::uint64_t found = 0;
        walk(item, [&](std::uint64_t other) { return found = other, k-- > 0; });
        return static_cast<std::uint32_t>(found);
    }

private:
    /// Calls visit(neighbour) in ascending order, until it says no.
    template <class Visit>
    KOGGE_HOST_DEVICE void walk(std::uint64_t item, Visit visit) const {
        const Point here = points[item];
        const std::uint32_t column = bins.column(here.x), row = bins.column(here.y);
        const std::uint32_t left = column > 0 ? column - 1 : 0, right = column + 1 < bins.side ? column + 1 : column;
        const std::uint32_t below = row > 0 ? row - 1 : 0, above = row + 1 < bins.side ? row + 1 : row;
        for (std::uint32_t y = below; y <= above; ++y) {
            const std::uint64_t end = starts[y * bins.side + right + 1];  // bins of a row are side by side
            for (std::uint64_t other = starts[y * bins.side + left]; other < end; ++other) {
                const std::int64_t dx = points[other].x - here.x, dy = points[other].y - here.y;
                const bool near = dx * dx + dy * dy <= std::int64_t{bins.width} * bins.width;
                if (other != item && near && !visit(other)) return;
            }
        }
    }
};

struct NeighbourList {
    kogge::buffer<Point> points;              ///< bin by bin, those of a bin in input order
    kogge::buffer<std::uint64_t> starts;      ///< n + 1: where the list of each of these points starts
    kogge::buffer<std::uint32_t> neighbours;  ///< their indices among these points, ascending in each list
};

/// Points have coordinates in [0, extent), and are in the memory of how.where.
inline NeighbourList list_neighbours(const Point* points, std::uint64_t n, std::int32_t extent, std::int32_t radius,
                                     const kogge::exec& how) {
    const Bins bins{radius, static_cast<std::uint32_t>((extent + radius - 1) / radius)};
    kogge::buffer<std::uint64_t> bin_starts(bins.side * bins.side + 1, how.where, how.stream);
    NeighbourList list{{n, how.where, how.stream}, {n + 1, how.where, how.stream}, {}};

    kogge::split(points, list.points.data(), bin_starts.data(), n, bins.side * bins.side, bins, how);
    const Neighbours neighbours{list.points.data(), bin_starts.data(), bins};
    // Without room for any, emit says how many there are.
    const auto emit = [&] {
        return kogge::emit(list.neighbours.data(), list.neighbours.size(), n, neighbours, neighbours,
                           list.starts.data(), how);
    };
    list.neighbours = {emit(), how.where, how.stream};
    emit();
    return list;
}

}  // namespace examples
