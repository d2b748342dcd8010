// A compaction of several arrays by one decision, as its kernels see it: a wave of them, or a ring.
#pragma once

#include <cstdint>

#include "kogge/engine/carry.cuh"

namespace kogge::grid::KOGGE_CODE {

template <int count>
struct ArrayPointers {
    const void* in[std::size_t{count}];
    void* out[std::size_t{count}];
};

/// keep(index, item of the first array) decides. Arrays that are only read come first, and have no output. `total` gets
/// the number kept.
template <class Keep, int count>
struct ArraysProblem {
    ArrayPointers<count> arrays;
    Count n;
    Keep keep;
    std::uint64_t* total;
};

}  // namespace kogge::grid::KOGGE_CODE
