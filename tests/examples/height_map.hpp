// Heights at the points of a grid, row by row, where the backend finds them.
#pragma once

#include <cstdint>

#include "kogge/simt/config.hpp"

namespace examples {

struct HeightMap {
    const std::int32_t* heights;
    std::uint32_t width, height;

    KOGGE_HOST_DEVICE std::uint32_t index(std::uint32_t x, std::uint32_t y) const { return y * width + x; }
};

}  // namespace examples
