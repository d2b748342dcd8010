// Reductions by key on the device: a wave, a pipeline, and here the kernel for any GPU and any size of items, whose
// blocks draw tiles as tickets. Global traffic: keys and values read once, a key and a fold written per run.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "kogge/reduce/by_key_pipeline.cuh"
#include "kogge/reduce/by_key_wave.cuh"
#include "kogge/scan/scratch.hpp"

namespace kogge::grid::KOGGE_CODE {

/// As scan_on_chip_kernel, but each thread stores the runs that end among its items.
template <class Problem, class Network>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kScanThreads, 4)
    reduce_by_key_tile_kernel(Problem problem, Network network, Board<typename Problem::Accumulator> board) {
    simt::wait_for_stream();
    using Acc = typename Problem::Accumulator;
    constexpr int items = Problem::kItems;
    auto& shared = simt::shared_memory<ScanShared<Problem, Network>>();
    const std::uint64_t n = problem.n.get();
    const std::uint64_t tiles = divide_up(n, Problem::kTileItems);
    const int thread = simt::thread_rank();
    if (n == 0 && simt::block_rank() == 0 && thread == 0) problem.complete({});
    CarryFold<Acc, typename Problem::Operator> fold(board.tiles, problem.op, problem.start);
    for (;;) {
        if (thread == 0) shared.ticket = simt::atomic_add<simt::Scope::device>(board.ticket, 1);
        simt::sync_block();  // the ticket is written, and the previous tile is finished
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
        const int size = block::segment_size<items>(count, thread);
        block::SegmentScan runs(prefix.after(shared.carry, problem.op), problem.op);
        const std::uint64_t first = tile * Problem::kTileItems + static_cast<std::uint64_t>(thread * items);
        block::visit_segment<items>(shared.tile() + thread * items, size, [&](int i, const Acc& item) {
            const std::uint64_t index = first + static_cast<std::uint64_t>(i);
            const Carry<Acc> before = runs.take(item);
            if (item.any()) problem.begin(before.present ? before.value.number() : 0, index, before.value.value);
            if (index == n - 1) problem.complete(runs.running());
        });
    }
}

template <class Problem>
void launch_by_key(const tile_scan&, const Problem& problem, const scan_plan& plan, const ScanMemory& memory,
                   stream_t stream) {
    simt::fill(memory.board.ticket, 0, memory.board.zeroed, stream);
    simt::launch(
        reduce_by_key_tile_kernel<Problem, DefaultNetwork>,
        {plan.blocks, kScanThreads, sizeof(ScanShared<Problem, DefaultNetwork>), stream, "reduce_by_key_tile_kernel"},
        problem, DefaultNetwork{}, make_board<typename Problem::Accumulator>(memory.board));
}

/// The arguments have been checked, and there may be items. `keys_out` has operator[]. `total` is device memory.
template <class Keys, class Values, class KeysOut, class Sum, class Op, class Equal>
void device_reduce_by_key(const char* call, const Keys& keys, const Values& values, const KeysOut& keys_out, Sum* sums,
                          std::uint64_t* total, const item_count& n, const Op& op, const Equal& equal,
                          const exec& how) {
    // A wave's items are numbered in 32 bits.
    using Narrow = ByKeyProblem<Keys, Values, KeysOut, Sum, Op, Equal, false>;
    using Wide = ByKeyProblem<Keys, Values, KeysOut, Sum, Op, Equal, true>;
    const scan_plan plan =
        plan_reduce_by_key(n.bound(), {sizeof(typename decltype(Wide::in)::Value), sizeof(Sum), alignof(Sum)},
                           simt::properties_of(how.stream));
    const detail::CarvedScratch memory(call, how, plan.scratch_bytes, [&](detail::Carver& carver) {
        return carve_scan(carver, plan, sizeof(typename Wide::Accumulator));
    });
    const Count count{n.bound(), n.on_device()};
    const auto launch = [&]<class Problem>(std::type_identity<Problem>, const auto& way) {
        launch_by_key(way, Problem{{{values, {keys, equal}}, sums, count, {op}, {}, true}, keys_out, total}, plan,
                      *memory, how.stream);
    };
    if (const auto* const wave = plan.as<wave_scan>()) launch(std::type_identity<Narrow>{}, *wave);
    else if (const auto* const ring = plan.as<pipeline_scan>()) launch(std::type_identity<Wide>{}, *ring);
    else if (const auto* const tiles = plan.as<tile_scan>()) launch(std::type_identity<Wide>{}, *tiles);
    else throw std::logic_error("no reduction by key goes the way of its plan");
}

}  // namespace kogge::grid::KOGGE_CODE
