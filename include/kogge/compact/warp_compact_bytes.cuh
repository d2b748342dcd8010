// How a warp compacts bytes: in whole words. Stored one by one, as in compact/warp_compact.cuh, so many items would
// keep the chip's own memory busier than the global one. Each lane has a segment: the mask of a word's kept items picks
// them, a shift puts them behind what the lane has left over, and full words are stored.
#pragma once

#include <cstdint>
#include <cstring>

#include "kogge/compact/warp_compact.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Brings the kept bytes of a word to its front, followed by zeros. A warp has one for each mask of kept bytes: lane i
/// has that of i % 16.
struct WordPicker {
    std::uint32_t code;  ///< four nibbles that number bytes, and above them how many bits the kept bytes have

    KOGGE_DEVICE static WordPicker of_lane() {
        constexpr std::uint32_t zero = 4;  // the number of a byte that is 0
        std::uint32_t code = zero * 0x1111u, bits = 0;
        KOGGE_UNROLL
        for (int byte = 0; byte < 4; ++byte) {
            if ((simt::lane() >> byte & 1) == 0) continue;
            code ^= (zero ^ static_cast<std::uint32_t>(byte)) << bits / 2;
            bits += 8;
        }
        return {code | bits << 16};
    }
    KOGGE_DEVICE std::uint32_t pick(std::uint32_t word) const { return simt::pick_bytes(word, code); }
    KOGGE_DEVICE std::uint32_t bits() const { return code >> 16; }
};

/// Stores the kept items of the lanes' segments to `run`, in order; `before` of `kept` in all are of earlier lanes. The
/// buffer is as in store_kept. All lanes call.
template <class Item, int rows, int piece_items>
KOGGE_DEVICE void store_kept_words(const c_array<block::RegisterPiece<Item, piece_items>, rows>& pieces,
                                   const KeptBits<rows, piece_items>& bits, std::uint32_t before, std::uint32_t kept,
                                   Item* buffer, Item* run) {
    static_assert(sizeof(Item) == 1);
    constexpr int each = 4, piece_words = piece_items / each, words = rows * piece_words;
    constexpr int batch = words % 5 == 0 ? 5 : 1;  // pickers in flight; all would not find registers
    const Run<Item, rows, piece_items> kept_run(run, kept);
    const WordPicker own = WordPicker::of_lane();
    const std::uint32_t begin = (static_cast<std::uint32_t>(kept_run.shift) + before) * 8;
    std::uint32_t at = begin, held = 0;  // where the next item goes, and what is behind the last full word
    auto* next = reinterpret_cast<std::uint32_t*>(buffer) + at / 32;
    // A word that several lanes have items in is stored by the one that fills it; then the others store theirs.
    KOGGE_UNROLL
    for (int first = 0; first < words; first += batch) {
        WordPicker pickers[batch];
        KOGGE_UNROLL
        for (int u = 0; u < batch; ++u) {
            const int bit = (first + u) * each;
            pickers[u] = simt::shuffle(own, static_cast<int>(bits.words[bit / 32] >> bit % 32));
        }
        KOGGE_UNROLL
        for (int u = 0; u < batch; ++u) {
            const int w = first + u;
            const std::uint32_t word = pickers[u].pick(pieces[w / piece_words].word[w % piece_words]);
            const std::uint32_t end = at + pickers[u].bits();
            const bool full = ((at ^ end) & 32) != 0;
            held |= simt::shift_left(word, 0, at);
            if (full) *next++ = held;
            held = full ? simt::shift_left(0, word, at) : held;
            at = end;
        }
    }
    simt::sync_warp();  // the full words are stored
    const std::uint32_t last = at / 32 * 32, left = begin > last ? begin : last;
    KOGGE_UNROLL
    for (std::uint32_t bit = 0; bit < 32; bit += 8) {
        const std::uint32_t item = held >> bit;
        if (last + bit >= left && last + bit < at) std::memcpy(buffer + (last + bit) / 8, &item, 1);
    }
    simt::sync_warp();  // the kept items stand in the buffer
    kept_run.store(buffer);
}

/// As store_sides, where each lane's pieces are its segment.
template <class Item, int rows, int piece_items>
KOGGE_DEVICE void store_sides_words(const c_array<block::RegisterPiece<Item, piece_items>, rows>& pieces,
                                    const KeptBits<rows, piece_items>& bits, std::uint32_t kept, int all, Item* buffer,
                                    Item* kept_run, Item* rejected_run) {
    constexpr int items = rows * piece_items;
    const std::uint32_t here = bits.count_lane();
    const std::uint32_t before = warp::inclusive_scan(here, simt::kWarpSize, plus{}) - here;
    store_kept_words(pieces, bits, before, kept, buffer, kept_run);
    if (!rejected_run) return;
    const int size = block::segment_size<items>(all, simt::lane());
    simt::sync_warp();  // they have left it
    store_kept_words(pieces, bits.others_of(size), static_cast<std::uint32_t>(simt::lane() * items) - before,
                     static_cast<std::uint32_t>(all) - kept, buffer, rejected_run);
}

}  // namespace kogge::grid::KOGGE_CODE
