// The scratch of top-k calls. Plans carve it to measure it, launchers to use it.
#pragma once

#include "kogge/exec.hpp"
#include "kogge/plan.hpp"
#include "kogge/plan/segmented/top_k.hpp"
#include "kogge/top_k/shape.hpp"

namespace kogge::grid {

/// Nothing in it need be zero before the launch.
struct TopKMemory {
    // Of a selection; the arrays are of ranks.
    TopKControl* control = nullptr;
    void* groups = nullptr;
    void* candidates = nullptr;
    // Of a sort.
    void* sorted = nullptr;  ///< the keys, or the indices
    void* of_sort = nullptr;
    std::uint64_t* least = nullptr;  ///< of n and k
};
/// The bytes of an index where indices are sorted.
std::size_t top_k_order_bytes(const top_k_plan& plan);
TopKMemory carve_top_k(detail::Carver& carver, const top_k_plan& plan);

/// Of a block each: control, groups, candidates. `left` and `arrived` must be zero before the launch.
struct SegmentedTopKMemory {
    TopKControl* control = nullptr;
    void* groups = nullptr;
    void* candidates = nullptr;
    void* firsts = nullptr;            ///< k ranks of each part of each row
    std::uint32_t* arrived = nullptr;  ///< parts of each row that are done
    std::uint32_t* left = nullptr;     ///< number of segments that warps have left to blocks
    std::uint64_t* left_segments = nullptr;
    std::uint64_t* begins = nullptr;  ///< stored offsets, or begins and ends
    std::uint64_t* ends = nullptr;
};
SegmentedTopKMemory carve_segmented_top_k(detail::Carver& carver, const segmented_top_k_plan& plan);

}  // namespace kogge::grid
