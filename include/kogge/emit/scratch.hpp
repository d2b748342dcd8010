// The scratch of an emission. Plans carve it to measure it, launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/emit/shape.hpp"
#include "kogge/engine/tile_scratch.hpp"
#include "kogge/exec.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

/// Except for a wave, the first `zeroed` bytes from `control` must be zero before the launch.
struct EmitMemory {
    EmitControl* control = nullptr;
    BoardMemory board{};
    LargeTile* large = nullptr;
    std::size_t zeroed = 0;
    std::uint64_t* outputs = nullptr;  ///< per tile of a wave
};
EmitMemory carve_emit(detail::Carver& carver, const emit_plan& plan, std::uint64_t capacity);

}  // namespace kogge::grid
