// The scratch of an emission, carved by plans to measure it and by launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/emit/shape.hpp"
#include "kogge/engine/tile_scratch.hpp"
#include "kogge/exec.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

/// The first `zeroed` bytes at `control` must be zero before the launch of all but a wave.
struct EmitMemory {
    EmitControl* control = nullptr;
    BoardMemory board{};
    LargeTile* large = nullptr;
    std::size_t zeroed = 0;
    std::uint64_t* outputs = nullptr;  ///< of a wave's tiles
};
EmitMemory carve_emit(detail::Carver& carver, const emit_plan& plan, std::uint64_t capacity);

}  // namespace kogge::grid
