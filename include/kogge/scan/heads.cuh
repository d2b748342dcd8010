// How the lanes of a warp learn at which of their items runs start: one bit per item, from keys or from marked words.
// Lanes read rows of pieces, lane l the l-th piece of each row, so that their loads are contiguous.
#pragma once

#include <cstdint>

#include "kogge/block/tile.cuh"
#include "kogge/detail/flagged.hpp"
#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// One bit per item, set where a segment starts.
struct SegmentHeads {
    const std::uint32_t* words;
    std::uint64_t first = 0;  ///< index of the first bit's item, a multiple of kHeadsPerWord

    KOGGE_DEVICE std::uint32_t word(std::uint64_t i) const { return words[(i - first) / kHeadsPerWord]; }
    KOGGE_DEVICE bool starts(std::uint64_t i) const { return i == 0 || (word(i) >> i % kHeadsPerWord & 1u) != 0; }
};

/// The ascending starts of the segments. A block marks the starts in its tile on chip.
struct SegmentStarts {
    const std::uint64_t* offsets;
    std::uint64_t segments;
};
template <int tile_items>
struct TileMarks {
    std::uint32_t words[tile_items / kHeadsPerWord];
    struct Look {
        std::uint32_t before, up_to_end;  ///< probed starts before the tile; probed starts before the tile's end
    } looks[2];                           ///< used in turn
};
/// Starts per thread that a block reads without searching for its tile first: a round of the search takes as long as
/// that.
inline constexpr std::uint64_t kStepWithoutLook = 16;
/// All threads of the block call.
template <int threads, int tile_items>
KOGGE_DEVICE SegmentHeads mark_tile(const SegmentStarts& starts, std::uint64_t begin, TileMarks<tile_items>& marks) {
    constexpr auto kThreads = static_cast<std::uint64_t>(threads);
    const auto thread = static_cast<std::uint64_t>(simt::thread_rank());
    for (std::uint64_t i = thread; i < tile_items / kHeadsPerWord; i += kThreads) marks.words[i] = 0;
    if (thread < 2) marks.looks[thread] = {0, 0};
    simt::sync_block();  // the marks are zero
    // A search with one probe per thread and round. Starts below index `low` lie before the tile, starts from index
    // `high` on lie after it. A round follows while it excludes more than a few starts.
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
        simt::sync_block();  // the probes are counted
        const auto all = marks.looks[look];
        const std::uint64_t behind = low + (all.up_to_end + 1) * step - 1;
        low += all.before * step;
        high = behind < high ? behind : high;
        const std::uint64_t next = divide_up(high - low, kThreads);
        if (next > step / 2) break;  // the tile itself has that many starts
        step = next;
        simt::sync_block();  // the counts are read
        if (thread == 0) marks.looks[look] = {0, 0};
    }
    constexpr int kBatch = 8;  // loads in flight
    for (std::uint64_t first = low + thread; first < high; first += kBatch * kThreads) {
        std::uint64_t at[kBatch];
        KOGGE_UNROLL
        for (int i = 0; i < kBatch; ++i) {
            const std::uint64_t s = first + static_cast<std::uint64_t>(i) * kThreads;
            at[i] = s < high ? starts.offsets[s] : ~std::uint64_t{0};
        }
        KOGGE_UNROLL
        for (int i = 0; i < kBatch; ++i) {
            const std::uint64_t place = at[i] - begin;  // a large number for a start before the tile
            if (place < tile_items)
                simt::atomic_or<simt::Scope::block>(&marks.words[place / kHeadsPerWord], 1u << place % kHeadsPerWord);
        }
    }
    simt::sync_block();  // the tile is marked
    return {marks.words, begin};
}

/// The heads of whole rows of pieces at their alignment. All loads are in flight before the first comparison.
template <int rows, int piece, class Key, class Equal>
KOGGE_DEVICE std::uint32_t heads_of_pieces(const detail::KeyHeads<const Key*, Equal>& heads, std::uint64_t first) {
    using Piece = block::Piece<Key, piece>;
    constexpr int kRowItems = piece * simt::kWarpSize;
    const Key* const own = heads.keys + first;
    std::uint32_t bits = first == 0 ? 1 : 0;
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
/// The same of keys that are read from their end: item p of a piece is its last but p in memory.
template <int rows, int piece, class Key, class Equal>
KOGGE_DEVICE std::uint32_t heads_of_reversed_pieces(const detail::KeyHeads<detail::Reversed<const Key*>, Equal>& heads,
                                                    std::uint64_t first) {
    using Piece = block::Piece<Key, piece>;
    constexpr int kRowItems = piece * simt::kWarpSize;
    const Key* const own = heads.keys.end() - static_cast<std::ptrdiff_t>(first);  // past this lane's first item
    std::uint32_t bits = first == 0 ? 1 : 0;
    Piece pieces[rows];
    Key before[rows];
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r) {
        pieces[r] = *reinterpret_cast<const Piece*>(own - r * kRowItems - piece);
        before[r] = r > 0 || first > 0 ? own[-r * kRowItems] : own[-1];
    }
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r) {
        KOGGE_UNROLL
        for (int p = 0; p < piece; ++p) {
            const int at = piece - 1 - p;
            if (!static_cast<bool>(
                    heads.equal(p > 0 ? pieces[r].item[(at + 1) % piece] : before[r], pieces[r].item[at])))
                bits |= 1u << (r * piece + p);
        }
    }
    return bits;
}

/// A lane's heads: bit r · piece + p stands for item p of the lane's piece of row r. The lane's first piece is at
/// `first`, a multiple of `piece`. Only the first `left` items from there on exist; the bits of the others are
/// unspecified.
template <int rows, int piece, class Keys, class Equal>
KOGGE_DEVICE std::uint32_t look_for_heads(const detail::KeyHeads<Keys, Equal>& heads, std::uint64_t first, int left) {
    static_assert(rows * piece <= 32, "a bit an item");
    constexpr int kRowItems = piece * simt::kWarpSize;
    if (left <= 0) return 0;
    if constexpr (std::is_pointer_v<Keys>) {
        if (left > (rows - 1) * kRowItems + piece - 1 && reinterpret_cast<std::uintptr_t>(heads.keys + first) %
                                                                 alignof(block::Piece<detail::item_of<Keys>, piece>) ==
                                                             0)
            return heads_of_pieces<rows, piece>(heads, first);
    } else if constexpr (detail::kReversedPointer<Keys>) {
        if (left > (rows - 1) * kRowItems + piece - 1 &&
            reinterpret_cast<std::uintptr_t>(heads.keys.end() - static_cast<std::ptrdiff_t>(first)) %
                    alignof(block::Piece<detail::item_of<Keys>, piece>) ==
                0)
            return heads_of_reversed_pieces<rows, piece>(heads, first);
    }
    std::uint32_t bits = first == 0 ? 1 : 0;
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
    for (int r = 0; r < rows; ++r)  // a row spans whole words
        bits |= (words[r] >> first % kHeadsPerWord & ((std::uint64_t{1} << piece) - 1)) << (r * piece);
    return first == 0 ? bits | 1u : bits;
}

/// Starts loading into the cache the keys or words that tell the heads of items [first, first + count).
template <class Keys, class Equal>
KOGGE_DEVICE void prefetch_heads(const detail::KeyHeads<Keys, Equal>& heads, std::uint64_t first, int count) {
    // A prefetch takes less than 1 MiB; tiles of wider keys go without.
    using Key = detail::item_of<Keys>;
    if constexpr (std::is_pointer_v<Keys> && sizeof(Key) <= 64)
        simt::prefetch(heads.keys + first, static_cast<std::uint32_t>(count * sizeof(Key)));
    else if constexpr (detail::kReversedPointer<Keys> && sizeof(Key) <= 64)
        simt::prefetch(heads.keys.end() - static_cast<std::ptrdiff_t>(first) - count,
                       static_cast<std::uint32_t>(count * sizeof(Key)));
}
KOGGE_DEVICE void prefetch_heads(const SegmentHeads& heads, std::uint64_t first, int count) {
    simt::prefetch(heads.words + first / kHeadsPerWord, static_cast<std::uint32_t>(count / 8));
}

/// The heads of a lane's own items, where a warp's slice of `count` items has `items` contiguous ones per lane. All
/// lanes call. Bits found in rows of pieces move to the owning lane piece by piece.
template <int items, class Heads>
KOGGE_DEVICE std::uint32_t heads_of_segment(const Heads& heads, std::uint64_t first, int count) {
    constexpr int piece = items % 4 == 0 ? 4 : items % 2 == 0 ? 2 : 1, rows = items / piece;
    const int lane = simt::lane();
    const std::uint32_t seen =
        look_for_heads<rows, piece>(heads, first + static_cast<std::uint64_t>(lane * piece), count - lane * piece);
    std::uint32_t bits = 0;
    KOGGE_UNROLL
    for (int s = 0; s < rows; ++s) {
        const int number = lane * rows + s;  // of the piece, in the slice
        const std::uint32_t row = simt::shuffle(seen, number % simt::kWarpSize) >> (number / simt::kWarpSize * piece);
        bits |= (row & ((1u << piece) - 1)) << (s * piece);
    }
    return bits;
}

}  // namespace kogge::grid::KOGGE_CODE
