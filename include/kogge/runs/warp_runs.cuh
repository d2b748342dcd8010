// How a warp finds and stores the runs of equal neighbours that begin among its keys. One bit per key says whether it
// is a head, the first key of a run. The heads are stored like the kept items of a compaction
// (compact/warp_compact.cuh). Then their positions are packed in the same buffer; the heads' values and the runs'
// lengths follow from them.
#pragma once

#include <cstdint>

#include "kogge/compact/warp_compact.cuh"
#include "kogge/detail/inputs.hpp"
#include "kogge/engine/carry.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The output of a call for each run, numbered from 0. A Write is copied into every thread.
///
///     out;                                       // the runs' first keys go to out[0 … runs): as that of a
///                                                // CompactProblem
///     static constexpr runs_output kOutput;
///     auto beside(head);  put(run, value);       // values: the one at the head's index; for every run
///     set_length(run, length);                   // lengths
///     set_start(run, head);  end_at(run, next);  // lengths, in two steps
template <class Key, class Equal, class Write, class In = const Key*>
struct RunsProblem {
    In keys;
    Count n;
    Equal equal;
    Write write;
    std::uint64_t* total;
};

/// The bits of the heads among a warp's `count` keys, whose first has index `base`. All lanes call.
template <class Key, class In, class Equal, int rows, int piece_items>
KOGGE_DEVICE void find_heads(const In& keys, const Equal& equal,
                             const c_array<block::RegisterPiece<Key, piece_items>, rows>& pieces, std::uint64_t base,
                             int count, KeptBits<rows, piece_items>& bits) {
    const int lane = simt::lane();
    Key before_all{};
    if (lane == 0 && count > 0 && base > 0) before_all = detail::item_at<Key>(keys, base - 1);
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r) {
        const int place = (r * simt::kWarpSize + lane) * piece_items;
        // Each lane needs the last key of the lane before it; the first lane, the last key of the previous row.
        const Key own_last = pieces[r].get(piece_items - 1);
        const Key row_before = r > 0 ? pieces[r > 0 ? r - 1 : 0].get(piece_items - 1) : own_last;
        Key previous = simt::shuffle(lane == simt::kWarpSize - 1 ? row_before : own_last, (lane + 31) % 32);
        if (r == 0 && lane == 0) previous = before_all;
        KOGGE_UNROLL
        for (int p = 0; p < piece_items; ++p) {
            const Key key = pieces[r].get(p);
            if (place + p < count)
                bits.set(r, p,
                         (r == 0 && p == 0 && lane == 0 && base == 0) || !static_cast<bool>(equal(previous, key)));
            previous = key;
        }
    }
}

/// Stores the `kept` runs whose heads the bits mark; `before` runs precede them. The last run's length is not known
/// yet: its start is written if `starts`. The buffer has room for the warp's keys, is at a 16-byte boundary, and is not
/// in use. Returns the position of the first head, if there is one and positions are needed. All lanes call.
template <bool starts, class Write, class Key, int rows, int piece_items>
KOGGE_DEVICE int store_runs(const Write& write, const c_array<block::RegisterPiece<Key, piece_items>, rows>& pieces,
                            const KeptBits<rows, piece_items>& bits, int kept, Key* buffer, std::uint64_t base,
                            std::uint64_t before) {
    std::uint32_t ranks[rows];
    rank_kept(bits, ranks);
    store_kept(pieces, bits, ranks, static_cast<std::uint32_t>(kept), buffer, write.out + before);
    if constexpr (Write::kOutput != runs_output::items) {
        simt::sync_warp();  // the heads have left the buffer
        const int lane = simt::lane();
        auto* const places = reinterpret_cast<std::uint16_t*>(buffer);
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            std::uint16_t* next = places + ranks[r];
            KOGGE_UNROLL
            for (int p = 0; p < piece_items; ++p)
                if (bits.get(r, p))
                    *next++ = static_cast<std::uint16_t>((r * simt::kWarpSize + lane) * piece_items + p);
        }
        simt::sync_warp();  // the positions are in the buffer
        if constexpr (Write::kOutput == runs_output::values) {
            constexpr int batch = 4;  // loads in flight
            for (int i = lane; i < kept; i += batch * simt::kWarpSize) {
                decltype(write.beside(base)) values[batch];
                KOGGE_UNROLL
                for (int u = 0; u < batch; ++u)
                    if (i + u * simt::kWarpSize < kept)
                        values[u] = write.beside(base + places[i + u * simt::kWarpSize]);
                KOGGE_UNROLL
                for (int u = 0; u < batch; ++u)
                    if (i + u * simt::kWarpSize < kept)
                        write.put(before + static_cast<std::uint64_t>(i + u * simt::kWarpSize), values[u]);
            }
        } else {
            for (int i = lane; i < kept; i += simt::kWarpSize) {
                const std::uint64_t run = before + static_cast<std::uint64_t>(i);
                if (i + 1 < kept) write.set_length(run, static_cast<std::uint64_t>(places[i + 1] - places[i]));
                else if (starts) write.set_start(run, base + places[i]);
            }
        }
        return kept > 0 ? places[0] : 0;
    }
    return 0;
}

}  // namespace kogge::grid::KOGGE_CODE
