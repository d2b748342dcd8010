// The grid's reduction, in one kernel. The items are cut in as many shares as there are warps, in order. Each warp
// folds its share, each block the folds of its warps, and one block the aggregates of all. So the association depends
// on n, the types, and the numbers of blocks and warps, never on timing.
//
// Who folds the aggregates: in a wave the first block, after a barrier of the grid; otherwise the last block to arrive
// at a counter. Global traffic: each item read once, and an aggregate per block written and read. (Reckoned for an H100
// at 3.0 TB/s: 2^28 words 360 us.)
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt_reduce.hpp"
#include "kogge/engine/wave.cuh"
#include "kogge/reduce/fold.cuh"
#include "kogge/reduce/scratch.hpp"

namespace kogge::grid::KOGGE_CODE {

/// `Store` takes the result.
template <class In, class Acc, class Op, class View, class Store>
struct ReduceProblem : Foldable<In, Acc, Op, View> {
    Count n;
    std::uint64_t share;  ///< items per warp, unless n is read from the device; a division takes as long as a load
    detail::ReduceStart<Acc> start;
    Store store;
};

/// The fold of the first `count` aggregates, in every thread of the block: each thread folds its own interval.
template <class Acc, class Op>
KOGGE_DEVICE Carry<Acc> fold_all_aggregates(const Acc* aggregates, std::uint32_t count, Op op,
                                            ReduceShared<Acc>& shared) {
    const std::uint32_t each = (count + kReduceThreads - 1) / kReduceThreads;
    const std::uint32_t first = each * static_cast<std::uint32_t>(simt::thread_rank());
    const std::uint32_t end = first + each < count ? first + each : count;
    constexpr std::uint32_t kTogether = sizeof(Acc) <= 16 ? 4 : 1;  // whose loads are in flight together
    Carry<Acc> own{};
    for (std::uint32_t at = first; at < end; at += kTogether) {
        Acc values[kTogether] = {};
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < kTogether; ++i)
            if (at + i < end) values[i] = aggregates[at + i];
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < kTogether; ++i)
            if (at + i < end) own = append(own, values[i], op);
    }
    return fold_warps(fold_lanes_of(own.value, simt::count_bits(simt::ballot(own.present)), op), op, shared);
}

/// fold_block, where a share may be long.
template <class Problem>
KOGGE_DEVICE auto fold_long_block(const Problem& problem, std::uint64_t begin, std::uint64_t end, std::uint64_t share,
                                  ReduceShared<typename Problem::Accumulator>& shared) {
    // Where operands may change places, the warps read a long interval side by side. (H200, 2^28 u64: 486 us, each on
    // its own 501.)
    if constexpr (Problem::kCommutes) {
        if (share >= 4 * std::uint64_t{Problem::Rows::kWarpItems}) {
            const std::uint64_t from = begin < end ? begin : end, all = share * kReduceWarps;
            const SomeRounds rounds{static_cast<std::uint32_t>(simt::warp_rank()), kReduceWarps};
            const auto own = WarpFold<Problem>(problem).run(from, end - from < all ? end : from + all, rounds);
            return fold_warps(own, problem.op, shared);
        }
    }
    return fold_block(problem, begin, end, share, shared);
}

/// `arrived` is null in a wave.
template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kReduceThreads, kReduceBlocks)
    reduce_kernel(Problem problem, typename Problem::Accumulator* aggregates, std::uint32_t* arrived) {
    simt::wait_for_stream();
    using Acc = typename Problem::Accumulator;
    auto& shared = simt::shared_memory<ReduceShared<Acc>>();
    const std::uint64_t n = problem.n.get(), blocks = simt::grid_size(), block = simt::block_rank();
    std::uint64_t share = problem.share;
    if (problem.n.device) share = share_items<typename Problem::Rows>(n, blocks * kReduceWarps);
    const std::uint64_t each = share * kReduceWarps;
    Carry<Acc> total = fold_long_block(problem, block * each, n, share, shared);
    const bool is_first = simt::thread_rank() == 0;
    if (blocks > 1) {
        if (is_first && total.present) aggregates[block] = total.value;
        if (arrived) {
            if (is_first) shared.is_last = simt::atomic_add_acq_rel(arrived, 1) == blocks - 1 ? 1 : 0;
            simt::sync_block();  // the verdict is written
            if (shared.is_last == 0) return;
        } else {
            sync_wave();  // all aggregates are written
            if (block > 0) return;
        }
        const auto with_items = static_cast<std::uint32_t>(n > 0 ? divide_up(n, each) : 0);
        total = fold_all_aggregates<Acc>(aggregates, with_items, problem.op, shared);
    }
    if (is_first) problem.store(problem.start.result(total.value, total.present, problem.op));
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

template <class Code, class In, class Acc, class Op, class View, class Store>
void device_reduce(const char* call, In in, const item_count& n, Op op, const View& view,
                   const detail::ReduceStart<Acc>& start, const Store& store, const exec& how) {
    using Problem = ReduceProblem<In, Acc, Op, View, Store>;
    const reduce_plan plan = plan_reduce(n.bound(), Problem::kShape, simt::properties_of(how.stream));
    const detail::CarvedScratch memory(call, how, plan.scratch_bytes,
                                       [&](detail::Carver& carver) { return carve_reduce(carver, plan, sizeof(Acc)); });
    static_assert(sizeof(ReduceShared<Acc>) <= reduce_shared_bytes(sizeof(Acc)), "plans count on it");
    const std::uint64_t share =
        share_items<typename Problem::Rows>(n.bound(), plan.blocks * std::uint64_t{kReduceWarps});
    const auto* const wave = plan.as<reduce_wave>();
    if (!wave) simt::fill(memory->arrived, 0, sizeof(std::uint32_t), how.stream);
    simt::launch(reduce_kernel<Problem>,
                 {plan.blocks, kReduceThreads, sizeof(ReduceShared<Acc>), how.stream, "reduce_kernel",
                  wave && wave->cooperative, wave && wave->cluster},
                 Problem{{in, op, view}, {n.bound(), n.on_device()}, share, start, store},
                 static_cast<Acc*>(memory->aggregates), memory->arrived);
}

}  // namespace kogge::grid
