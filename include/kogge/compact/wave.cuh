// A compaction or two-way partition by one wave: a tile's aggregate is the number of its kept items. Nothing is written
// before everything has been read. So in place is safe for both sides, and the start of the rejected items is known
// without a pass of its own.
//
// A tile of few rows stays in registers. A larger tile consists of batches of rows: while the next batch is in flight,
// a warp packs one in shared memory. For the largest inputs the last batch stays in registers, and is packed when the
// others have been stored.
//
// A partition into one output may have more batches than fit on chip. Then the first batches of a tile are only
// counted, and read again when the others have been stored, from the last one back: the most recently read is still in
// the L2 cache, where all other reads and writes are evicted first. That is not safe in place.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/compact/byte_flags.cuh"
#include "kogge/compact/predicate.cuh"
#include "kogge/compact/problem.cuh"
#include "kogge/compact/warp_compact.cuh"
#include "kogge/compact/warp_stage.cuh"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/wave.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The warps' slices of shared memory follow it.
struct alignas(128) CompactWaveShared {
    WaveShared<std::uint32_t> counts;
};
static_assert(sizeof(CompactWaveShared) <= wave_table_bytes(sizeof(std::uint32_t)), "plans count on it");

/// The number of items kept before a warp's, and in all.
struct WarpPlace {
    std::uint32_t before;
    std::uint32_t all;
};

/// The place of a warp with `kept` kept items. All threads call, once; afterwards everything has been read.
KOGGE_DEVICE WarpPlace place_warp(std::uint32_t kept, std::uint32_t* aggregates, CompactWaveShared& shared) {
    const int tile = static_cast<int>(simt::block_rank()), warp = simt::warp_rank(), lane = simt::lane();
    if (lane == 0) shared.counts.totals[warp] = kept;
    simt::sync_block();  // the warps' totals are written
    const std::uint32_t total = lane < kWaveWarps ? shared.counts.totals[lane] : 0;
    const std::uint32_t earlier_warps = simt::reduce_add(lane < warp ? total : 0);
    const std::uint32_t all_warps = simt::reduce_add(total);
    if (simt::thread_rank() == 0) aggregates[tile] = all_warps;
    sync_wave();  // all aggregates are written, and everything has been read

    std::uint32_t folds[2];  // of the earlier tiles, and of all
    fold_aggregates(folds, aggregates, {tile, static_cast<int>(simt::grid_size())}, plus{}, shared.counts);
    return {(tile > 0 ? folds[0] : 0) + earlier_warps, folds[1]};
}

/// A lane's decisions about its pieces of a warp's rows.
template <class Keep, class Rows>
KOGGE_DEVICE auto decide(const Keep& keep, const Rows& items) {
    KeptBits<Rows::kRows, Rows::kPiece> bits;
    if constexpr (std::is_same_v<Keep, ByFlag>) {
        Flags<Rows::kPiece> flags[Rows::kRows];
        KOGGE_UNROLL
        for (int r = 0; r < Rows::kRows; ++r) flags[r].read(keep.flags + items.index(r, 0), items.size(r));
        KOGGE_UNROLL
        for (int r = 0; r < Rows::kRows; ++r) bits.set_piece(r, flags[r].bits());
    } else if (items.size(Rows::kRows - 1) == Rows::kPiece) {
        with_decision(keep, [&](const auto& decision) {
            KOGGE_UNROLL
            for (int r = 0; r < Rows::kRows; ++r) {
                KOGGE_UNROLL
                for (int p = 0; p < Rows::kPiece; ++p)
                    bits.set(r, p, decision(items.index(r, p), items.pieces[r].get(p)));
            }
        });
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

/// Packs `size` items from in[begin] on, which are whole batches; `items` holds the first one. If there is `more`,
/// `items` then holds the batch after them and `bits` its decisions; otherwise `bits` is empty. Returns the number of
/// kept items. All lanes call.
template <class Item, class Keep, class In, class Out, bool once, class Rows, class Bits>
KOGGE_DEVICE int pack_groups(const CompactProblem<Item, Keep, In, Out>& problem, const PackedSlice<Item, once>& packed,
                             std::uint64_t begin, int size, std::uint64_t n, bool more, Rows& items, Bits& bits) {
    int kept = 0, end = 0;
    bits = decide(problem.keep, items);
    const auto pack = [&] {
        packed.pack(items.pieces, bits, kept, end - kept, static_cast<bool>(problem.rejected));
        kept += static_cast<int>(bits.count_warp());
        end += Rows::kWarpItems;
    };
    for (const int last = more ? size : size - Rows::kWarpItems; end < last;) {
        const Rows next(problem.in, begin + static_cast<std::uint64_t>(end + Rows::kWarpItems), n);
        pack();
        items = next;
        bits = decide(problem.keep, items);
    }
    if (!more) {
        pack();
        bits = {};
    }
    return kept;
}

/// The batches of rows of a block's tile: the first `counted` of `all` are read twice, and the next `packed` ones are
/// in shared memory.
struct WaveGroups {
    int all;
    int counted;
    int packed;
};

/// Block b takes tile b. Rejected items, if wanted, go to rejected[0 …], or follow the kept ones if `rejected` is
/// `kept`. Only with `counts` may batches be read twice; that code takes registers.
template <class Item, class Keep, class In, class Out, int rows, bool counts>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kWaveThreads, kWaveBlocks)
    compact_wave_kernel(CompactProblem<Item, Keep, In, Out> problem, std::uint32_t* aggregates, WaveGroups groups) {
    simt::wait_for_stream();
    using Rows = WaveRows<In, Item, rows, counts>;
    constexpr bool packs = counts || rows == most_compact_rows(sizeof(Item));  // otherwise there is one batch
    auto& shared = simt::shared_memory<CompactWaveShared>();
    const std::uint64_t n = problem.n.get();
    const int tile = static_cast<int>(simt::block_rank()), warp = simt::warp_rank();
    const int room = groups.packed * Rows::kWarpItems;
    const PackedSlice<Item, counts> packed{reinterpret_cast<Item*>(&shared + 1) + warp * room, room};
    const std::uint64_t begin = static_cast<std::uint64_t>(tile * kWaveWarps + warp) *
                                static_cast<std::uint64_t>(groups.all * Rows::kWarpItems);
    std::uint64_t base = begin + static_cast<std::uint64_t>(groups.counted * Rows::kWarpItems);  // of the items on chip

    KeptBits<Rows::kRows, Rows::kPiece> bits;
    int kept = 0;  // of the packed batches
    Rows items(problem.in, base, n);
    if constexpr (packs)
        kept = pack_groups(problem, packed, base, room, n, groups.counted + groups.packed < groups.all, items, bits);
    else bits = decide(problem.keep, items);
    std::uint32_t counted = 0;  // items kept in the batches that are read again
    if constexpr (counts) {
        using Counted = WaveRows<In, Item, rows>;
        Counted again(problem.in, begin, n);
        for (std::uint64_t next = begin; next < base;) {
            next += Rows::kWarpItems;
            const Counted ahead(problem.in, next, next < base ? n : 0);
            counted += decide(problem.keep, again).count_lane();
            again = ahead;
        }
        counted = simt::reduce_add(counted);
    }
    const int kept_last = static_cast<int>(bits.count_warp());
    const WarpPlace place = place_warp(counted + static_cast<std::uint32_t>(kept + kept_last), aggregates, shared);
    if (tile == 0 && simt::thread_rank() == 0) *problem.total = place.all;
    const std::uint64_t kept_before = place.before + counted;
    Out kept_run = problem.kept + kept_before;
    Out rejected_run = problem.rejected;
    const bool sides = static_cast<bool>(rejected_run);
    if (sides)
        rejected_run += (problem.rejected == problem.kept ? place.all : 0) + ((base < n ? base : n) - kept_before);
    if constexpr (!packs) {
        const int all = Rows::count_from(base, n);
        store_sides(items.pieces, bits, static_cast<std::uint32_t>(kept_last), all, packed.items, kept_run,
                    rejected_run);
    } else {
        const auto count_from = [&](std::uint64_t first, int size) {
            const std::uint64_t left = n <= first ? 0 : n - first;
            return left < static_cast<std::uint64_t>(size) ? static_cast<int>(left) : size;
        };
        const int rejected = count_from(base, room) - kept;
        packed.store_kept(kept_run, kept);
        if (sides) packed.store_rejected(rejected_run, rejected);
        if (groups.counted + groups.packed < groups.all) {
            simt::sync_warp();  // the packed batches have been stored
            packed.pack(items.pieces, bits, 0, 0, sides);
            simt::sync_warp();  // the last batch is packed
            packed.store_kept(kept_run + kept, kept_last);
            if (sides)
                packed.store_rejected(rejected_run + rejected,
                                      Rows::count_from(base + static_cast<std::uint64_t>(room), n) - kept_last);
        }
        if constexpr (counts) {
            while (base > begin) {
                const std::uint64_t left = base - begin;
                const int size = left < static_cast<std::uint64_t>(room) ? static_cast<int>(left) : room;
                base -= static_cast<std::uint64_t>(size);
                items = Rows(problem.in, base, n);
                simt::sync_warp();  // the packed items have been stored
                kept = pack_groups(problem, packed, base, size, n, false, items, bits);
                simt::sync_warp();  // these batches are packed
                kept_run -= kept;
                packed.store_kept(kept_run, kept);
                rejected_run -= count_from(base, size) - kept;
                packed.store_rejected(rejected_run, count_from(base, size) - kept);
            }
        }
    }
}

/// `aggregates` has one place per block. Items are read twice only if rejected ones may follow.
template <bool follows, class Item, class Keep, class In, class Out>
void launch_compact_wave(const compact_wave& way, std::uint32_t blocks,
                         const CompactProblem<Item, Keep, In, Out>& problem, std::uint32_t* aggregates,
                         stream_t stream) {
    const WaveGroups groups{way.batches, way.counted_batches, way.packed_batches};
    const auto launch = [&]<int rows, bool counts>(std::integral_constant<int, rows>, std::bool_constant<counts>) {
        using Rows = WaveRows<In, Item, rows>;
        const std::size_t bytes =
            sizeof(CompactWaveShared) + static_cast<std::size_t>(way.packed_batches) * Rows::kTileItems * sizeof(Item);
        simt::launch(compact_wave_kernel<Item, Keep, In, Out, rows, counts>,
                     {blocks, kWaveThreads, bytes, stream, "compact_wave_kernel", way.cooperative, way.cluster},
                     problem, aggregates, groups);
    };
    if constexpr (follows && may_count_rows(sizeof(Item)))
        if (way.counted_batches > 0) return launch(std::integral_constant<int, kCountedRows>{}, std::true_type{});
    with_wave_rows<most_compact_rows(sizeof(Item))>(way.rows, [&](auto rows) { launch(rows, std::false_type{}); });
}

}  // namespace kogge::grid::KOGGE_CODE
