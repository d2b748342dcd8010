// Count, scan and emit by one wave, for few tiles: every block counts a tile and publishes its number of outputs. After
// one barrier of all blocks, each block adds up the sums of the tiles before its own. Nothing is cleared before, and no
// block polls.
//
// All blocks read all sums, so they divide the shares of large tiles without communication: block s modulo the number
// of blocks makes share s.
#pragma once

#include <cstdint>

#include "kogge/emit/tile.cuh"
#include "kogge/engine/wave.cuh"
#include "kogge/plan.hpp"

namespace kogge::grid::KOGGE_CODE {

/// Sums over the tiles' numbers of outputs.
struct EmitSums {
    std::uint64_t before;  ///< of the tiles before this block's
    std::uint64_t of_all;
    bool any_large;

    /// Sums in every thread. All threads of the block call.
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

/// A tile has `items` items per thread.
template <int items, class CountOf, class Make, class Out>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kEmitThreads, kEmitBlocks)
    emit_wave_kernel(EmitProblem<CountOf, Make, Out> problem, std::uint64_t* outputs) {
    simt::wait_for_stream();
    using Tile = EmitTile<EmitProblem<CountOf, Make, Out>, CountOf, items, 1>;
    auto& shared = simt::shared_memory<typename Tile::Shared>();
    const std::uint64_t n = problem.n.get();
    const int tiles = static_cast<int>(emit_tile_count(n, items));
    const int own = static_cast<int>(simt::block_rank()), blocks = static_cast<int>(simt::grid_size());
    const Tile tile(problem, shared, Tile::count(problem, shared, simt::block_rank(), n, 0));
    if (own < tiles && simt::thread_rank() == 0) outputs[own] = tile.outputs();
    tile.mark(0);
    sync_wave();  // all tiles are counted, and the first window is marked

    const EmitSums sums(outputs, tiles, own);
    if (problem.offsets) tile.write_offsets(sums.before, n);
    if (own == 0 && simt::thread_rank() == 0) {
        *problem.total = sums.of_all;
        if (problem.offsets) problem.offsets[n] = sums.of_all;
    }
    if (tile.outputs() <= kEmitShare) {
        tile.make(0, sums.before);
        for (std::uint64_t begin = kEmitWindow; begin < tile.outputs(); begin += kEmitWindow) {
            tile.turn_to(begin);
            tile.make(begin, sums.before);
        }
    }
    if (!sums.any_large) return;

    std::uint64_t start = 0;
    int turn = 0;  // block that makes the next share
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
