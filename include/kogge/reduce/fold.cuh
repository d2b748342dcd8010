// How a warp, and a block, fold items of an interval in order.
//
// A warp reads rows of up to 16 bytes per lane, several rows in flight. Where operands may change places, each lane
// keeps one fold of all its pieces, and the lanes' folds meet once, at the end of the interval. Otherwise the folds of
// a row's pieces are folded in the order of lanes, and the rows' folds one after the other. In either case the
// association depends on the interval's length, the types and the operator alone, not on alignment.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/detail/reductions.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/engine/wave.cuh"
#include "kogge/reduce/shape.hpp"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

/// What is folded, and how. `View` says what an item counts as.
template <class In_, class Acc, class Op_, class View_>
struct Foldable {
    using In = In_;
    using Item = std::remove_cvref_t<decltype(std::declval<const In&>()[std::uint64_t{}])>;
    using Accumulator = Acc;
    static constexpr reduce_shape kShape{sizeof(Item), sizeof(Acc)};
    static constexpr bool kCommutes = detail::commutes<Op_, Acc>;
    using Rows =
        WaveRows<In, Item, reduce_rows(kShape, kCommutes), false, reduce_piece(sizeof(Item), std::is_pointer_v<In>)>;

    In in;
    Op_ op;
    View_ view;
};

/// The fold of the first `active` lanes' values, in every lane.
template <class Acc, class Op>
KOGGE_DEVICE Carry<Acc> fold_lanes_of(const Acc& value, int active, Op op) {
    Acc values[1] = {value};
    const int all[1] = {active};
    warp::fold_each<1>(values, all, op);
    return {values[0], active > 0};
}

/// Folds items [begin, end), with the lanes of one warp.
template <class Problem>
class WarpFold {
public:
    using Acc = typename Problem::Accumulator;
    using Rows = typename Problem::Rows;

    KOGGE_DEVICE explicit WarpFold(const Problem& problem) : problem_(problem) {}

    /// The fold, in every lane. All lanes call.
    KOGGE_DEVICE Carry<Acc> run(std::uint64_t begin, std::uint64_t end) {
        total_ = {};
        for (std::uint64_t at = begin; at < end; at += Rows::kWarpItems) {
            const Rows rows = rows_from(at, end);
            const int count = Rows::count_from(at, end);
            if (count == Rows::kWarpItems) add<true>(rows, count);
            else add<false>(rows, count);
        }
        if constexpr (!Problem::kCommutes) return total_;
        // Lanes have items from the first lane on.
        return fold_lanes_of(total_.value, simt::count_bits(simt::ballot(total_.present)), problem_.op);
    }

private:
    /// An array is read from the interval's first item on, wherever that stands: rows look whether it is aligned.
    KOGGE_DEVICE Rows rows_from(std::uint64_t at, std::uint64_t end) {
        if constexpr (std::is_pointer_v<typename Problem::In>) {
            base_ = at;
            return Rows(problem_.in + at, 0, end - at);
        } else {
            return Rows(problem_.in, at, end);
        }
    }

    template <bool whole>
    KOGGE_DEVICE void add(const Rows& rows, int count) {
        if constexpr (Problem::kCommutes) {
            KOGGE_UNROLL
            for (int r = 0; r < Rows::kRows; ++r) total_ = fold_piece<whole>(rows, r, total_);
        } else {
            Acc folds[Rows::kRows];
            int active[Rows::kRows];
            KOGGE_UNROLL
            for (int r = 0; r < Rows::kRows; ++r) {
                folds[r] = fold_piece<whole>(rows, r, {}).value;
                active[r] = lanes<whole>(r, count);
            }
            warp::fold_each(folds, active, problem_.op);
            KOGGE_UNROLL
            for (int r = 0; r < Rows::kRows; ++r)
                if (active[r] > 0) total_ = append(total_, folds[r], problem_.op);
        }
    }
    /// How many lanes have items of row r, where the warp has `count`.
    template <bool whole>
    KOGGE_DEVICE static int lanes(int r, int count) {
        if constexpr (whole) return simt::kWarpSize;
        const int rest = count - r * Rows::kRowItems;
        return rest <= 0 ? 0 : rest < Rows::kRowItems ? (rest + Rows::kPiece - 1) / Rows::kPiece : simt::kWarpSize;
    }
    template <bool whole>
    KOGGE_DEVICE Carry<Acc> fold_piece(const Rows& rows, int r, Carry<Acc> fold) const {
        KOGGE_UNROLL
        for (int p = 0; p < Rows::kPiece; ++p)
            if (whole || p < rows.size(r))
                fold = append(fold, problem_.view(base_ + rows.index(r, p), rows.get(r, p)), problem_.op);
        return fold;
    }

    const Problem& problem_;
    Carry<Acc> total_{};
    std::uint64_t base_ = 0;  ///< that the rows' indices count from
};

/// Shared memory through which a block's warps meet.
template <class Acc>
struct ReduceShared {
    Carry<Acc> totals[kReduceWarps];
    std::uint32_t is_last;
};

/// The fold of the warps' totals, in every thread. All threads of the block call; a barrier stands between two calls.
template <class Acc, class Op>
KOGGE_DEVICE Carry<Acc> fold_warps(const Carry<Acc>& own, Op op, ReduceShared<Acc>& shared) {
    const int lane = simt::lane();
    if (lane == 0) shared.totals[simt::warp_rank()] = own;
    simt::sync_block();  // the warps' totals are written
    const Carry<Acc> total = shared.totals[lane < kReduceWarps ? lane : 0];
    // Warps have items from the first warp on.
    return fold_lanes_of(total.value, simt::count_bits(simt::ballot(lane < kReduceWarps && total.present)), op);
}

/// Items per share where n items are cut in `shares` shares of whole rows, and if they are long, of whole rounds.
template <class Rows>
KOGGE_DEVICE std::uint64_t share_items(std::uint64_t n, std::uint64_t shares) {
    constexpr std::uint64_t row = Rows::kRowItems, round = Rows::kWarpItems;
    const std::uint64_t each = divide_up(n, shares);
    return each > 4 * round ? divide_up(each, round) * round : divide_up(each, row) * row;
}

/// Folds items [begin, end) with all warps of a block, each its own share. All threads call; the fold is in every one.
template <class Problem>
KOGGE_DEVICE auto fold_block(const Problem& problem, std::uint64_t begin, std::uint64_t end, std::uint64_t share,
                             ReduceShared<typename Problem::Accumulator>& shared) {
    const std::uint64_t first = begin + share * static_cast<std::uint64_t>(simt::warp_rank());
    const std::uint64_t from = first < end ? first : end, to = end - from < share ? end : from + share;
    return fold_warps(WarpFold<Problem>(problem).run(from, to), problem.op, shared);
}

}  // namespace kogge::grid::KOGGE_CODE
