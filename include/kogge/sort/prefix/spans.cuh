// After passes over leading digits only, where many keys agree in these: a span, neighbouring groups of equal leading
// digits that fit the chip together, is put in order by one block (sort/prefix/span_sort.cuh).
//
// The places of all n items are cut into stretches, and the groups that begin in a stretch are a block's: one span, or
// two where they do not fit together. A group that does not fit by itself is left alone; every block looks at its own
// stretch of it, and lists the group if it is out of order (sort/prefix/large_buckets.cuh).
//
// Passes over keys alone rank them as served, which may leave their leading digits out of order. Spans are left alone
// unless the groups around all bounds fit together (sort/prefix/span_bounds.cuh), so that no two spans overlap; and
// each key is looked at whether it lies between its span's ends. Else the result, which still has all keys, is sorted
// again.
#pragma once

#include <cstdint>

#include "kogge/sort/prefix/fallback.cuh"
#include "kogge/sort/prefix/span_sort.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Lists a group, the first or the second that this block looks at, that is out of order within [begin, end) and at
/// its end. All threads call.
template <class Problem, class Leading>
KOGGE_DEVICE void look_at_large(const Problem& problem, SpanShared<Problem>& shared, const Leading& leading_at,
                                int which, const LargeGroup& group, std::uint64_t begin, std::uint64_t end) {
    constexpr int in_flight = 4;
    std::uint32_t& known = shared.descends[which];
    if (end == group.end) --end;
    bool descends = false, strays = false;
    [[maybe_unused]] const auto leading = leading_at(group.begin);
    for (std::uint64_t i = begin + static_cast<std::uint64_t>(simt::thread_rank()); i < end;
         i += in_flight * Problem::kThreads) {
        typename Problem::Key codes[in_flight], next[in_flight];
        for_each_item<in_flight>([&](int u) {
            if (i + u * Problem::kThreads >= end) return;
            codes[u] = problem.code(i + u * Problem::kThreads);
            next[u] = problem.code(i + u * Problem::kThreads + 1);
        });
        for_each_item<in_flight>([&](int u) {
            if (i + u * Problem::kThreads >= end) return;
            descends = descends || codes[u] > next[u];
            if constexpr (!Problem::kHasValues) strays = strays || leading_at(i + u * Problem::kThreads) != leading;
        });
    }
    if constexpr (!Problem::kHasValues) {
        if (simt::any(strays) && simt::lane() == 0)
            simt::atomic_or<simt::Scope::device>(&problem.all.control->disorder, 1);
    }
    if (simt::any(descends) && simt::lane() == 0) simt::atomic_or<simt::Scope::block>(&known, 1);
    simt::sync_block();  // all have looked
    if (simt::thread_rank() > 0 || known == 0) return;
    const std::uint32_t number = simt::atomic_add<simt::Scope::device>(&problem.all.control->large, 1);
    if (number < most_large_groups(problem.all.n.get())) problem.all.large[number] = group;
    else simt::atomic_or<simt::Scope::device>(&problem.all.control->disorder, 1);
}

/// No other block of the multiprocessor has work while this one waits for keys, so that these should be near. (Values
/// are waited for later. Of 2^30 pairs fetched ahead an H200 read 1.7 times the bytes, and took longer.)
template <class Problem>
KOGGE_DEVICE void prefetch_stretch(const Problem& problem, std::uint32_t stretch) {
    const std::uint64_t n = problem.all.n.get(), begin = stretch * problem.stretch;
    if (simt::thread_rank() > 0 || begin >= n) return;
    const std::uint64_t items = n - begin < problem.stretch ? n - begin : problem.stretch;
    simt::prefetch(problem.all.keys + begin, static_cast<std::uint32_t>(items * sizeof(typename Problem::Key)));
}

template <bool recodes, class Problem, class Leading>
KOGGE_DEVICE void run_order_spans(const Problem& problem, const Leading& leading_at) {
    auto& shared = simt::shared_memory<SpanShared<Problem>>();
    static_assert(sizeof(shared) <= span_shared_bytes(Problem::kThreads, Problem::kItemBytes));
    Spans<recodes, Problem, Leading> spans{problem, shared, leading_at,
                                           problem.writes_keys || problem.all.control->has_large != 0};
    const auto fits = [](std::uint64_t begin, std::uint64_t end) { return end - begin <= Problem::kItems; };
    if (simt::thread_rank() == 0) shared.loaded.init(1);
    for (std::uint32_t stretch = simt::block_rank(); stretch < problem.stretches; stretch += simt::grid_size()) {
        const LargeGroup before = problem.bounds[stretch], last = problem.bounds[stretch + 1];
        if (simt::thread_rank() == 0) shared.descends[0] = shared.descends[1] = 0;
        simt::sync_block();  // the barrier stands, and nothing is known of large groups
        if constexpr (Problem::kThreads == kLargeSpanThreads) prefetch_stretch(problem, stretch + simt::grid_size());
        // What begins here, together or but for the last group and then that.
        std::uint64_t from = before.end, to = fits(from, last.end) ? last.end : last.begin;
        while (from < last.end) {
            if (from < to && fits(from, to)) {
                spans.order(from, static_cast<int>(to - from));
                if constexpr (Problem::kHasValues)
                    simt::fence_bulk();  // reads of values may be under way, and bulk copies overtake them
                simt::sync_block();      // the span has left the chip
            }
            from = to;
            to = last.end;
        }
        const std::uint64_t n = problem.all.n.get(), begin = stretch * problem.stretch;
        const std::uint64_t end = n < begin + problem.stretch ? n : begin + problem.stretch;
        if (begin >= end) return;
        if (!fits(before.begin, before.end) && before.end > begin)
            look_at_large(problem, shared, leading_at, 0, before, begin, before.end < end ? before.end : end);
        if (!fits(last.begin, last.end) && last.end != before.end)
            look_at_large(problem, shared, leading_at, 1, last, last.begin, end);
    }
}

template <bool recodes, bool may_go_by_values, class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(Problem::kThreads, kLargeSpanThreads / Problem::kThreads)
    order_spans_kernel(Problem problem) {
    simt::wait_for_stream();
    if (problem.all.control->by_spans == 0 || problem.all.control->no_spans != 0) return;
    if constexpr (simt::kHasBulkCopy)  // plans choose it for no other device
        with_leading<may_go_by_values>(problem,
                                       [&](const auto& leading_at) { run_order_spans<recodes>(problem, leading_at); });
}

/// Where passes went by all digits of keys alone, their order is checked instead. `may_go_by_values`: the keys are
/// floats, and passes may have gone by their values.
template <class Problem>
void order_spans(const Problem& problem, bool may_go_by_values, stream_t stream) {
    const auto find = [&](auto kernel) {
        const auto bounds = static_cast<std::uint32_t>(
            divide_up(problem.stretches + std::uint64_t{1}, block_bounds(Problem::kHasValues)));
        simt::launch(kernel,
                     {bounds > problem.check_blocks ? bounds : problem.check_blocks, kCheckThreads, 0, stream,
                      "find_spans_kernel"},
                     problem);
    };
    constexpr bool takes_floats =
        spans_take_floats(sizeof(typename Problem::Key), Problem::kThreads, Problem::kHasValues);
    if (takes_floats && may_go_by_values) find(find_spans_kernel<takes_floats, Problem>);
    else find(find_spans_kernel<false, Problem>);
    const auto order = [&](auto kernel) {
        simt::launch(kernel,
                     {problem.blocks, Problem::kThreads, span_shared_bytes(Problem::kThreads, Problem::kItemBytes),
                      stream, "order_spans_kernel"},
                     problem);
    };
    if (problem.all.bucket.keys_are_codes()) order(order_spans_kernel<false, false, Problem>);
    else if (takes_floats && may_go_by_values) order(order_spans_kernel<true, takes_floats, Problem>);
    else order(order_spans_kernel<true, false, Problem>);
}

}  // namespace kogge::grid::KOGGE_CODE
