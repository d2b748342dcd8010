// Scans and folds over the 32 lanes of a warp by shuffles: Kogge and Stone's network of five steps, in which each lane
// adds the partial result of the lane 1, 2, 4, 8, 16 places before it (P. Kogge, H. Stone, 1973).
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/operators.hpp"
#include "kogge/simt/device.cuh"

namespace kogge::warp {

/// The inclusive scan over lanes 0 … active−1, in lane order. `op` is associative and need not commute. It is never
/// passed the value of a lane at or past `active`; the results of these lanes are unspecified. All 32 lanes call, with
/// `active` at most `most`, which saves steps.
template <int most = simt::kWarpSize, class T, class Op>
KOGGE_DEVICE T inclusive_scan(T value, int active, Op op) {
    const int lane = simt::lane();
    KOGGE_UNROLL
    for (int distance = 1; distance < most; distance *= 2) {
        const T before = simt::shuffle_up(value, distance);
        if (lane >= distance && lane < active) value = static_cast<T>(op(before, value));
    }
    return value;
}

/// Several inclusive scans at once, each over its own number of active lanes. The networks advance together, because
/// each step of a single one would wait for the step before. All 32 lanes call.
template <int count, class T, class Op>
KOGGE_DEVICE void scan_each(c_array<T, count>& values, const c_array<int, count>& active, Op op) {
    const int lane = simt::lane();
    KOGGE_UNROLL
    for (int distance = 1; distance < simt::kWarpSize; distance *= 2) {
        KOGGE_UNROLL
        for (int i = 0; i < count; ++i) {
            const T before = simt::shuffle_up(values[i], distance);
            if (lane >= distance && lane < active[i]) values[i] = static_cast<T>(op(before, values[i]));
        }
    }
}

/// Operators whose result over 32-bit integers does not depend on any order: a hardware sum replaces the network.
template <class T, class Op>
inline constexpr bool sums_exactly = std::is_same_v<Op, plus>&& std::is_integral_v<T> && sizeof(T) == 4;

/// Folds several values per lane at once, each over its own number of active lanes. In every lane, values[i] becomes
/// the fold of lanes 0 … active[i]−1, in the association of inclusive_scan; unspecified if active[i] is 0. All 32 lanes
/// call.
template <int count, class T, class Op>
KOGGE_DEVICE void fold_each(c_array<T, count>& values, const c_array<int, count>& active, Op op) {
    const int lane = simt::lane();
    if constexpr (requires { op.fold_lanes(values[0], active[0]); }) {  // an operator with a faster way
        KOGGE_UNROLL
        for (int i = 0; i < count; ++i) values[i] = op.fold_lanes(values[i], active[i]);
    } else if constexpr (sums_exactly<T, Op>) {
        KOGGE_UNROLL
        for (int i = 0; i < count; ++i)
            values[i] = static_cast<T>(simt::reduce_add(lane < active[i] ? static_cast<std::uint32_t>(values[i]) : 0u));
    } else {
        scan_each(values, active, op);
        KOGGE_UNROLL
        for (int i = 0; i < count; ++i) values[i] = simt::shuffle(values[i], active[i] > 0 ? active[i] - 1 : 0);
    }
}

}  // namespace kogge::warp
