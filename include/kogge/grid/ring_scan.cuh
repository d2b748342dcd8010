// The scan as the work of a ring: each lane folds its own contiguous segment, and later scans it again from its prefix,
// in place. Every item is read once and written once; in between it crosses shared memory five times: in, reduce, scan
// (both ways), out.
#pragma once

#include <cstdint>

#include "kogge/block/tile.cuh"
#include "kogge/grid/ring.cuh"
#include "kogge/grid/scan_tile.cuh"

namespace kogge::grid {

template <class Problem>
struct ScanWork {
    using Item = typename Problem::Item;
    using Result = typename Problem::Result;
    using Acc = typename Problem::Accumulator;
    using Op = typename Problem::Operator;
    using Saved = Acc;  ///< the fold of the earlier lanes' segments
    static constexpr int kItems = Problem::kItems;
    static constexpr int kStretchItems = kItems * simt::kWarpSize;

    decltype(Problem::in) in;
    Count n;
    Op op;
    Carry<Acc> start;
    Result* out;
    bool inclusive;
    bool bulk_out;  ///< `out` is at a 16-byte boundary

    KOGGE_DEVICE Acc reduce(const Stretch<Item>& own, Saved& before) const {
        const int lane = simt::lane();
        Acc partial{};
        const auto fold = [&](int i, const Item& item) {
            partial = i > 0 ? static_cast<Acc>(op(partial, static_cast<Acc>(item))) : static_cast<Acc>(item);
        };
        const Item* const segment = own.items + lane * kItems;
        if (own.count == kStretchItems) block::visit_segment<kItems>(segment, kItems, fold);
        else block::visit_segment<kItems>(segment, block::segment_size<kItems>(own.count, lane), fold);
        const int active = (own.count + kItems - 1) / kItems;
        partial = warp::inclusive_scan(partial, active, op);
        before = simt::shuffle_up(partial, 1);
        return simt::shuffle(partial, active > 0 ? active - 1 : 0);
    }

    KOGGE_DEVICE bool finish(const Stretch<Item>& own, const Carry<Acc>& carry, const Saved& before) const {
        const int lane = simt::lane();
        const int size = block::segment_size<kItems>(own.count, lane);
        Carry<Acc> running = carry;
        if (lane > 0 && size > 0)
            running = {running.present ? static_cast<Acc>(op(running.value, before)) : before, true};
        const auto step = [&](int i, const Item& from) {
            const Acc item = static_cast<Acc>(from);
            const Acc earlier = running.value;
            running.value = i > 0 || running.present ? static_cast<Acc>(op(earlier, item)) : item;
            return static_cast<Result>(inclusive ? running.value : earlier);
        };
        const Item* const segment = own.items + lane * kItems;
        Result* const scanned = reinterpret_cast<Result*>(own.items);
        if (own.count == kStretchItems) block::rewrite_segment<kItems>(segment, scanned + lane * kItems, kItems, step);
        else block::rewrite_segment<kItems>(segment, scanned + lane * kItems, size, step);

        Result* const target = out + own.base;
        const int bulk = bulk_out ? static_cast<int>(own.count * sizeof(Result) / 16 * 16 / sizeof(Result)) : 0;
        if (bulk > 0) simt::fence_bulk();
        simt::sync_warp();  // the stretch is scanned
        for (int i = bulk + lane; i < own.count; i += simt::kWarpSize) target[i] = scanned[i];
        if (bulk_out && lane == 0) {
            if (bulk > 0) simt::bulk_store(target, scanned, static_cast<std::uint32_t>(bulk * sizeof(Result)));
            simt::bulk_commit();
        }
        return bulk_out;
    }

    KOGGE_DEVICE void complete(const Carry<Acc>&) const {}
};

}  // namespace kogge::grid
