// Indices of the items of an array that a predicate keeps, as the work of a pipeline whose tiles hold the array's
// items. A warp decides about its slice when it reduces it; once it has its carry, it lists the kept places on chip, in
// the items' place, and its lanes write the indices side by side. Every item is read once, by bulk copies where the
// array is aligned for them, and every index is written once.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/compact/problem.cuh"
#include "kogge/compact/warp_compact.cuh"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/pipeline.cuh"
#include "kogge/engine/tile_shape.hpp"
#include "kogge/engine/wave_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// What decides by the items of an array alone: the array, and the decision about an item.
template <class Keep>
struct StencilOf {
    static constexpr std::size_t kBytes = 0;  ///< not by such an array
};
template <class Stencil, class Predicate>
struct StencilOf<ByStencil<Stencil, Predicate>> {
    using Item = Stencil;
    static constexpr std::size_t kBytes = sizeof(Stencil);
    KOGGE_HOST_DEVICE static const Item* array(const ByStencil<Stencil, Predicate>& keep) { return keep.stencil; }
    KOGGE_DEVICE static bool keeps(const ByStencil<Stencil, Predicate>& keep, const Item& item) {
        return static_cast<bool>(keep.predicate(detail::view(item)));
    }
};
template <class Word>
struct StencilOf<ByNonzero<Word>> {
    using Item = Word;
    static constexpr std::size_t kBytes = sizeof(Word);
    KOGGE_HOST_DEVICE static const Item* array(const ByNonzero<Word>& keep) { return keep.numbers; }
    KOGGE_DEVICE static bool keeps(const ByNonzero<Word>& keep, const Item& item) {
        return (item & keep.counted) != Word{0};
    }
};

/// Whether the indices of kept items are found so. The plan is that of the indices: tiles of the array's items are not
/// smaller than theirs. Bytes are read as flags (compact/sparse_pipeline.cuh).
template <class Keep, class In>
inline constexpr bool kReadsStencil = false;
template <class Keep, class Index>
inline constexpr bool kReadsStencil<Keep, detail::Positions<Index>> = (StencilOf<Keep>::kBytes == 2 ||
                                                                       StencilOf<Keep>::kBytes == 4 ||
                                                                       StencilOf<Keep>::kBytes == 8) &&
                                                                      StencilOf<Keep>::kBytes <= sizeof(Index);

template <class Index, class Keep, class Out>
struct StencilWork {
    using Stencil = StencilOf<Keep>;
    using Item = typename Stencil::Item;
    using Acc = Tally;
    using Op = AddTallies;
    static constexpr int kItems = segment_items(sizeof(Item));
    static constexpr int kPiece = wave_piece_items(sizeof(Item));  ///< 16 bytes of items; a lane has kRows of them
    static constexpr int kRows = kItems / kPiece;
    static constexpr int kSliceItems = kItems * simt::kWarpSize;
    static_assert(kSliceItems <= 1 << 16 && sizeof(Item) >= sizeof(std::uint16_t), "the list of places fits the slice");
    using Piece = block::RegisterPiece<Item, kPiece>;
    using Saved = KeptBits<kRows, kPiece>;
    using Problem = CompactProblem<Index, Keep, detail::Positions<Index>, Out>;

    const Item* in;
    Count n;
    Op op;
    Carry<Acc> start;
    Problem problem;

    KOGGE_HOST_DEVICE explicit StencilWork(const Problem& all)
        : in(Stencil::array(all.keep)), n(all.n), op{}, start{}, problem(all) {}

    /// The first item of this lane's piece of a row, in the slice.
    KOGGE_DEVICE static int place(int row) { return (row * simt::kWarpSize + simt::lane()) * kPiece; }

    // A full slice has a code path of its own, without a bounds check per item.
    KOGGE_DEVICE Acc reduce(const Slice<Item>& own, Saved& saved) const {
        saved = {};
        if (own.count < kSliceItems) decide<false>(own, saved);
        else decide<true>(own, saved);
        return {saved.count_warp()};
    }

    KOGGE_DEVICE bool finish(const Slice<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const std::uint32_t kept = saved.count_warp();
        if (kept == 0) return false;
        std::uint32_t before[kRows];
        rank_kept(saved, before);
        auto* const list = reinterpret_cast<std::uint16_t*>(own.items);
        simt::sync_warp();  // all lanes have decided about their items
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r) {
            std::uint16_t* next = list + before[r];
            for (std::uint32_t bits = saved.piece(r); bits != 0; bits &= bits - 1)
                *next++ = static_cast<std::uint16_t>(place(r) + simt::lowest_bit(bits));
        }
        simt::sync_warp();  // the list is written
        const Out to = problem.kept + (carry.present ? carry.value.value : 0);
        for (std::uint32_t i = static_cast<std::uint32_t>(simt::lane()); i < kept; i += simt::kWarpSize)
            detail::put_item(to, i, static_cast<Index>(own.base + list[i]));
        return false;
    }

    KOGGE_DEVICE void complete(const Carry<Acc>& all) const { *problem.total = all.present ? all.value.value : 0; }

private:
    template <bool full>
    KOGGE_DEVICE void decide(const Slice<Item>& own, Saved& saved) const {
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r) {
            const int first = place(r);
            Piece piece;
            if (full || first < own.count) piece = *reinterpret_cast<const Piece*>(own.items + first);
            KOGGE_UNROLL
            for (int p = 0; p < kPiece; ++p)
                if (full || first + p < own.count) saved.set(r, p, Stencil::keeps(problem.keep, piece.get(p)));
        }
    }
};

}  // namespace kogge::grid::KOGGE_CODE
