// A reduction by key by one wave: a lane folds its pieces as in the scan's wave; once its carry is known, it goes over
// them again, and stores a key and a fold wherever a run begins.
#pragma once

#include <cstdint>

#include "kogge/reduce/by_key_problem.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The rows of values with keys: the values, and one bit per item.
template <class Keys, class Values, class Sum, class Equal, bool wide, class Item, int rows, int each, bool once>
struct ScanRows<detail::KeyedItems<Keys, Values, Sum, Equal, wide>, Item, rows, each, once>
    : WaveRows<Values, typename detail::KeyedItems<Keys, Values, Sum, Equal, wide>::Value, rows, false, each> {
    using In = detail::KeyedItems<Keys, Values, Sum, Equal, wide>;
    using Base = WaveRows<Values, typename In::Value, rows, false, each>;
    struct Marks {};
    std::uint32_t heads;

    KOGGE_DEVICE ScanRows(const In& in, std::uint64_t tile, std::uint64_t n, Marks&)
        : Base(in.values, Base::begin_of(tile), n) {
        heads = look_for_heads<rows, Base::kPiece>(in.heads, this->first, this->left);
    }
    KOGGE_DEVICE bool is_head(int r, int p) const { return (heads >> (r * Base::kPiece + p) & 1u) != 0; }
    KOGGE_DEVICE Item get(int r, int p) const { return Item::of(static_cast<Sum>(Base::get(r, p)), is_head(r, p)); }
};

/// Stores what ends in a warp's rows, whose carry is `carry`; `folds` are those of each row, up to this lane's piece.
template <class Problem, class Rows, class Acc>
KOGGE_DEVICE void store_run_sums(const Problem& problem, const Rows& items, const Acc* folds, Carry<Acc> carry,
                                 std::uint64_t n) {
    const int lane = simt::lane();
    KOGGE_UNROLL
    for (int r = 0; r < Rows::kRows; ++r) {
        const int active = simt::count_bits(simt::ballot(items.size(r) > 0));
        const Acc earlier_lanes = simt::shuffle_up(folds[r], 1);
        Carry<Acc> running = carry;
        if (lane > 0 && lane < active) running = append(running, earlier_lanes, problem.op);
        KOGGE_UNROLL
        for (int p = 0; p < Rows::kPiece; ++p) {
            if (p >= items.size(r)) break;
            if (items.is_head(r, p))
                problem.begin(running.present ? running.value.number() : 0, items.index(r, p), running.value.value);
            running = append(running, items.get(r, p), problem.op);
            if (items.index(r, p) == n - 1) problem.complete(running);
        }
        const Acc row = simt::shuffle(folds[r], active > 0 ? active - 1 : 0);
        if (active > 0) carry = append(carry, row, problem.op);
    }
}

template <class Problem, int rows>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kWaveThreads, kWaveBlocks)
    reduce_by_key_wave_kernel(Problem problem, typename Problem::Accumulator* aggregates) {
    simt::wait_for_stream();
    using Acc = typename Problem::Accumulator;
    using Shared = ScanWaveShared<Problem, rows>;
    using Rows = typename Shared::Rows;
    auto& shared = simt::shared_memory<Shared>();
    const std::uint64_t n = problem.n.get();
    const int tile = static_cast<int>(simt::block_rank());
    const Rows items(problem.in, static_cast<std::uint64_t>(tile), n, shared.marks);
    Acc folds[rows], totals[RowScan<Problem, Rows>::kTotals];
    const RowScan<Problem, Rows> scan{problem, items, folds, totals,
                                      Rows::count_from(Rows::begin_of(static_cast<std::uint64_t>(tile)), n)};

    const Carry<Acc> total = scan.scan();
    const int warps = (Rows::count_of(static_cast<std::uint64_t>(tile), n) + Rows::kWarpItems - 1) / Rows::kWarpItems;
    const Carry<Acc> carry = carry_of_warp(problem, total.value, warps, aggregates, shared);
    store_run_sums(problem, items, folds, carry, n);
    if (n == 0 && tile == 0 && simt::thread_rank() == 0) problem.complete({});
}

template <class Problem>
void launch_by_key(const wave_scan& way, const Problem& problem, const scan_plan& plan, const ScanMemory& memory,
                   stream_t stream) {
    using Acc = typename Problem::Accumulator;
    with_wave_rows<most_scan_rows(Problem::kShape)>(way.rows, [&]<int rows>(std::integral_constant<int, rows>) {
        using Shared = ScanWaveShared<Problem, rows>;
        static_assert(sizeof(Shared) <= wave_table_bytes(sizeof(Acc)) + kWaveMarkBytes, "plans count on it");
        simt::launch(reduce_by_key_wave_kernel<Problem, rows>,
                     {plan.blocks, kWaveThreads, sizeof(Shared), stream, "reduce_by_key_wave_kernel", way.cooperative,
                      way.cluster},
                     problem, static_cast<Acc*>(memory.sums[0]));
    });
}

}  // namespace kogge::grid::KOGGE_CODE
