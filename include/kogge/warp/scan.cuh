// Scans and folds over the 32 lanes of a warp, by shuffles: Kogge and Stone's network, five steps, each lane adding
// the partial result of the lane 1, 2, 4, 8, 16 places before it (P. Kogge, H. Stone, 1973).
#pragma once

#include "kogge/simt/device.cuh"

namespace kogge::warp {

/// The inclusive scan over lanes 0 … active−1, in lane order; `op` is associative, it need not commute and is never
/// given a value of a lane at or past `active`, whose results are unspecified. All 32 lanes call.
template <class T, class Op>
KOGGE_DEVICE T inclusive_scan(T value, int active, Op op) {
    const int lane = simt::lane();
    KOGGE_UNROLL
    for (int distance = 1; distance < simt::kWarpSize; distance *= 2) {
        const T before = simt::shuffle_up(value, distance);
        if (lane >= distance && lane < active) value = static_cast<T>(op(before, value));
    }
    return value;
}

}  // namespace kogge::warp
