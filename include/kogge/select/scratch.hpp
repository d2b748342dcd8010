// The scratch of selections by rank. Plans carve it to measure it, launchers to use it.
#pragma once

#include "kogge/exec.hpp"
#include "kogge/plan/segmented/select.hpp"
#include "kogge/plan/select.hpp"
#include "kogge/select/shape.hpp"

namespace kogge::grid {

struct SelectMemory {
    // Of digits. The control is zero before the first round, the counters before each.
    SelectControl* control = nullptr;
    void* counters = nullptr;
    std::size_t counters_bytes = 0;
    void* of_first = nullptr;            ///< scratch of the first digit's histogram
    void* beginnings = nullptr;          ///< ranks: the different beginnings, ascending
    void* found = nullptr;               ///< ranks: the beginning of each wanted one
    std::uint32_t* slot = nullptr;       ///< of each wanted one, which of the beginnings it has
    std::uint64_t* remaining = nullptr;  ///< of each wanted one, its rank among the items of its beginning
    void* list = nullptr;                ///< ranks
    // Of a sort.
    void* sorted = nullptr;  ///< keys, or indices
    void* of_sort = nullptr;
};
SelectMemory carve_select(detail::Carver& carver, const select_plan& plan);

/// `left` must be zero before the launch.
struct SegmentedSelectMemory {
    TopKControl* control = nullptr;  ///< of a block each
    std::uint32_t* left = nullptr;   ///< number of segments that warps have left to blocks
    std::uint64_t* left_segments = nullptr;
    std::uint64_t* begins = nullptr;  ///< stored offsets, or begins and ends
    std::uint64_t* ends = nullptr;
};
SegmentedSelectMemory carve_segmented_select(detail::Carver& carver, const segmented_select_plan& plan);

}  // namespace kogge::grid
