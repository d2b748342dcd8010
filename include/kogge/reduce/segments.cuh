// Reductions of segments, in one launch.
//
//   short   some lanes of a warp take a segment each; a segment that is too long for them is folded by the whole warp;
//           one that is too long for a warp is listed by its block
//   parts   listed segments are cut in parts; once all blocks have met, each warp folds parts of any block's list
//   whole   once they have met again, a warp folds the parts' folds of each segment that has several
//
// Where all items are few, blocks need not meet: each folds the segments of its own list. Rows of equal length are all
// short, or a block's each, or all cut in as many parts; then nothing is listed. Where a list is full, a warp takes the
// long segment as well, and where parts have no room for their folds, as where segments overlap each other. Who folds a
// segment may depend on timing, but its association depends on its length and the plan alone. Global traffic: the
// bounds and the items read once, a result written per segment; and per part of a long segment a fold written and read.
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
    segmented_reduce_way way;
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

/// Shared memory of a block: what it has listed, and how many parts all blocks have.
template <class Acc>
struct SegmentsShared {
    ReduceShared<Acc> fold;
    std::uint32_t listed;        ///< segments, at first beyond the list's end too
    std::uint32_t have_several;  ///< 1: some segments have several parts
    ListedSegment list[kMostListed];
    std::uint64_t parts_up_to[kReduceThreads];  ///< of the lists of block 0 to each
    block::ShuffleScan<kReduceThreads>::Storage<std::uint64_t> network;
};

// Segments per group of lanes, and items of each per lane, whose loads are in flight together.
inline constexpr int kFewSegments = 2, kFewItems = 4;
static_assert(kFewSegments == 2, "the choice between them below is of two");

/// Items up to which some lanes fold a segment without the rest of their warp.
KOGGE_DEVICE std::uint64_t few_items(std::uint32_t lanes) { return 2 * kFewItems * lanes; }

/// The folds of intervals by a group of `lanes` neighbouring lanes, in its first lane. All lanes of the warp call, each
/// group with its own intervals.
template <class Problem>
KOGGE_DEVICE void fold_by_few(const Problem& problem, const c_array<std::uint64_t, kFewSegments>& begins,
                              const c_array<std::uint32_t, kFewSegments>& counts, std::uint32_t lanes,
                              c_array<Carry<typename Problem::Accumulator>, kFewSegments>& folds) {
    using Acc = typename Problem::Accumulator;
    using Item = typename Problem::Item;
    const std::uint32_t rank = static_cast<std::uint32_t>(simt::lane()) & (lanes - 1);
    // Neighbouring lanes read neighbouring items where operands may change places; otherwise each its own interval.
    const std::uint32_t step = Problem::kCommutes ? lanes : 1;
    std::uint64_t firsts[kFewSegments];
    std::uint32_t lefts[kFewSegments];  // from there, to the end of what this lane takes
    KOGGE_UNROLL
    for (int s = 0; s < kFewSegments; ++s) {
        folds[s] = {};
        std::uint32_t first = rank, end = counts[s];
        if constexpr (!Problem::kCommutes) {
            const std::uint32_t each = (counts[s] + lanes - 1) / lanes;
            first = rank * each;
            end = first + each < end ? first + each : end;
        }
        firsts[s] = begins[s] + first;
        lefts[s] = first < end ? end - first : 0;
    }
    while ((lefts[0] | lefts[1]) != 0) {
        Item items[kFewSegments][kFewItems] = {};
        KOGGE_UNROLL
        for (int s = 0; s < kFewSegments; ++s) {
            KOGGE_UNROLL
            for (std::uint32_t i = 0; i < kFewItems; ++i)
                if (i * step < lefts[s]) items[s][i] = problem.in[firsts[s] + i * step];
        }
        KOGGE_UNROLL
        for (int s = 0; s < kFewSegments; ++s) {
            KOGGE_UNROLL
            for (std::uint32_t i = 0; i < kFewItems; ++i)
                if (i * step < lefts[s])
                    folds[s] = append(folds[s], problem.view(firsts[s] + i * step, items[s][i]), problem.op);
            firsts[s] += kFewItems * step;
            lefts[s] = lefts[s] > kFewItems * step ? lefts[s] - kFewItems * step : 0;
        }
    }
    for (std::uint32_t distance = 1; distance < lanes; distance *= 2) {
        KOGGE_UNROLL
        for (int s = 0; s < kFewSegments; ++s) {
            const Acc later = simt::shuffle_down(folds[s].value, static_cast<int>(distance));
            const bool present = simt::shuffle_down(folds[s].present ? 1u : 0u, static_cast<int>(distance)) != 0;
            if ((rank & (2 * distance - 1)) == 0 && present) folds[s] = append(folds[s], later, problem.op);
        }
    }
}

/// Items per part of a long segment.
template <class Problem>
KOGGE_DEVICE std::uint64_t items_per_part(const Problem& problem, std::uint64_t length) {
    if (length <= kMostParts * problem.part_items) return problem.part_items;
    constexpr std::uint64_t round = Problem::Rows::kWarpItems;
    return divide_up(divide_up(length, kMostParts), round) * round;
}

/// Lists a segment; false where there is no room. One lane calls.
template <class Problem, class Shared>
KOGGE_DEVICE bool list_segment(const Problem& problem, std::uint64_t segment, const SegmentItems& items,
                               Shared& shared) {
    const std::uint32_t place = simt::atomic_add<simt::Scope::block>(&shared.listed, 1);
    if (place >= kMostListed) return false;
    const std::uint64_t length = items.end - items.begin;
    shared.list[place] = {segment, items, divide_up(length, items_per_part(problem, length))};
    return true;
}

/// Of `count` parts of a segment, how many a lane folds, one after the other, before the lanes meet.
KOGGE_DEVICE std::uint32_t parts_per_lane(std::uint64_t count) {
    return static_cast<std::uint32_t>(divide_up(count, std::uint64_t{simt::kWarpSize}));
}

/// The fold of the folds that the first lanes have, in every lane.
template <class Acc, class Op>
KOGGE_DEVICE Carry<Acc> fold_present_lanes(const Carry<Acc>& of_lane, Op op) {
    return fold_lanes_of(of_lane.value, simt::count_bits(simt::ballot(of_lane.present)), op);
}

/// The fold of `count` parts' aggregates, by one warp.
template <class Acc, class Op>
KOGGE_DEVICE Carry<Acc> fold_parts(const Acc* aggregates, std::uint32_t count, Op op) {
    constexpr std::uint32_t kAtOnce = sizeof(Acc) <= 8 ? 8 : sizeof(Acc) <= 16 ? 4 : 1;  // loads in flight
    const std::uint32_t each = parts_per_lane(count), begin = each * static_cast<std::uint32_t>(simt::lane());
    const std::uint32_t end = begin + each < count ? begin + each : count;
    Carry<Acc> of_lane{};
    for (std::uint32_t first = begin; first < end; first += kAtOnce) {
        Acc values[kAtOnce];
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < kAtOnce; ++i) values[i] = aggregates[first + i < end ? first + i : first];
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < kAtOnce; ++i)
            if (first + i < end) of_lane = append(of_lane, values[i], op);
    }
    return fold_present_lanes(of_lane, op);
}

/// The fold of items [begin, end) by one warp; of a long segment in the association of its parts.
template <class Problem>
KOGGE_DEVICE auto fold_by_warp(const Problem& problem, std::uint64_t begin, std::uint64_t end, bool is_long) {
    const std::uint64_t each = is_long ? items_per_part(problem, end - begin) : end - begin;
    const std::uint32_t per_lane = is_long ? parts_per_lane(divide_up(end - begin, each)) : 1;
    Carry<typename Problem::Accumulator> of_lane{};
    std::uint32_t part = 0;
    for (std::uint64_t at = begin; at < end; at += each, ++part) {
        const auto fold = WarpFold<Problem>(problem).run(at, end - at < each ? end : at + each);
        if (!is_long) return fold;
        if (part / per_lane == static_cast<std::uint32_t>(simt::lane()))
            of_lane = append(of_lane, fold.value, problem.op);
    }
    return fold_present_lanes(of_lane, problem.op);
}

/// Folds a segment with all warps of the block, which call.
template <class Problem, class Shared>
KOGGE_DEVICE void reduce_by_block(const Problem& problem, std::uint64_t segment, const SegmentItems& items,
                                  Shared& shared) {
    const std::uint64_t share = share_items<typename Problem::Rows>(items.end - items.begin, kReduceWarps);
    const auto total = fold_block(problem, items.begin, items.end, share, shared.fold);
    if (simt::thread_rank() == 0) problem.finish(segment, total);
    simt::sync_block();  // the warps' totals have been read
}

/// Folds short segments, and lists long ones. All threads of the block call.
template <class Problem, class Shared>
KOGGE_DEVICE void reduce_short_segments(const Problem& problem, std::uint64_t n, std::uint64_t segments,
                                        Shared& shared) {
    using Bounds = detail::SegmentBounds::Bounds;
    const std::uint32_t lanes = problem.lanes, groups = simt::kWarpSize / lanes;
    const auto lane = static_cast<std::uint32_t>(simt::lane());
    const std::uint64_t warp =
        static_cast<std::uint64_t>(simt::block_rank()) * kReduceWarps + static_cast<std::uint64_t>(simt::warp_rank());
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kReduceWarps * groups;
    for (std::uint64_t first = warp * groups; first < segments; first += kFewSegments * step) {
        Bounds bounds[kFewSegments];
        KOGGE_UNROLL
        for (int s = 0; s < kFewSegments; ++s) {
            const std::uint64_t own = first + static_cast<std::uint64_t>(s) * step + lane / lanes;
            bounds[s] = {0, 0};
            if (own < segments) bounds[s] = problem.bounds.at(own, segments, n);
        }
        std::uint64_t begins[kFewSegments];
        std::uint32_t counts[kFewSegments];
        KOGGE_UNROLL
        for (int s = 0; s < kFewSegments; ++s) {
            const std::uint64_t length = bounds[s].end - bounds[s].begin;
            begins[s] = bounds[s].begin;
            counts[s] = length <= few_items(lanes) ? static_cast<std::uint32_t>(length) : 0;
        }
        Carry<typename Problem::Accumulator> folds[kFewSegments] = {};
        if (simt::any((counts[0] | counts[1]) != 0)) fold_by_few(problem, begins, counts, lanes, folds);
        std::uint32_t left = 0;  // a bit per segment of this lane that a warp takes
        KOGGE_UNROLL
        for (int s = 0; s < kFewSegments; ++s) {
            const std::uint64_t own = first + static_cast<std::uint64_t>(s) * step + lane / lanes;
            if (lane % lanes != 0 || own >= segments) continue;
            const std::uint64_t length = bounds[s].end - bounds[s].begin;
            if (length <= few_items(lanes)) problem.finish(own, folds[s]);
            else if (length <= problem.longest_short ||
                     !list_segment(problem, own, {bounds[s].begin, bounds[s].end}, shared))
                left |= 1u << s;
        }
        for (simt::mask_t longer; (longer = simt::ballot(left != 0)) != 0;) {
            const int leader = simt::lowest_bit(longer);
            const int s = simt::lowest_bit(simt::shuffle(left, leader));
            const Bounds whole{simt::shuffle(s == 0 ? bounds[0].begin : bounds[1].begin, leader),
                               simt::shuffle(s == 0 ? bounds[0].end : bounds[1].end, leader)};
            const bool is_long = whole.end - whole.begin > problem.longest_short;
            const auto total = fold_by_warp(problem, whole.begin, whole.end, is_long);
            if (static_cast<int>(lane) != leader) continue;
            problem.finish(first + static_cast<std::uint64_t>(s) * step + lane / lanes, total);
            left &= left - 1;
        }
    }
}

/// The parts of all long segments.
struct AllParts {
    std::uint64_t number;
    bool have_several;  ///< some segments have several parts
};

/// Makes this block's list known to all. All threads of the block call.
template <class Problem, class Shared>
KOGGE_DEVICE void publish_list(const Problem& problem, Shared& shared) {
    const int thread = simt::thread_rank(), lane = simt::lane();
    if (simt::warp_rank() > 0) return;
    ListedSegment* const list = problem.memory.lists + simt::block_rank() * std::uint64_t{kMostListed};
    std::uint64_t before = 0;
    // The entry behind the last one begins behind all parts. What blocks without parts list is not looked at.
    const std::uint32_t entries = shared.listed > 0 ? shared.listed + 1 : 0;
    for (std::uint32_t first = 0; first < entries && first < kMostListed; first += simt::kWarpSize) {
        const auto i = first + static_cast<std::uint32_t>(lane);
        const std::uint64_t parts = i < shared.listed ? shared.list[i].parts : 0;
        const std::uint64_t up_to = before + warp::inclusive_scan(parts, simt::kWarpSize, plus{});
        if (i < shared.listed) {
            shared.list[i].parts = up_to - parts;
            list[i] = shared.list[i];
        } else {
            list[i] = {0, {0, 0}, ~std::uint64_t{0}};
        }
        before = simt::shuffle(up_to, simt::kWarpSize - 1);
    }
    if (thread > 0) return;
    problem.memory.totals[simt::block_rank()] = {before, shared.listed};
}

/// What all blocks have listed. All threads of the block call, once the blocks have met.
template <class Problem, class Shared>
KOGGE_DEVICE AllParts look_at_lists(const Problem& problem, Shared& shared) {
    const int thread = simt::thread_rank();
    ListTotal own{};
    if (static_cast<std::uint32_t>(thread) < simt::grid_size()) own = problem.memory.totals[thread];
    using Network = block::ShuffleScan<kReduceThreads>;
    const auto prefix = Network::scan(own.parts, kReduceThreads, plus{}, shared.network);
    shared.parts_up_to[thread] = (prefix.has_before ? prefix.before : 0) + own.parts;
    if (own.parts > own.segments) simt::atomic_or<simt::Scope::block>(&shared.have_several, 1u);
    simt::sync_block();  // the sums and the verdict are written
    return {prefix.aggregate, shared.have_several != 0};
}

/// A part of a segment; the place of the segment's first part among all is `first`.
struct SegmentPart {
    std::uint64_t segment, part, first;
    SegmentItems items;  ///< of the segment
};

/// Part `place` of all. All lanes of the warp call.
template <class Problem, class Shared>
KOGGE_DEVICE SegmentPart part_at(const Problem& problem, std::uint64_t n, std::uint64_t segments, std::uint64_t place,
                                 const Shared& shared) {
    if (problem.way == segmented_reduce_way::row_parts) {
        const std::uint64_t row = place / problem.parts_per_row, first = row * problem.parts_per_row;
        const auto bounds = problem.bounds.at(row, segments, n);
        return {row, place - first, first, {bounds.begin, bounds.end}};
    }
    int block = 0;  // whose list has it: the first with more parts up to its end
    for (int size = kReduceThreads / 2; size > 0; size /= 2)
        if (shared.parts_up_to[block + size - 1] <= place) block += size;
    const std::uint64_t before = block > 0 ? shared.parts_up_to[block - 1] : 0;
    const ListedSegment* const list = problem.memory.lists + static_cast<std::uint64_t>(block) * kMostListed;
    SegmentPart found{};
    for (std::uint32_t first = 0; first < kMostListed; first += simt::kWarpSize) {
        const ListedSegment own = list[first + static_cast<std::uint32_t>(simt::lane())];
        const int not_behind = simt::count_bits(simt::ballot(own.parts <= place - before));
        if (not_behind == 0) break;
        const ListedSegment last = simt::shuffle(own, not_behind - 1);
        found = {last.segment, place - before - last.parts, before + last.parts, last.items};
        if (not_behind < simt::kWarpSize) break;
    }
    return found;
}

/// Folds parts of long segments, one per warp. All lanes of the warp call.
template <class Problem, class Shared>
KOGGE_DEVICE void reduce_parts(const Problem& problem, std::uint64_t n, std::uint64_t segments, std::uint64_t parts,
                               const Shared& shared) {
    auto* const aggregates = static_cast<typename Problem::Accumulator*>(problem.memory.aggregates);
    const bool is_first = simt::lane() == 0;
    const std::uint64_t blocks = simt::grid_size(), block = simt::block_rank();
    const std::uint64_t warp = static_cast<std::uint64_t>(simt::warp_rank());
    const std::uint64_t step = blocks * kReduceWarps;
    // Places are known beforehand. (H200, rows of 100,000 u32 in parts of 1024: 2^24 30 us, by tickets 41; 2^26 81, by
    // tickets 141.)
    for (std::uint64_t place = block + warp * blocks; place < parts; place += step) {
        const SegmentPart part = part_at(problem, n, segments, place, shared);
        const std::uint64_t length = part.items.end - part.items.begin, each = items_per_part(problem, length);
        const std::uint64_t of_segment = divide_up(length, each);
        const bool has_room = part.first + of_segment <= problem.most_parts || of_segment == 1;
        std::uint64_t begin = part.items.begin, end = part.items.end;
        if (has_room) {
            begin += part.part * each;
            if (end - begin > each) end = begin + each;
        }
        if (!has_room && part.part > 0) continue;
        const auto total = fold_by_warp(problem, begin, end, !has_room);
        if (is_first && has_room && of_segment > 1) aggregates[place] = total.value;
        else if (is_first) problem.finish(part.segment, total);
    }
}

/// Folds the parts' folds of each segment that has several. All lanes of the warp call.
template <class Problem, class Shared>
KOGGE_DEVICE void reduce_whole(const Problem& problem, std::uint64_t segments, const Shared& shared) {
    using Acc = typename Problem::Accumulator;
    const auto* const aggregates = static_cast<const Acc*>(problem.memory.aggregates);
    const auto finish = [&](std::uint64_t segment, std::uint64_t first, std::uint64_t end) {
        if (end - first < 2 || end > problem.most_parts) return;  // it is finished
        const auto total = fold_parts(aggregates + first, static_cast<std::uint32_t>(end - first), problem.op);
        if (simt::lane() == 0) problem.finish(segment, total);
    };
    const std::uint64_t block = simt::block_rank(), warp = static_cast<std::uint64_t>(simt::warp_rank());
    if (problem.way == segmented_reduce_way::listed) {
        const std::uint64_t before = block > 0 ? shared.parts_up_to[block - 1] : 0;
        for (std::uint64_t i = warp; i < shared.listed; i += kReduceWarps) {
            const bool is_last = i + 1 == shared.listed;
            finish(shared.list[i].segment, before + shared.list[i].parts,
                   is_last ? shared.parts_up_to[block] : before + shared.list[i + 1].parts);
        }
        return;
    }
    const std::uint64_t blocks = simt::grid_size(), each = problem.parts_per_row;
    for (std::uint64_t row = block + warp * blocks; row < segments; row += blocks * kReduceWarps)
        finish(row, row * each, (row + 1) * each);
}

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kReduceThreads, kReduceBlocks) reduce_segments_kernel(Problem problem) {
    simt::wait_for_stream();
    auto& shared = simt::shared_memory<SegmentsShared<typename Problem::Accumulator>>();
    const std::uint64_t n = problem.n.get(), segments = problem.segments.get();
    using enum segmented_reduce_way;
    if (problem.way == row_blocks) {
        for (std::uint64_t row = simt::block_rank(); row < segments; row += simt::grid_size()) {
            const auto bounds = problem.bounds.at(row, segments, n);
            reduce_by_block(problem, row, {bounds.begin, bounds.end}, shared);
        }
        return;
    }
    AllParts parts{segments * problem.parts_per_row, true};
    if (problem.way != row_parts) {
        if (simt::thread_rank() == 0) shared.listed = shared.have_several = 0;
        simt::sync_block();  // the list is empty
        reduce_short_segments(problem, n, segments, shared);
        if (problem.way == all_short) return;
        simt::sync_block();  // the list is complete
        if (simt::thread_rank() == 0 && shared.listed > kMostListed) shared.listed = kMostListed;
        simt::sync_block();  // its length is written
        if (problem.way == own_blocks) {
            for (std::uint32_t i = 0; i < shared.listed; ++i)
                reduce_by_block(problem, shared.list[i].segment, shared.list[i].items, shared);
            return;
        }
        publish_list(problem, shared);
        sync_wave();  // all lists are complete
        parts = look_at_lists(problem, shared);
    }
    reduce_parts(problem, n, segments, parts.number, shared);
    if (!parts.have_several) return;
    sync_wave();  // all parts are folded
    reduce_whole(problem, segments, shared);
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
    static_assert(sizeof(SegmentsShared<Acc>) <= segments_shared_bytes(sizeof(Acc)), "plans count on it");
    simt::launch(reduce_segments_kernel<Problem>,
                 {plan.blocks, kReduceThreads, sizeof(SegmentsShared<Acc>), how.stream, "reduce_segments_kernel",
                  plan.cooperative},
                 Problem{{in, op, view},
                         {n.bound(), n.on_device()},
                         {given.bounds.most, given.bounds.count},
                         given.stored(memory->begins, memory->ends, how.stream),
                         start,
                         store,
                         plan.way,
                         plan.lanes,
                         plan.longest_short,
                         plan.part_items,
                         plan.most_parts,
                         plan.parts_per_row,
                         *memory});
}

}  // namespace kogge::grid::KOGGE_CODE
