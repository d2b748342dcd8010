// How a warp compacts the items that it holds. Each lane has pieces of up to 16 bytes, one per row. One bit per item
// says whether it is kept; a scan of the counts ranks the kept items; and each side is stored through shared memory as
// one contiguous run, in whole pieces where the destination is aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/block/tile.cuh"
#include "kogge/detail/inputs.hpp"
#include "kogge/operators.hpp"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A lane's decisions about its pieces.
template <int rows, int piece_items>
struct KeptBits {
    static constexpr int kWords = (rows * piece_items + 31) / 32;
    std::uint32_t words[std::size_t{kWords}] = {};

    KOGGE_DEVICE void set(int r, int p, bool kept) {
        const int bit = r * piece_items + p;
        words[bit / 32] |= static_cast<std::uint32_t>(kept) << (bit % 32);
    }
    /// Sets the decisions about the piece of row r, none of which has been set before.
    KOGGE_DEVICE void set_piece(int r, std::uint32_t bits) {
        const int bit = r * piece_items;
        words[bit / 32] |= bits << (bit % 32);
    }
    KOGGE_DEVICE bool get(int r, int p) const {
        const int bit = r * piece_items + p;
        return (words[bit / 32] >> (bit % 32) & 1u) != 0;
    }
    /// The bits of the piece of row r, which lies within one word.
    KOGGE_DEVICE std::uint32_t piece(int r) const {
        static_assert(32 % piece_items == 0);
        const int bit = r * piece_items;
        constexpr std::uint32_t mask = (std::uint64_t{1} << piece_items) - 1;
        return words[bit / 32] >> (bit % 32) & mask;
    }
    /// How many items of the piece of row r are kept.
    KOGGE_DEVICE std::uint32_t count(int r) const { return static_cast<std::uint32_t>(simt::count_bits(piece(r))); }
    /// The bits of the rejected items among the first `all` items of a warp.
    KOGGE_DEVICE KeptBits others(int all) const {
        constexpr std::uint32_t mask = (std::uint64_t{1} << piece_items) - 1;
        KeptBits others;
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            const int left = all - (r * simt::kWarpSize + simt::lane()) * piece_items;
            const std::uint32_t there = left >= piece_items ? mask : left > 0 ? (1u << left) - 1 : 0;
            const int bit = r * piece_items;
            others.set_piece(r, ~(words[bit / 32] >> (bit % 32)) & there);
        }
        return others;
    }
    /// The bits of the rejected items of a lane with `size` contiguous items.
    KOGGE_DEVICE KeptBits others_of(int size) const {
        KeptBits others;
        KOGGE_UNROLL
        for (int word = 0; word < kWords; ++word) {
            const int left = size - 32 * word;
            others.words[word] = ~words[word] & (left >= 32 ? ~0u : left > 0 ? (1u << left) - 1 : 0);
        }
        return others;
    }
    /// The lane's kept items, of all rows.
    KOGGE_DEVICE std::uint32_t count_lane() const {
        std::uint32_t here = 0;
        KOGGE_UNROLL
        for (int word = 0; word < kWords; ++word) here += static_cast<std::uint32_t>(simt::count_bits(words[word]));
        return here;
    }
    /// The warp's kept items.
    KOGGE_DEVICE std::uint32_t count_warp() const { return simt::reduce_add(count_lane()); }
};

/// For each row, how many items of earlier rows, or of earlier lanes of the row, are kept.
template <int rows, int piece_items>
KOGGE_DEVICE void rank_kept(const KeptBits<rows, piece_items>& bits, c_array<std::uint32_t, rows>& before) {
    // Two rows share a word of the scan, because a row has at most 32 × 16 items.
    constexpr int words = (rows + 1) / 2;
    std::uint32_t counts[words];
    int active[words];
    KOGGE_UNROLL
    for (int w = 0; w < words; ++w) {
        counts[w] = bits.count(2 * w);
        if (2 * w + 1 < rows) counts[w] |= bits.count(2 * w + 1) << 16;
        active[w] = simt::kWarpSize;
    }
    warp::scan_each(counts, active, plus{});
    std::uint32_t earlier_rows = 0;
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r) {
        const std::uint32_t totals = simt::shuffle(counts[r / 2], simt::kWarpSize - 1);
        before[r] = earlier_rows + (counts[r / 2] >> (r % 2 * 16) & 0xffffu) - bits.count(r);
        earlier_rows += totals >> (r % 2 * 16) & 0xffffu;
    }
}

/// A run of items to be stored, placed in the warp's buffer so that 16-byte steps of the buffer are 16-byte steps of
/// the destination.
template <class Item, int rows, int piece_items, int room = (rows * simt::kWarpSize * piece_items)>
struct Run {
    static constexpr int kRoom = room;  ///< items of the buffer

    Item* to;
    int count;
    int shift;  ///< item i is at buffer[shift + i]
    bool wide;  ///< to − shift is at a 16-byte boundary

    /// A run that does not fit the buffer with its shift is stored item by item.
    KOGGE_DEVICE Run(Item* target, std::uint32_t items) : to(target), count(static_cast<int>(items)) {
        const auto address = reinterpret_cast<std::uintptr_t>(to);
        shift = static_cast<int>(address % sizeof(block::Chunk) / sizeof(Item));
        wide = piece_items > 1 && address % sizeof(Item) == 0 && shift + count <= kRoom;
        if (!wide) shift = 0;
    }
    /// All lanes of the warp call, once the run is in the buffer.
    KOGGE_DEVICE void store(const Item* buffer) const {
        const int lane = simt::lane();
        if (!wide) {
            constexpr int batch = 4;  // loads in flight
            for (int i = lane; i < count; i += batch * simt::kWarpSize) {
                Item items[batch];
                KOGGE_UNROLL
                for (int u = 0; u < batch; ++u)
                    if (i + u * simt::kWarpSize < count) items[u] = buffer[i + u * simt::kWarpSize];
                KOGGE_UNROLL
                for (int u = 0; u < batch; ++u)
                    if (i + u * simt::kWarpSize < count) to[i + u * simt::kWarpSize] = items[u];
            }
            return;
        }
        using Piece = block::Piece<Item, piece_items>;
        const int end = shift + count;
        const int body = (shift + piece_items - 1) / piece_items, body_end = end / piece_items;
        Item* const target = to - shift;
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            const int c = body + r * simt::kWarpSize + lane;
            if (c < body_end) reinterpret_cast<Piece*>(target)[c] = reinterpret_cast<const Piece*>(buffer)[c];
        }
        // The ends, one item per lane. A run within one piece is all head.
        const int head_end = body * piece_items < end ? body * piece_items : end;
        if (shift + lane < head_end) target[shift + lane] = buffer[shift + lane];
        const int tail = body_end * piece_items;
        if (tail >= head_end && tail + lane < end) target[tail + lane] = buffer[tail + lane];
    }
};

/// A run whose output is no array of such items: they are stored one by one.
template <class Item, class Out>
struct ItemRun {
    static constexpr int shift = 0;

    Out to;
    std::uint32_t count;

    /// As that of a Run.
    KOGGE_DEVICE void store(const Item* buffer) const {
        for (auto i = static_cast<std::uint32_t>(simt::lane()); i < count; i += simt::kWarpSize)
            detail::put_item(to, i, buffer[i]);
    }
};
template <class Item, int rows, int piece_items, class Out>
using RunTo = std::conditional_t<std::is_same_v<Out, Item*>, Run<Item, rows, piece_items>, ItemRun<Item, Out>>;

/// Stores the pieces' kept items to `run`, in order. `before` are their ranks; `kept` is their number. The buffer is at
/// a 16-byte boundary, is not in use, and has room for all items of the rows. All lanes call.
template <class Item, int rows, int piece_items, class Out>
KOGGE_DEVICE void store_kept(const c_array<block::RegisterPiece<Item, piece_items>, rows>& pieces,
                             const KeptBits<rows, piece_items>& bits, const c_array<std::uint32_t, rows>& before,
                             std::uint32_t kept, Item* buffer, Out run) {
    const RunTo<Item, rows, piece_items, Out> kept_run{run, kept};
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r) {
        Item* next = buffer + kept_run.shift + before[r];
        KOGGE_UNROLL
        for (int p = 0; p < piece_items; ++p)
            if (bits.get(r, p)) *next++ = pieces[r].get(p);
    }
    simt::sync_warp();  // the kept items are in the buffer
    kept_run.store(buffer);
}

/// Stores the pieces' kept items to kept_run and, unless it is null, the rejected ones to rejected_run, both in order.
/// The warp has `all` items, `kept` of them kept; the last rows may be short. The buffer is as in store_kept. All lanes
/// call.
template <class Item, int rows, int piece_items, class Out>
KOGGE_DEVICE void store_sides(const c_array<block::RegisterPiece<Item, piece_items>, rows>& pieces,
                              const KeptBits<rows, piece_items>& bits, std::uint32_t kept, int all, Item* buffer,
                              Out kept_run, Out rejected_run) {
    std::uint32_t before[rows];
    rank_kept(bits, before);
    store_kept(pieces, bits, before, kept, buffer, kept_run);
    if (!rejected_run) return;
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r)
        before[r] = static_cast<std::uint32_t>((r * simt::kWarpSize + simt::lane()) * piece_items) - before[r];
    simt::sync_warp();  // the kept items have left the buffer
    store_kept(pieces, bits.others(all), before, static_cast<std::uint32_t>(all) - kept, buffer, rejected_run);
}

}  // namespace kogge::grid::KOGGE_CODE
