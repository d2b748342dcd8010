// The first items of an array, of calls that find how many there are.
#pragma once

#include <cstddef>
#include <vector>

#include "support/backend.hpp"

namespace tests {

template <class T>
std::vector<T> front(const Array<T>& array, std::size_t n) {
    auto items = array.get();
    items.resize(n);
    return items;
}

}  // namespace tests
