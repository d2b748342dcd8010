// A compaction or two-way partition as its kernels see it.
#pragma once

#include <cstdint>

#include "kogge/detail/inputs.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// `keep(index, item)` decides. `rejected` is null if only the kept items are wanted. Rejected items go to
/// rejected[*rejected_start …], or to rejected[0 …] if rejected_start is null. `total` gets the number of kept items.
/// Items are held as Item. They are read from a pointer or from anything with operator[]; outputs are pointers, also to
/// other types, or detail::OutputFrom.
template <class Item, class Keep, class In = const Item*, class Out = Item*>
struct CompactProblem {
    static constexpr int kItems = segment_items(sizeof(Item));
    static constexpr int kTileItems = kItems * kCompactThreads;

    In in;
    Out kept;
    Out rejected;
    const std::uint64_t* rejected_start;
    std::uint64_t* total;
    Count n;
    Keep keep;

    KOGGE_DEVICE Out rejected_begin() const { return rejected_start ? rejected + *rejected_start : rejected; }
};

}  // namespace kogge::grid::KOGGE_CODE
