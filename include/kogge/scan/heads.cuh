// How the lanes of a warp learn at which of their items runs start: a bit an item, from keys or from marked words.
// Lanes look at rows of pieces, lane l at the l-th piece of each row, because then what they load lies together.
#pragma once

#include <cstdint>

#include "kogge/block/tile.cuh"
#include "kogge/detail/flagged.hpp"
#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// A bit an item says whether a segment starts there.
struct SegmentHeads {
    const std::uint32_t* words;
    std::uint64_t first = 0;  ///< the item of the first bit, a multiple of kHeadsPerWord

    KOGGE_DEVICE std::uint32_t word(std::uint64_t i) const { return words[(i - first) / kHeadsPerWord]; }
    KOGGE_DEVICE bool starts(std::uint64_t i) const { return i == 0 || (word(i) >> i % kHeadsPerWord & 1u) != 0; }
};

/// The segments' ascending starts, of which a block marks those of its tile on chip.
struct SegmentStarts {
    const std::uint64_t* offsets;
    std::uint64_t segments;
};
template <int tile_items>
struct TileMarks {
    std::uint32_t words[tile_items / kHeadsPerWord];
    struct Look {
        std::uint32_t before, up_to_end;  ///< places before the tile; before or in it
    } looks[2];                           ///< take turns
};
/// A block looks for its tile's starts only where it would otherwise read more than so many a thread: a look takes as
/// long.
inline constexpr std::uint64_t kStepWithoutLook = 16;
/// All threads of the block call.
template <int threads, int tile_items>
KOGGE_DEVICE SegmentHeads mark_tile(const SegmentStarts& starts, std::uint64_t begin, TileMarks<tile_items>& marks) {
    constexpr auto kThreads = static_cast<std::uint64_t>(threads);
    const auto thread = static_cast<std::uint64_t>(simt::thread_rank());
    for (std::uint64_t i = thread; i < tile_items / kHeadsPerWord; i += kThreads) marks.words[i] = 0;
    if (thread < 2) marks.looks[thread] = {0, 0};
    simt::sync_block();  // the marks are zero
    // Starts before `low` lie before the tile, those from `high` on behind it. The block looks at a place a thread, for
    // as long as that leaves out more than a few starts.
    std::uint64_t low = 0, high = starts.segments, step = divide_up(high, kThreads);
    for (int look = 0; step > kStepWithoutLook; look ^= 1) {
        const std::uint64_t place = low + (thread + 1) * step - 1;
        const std::uint64_t start = place < high ? starts.offsets[place] : ~std::uint64_t{0};
        const int before = simt::count_bits(simt::ballot(start < begin));
        const int up_to_end = simt::count_bits(simt::ballot(start < begin + tile_items));
        if (simt::lane() == 0) {
            simt::atomic_add<simt::Scope::block>(&marks.looks[look].before, static_cast<std::uint32_t>(before));
            simt::atomic_add<simt::Scope::block>(&marks.looks[look].up_to_end, static_cast<std::uint32_t>(up_to_end));
        }
        simt::sync_block();  // the places are counted
        const auto all = marks.looks[look];
        const std::uint64_t behind = low + (all.up_to_end + 1) * step - 1;
        low += all.before * step;
        high = behind < high ? behind : high;
        const std::uint64_t next = divide_up(high - low, kThreads);
        if (next > step / 2) break;  // the tile itself has so many
        step = next;
        simt::sync_block();  // the counts are read
        if (thread == 0) marks.looks[look] = {0, 0};
    }
    constexpr int kBatch = 8;  // of loads in flight
    for (std::uint64_t first = low + thread; first < high; first += kBatch * kThreads) {
        std::uint64_t at[kBatch];
        KOGGE_UNROLL
        for (int i = 0; i < kBatch; ++i) {
            const std::uint64_t s = first + static_cast<std::uint64_t>(i) * kThreads;
            at[i] = s < high ? starts.offsets[s] : ~std::uint64_t{0};
        }
        KOGGE_UNROLL
        for (int i = 0; i < kBatch; ++i) {
            const std::uint64_t place = at[i] - begin;  // large for a start before the tile
            if (place < tile_items)
                simt::atomic_or<simt::Scope::block>(&marks.words[place / kHeadsPerWord], 1u << place % kHeadsPerWord);
        }
    }
    simt::sync_block();  // the tile is marked
    return {marks.words, begin};
}

/// A lane's heads: bit r · piece + p is that of item p of the lane's piece of row r. The lane's first piece is at
/// `first`, a multiple of `piece`, and `left` items from there on exist; bits of others mean nothing.
template <int rows, int piece, class Key, class Equal>
KOGGE_DEVICE std::uint32_t look_for_heads(const detail::KeyHeads<Key, Equal>& heads, std::uint64_t first, int left) {
    static_assert(rows * piece <= 32, "a bit an item");
    using Piece = block::Piece<Key, piece>;
    constexpr int kRowItems = piece * simt::kWarpSize;
    if (left <= 0) return 0;
    // All loads are in flight before the first comparison.
    const Key* const own = heads.keys + first;
    std::uint32_t bits = first == 0 ? 1 : 0;
    if (left > (rows - 1) * kRowItems + piece - 1 && reinterpret_cast<std::uintptr_t>(own) % alignof(Piece) == 0) {
        Piece pieces[rows];
        Key before[rows];
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            pieces[r] = *reinterpret_cast<const Piece*>(own + r * kRowItems);
            before[r] = r > 0 ? own[r * kRowItems - 1] : first > 0 ? own[-1] : own[0];
        }
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            KOGGE_UNROLL
            for (int p = 0; p < piece; ++p)
                if (!static_cast<bool>(heads.equal(p > 0 ? pieces[r].item[p - 1] : before[r], pieces[r].item[p])))
                    bits |= 1u << (r * piece + p);
        }
        return bits;
    }
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r) {
        KOGGE_UNROLL
        for (int p = 0; p < piece; ++p) {
            const int i = r * kRowItems + p;
            bits |= static_cast<std::uint32_t>(heads.starts(first + static_cast<std::uint64_t>(i < left ? i : 0)))
                    << (r * piece + p);
        }
    }
    return bits;
}
template <int rows, int piece>
KOGGE_DEVICE std::uint32_t look_for_heads(const SegmentHeads& heads, std::uint64_t first, int left) {
    static_assert(rows * piece <= 32 && kHeadsPerWord % piece == 0);
    std::uint32_t words[rows];
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r) {
        const int i = r * piece * simt::kWarpSize;
        words[r] = i < left ? heads.word(first + static_cast<std::uint64_t>(i)) : 0;
    }
    std::uint32_t bits = 0;
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r)  // rows are multiples of words
        bits |= (words[r] >> first % kHeadsPerWord & ((std::uint64_t{1} << piece) - 1)) << (r * piece);
    return first == 0 ? bits | 1u : bits;
}

/// Begins to bring what tells the heads of items [first, first + count) into the cache.
template <class Key, class Equal>
KOGGE_DEVICE void prefetch_heads(const detail::KeyHeads<Key, Equal>& heads, std::uint64_t first, int count) {
    // A prefetch is of less than a mebibyte; tiles of wider keys do without.
    if constexpr (sizeof(Key) <= 64)
        simt::prefetch(heads.keys + first, static_cast<std::uint32_t>(count * sizeof(Key)));
}
KOGGE_DEVICE void prefetch_heads(const SegmentHeads& heads, std::uint64_t first, int count) {
    simt::prefetch(heads.words + first / kHeadsPerWord, static_cast<std::uint32_t>(count / 8));
}

/// A warp's stretch of `count` items lies in segments of `items` a lane. Each lane gets its segment's heads; all lanes
/// call. What the lanes have seen of rows of pieces changes hands piece by piece.
template <int items, class Heads>
KOGGE_DEVICE std::uint32_t heads_of_segment(const Heads& heads, std::uint64_t first, int count) {
    constexpr int piece = items % 4 == 0 ? 4 : items % 2 == 0 ? 2 : 1, rows = items / piece;
    const int lane = simt::lane();
    const std::uint32_t seen =
        look_for_heads<rows, piece>(heads, first + static_cast<std::uint64_t>(lane * piece), count - lane * piece);
    std::uint32_t bits = 0;
    KOGGE_UNROLL
    for (int s = 0; s < rows; ++s) {
        const int number = lane * rows + s;  // of the piece, in the stretch
        const std::uint32_t row = simt::shuffle(seen, number % simt::kWarpSize) >> (number / simt::kWarpSize * piece);
        bits |= (row & ((1u << piece) - 1)) << (s * piece);
    }
    return bits;
}

}  // namespace kogge::grid::KOGGE_CODE
