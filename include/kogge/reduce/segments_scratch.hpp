// The scratch of reductions of segments. Plans carve it to measure it, launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/exec.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

struct SegmentItems {
    std::uint64_t begin, end;
};
/// A long segment in a block's list.
struct ListedSegment {
    std::uint64_t segment;
    SegmentItems items;
    std::uint64_t parts;  ///< of it; once the list is complete, of those before it
};
/// What a block has listed.
struct ListTotal {
    std::uint64_t parts;
    std::uint64_t segments;
};

struct SegmentedReduceMemory {
    std::uint64_t* begins = nullptr;  ///< of segments that are stored first
    std::uint64_t* ends = nullptr;
    ListTotal* totals = nullptr;     ///< one per block
    ListedSegment* lists = nullptr;  ///< kMostListed per block
    void* aggregates = nullptr;      ///< one per part
};
SegmentedReduceMemory carve_segmented_reduce(detail::Carver& carver, const segmented_reduce_plan& plan,
                                             std::size_t accumulator_bytes);

}  // namespace kogge::grid
