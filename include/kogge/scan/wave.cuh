// A scan by one wave. A lane folds its piece of each row; once its carry is known, it scans the pieces from their
// prefixes and stores each result at its item's index. (H200, 2^20 items of 64 bits, in a graph: 8.4 us. In two halves,
// so that one half's barrier overlaps the other half's loads or stores: 10.1 us.)
#pragma once

#include <cstdint>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/engine/wave.cuh"
#include "kogge/scan/heads.cuh"
#include "kogge/scan/scratch.hpp"

namespace kogge::grid::KOGGE_CODE {

/// Inputs with this many rows do not stay in the L2 cache anyhow.
template <int rows>
inline constexpr bool kReadsOnce = rows == 8;

/// The rows of a scan.
template <class In, class Item, int rows, int each, bool once = kReadsOnce<rows>>
struct ScanRows : WaveRows<In, Item, rows, once, each> {
    using Base = WaveRows<In, Item, rows, once, each>;
    struct Marks {};
    KOGGE_DEVICE ScanRows(const In& in, std::uint64_t tile, std::uint64_t n, Marks&)
        : ScanRows(in, Base::begin_of(tile), n) {}
    KOGGE_DEVICE ScanRows(const In& in, std::uint64_t begin, std::uint64_t n) : Base(in, begin, n) {}
};
/// The rows of values with heads: the values, one bit per item, and, if shifted, the value before each piece.
template <class In, class Sum, class Heads, bool shifted, class Item, int rows, int each, bool once>
struct ScanRows<detail::RunsInput<In, Sum, Heads, shifted>, Item, rows, each, once>
    : WaveRows<In, detail::item_of<In>, rows, false, each> {
    using Base = WaveRows<In, detail::item_of<In>, rows, false, each>;
    static constexpr bool kMarks = std::is_same_v<Heads, SegmentStarts>;
    struct NoMarks {};
    using Marks = std::conditional_t<kMarks, TileMarks<Base::kTileItems>, NoMarks>;
    std::uint32_t heads;
    Sum init;
    Sum before[std::size_t{shifted ? rows : 1}];

    KOGGE_DEVICE ScanRows(const detail::RunsInput<In, Sum, Heads, shifted>& in, std::uint64_t tile, std::uint64_t n,
                          Marks& marks)
        : Base(in.in, Base::begin_of(tile), n), init(in.init) {
        if constexpr (kMarks)
            heads = look_for_heads<rows, Base::kPiece>(
                mark_tile<kWaveThreads>(in.heads, tile * Base::kTileItems, marks), this->first, this->left);
        else heads = look_for_heads<rows, Base::kPiece>(in.heads, this->first, this->left);
        if constexpr (shifted) {
            KOGGE_UNROLL
            for (int r = 0; r < rows; ++r) {
                const std::uint64_t at = this->index(r, 0);
                before[r] = this->size(r) > 0 && at > 0 ? static_cast<Sum>(in.in[at - 1]) : in.init;
            }
        }
    }
    KOGGE_DEVICE Item get(int r, int p) const {
        const bool head = (heads >> (r * Base::kPiece + p) & 1u) != 0;
        if constexpr (shifted) return {head ? init : p > 0 ? static_cast<Sum>(Base::get(r, p - 1)) : before[r], head};
        else return {static_cast<Sum>(Base::get(r, p)), head};
    }
};

/// A piece is 16 bytes of the wider of items and results.
template <class Problem, int rows, bool once = kReadsOnce<rows>>
using ScanRowsOf =
    ScanRows<decltype(Problem::in), typename Problem::Item, rows, wave_piece_items(place_bytes(Problem::kShape)), once>;

template <class Problem, int rows>
struct ScanWaveShared : WaveShared<typename Problem::Accumulator> {
    using Rows = ScanRowsOf<Problem, rows>;
    typename Rows::Marks marks;
};

/// Scans a warp's rows, in two steps between which the carry becomes known. Warps whose rows are all whole, as in most
/// warps, take a code path without bounds checks, because instructions bound a large wave. That path is left out for a
/// single row, and for accumulators wider than 8 bytes, whose operators are long. (H200, 2^20 matrices of 16 bytes,
/// eight rows: 31 us with it, 26 without.)
template <class Problem, class Rows>
struct RowScan {
    using Acc = typename Problem::Accumulator;
    using Result = typename Problem::Result;
    static constexpr int rows = Rows::kRows, piece = Rows::kPiece;
    using Results = block::Piece<Result, piece>;
    static constexpr bool kReversed = detail::kIsReversed<decltype(Problem::out)>;
    static constexpr bool kInMemory = Problem::kStoresToMemory;
    static constexpr bool kWholeApart = rows > 1 && sizeof(Acc) <= 8;
    static constexpr int kTotals = kWholeApart ? 1 : rows;

    const Problem& problem;
    const Rows& items;
    Acc (&folds)[std::size_t{rows}];      ///< of each row, up to and including this lane's piece
    Acc (&totals)[std::size_t{kTotals}];  ///< of each row; unused if kWholeApart
    int count;                            ///< the warp's items

    /// Fills `folds` and returns the fold of all rows.
    KOGGE_DEVICE Carry<Acc> scan() const {
        if constexpr (kWholeApart)
            if (count == Rows::kWarpItems) return scan_rows<true>();
        return scan_rows<false>();
    }
    /// Stores the results, starting from the carry of the rows.
    KOGGE_DEVICE void store(const Carry<Acc>& carry) const {
        bool aligned = false;
        if constexpr (kInMemory) {
            const Result* origin;  // pieces follow each other from here, upwards or downwards
            if constexpr (kReversed) origin = problem.out.end();
            else origin = problem.out;
            aligned = reinterpret_cast<std::uintptr_t>(origin) % alignof(Results) == 0;
        }
        if constexpr (kWholeApart && kInMemory)
            if (aligned && count == Rows::kWarpItems) return store_rows<true>(carry, aligned);
        store_rows<false>(carry, aligned);
    }

private:
    /// How many lanes have items of row r; below, how many items this lane has.
    template <bool whole>
    KOGGE_DEVICE int lanes(int r) const {
        if constexpr (whole) return simt::kWarpSize;
        if constexpr (!kWholeApart) return simt::count_bits(simt::ballot(items.size(r) > 0));
        const int rest = count - r * Rows::kRowItems;
        return rest <= 0 ? 0 : rest < Rows::kRowItems ? (rest + piece - 1) / piece : simt::kWarpSize;
    }
    template <bool whole>
    KOGGE_DEVICE int size(int r) const {
        if constexpr (whole) return piece;
        return items.size(r);
    }

    /// The position of item p in its piece.
    KOGGE_DEVICE static constexpr int place(int p) { return kReversed ? piece - 1 - p : p; }

    template <bool whole>
    KOGGE_DEVICE Carry<Acc> scan_rows() const {
        int active[rows];
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            active[r] = lanes<whole>(r);
            Carry<Acc> fold{};
            KOGGE_UNROLL
            for (int p = 0; p < piece; ++p)
                if (p < size<whole>(r)) fold = append(fold, static_cast<Acc>(items.get(r, p)), problem.op);
            folds[r] = fold.value;
        }
        warp::scan_each(folds, active, problem.op);
        Carry<Acc> total{};
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            const Acc row = simt::shuffle(folds[r], active[r] > 0 ? active[r] - 1 : 0);
            if constexpr (!kWholeApart) totals[r] = row;
            if (active[r] > 0) total = append(total, row, problem.op);
        }
        return total;
    }
    template <bool whole>
    KOGGE_DEVICE void store_rows(Carry<Acc> carry, bool aligned) const {
        const int lane = simt::lane();
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            const int active = lanes<whole>(r);
            if (kWholeApart && active == 0) break;
            const Acc earlier_lanes = simt::shuffle_up(folds[r], 1);
            Carry<Acc> running = carry;
            if (lane > 0 && lane < active) running = append(running, earlier_lanes, problem.op);
            Results results;
            KOGGE_UNROLL
            for (int p = 0; p < piece; ++p) {
                if (p >= size<whole>(r)) break;
                const Acc before = running.value;
                running = append(running, static_cast<Acc>(items.get(r, p)), problem.op);
                results.item[place(p)] = static_cast<Result>(problem.inclusive ? running.value : before);
            }
            store_row<whole>(r, results, aligned);
            Acc row;
            if constexpr (kWholeApart) row = simt::shuffle(folds[r], active > 0 ? active - 1 : 0);
            else row = totals[r];
            if (active > 0) carry = append(carry, row, problem.op);
        }
    }
    /// Stores this lane's piece of a row.
    template <bool whole>
    KOGGE_DEVICE void store_row(int r, const Results& results, bool aligned) const {
        if constexpr (!kInMemory) {
            KOGGE_UNROLL
            for (int p = 0; p < piece; ++p)
                if (p < size<whole>(r)) problem.out[items.index(r, p)] = results.item[place(p)];
            return;
        } else {
            Result* target;  // the lowest place of the piece
            if constexpr (kReversed)
                target = problem.out.end() - static_cast<std::ptrdiff_t>(items.index(r, 0) + piece);
            else target = problem.out + items.index(r, 0);
            if (whole || (!kWholeApart && aligned && size<whole>(r) == piece)) {
                block::store_piece(target, results);
            } else {
                KOGGE_UNROLL
                for (int p = 0; p < piece; ++p)
                    if (p < size<whole>(r)) target[place(p)] = results.item[place(p)];
            }
        }
    }
};

/// The carry of a warp's items, whose fold is `total`. The first `warps` warps of the block have items. All threads of
/// the grid call, once.
template <class Problem, class Acc>
KOGGE_DEVICE Carry<Acc> carry_of_warp(const Problem& problem, const Acc& total, int warps, Acc* aggregates,
                                      WaveShared<Acc>& shared) {
    const int tile = static_cast<int>(simt::block_rank()), warp = simt::warp_rank(), lane = simt::lane();
    if (lane == 0) shared.totals[warp] = total;
    simt::sync_block();  // the warps' totals are written
    Acc earlier_warps = warp::inclusive_scan<kWaveWarps>(shared.totals[lane < warps ? lane : 0], warps, problem.op);
    if (warp == 0 && lane == warps - 1) aggregates[tile] = earlier_warps;
    earlier_warps = simt::shuffle(earlier_warps, warp > 0 ? warp - 1 : 0);
    sync_wave();  // all aggregates are written

    Carry<Acc> carry = problem.start;
    if (warps > 0 && tile > 0) {
        Acc earlier_tiles[1];
        fold_aggregates<1, Acc>(earlier_tiles, aggregates, {tile}, problem.op, shared);
        carry = append(carry, earlier_tiles[0], problem.op);
    }
    if (warp > 0 && warp < warps) carry = append(carry, earlier_warps, problem.op);
    return carry;
}

template <class Problem, int rows>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kWaveThreads, kWaveBlocks)
    scan_wave_kernel(Problem problem, typename Problem::Accumulator* aggregates) {
    simt::wait_for_stream();
    using Acc = typename Problem::Accumulator;
    using Shared = ScanWaveShared<Problem, rows>;
    using Rows = typename Shared::Rows;
    auto& shared = simt::shared_memory<Shared>();
    const std::uint64_t n = problem.n.get();
    const int tile = static_cast<int>(simt::block_rank());
    const Rows items(problem.in, tile, n, shared.marks);
    Acc folds[rows], totals[RowScan<Problem, Rows>::kTotals];
    const RowScan<Problem, Rows> scan{problem, items, folds, totals, Rows::count_from(Rows::begin_of(tile), n)};

    const Carry<Acc> total = scan.scan();
    const int warps = (Rows::count_of(tile, n) + Rows::kWarpItems - 1) / Rows::kWarpItems;
    scan.store(carry_of_warp(problem, total.value, warps, aggregates, shared));
}

template <class Problem, class Network>
void launch_way(const wave_scan& way, const Problem& problem, Network, const scan_plan& plan, const ScanMemory& memory,
                stream_t stream) {
    using Acc = typename Problem::Accumulator;
    with_wave_rows<most_scan_rows(Problem::kShape)>(way.rows, [&]<int rows>(std::integral_constant<int, rows>) {
        using Shared = ScanWaveShared<Problem, rows>;
        static_assert(sizeof(Shared) <= wave_table_bytes(sizeof(Acc)) + kWaveMarkBytes, "plans count on it");
        simt::launch(
            scan_wave_kernel<Problem, rows>,
            {plan.blocks, kWaveThreads, sizeof(Shared), stream, "scan_wave_kernel", way.cooperative, way.cluster},
            problem, static_cast<Acc*>(memory.sums[0]));
    });
}

}  // namespace kogge::grid::KOGGE_CODE
