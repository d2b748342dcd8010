// Segments of equal length.
#pragma once

#include <cstdint>

namespace kogge {

/// `count` rows of `length` items each, one behind the other: row r is items [r × length, (r + 1) × length). In the
/// place of offsets and a number of segments where calls take it.
struct rows_of {
    std::uint64_t length = 0;
    std::uint64_t count = 0;
};

}  // namespace kogge
