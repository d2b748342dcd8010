// Count, scan and emit by one wave, for few tiles: every block counts the outputs of one tile and publishes their
// number. After one barrier of all blocks, each block adds up the numbers of the tiles before its own, which is where
// its own outputs begin, and makes them, window by window. Nothing is cleared before, and no block polls.
//
// A tile of more than kEmitShare outputs is large, and all blocks make its shares. They read the numbers of all tiles
// anyway, so they divide the shares without communication: shares are numbered over all large tiles, and share s is
// made by block s modulo the number of blocks.
#pragma once

#include <cstdint>

#include "kogge/emit/tile.cuh"
#include "kogge/engine/wave.cuh"
#include "kogge/plan.hpp"

namespace kogge::grid::KOGGE_CODE {

/// Sums of the tiles' numbers of outputs.
struct EmitSums {
    std::uint64_t before;  ///< of the tiles before this block's
    std::uint64_t of_all;  ///< of all tiles
    bool any_large;        ///< whether any tile is large

    /// `outputs` has the number of each of the `tiles` tiles; `own` is this block's tile. Each warp adds all of them
    /// up. All threads of the block call, and all get the sums.
    KOGGE_DEVICE EmitSums(const std::uint64_t* outputs, int tiles, int own) {
        std::uint64_t sums[2] = {0, 0};
        bool large = false;
        for (int tile = simt::lane(); tile < tiles; tile += simt::kWarpSize) {
            sums[0] += tile < own ? outputs[tile] : 0;
            sums[1] += outputs[tile];
            large = large || outputs[tile] > kEmitShare;
        }
        warp::fold_each(sums, {simt::kWarpSize, simt::kWarpSize}, plus{});
        before = sums[0];
        of_all = sums[1];
        any_large = simt::any(large);
    }
};

/// A tile has `items` items per thread. Block b counts tile b; blocks without a tile only help with large ones.
template <int items, class CountOf, class Make, class Out>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kEmitThreads, kEmitBlocks)
    emit_wave_kernel(EmitProblem<CountOf, Make, Out> problem, std::uint64_t* outputs) {
    simt::wait_for_stream();
    using Tile = EmitTile<EmitProblem<CountOf, Make, Out>, CountOf, items, 1>;
    auto& shared = simt::shared_memory<typename Tile::Shared>();
    const std::uint64_t n = problem.n.get();
    const int tiles = static_cast<int>(emit_tile_count(n, items));
    const int own = static_cast<int>(simt::block_rank()), blocks = static_cast<int>(simt::grid_size());
    // Counts go to buffer 0, the only one: no tile is counted while another one's outputs are made.
    const Tile tile(problem, shared, Tile::count(problem, shared, simt::block_rank(), n, 0));
    if (own < tiles && simt::thread_rank() == 0) outputs[own] = tile.outputs();
    tile.mark(0);  // the window that begins at the tile's output 0
    sync_wave();   // all tiles are counted, and the first window is marked

    const EmitSums sums(outputs, tiles, own);
    if (problem.offsets) tile.write_offsets(sums.before, n);
    if (own == 0 && simt::thread_rank() == 0) {
        *problem.total = sums.of_all;
        if (problem.offsets) problem.offsets[n] = sums.of_all;
    }
    if (tile.outputs() <= kEmitShare) {
        tile.make(0, sums.before);  // the marked window
        for (std::uint64_t begin = kEmitWindow; begin < tile.outputs(); begin += kEmitWindow) {
            tile.turn_to(begin);
            tile.make(begin, sums.before);
        }
    }
    if (!sums.any_large) return;

    // All large tiles in order. `start`: the place of tile `number`'s first output. `turn`: the block whose turn it is
    // to make the next share; Tile::turn_to, for contrast, turns a tile to its next window. `first`: this block's first
    // share of the tile, after which it makes every `blocks`-th.
    std::uint64_t start = 0;
    int turn = 0;
    for (int number = 0; number < tiles && start < problem.capacity; start += outputs[number++]) {
        if (outputs[number] <= kEmitShare) continue;
        const std::uint64_t room = problem.capacity - start;
        const std::uint64_t shares = divide_up(outputs[number] < room ? outputs[number] : room, kEmitShare);
        const auto first = static_cast<std::uint64_t>((own - turn + blocks) % blocks);
        turn = static_cast<int>((static_cast<std::uint64_t>(turn) + shares) % static_cast<std::uint64_t>(blocks));
        if (first >= shares) continue;
        simt::sync_block();  // the previous window has been made
        const Tile large(problem, shared, Tile::count(problem, shared, static_cast<std::uint64_t>(number), n, 0));
        for (std::uint64_t share = first; share < shares; share += static_cast<std::uint64_t>(blocks)) {
            const std::uint64_t end = (share + 1) * kEmitShare;
            for (std::uint64_t begin = share * kEmitShare; begin < end && begin < large.outputs();
                 begin += kEmitWindow) {
                large.turn_to(begin);
                large.make(begin, start);
            }
        }
    }
}

template <int items, class CountOf, class Make, class Out>
void launch_emit_wave(const emit_wave& way, std::uint32_t blocks, const EmitProblem<CountOf, Make, Out>& problem,
                      std::uint64_t* outputs, stream_t stream) {
    using Shared = EmitTileShared<CountOf, items, 1>;
    static_assert(sizeof(Shared) == emit_wave_bytes(sizeof(typename Shared::Stored), items), "plans count on it");
    simt::launch(emit_wave_kernel<items, CountOf, Make, Out>,
                 {blocks, kEmitThreads, sizeof(Shared), stream, "emit_wave_kernel", way.cooperative, way.cluster},
                 problem, outputs);
}

}  // namespace kogge::grid::KOGGE_CODE
