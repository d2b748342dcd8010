// Reductions of segments, in one launch or two.
//
//   short   some lanes of a warp take a segment each; a segment that is too long for them is folded by the whole warp;
//           one that is too long for a warp is listed, cut in parts
//   long    a block folds each part; the last block to fold a part of a segment folds the aggregates of its parts
//
// Where the list is full, as where segments overlap each other, the warp takes the long segment as well. Who folds a
// segment depends on its length and the plan alone, and so does the association, never on timing. Global traffic: the
// bounds and the items read once, a result written per segment; and per part of a long segment 24 bytes and an
// aggregate, written and read.
#pragma once

#include <cstdint>

#include "kogge/engine/wave.cuh"
#include "kogge/reduce/fold.cuh"
#include "kogge/reduce/segments_scratch.hpp"
#include "kogge/types/segments.hpp"

namespace kogge::grid::KOGGE_CODE {

/// `Store` takes the result: store(number, result).
template <class In, class Acc, class Op, class View, class Store>
struct SegmentedReduceProblem : Foldable<In, Acc, Op, View> {
    Count n, segments;
    detail::SegmentBounds bounds;
    detail::ReduceStart<Acc> start;
    Store store;
    std::uint32_t lanes;
    std::uint64_t longest_short;
    std::uint64_t part_items;
    std::uint64_t most_parts;
    std::uint64_t parts_per_row;
    SegmentedReduceMemory memory;

    KOGGE_DEVICE void finish(std::uint64_t segment, const Carry<Acc>& total) const {
        store(segment, start.result(total.value, total.present, this->op));
    }
};

/// Items up to which some lanes fold a segment without the rest of their warp. A whole warp reads rows beyond one row.
KOGGE_DEVICE std::uint64_t few_items(std::uint32_t lanes) { return lanes < simt::kWarpSize ? 32 * lanes : 4 * lanes; }

/// The fold of items [begin, end) by a group of `lanes` neighbouring lanes, in its first lane. All lanes of the warp
/// call, each group with its own interval.
template <class Problem>
KOGGE_DEVICE auto fold_by_few(const Problem& problem, std::uint64_t begin, std::uint64_t end, std::uint32_t lanes) {
    using Acc = typename Problem::Accumulator;
    const std::uint32_t own = static_cast<std::uint32_t>(simt::lane()) & (lanes - 1);
    // Neighbouring lanes read neighbouring items where operands may change places; otherwise each its own interval.
    const std::uint64_t length = end - begin, each = divide_up(length, lanes);
    std::uint64_t at = begin + own, step = lanes, last = end;
    if constexpr (!Problem::kCommutes) {
        at = begin + own * each;
        last = at + each < end ? at + each : end;
        step = 1;
    }
    Carry<Acc> fold{};
    for (; at < last; at += step) fold = append(fold, problem.view(at, problem.in[at]), problem.op);
    for (std::uint32_t distance = 1; distance < lanes; distance *= 2) {
        const Acc later = simt::shuffle_down(fold.value, static_cast<int>(distance));
        const bool present = simt::shuffle_down(fold.present ? 1u : 0u, static_cast<int>(distance)) != 0;
        if ((own & (2 * distance - 1)) == 0 && present) fold = append(fold, later, problem.op);
    }
    return fold;
}

/// Lists the parts of a segment of `length` items. All lanes of the warp call; false where there is no room.
template <class Problem>
KOGGE_DEVICE bool list_parts(const Problem& problem, std::uint64_t segment, std::uint64_t length) {
    const std::uint64_t parts = divide_up(length, problem.part_items);
    std::uint64_t first = 0;
    if (simt::lane() == 0) first = simt::atomic_add<simt::Scope::device>(problem.memory.listed, parts);
    first = simt::shuffle(first, 0);
    if (first >= problem.most_parts) return false;
    const bool fits = problem.most_parts - first >= parts;
    // Places of a segment that does not fit stay empty.
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::lane()); i < parts && first + i < problem.most_parts;
         i += simt::kWarpSize)
        problem.memory.parts[first + i] = {segment, static_cast<std::uint32_t>(i),
                                           fits ? static_cast<std::uint32_t>(parts) : 0, 0};
    return fits;
}

/// Appends the folds of parts, one per lane, as fold_parts does.
template <class Acc, class Op>
KOGGE_DEVICE Carry<Acc> append_parts(const Carry<Acc>& total, const Acc& of_lane, int active, Op op) {
    const Carry<Acc> fold = fold_lanes_of(of_lane, active, op);
    return fold.present ? append(total, fold.value, op) : total;
}

/// The fold of `count` parts' aggregates by one warp: 32 parts at a time as a warp folds its lanes, and one group after
/// the other.
template <class Acc, class Op>
KOGGE_DEVICE Carry<Acc> fold_parts(const Acc* aggregates, std::uint32_t count, Op op) {
    constexpr int kGroups = sizeof(Acc) <= 16 ? 4 : 1;  // whose loads are in flight together
    Carry<Acc> total{};
    for (std::uint32_t first = 0; first < count; first += kGroups * simt::kWarpSize) {
        Acc values[kGroups];
        int active[kGroups];
        KOGGE_UNROLL
        for (int g = 0; g < kGroups; ++g) {
            const std::uint32_t begin = first + static_cast<std::uint32_t>(g * simt::kWarpSize);
            const std::uint32_t rest = begin < count ? count - begin : 0;
            active[g] = rest < simt::kWarpSize ? static_cast<int>(rest) : simt::kWarpSize;
            const auto lane = static_cast<std::uint32_t>(simt::lane());
            values[g] = aggregates[lane < rest ? begin + lane : 0];
        }
        warp::fold_each(values, active, op);
        KOGGE_UNROLL
        for (int g = 0; g < kGroups; ++g)
            if (active[g] > 0) total = append(total, values[g], op);
    }
    return total;
}

/// The fold of a segment by one warp; of a long one in the association of a block per part.
template <class Problem>
KOGGE_DEVICE auto fold_by_warp(const Problem& problem, std::uint64_t begin, std::uint64_t end, bool is_long) {
    using Acc = typename Problem::Accumulator;
    const std::uint64_t part_items = is_long ? problem.part_items : end - begin;
    Carry<Acc> total{};
    Acc of_lane{};
    int active = 0;
    for (std::uint64_t at = begin; at < end; at += part_items) {
        const std::uint64_t part_end = end - at < part_items ? end : at + part_items;
        const std::uint64_t share =
            is_long ? share_items<typename Problem::Rows>(part_end - at, kReduceWarps) : part_items;
        Acc of_warp{};
        int warps = 0;
        for (std::uint64_t from = at; from < part_end; from += share, ++warps) {
            const Carry<Acc> fold =
                WarpFold<Problem>(problem).run(from, part_end - from < share ? part_end : from + share);
            if (simt::lane() == warps) of_warp = fold.value;
        }
        const Carry<Acc> part = fold_lanes_of(of_warp, warps, problem.op);
        if (simt::lane() == active) of_lane = part.value;
        if (++active == simt::kWarpSize) {
            total = append_parts(total, of_lane, active, problem.op);
            active = 0;
        }
    }
    return append_parts(total, of_lane, active, problem.op);
}

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kReduceThreads, kReduceBlocks) reduce_short_segments_kernel(Problem problem) {
    simt::wait_for_stream();
    const std::uint64_t n = problem.n.get(), segments = problem.segments.get();
    const std::uint32_t lanes = problem.lanes, groups = simt::kWarpSize / lanes;
    const auto lane = static_cast<std::uint32_t>(simt::lane());
    const std::uint64_t warp =
        static_cast<std::uint64_t>(simt::block_rank()) * kReduceWarps + static_cast<std::uint64_t>(simt::warp_rank());
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kReduceWarps * groups;
    for (std::uint64_t first = warp * groups; first < segments; first += step) {
        const std::uint64_t own = first + lane / lanes;
        detail::SegmentBounds::Bounds bounds{0, 0};
        if (own < segments) bounds = problem.bounds.at(own, segments, n);
        const bool is_first = lane % lanes == 0 && own < segments;
        const bool is_few = bounds.end - bounds.begin <= few_items(lanes);
        const auto fold = fold_by_few(problem, bounds.begin, is_few ? bounds.end : bounds.begin, lanes);
        if (is_first && is_few) problem.finish(own, fold);
        simt::mask_t longer = simt::ballot(is_first && !is_few);
        while (longer != 0) {
            const int leader = simt::lowest_bit(longer);
            longer &= longer - 1;
            const std::uint64_t begin = simt::shuffle(bounds.begin, leader), end = simt::shuffle(bounds.end, leader);
            const std::uint64_t segment = simt::shuffle(own, leader);
            const bool is_long = end - begin > problem.longest_short;
            if (is_long && list_parts(problem, segment, end - begin)) continue;
            const auto total = fold_by_warp(problem, begin, end, is_long);
            if (lane == 0) problem.finish(segment, total);
        }
    }
}

/// Part `place` of the list; of rows, which are not listed, what follows from their length.
template <class Problem>
KOGGE_DEVICE SegmentPart part_at(const Problem& problem, std::uint64_t place) {
    const std::uint64_t each = problem.parts_per_row;
    if (each == 0) {
        const SegmentPart& listed = problem.memory.parts[place];
        return {listed.segment, listed.part, listed.parts, 0};
    }
    return {place / each, static_cast<std::uint32_t>(place % each), static_cast<std::uint32_t>(each), 0};
}

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kReduceThreads, kReduceBlocks) reduce_long_segments_kernel(Problem problem) {
    simt::wait_for_stream();
    using Acc = typename Problem::Accumulator;
    auto& shared = simt::shared_memory<ReduceShared<Acc>>();
    const std::uint64_t n = problem.n.get(), segments = problem.segments.get();
    std::uint64_t parts = problem.most_parts;
    if (problem.parts_per_row > 0) {
        parts = segments * problem.parts_per_row;
    } else {
        const std::uint64_t listed = *problem.memory.listed;
        parts = listed < parts ? listed : parts;
    }
    auto* const aggregates = static_cast<Acc*>(problem.memory.aggregates);
    for (std::uint64_t place = simt::block_rank(); place < parts; place += simt::grid_size()) {
        const SegmentPart part = part_at(problem, place);
        if (part.parts == 0) continue;
        const detail::SegmentBounds::Bounds bounds = problem.bounds.at(part.segment, segments, n);
        const std::uint64_t begin = bounds.begin + part.part * problem.part_items;
        const std::uint64_t end = bounds.end - begin < problem.part_items ? bounds.end : begin + problem.part_items;
        const std::uint64_t share = share_items<typename Problem::Rows>(end - begin, kReduceWarps);
        Carry<Acc> total = fold_block(problem, begin, end, share, shared);
        const bool is_first = simt::thread_rank() == 0;
        if (part.parts > 1) {
            const std::uint64_t first = place - part.part;
            if (is_first) {
                aggregates[place] = total.value;
                shared.is_last =
                    simt::atomic_add_acq_rel(&problem.memory.parts[first].arrived, 1) == part.parts - 1 ? 1 : 0;
            }
            simt::sync_block();  // the verdict is written, and the warps' totals have been read
            if (shared.is_last != 0 && simt::warp_rank() == 0) {
                total = fold_parts(aggregates + first, part.parts, problem.op);
                if (is_first) problem.finish(part.segment, total);
            }
        } else if (is_first) {
            problem.finish(part.segment, total);
        }
        simt::sync_block();  // the verdict and the warps' totals have been read
    }
}

template <class Problem>
void launch_segmented_reduce(const segmented_reduce_plan& plan, const Problem& problem, stream_t stream) {
    using Acc = typename Problem::Accumulator;
    const SegmentedReduceMemory& memory = problem.memory;
    if (memory.listed) simt::fill(memory.listed, 0, sizeof(std::uint64_t), stream);
    else if (memory.parts) simt::fill(memory.parts, 0, plan.most_parts * sizeof(SegmentPart), stream);
    if (plan.short_blocks > 0)
        simt::launch(reduce_short_segments_kernel<Problem>,
                     {plan.short_blocks, kReduceThreads, 0, stream, "reduce_short_segments_kernel"}, problem);
    if (plan.long_blocks > 0)
        simt::launch(
            reduce_long_segments_kernel<Problem>,
            {plan.long_blocks, kReduceThreads, sizeof(ReduceShared<Acc>), stream, "reduce_long_segments_kernel"},
            problem);
}

/// The arguments have been checked, and there is a segment.
template <class In, class Acc, class Op, class View, class Store>
void device_segmented_reduce(const char* call, const In& in, const item_count& n, const detail::DeviceSegments& given,
                             bool are_rows, const Op& op, const View& view, const detail::ReduceStart<Acc>& start,
                             const Store& store, const exec& how) {
    using Problem = SegmentedReduceProblem<In, Acc, Op, View, Store>;
    const segmented_reduce_plan plan =
        plan_segmented_reduce(n.bound(), given.bounds.most, are_rows, Problem::kShape, simt::properties_of(how.stream),
                              {given.bounds.have_ends, given.store != nullptr});
    const detail::CarvedScratch memory(call, how, plan.scratch_bytes, [&](detail::Carver& carver) {
        return carve_segmented_reduce(carver, plan, sizeof(Acc));
    });
    launch_segmented_reduce(plan,
                            Problem{{in, op, view},
                                    {n.bound(), n.on_device()},
                                    {given.bounds.most, given.bounds.count},
                                    given.stored(memory->begins, memory->ends, how.stream),
                                    start,
                                    store,
                                    plan.lanes,
                                    plan.longest_short,
                                    plan.part_items,
                                    plan.most_parts,
                                    plan.parts_per_row,
                                    *memory},
                            how.stream);
}

}  // namespace kogge::grid::KOGGE_CODE
