// The grid's scan, reduce-then-scan in one pass, two levels, or recursive: the kernels for any GPU, then one launch per
// way of the plan, with the waves and the pipeline of their own files. Global traffic per item: on chip one read and
// one write; two-level and recursive two reads and one write.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "kogge/scan/deep_wave.cuh"
#include "kogge/scan/pipeline.cuh"
#include "kogge/scan/scratch.hpp"
#include "kogge/scan/tile.cuh"
#include "kogge/scan/wave.cuh"

namespace kogge::grid::KOGGE_CODE {

// ---- kernels -------------------------------------------------------------------------------------------

/// The whole scan in one pass; see engine/carry.cuh for its progress. The grid may have any number of blocks.
template <class Problem, class Network>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kScanThreads, 4)
    scan_on_chip_kernel(Problem problem, Network network, Board<typename Problem::Accumulator> board) {
    simt::wait_for_stream();
    using Acc = typename Problem::Accumulator;
    auto& shared = simt::shared_memory<ScanShared<Problem, Network>>();
    const std::uint64_t n = problem.n.get();
    const std::uint64_t tiles = divide_up(n, Problem::kTileItems);
    CarryFold<Acc, typename Problem::Operator> fold(board.tiles, problem.op, problem.start);
    for (;;) {
        if (simt::thread_rank() == 0) shared.ticket = simt::atomic_add<simt::Scope::device>(board.ticket, 1);
        simt::sync_block();  // the ticket is written, and the previous tile's store has read the tile
        const std::uint64_t tile = shared.ticket;
        if (tile >= tiles) return;
        const int count = tile_size<Problem>(tile, n);
        const auto prefix = reduce_tile(problem, network, shared, tile, count);
        if (simt::warp_rank() == 0) {
            if (simt::lane() == 0) board.tiles.publish(tile, prefix.aggregate);
            const Carry<Acc> carry = fold.before(tile);
            if (simt::lane() == 0) shared.carry = carry;
        }
        simt::sync_block();  // the carry is written
        finish_tile(problem, shared, prefix, tile, count);
    }
}

/// Block b folds its `tiles_per_block` tiles into sums[b].
template <class Problem, class Network>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kScanThreads, 4)
    reduce_chunks_kernel(Problem problem, Network network, std::uint64_t tiles_per_block,
                         typename Problem::Accumulator* sums) {
    simt::wait_for_stream();
    using Acc = typename Problem::Accumulator;
    auto& shared = simt::shared_memory<ScanShared<Problem, Network>>();
    const std::uint64_t n = problem.n.get();
    const std::uint64_t tiles = divide_up(n, Problem::kTileItems);
    const std::uint64_t first = simt::block_rank() * tiles_per_block;
    const std::uint64_t last = first + tiles_per_block < tiles ? first + tiles_per_block : tiles;
    Carry<Acc> sum{};
    for (std::uint64_t tile = first; tile < last; ++tile) {
        // Its first barrier follows all reads of the network's storage.
        const auto prefix = reduce_tile(problem, network, shared, tile, tile_size<Problem>(tile, n));
        sum = append(sum, prefix.aggregate, problem.op);
    }
    if (simt::thread_rank() == 0 && sum.present) sums[simt::block_rank()] = sum.value;
}

/// Block b scans its `tiles_per_block` tiles. Block b > 0 starts from sums[b − 1], the inclusive scan of the blocks'
/// sums.
template <class Problem, class Network>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kScanThreads, 4)
    scan_chunks_kernel(Problem problem, Network network, std::uint64_t tiles_per_block,
                       const typename Problem::Accumulator* sums) {
    simt::wait_for_stream();
    using Acc = typename Problem::Accumulator;
    auto& shared = simt::shared_memory<ScanShared<Problem, Network>>();
    const std::uint64_t n = problem.n.get();
    const std::uint64_t tiles = divide_up(n, Problem::kTileItems);
    const std::uint64_t first = simt::block_rank() * tiles_per_block;
    const std::uint64_t last = first + tiles_per_block < tiles ? first + tiles_per_block : tiles;
    if (first >= last) return;
    Carry<Acc> carry = problem.start;
    if (simt::block_rank() > 0) {
        const Acc before = sums[simt::block_rank() - 1];
        carry = append(carry, before, problem.op);
    }
    for (std::uint64_t tile = first; tile < last; ++tile) {
        const int count = tile_size<Problem>(tile, n);
        if (simt::thread_rank() == 0) shared.carry = carry;
        const auto prefix = reduce_tile(problem, network, shared, tile, count);  // its barriers make the carry visible
        finish_tile(problem, shared, prefix, tile, count);
        carry = append(carry, prefix.aggregate, problem.op);
        simt::sync_block();  // the store has read the tile
    }
}

// ---- launches ------------------------------------------------------------------------------------------

template <class Problem, class Network>
simt::LaunchShape scan_launch(std::uint64_t blocks, stream_t stream, const char* name) {
    return {static_cast<std::uint32_t>(blocks), kScanThreads, sizeof(ScanShared<Problem, Network>), stream, name};
}

/// Reduces level by level until one block can scan the sums, then scans back down. Each level's sums are scanned in
/// place.
template <class Problem, class Network>
void scan_levels(const Problem& problem, Network network, const std::vector<scan_level>& levels, std::size_t level,
                 const std::vector<void*>& sums, stream_t stream) {
    using Acc = typename Problem::Accumulator;
    const scan_level& here = levels[level];
    Acc* sums_here = nullptr;
    if (here.blocks > 1) {
        sums_here = static_cast<Acc*>(sums[level]);
        simt::launch(reduce_chunks_kernel<Problem, Network>,
                     scan_launch<Problem, Network>(here.blocks, stream, "reduce_chunks_kernel"), problem, network,
                     here.tiles_per_block, sums_here);
        Count blocks = problem.n;
        blocks.divisor *= here.tiles_per_block * Problem::kTileItems;
        const ScanProblem<const Acc*, Acc, Acc, typename Problem::Operator> above{sums_here,  sums_here, blocks,
                                                                                  problem.op, {},        true};
        scan_levels(above, network, levels, level + 1, sums, stream);
    }
    simt::launch(scan_chunks_kernel<Problem, Network>,
                 scan_launch<Problem, Network>(here.blocks, stream, "scan_chunks_kernel"), problem, network,
                 here.tiles_per_block, static_cast<const Acc*>(sums_here));
}

// One launch_way per way; those of waves stand beside their kernels.

template <class Problem, class Network>
void launch_way(const level_scan& way, const Problem& problem, Network network, const scan_plan&,
                const ScanMemory& memory, stream_t stream) {
    scan_levels(problem, network, way.levels, 0, memory.sums, stream);
}

template <class Problem, class Network>
void launch_way(const tile_scan&, const Problem& problem, Network network, const scan_plan& plan,
                const ScanMemory& memory, stream_t stream) {
    simt::fill(memory.board.ticket, 0, memory.board.zeroed, stream);
    simt::launch(scan_on_chip_kernel<Problem, Network>,
                 scan_launch<Problem, Network>(plan.blocks, stream, "scan_on_chip_kernel"), problem, network,
                 make_board<typename Problem::Accumulator>(memory.board));
}

template <class Problem, class Network>
void launch_way(const pipeline_scan& way, const Problem& problem, Network, const scan_plan& plan,
                const ScanMemory& memory, stream_t stream) {
    if (!way.cooperative) simt::fill(memory.board.ticket, 0, memory.board.zeroed, stream);
    if constexpr (fits_ring(Problem::kShape)) {
        // Loads that are evicted first are faster while most of the output fits the cache, and slower beyond.
        const std::size_t cached = simt::current_properties().l2_bytes / 3 * 2;
        using Work = ScanWork<Problem>;
        const Work work(problem, Work::kFromMemory && problem.n.host * sizeof(typename Problem::Item) <= cached);
        constexpr ring_shape ring = scan_ring(Problem::kShape);
        static_assert(ring.worker_warps == kRingWarps && ring.stages == kRingStages);
        launch_ring<ring.ahead, ring.parts, ring.loading>(
            work, make_board<typename Problem::Accumulator>(memory.board, !way.cooperative), plan.blocks,
            "scan_ring_kernel", stream);
    }
}

/// Launches the plan's way, which is one of `Ways`; others are not compiled.
template <class... Ways, class Problem, class Network>
void launch_one_of(const Problem& problem, Network network, const scan_plan& plan, const ScanMemory& memory,
                   stream_t stream) {
    const auto launch = [&]<class Way>(const Way& way) {
        if constexpr ((std::is_same_v<Way, Ways> || ...)) launch_way(way, problem, network, plan, memory, stream);
        else throw std::logic_error(std::string("no such scan goes the way of its plan, ") + to_string(plan.way));
    };
    std::visit(launch, plan.way);
}

template <class Problem, class Network>
void launch_scan(const char* call, const Problem& problem, Network network, const scan_plan& plan, const exec& how) {
    const detail::CarvedScratch memory(call, how, plan.scratch_bytes, [&](detail::Carver& carver) {
        return carve_scan(carver, plan, sizeof(typename Problem::Accumulator));
    });
    if constexpr (fits_deep_wave(Problem::kShape))
        launch_one_of<level_scan, tile_scan, pipeline_scan, wave_scan, deep_wave_scan>(problem, network, plan, *memory,
                                                                                       how.stream);
    else launch_one_of<level_scan, tile_scan, pipeline_scan, wave_scan>(problem, network, plan, *memory, how.stream);
}

/// Scans on the device. `n` may be a device count. The arguments have been checked. `out` is the Place of a
/// ScanProblem; results are of type Out.
template <class Out, class In, class Place, class Acc, class Op>
void device_scan_to(const char* call, const In& in, const Place& out, const item_count& n, Op op,
                    const Carry<Acc>& start, bool inclusive, const scan_options& options, const exec& how) {
    using Problem = ScanProblem<In, Out, Acc, Op, Place>;
    if (n.bound() == 0) return;
    const scan_plan plan = plan_scan(n.bound(), Problem::kShape, options, simt::properties_of(how.stream));
    const Problem problem{in, detail::results_of(in, out), {n.bound(), n.on_device()}, op, start, inclusive};
    if (options.block == network::shuffle) launch_scan(call, problem, DefaultNetwork{}, plan, how);
    else launch_scan(call, problem, ChosenNetwork{options.block}, plan, how);
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

/// Scans on the device. `n` may be a device count. The arguments have been checked.
template <class In, class Out, class Acc, class Op, class Code>
void device_scan(const char* call, In in, Out* out, const item_count& n, Op op, const Carry<Acc>& start, bool inclusive,
                 const scan_options& options, const exec& how) {
    device_scan_to<Out>(call, in, out, n, op, start, inclusive, options, how);
}

}  // namespace kogge::grid
