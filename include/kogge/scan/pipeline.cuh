// The scan as the work of a pipeline: each lane folds its own contiguous items, and later scans them again from its
// prefix, in place. Every item is read once and every result written once. In between an item crosses shared memory
// five times: in, reduce, scan (read and write), out.
//
// Two kinds of scan load their own slices. Where results and items differ in size, a place on chip has room for either;
// a slice's items stand together at its beginning, and a lane holds its items in registers while results take their
// places. A scan from the end keeps its slice in memory order, at the end of its places: the first item to be scanned
// is the last one, and lane 0 has the last items.
#pragma once

#include <cstdint>

#include "kogge/block/tile.cuh"
#include "kogge/engine/pipeline.cuh"
#include "kogge/scan/heads.cuh"
#include "kogge/scan/tile.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The part of an input that a pipeline holds on chip, and how a lane views its own items.
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
    KOGGE_DEVICE Segment look(const Held&, const Slice<Item>&) const {
        return {};
    }
};
/// Values with heads. The values are on chip; a lane learns its items' heads when it reduces them.
template <class Values, class Sum, class Heads, bool shifted, class Flagged>
struct RingInput<detail::RunsInput<Values, Sum, Heads, shifted>, Flagged> {
    using In = detail::RunsInput<Values, Sum, Heads, shifted>;
    using Held = Values;
    using Item = detail::item_of<Values>;
    using Value = Item;
    static constexpr bool kReversed = detail::kIsReversed<Values>;
    struct Segment {
        std::uint32_t heads;
        Value before;  ///< if shifted: the value before the next one

        template <class Acc>
        KOGGE_DEVICE Acc get(const RingInput& input, int i, const Item& item) {
            const bool head = (heads >> i & 1u) != 0;
            if constexpr (!shifted) return {static_cast<Sum>(item), head};
            const Value earlier = before;
            before = item;
            return {head ? input.init : static_cast<Sum>(earlier), head};
        }
    };
    Heads heads;
    Sum init;

    KOGGE_HOST_DEVICE explicit RingInput(const In& in) : heads(in.heads), init(in.init) {}
    KOGGE_HOST_DEVICE static const Held& held(const In& in) { return in.in; }

    KOGGE_DEVICE void prefetch(std::uint64_t base, int count) const { prefetch_heads(heads, base, count); }
    /// All lanes call, when the slice is on chip.
    template <int items>
    KOGGE_DEVICE Segment look(const Held& values, const Slice<Item>& own) const {
        Segment segment{};
        segment.heads = heads_of_segment<items>(heads, own.base, own.count);
        if constexpr (shifted) {
            const int first = simt::lane() * items;
            if (first > 0 && first < own.count)
                segment.before = own.items[kReversed ? items * simt::kWarpSize - first : first - 1];
            else if (first == 0 && own.count > 0 && own.base > 0) segment.before = values[own.base - 1];
            simt::sync_warp();  // all lanes have read, and the previous lane may write its results
        }
        return segment;
    }
};

/// `items` per lane.
template <class Problem, int items = ring_items(Problem::kShape)>
struct ScanWork {
    using Input = RingInput<decltype(Problem::in), typename Problem::Item>;
    using Item = typename Input::Item;
    using Result = typename Problem::Result;
    using Acc = typename Problem::Accumulator;
    using Op = typename Problem::Operator;
    struct Saved {
        Acc before;  ///< the fold of the earlier lanes' items
        typename Input::Segment segment;
    };
    static constexpr int kItems = items;
    static constexpr int kSliceItems = kItems * simt::kWarpSize;
    static constexpr bool kReversed = detail::kIsReversed<decltype(Problem::out)>;
    static constexpr bool kHolds = sizeof(Item) != sizeof(Result);
    static constexpr bool kLoads = kReversed || kHolds;
    static constexpr std::size_t kPlaceBytes = place_bytes(Problem::kShape);
    /// Worth it where heads take time to read, and where results are at least eight times as wide as items, because
    /// such a tile loads few bytes. (H200, 2^28 items: segments 622 us, without 656; u8 to u64 736, without 764; but
    /// u32 to u32 591, without 525.)
    static constexpr bool kGivesBackLate = kRunValueBytes<decltype(Problem::in)> > 0 ||
                                           sizeof(Result) >= 8 * sizeof(Item);
    static constexpr bool kFromMemory =
        std::is_pointer_v<typename Input::Held> || detail::kReversedPointer<typename Input::Held>;

    typename Input::Held in;
    Input input;
    Count n;
    Op op;
    Carry<Acc> start;
    decltype(Problem::out) out;
    bool inclusive;
    bool bulk_out;  ///< `out` is at a 16-byte boundary
    bool once;      ///< input leaves the L2 cache before output

    KOGGE_HOST_DEVICE ScanWork(const Problem& problem, bool read_once)
        : in(Input::held(problem.in)),
          input(problem.in),
          n(problem.n),
          op(problem.op),
          start(problem.start),
          out(problem.out),
          inclusive(problem.inclusive),
          bulk_out(false),
          once(read_once) {
        if constexpr (!kReversed && Problem::kStoresToMemory) bulk_out = block::is_chunk_aligned(out);
    }

    KOGGE_DEVICE bool reads_once() const { return once; }

    KOGGE_DEVICE void prefetch(std::uint64_t base, int count) const
        requires(kRunValueBytes<decltype(Problem::in)> > 0) {
        input.prefetch(base, count);
    }

    KOGGE_DEVICE Acc reduce(const Slice<Item>& own, Saved& saved) const {
        const int lane = simt::lane();
        if constexpr (kLoads) {
            if (!loads_in_bulk()) {
                read(own);
                simt::sync_warp();  // the slice is on chip
            }
        }
        saved.segment = input.template look<kItems>(in, own);
        auto seen = saved.segment;
        block::SegmentScan fold(Carry<Acc>{}, op);
        block::visit_segment<kItems, kReversed>(
            segment_of(own.items), block::segment_size<kItems>(own.count, lane),
            [&](int i, const Item& item) { fold.take(seen.template get<Acc>(input, i, item)); });
        const int active = (own.count + kItems - 1) / kItems;
        const Acc partial = warp::inclusive_scan(fold.running().value, active, op);
        saved.before = simt::shuffle_up(partial, 1);
        return simt::shuffle(partial, active > 0 ? active - 1 : 0);
    }

    KOGGE_DEVICE bool finish(const Slice<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const int lane = simt::lane();
        const int size = block::segment_size<kItems>(own.count, lane);
        block::SegmentScan scan(lane > 0 && size > 0 ? append(carry, saved.before, op) : carry, op);
        auto seen = saved.segment;
        const auto step = [&](int i, const Item& item) {
            const Acc before = scan.take(seen.template get<Acc>(input, i, item)).value;
            return static_cast<Result>(inclusive ? scan.running().value : before);
        };
        const Item* const segment = segment_of(own.items);
        Result* const results = reinterpret_cast<Result*>(own.items);
        if constexpr (kHolds) {
            Item held[kItems];
            block::visit_segment<kItems, kReversed>(segment, size, [&](int i, const Item& item) { held[i] = item; });
            simt::sync_warp();  // all lanes hold their items
            block::write_segment<kItems, kReversed>(segment_of(results), size, [&](int i) { return step(i, held[i]); });
        } else {
            block::rewrite_segment<kItems, kReversed>(segment, segment_of(results), size, step);
        }
        return store(first_of(results, own.count), own);
    }

    KOGGE_DEVICE void complete(const Carry<Acc>&) const {}

    // ---- works that load ----

    /// Each lane loads the slice of one warp.
    KOGGE_DEVICE void load(std::uint64_t base, int begin, int end, unsigned char* stage,
                           simt::TransactionBarrier& full) const requires kLoads {
        const int first = simt::lane() * kSliceItems, last = first + kSliceItems;
        if (first < begin || first >= end || !loads_in_bulk()) return full.arrive();
        load({reinterpret_cast<Item*>(stage + first * int{kPlaceBytes}), (last < end ? last : end) - first,
              base + static_cast<std::uint64_t>(first)},
             full);
    }
    KOGGE_DEVICE bool loads_in_bulk() const {
        if constexpr (!kFromMemory) return false;
        else if constexpr (kReversed) return block::is_chunk_aligned(in.end());
        else return block::is_chunk_aligned(in);
    }
    /// One lane calls. The copy engine loads whole 16-byte units, the lane the remaining bytes.
    KOGGE_DEVICE void load(const Slice<Item>& own, simt::TransactionBarrier& full) const {
        if constexpr (kFromMemory) {
            const Item* source;
            if constexpr (kReversed) source = lowest(in.end(), own);
            else source = in + own.base;
            Item* const target = first_of(own.items, own.count);
            const int bulk = whole_chunks<Item>(own.count), apart = own.count - bulk;
            const int begin = kReversed ? apart : 0, rest = kReversed ? 0 : bulk;
            for (int i = rest; i < rest + apart; ++i) target[i] = source[i];
            const auto bytes = static_cast<std::uint32_t>(bulk * sizeof(Item));
            full.arrive_expect(bytes);
            if (bulk == 0) return;
            if (once) simt::bulk_load_once(target + begin, source + begin, bytes, full);
            else simt::bulk_load(target + begin, source + begin, bytes, full);
        }
    }
    /// The lanes read, where nothing is loaded in bulk. A warp barrier must follow.
    KOGGE_DEVICE void read(const Slice<Item>& own) const {
        KOGGE_UNROLL
        for (int i = 0; i < kItems; ++i) {
            const int j = i * simt::kWarpSize + simt::lane();
            if (j < own.count) own.items[kReversed ? kSliceItems - 1 - j : j] = in[own.base + j];
        }
    }

private:
    /// How many of `count` items fill whole units of the copy engine.
    template <class T>
    KOGGE_DEVICE static int whole_chunks(int count) {
        return static_cast<int>(count * sizeof(T) / 16 * 16 / sizeof(T));
    }
    /// This lane's items among a slice's places.
    template <class T>
    KOGGE_DEVICE static T* segment_of(T* places) {
        return places + (kReversed ? simt::kWarpSize - 1 - simt::lane() : simt::lane()) * kItems;
    }
    /// The lowest of a slice's `count` items or results: `first_of` on chip, `lowest` in memory that is read from its
    /// end.
    template <class T>
    KOGGE_DEVICE static T* first_of(T* places, int count) {
        return kReversed ? places + (kSliceItems - count) : places;
    }
    template <class T>
    KOGGE_DEVICE static T* lowest(T* end, const Slice<Item>& own) {
        return end - static_cast<std::ptrdiff_t>(own.base) - own.count;
    }

    /// Stores the results of a slice. All lanes call. True if lane 0 has committed bulk stores.
    KOGGE_DEVICE bool store(const Result* scanned, const Slice<Item>& own) const {
        const int lane = simt::lane();
        if constexpr (!Problem::kStoresToMemory) {
            simt::sync_warp();  // the slice is scanned
            for (int i = lane; i < own.count; i += simt::kWarpSize)
                out[own.base + static_cast<std::uint64_t>(i)] = scanned[kReversed ? own.count - 1 - i : i];
            return false;
        } else {
            Result* target;
            bool in_bulk = bulk_out;
            if constexpr (kReversed) {
                target = lowest(out.end(), own);
                in_bulk = block::is_chunk_aligned(out.end());
            } else {
                target = out + own.base;
            }
            const int bulk = in_bulk ? whole_chunks<Result>(own.count) : 0;
            const int begin = kReversed ? own.count - bulk : 0;  // of the part stored in bulk
            if (bulk > 0) simt::fence_bulk();
            simt::sync_warp();  // the slice is scanned
            const int rest = kReversed ? 0 : bulk, end = kReversed ? begin : own.count;
            for (int i = rest + lane; i < end; i += simt::kWarpSize) target[i] = scanned[i];
            if (in_bulk && lane == 0) {
                if (bulk > 0)
                    simt::bulk_store(target + begin, scanned + begin,
                                     static_cast<std::uint32_t>(bulk * sizeof(Result)));
                simt::bulk_commit();
            }
            return in_bulk;
        }
    }
};

}  // namespace kogge::grid::KOGGE_CODE
