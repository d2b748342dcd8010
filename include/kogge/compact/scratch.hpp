// The scratch of a compaction. Plans carve it to measure it, launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/tile_scratch.hpp"
#include "kogge/exec.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

struct CompactMemory {
    BoardMemory board{};
    std::uint32_t* aggregates = nullptr;  ///< of a wave's tiles
    void* items = nullptr;                ///< a copy of the input, for a partition in place
};
CompactMemory carve_compact(detail::Carver& carver, const compact_plan& plan, std::uint64_t n, std::size_t item_bytes);

}  // namespace kogge::grid
