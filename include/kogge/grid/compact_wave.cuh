// A compaction or two-way partition by one wave: the aggregate of a tile is the number of its items that are kept.
// Nothing is written before everything has been read, so in place is safe for both sides, and the start of the rejected
// items is known without a pass of its own.
//
// A tile of few rows stays in registers. A larger one is as many groups of rows as it takes: while the next group is on
// its way, a warp packs one in shared memory; of the largest inputs the last group stays in registers, and is packed
// when the others have left.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/grid/compact_problem.cuh"
#include "kogge/grid/compact_rows.cuh"
#include "kogge/grid/flags.cuh"
#include "kogge/grid/packed.cuh"
#include "kogge/grid/wave.cuh"
#include "kogge/prebuilt.hpp"

namespace kogge::grid {

/// The warps' stretches follow it.
struct alignas(128) CompactWaveShared {
    WaveShared<std::uint32_t> counts;
};
static_assert(sizeof(CompactWaveShared) <= wave_table_bytes(sizeof(std::uint32_t)), "plans count on it");

/// A lane's decisions about its part of a warp's rows.
template <class Keep, class Rows>
KOGGE_DEVICE auto decide(const Keep& keep, const Rows& items) {
    KeptBits<Rows::kRows, Rows::kPiece> bits;
    if constexpr (std::is_same_v<Keep, ByFlag>) {
        Flags<Rows::kPiece> flags[Rows::kRows];
        KOGGE_UNROLL
        for (int r = 0; r < Rows::kRows; ++r) flags[r].read(keep.flags + items.index(r, 0), items.size(r));
        KOGGE_UNROLL
        for (int r = 0; r < Rows::kRows; ++r) bits.set_piece(r, flags[r].bits());
    } else {
        KOGGE_UNROLL
        for (int r = 0; r < Rows::kRows; ++r) {
            KOGGE_UNROLL
            for (int p = 0; p < Rows::kPiece; ++p)
                if (p < items.size(r)) bits.set(r, p, keep(items.index(r, p), items.pieces[r].get(p)));
        }
    }
    return bits;
}

/// Block b takes tile b. Rejected items, if wanted, go to rejected[0 …], or behind the kept ones where `rejected` is
/// `kept`.
template <class Item, class Keep, int rows>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kWaveThreads, kWaveBlocks)
    compact_wave_kernel(CompactProblem<Item, Keep> problem, std::uint32_t* aggregates, int groups, int packed_groups) {
    using Rows = WaveRows<const Item*, Item, rows>;
    constexpr bool packs = rows == most_compact_rows(sizeof(Item));  // otherwise there is one group
    auto& shared = simt::shared_memory<CompactWaveShared>();
    const std::uint64_t n = problem.n.get();
    const int tile = static_cast<int>(simt::block_rank()), warp = simt::warp_rank(), lane = simt::lane();
    const int room = packed_groups * Rows::kWarpItems;
    const PackedStretch<Item> packed{reinterpret_cast<Item*>(&shared + 1) + warp * room, room};
    const std::uint64_t base =
        static_cast<std::uint64_t>(tile * kWaveWarps + warp) * static_cast<std::uint64_t>(groups * Rows::kWarpItems);

    int kept = 0;  // of the packed groups
    Rows items(problem.in, base, n);
    auto bits = decide(problem.keep, items);
    if constexpr (packs) {
        for (int end = Rows::kWarpItems; end <= room; end += Rows::kWarpItems) {
            const bool more = end < groups * Rows::kWarpItems;  // otherwise the next group is empty
            const Rows next(problem.in, base + static_cast<std::uint64_t>(end), more ? n : 0);
            packed.pack(items.pieces, bits, kept, end - Rows::kWarpItems - kept, problem.rejected != nullptr);
            kept += static_cast<int>(bits.count_warp());
            items = next;
            bits = decide(problem.keep, items);
        }
    }
    const int kept_last = static_cast<int>(bits.count_warp());
    if (lane == 0) shared.counts.totals[warp] = static_cast<std::uint32_t>(kept + kept_last);
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
    Item* kept_run = problem.kept + kept_before;
    Item* rejected_run = problem.rejected;
    const bool sides = rejected_run != nullptr;
    if (sides) rejected_run += (problem.rejected == problem.kept ? folds[1] : 0) + (base - kept_before);
    if constexpr (!packs) {
        const int all = Rows::count_from(base, n);
        store_sides(items.pieces, bits, static_cast<std::uint32_t>(kept_last), all, packed.items, kept_run,
                    rejected_run);
    } else {
        const std::uint64_t left = n <= base ? 0 : n - base;
        const int rejected = (left < static_cast<std::uint64_t>(room) ? static_cast<int>(left) : room) - kept;
        packed.store_kept(kept_run, kept);
        if (sides) packed.store_rejected(rejected_run, rejected);
        if (groups == packed_groups) return;
        simt::sync_warp();  // the packed groups have left
        packed.pack(items.pieces, bits, 0, 0, sides);
        simt::sync_warp();  // the last group is packed
        packed.store_kept(kept_run + kept, kept_last);
        if (sides)
            packed.store_rejected(rejected_run + rejected,
                                  Rows::count_from(base + static_cast<std::uint64_t>(room), n) - kept_last);
    }
}

/// `aggregates` has a place for each block of the plan.
template <class Item, class Keep>
void launch_compact_wave(const CompactProblem<Item, Keep>& problem, const compact_plan& plan, std::uint32_t* aggregates,
                         stream_t stream) {
    with_wave_rows<most_compact_rows(sizeof(Item))>(plan.rows, [&]<int rows>(std::integral_constant<int, rows>) {
        using Rows = WaveRows<const Item*, Item, rows>;
        const std::size_t bytes =
            sizeof(CompactWaveShared) + static_cast<std::size_t>(plan.packed_groups) * Rows::kTileItems * sizeof(Item);
        simt::launch(compact_wave_kernel<Item, Keep, rows>,
                     {plan.blocks, kWaveThreads, bytes, stream, "compact_wave_kernel", plan.cooperative, plan.cluster},
                     problem, aggregates, plan.groups, plan.packed_groups);
    });
}

}  // namespace kogge::grid
