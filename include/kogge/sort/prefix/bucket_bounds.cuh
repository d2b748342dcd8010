// Where a group of neighbours that agree in their leading digits begins and ends.
#pragma once

#include <cstdint>

#include "kogge/digit/key_digits.cuh"
#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// How many places before and behind a given one, up to `most` each, belong to its group: shares(place) tells it of
/// others among n. So many lanes look at places before it and as many at places behind it: of those that share the
/// group the most distant tells where to look closer. All lanes of the warp call, with the same `most`.
template <int lookers = simt::kWarpSize / 2>
struct GroupReach {
    std::uint64_t before = 0, behind = 0;

    template <class Shares>
    KOGGE_DEVICE GroupReach(std::uint64_t place, std::uint64_t n, std::uint64_t most, const Shares& shares) {
        constexpr simt::mask_t side = (1u << lookers) - 1u;
        const int lane = simt::lane(), first = lane / (2 * lookers) * (2 * lookers);
        const bool is_behind = lane - first >= lookers;
        const std::uint64_t within = is_behind ? n - 1 - place : place;
        for (std::uint64_t span = most, step; span > 0; span = step - 1) {
            step = divide_up(span, static_cast<std::uint64_t>(lookers));
            const std::uint64_t distance =
                (is_behind ? behind : before) + static_cast<std::uint64_t>(lane % lookers + 1) * step;
            const simt::mask_t sharing =
                simt::ballot(distance <= within && shares(is_behind ? place + distance : place - distance)) >> first;
            before += static_cast<std::uint64_t>(simt::count_bits(sharing & side)) * step;
            behind += static_cast<std::uint64_t>(simt::count_bits(sharing >> lookers & side)) * step;
        }
    }
};

}  // namespace kogge::grid::KOGGE_CODE
