// Reductions of segments, in one launch.
//
//   short   some lanes of a warp take a segment each; a segment that is too long for them is folded by the whole warp;
//           one that is too long for a warp is listed by its block
//   parts   listed segments are cut in parts; once all blocks have met, each folds parts of any block's list
//   whole   once they have met again, a warp folds the parts' folds of each segment that has several
//
// Where all items are one part, blocks need not meet: each folds the segments of its own list. Rows of equal length are
// all short, or all long; then nothing is listed. Where a list is full, a warp takes the long segment as well, and
// where parts have no room for their folds, as where segments overlap each other, a block does. Who folds a segment may
// depend on timing, but its association depends on its length and the plan alone. Global traffic: the bounds and the
// items read once, a result written per segment; and per part of a long segment a fold written and read.
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
    std::uint32_t list_items;
    bool blocks_meet;
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
    std::uint32_t listed;        ///< segments, beyond the list's end too
    std::uint32_t have_several;  ///< 1: some segments have several parts
    std::uint64_t next[2];       ///< places of parts, used in turn
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

/// Lists a segment; false where there is no room. One lane calls.
template <class Problem, class Shared>
KOGGE_DEVICE bool list_segment(const Problem& problem, std::uint64_t segment, std::uint64_t length, Shared& shared) {
    const std::uint32_t place = simt::atomic_add<simt::Scope::block>(&shared.listed, 1);
    if (place >= problem.list_items) return false;
    shared.list[place] = {segment, divide_up(length, problem.part_items)};
    return true;
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
    Carry<Acc> total{};
    Acc of_lane{};
    int active = 0;
    for (std::uint64_t at = begin; at < end; at += problem.part_items) {
        const std::uint64_t part_end = end - at < problem.part_items ? end : at + problem.part_items;
        const std::uint64_t share = share_items<typename Problem::Rows>(part_end - at, kReduceWarps);
        Acc of_warp{};
        int warps = 0;
        for (; warps < kReduceWarps; ++warps) {
            FoldShare own{begin, end, {}};
            if (is_long) own = share_of_warp<Problem>(at, part_end, share, static_cast<std::uint32_t>(warps));
            const Carry<Acc> fold = WarpFold<Problem>(problem).run(own.from, own.to, own.taken);
            if (!is_long) return fold;
            if (!fold.present) break;
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
    const auto look = [&](std::uint64_t first, c_array<Bounds, kFewSegments>& bounds) {
        KOGGE_UNROLL
        for (int s = 0; s < kFewSegments; ++s) {
            const std::uint64_t own = first + static_cast<std::uint64_t>(s) * step + lane / lanes;
            bounds[s] = {0, 0};
            if (own < segments) bounds[s] = problem.bounds.at(own, segments, n);
        }
    };
    for (std::uint64_t first = warp * groups; first < segments; first += kFewSegments * step) {
        Bounds bounds[kFewSegments];
        look(first, bounds);
        std::uint64_t begins[kFewSegments];
        std::uint32_t counts[kFewSegments];
        KOGGE_UNROLL
        for (int s = 0; s < kFewSegments; ++s) {
            const std::uint64_t length = bounds[s].end - bounds[s].begin;
            begins[s] = bounds[s].begin;
            counts[s] = length <= few_items(lanes) ? static_cast<std::uint32_t>(length) : 0;
        }
        Carry<typename Problem::Accumulator> folds[kFewSegments];
        fold_by_few(problem, begins, counts, lanes, folds);
        std::uint32_t left = 0;  // a bit per segment of this lane that a warp takes
        KOGGE_UNROLL
        for (int s = 0; s < kFewSegments; ++s) {
            const std::uint64_t own = first + static_cast<std::uint64_t>(s) * step + lane / lanes;
            if (lane % lanes != 0 || own >= segments) continue;
            const std::uint64_t length = bounds[s].end - bounds[s].begin;
            if (length <= few_items(lanes)) problem.finish(own, folds[s]);
            else if (length <= problem.longest_short || !list_segment(problem, own, length, shared)) left |= 1u << s;
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

/// The parts of all blocks' lists, or of long rows, which are not listed.
struct AllParts {
    std::uint64_t number;
    bool have_several;  ///< some segments have several parts
};

/// The blocks that fold each other's parts: all, or this one alone, whose list is number `first_list`.
struct ListTeam {
    std::uint32_t rank, size;
    std::uint64_t first_list;
};

/// Makes this block's list known to all. All threads of the block call.
template <class Problem, class Shared>
KOGGE_DEVICE void publish_list(const Problem& problem, Shared& shared) {
    simt::sync_block();  // the list is complete
    const int thread = simt::thread_rank(), lane = simt::lane();
    const std::uint32_t listed = shared.listed < problem.list_items ? shared.listed : problem.list_items;
    if (simt::warp_rank() > 0) return;
    ListedSegment* const list = problem.memory.lists + simt::block_rank() * problem.list_items;
    std::uint64_t before = 0;
    for (std::uint32_t first = 0; first < listed; first += simt::kWarpSize) {
        const auto i = first + static_cast<std::uint32_t>(lane);
        const std::uint64_t parts = i < listed ? shared.list[i].parts : 0;
        const std::uint64_t up_to = before + warp::inclusive_scan(parts, simt::kWarpSize, plus{});
        if (i < listed) list[i] = shared.list[i] = {shared.list[i].segment, up_to - parts};
        before = simt::shuffle(up_to, simt::kWarpSize - 1);
    }
    if (thread > 0) return;
    problem.memory.totals[simt::block_rank()] = {before, listed};
    if (simt::block_rank() == 0) *problem.memory.ticket = 0;
}

/// What a team has listed. All threads of the block call, once its blocks have met.
template <class Problem, class Shared>
KOGGE_DEVICE AllParts look_at_lists(const Problem& problem, const ListTeam& team, Shared& shared) {
    const int thread = simt::thread_rank();
    ListTotal own{};
    if (static_cast<std::uint32_t>(thread) < team.size)
        own = problem.memory.totals[team.first_list + static_cast<std::uint64_t>(thread)];
    using Network = block::ShuffleScan<kReduceThreads>;
    const auto prefix = Network::scan(own.parts, kReduceThreads, plus{}, shared.network);
    shared.parts_up_to[thread] = (prefix.has_before ? prefix.before : 0) + own.parts;
    if (own.parts > own.segments) simt::atomic_or<simt::Scope::block>(&shared.have_several, 1u);
    simt::sync_block();  // the sums and the verdict are written
    return {prefix.aggregate, shared.have_several != 0};
}

/// Part `part` of a segment; the place of the segment's first part among all is `first`.
struct SegmentPart {
    std::uint64_t segment, part, first;
};

/// Part `place` of the team's. All lanes of the warp call.
template <class Problem, class Shared>
KOGGE_DEVICE SegmentPart part_at(const Problem& problem, const ListTeam& team, std::uint64_t place,
                                 const Shared& shared) {
    const std::uint64_t each = problem.parts_per_row;
    if (each > 0) return {place / each, place % each, place / each * each};
    int block = 0;  // whose list has it: the first with more parts up to its end
    for (int size = kReduceThreads / 2; size > 0; size /= 2)
        if (shared.parts_up_to[block + size - 1] <= place) block += size;
    const std::uint64_t before = block > 0 ? shared.parts_up_to[block - 1] : 0;
    const std::uint64_t number = team.first_list + static_cast<std::uint64_t>(block);
    const ListedSegment* const list = problem.memory.lists + number * problem.list_items;
    const auto listed = static_cast<std::uint32_t>(problem.memory.totals[number].segments);
    SegmentPart found{};
    for (std::uint32_t first = 0; first < listed; first += simt::kWarpSize) {
        const std::uint32_t i = first + static_cast<std::uint32_t>(simt::lane());
        const ListedSegment own = i < listed ? list[i] : ListedSegment{0, ~std::uint64_t{0}};
        const int not_behind = simt::count_bits(simt::ballot(own.parts <= place - before));
        if (not_behind == 0) break;
        const std::uint64_t begins = before + simt::shuffle(own.parts, not_behind - 1);
        found = {simt::shuffle(own.segment, not_behind - 1), place - begins, begins};
    }
    return found;
}

/// Folds parts of long segments. All threads of the block call.
template <class Problem, class Shared>
KOGGE_DEVICE void reduce_parts(const Problem& problem, std::uint64_t n, std::uint64_t segments, const ListTeam& team,
                               std::uint64_t parts, Shared& shared) {
    using Acc = typename Problem::Accumulator;
    auto* const aggregates = static_cast<Acc*>(problem.memory.aggregates);
    const bool is_first = simt::thread_rank() == 0;
    int turn = 0;
    for (std::uint64_t place = team.rank; place < parts; place = shared.next[turn], turn ^= 1) {
        // Listed parts differ in length, so that a block takes the next one when it is done with one.
        if (is_first)
            shared.next[turn] = problem.parts_per_row == 0 && team.size > 1
                                    ? team.size + simt::atomic_add<simt::Scope::device>(problem.memory.ticket, 1u)
                                    : place + team.size;
        const SegmentPart part = part_at(problem, team, place, shared);
        const auto bounds = problem.bounds.at(part.segment, segments, n);
        const std::uint64_t of_segment = divide_up(bounds.end - bounds.begin, problem.part_items);
        const bool has_room = part.first + of_segment <= problem.most_parts || of_segment == 1;
        std::uint64_t left = has_room ? 1 : part.part == 0 ? of_segment : 0;
        if (left == 0) simt::sync_block();  // the next place is written
        Carry<Acc> total{};
        Acc of_lane{};
        int active = 0;
        for (std::uint64_t begin = bounds.begin + part.part * problem.part_items; left > 0; --left) {
            const std::uint64_t end = bounds.end - begin < problem.part_items ? bounds.end : begin + problem.part_items;
            const std::uint64_t share = share_items<typename Problem::Rows>(end - begin, kReduceWarps);
            const Carry<Acc> fold = fold_block(problem, begin, end, share, shared.fold);
            simt::sync_block();  // the warps' totals have been read
            if (has_room) {
                total = fold;
                continue;
            }
            if (simt::lane() == active) of_lane = fold.value;
            if (++active == simt::kWarpSize || left == 1) {
                total = append_parts(total, of_lane, active, problem.op);
                active = 0;
            }
            begin = end;
        }
        if (!is_first || (!has_room && part.part > 0)) continue;
        if (has_room && of_segment > 1) aggregates[place] = total.value;
        else problem.finish(part.segment, total);
    }
}

/// Folds the parts' folds of this block's listed segments, or rows. All threads of the block call.
template <class Problem, class Shared>
KOGGE_DEVICE void reduce_whole(const Problem& problem, std::uint64_t segments, const Shared& shared) {
    using Acc = typename Problem::Accumulator;
    const auto* const aggregates = static_cast<const Acc*>(problem.memory.aggregates);
    const auto finish = [&](std::uint64_t segment, std::uint64_t first, std::uint64_t parts) {
        const auto total = fold_parts(aggregates + first, static_cast<std::uint32_t>(parts), problem.op);
        if (simt::lane() == 0) problem.finish(segment, total);
    };
    const std::uint64_t block = simt::block_rank(), warp = static_cast<std::uint64_t>(simt::warp_rank());
    if (problem.parts_per_row > 0) {
        for (std::uint64_t row = block + warp * simt::grid_size(); row < segments;
             row += std::uint64_t{simt::grid_size()} * kReduceWarps)
            finish(row, row * problem.parts_per_row, problem.parts_per_row);
        return;
    }
    const std::uint64_t before = block > 0 ? shared.parts_up_to[block - 1] : 0;
    const std::uint32_t listed = shared.listed < problem.list_items ? shared.listed : problem.list_items;
    for (std::uint64_t i = warp; i < listed; i += kReduceWarps) {
        const std::uint64_t first = before + shared.list[i].parts;
        const std::uint64_t end = i + 1 < listed ? before + shared.list[i + 1].parts : shared.parts_up_to[block];
        if (end - first > 1 && end <= problem.most_parts) finish(shared.list[i].segment, first, end - first);
    }
}

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kReduceThreads, kReduceBlocks) reduce_segments_kernel(Problem problem) {
    simt::wait_for_stream();
    auto& shared = simt::shared_memory<SegmentsShared<typename Problem::Accumulator>>();
    const std::uint64_t n = problem.n.get(), segments = problem.segments.get();
    const bool is_alone = problem.list_items > 0 && !problem.blocks_meet;
    const ListTeam team =
        is_alone ? ListTeam{0, 1, simt::block_rank()} : ListTeam{simt::block_rank(), simt::grid_size(), 0};
    AllParts parts{segments * problem.parts_per_row, problem.parts_per_row > 1};
    if (problem.parts_per_row == 0) {
        if (simt::thread_rank() == 0) shared.listed = shared.have_several = 0;
        simt::sync_block();  // the list is empty
        reduce_short_segments(problem, n, segments, shared);
        if (problem.list_items == 0) return;
        publish_list(problem, shared);
        if (problem.blocks_meet) sync_wave();  // all lists are complete
        else simt::sync_block();               // this one is
        parts = look_at_lists(problem, team, shared);
    }
    reduce_parts(problem, n, segments, team, parts.number, shared);
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
                  plan.cooperative, plan.cluster},
                 Problem{{in, op, view},
                         {n.bound(), n.on_device()},
                         {given.bounds.most, given.bounds.count},
                         given.stored(memory->begins, memory->ends, how.stream),
                         start,
                         store,
                         plan.lanes,
                         plan.list_items,
                         plan.cooperative || plan.cluster,
                         plan.longest_short,
                         plan.part_items,
                         plan.most_parts,
                         plan.parts_per_row,
                         *memory});
}

}  // namespace kogge::grid::KOGGE_CODE
