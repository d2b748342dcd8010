// How a warp packs items on chip before their destination is known: its slice of shared memory fills with kept items
// from the front and with rejected items from the back. Each side is then stored as one contiguous run, in 16-byte
// steps of its destination, each of which straddles two 16-byte steps of the slice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/block/tile.cuh"
#include "kogge/compact/warp_compact.cuh"
#include "kogge/engine/wave_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The 16 bytes that start at byte `from` of `low` and continue in `high`. `from` is a multiple of `unit`, at most 15.
template <std::size_t unit>
KOGGE_DEVICE block::Chunk straddle(const block::Chunk& low, const block::Chunk& high, int from) {
    std::uint32_t words[8];
    KOGGE_UNROLL
    for (int i = 0; i < 4; ++i) {
        words[i] = low.word[i];
        words[4 + i] = high.word[i];
    }
    KOGGE_UNROLL
    for (int i = 0; i < 6; ++i) words[i] = from & 8 ? words[i + 2] : words[i];
    if constexpr (unit < 8) {
        KOGGE_UNROLL
        for (int i = 0; i < 5; ++i) words[i] = from & 4 ? words[i + 1] : words[i];
    }
    block::Chunk result;
    KOGGE_UNROLL
    for (int i = 0; i < 4; ++i) {
        if constexpr (unit < 4) {
            const std::uint64_t both = static_cast<std::uint64_t>(words[i + 1]) << 32 | words[i];
            result.word[i] = static_cast<std::uint32_t>(both >> (from % 4 * 8));
        } else {
            result.word[i] = words[i];
        }
    }
    return result;
}

/// The chunk's items of `unit` bytes in reverse order.
template <std::size_t unit>
KOGGE_DEVICE block::Chunk reversed(const block::Chunk& chunk) {
    constexpr int words = unit <= 4 ? 1 : static_cast<int>(unit) / 4;
    block::Chunk result;
    KOGGE_UNROLL
    for (int i = 0; i < 4; ++i) {
        std::uint32_t word = chunk.word[(3 - i) / words * words + i % words];
        if constexpr (unit <= 2) word = word << 16 | word >> 16;
        if constexpr (unit == 1) word = (word & 0x00ff00ffu) << 8 | (word >> 8 & 0x00ff00ffu);
        result.word[i] = word;
    }
    return result;
}

/// A warp's slice of shared memory, at a 16-byte boundary. `once`: its stores are the first to leave the L2 cache.
template <class Item, bool once = false>
struct PackedSlice {
    static constexpr int kPiece = wave_piece_items(sizeof(Item));
    Item* items;
    int room;  ///< in items, a multiple of a piece

    /// Packs pieces after the `kept` and `rejected` items already here; rejected ones only if `sides` is set. Items
    /// that pad a piece past the end of the input count as rejected, and are not stored. All lanes call.
    template <int rows>
    KOGGE_DEVICE void pack(const c_array<block::RegisterPiece<Item, kPiece>, rows>& pieces,
                           const KeptBits<rows, kPiece>& bits, int kept, int rejected, bool sides) const {
        if (sides) pack<true>(pieces, bits, kept, rejected);
        else pack<false>(pieces, bits, kept, rejected);
    }
    template <class Out>
    KOGGE_DEVICE void store_kept(Out to, int count) const {
        store<false>(to, count);
    }
    template <class Out>
    KOGGE_DEVICE void store_rejected(Out to, int count) const {
        store<true>(to, count);
    }

private:
    template <bool sides, int rows>
    KOGGE_DEVICE void pack(const c_array<block::RegisterPiece<Item, kPiece>, rows>& pieces,
                           const KeptBits<rows, kPiece>& bits, int kept, int rejected) const {
        std::uint32_t before[rows];
        rank_kept(bits, before);
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            const int rank = static_cast<int>(before[r]);
            Item* next_kept = items + kept + rank;
            Item* next_rejected =
                items + (room - 1 - rejected - ((r * simt::kWarpSize + simt::lane()) * kPiece - rank));
            KOGGE_UNROLL
            for (int p = 0; p < kPiece; ++p) {
                if constexpr (sides) {
                    *(bits.get(r, p) ? next_kept : next_rejected) = pieces[r].get(p);
                    if (bits.get(r, p)) ++next_kept;
                    else --next_rejected;
                } else if (bits.get(r, p)) {
                    *next_kept++ = pieces[r].get(p);
                }
            }
        }
    }
    template <bool backwards>
    KOGGE_DEVICE Item get(int i) const {
        return items[backwards ? room - 1 - i : i];
    }

    /// To an output that is no array of such items.
    template <bool backwards, class Out>
    KOGGE_DEVICE void store(const Out& to, int count) const {
        for (int i = simt::lane(); i < count; i += simt::kWarpSize) detail::put_item(to, i, get<backwards>(i));
    }
    /// All lanes call, once the items are packed.
    template <bool backwards>
    KOGGE_DEVICE void store(Item* to, int count) const {
        const int lane = simt::lane();
        const auto address = reinterpret_cast<std::uintptr_t>(to);
        if (kPiece == 1 || address % sizeof(Item) != 0) {
            for (int i = lane; i < count; i += simt::kWarpSize) to[i] = get<backwards>(i);
            return;
        }
        if constexpr (kPiece > 1) {
            using block::Chunk;
            constexpr int unit = static_cast<int>(sizeof(Item));
            const int shift = static_cast<int>(address % sizeof(Chunk)) / unit;  // of the first item in its 16 bytes
            const int end = shift + count, chunks_end = end / kPiece;
            const int from = (backwards ? shift : (kPiece - shift) % kPiece) * unit;
            const auto* const source = reinterpret_cast<const Chunk*>(items);
            Chunk* const target = reinterpret_cast<Chunk*>(to - shift);
            for (int c = (shift > 0 ? 1 : 0) + lane; c < chunks_end; c += simt::kWarpSize) {
                const int low = backwards ? room / kPiece - 1 - c : c - (shift > 0 ? 1 : 0);
                Chunk chunk = source[low];
                if (from > 0) chunk = straddle<sizeof(Item)>(chunk, source[low + 1], from);
                if constexpr (backwards) chunk = reversed<sizeof(Item)>(chunk);
                if constexpr (once) simt::store_words_once(target[c].word, chunk.word);
                else target[c] = chunk;
            }
            // The ends, one item per lane.
            const int head = shift == 0 ? 0 : kPiece - shift < count ? kPiece - shift : count;
            if (lane < head) to[lane] = get<backwards>(lane);
            const int rest = chunks_end * kPiece - shift, tail = rest > head ? rest : head;
            if (tail + lane < count) to[tail + lane] = get<backwards>(tail + lane);
        }
    }
};

}  // namespace kogge::grid::KOGGE_CODE
