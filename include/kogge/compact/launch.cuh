// Compaction and two-way partition on the grid's on-chip engine: a tile's aggregate is the number of its kept items.
// Each thread decides once about each of its contiguous items. The kept items, and after them the rejected ones, are
// packed on chip and stored as contiguous runs. Global traffic: every item read once, every result written once; a
// partition into one output reads every item once more before, to count.
//
// First the kernel of plain tiles, for devices without bulk copies; then one launch per way of the plan. A large
// compaction on sm_90 runs ring_kernel of engine/pipeline.cuh with the work of compact/pipeline.cuh.
//
// In place is safe for the kept items: a tile writes only at or before its own position, and only after every earlier
// tile has published its count, which a tile does once its items are on chip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

#include "kogge/block/coarsened.cuh"
#include "kogge/compact/flag_pipeline.cuh"
#include "kogge/compact/pipeline.cuh"
#include "kogge/compact/problem.cuh"
#include "kogge/compact/scratch.hpp"
#include "kogge/compact/stencil_pipeline.cuh"
#include "kogge/compact/wave.cuh"
#include "kogge/engine/carry.cuh"
#include "kogge/engine/tile_shape.hpp"
#include "kogge/engine/wave_shape.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid::KOGGE_CODE {

template <class Item, int tile_items>
struct CompactShared {
    alignas(128) Item tile[std::size_t{tile_items}];
    alignas(128) Item packed[std::size_t{tile_items}];
    typename block::ShuffleScan<kCompactThreads>::template Storage<std::uint32_t> network;
    std::uint64_t carry;
    std::uint32_t ticket;
};

template <class Item, class Keep, class In, class Out>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kCompactThreads, 4)
    compact_kernel(CompactProblem<Item, Keep, In, Out> problem, Board<Tally> board) {
    simt::wait_for_stream();
    using Problem = CompactProblem<Item, Keep, In, Out>;
    constexpr int items = Problem::kItems, words = (items + 31) / 32;
    using Shared = CompactShared<Item, Problem::kTileItems>;
    static_assert(sizeof(Shared) <= compact_shared_bytes(sizeof(Item)), "plans count on it");
    auto& shared = simt::shared_memory<Shared>();
    const std::uint64_t n = problem.n.get();
    const std::uint64_t tiles = divide_up(n, Problem::kTileItems);
    const int thread = simt::thread_rank();
    if (tiles == 0 && simt::block_rank() == 0 && thread == 0) *problem.total = 0;
    const Out rejected = problem.rejected ? problem.rejected_begin() : detail::no_output(problem.rejected);

    CarryFold<Tally, AddTallies> fold(board.tiles, AddTallies{}, {});
    for (;;) {
        if (thread == 0) shared.ticket = simt::atomic_add<simt::Scope::device>(board.ticket, 1);
        simt::sync_block();  // the ticket is written, and the previous tile has been stored
        const std::uint64_t tile = shared.ticket;
        if (tile >= tiles) return;
        const std::uint64_t base = tile * Problem::kTileItems;
        const int count = tile_size<Problem>(tile, n);
        block::load_tile<kCompactThreads, Problem::kTileItems>(shared.tile, problem.in, base, count);
        simt::sync_block();  // the tile is on chip

        const int first = thread * items, size = block::segment_size<items>(count, thread);
        std::uint32_t kept_bits[words] = {};
        block::SegmentScan counted(Carry<std::uint32_t>{}, plus{});
        block::visit_segment<items>(shared.tile + first, size, [&](int i, const Item& item) {
            const std::uint32_t is_kept = problem.keep(base + first + i, item) ? 1 : 0;
            kept_bits[i / 32] |= is_kept << (i % 32);
            counted.take(is_kept);
        });
        const auto prefix =
            block::ShuffleScan<kCompactThreads>::scan(counted.running().value, kCompactThreads, plus{}, shared.network);
        const int kept = static_cast<int>(prefix.aggregate);
        if (simt::warp_rank() == 0) {
            if (simt::lane() == 0) board.tiles.publish(tile, {prefix.aggregate});
            const Carry<Tally> carry = fold.before(tile);
            if (simt::lane() == 0) shared.carry = carry.present ? carry.value.value : 0;
        }

        block::SegmentScan places(prefix.after({0, true}, plus{}), plus{});  // on chip, before the carry is known
        block::visit_segment<items>(shared.tile + first, size, [&](int i, const Item& item) {
            const std::uint32_t is_kept = kept_bits[i / 32] >> (i % 32) & 1u;
            const int kept_before = static_cast<int>(places.take(is_kept).value);
            if (is_kept) shared.packed[kept_before] = item;
            else if (problem.rejected) shared.packed[kept + first + i - kept_before] = item;
        });
        simt::sync_block();  // the items are packed and the carry is written
        const std::uint64_t carry = shared.carry;
        for (int i = thread; i < kept; i += kCompactThreads)
            detail::put_item(problem.kept, carry + i, shared.packed[i]);
        if (problem.rejected)
            for (int i = kept + thread; i < count; i += kCompactThreads)
                detail::put_item(rejected, base - carry + i - kept, shared.packed[i]);
        if (tile == tiles - 1 && thread == 0) *problem.total = carry + prefix.aggregate;
    }
}

struct KeptShared {
    std::uint64_t totals[kWaveWarps];
};

/// Adds the number of kept items to *total, which is zero before. Reads from the end to the beginning, so that the
/// compaction that follows finds its first items in the L2 cache.
template <class Item, class Keep, class In, class Out>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kWaveThreads, kCountBlocks)
    count_kept_kernel(CompactProblem<Item, Keep, In, Out> problem) {
    simt::wait_for_stream();
    constexpr int rows = sizeof(Item) <= 2 ? 2 : 4;  // loads in flight
    using Rows = WaveRows<In, Item, rows>;
    auto& shared = simt::shared_memory<KeptShared>();
    const std::uint64_t n = problem.n.get(), tiles = divide_up(n, Rows::kTileItems);
    std::uint64_t kept = 0;
    for (std::uint64_t tile = simt::block_rank(); tile < tiles; tile += simt::grid_size()) {
        const Rows items(problem.in, Rows::begin_of(tiles - 1 - tile), n);
        kept += decide(problem.keep, items).count_warp();
    }
    if (simt::lane() == 0) shared.totals[simt::warp_rank()] = kept;
    simt::sync_block();  // the warps' totals are written
    if (simt::thread_rank() > 0) return;
    for (int w = 1; w < kWaveWarps; ++w) kept += shared.totals[w];
    if (kept > 0) simt::atomic_add<simt::Scope::device>(problem.total, kept);
}

// ---- launches ------------------------------------------------------------------------------------------

/// What a partition into one output does first: it counts the kept items, after which the rejected ones begin, and in
/// place copies the input.
template <bool follows, class Item, class Keep, class In, class Out>
void count_first(const std::optional<counting_pass>& counting, CompactProblem<Item, Keep, In, Out>& problem,
                 const CompactMemory& memory, stream_t stream) {
    if constexpr (follows) {
        if (!counting) return;
        CompactProblem<Item, Keep, In, Out> counted = problem;
        // Not `total`, which the kernel that follows writes while other blocks still read the count.
        counted.total = memory.board.counter;
        simt::launch(count_kept_kernel<Item, Keep, In, Out>,
                     {counting->blocks, kWaveThreads, sizeof(KeptShared), stream, "count_kept_kernel"}, counted);
        problem.rejected_start = memory.board.counter;
        if (!counting->copies_input) return;
        if constexpr (std::is_pointer_v<In>) {
            simt::copy(memory.items, problem.in, problem.n.host * sizeof(Item), stream);
            problem.in = static_cast<In>(memory.items);
        }
    }
}

/// One overload per way. In place, later tiles store kept items over earlier ones, and must see that these are on chip.
template <bool follows, class Item, class Keep, class In, class Out>
void launch_compact(const compact_wave& way, const compact_plan& plan,
                    const CompactProblem<Item, Keep, In, Out>& problem, const CompactMemory& memory, stream_t stream) {
    launch_compact_wave<follows>(way, plan.blocks, problem, memory.aggregates, stream);
}

template <bool follows, class Item, class Keep, class In, class Out>
void launch_compact(const compact_pipeline& way, const compact_plan& plan, CompactProblem<Item, Keep, In, Out> problem,
                    const CompactMemory& memory, stream_t stream) {
    if constexpr (fits_ring(sizeof(Item))) {  // plans choose it for no other items
        if (!way.cooperative) simt::fill(memory.board.ticket, 0, memory.board.zeroed, stream);
        count_first<follows>(way.counting, problem, memory, stream);
        const bool is_in_place = detail::are_same_place(problem.in, problem.kept);
        const Board<Tally> board = make_board<Tally>(memory.board, !way.cooperative, is_in_place);
        if constexpr (std::is_same_v<Keep, ByFlag> && std::is_same_v<In, const Item*> && std::is_same_v<Out, Item*>) {
            if (!problem.rejected && !is_in_place && block::is_chunk_aligned(problem.in))
                return launch_flagged_ring(problem, board, plan.blocks, stream);
        } else if constexpr (kReadsStencil<Keep, In>) {
            return launch_ring<compact_ahead(sizeof(Item))>(StencilWork<Item, Keep, Out>(problem), board, plan.blocks,
                                                            "compact_stencil_kernel", stream);
        } else if constexpr (kGathers<Keep, In>) {
            if (!problem.rejected && !is_in_place) return launch_gather_ring(problem, board, plan.blocks, stream);
        }
        const CompactWork<Item, Keep, In, Out> work{problem.in, problem.n, {}, {}, problem};
        launch_ring<compact_ahead(sizeof(Item))>(work, board, plan.blocks, "compact_ring_kernel", stream);
    }
}

template <bool follows, class Item, class Keep, class In, class Out>
void launch_compact(const compact_tiles& way, const compact_plan& plan, CompactProblem<Item, Keep, In, Out> problem,
                    const CompactMemory& memory, stream_t stream) {
    simt::fill(memory.board.ticket, 0, memory.board.zeroed, stream);
    count_first<follows>(way.counting, problem, memory, stream);
    const bool is_in_place = detail::are_same_place(problem.in, problem.kept);
    const Board<Tally> board = make_board<Tally>(memory.board, true, is_in_place);
    simt::launch(
        compact_kernel<Item, Keep, In, Out>,
        {plan.blocks, kCompactThreads, sizeof(CompactShared<Item, CompactProblem<Item, Keep, In, Out>::kTileItems>),
         stream, "compact_kernel"},
        problem, board);
}

/// Compacts, or partitions into kept and rejected items. If `rejected` == `kept`, the rejected items follow the kept
/// ones, which takes a counting pass first; if `in` == `kept` as well, the input is copied to scratch first. A wave
/// needs neither. `total` is device memory. Input and outputs are as those of a CompactProblem.
template <bool follows, class Item, class In, class Out, class Keep>
void compact_items(const char* call, const In& in, const item_count& n, const Out& kept, const Out& rejected,
                   std::uint64_t* total, const Keep& keep, const exec& how) {
    const bool is_asked = simt::is_measuring();  // null stands for arrays to come, which are apart
    const bool behind = follows && (rejected || is_asked) && rejected == kept;
    const bool in_place = behind && kept && detail::are_same_place(in, kept);
    const compact_plan plan = plan_compact(n.bound(), sizeof(Item), behind, in_place, simt::properties_of(how.stream));
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes, [&](detail::Carver& carver) {
        return carve_compact(carver, plan, n.bound(), sizeof(Item));
    });
    const CompactProblem<Item, Keep, In, Out> problem{in,  kept, rejected, nullptr, total, {n.bound(), n.on_device()},
                                                      keep};
    std::visit([&](const auto& way) { launch_compact<follows>(way, plan, problem, *scratch, how.stream); }, plan.way);
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

template <bool follows, class Code, class Item, class Keep>
void device_compact(const char* call, const Item* in, const item_count& n, Item* kept, Item* rejected,
                    std::uint64_t* total, Keep keep, const exec& how) {
    compact_items<follows, Item>(call, in, n, kept, rejected, total, keep, how);
}

template <class Code, class Index, class Keep>
void device_indices(const char* call, const item_count& n, Index* out, std::uint64_t* total, Keep keep,
                    const exec& how) {
    compact_items<false, Index>(call, detail::Positions<Index>{}, n, out, static_cast<Index*>(nullptr), total, keep,
                                how);
}

}  // namespace kogge::grid
