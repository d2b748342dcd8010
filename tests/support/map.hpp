// A height map made by a function of the place, for the tests of the examples that read one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tests {

struct Map {
    std::uint32_t width, height;
    std::vector<std::int32_t> heights;

    Map(std::uint32_t width, std::uint32_t height, const std::function<int(int x, int y)>& height_of)
        : width(width), height(height) {
        for (int y = 0; y < static_cast<int>(height); ++y)
            for (int x = 0; x < static_cast<int>(width); ++x) heights.push_back(height_of(x, y));
    }
    std::int32_t at(std::int64_t x, std::int64_t y) const { return heights[static_cast<std::size_t>(y * width + x)]; }
};

}  // namespace tests
