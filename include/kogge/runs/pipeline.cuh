// Runs as the work of a pipeline: a tile's aggregate is the number of runs that begin in it. A warp finds the heads in
// its slice when it reduces it, and stores them once the carry is known. Every key is read once, every result written
// once. The length of the last run of each slice is completed by a small kernel afterwards, because its end is not
// known on chip.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/engine/gather.cuh"
#include "kogge/engine/pipeline.cuh"
#include "kogge/engine/tile_shape.hpp"
#include "kogge/engine/wave_shape.hpp"
#include "kogge/runs/scratch.hpp"
#include "kogge/runs/shape.hpp"
#include "kogge/runs/warp_runs.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Key, class Equal, class Write, class In>
struct RunsWork {
    using Item = Key;
    using Acc = Tally;
    using Op = AddTallies;
    static constexpr int kItems = segment_items(sizeof(Item));
    static constexpr int kPiece = wave_piece_items(sizeof(Item));
    static constexpr int kRows = kItems / kPiece;
    static constexpr int kSliceItems = kItems * simt::kWarpSize;
    static constexpr bool kLooksBack = true;
    using Piece = block::RegisterPiece<Item, kPiece>;
    using Saved = KeptBits<kRows, kPiece>;

    In in;
    Count n;
    Op op;
    Carry<Acc> start;
    RunsProblem<Key, Equal, Write, In> problem;
    SliceRuns* slices;  ///< null if no lengths are wanted

    KOGGE_DEVICE static int place(int row) { return (row * simt::kWarpSize + simt::lane()) * kPiece; }

    // A full slice has a code path of its own, without a bounds check per item.
    KOGGE_DEVICE Acc reduce(const Slice<Item>& own, Saved& saved) const {
        saved = {};
        if (own.count < kSliceItems) find_heads<false>(own, saved);
        else find_heads<true>(own, saved);
        return {saved.count_warp()};
    }

    template <bool full>
    KOGGE_DEVICE void find_heads(const Slice<Item>& own, Saved& saved) const {
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r) {
            const int first = place(r);
            if (!full && first >= own.count) continue;
            const Piece piece = *reinterpret_cast<const Piece*>(own.items + first);
            Item previous = first > 0 ? own.items[first - 1] : before(own);
            KOGGE_UNROLL
            for (int p = 0; p < kPiece; ++p) {
                const Item key = piece.get(p);
                if (full || first + p < own.count)
                    saved.set(r, p,
                              (r == 0 && p == 0 && own.base + static_cast<std::uint64_t>(first) == 0) ||
                                  !static_cast<bool>(problem.equal(previous, key)));
                previous = key;
            }
        }
    }
    /// The key before a slice; for the very first slice, any key.
    KOGGE_DEVICE Item before(const Slice<Item>& own) const {
        if (own.base == 0) return own.items[0];
        // The previous warp has not written to its slice yet; but without bulk copies it may not have loaded it yet.
        if constexpr (std::is_pointer_v<In>) {
            const bool on_chip = simt::warp_rank() > 0 && block::is_chunk_aligned(in);
            return on_chip ? own.items[-1] : in[own.base - 1];
        } else {
            return detail::item_at<Item>(in, own.base - 1);
        }
    }

    KOGGE_DEVICE bool finish(const Slice<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        Piece pieces[kRows];
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r)
            if (place(r) < own.count) pieces[r] = *reinterpret_cast<const Piece*>(own.items + place(r));
        simt::sync_warp();  // the slice is in registers
        const std::uint64_t earlier = carry.present ? carry.value.value : 0;
        const int kept = static_cast<int>(saved.count_warp());
        const int first = store_runs<true>(problem.write, pieces, saved, kept, own.items, own.base, earlier);
        if constexpr (Write::kOutput == runs_output::lengths)
            if (own.count > 0 && simt::lane() == 0)
                slices[own.base / kSliceItems] = {
                    earlier, kept > 0 ? own.base + static_cast<std::uint64_t>(first) : SliceRuns::kNone};
        return false;
    }

    KOGGE_DEVICE void complete(const Carry<Acc>& all) const { *problem.total = all.present ? all.value.value : 0; }
};

/// The last run of a slice ends where the first run of a later slice begins; the very last run, where the keys end.
template <class Write>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4)
    end_runs_kernel(Write write, const SliceRuns* slices, Count count, std::uint64_t items_per_slice,
                    const std::uint64_t* total) {
    simt::wait_for_stream();
    const std::uint64_t n = count.get(), all = divide_up(n, items_per_slice);
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kMoveThreads;
    const std::uint64_t first = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads + simt::thread_rank();
    for (std::uint64_t s = first; s < all; s += step) {
        const SliceRuns here = slices[s];
        if (here.first != SliceRuns::kNone && here.before > 0) write.end_at(here.before - 1, here.first);
    }
    if (first == 0 && *total > 0) write.end_at(*total - 1, n);
}

template <class Key, class Equal, class Write, class In>
void launch_runs(const runs_pipeline& way, const runs_plan& plan, const RunsProblem<Key, Equal, Write, In>& problem,
                 const RunsMemory& memory, stream_t stream) {
    using Work = RunsWork<Key, Equal, Write, In>;
    if (!way.cooperative) simt::fill(memory.board.ticket, 0, memory.board.zeroed, stream);
    constexpr int ahead = compact_ahead(sizeof(Key));
    const Work work{problem.keys, problem.n, {}, {}, problem, memory.slices};
    const Board<Tally> board =
        make_board<Tally>(memory.board, !way.cooperative, detail::are_same_place(problem.keys, problem.write.out));
    const char* const name = "runs_ring_kernel";
    if (way.cooperative) launch_ring<ahead>(work, board, plan.blocks, name, stream);
    else launch_ring<ahead, 1, kWholeTilesLoading>(work, board, plan.blocks, name, stream);
    if constexpr (Write::kOutput == runs_output::lengths)
        simt::launch(end_runs_kernel<Write>, move_shape(plan.tiles * kRingWarps, stream, "end_runs_kernel"),
                     problem.write, static_cast<const SliceRuns*>(memory.slices), problem.n,
                     static_cast<std::uint64_t>(Work::kSliceItems), static_cast<const std::uint64_t*>(problem.total));
}

}  // namespace kogge::grid::KOGGE_CODE
