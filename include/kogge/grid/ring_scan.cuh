// The scan as the work of a ring: each lane folds its own contiguous segment, and later scans it again from its prefix,
// in place. Every item is read once and written once; in between it crosses shared memory five times: in, reduce, scan
// (both ways), out.
#pragma once

#include <cstdint>

#include "kogge/block/tile.cuh"
#include "kogge/grid/heads.cuh"
#include "kogge/grid/ring.cuh"
#include "kogge/grid/scan_tile.cuh"

namespace kogge::grid {

/// What a ring holds of an input, and how a lane's segment of it is seen.
template <class In, class Item_>
struct RingInput {
    using Held = In;
    using Item = Item_;
    struct Segment {
        template <class Acc>
        KOGGE_DEVICE Acc get(const RingInput&, int, const Item& item) const {
            return static_cast<Acc>(item);
        }
    };
    KOGGE_HOST_DEVICE explicit RingInput(const In&) {}
    KOGGE_HOST_DEVICE static const Held& held(const In& in) { return in; }

    template <int items>
    KOGGE_DEVICE Segment look(const Held&, const Stretch<Item>&) const {
        return {};
    }
};
/// Values with heads. The values are on chip; a lane learns its segment's heads as it reduces it.
template <class Value, class Heads, bool shifted, class Flagged>
struct RingInput<detail::RunsInput<Value, Heads, shifted>, Flagged> {
    using Held = const Value*;
    using Item = Value;
    struct Segment {
        std::uint32_t heads;
        Value before;  ///< shifted: the value before the next one

        template <class Acc>
        KOGGE_DEVICE Acc get(const RingInput& input, int i, const Item& item) {
            const bool head = (heads >> i & 1u) != 0;
            if constexpr (!shifted) return {item, head};
            const Value earlier = before;
            before = item;
            return {head ? input.init : earlier, head};
        }
    };
    Heads heads;
    Value init;

    KOGGE_HOST_DEVICE explicit RingInput(const detail::RunsInput<Value, Heads, shifted>& in)
        : heads(in.heads), init(in.init) {}
    KOGGE_HOST_DEVICE static Held held(const detail::RunsInput<Value, Heads, shifted>& in) { return in.in; }

    KOGGE_DEVICE void prefetch(std::uint64_t base, int count) const { prefetch_heads(heads, base, count); }
    /// All lanes call, when the stretch is on chip.
    template <int items>
    KOGGE_DEVICE Segment look(Held values, const Stretch<Item>& own) const {
        Segment segment{};
        segment.heads = heads_of_segment<items>(heads, own.base, own.count);
        if constexpr (shifted) {
            const int first = simt::lane() * items;
            if (first > 0 && first < own.count) segment.before = own.items[first - 1];
            else if (first == 0 && own.count > 0 && own.base > 0) segment.before = values[own.base - 1];
            simt::sync_warp();  // all lanes have read, and the lane before may write what it finishes
        }
        return segment;
    }
};

/// `items` a lane.
template <class Problem, int items = ring_items(Problem::kShape)>
struct ScanWork {
    using Input = RingInput<decltype(Problem::in), typename Problem::Item>;
    using Item = typename Input::Item;
    using Result = typename Problem::Result;
    using Acc = typename Problem::Accumulator;
    using Op = typename Problem::Operator;
    struct Saved {
        Acc before;  ///< the fold of the earlier lanes' segments
        typename Input::Segment segment;
    };
    static constexpr int kItems = items;
    static constexpr int kStretchItems = kItems * simt::kWarpSize;
    static constexpr bool kReversed = !std::is_pointer_v<decltype(Problem::out)>;

    typename Input::Held in;
    Input input;
    Count n;
    Op op;
    Carry<Acc> start;
    decltype(Problem::out) out;
    bool inclusive;
    bool bulk_out;  ///< `out` is at a 16-byte boundary
    bool once;      ///< what is read makes room in the L2 cache for what is written

    KOGGE_HOST_DEVICE ScanWork(const Problem& problem, bool once)
        : in(Input::held(problem.in)),
          input(problem.in),
          n(problem.n),
          op(problem.op),
          start(problem.start),
          out(problem.out),
          inclusive(problem.inclusive),
          bulk_out(false),
          once(once) {
        if constexpr (!kReversed) bulk_out = block::is_chunk_aligned(out);
    }

    KOGGE_DEVICE bool reads_once() const { return once; }

    KOGGE_DEVICE void prefetch(std::uint64_t base, int count) const
        requires(kRunValueBytes<decltype(Problem::in)> > 0) {
        input.prefetch(base, count);
    }

    KOGGE_DEVICE Acc reduce(const Stretch<Item>& own, Saved& saved) const {
        const int lane = simt::lane();
        saved.segment = input.template look<kItems>(in, own);
        auto seen = saved.segment;
        Acc partial{};
        const auto fold = [&](int i, const Item& from) {
            const Acc item = seen.template get<Acc>(input, i, from);
            partial = i > 0 ? static_cast<Acc>(op(partial, item)) : item;
        };
        const Item* const segment = own.items + lane * kItems;
        if (own.count == kStretchItems) block::visit_segment<kItems>(segment, kItems, fold);
        else block::visit_segment<kItems>(segment, block::segment_size<kItems>(own.count, lane), fold);
        const int active = (own.count + kItems - 1) / kItems;
        partial = warp::inclusive_scan(partial, active, op);
        saved.before = simt::shuffle_up(partial, 1);
        return simt::shuffle(partial, active > 0 ? active - 1 : 0);
    }

    KOGGE_DEVICE bool finish(const Stretch<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const int lane = simt::lane();
        const int size = block::segment_size<kItems>(own.count, lane);
        Carry<Acc> running = carry;
        if (lane > 0 && size > 0) running = append(running, saved.before, op);
        auto seen = saved.segment;
        const auto step = [&](int i, const Item& from) {
            const Acc item = seen.template get<Acc>(input, i, from);
            const Acc earlier = running.value;
            running.value = i > 0 || running.present ? static_cast<Acc>(op(earlier, item)) : item;
            return static_cast<Result>(inclusive ? running.value : earlier);
        };
        const Item* const segment = own.items + lane * kItems;
        Result* const scanned = reinterpret_cast<Result*>(own.items);
        if (own.count == kStretchItems) block::rewrite_segment<kItems>(segment, scanned + lane * kItems, kItems, step);
        else block::rewrite_segment<kItems>(segment, scanned + lane * kItems, size, step);

        if constexpr (kReversed) {
            simt::sync_warp();  // the stretch is scanned
            store_reversed<simt::kWarpSize>(out, static_cast<const Result*>(scanned), own.base, own.count, lane);
            return false;
        } else {
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
    }

    KOGGE_DEVICE void complete(const Carry<Acc>&) const {}
};

}  // namespace kogge::grid
