// Heights at the points of a grid, row by row, in the memory of exec.where: examples are told where their data is.
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
