// Finds where a bucket, neighbours that agree in their leading digits, begins and ends.
#pragma once

#include <cstdint>

#include "kogge/digit/key_digits.cuh"
#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The number of places before and after a given one, up to `most` each, that belong to its bucket. shares(place) tells
/// whether another of the n places does. `lookers` lanes probe places before it, and as many probe places after it; the
/// most distant place of the bucket tells where to probe closer. All lanes of the warp call, with the same `most`.
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
