// Count, scan, emit, in one pass: a block counts the outputs of a tile of items and publishes the sum; while the sums
// of earlier tiles come in (carry.cuh), it does the same with its next tile, and then makes the outputs of the first
// one. Global traffic: what `count` and `make` read, and every output written once; offsets only if they are asked for.
//
// Few tiles are one wave instead (emit_wave.cuh).
//
// No block is left alone with a tile of very many outputs: it only notes where they go, and when all tiles are counted,
// all blocks share them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "kogge/grid/block_sums.cuh"
#include "kogge/grid/emit_tile.cuh"
#include "kogge/grid/emit_wave.cuh"
#include "kogge/operators.hpp"

namespace kogge::grid {

/// A tile whose outputs all blocks share.
struct LargeTile {
    std::uint64_t tile;
    std::uint64_t start;  ///< place of its first output
    std::uint64_t share;  ///< number of its first share among those of all large tiles
};
/// Large tiles, other than the last that fits, fill more than a share each.
constexpr std::uint64_t most_large_tiles(std::uint64_t tiles, std::uint64_t capacity) {
    const std::uint64_t fit = capacity / kEmitShare + 1;
    return tiles < fit ? tiles : fit;
}

/// Tickets are 32-bit numbers, and each block draws one behind the last tile.
inline constexpr std::uint64_t kMostEmitTiles = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 16);

/// What the blocks tell each other besides the tiles' sums; zero before the launch.
struct EmitControl {
    static constexpr int kShareBits = 40;
    std::uint64_t large;    ///< large tiles, and below them in kShareBits bits their shares
    std::uint32_t ticket;   ///< of shares
    std::uint32_t counted;  ///< tiles
};

template <class CountOf>
struct EmitShared {
    EmitTileShared<CountOf, kEmitItems, 2> tile;
    BlockSums::Shared sums;
    std::uint64_t large;
    std::uint32_t ticket;
};

/// Makes the outputs of the tile that is marked, the first of which goes to `start`; or notes that all blocks do.
template <class Tile, class Problem>
KOGGE_DEVICE void make_or_note(const Tile& tile, const Problem& problem, std::uint64_t number, std::uint64_t start,
                               EmitControl* control, LargeTile* large_tiles) {
    if (tile.outputs() > kEmitShare) {
        if (simt::thread_rank() > 0 || start >= problem.capacity) return;
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
    const std::uint64_t n = problem.n.get(), tiles = emit_tiles(n, kEmitItems);
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
        simt::sync_block();  // the ticket is written, and the last tile has been made
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
                *problem.total = start + tile.outputs();
                if (problem.offsets) problem.offsets[n] = start + tile.outputs();
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
    simt::sync_block();  // all tiles are counted, and the large ones known
    const std::uint64_t large = shared.large >> EmitControl::kShareBits;
    const std::uint64_t shares = shared.large & ((std::uint64_t{1} << EmitControl::kShareBits) - 1);
    for (;;) {
        if (thread == 0) shared.ticket = simt::atomic_add<simt::Scope::device>(&control->ticket, 1);
        simt::sync_block();  // the ticket is written, and the last share has been made
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

/// By tiles that resident blocks draw.
template <class CountOf, class Make, class Out>
void emit_in_tiles(const char* call, const EmitProblem<CountOf, Make, Out>& problem, const device_properties& device,
                   const exec& how) {
    const std::uint64_t resident = kEmitBlocks * static_cast<std::uint64_t>(device.multiprocessors);
    const std::uint64_t tiles = emit_tiles(problem.n.host, kEmitItems);
    if (tiles >= kMostEmitTiles)
        throw error(errc::invalid_argument, call,
                    std::to_string(problem.n.host) + " items are too many for one call: emit them in parts");
    const auto carve = [&](detail::Carver& carver) {
        EmitControl* const control = carver.take<EmitControl>(1);
        const BoardMemory memory = carve_board(carver, tiles, 1, 0);
        LargeTile* const large = carver.take<LargeTile>(most_large_tiles(tiles, problem.capacity));
        return std::tuple(control, memory, large);
    };
    detail::Carver measure;
    carve(measure);
    detail::Scratch scratch(call, how, measure.used());
    detail::Carver carver(scratch.data());
    const auto [control, memory, large] = carve(carver);
    const auto board_begin = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(memory.ticket) -
                                                      reinterpret_cast<const std::byte*>(control));
    simt::fill(control, 0, board_begin + memory.zeroed, how.stream);
    simt::launch(emit_kernel<CountOf, Make, Out>,
                 {emit_blocks(tiles, problem.capacity, resident), kEmitThreads, sizeof(EmitShared<CountOf>), how.stream,
                  "emit_kernel"},
                 problem, make_board<Tally>(memory), control, large);
}

/// Emits on the device; arguments have been checked. `offsets` has room for n + 1 and may be null; `total` is device
/// memory. Where the outputs do not fit, the first `capacity` of them are written.
template <class CountOf, class Make, class Out>
void device_emit(const char* call, const item_count& n, CountOf count, Make make, Out* out, std::uint64_t capacity,
                 std::uint64_t* offsets, std::uint64_t* total, const exec& how) {
    const EmitProblem<CountOf, Make, Out> problem{
        count, make, out, capacity, offsets, total, Count{n.bound(), n.on_device()}};
    const device_properties device = simt::properties_of(how.stream);
    if (emit_in_wave<kEmitWaveItems>(call, problem, device, how) ||
        emit_in_wave<kEmitWideItems>(call, problem, device, how))
        return;
    emit_in_tiles(call, problem, device, how);
}

}  // namespace kogge::grid
