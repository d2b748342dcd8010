// The block's scan over its threads' partial folds, one per thread, in thread order.
//
// This is the middle of a coarsened scan (coarsened.cuh). This file has the library's default network; networks.cuh has
// the textbook networks with the same interface.
#pragma once

#include "kogge/types/carry.hpp"
#include "kogge/warp/scan.cuh"

namespace kogge::block {

using grid::Carry;

/// Appends `value` to the fold of all that precedes it.
template <class T, class Op>
KOGGE_DEVICE Carry<T> append(const Carry<T>& carry, const T& value, Op op) {
    return {carry.present ? static_cast<T>(op(carry.value, value)) : value, true};
}

/// A thread's results of a scan over the block's partials.
template <class T>
struct ThreadPrefix {
    T before;         ///< the fold of all earlier threads' partials; unspecified if !has_before
    bool has_before;  ///< in all active threads but the first
    T aggregate;      ///< the fold of all active threads' partials

    /// What precedes this thread's segment, where `carry` precedes the tile.
    template <class Op>
    KOGGE_DEVICE Carry<T> after(const Carry<T>& carry, Op op) const {
        return has_before ? append(carry, before, op) : carry;
    }
};

/// Kogge-Stone by shuffles within each warp, and again over the warp totals, redundantly in every warp.
///
/// All `threads` threads call. Threads at or past `active` (≥ 1) pass any value: it never reaches `op`, and their
/// prefix is empty. One block barrier orders the writes of the warp totals before the reads. The caller puts
/// another barrier between two scans that share a Storage.
template <int threads>
struct ShuffleScan {
    static constexpr int kWarps = threads / simt::kWarpSize;
    static_assert(threads % simt::kWarpSize == 0 && threads <= 1024);

    template <class T>
    struct Storage {
        T totals[std::size_t{kWarps}];
    };

    template <class T, class Op>
    KOGGE_DEVICE static ThreadPrefix<T> scan(T partial, int active, Op op, Storage<T>& storage) {
        const int thread = simt::thread_rank(), warp = simt::warp_rank();
        const Scans<T> scans = scan_warps(partial, active, op, storage);
        const int active_warps = (active + simt::kWarpSize - 1) / simt::kWarpSize;
        const T earlier = scans.before(warp);
        ThreadPrefix<T> result{simt::shuffle_up(scans.lanes, 1), thread > 0 && thread < active,
                               simt::shuffle(scans.warps, active_warps - 1)};
        if (warp > 0 && result.has_before)
            result.before = simt::lane() == 0 ? earlier : static_cast<T>(op(earlier, result.before));
        return result;
    }

    /// The inclusive result alone, with two shuffles fewer.
    template <class T, class Op>
    KOGGE_DEVICE static T inclusive(T partial, int active, Op op, Storage<T>& storage) {
        const Scans<T> scans = scan_warps(partial, active, op, storage);
        const T earlier = scans.before(simt::warp_rank());
        if (simt::warp_rank() == 0 || simt::thread_rank() >= active) return scans.lanes;
        return static_cast<T>(op(earlier, scans.lanes));
    }

private:
    template <class T>
    struct Scans {
        T lanes;  ///< of the warp's partials, up to this lane's
        T warps;  ///< of the warps' totals, up to the total of warp number `lane`

        KOGGE_DEVICE T before(int warp) const { return simt::shuffle(warps, warp > 0 ? warp - 1 : 0); }
    };
    template <class T, class Op>
    KOGGE_DEVICE static Scans<T> scan_warps(T partial, int active, Op op, Storage<T>& storage) {
        const int lane = simt::lane(), warp = simt::warp_rank();
        const int active_here = active - warp * simt::kWarpSize;
        const T inclusive = warp::inclusive_scan(partial, active_here, op);
        const int last = active_here < simt::kWarpSize ? active_here - 1 : simt::kWarpSize - 1;
        if (lane == last) storage.totals[warp] = inclusive;
        simt::sync_block();  // the warps' totals are written

        const int active_warps = (active + simt::kWarpSize - 1) / simt::kWarpSize;
        const T total = storage.totals[lane < active_warps ? lane : 0];
        return {inclusive, warp::inclusive_scan<kWarps>(total, active_warps, op)};
    }
};

}  // namespace kogge::block
