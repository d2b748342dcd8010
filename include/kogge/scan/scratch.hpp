// The scratch of a scan, carved by plans to measure it and by launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kogge/engine/tile_scratch.hpp"
#include "kogge/exec.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

struct ScanMemory {
    std::uint32_t* marks = nullptr;  ///< words with a bit an item, where a segment starts
    BoardMemory board{};
    std::vector<void*> sums;  ///< of a wave's tiles; or one array a level that has more than one block
};
ScanMemory carve_scan(detail::Carver& carver, const scan_plan& plan, std::size_t accumulator_bytes);

}  // namespace kogge::grid
