// The grid's scan: reduce-then-scan in three forms with one meaning. From the bottom up: the steps on one tile, the
// kernels, the launches.
//
// A tile lies in shared memory as in global memory. Each thread folds its own segment, a network scans the threads'
// partials, and once the tile's carry is known each thread scans its segment again from its own prefix, in place.
// Global traffic an item: on chip read + write; two-level and recursive 2 reads + write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kogge/block/networks.cuh"
#include "kogge/block/scan.cuh"
#include "kogge/block/tile.cuh"
#include "kogge/grid/carry.cuh"
#include "kogge/plan.hpp"

namespace kogge::grid {

/// The network over the partials: the default one, compiled alone, or any of them, chosen at run time.
struct DefaultNetwork {
    template <class T> using Storage = typename block::ShuffleScan<kScanThreads>::template Storage<T>;
    template <class T, class Op>
    KOGGE_DEVICE block::ThreadPrefix<T> scan(const T& partial, int active, Op op, Storage<T>& storage) const {
        return block::ShuffleScan<kScanThreads>::scan(partial, active, op, storage);
    }
};
struct ChosenNetwork {
    network which;
    template <class T> using Storage = block::AnyStorage<T, kScanThreads>;
    template <class T, class Op>
    KOGGE_DEVICE block::ThreadPrefix<T> scan(const T& partial, int active, Op op, Storage<T>& storage) const {
        return block::scan_with<kScanThreads>(which, partial, active, op, storage);
    }
};

/// One scan as the kernels see it. `In` is a pointer or anything with operator[]; the scan accumulates in Acc.
template <class In, class Out, class Acc, class Op>
struct ScanProblem {
    using Item = std::remove_cvref_t<decltype(std::declval<const In&>()[std::uint64_t{}])>;
    using Result = Out;
    using Accumulator = Acc;
    using Operator = Op;
    static constexpr scan_shape kShape{sizeof(Item), sizeof(Out), sizeof(Acc)};
    static constexpr int kItems = scan_items(kShape);
    static constexpr int kTileItems = kItems * kScanThreads;

    In in;
    Out* out;
    Count n;
    Op op;
    Carry<Acc> start;   ///< the initial value, if there is one; exclusive scans have one
    bool inclusive;
};

// ---- one tile ------------------------------------------------------------------------------------------

template <class Problem, class Network>
struct ScanShared {
    using Item = typename Problem::Item;
    using Result = typename Problem::Result;
    using Acc = typename Problem::Accumulator;
    static constexpr bool kInPlace = sizeof(Item) == sizeof(Result) && alignof(Item) == alignof(Result);

    alignas(128) unsigned char items[Problem::kTileItems * sizeof(Item)];
    alignas(16) unsigned char results[kInPlace ? 16 : Problem::kTileItems * sizeof(Result)];
    typename Network::template Storage<Acc> network;
    Carry<Acc> carry;
    std::uint32_t ticket;

    KOGGE_DEVICE Item* tile() { return reinterpret_cast<Item*>(items); }
    KOGGE_DEVICE Result* scanned() { return reinterpret_cast<Result*>(kInPlace ? items : results); }
};

template <class Problem>
KOGGE_DEVICE int tile_size(std::uint64_t tile, std::uint64_t n) {
    const std::uint64_t left = n - tile * Problem::kTileItems;
    return left < Problem::kTileItems ? static_cast<int>(left) : Problem::kTileItems;
}

/// Loads the tile and returns this thread's prefix and the tile's aggregate. Ends after the network's barrier.
template <class Problem, class Network>
KOGGE_DEVICE auto reduce_tile(const Problem& problem, const Network& network, ScanShared<Problem, Network>& shared,
                              std::uint64_t tile, int count) {
    using Acc = typename Problem::Accumulator;
    constexpr int items = Problem::kItems;
    block::load_tile<kScanThreads, Problem::kTileItems>(shared.tile(), problem.in, tile * Problem::kTileItems, count);
    simt::sync_block();  // the tile is on chip

    using Item = typename Problem::Item;
    Acc partial{};
    const auto fold = [&](int i, const Item& item) {
        partial = i > 0 ? static_cast<Acc>(problem.op(partial, static_cast<Acc>(item))) : static_cast<Acc>(item);
    };
    // A full tile has a path of its own, without a bound a place.
    if (count == Problem::kTileItems) block::visit_segment<items>(shared.tile(), items, fold);
    else block::visit_segment<items>(shared.tile(), block::segment_size<items>(count), fold);
    return network.scan(partial, (count + items - 1) / items, problem.op, shared.network);
}

/// Scans the tile that is on chip from its carry, and writes it out. Starts after a barrier behind shared.carry.
template <class Problem, class Network>
KOGGE_DEVICE void finish_tile(const Problem& problem, ScanShared<Problem, Network>& shared,
                              const block::ThreadPrefix<typename Problem::Accumulator>& prefix, std::uint64_t tile,
                              int count) {
    using Acc = typename Problem::Accumulator;
    using Result = typename Problem::Result;
    constexpr int items = Problem::kItems;
    const int size = block::segment_size<items>(count);
    Carry<Acc> running = shared.carry;
    if (prefix.has_before && size > 0) {
        running.value = running.present ? static_cast<Acc>(problem.op(running.value, prefix.before)) : prefix.before;
        running.present = true;
    }
    using Item = typename Problem::Item;
    const auto scan = [&](int i, const Item& from) {
        const Acc item = static_cast<Acc>(from);
        const Acc before = running.value;
        running.value = i > 0 || running.present ? static_cast<Acc>(problem.op(before, item)) : item;
        return static_cast<Result>(problem.inclusive ? running.value : before);
    };
    if (count == Problem::kTileItems) block::rewrite_segment<items>(shared.tile(), shared.scanned(), items, scan);
    else block::rewrite_segment<items>(shared.tile(), shared.scanned(), size, scan);
    simt::sync_block();  // the scanned tile is complete
    block::store_tile<kScanThreads, Problem::kTileItems>(problem.out, shared.scanned(), tile * Problem::kTileItems, count);
}

// ---- kernels -------------------------------------------------------------------------------------------

/// The whole scan in one pass; see carry.cuh. The grid may have any number of blocks.
template <class Problem, class Network>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kScanThreads, 4)
    scan_on_chip_kernel(Problem problem, Network network, Board<typename Problem::Accumulator> board) {
    using Acc = typename Problem::Accumulator;
    auto& shared = simt::shared_memory<ScanShared<Problem, Network>>();
    const std::uint64_t n = problem.n.get();
    const std::uint64_t tiles = divide_up(n, Problem::kTileItems);
    CarryFold<Acc, typename Problem::Operator> fold(board.tiles, problem.op, problem.start);
    for (;;) {
        if (simt::thread_rank() == 0) shared.ticket = simt::atomic_add<simt::Scope::device>(board.ticket, 1);
        simt::sync_block();  // the ticket is written, and the last tile's store has read the tile
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

/// Folds `tiles_per_block` tiles a block into sums[block].
template <class Problem, class Network>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kScanThreads, 4)
    reduce_chunks_kernel(Problem problem, Network network, std::uint64_t tiles_per_block, typename Problem::Accumulator* sums) {
    using Acc = typename Problem::Accumulator;
    auto& shared = simt::shared_memory<ScanShared<Problem, Network>>();
    const std::uint64_t n = problem.n.get();
    const std::uint64_t tiles = divide_up(n, Problem::kTileItems);
    const std::uint64_t first = simt::block_rank() * tiles_per_block;
    const std::uint64_t last = first + tiles_per_block < tiles ? first + tiles_per_block : tiles;
    Carry<Acc> sum{};
    for (std::uint64_t tile = first; tile < last; ++tile) {
        const auto prefix = reduce_tile(problem, network, shared, tile, tile_size<Problem>(tile, n));
        sum.value = sum.present ? static_cast<Acc>(problem.op(sum.value, prefix.aggregate)) : prefix.aggregate;
        sum.present = true;
        simt::sync_block();  // everybody has read the network's storage
    }
    if (simt::thread_rank() == 0 && sum.present) sums[simt::block_rank()] = sum.value;
}

/// Scans `tiles_per_block` tiles a block; block b > 0 starts from sums[b − 1], the inclusive scan of the blocks' sums.
template <class Problem, class Network>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kScanThreads, 4)
    scan_chunks_kernel(Problem problem, Network network, std::uint64_t tiles_per_block,
                       const typename Problem::Accumulator* sums) {
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
        carry.value = carry.present ? static_cast<Acc>(problem.op(carry.value, before)) : before;
        carry.present = true;
    }
    for (std::uint64_t tile = first; tile < last; ++tile) {
        const int count = tile_size<Problem>(tile, n);
        if (simt::thread_rank() == 0) shared.carry = carry;
        const auto prefix = reduce_tile(problem, network, shared, tile, count);  // its barriers publish the carry
        finish_tile(problem, shared, prefix, tile, count);
        carry.value = carry.present ? static_cast<Acc>(problem.op(carry.value, prefix.aggregate)) : prefix.aggregate;
        carry.present = true;
        simt::sync_block();  // the store has read the tile
    }
}

// ---- launches ------------------------------------------------------------------------------------------

template <class Problem, class Network>
simt::LaunchShape scan_launch(std::uint64_t blocks, stream_t stream, const char* name) {
    return {static_cast<std::uint32_t>(blocks), kScanThreads, sizeof(ScanShared<Problem, Network>), stream, name};
}

/// Reduces upwards until one block can scan what is left, then scans downwards, the sums of each level in place.
template <class Problem, class Network>
void scan_levels(const Problem& problem, Network network, const scan_plan& plan, std::size_t level,
                 const std::vector<void*>& sums, stream_t stream) {
    using Acc = typename Problem::Accumulator;
    const scan_level& here = plan.levels[level];
    Acc* sums_here = nullptr;
    if (here.blocks > 1) {
        sums_here = static_cast<Acc*>(sums[level]);
        simt::launch(reduce_chunks_kernel<Problem, Network>,
                     scan_launch<Problem, Network>(here.blocks, stream, "reduce_chunks_kernel"), problem, network,
                     here.tiles_per_block, sums_here);
        Count blocks = problem.n;
        blocks.divisor *= here.tiles_per_block * Problem::kTileItems;
        const ScanProblem<const Acc*, Acc, Acc, typename Problem::Operator> above{sums_here, sums_here, blocks,
                                                                                 problem.op, {},        true};
        scan_levels(above, network, plan, level + 1, sums, stream);
    }
    simt::launch(scan_chunks_kernel<Problem, Network>,
                 scan_launch<Problem, Network>(here.blocks, stream, "scan_chunks_kernel"), problem, network,
                 here.tiles_per_block, static_cast<const Acc*>(sums_here));
}

template <class Problem, class Network>
void launch_scan(const char* call, const Problem& problem, Network network, const scan_plan& plan, const exec& how) {
    using Acc = typename Problem::Accumulator;
    detail::Carver measure;
    carve_scan(measure, plan, sizeof(Acc));
    detail::Scratch scratch(call, how, measure.used());
    detail::Carver carver(scratch.data());
    const ScanMemory memory = carve_scan(carver, plan, sizeof(Acc));
    if (plan.grid == grid_strategy::on_chip) {
        simt::fill(memory.board.ticket, 0, memory.board.zeroed, how.stream);
        simt::launch(scan_on_chip_kernel<Problem, Network>,
                     scan_launch<Problem, Network>(plan.blocks, how.stream, "scan_on_chip_kernel"), problem, network,
                     make_board<Acc>(memory.board));
    } else {
        scan_levels(problem, network, plan, 0, memory.sums, how.stream);
    }
}

/// Scans on the device. `n` may be a device count; the arguments have been checked.
template <class In, class Out, class Acc, class Op>
void device_scan(const char* call, In in, Out* out, const item_count& n, Op op, const Carry<Acc>& start, bool inclusive,
                 const scan_options& options, const exec& how) {
    using Problem = ScanProblem<In, Out, Acc, Op>;
    if (n.bound() == 0) return;
    const scan_plan plan = plan_scan(n.bound(), Problem::kShape, options, simt::current_properties());
    const Problem problem{in, out, {n.bound(), n.on_device()}, op, start, inclusive};
    if (options.block == network::shuffle) launch_scan(call, problem, DefaultNetwork{}, plan, how);
    else launch_scan(call, problem, ChosenNetwork{options.block}, plan, how);
}

}  // namespace kogge::grid
