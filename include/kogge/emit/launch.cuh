// Count, scan and emit in one pass. A block counts the outputs of a tile of items and publishes the sum. While the sums
// of earlier tiles arrive (engine/carry.cuh), it counts its next tile, and then makes the outputs of the first. Global
// traffic: the reads of `count` and `make`; every output written once; offsets only on request.
//
// Few tiles are one wave instead (emit/wave.cuh).
//
// A tile of very many outputs is shared by all blocks: its block only records it, and once all tiles are counted all
// blocks make its outputs.
//
// Progress: a block waits only for tiles that running blocks hold, and a block publishes its tiles before it waits.
#pragma once

#include <cstdint>

#include "kogge/emit/block_look_back.cuh"
#include "kogge/emit/scratch.hpp"
#include "kogge/emit/tile.cuh"
#include "kogge/emit/wave.cuh"
#include "kogge/operators.hpp"

namespace kogge::grid::KOGGE_CODE {

template <class CountOf>
struct EmitShared {
    using Tile = EmitTileShared<CountOf, kEmitItems, 2>;
    Tile tile;
    BlockSums::Shared sums;
    std::uint64_t large;
    std::uint32_t ticket;
};

/// Makes the outputs of the marked tile, the first of which goes to `start`; or records a large tile for all blocks.
template <class Tile, class Problem>
KOGGE_DEVICE void make_or_note(const Tile& tile, const Problem& problem, std::uint64_t number, std::uint64_t start,
                               EmitControl* control, LargeTile* large_tiles) {
    if (start >= problem.capacity) return;  // also if the sums have saturated
    if (tile.outputs() > kEmitShare) {
        if (simt::thread_rank() > 0) return;
        const std::uint64_t room = problem.capacity - start;
        const std::uint64_t shares = divide_up(tile.outputs() < room ? tile.outputs() : room, kEmitShare);
        const std::uint64_t place = simt::atomic_add<simt::Scope::device>(
            &control->large, (std::uint64_t{1} << EmitControl::kShareBits) + shares);
        large_tiles[place >> EmitControl::kShareBits] = {number, start,
                                                         place & ((std::uint64_t{1} << EmitControl::kShareBits) - 1)};
        return;
    }
    tile.make(0, start);
    for (std::uint64_t begin = kEmitWindow; begin < tile.outputs(); begin += kEmitWindow) {
        tile.turn_to(begin);
        tile.make(begin, start);
    }
}

template <class CountOf, class Make, class Out>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kEmitThreads, kEmitBlocks)
    emit_kernel(EmitProblem<CountOf, Make, Out> problem, Board<Tally> board, EmitControl* control,
                LargeTile* large_tiles) {
    simt::wait_for_stream();
    using Tile = EmitTile<EmitProblem<CountOf, Make, Out>, CountOf, kEmitItems, 2>;
    auto& shared = simt::shared_memory<EmitShared<CountOf>>();
    const std::uint64_t n = problem.n.get(), tiles = emit_tile_count(n, kEmitItems);
    const int thread = simt::thread_rank();
    if (tiles == 0 && simt::block_rank() == 0 && thread == 0) {
        *problem.total = 0;
        if (problem.offsets) problem.offsets[0] = 0;
    }

    BlockSums sums(board.tiles);
    if (thread == 0) shared.ticket = simt::atomic_add<simt::Scope::device>(board.ticket, 1);
    std::uint32_t counted = 0;
    EmitCounted next{};
    for (;; ++counted) {
        simt::sync_block();  // the ticket is written, and the previous tile has been made
        const std::uint64_t drawn = shared.ticket;
        const EmitCounted here = next;
        if (drawn < tiles) {
            next = Tile::count(problem, shared.tile, drawn, n, static_cast<int>(counted % 2));
            if (thread == 0) {
                board.tiles.publish(drawn, {next.outputs});
                shared.ticket = simt::atomic_add<simt::Scope::device>(board.ticket, 1);
            }
        } else {
            Tile::clear(shared.tile);
        }
        if (counted > 0) {
            const Tile tile(problem, shared.tile, here);
            tile.mark(0);
            sums.collect(here.number, shared.sums);
            simt::sync_block();  // the sums are written, and the first window is marked
            const std::uint64_t start = sums.before(shared.sums);
            if (problem.offsets) tile.write_offsets(start, n);
            if (here.number == tiles - 1 && thread == 0) {
                const std::uint64_t total = detail::add_outputs(start, tile.outputs());
                *problem.total = total;
                if (problem.offsets) problem.offsets[n] = total;
            }
            make_or_note(tile, problem, here.number, start, control, large_tiles);
        }
        if (drawn >= tiles) break;
    }

    if (thread == 0) {
        if (counted > 0) simt::add_release(&control->counted, counted);
        while (simt::load_acquire(&control->counted) != tiles) simt::poll_pause();
        shared.large = simt::load_relaxed(&control->large);
    }
    simt::sync_block();  // all tiles are counted, and all large tiles are recorded
    const std::uint64_t large = shared.large >> EmitControl::kShareBits;
    const std::uint64_t shares = shared.large & ((std::uint64_t{1} << EmitControl::kShareBits) - 1);
    for (;;) {
        if (thread == 0) shared.ticket = simt::atomic_add<simt::Scope::device>(&control->ticket, 1);
        simt::sync_block();  // the ticket is written, and the previous share has been made
        const std::uint64_t share = shared.ticket;
        if (share >= shares) return;
        std::uint64_t low = 0, high = large;  // large_tiles[low].share <= share < large_tiles[high].share
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            if (large_tiles[middle].share <= share) low = middle;
            else high = middle;
        }
        const LargeTile found = large_tiles[low];
        const Tile tile(problem, shared.tile, Tile::count(problem, shared.tile, found.tile, n, 0));
        const std::uint64_t first = (share - found.share) * kEmitShare;
        for (std::uint64_t begin = first; begin < first + kEmitShare && begin < tile.outputs(); begin += kEmitWindow) {
            tile.turn_to(begin);
            tile.make(begin, found.start);
        }
    }
}

/// Emits on the device. The arguments have been checked. `offsets` has room for n + 1 numbers and may be null. `total`
/// is device memory. If the outputs do not fit, the first `capacity` are written.
template <class CountOf, class Make, class Out>
void device_emit(const char* call, const item_count& n, CountOf count, Make make, Out out, std::uint64_t capacity,
                 std::uint64_t* offsets, std::uint64_t* total, const exec& how) {
    const EmitProblem<CountOf, Make, Out> problem{
        count, make, out, capacity, offsets, total, Count{n.bound(), n.on_device()}};
    using Shared = EmitShared<CountOf>;
    const emit_plan plan =
        plan_emit(n.bound(), capacity, sizeof(typename Shared::Tile::Stored), simt::properties_of(how.stream));
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes,
                                        [&](detail::Carver& carver) { return carve_emit(carver, plan, capacity); });
    const EmitMemory& memory = *scratch;
    if (const emit_wave* const way = plan.as<emit_wave>()) {
        if (way->items_per_thread == kEmitWaveItems)
            return launch_emit_wave<kEmitWaveItems>(*way, plan.blocks, problem, memory.outputs, how.stream);
        return launch_emit_wave<kEmitWideItems>(*way, plan.blocks, problem, memory.outputs, how.stream);
    }
    simt::fill(memory.control, 0, memory.zeroed, how.stream);
    simt::launch(emit_kernel<CountOf, Make, Out>,
                 {plan.blocks, kEmitThreads, sizeof(Shared), how.stream, "emit_kernel"}, problem,
                 make_board<Tally>(memory.board), memory.control, memory.large);
}

}  // namespace kogge::grid::KOGGE_CODE
