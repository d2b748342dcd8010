// After passes over leading digits only, where many keys agree in these: one block sorts a span, neighbouring buckets
// of equal leading digits that fit the chip together (sort/prefix/span_sort.cuh).
//
// The n places are cut into slices of `stretch` places, and a block sorts the buckets that begin in its slice: one
// span, or two if they do not fit together. A bucket that does not fit by itself is left alone: every block looks at
// its own slice of it, and lists the bucket if it is out of order (sort/prefix/large_buckets.cuh).
//
// Passes over keys alone rank in arrival order, which may leave leading digits out of order. Spans are sorted only if
// the buckets around all bounds fit together (sort/prefix/span_bounds.cuh), so that no two spans overlap; and each key
// is checked to lie between its span's ends. Otherwise the result, which still has all keys, is sorted again.
#pragma once

#include <cstdint>

#include "kogge/sort/prefix/fallback.cuh"
#include "kogge/sort/prefix/span_sort.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Lists a large bucket (`which`: the first or the second of this block) if it is out of order within [begin, end) or
/// at `end`. All threads call.
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
    simt::sync_block();  // all threads have looked
    if (simt::thread_rank() > 0 || known == 0) return;
    const std::uint32_t number = simt::atomic_add<simt::Scope::device>(&problem.all.control->large, 1);
    if (number < most_large_groups(problem.all.n.get())) problem.all.large[number] = group;
    else simt::atomic_or<simt::Scope::device>(&problem.all.control->disorder, 1);
}

/// While this block waits for keys, no other block of the multiprocessor has work, so the next slice's keys should be
/// near. (Values are waited for later. With 2^30 pairs prefetched, an H200 read 1.7 times the bytes, and took longer.)
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
        simt::sync_block();  // the barrier is initialised, and large buckets are unknown
        if constexpr (Problem::kThreads == kLargeSpanThreads) prefetch_stretch(problem, stretch + simt::grid_size());
        // The buckets that begin here: all together, or the last bucket apart from the others.
        std::uint64_t from = before.end, to = fits(from, last.end) ? last.end : last.begin;
        while (from < last.end) {
            if (from < to && fits(from, to)) {
                spans.order(from, static_cast<int>(to - from));
                if constexpr (Problem::kHasValues)
                    simt::fence_bulk();  // lanes may still be reading values, and bulk copies overtake them
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

/// Launches both kernels. After passes by all digits of keys alone they check the order instead. `may_go_by_values`:
/// the keys are floats, and passes may have gone by their values.
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
