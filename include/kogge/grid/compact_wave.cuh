// A compaction or two-way partition by one wave: the aggregate of a tile is the number of its items that are kept.
// Nothing is written before everything has been read, so in place is safe for both sides, and the start of the rejected
// items is known without a pass of its own.
#pragma once

#include <cstdint>

#include "kogge/grid/compact_problem.cuh"
#include "kogge/grid/compact_rows.cuh"
#include "kogge/grid/wave.cuh"

namespace kogge::grid {

template <class Item, int rows>
struct CompactWaveShared {
    using Rows = WaveRows<const Item*, Item, rows>;
    alignas(16) Item buffers[kWaveWarps][Rows::kWarpItems];
    WaveShared<std::uint32_t> counts;
};

/// A lane's decisions about its part of a warp's rows.
template <class Keep, class Rows>
KOGGE_DEVICE auto decide(const Keep& keep, const Rows& items) {
    KeptBits<Rows::kRows, Rows::kPiece> bits;
    KOGGE_UNROLL
    for (int r = 0; r < Rows::kRows; ++r) {
        KOGGE_UNROLL
        for (int p = 0; p < Rows::kPiece; ++p)
            if (p < items.size(r)) bits.set(r, p, keep(items.index(r, p), items.pieces[r].get(p)));
    }
    return bits;
}

/// Block b takes tile b. Rejected items, if wanted, go to rejected[0 …], or behind the kept ones where `rejected` is
/// `kept`.
template <class Item, class Keep, int rows>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kWaveThreads, kWaveBlocks)
    compact_wave_kernel(CompactProblem<Item, Keep> problem, std::uint32_t* aggregates) {
    using Shared = CompactWaveShared<Item, rows>;
    using Rows = typename Shared::Rows;
    auto& shared = simt::shared_memory<Shared>();
    const std::uint64_t n = problem.n.get();
    const int tile = static_cast<int>(simt::block_rank()), warp = simt::warp_rank(), lane = simt::lane();
    const Rows items(problem.in, tile, n);
    const auto bits = decide(problem.keep, items);
    const std::uint32_t kept = bits.count_warp();
    if (lane == 0) shared.counts.totals[warp] = kept;
    simt::sync_block();  // the warps' totals are written
    const std::uint32_t total = lane < kWaveWarps ? shared.counts.totals[lane] : 0;
    const std::uint32_t earlier_warps = simt::reduce_add(lane < warp ? total : 0);
    const std::uint32_t all_warps = simt::reduce_add(total);
    if (simt::thread_rank() == 0) aggregates[tile] = all_warps;
    sync_wave();  // all aggregates are written, and everything has been read

    std::uint32_t folds[2];  // of the earlier tiles, and of all
    fold_aggregates(folds, aggregates, {tile, static_cast<int>(simt::grid_size())}, plus{}, shared.counts);
    if (tile == 0 && simt::thread_rank() == 0) *problem.total = folds[1];
    const std::uint64_t kept_before = (tile > 0 ? folds[0] : 0) + earlier_warps;
    const std::uint64_t base =
        static_cast<std::uint64_t>(tile) * Rows::kTileItems + static_cast<std::uint64_t>(warp * Rows::kWarpItems);
    const int all = n <= base ? 0 : n - base < Rows::kWarpItems ? static_cast<int>(n - base) : Rows::kWarpItems;
    Item* rejected = problem.rejected;
    if (rejected) rejected += (rejected == problem.kept ? folds[1] : 0) + (base - kept_before);
    store_sides(items.pieces, bits, kept, all, shared.buffers[warp], problem.kept + kept_before, rejected);
}

/// `aggregates` has a place for each block of the plan.
template <class Item, class Keep>
void launch_compact_wave(const CompactProblem<Item, Keep>& problem, const compact_plan& plan, std::uint32_t* aggregates,
                         stream_t stream) {
    with_wave_rows<most_compact_rows(sizeof(Item))>(plan.rows, [&]<int rows>(std::integral_constant<int, rows>) {
        using Shared = CompactWaveShared<Item, rows>;
        static_assert(sizeof(Shared) <= sizeof(Shared::buffers) + wave_table_bytes(sizeof(std::uint32_t)),
                      "plans count on it");
        simt::launch(compact_wave_kernel<Item, Keep, rows>,
                     {plan.blocks, kWaveThreads, sizeof(Shared), stream, "compact_wave_kernel", plan.blocks > 1},
                     problem, aggregates);
    });
}

}  // namespace kogge::grid
