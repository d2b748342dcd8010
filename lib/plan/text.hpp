// The end of the texts of plans of compactions, runs and emissions.
#pragma once

#include <string>

namespace kogge::grid {

template <class Plan>
std::string tiles_text(const Plan& plan) {
    return std::to_string(plan.tiles) + (plan.tiles == 1 ? " tile of " : " tiles of ") +
           std::to_string(plan.tile_items) + " items, " + std::to_string(plan.blocks) +
           (plan.blocks == 1 ? " block, " : " blocks, ") + std::to_string(plan.launches) +
           (plan.launches == 1 ? " launch, " : " launches, ") + std::to_string(plan.scratch_bytes) +
           " bytes of scratch";
}

}  // namespace kogge::grid
