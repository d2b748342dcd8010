// A reduction by key as the work of a pipeline. Values are on chip, and their heads are found when a slice is reduced,
// as in a scan by key. When it is finished, the folds of the runs that end in it are packed where its values stood, and
// stored as one contiguous run; then the positions of its heads, by which the keys are read again, out of the L2 cache.
// Global traffic: keys and values read once, keys and folds of runs written once.
#pragma once

#include <cstdint>

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

        KOGGE_DEVICE bool is_head(int i) const { return (heads >> i & 1u) != 0; }
        template <class Acc>
        KOGGE_DEVICE Acc get(const RingInput&, int i, const Item& item) const {
            return Acc::of(static_cast<Sum>(item), is_head(i));
        }
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
    using Saved = typename Base::Saved;
    using Base::kItems;
    static constexpr bool kGivesBackLate = false;  ///< no slice is read after it is finished
    /// Whether the positions of a slice's heads fit where its values stand.
    static constexpr bool kPacksPlaces = Base::kPlaceBytes >= sizeof(std::uint16_t);

    Problem problem;

    KOGGE_HOST_DEVICE ByKeyWork(const Problem& of, bool read_once) : Base(of, read_once), problem(of) {}

    KOGGE_DEVICE bool finish(const Slice<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const int lane = simt::lane(), size = block::segment_size<kItems>(own.count, lane);
        Item held[kItems];
        const auto hold = [&](int i, const Item& item) { held[i] = item; };
        block::visit_segment<kItems>(own.items + lane * kItems, size, hold);
        simt::sync_warp();  // all lanes hold their items
        Carry<Acc> running = carry;
        if (lane > 0 && size > 0) running = append(running, saved.before, this->op);
        const std::uint64_t before = carry.present ? carry.value.number() : 0;  // runs that begin before the slice
        const int first = running.present ? static_cast<int>(running.value.number() - before) : 0;
        const auto heads = static_cast<std::uint32_t>(saved.segment.heads & ((std::uint64_t{1} << size) - 1));
        const int all = static_cast<int>(simt::reduce_add(static_cast<std::uint32_t>(simt::count_bits(heads))));
        auto* const sums = reinterpret_cast<Sum*>(own.items);
        KOGGE_UNROLL
        for (int i = 0, rank = first; i < kItems; ++i) {
            if (i >= size) break;
            if (saved.segment.is_head(i)) {
                if constexpr (!kPacksPlaces)
                    problem.keys_out[before + static_cast<std::uint64_t>(rank)] =
                        this->input.heads.keys[own.base + static_cast<std::uint64_t>(lane * kItems + i)];
                if (running.present) sums[rank] = running.value.value;
                ++rank;
            }
            running = append(running, saved.segment.template get<Acc>(this->input, i, held[i]), this->op);
        }
        simt::sync_warp();  // the folds are packed
        for (int i = lane; i < all; i += simt::kWarpSize) {
            const std::uint64_t run = before + static_cast<std::uint64_t>(i);
            if (run > 0) problem.out[run - 1] = sums[i];
        }
        if constexpr (kPacksPlaces) {
            simt::sync_warp();  // the folds have left
            auto* const places = reinterpret_cast<std::uint16_t*>(own.items);
            std::uint16_t* next = places + first;
            KOGGE_UNROLL
            for (int i = 0; i < kItems; ++i)
                if ((heads >> i & 1u) != 0) *next++ = static_cast<std::uint16_t>(lane * kItems + i);
            simt::sync_warp();  // the positions are packed
            for (int i = lane; i < all; i += simt::kWarpSize)
                problem.keys_out[before + static_cast<std::uint64_t>(i)] = this->input.heads.keys[own.base + places[i]];
        }
        return false;
    }

    KOGGE_DEVICE void complete(const Carry<Acc>& all) const { problem.complete(all); }
};

template <class Problem>
void launch_by_key(const pipeline_scan& way, const Problem& problem, const scan_plan& plan, const ScanMemory& memory,
                   stream_t stream) {
    if (!way.cooperative) simt::fill(memory.board.ticket, 0, memory.board.zeroed, stream);
    if constexpr (fits_ring(Problem::kShape)) {
        using Work = ByKeyWork<Problem>;
        constexpr ring_shape ring = scan_ring(Problem::kShape);
        launch_ring<ring.ahead, ring.parts, ring.loading>(
            Work(problem, false), make_board<typename Problem::Accumulator>(memory.board, !way.cooperative),
            plan.blocks, "reduce_by_key_ring_kernel", stream);
    }
}

}  // namespace kogge::grid::KOGGE_CODE
