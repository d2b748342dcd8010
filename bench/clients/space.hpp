// Keys of graphics and of simulation: Morton codes of points, and splats by tile and depth.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "random.hpp"

namespace bench::clients {

struct Point {
    double at[3];  ///< each in [0, 1)
};

KOGGE_HOST_DEVICE double within_unit(double x) { return x < 0 ? 0 : x >= 1 ? 0x1.fffffffffffffp-1 : x; }

/// Points of a scanned or meshed scene. Eight shapes share them unevenly: spheres, and rectangles with a dense spot.
KOGGE_HOST_DEVICE Point point_on_surface(std::uint64_t seed, std::uint64_t i) {
    constexpr std::uint64_t of_shapes = 811;
    const double pick = uniform(seed, i) * uniform(seed + 1, i);
    const auto shape = static_cast<std::uint64_t>(8 * pick);
    const double size = uniform(of_shapes + 1, shape), first = normal(seed + 2, i), second = normal(seed + 3, i);
    Point point{};
    if (shape % 2 == 0) {
        const double third = normal(seed + 4, i);
        const double length = std::sqrt(first * first + second * second + third * third);
        const double radius = (0.03 + 0.2 * size * size) / length;
        point = {{radius * first, radius * second, radius * third}};
    } else {
        const double spread = random_bits(seed + 4, i) % 10 < 3 ? 0.0075 : 0.15;
        for (std::uint64_t axis = 0; axis < 3; ++axis)
            point.at[axis] = spread * (first * (uniform(of_shapes + 2, 3 * shape + axis) - 0.5) +
                                       second * (uniform(of_shapes + 3, 3 * shape + axis) - 0.5));
    }
    for (std::uint64_t axis = 0; axis < 3; ++axis)
        point.at[axis] = within_unit(point.at[axis] + 0.2 + 0.6 * uniform(of_shapes, 3 * shape + axis));
    return point;
}
/// Points of 200 galaxies, or of 200 dense objects before a range finder: normal clusters from 0.0003 to 0.1 wide.
KOGGE_HOST_DEVICE Point point_in_cluster(std::uint64_t seed, std::uint64_t i) {
    constexpr std::uint64_t of_clusters = 812;
    const std::uint64_t cluster = Zipf{0.8, 200}.rank(uniform(seed, i));
    const double width = 0.1 * std::exp(-5.8 * uniform(of_clusters + 1, cluster));
    Point point{};
    for (std::uint64_t axis = 0; axis < 3; ++axis)
        point.at[axis] = within_unit(uniform(of_clusters, 3 * cluster + axis) + width * normal(seed + 1 + axis, i));
    return point;
}

/// Codes of a BVH builder, of an octree or of an n-body code: the bits of three coordinates by turns, 10 or 21 of each.
template <int bits_each>
struct MortonCodes {
    using Code = std::conditional_t<bits_each <= 10, std::uint32_t, std::uint64_t>;
    std::uint64_t seed;
    bool on_surfaces;  ///< or in clusters
    KOGGE_HOST_DEVICE Code operator()(std::uint64_t i) const {
        const Point point = on_surfaces ? point_on_surface(seed, i) : point_in_cluster(seed, i);
        Code code = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const auto cell = static_cast<std::uint64_t>(point.at[axis] * (std::uint64_t{1} << bits_each));
            for (int bit = 0; bit < bits_each; ++bit) code |= static_cast<Code>((cell >> bit & 1) << (3 * bit + axis));
        }
        return code;
    }
};

/// Keys of a gaussian splatting rasteriser: the number of a 16 × 16 tile of the image over the bits of a depth. A splat
/// gives a key to each tile that it touches, one after another, all of one depth; splats crowd about 64 places.
struct TileDepths {
    std::uint64_t seed;
    std::uint32_t width, height;  ///< of the image, in tiles
    std::uint64_t tiles_each;     ///< of a splat, on average
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        constexpr std::uint64_t of_places = 813;
        const RunStarts splats{seed, tiles_each};
        const std::uint64_t splat = RunNumbers<std::uint64_t>{splats}(i), tile = i - splats(splat);
        const std::uint64_t place = random_bits(seed + 1, splat) % 64;
        const double spread = 1.25 + 19 * uniform(of_places + 2, place);
        const double x = width * uniform(of_places, place) + spread * normal(seed + 2, splat);
        const double y = height * uniform(of_places + 1, place) + spread * normal(seed + 3, splat);
        std::uint64_t side = 1;
        while (side * side < 2 * tiles_each) ++side;
        const std::uint64_t column = wrapped(x, width) + tile % side, row = wrapped(y, height) + tile / side;
        const auto depth = static_cast<float>(0.4 * std::exp(4.5 * uniform(seed + 4, splat)));
        return (row % height * width + column % width) << 32 | std::bit_cast<std::uint32_t>(depth);
    }
    /// What leaves the image on one side comes in on the other.
    KOGGE_HOST_DEVICE static std::uint64_t wrapped(double x, std::uint32_t length) {
        const auto cell = static_cast<std::int64_t>(std::floor(x)) % static_cast<std::int64_t>(length);
        return static_cast<std::uint64_t>(cell < 0 ? cell + length : cell);
    }
};

}  // namespace bench::clients
