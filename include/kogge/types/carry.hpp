// What precedes an item, a thread or a tile, as far as anything does.
#pragma once

namespace kogge::grid {

/// A fold that may still be empty.
template <class T>
struct Carry {
    T value;
    bool present = false;
};

}  // namespace kogge::grid
