// A compaction of several arrays by one decision as its kernels see it, a wave or a pipeline.
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
/// the number of kept items.
template <class Keep, int count>
struct ArraysProblem {
    ArrayPointers<count> arrays;
    Count n;
    Keep keep;
    std::uint64_t* total;
};

}  // namespace kogge::grid::KOGGE_CODE
