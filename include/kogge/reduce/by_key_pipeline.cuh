// A reduction by key as the work of a pipeline. Values are on chip, and their heads are found when a slice is reduced,
// as in a scan by key. A lane folds its items as plain sums, with a bit for each head; only its fold is a RunSum. When
// a slice is finished, the folds of the runs that end in it are packed where its values stood, and stored as one
// contiguous run; then the positions of its heads, by which the keys are read again, out of the L2 cache, many at a
// time. A slice without heads has nothing to store. Global traffic: keys and values read once, keys and folds of runs
// written once.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/reduce/by_key_problem.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Values with keys. The values are on chip; a lane learns its items' heads when it reduces them.
template <class Keys, class Values, class Sum, class Equal, bool wide, class Acc_>
struct RingInput<detail::KeyedItems<Keys, Values, Sum, Equal, wide>, Acc_> {
    using In = detail::KeyedItems<Keys, Values, Sum, Equal, wide>;
    using Held = Values;
    using Item = typename In::Value;
    struct Segment {
        std::uint32_t heads;
    };
    typename In::Heads heads;

    KOGGE_HOST_DEVICE explicit RingInput(const In& in) : heads(in.heads) {}
    KOGGE_HOST_DEVICE static Held held(const In& in) { return in.values; }

    KOGGE_DEVICE void prefetch(std::uint64_t base, int count) const { prefetch_heads(heads, base, count); }
    /// All lanes call, when the slice is on chip.
    template <int items>
    KOGGE_DEVICE Segment look(const Held&, const Slice<Item>& own) const {
        return {heads_of_segment<items>(heads, own.base, own.count)};
    }
};

template <class Problem>
struct ByKeyWork : ScanWork<Problem> {
    using Base = ScanWork<Problem>;
    using Item = typename Base::Item;
    using Acc = typename Base::Acc;
    using Sum = typename Base::Result;
    using Key = detail::item_of<decltype(Base::Input::heads.keys)>;
    using Base::kItems;
    /// A slice's runs are numbered in 32 bits.
    using Partial = detail::RunSum<Sum, false>;
    struct Saved {
        Partial before;       ///< the fold of the earlier lanes' items
        std::uint32_t heads;  ///< a bit for each of this lane's items
    };
    static constexpr bool kGivesBackLate = false;  ///< no slice is read after it is finished
    /// How many positions have room where a slice's values stand. Of bytes, half of its positions.
    static constexpr int kPlaces = static_cast<int>(Base::kSliceItems * Base::kPlaceBytes / sizeof(std::uint16_t));
    static constexpr bool kPlacesFit = kPlaces >= Base::kSliceItems;
    static_assert(kItems < 32, "a bit an item");

    Problem problem;

    KOGGE_HOST_DEVICE ByKeyWork(const Problem& of, bool read_once) : Base(of, read_once), problem(of) {}

    KOGGE_DEVICE Acc reduce(const Slice<Item>& own, Saved& saved) const {
        const int lane = simt::lane(), size = block::segment_size<kItems>(own.count, lane);
        if constexpr (Base::kLoads) {
            if (!this->loads_in_bulk()) {
                this->read(own);
                simt::sync_warp();  // the slice is on chip
            }
        }
        const std::uint32_t heads = this->input.template look<kItems>(this->in, own).heads & ((1u << size) - 1);
        saved.heads = heads;
        Sum fold{};
        block::visit_segment<kItems>(own.items + lane * kItems, size, [&](int i, const Item& item) {
            fold = step(i == 0 || (heads >> i & 1u) != 0, fold, item);
        });
        const int active = (own.count + kItems - 1) / kItems;
        const Partial partial = warp::inclusive_scan(
            Partial{fold, {static_cast<std::uint32_t>(simt::count_bits(heads))}}, active, this->op);
        saved.before = simt::shuffle_up(partial, 1);
        const Partial all = simt::shuffle(partial, active > 0 ? active - 1 : 0);
        return {all.value, {all.runs[0]}};
    }

    KOGGE_DEVICE bool finish(const Slice<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const int all = static_cast<int>(simt::reduce_add(static_cast<std::uint32_t>(simt::count_bits(saved.heads))));
        if (all == 0) return false;  // no run ends here
        const int lane = simt::lane(), size = block::segment_size<kItems>(own.count, lane);
        const std::uint64_t before = carry.present ? carry.value.number() : 0;  // runs that begin before the slice
        const int first = lane > 0 ? static_cast<int>(saved.before.runs[0]) : 0;
        Sum running = carry.value.value;  // of no run, before the first item of all, which is a head
        if (lane > 0 && size > 0)
            running =
                saved.before.any() ? saved.before.value : static_cast<Sum>(this->op.op(running, saved.before.value));
        Sum ended[kItems] = {};  // where a run begins, the fold of the run before it
        block::visit_segment<kItems>(own.items + lane * kItems, size, [&](int i, const Item& item) {
            ended[i] = running;
            running = step((saved.heads >> i & 1u) != 0, running, item);
        });
        simt::sync_warp();  // all lanes have read their items
        auto* const sums = reinterpret_cast<Sum*>(own.items);
        int rank = first;
        KOGGE_UNROLL
        for (int i = 0; i < kItems; ++i)
            if ((saved.heads >> i & 1u) != 0) sums[rank++] = ended[i];
        simt::sync_warp();  // the folds are packed
        store_sums(sums, before, all);
        store_keys(own, saved.heads, first, before, all);
        return false;
    }

    KOGGE_DEVICE void complete(const Carry<Acc>& all) const { problem.complete(all); }

private:
    KOGGE_DEVICE Sum step(bool is_head, const Sum& running, const Item& item) const {
        const auto value = static_cast<Sum>(item);
        return is_head ? value : static_cast<Sum>(this->op.op(running, value));
    }
    /// Rows of a warp's items that are in flight: 64 bytes per lane.
    template <class T>
    static constexpr int kBatch = [] {
        constexpr int rows = sizeof(T) < 64 ? static_cast<int>(64 / sizeof(T)) : 1;
        return rows < kItems ? rows : kItems;
    }();

    /// Of the run before each of the slice's `all` heads; nothing is before the first run of all.
    KOGGE_DEVICE void store_sums(const Sum* sums, std::uint64_t before, int all) const {
        constexpr int batch = kBatch<Sum> < 8 ? kBatch<Sum> : 8;
        for (int i = simt::lane() + (before > 0 ? 0 : 1); i < all; i += batch * simt::kWarpSize) {
            Sum* const out = problem.out + (before + static_cast<std::uint64_t>(i) - 1);
            Sum loaded[batch] = {};
            KOGGE_UNROLL
            for (int u = 0; u < batch; ++u)
                if (i + u * simt::kWarpSize < all) loaded[u] = sums[i + u * simt::kWarpSize];
            KOGGE_UNROLL
            for (int u = 0; u < batch; ++u)
                if (i + u * simt::kWarpSize < all) out[u * simt::kWarpSize] = loaded[u];
        }
    }
    /// Of each of the slice's `all` heads; `first` of them are earlier lanes'.
    KOGGE_DEVICE void store_keys(const Slice<Item>& own, std::uint32_t heads, int first, std::uint64_t before,
                                 int all) const {
        if constexpr (kPlacesFit) {
            store_some_keys(own, heads, first, before, all);
        } else {
            for (int from = 0; from < all; from += kPlaces)
                store_some_keys(own, heads, first - from, before + static_cast<std::uint64_t>(from),
                                all - from < kPlaces ? all - from : kPlaces);
        }
    }
    /// Of the `count` heads from the one of rank 0 on; this lane's first head has rank `rank`.
    KOGGE_DEVICE void store_some_keys(const Slice<Item>& own, std::uint32_t heads, int rank, std::uint64_t before,
                                      int count) const {
        constexpr int group = kBatch<Key> < 4 ? 1 : 4, batch = kBatch<Key> / group * group;
        const int lane = simt::lane();
        auto* const places = reinterpret_cast<std::uint16_t*>(own.items);
        simt::sync_warp();  // what stood there has been read
        int first = lane * kItems;
        simt::forget_origin(first);  // nvcc would multiply for each item
        KOGGE_UNROLL
        for (int i = 0; i < kItems; ++i)
            if ((heads >> i & 1u) != 0) {
                if (kPlacesFit || (rank >= 0 && rank < kPlaces)) places[rank] = static_cast<std::uint16_t>(first + i);
                ++rank;
            }
        simt::sync_warp();  // the positions are packed
        for (int row = 0; row < count; row += batch * simt::kWarpSize) {
            int left = count - row - lane;
            const std::uint16_t* const own_places = places + row + lane;
            Key keys[batch] = {};
            KOGGE_UNROLL
            for (int g = 0; g < batch; g += group)
                if (row + g * simt::kWarpSize < count) {
                    std::uint32_t at[group];
                    KOGGE_UNROLL
                    for (int u = 0; u < group; ++u) {
                        at[u] = (g + u) * simt::kWarpSize < left ? own_places[(g + u) * simt::kWarpSize] : 0u;
                        simt::forget_origin(at[u]);  // nvcc would choose between words of 64 bits
                    }
                    KOGGE_UNROLL
                    for (int u = 0; u < group; ++u) keys[g + u] = key_at(own.base, at[u]);
                }
            simt::forget_origin(left);  // compared again, which is cheaper than keeping all decisions
            const std::uint64_t run = before + static_cast<std::uint64_t>(row + lane);
            KOGGE_UNROLL
            for (int g = 0; g < batch; g += group) {
                if (row + g * simt::kWarpSize >= count) break;
                KOGGE_UNROLL
                for (int u = 0; u < group; ++u)
                    if ((g + u) * simt::kWarpSize < left)
                        problem.keys_out[run + static_cast<std::uint64_t>((g + u) * simt::kWarpSize)] = keys[g + u];
            }
        }
    }
    KOGGE_DEVICE Key key_at(std::uint64_t base, std::uint32_t place) const {
        const auto& keys = this->input.heads.keys;
        if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(keys)>>) {
            // In bytes, so that nvcc adds places to an address, by one instruction each, and not to `base`.
            const auto* const bytes = reinterpret_cast<const unsigned char*>(keys) + base * sizeof(Key);
            return reinterpret_cast<const Key*>(bytes)[place];
        } else {
            return keys[base + place];
        }
    }
};

template <class Problem>
void launch_by_key(const pipeline_scan& way, const Problem& problem, const scan_plan& plan, const ScanMemory& memory,
                   stream_t stream) {
    if (!way.cooperative) simt::fill(memory.board.ticket, 0, memory.board.zeroed, stream);
    if constexpr (fits_ring(Problem::kShape)) {
        using Work = ByKeyWork<Problem>;
        constexpr ring_shape ring = scan_ring(Problem::kShape);
        // Values leave the L2 cache first, because keys are read again. (H200, 2^28 pairs in runs of 16: 862 us,
        // otherwise 936.)
        launch_ring<ring.ahead, ring.parts, ring.loading>(
            Work(problem, true), make_board<typename Problem::Accumulator>(memory.board, !way.cooperative), plan.blocks,
            "reduce_by_key_ring_kernel", stream);
    }
}

}  // namespace kogge::grid::KOGGE_CODE
