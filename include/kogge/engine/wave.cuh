// A grid whose blocks hold the whole input on chip at once, one tile per block: the on-chip reduce-then-scan for inputs
// that fit the registers. Every block writes its tile's aggregate, waits at one grid barrier, and folds the aggregates
// that it needs. One launch; nothing is cleared before it, and no block polls. Few blocks form one cluster; more are a
// cooperative launch.
//
// A warp holds rows of 16 bytes per lane, or of fewer beside wider arrays. Items are ordered row by row within a warp,
// and warp by warp within a tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kogge/block/tile.cuh"
#include "kogge/detail/reversed.hpp"
#include "kogge/engine/wave_shape.hpp"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

inline constexpr int kWaveWarps = kWaveThreads / simt::kWarpSize;
static_assert(kMostWaveTiles <= kWaveThreads, "a thread an aggregate");

/// The number of items from index `begin` to `n`, at most `most`.
KOGGE_DEVICE int items_from(std::uint64_t begin, std::uint64_t n, int most) {
    return n <= begin ? 0 : n - begin < static_cast<std::uint64_t>(most) ? static_cast<int>(n - begin) : most;
}

/// A lane's pieces of a warp's rows, one per row. `once`: whole rows are evicted from the L2 cache before the output
/// is.
template <class In, class Item, int rows, bool once = false, int each = wave_piece_items(sizeof(Item))>
struct WaveRows {
    static constexpr int kRows = rows;
    static constexpr int kPiece = each;
    static constexpr int kRowItems = simt::kWarpSize * kPiece;
    static constexpr int kWarpItems = rows * kRowItems;
    static constexpr int kTileItems = kWaveWarps * kWarpItems;
    static constexpr bool kFromEnd = detail::kReversedPointer<In>;  ///< a piece is held in memory order
    static constexpr bool kStraight = std::is_pointer_v<In> || kFromEnd;
    using Piece = block::RegisterPiece<Item, kPiece>;

    Piece pieces[std::size_t{rows}];
    std::uint64_t first;  ///< index of the first item of the piece of row 0
    int left;             ///< items from `first` to the end of the input, at most kWarpItems

    /// `begin`: index of the warp's first item.
    KOGGE_DEVICE WaveRows(const In& in, std::uint64_t begin, std::uint64_t n) {
        first = begin + static_cast<std::uint64_t>(simt::lane() * kPiece);
        left = items_from(first, n, kWarpItems);
        bool straight = false;
        const Item* origin = nullptr;  // pieces follow each other from here, upwards or downwards
        if constexpr (kFromEnd) origin = in.end();
        else if constexpr (kStraight) origin = in;
        if constexpr (kStraight) straight = block::is_chunk_aligned(origin);
        if (straight && size(rows - 1) == kPiece) {  // then no load waits for a decision
            if constexpr (kStraight) {
                KOGGE_UNROLL
                for (int r = 0; r < rows; ++r) {
                    if constexpr (once && sizeof(Piece) == sizeof(block::Chunk)) {
                        block::Chunk chunk;
                        simt::load_words_once(reinterpret_cast<const std::uint32_t*>(piece_at(origin, r)), chunk.word);
                        std::memcpy(&pieces[r], &chunk, sizeof(chunk));
                    } else {
                        pieces[r] = *reinterpret_cast<const Piece*>(piece_at(origin, r));
                    }
                }
            }
        } else {
            KOGGE_UNROLL
            for (int r = 0; r < rows; ++r) {
                if constexpr (kStraight)
                    if (straight && size(r) == kPiece) pieces[r] = *reinterpret_cast<const Piece*>(piece_at(origin, r));
                if (straight && size(r) == kPiece) continue;
                block::Piece<Item, kPiece> piece{};
                KOGGE_UNROLL
                for (int p = 0; p < kPiece; ++p)
                    if (p < size(r)) piece.item[place(p)] = in[index(r, p)];
                std::memcpy(&pieces[r], &piece, sizeof(piece));
            }
        }
        block::keep_packed<Item, kPiece, rows>(pieces);
    }

    /// Item p of the piece of row r.
    KOGGE_DEVICE Item get(int r, int p) const { return pieces[r].get(place(p)); }

    /// The index of item p of the piece of row r.
    KOGGE_DEVICE std::uint64_t index(int r, int p) const {
        return first + static_cast<std::uint64_t>(r * kRowItems + p);
    }
    /// The number of items of the piece of row r.
    KOGGE_DEVICE int size(int r) const {
        const int rest = left - r * kRowItems;
        return rest < 0 ? 0 : rest < kPiece ? rest : kPiece;
    }
    /// The index of this warp's first item of a tile.
    KOGGE_DEVICE static std::uint64_t begin_of(std::uint64_t tile) {
        return tile * kTileItems + static_cast<std::uint64_t>(simt::warp_rank() * kWarpItems);
    }
    /// The number of a warp's items, from its first one on, in all its rows.
    KOGGE_DEVICE static int count_from(std::uint64_t begin, std::uint64_t n) {
        return items_from(begin, n, kWarpItems);
    }
    /// The number of items of a tile.
    KOGGE_DEVICE static int count_of(std::uint64_t tile, std::uint64_t n) {
        return items_from(tile * kTileItems, n, kTileItems);
    }

private:
    KOGGE_DEVICE static constexpr int place(int p) { return kFromEnd ? kPiece - 1 - p : p; }
    KOGGE_DEVICE const Item* piece_at(const Item* origin, int r) const {
        if constexpr (kFromEnd) return origin - static_cast<std::ptrdiff_t>(index(r, 0) + kPiece);
        else return origin + index(r, 0);
    }
};

/// Calls launch(std::integral_constant<int, rows>) for the plan's number of rows, at most `most`.
template <int most, int candidate = 0, class Launch>
void with_wave_rows(int rows, Launch launch) {
    constexpr int here = kWaveRows[candidate];
    if constexpr (here < most)
        if (rows > here) return with_wave_rows<most, candidate + 1>(rows, launch);
    launch(std::integral_constant<int, here>{});
}

/// The barrier of a wave: of the block, the cluster or the grid.
KOGGE_DEVICE void sync_wave() {
    if (simt::grid_size() == 1) simt::sync_block();
    else if (simt::cluster_size() > 1) simt::sync_cluster();
    else simt::sync_grid();
}

/// Shared memory through which a block's warps exchange aggregates.
template <class T>
struct WaveShared {
    T totals[kWaveWarps];     ///< of the tile's warps
    T groups[2][kWaveWarps];  ///< folds of 32 tiles' aggregates each
};

/// The fold of the first tiles[i] ≥ 1 tiles' aggregates, in every thread, for one or two i. All threads of the block
/// call, after the sync_wave() that follows the writing of the aggregates.
template <int count, class T, class Op>
KOGGE_DEVICE void fold_aggregates(c_array<T, count>& folds, const T* aggregates, const c_array<int, count>& tiles,
                                  Op op, WaveShared<T>& shared) {
    const int lane = simt::lane();
    const bool few = simt::grid_size() <= simt::kWarpSize;  // then every warp folds all of them
    const int first = few ? 0 : simt::thread_rank() - lane;
    int active[count];
    KOGGE_UNROLL
    for (int i = 0; i < count; ++i) {
        const int rest = tiles[i] - first;
        active[i] = rest < 0 ? 0 : rest < simt::kWarpSize ? rest : simt::kWarpSize;
        folds[i] = aggregates[lane < active[i] ? first + lane : 0];
    }
    warp::fold_each(folds, active, op);
    if (few) return;
    if (lane == 0) {
        KOGGE_UNROLL
        for (int i = 0; i < count; ++i) shared.groups[i][simt::warp_rank()] = folds[i];
    }
    simt::sync_block();  // the folds of 32 tiles each are written
    KOGGE_UNROLL
    for (int i = 0; i < count; ++i) {
        active[i] = (tiles[i] + simt::kWarpSize - 1) / simt::kWarpSize;
        folds[i] = shared.groups[i][lane < active[i] ? lane : 0];
    }
    warp::fold_each(folds, active, op);
}

}  // namespace kogge::grid::KOGGE_CODE
