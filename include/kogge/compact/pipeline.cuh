// Compaction and two-way partition as the work of a pipeline: a tile's aggregate is the number of its kept items. A
// warp decides about its slice when it reduces it. Once the carry is known, it packs the slice in place and stores each
// side as one contiguous run. Every item is read once, every result written once.
//
// Lanes take pieces side by side. Bytes that a predicate decides about are different: each lane takes contiguous items,
// and packs the kept ones in whole words (compact/warp_compact_bytes.cuh).
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/compact/predicate.cuh"
#include "kogge/compact/problem.cuh"
#include "kogge/compact/warp_compact.cuh"
#include "kogge/compact/warp_compact_bytes.cuh"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/pipeline.cuh"
#include "kogge/engine/tile_shape.hpp"
#include "kogge/engine/wave_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// Whether each lane takes contiguous items.
template <class Item, class Keep>
inline constexpr bool kCompactsSegments = false;
template <class Item, class Predicate>
inline constexpr bool kCompactsSegments<Item, ByPredicate<Predicate>> = sizeof(Item) == 1;

template <class Item_, class Keep, class In = const Item_*, class Out = Item_*>
struct CompactWork {
    using Item = Item_;
    using Acc = Tally;
    using Op = AddTallies;
    static constexpr int kItems = segment_items(sizeof(Item));
    static constexpr int kPiece = wave_piece_items(sizeof(Item));  ///< 16 bytes of items; a lane has kRows of them
    static constexpr int kRows = kItems / kPiece;
    static constexpr int kSliceItems = kItems * simt::kWarpSize;
    using Piece = block::RegisterPiece<Item, kPiece>;
    using Saved = KeptBits<kRows, kPiece>;
    static constexpr bool kSegments = kCompactsSegments<Item, Keep> && std::is_same_v<Out, Item*>;

    In in;
    Count n;
    Op op;
    Carry<Acc> start;
    CompactProblem<Item, Keep, In, Out> problem;

    /// The first item of this lane's piece of a row, in the slice.
    KOGGE_DEVICE static int place(int row) {
        if constexpr (kSegments) return simt::lane() * kItems + row * kPiece;
        else return (row * simt::kWarpSize + simt::lane()) * kPiece;
    }

    // A full slice has a code path of its own, without a bounds check per item.
    KOGGE_DEVICE Acc reduce(const Slice<Item>& own, Saved& saved) const {
        saved = {};
        if (own.count < kSliceItems) decide<false>(own, saved, problem.keep);
        else with_decision(problem.keep, [&](const auto& keep) { decide<true>(own, saved, keep); });
        return {saved.count_warp()};
    }

    template <bool full, class Decision>
    KOGGE_DEVICE static void decide(const Slice<Item>& own, Saved& saved, const Decision& keep) {
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r) {
            const int first = place(r);
            Piece piece;
            if (full || first < own.count) piece = *reinterpret_cast<const Piece*>(own.items + first);
            if constexpr (full && DecidesPieces<Decision>) {
                saved.set_piece(r, keep.sixteen(piece.word));
            } else {
                KOGGE_UNROLL
                for (int p = 0; p < kPiece; ++p)
                    if (full || first + p < own.count)
                        saved.set(r, p, keep(own.base + static_cast<std::uint64_t>(first + p), piece.get(p)));
            }
        }
    }

    KOGGE_DEVICE bool finish(const Slice<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const std::uint32_t kept = saved.count_warp();
        if (kept == 0 && !problem.rejected) return false;
        Piece pieces[kRows];
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r)
            if (place(r) < own.count) pieces[r] = *reinterpret_cast<const Piece*>(own.items + place(r));
        simt::sync_warp();  // the slice is in registers
        const std::uint64_t kept_before = carry.present ? carry.value.value : 0;
        const Out kept_run = problem.kept + kept_before;
        const Out rejected_run = problem.rejected ? problem.rejected_begin() + (own.base - kept_before)
                                                  : detail::no_output(problem.rejected);
        if constexpr (kSegments) store_sides_words(pieces, saved, kept, own.count, own.items, kept_run, rejected_run);
        else store_sides(pieces, saved, kept, own.count, own.items, kept_run, rejected_run);
        return false;
    }

    KOGGE_DEVICE void complete(const Carry<Acc>& all) const { *problem.total = all.present ? all.value.value : 0; }
};

}  // namespace kogge::grid::KOGGE_CODE
