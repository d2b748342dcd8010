// What an observer sees of a height map: along each ray, the points whose slope is higher than all slopes before. That
// is a max-scan in which each ray is a segment (G. Blelloch, "Prefix sums and their applications", 1990).
//
// A ray goes to each point of the map's border; rays are emitted point by point, scanned, and the visible points of all
// rays are sorted to have each of them once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "examples/height_map.hpp"
#include "kogge/kogge.hpp"

namespace examples {

struct Observer {
    std::uint32_t x, y;
    std::int32_t eye;  ///< height of the eye
};

/// A point of a ray, and how steeply the observer looks up to it.
struct Sighting {
    std::uint32_t point;
    float slope;
};
struct Higher {
    KOGGE_HOST_DEVICE Sighting operator()(const Sighting& a, const Sighting& b) const {
        return a.slope < b.slope ? b : a;
    }
};

/// The rays of an observer: first those to the lower and upper border, then those to the left and right one.
struct Rays {
    HeightMap map;
    Observer from;

    KOGGE_HOST_DEVICE std::uint32_t count() const { return 2 * (map.width + map.height); }
    /// Points on a ray beside the observer's own: a step in the longer direction each.
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t ray) const {
        const Step end = end_of(static_cast<std::uint32_t>(ray));
        return static_cast<std::uint32_t>(end.steps());
    }
    KOGGE_HOST_DEVICE Sighting operator()(std::uint64_t ray, std::uint64_t k) const {
        const Step end = end_of(static_cast<std::uint32_t>(ray));
        const std::int64_t step = static_cast<std::int64_t>(k) + 1, steps = end.steps();
        const auto x = static_cast<std::uint32_t>(from.x + rounded(end.x * step, steps));
        const auto y = static_cast<std::uint32_t>(from.y + rounded(end.y * step, steps));
        const std::uint32_t point = map.index(x, y);
        return {point, static_cast<float>(map.heights[point] - from.eye) / static_cast<float>(step)};
    }

private:
    struct Step {
        std::int64_t x, y;
        KOGGE_HOST_DEVICE static std::int64_t magnitude(std::int64_t a) { return a < 0 ? -a : a; }
        KOGGE_HOST_DEVICE std::int64_t steps() const {
            return magnitude(x) < magnitude(y) ? magnitude(y) : magnitude(x);
        }
    };
    /// a / b to the nearest integer, halves up; b > 0.
    KOGGE_HOST_DEVICE static std::int64_t rounded(std::int64_t a, std::int64_t b) {
        const std::int64_t twice = 2 * a + b, floor = twice / (2 * b);
        return twice % (2 * b) < 0 ? floor - 1 : floor;
    }
    KOGGE_HOST_DEVICE Step end_of(std::uint32_t ray) const {
        const bool flat = ray < 2 * map.width;
        const std::uint32_t place = flat ? ray / 2 : (ray - 2 * map.width) / 2, far = ray % 2;
        const std::uint32_t x = flat ? place : far * (map.width - 1), y = flat ? far * (map.height - 1) : place;
        return {std::int64_t{x} - from.x, std::int64_t{y} - from.y};
    }
};

/// Whether a sighting is above the highest before it on its ray.
struct Visible {
    const Sighting* sightings;
    const Sighting* horizons;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i) const { return sightings[i].slope > horizons[i].slope; }
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i, std::uint64_t) const { return sightings[i].point; }
};

/// The indices of all points that the observer sees, ascending; the observer's own is not among them.
inline kogge::buffer<std::uint32_t> line_of_sight(const HeightMap& map, const Observer& observer,
                                                  const kogge::exec& how) {
    const Rays rays{map, observer};
    const std::uint64_t most = std::uint64_t{rays.count()} * (std::max(map.width, map.height) - 1);
    kogge::buffer<Sighting> sightings(most, how.where, how.stream), horizons(most, how.where, how.stream);
    kogge::buffer<std::uint64_t> starts(rays.count() + 1, how.where, how.stream);
    kogge::buffer<std::uint32_t> points(most, how.where, how.stream), seen(most, how.where, how.stream);

    const std::uint64_t n = kogge::emit(sightings.data(), most, rays.count(), rays, rays, starts.data(), how);
    const Sighting lowest{0, -std::numeric_limits<float>::infinity()};
    kogge::exclusive_segmented_scan(sightings.data(), horizons.data(), n, starts.data(), rays.count(), lowest, Higher{},
                                    how);
    const Visible visible{sightings.data(), horizons.data()};
    const std::uint64_t hits = kogge::emit(points.data(), most, n, visible, visible, how);
    kogge::radix_sort(points.data(), hits, how);
    seen.shrink(kogge::unique(points.data(), seen.data(), hits, how));
    return seen;
}

}  // namespace examples
