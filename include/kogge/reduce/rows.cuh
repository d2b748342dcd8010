// How a warp of a reduction reads items: rows of a piece per lane, several rows in flight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kogge/block/tile.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A lane's pieces of a warp's round. Where a round is not whole, its whole rows are followed by one that may have
/// fewer items, and stands in the last place: so no item of a whole row is asked for its index.
template <class In, class Item, int rows, int each>
struct FoldRows {
    static constexpr int kRows = rows;
    static constexpr int kPiece = each;
    static constexpr int kRowItems = simt::kWarpSize * kPiece;
    static constexpr int kWarpItems = rows * kRowItems;
    using Piece = block::RegisterPiece<Item, kPiece>;

    Piece pieces[std::size_t{rows}];

    /// Whether a piece at in[begin], and every kPiece items on, is loaded in one access.
    KOGGE_DEVICE static bool is_straight(const In& in, std::uint64_t begin) {
        if constexpr (std::is_pointer_v<In>) return kPiece == 1 || block::is_chunk_aligned(in + begin);
        else return false;
    }

    /// Loads a whole round; `first` is the index of the first item of the lane's piece of row 0.
    KOGGE_DEVICE void load(const In& in, std::uint64_t first, bool straight) {
        if (straight) {
            KOGGE_UNROLL
            for (int r = 0; r < rows; ++r) pieces[r] = straight_piece(in, first + offset(r));
        } else {
            KOGGE_UNROLL
            for (int r = 0; r < rows; ++r) pieces[r] = gathered_piece(in, first + offset(r), kPiece);
        }
        block::keep_packed<Item, kPiece, rows>(pieces);
    }
    /// Loads `whole` < kRows rows, and of the row behind them the lane's `size` items: if `all_or_none`, a straight
    /// piece or nothing.
    template <bool all_or_none>
    KOGGE_DEVICE void load_some(const In& in, std::uint64_t first, bool straight, int whole, int size) {
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) pieces[r] = Piece{};
        if (straight) {
            KOGGE_UNROLL
            for (int r = 0; r < rows - 1; ++r)
                if (r < whole) pieces[r] = straight_piece(in, first + offset(r));
        } else {
            KOGGE_UNROLL
            for (int r = 0; r < rows - 1; ++r)
                if (r < whole) pieces[r] = gathered_piece(in, first + offset(r), kPiece);
        }
        // Pieces of a few items are loaded item by item: beside others that are not, a lane would wait for theirs
        // first.
        const bool is_whole = all_or_none ? size > 0 : kPiece > 4 && straight && size == kPiece;
        if (is_whole) pieces[rows - 1] = straight_piece(in, first + offset(whole));
        else if (!all_or_none) pieces[rows - 1] = gathered_piece(in, first + offset(whole), size);
        block::keep_packed<Item, kPiece, rows>(pieces);
    }

    /// Item p of the piece of row r.
    KOGGE_DEVICE Item get(int r, int p) const { return pieces[r].get(p); }

private:
    KOGGE_DEVICE static std::uint64_t offset(int r) {
        return static_cast<std::uint64_t>(r) * static_cast<std::uint64_t>(kRowItems);
    }
    KOGGE_DEVICE static Piece straight_piece(const In& in, std::uint64_t first) {
        if constexpr (std::is_pointer_v<In>) return *reinterpret_cast<const Piece*>(in + first);
        else return {};
    }
    KOGGE_DEVICE static Piece gathered_piece(const In& in, std::uint64_t first, int size) {
        block::Piece<Item, kPiece> gathered{};
        KOGGE_UNROLL
        for (int p = 0; p < kPiece; ++p)
            if (p < size) gathered.item[p] = in[first + static_cast<std::uint64_t>(p)];
        Piece piece;
        std::memcpy(&piece, &gathered, sizeof(piece));
        return piece;
    }
};

}  // namespace kogge::grid::KOGGE_CODE
