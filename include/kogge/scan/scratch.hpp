// The scratch of a scan. Plans carve it to measure it, launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kogge/engine/tile_scratch.hpp"
#include "kogge/exec.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

struct ScanMemory {
    std::uint32_t* marks = nullptr;  ///< words with one bit per item, set where a segment starts
    BoardMemory board{};
    std::vector<void*> sums;  ///< of a wave's tiles; or one array per level of more than one block
};
ScanMemory carve_scan(detail::Carver& carver, const scan_plan& plan, std::size_t accumulator_bytes);

}  // namespace kogge::grid
