// Count, scan, emit by one wave, for few tiles: every block counts a tile and publishes its outputs, and behind one
// barrier of all blocks each adds up what comes before. Nothing is cleared before, and nobody polls.
//
// All blocks see all sums, so they share large tiles without a word: share s of all is made by block s modulo their
// number.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kogge/grid/emit_tile.cuh"
#include "kogge/grid/wave.cuh"

namespace kogge::grid {

/// Every warp of every block reads the sums of all tiles.
inline constexpr std::uint64_t kMostEmitWaveTiles = 512;

/// Sums of the tiles' outputs.
struct EmitSums {
    std::uint64_t before;  ///< this block's tile
    std::uint64_t of_all;
    bool any_large;

    /// In every thread; all threads of the block call.
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

/// A tile has `items` items a thread.
template <int items, class CountOf, class Make, class Out>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kEmitThreads, kEmitBlocks)
    emit_wave_kernel(EmitProblem<CountOf, Make, Out> problem, std::uint64_t* outputs) {
    simt::wait_for_stream();
    using Tile = EmitTile<EmitProblem<CountOf, Make, Out>, CountOf, items, 1>;
    auto& shared = simt::shared_memory<typename Tile::Shared>();
    const std::uint64_t n = problem.n.get();
    const int tiles = static_cast<int>(emit_tiles(n, items));
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
    int turn = 0;  // of the block that makes the next share
    for (int number = 0; number < tiles && start < problem.capacity; start += outputs[number++]) {
        if (outputs[number] <= kEmitShare) continue;
        const std::uint64_t room = problem.capacity - start;
        const std::uint64_t shares = divide_up(outputs[number] < room ? outputs[number] : room, kEmitShare);
        const auto first = static_cast<std::uint64_t>((own - turn + blocks) % blocks);
        turn = static_cast<int>((static_cast<std::uint64_t>(turn) + shares) % static_cast<std::uint64_t>(blocks));
        if (first >= shares) continue;
        simt::sync_block();  // the last window has been made
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

/// An emission has at least a block, and as many as there are tiles or shares of the outputs, but no more than `most`.
inline std::uint32_t emit_blocks(std::uint64_t tiles, std::uint64_t capacity, std::uint64_t most) {
    return static_cast<std::uint32_t>(
        std::min(std::max({tiles, divide_up(capacity, kEmitShare), std::uint64_t{1}}), most));
}

/// False, and nothing is done, where the tiles are not all resident at once.
template <int items, class CountOf, class Make, class Out>
bool emit_in_wave(const char* call, const EmitProblem<CountOf, Make, Out>& problem, const device_properties& device,
                  const exec& how) {
    using Shared = EmitTileShared<CountOf, items, 1>;
    const std::uint64_t by_shared = device.shared_bytes_per_multiprocessor / (sizeof(Shared) + 1024);
    const std::uint64_t by_threads = static_cast<std::uint64_t>(device.max_threads_per_multiprocessor) / kEmitThreads;
    const std::uint64_t resident = std::min({std::uint64_t{kEmitBlocks}, by_shared, by_threads}) *
                                   static_cast<std::uint64_t>(device.multiprocessors);
    const std::uint64_t tiles = emit_tiles(problem.n.host, items);
    if (tiles > std::min(resident, kMostEmitWaveTiles)) return false;
    detail::Carver measure;
    measure.take<std::uint64_t>(tiles);
    detail::Scratch scratch(call, how, measure.used());
    detail::Carver carver(scratch.data());
    const std::uint32_t blocks = emit_blocks(tiles, problem.capacity, resident);
    const bool cluster = blocks > 1 && blocks <= device.cluster_blocks;
    simt::launch(
        emit_wave_kernel<items, CountOf, Make, Out>,
        {blocks, kEmitThreads, sizeof(Shared), how.stream, "emit_wave_kernel", blocks > 1 && !cluster, cluster},
        problem, carver.take<std::uint64_t>(tiles));
    return true;
}

}  // namespace kogge::grid
