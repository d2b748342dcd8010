// The scratch of reductions of segments. Plans carve it to measure it, launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/exec.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

/// A part of a long segment. Its segment's parts stand next to each other.
struct SegmentPart {
    std::uint64_t segment;
    std::uint32_t part;     ///< its number
    std::uint32_t parts;    ///< of the segment
    std::uint32_t arrived;  ///< of the segment's first part: parts that are folded
};

struct SegmentedReduceMemory {
    std::uint64_t* begins = nullptr;  ///< of segments that are stored first
    std::uint64_t* ends = nullptr;
    std::uint64_t* listed = nullptr;  ///< parts; zero before the launch
    SegmentPart* parts = nullptr;
    void* aggregates = nullptr;  ///< one per part
};
SegmentedReduceMemory carve_segmented_reduce(detail::Carver& carver, const segmented_reduce_plan& plan,
                                             std::size_t accumulator_bytes);

}  // namespace kogge::grid
