// How a warp, and a block, fold items of an interval in order.
//
// A warp reads rows of up to 16 bytes per lane, several rows in flight. Where operands may change places, each lane
// keeps one fold of all its pieces, and the lanes' folds meet once, at the end of the interval. Otherwise the folds of
// a row's pieces are folded in the order of lanes, and the rows' folds one after the other. In either case the
// association depends on the interval's length, the types and the operator alone, not on alignment; where it does not
// matter, whole pieces begin at the first aligned one, and the few items before and behind them go to a lane each.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/detail/reductions.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/engine/tile_shape.hpp"
#include "kogge/engine/wave_shape.hpp"
#include "kogge/reduce/rows.cuh"
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
    static constexpr bool kPicks = detail::picks_item<Op_, View_>;
    static constexpr int kPiece = reduce_piece(sizeof(Item), std::is_pointer_v<In>);
    using Rows =
        FoldRows<In, Item, reduce_rows(kPicks ? reduce_shape{sizeof(Item), sizeof(Item)} : kShape, kCommutes), kPiece>;
    /// Whether whole pieces of any interval may be aligned ones.
    static constexpr bool kAligns = std::is_pointer_v<In> && kPiece > 1 &&
                                    alignof(Item) == sizeof(Item) && detail::is_exact<Op_, Acc>;

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

/// The same of items and their indices. The item is found alone; several lanes may have one that is as good.
template <bool greatest, class T>
KOGGE_DEVICE Carry<detail::Indexed<T>> fold_lanes_of(const detail::Indexed<T>& value, int active,
                                                     detail::FirstExtreme<greatest> op) {
    if (active == 0) return {value, false};
    const bool is_active = simt::lane() < active;
    T item = value.item;
    if (active < simt::kWarpSize) item = simt::shuffle(item, is_active ? simt::lane() : 0);
    KOGGE_UNROLL
    for (int lanes = simt::kWarpSize / 2; lanes > 0; lanes /= 2) {
        const T other = simt::shuffle_xor(item, lanes);
        item = op.precedes(other, item) ? other : item;
    }
    const bool is_as_good = is_active && !op.precedes(item, value.item);
    simt::mask_t holders = simt::ballot(is_as_good);
    if ((holders & (holders - 1)) != 0) {
        std::uint64_t index = is_as_good ? value.index : detail::kNoIndex;
        KOGGE_UNROLL
        for (int lanes = simt::kWarpSize / 2; lanes > 0; lanes /= 2) {
            const std::uint64_t other = simt::shuffle_xor(index, lanes);
            index = other < index ? other : index;
        }
        holders = simt::ballot(is_as_good && value.index == index);
    }
    return {simt::shuffle(value, simt::lowest_bit(holders)), true};
}

/// A lane's fold of items that it meets in order, where operands may change places.
template <class Problem, bool picks = Problem::kPicks>
class LaneFold {
public:
    using Acc = typename Problem::Accumulator;
    using Rows = typename Problem::Rows;

    /// Adds the first `size` items of the piece of row r. It begins `place` items behind the lane's first of the round,
    /// whose index is `first`.
    KOGGE_DEVICE void add(const Problem& problem, const Rows& rows, int r, std::uint64_t first, int place, int size) {
        KOGGE_UNROLL
        for (int p = 0; p < Rows::kPiece; ++p)
            if (p < size)
                fold_ = append(fold_, problem.view(first + static_cast<std::uint64_t>(place + p), rows.get(r, p)),
                               problem.op);
    }
    KOGGE_DEVICE void end_round(std::uint64_t) {}
    KOGGE_DEVICE Carry<Acc> result(const Problem&) const { return fold_; }

private:
    Carry<Acc> fold_{};
};

/// Of an operator that picks an item: within a round, its place is a small number.
template <class Problem>
class LaneFold<Problem, true> {
public:
    using Acc = typename Problem::Accumulator;
    using Rows = typename Problem::Rows;

    KOGGE_DEVICE void add(const Problem& problem, const Rows& rows, int r, std::uint64_t, int place, int size) {
        if (size == Rows::kPiece) {
            take(problem, pick<Rows::kPiece>(problem, rows, r, 0, place));
        } else {
            KOGGE_UNROLL
            for (int p = 0; p < Rows::kPiece; ++p)
                if (p < size) take(problem, {rows.get(r, p), place + p});
        }
    }
    KOGGE_DEVICE void end_round(std::uint64_t first) {
        if (held_.place >= 0) index_ = first + static_cast<std::uint64_t>(held_.place);
        held_.place = -1;
    }
    KOGGE_DEVICE Carry<Acc> result(const Problem& problem) const {
        return {problem.view(index_, static_cast<Item>(held_.item)), present_};
    }

private:
    using Item = typename Problem::Item;
    /// Small integers are compared as ints, and held so.
    using Held = std::conditional_t<std::is_integral_v<Item> && sizeof(Item) < sizeof(int), int, Item>;
    struct Place {
        Held item;
        int place;  ///< of an item of this round; negative for one of an earlier round
    };
    KOGGE_DEVICE static Place of_two(const Problem& problem, const Place& earlier, const Place& later) {
        const bool is_later = problem.op.picks(earlier.item, later.item);
        return {is_later ? later.item : earlier.item, is_later ? later.place : earlier.place};
    }
    /// Of items [p, p + count) of a piece: as a tree, so that few comparisons wait for others.
    template <int count>
    KOGGE_DEVICE static Place pick(const Problem& problem, const Rows& rows, int r, int p, int place) {
        if constexpr (count == 1) return {rows.get(r, p), place + p};
        else
            return of_two(problem, pick<count / 2>(problem, rows, r, p, place),
                          pick<count / 2>(problem, rows, r, p + count / 2, place));
    }
    KOGGE_DEVICE void take(const Problem& problem, const Place& later) {
        held_ = present_ ? of_two(problem, held_, later) : later;
        present_ = true;
    }

    Place held_{{}, -1};
    std::uint64_t index_ = 0;  ///< of the item held, once a round is over
    bool present_ = false;
};

/// The rounds of an interval that a warp takes: all, or of each `step`, a power of two, the first but `skipped`.
struct AllRounds {
    static constexpr std::uint32_t skipped = 0, step = 1;
};
struct SomeRounds {
    std::uint32_t skipped, step;
};

/// Folds items [begin, end), with the lanes of one warp.
template <class Problem>
class WarpFold {
public:
    using Acc = typename Problem::Accumulator;
    using Rows = typename Problem::Rows;

    KOGGE_DEVICE explicit WarpFold(const Problem& problem) : problem_(problem) {}

    /// The fold, in every lane. All lanes call. Warps may share an interval where operands may change places.
    template <class Rounds = AllRounds>
    KOGGE_DEVICE Carry<Acc> run(std::uint64_t begin, std::uint64_t end, Rounds taken = {}) {
        if constexpr (!Problem::kCommutes) {
            Carry<Acc> total{};
            run_rounds(begin, end, taken, total);
            return total;
        } else if constexpr (Problem::kAligns) {
            const Edges edges(problem_.in, begin, end);
            LaneFold<Problem> fold;
            run_rounds(begin + edges.before, end - edges.behind, taken, fold);
            Carry<Acc> total = fold.result(problem_);
            if (edges.holds() && taken.skipped == 0)
                total = append(total, problem_.view(edges.index, edges.item), problem_.op);
            return meet(total);
        } else {
            LaneFold<Problem> fold;
            run_rounds(begin, end, taken, fold);
            return meet(fold.result(problem_));
        }
    }

private:
    using Item = typename Problem::Item;

    /// The items before the first aligned piece and behind the last one. The first lanes load one each.
    struct Edges {
        std::uint32_t before, behind;
        std::uint64_t index;
        Item item{};

        template <class In>
        KOGGE_DEVICE Edges(const In& in, std::uint64_t begin, std::uint64_t end) {
            constexpr std::uint64_t piece = Rows::kPiece;
            const std::uint64_t past = reinterpret_cast<std::uintptr_t>(in + begin) / sizeof(Item) % piece;
            const std::uint64_t to_piece = (piece - past) % piece, length = end - begin;
            before = static_cast<std::uint32_t>(to_piece < length ? to_piece : length);
            behind = static_cast<std::uint32_t>((length - before) % piece);
            const auto lane = static_cast<std::uint32_t>(simt::lane());
            index = lane < before ? begin + lane : end - (before + behind) + lane;
            if (holds()) item = in[index];
        }
        KOGGE_DEVICE bool holds() const { return static_cast<std::uint32_t>(simt::lane()) < before + behind; }
    };

    /// The number, which the compiler would otherwise compose anew, in many more instructions, where a loop begins.
    KOGGE_DEVICE static std::uint64_t as_it_is(std::uint64_t number) {
        const std::uint32_t low = simt::kept_together(static_cast<std::uint32_t>(number));
        return std::uint64_t{simt::kept_together(static_cast<std::uint32_t>(number >> 32))} << 32 | low;
    }

    /// The fold of the lanes' folds; lanes have items from the first lane on.
    KOGGE_DEVICE Carry<Acc> meet(const Carry<Acc>& of_lane) const {
        return fold_lanes_of(of_lane.value, simt::count_bits(simt::ballot(of_lane.present)), problem_.op);
    }

    template <class Rounds, class Fold>
    KOGGE_DEVICE void run_rounds(std::uint64_t begin, std::uint64_t end, Rounds taken, Fold& fold) const {
        // An array is read from the interval's first item on, wherever that stands.
        const bool straight = Problem::kAligns || Rows::is_straight(problem_.in, begin);
        const int lane_first = simt::lane() * Rows::kPiece;
        constexpr std::uint64_t round = Rows::kWarpItems;
        const std::uint64_t rounds = (end - begin) / round;
        std::uint64_t first = as_it_is(begin + static_cast<std::uint64_t>(lane_first) + taken.skipped * round);
        Rows rows;
        for (std::uint64_t at = taken.skipped; at < rounds; at += taken.step) {
            rows.load(problem_.in, first, straight);
            add_round(rows, first, fold);
            first += taken.step * round;
        }
        const int count = static_cast<int>((end - begin) % round);
        if (count == 0 || (rounds & (taken.step - 1)) != taken.skipped) return;
        const int whole = count / Rows::kRowItems, rest = count % Rows::kRowItems - lane_first;
        const int size = rest <= 0 ? 0 : Problem::kAligns || rest > Rows::kPiece ? Rows::kPiece : rest;
        rows.template load_some<Problem::kAligns>(problem_.in, first, straight, whole, size);
        add_some(rows, first, whole, size, fold);
    }

    // Where operands may change places.
    KOGGE_DEVICE void add_round(const Rows& rows, std::uint64_t first, LaneFold<Problem>& fold) const {
        KOGGE_UNROLL
        for (int r = 0; r < Rows::kRows; ++r) fold.add(problem_, rows, r, first, r * Rows::kRowItems, Rows::kPiece);
        fold.end_round(first);
    }
    KOGGE_DEVICE void add_some(const Rows& rows, std::uint64_t first, int whole, int size,
                               LaneFold<Problem>& fold) const {
        KOGGE_UNROLL
        for (int r = 0; r < Rows::kRows - 1; ++r) {
            if (r >= whole) break;
            fold.add(problem_, rows, r, first, r * Rows::kRowItems, Rows::kPiece);
        }
        const int place = whole * Rows::kRowItems;
        if constexpr (Problem::kAligns) {
            if (size > 0) fold.add(problem_, rows, Rows::kRows - 1, first, place, Rows::kPiece);
        } else {
            fold.add(problem_, rows, Rows::kRows - 1, first, place, size);
        }
        fold.end_round(first);
    }

    // Where order counts.
    KOGGE_DEVICE void add_round(const Rows& rows, std::uint64_t first, Carry<Acc>& total) const {
        Acc folds[Rows::kRows];
        int active[Rows::kRows];
        KOGGE_UNROLL
        for (int r = 0; r < Rows::kRows; ++r) {
            folds[r] = fold_piece(rows, r, first, r * Rows::kRowItems, Rows::kPiece);
            active[r] = simt::kWarpSize;
        }
        append_rows(folds, active, total);
    }
    KOGGE_DEVICE void add_some(const Rows& rows, std::uint64_t first, int whole, int size, Carry<Acc>& total) const {
        Acc folds[Rows::kRows] = {};
        int active[Rows::kRows];
        KOGGE_UNROLL
        for (int r = 0; r < Rows::kRows - 1; ++r) {
            if (r < whole) folds[r] = fold_piece(rows, r, first, r * Rows::kRowItems, Rows::kPiece);
            active[r] = r < whole ? simt::kWarpSize : 0;
        }
        constexpr int last = Rows::kRows - 1;
        folds[last] = fold_piece(rows, last, first, whole * Rows::kRowItems, size);
        active[last] = simt::count_bits(simt::ballot(size > 0));
        append_rows(folds, active, total);
    }
    KOGGE_DEVICE void append_rows(c_array<Acc, Rows::kRows>& folds, const c_array<int, Rows::kRows>& active,
                                  Carry<Acc>& total) const {
        warp::fold_each(folds, active, problem_.op);
        KOGGE_UNROLL
        for (int r = 0; r < Rows::kRows; ++r)
            if (active[r] > 0) total = append(total, folds[r], problem_.op);
    }
    KOGGE_DEVICE Acc fold_piece(const Rows& rows, int r, std::uint64_t first, int place, int size) const {
        Carry<Acc> fold{};
        KOGGE_UNROLL
        for (int p = 0; p < Rows::kPiece; ++p)
            if (p < size)
                fold = append(fold, problem_.view(first + static_cast<std::uint64_t>(place + p), rows.get(r, p)),
                              problem_.op);
        return fold.value;
    }

    const Problem& problem_;
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
KOGGE_HOST_DEVICE std::uint64_t share_items(std::uint64_t n, std::uint64_t shares) {
    constexpr std::uint64_t row = Rows::kRowItems, round = Rows::kWarpItems;
    const std::uint64_t each = divide_up(n, shares);
    return each > 4 * round ? divide_up(each, round) * round : divide_up(each, row) * row;
}

/// Folds items [begin, end), or the first of them, with all warps of a block, a share per warp. All threads call; the
/// fold is in every one.
template <class Problem>
KOGGE_DEVICE auto fold_block(const Problem& problem, std::uint64_t begin, std::uint64_t end, std::uint64_t share,
                             ReduceShared<typename Problem::Accumulator>& shared) {
    const std::uint64_t first = begin + share * static_cast<std::uint64_t>(simt::warp_rank());
    const std::uint64_t from = first < end ? first : end, to = end - from < share ? end : from + share;
    return fold_warps(WarpFold<Problem>(problem).run(from, to), problem.op, shared);
}

}  // namespace kogge::grid::KOGGE_CODE
