// How a warp compacts bytes: in whole words. Stored one by one, as in compact/warp_compact.cuh, bytes would make shared
// memory the bottleneck. Each lane has contiguous items. For each word, the mask of its kept items selects them, a
// shift appends them to the lane's pending bytes, and full words are stored.
#pragma once

#include <cstdint>
#include <cstring>

#include "kogge/compact/warp_compact.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Moves the kept bytes of a word to its front, followed by zeros. The warp holds one picker per mask of kept bytes:
/// lane i has the picker of mask i % 16.
struct WordPicker {
    std::uint32_t code;  ///< four nibbles that select bytes; above them the number of bits of the kept bytes

    KOGGE_DEVICE static WordPicker of_lane() {
        constexpr std::uint32_t zero = 4;  // selects a zero byte
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

/// Stores the kept ones of the lanes' contiguous items to `run`, in order. `kept` items are kept in all, `before` of
/// them in earlier lanes. The buffer is as in store_kept. All lanes call.
template <class Item, int rows, int piece_items>
KOGGE_DEVICE void store_kept_words(const c_array<block::RegisterPiece<Item, piece_items>, rows>& pieces,
                                   const KeptBits<rows, piece_items>& bits, std::uint32_t before, std::uint32_t kept,
                                   Item* buffer, Item* run) {
    static_assert(sizeof(Item) == 1);
    constexpr int each = 4, piece_words = piece_items / each, words = rows * piece_words;
    constexpr int batch = words % 5 == 0 ? 5 : 1;  // pickers in flight; all of them would exceed the registers
    const Run<Item, rows, piece_items> kept_run(run, kept);
    const WordPicker own = WordPicker::of_lane();
    const std::uint32_t begin = (static_cast<std::uint32_t>(kept_run.shift) + before) * 8;
    std::uint32_t at = begin, held = 0;  // the next item's bit in the buffer; the bytes after the last full word
    auto* next = reinterpret_cast<std::uint32_t*>(buffer) + at / 32;
    // A word shared by several lanes is stored by the lane that fills it; then the other lanes store their bytes.
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
    simt::sync_warp();  // the kept items are in the buffer
    kept_run.store(buffer);
}

/// As store_sides, where each lane's pieces are contiguous.
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
    simt::sync_warp();  // the kept items have left the buffer
    store_kept_words(pieces, bits.others_of(size), static_cast<std::uint32_t>(simt::lane() * items) - before,
                     static_cast<std::uint32_t>(all) - kept, buffer, rejected_run);
}

}  // namespace kogge::grid::KOGGE_CODE
