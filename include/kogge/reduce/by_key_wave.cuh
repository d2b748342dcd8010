// A reduction by key by one wave: a lane folds its pieces as in the scan's wave; once its carry is known, it goes over
// them again. The folds of the runs that end in a row of a warp are packed on chip, and stored as one contiguous run;
// then the positions of the row's heads, by which the keys are read again.
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
    KOGGE_DEVICE auto value(int r, int p) const { return Base::get(r, p); }
    KOGGE_DEVICE Item get(int r, int p) const { return Item::of(static_cast<Sum>(value(r, p)), is_head(r, p)); }
};

template <class Problem, int rows>
struct ByKeyWaveShared : ScanWaveShared<Problem, rows> {
    using Sum = typename Problem::Result;
    using Rows = typename ScanWaveShared<Problem, rows>::Rows;
    static constexpr bool kPacksSums = sizeof(Sum) <= 16;  ///< wider ones fill what memory moves at a time
    static constexpr std::size_t kItemBytes = kPacksSums && sizeof(Sum) > sizeof(std::uint16_t) ? sizeof(Sum)
                                                                                                : sizeof(std::uint16_t);
    /// Where a warp packs a row's folds, and then its heads' positions.
    alignas(16) unsigned char packed[std::size_t{kWaveWarps}][Rows::kRowItems * kItemBytes];
};

/// Stores what ends in a warp's rows, whose carry is `carry`, row by row as in a pipeline; `folds` are those of each
/// row, up to this lane's piece.
template <class Problem, class Shared, class Acc>
KOGGE_DEVICE void store_run_sums(const Problem& problem, const typename Shared::Rows& items, const Acc* folds,
                                 Carry<Acc> carry, Shared& shared) {
    using Sum = typename Problem::Result;
    using Key = detail::item_of<decltype(problem.in.heads.keys)>;
    using Rows = typename Shared::Rows;
    constexpr int piece = Rows::kPiece, batch = piece % 4 == 0 ? 4 : piece, step = batch * simt::kWarpSize;
    const int lane = simt::lane();
    auto* const sums = reinterpret_cast<Sum*>(shared.packed[simt::warp_rank()]);
    auto* const places = reinterpret_cast<std::uint16_t*>(shared.packed[simt::warp_rank()]);
    KOGGE_UNROLL
    for (int r = 0; r < Rows::kRows; ++r) {
        const int size = items.size(r), active = simt::count_bits(simt::ballot(size > 0));
        const Acc earlier_lanes = simt::shuffle_up(folds[r], 1);
        const Acc row = simt::shuffle(folds[r], active > 0 ? active - 1 : 0);
        const int all = active > 0 ? static_cast<int>(row.runs[0]) : 0;  // heads
        if (all > 0) {
            const std::uint32_t heads = items.heads >> (r * piece) & ((1u << size) - 1);
            const std::uint32_t before = carry.present ? carry.value.runs[0] : 0;  // runs that begin before the row
            const bool follows = lane > 0 && size > 0;
            const int first = follows ? static_cast<int>(earlier_lanes.runs[0]) : 0;
            Sum running = carry.value.value;  // of no run, before the first item of all, which is a head
            if (follows)
                running = earlier_lanes.any() ? earlier_lanes.value
                                              : static_cast<Sum>(problem.op.op(running, earlier_lanes.value));
            Sum ended[piece] = {};  // where a run begins, the fold of the run before it
            KOGGE_UNROLL
            for (int p = 0; p < piece; ++p) {
                if (p >= size) break;
                const auto value = static_cast<Sum>(items.value(r, p));
                ended[p] = running;
                running = (heads >> p & 1u) != 0 ? value : static_cast<Sum>(problem.op.op(running, value));
            }
            simt::sync_warp();  // the previous row's positions have been read
            int rank = first;
            KOGGE_UNROLL
            for (int p = 0; p < piece; ++p)
                if ((heads >> p & 1u) != 0) {
                    const std::uint32_t run = before + static_cast<std::uint32_t>(rank);
                    if constexpr (Shared::kPacksSums) sums[rank] = ended[p];
                    else if (run > 0) problem.out[run - 1] = ended[p];
                    ++rank;
                }
            if constexpr (Shared::kPacksSums) {
                simt::sync_warp();  // the folds are packed
                KOGGE_NO_UNROLL
                for (int i = lane + (before > 0 ? 0 : 1); i < all; i += step) {
                    Sum* const out = problem.out + (before + static_cast<std::uint32_t>(i) - 1);
                    KOGGE_UNROLL
                    for (int u = 0; u < batch; ++u)
                        if (i + u * simt::kWarpSize < all) out[u * simt::kWarpSize] = sums[i + u * simt::kWarpSize];
                }
                simt::sync_warp();  // the folds have left
            }
            rank = first;
            KOGGE_UNROLL
            for (int p = 0; p < piece; ++p)
                if ((heads >> p & 1u) != 0) places[rank++] = static_cast<std::uint16_t>(lane * piece + p);
            simt::sync_warp();  // the positions are packed
            const std::uint64_t base = items.index(r, 0) - static_cast<std::uint64_t>(lane * piece);
            KOGGE_NO_UNROLL
            for (int i = lane; i < all; i += step) {
                Key keys[batch] = {};
                KOGGE_UNROLL
                for (int u = 0; u < batch; ++u)
                    if (i + u * simt::kWarpSize < all)
                        keys[u] = problem.in.heads.keys[base + places[i + u * simt::kWarpSize]];
                const std::uint64_t run = before + static_cast<std::uint64_t>(i);
                KOGGE_UNROLL
                for (int u = 0; u < batch; ++u)
                    if (i + u * simt::kWarpSize < all)
                        problem.keys_out[run + static_cast<std::uint64_t>(u * simt::kWarpSize)] = keys[u];
            }
        }
        if (active > 0) carry = append(carry, row, problem.op);
    }
}

template <class Problem, int rows>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kWaveThreads, kWaveBlocks)
    reduce_by_key_wave_kernel(Problem problem, typename Problem::Accumulator* aggregates) {
    simt::wait_for_stream();
    using Acc = typename Problem::Accumulator;
    using Shared = ByKeyWaveShared<Problem, rows>;
    using Rows = typename Shared::Rows;
    auto& shared = simt::shared_memory<Shared>();
    const std::uint64_t n = problem.n.get();
    const int tile = static_cast<int>(simt::block_rank());
    const Rows items(problem.in, static_cast<std::uint64_t>(tile), n, shared.marks);
    Acc folds[rows], totals[RowScan<Problem, Rows>::kTotals];
    const std::uint64_t begin = Rows::begin_of(static_cast<std::uint64_t>(tile));
    const RowScan<Problem, Rows> scan{problem, items, folds, totals, Rows::count_from(begin, n)};

    const Carry<Acc> total = scan.scan();
    const int warps = (Rows::count_of(static_cast<std::uint64_t>(tile), n) + Rows::kWarpItems - 1) / Rows::kWarpItems;
    const Carry<Acc> carry = carry_of_warp(problem, total.value, warps, aggregates, shared);
    store_run_sums(problem, items, folds, carry, shared);
    if (simt::lane() == 0 && scan.count > 0 && begin + static_cast<std::uint64_t>(scan.count) == n)
        problem.complete(append(carry, total.value, problem.op));
    if (n == 0 && tile == 0 && simt::thread_rank() == 0) problem.complete({});
}

template <class Problem>
void launch_by_key(const wave_scan& way, const Problem& problem, const scan_plan& plan, const ScanMemory& memory,
                   stream_t stream) {
    using Acc = typename Problem::Accumulator;
    with_wave_rows<most_scan_rows(Problem::kShape)>(way.rows, [&]<int rows>(std::integral_constant<int, rows>) {
        using Shared = ByKeyWaveShared<Problem, rows>;
        static_assert(sizeof(Shared) <= wave_table_bytes(sizeof(Acc)) + kWaveMarkBytes, "plans count on it");
        simt::launch(reduce_by_key_wave_kernel<Problem, rows>,
                     {plan.blocks, kWaveThreads, sizeof(Shared), stream, "reduce_by_key_wave_kernel", way.cooperative,
                      way.cluster},
                     problem, static_cast<Acc*>(memory.sums[0]));
    });
}

}  // namespace kogge::grid::KOGGE_CODE
