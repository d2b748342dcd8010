// After passes over leading digits in which keys are uniform: one block sorts a span, neighbouring buckets that fit the
// chip together (sort/prefix/span_sort.cuh). A span that is too skewed is listed, and sorted as a batch
// (sort/prefix/batch_sort.cuh).
#pragma once

#include <cstdint>

#include "kogge/sort/prefix/span_sort.cuh"

namespace kogge::grid::KOGGE_CODE {

/// While this block waits for keys, no other block of the multiprocessor has work, so the next slice's keys should be
/// near. (Values are waited for later. With 2^30 pairs prefetched, an H200 read 1.7 times the bytes, and took longer.)
template <class Problem>
KOGGE_DEVICE void prefetch_slice(const Problem& problem, std::uint32_t slice) {
    const std::uint64_t n = problem.all.n.get(), places = problem.all.span_places, begin = slice * places;
    if (simt::thread_rank() > 0 || begin >= n) return;
    const std::uint64_t items = n - begin < places ? n - begin : places;
    simt::prefetch(problem.all.keys + begin, static_cast<std::uint32_t>(items * sizeof(typename Problem::Key)));
}

/// Lists the last bucket that begins in a slice, if it is wide.
template <class Problem>
KOGGE_DEVICE void list_wide_bucket(const Problem& problem, std::uint32_t slice) {
    const Places before = problem.all.bounds[slice], last = problem.all.bounds[slice + 1];
    if (simt::thread_rank() == 0 && last.begin >= before.end && problem.all.is_wide(last)) list_batch(problem, last);
}

template <bool recodes, bool by_values, class Problem>
KOGGE_DEVICE void run_span_sort(const Problem& problem) {
    auto& shared = simt::shared_memory<SpanShared<Problem>>();
    static_assert(sizeof(shared) <= span_shared_bytes(Problem::kThreads, Problem::kItemBytes));
    Spans<recodes, by_values, Problem> spans{problem, shared};
    const auto fits = [](std::uint64_t places) { return places <= Problem::kItems; };
    if (simt::thread_rank() == 0) shared.loaded.init(1);
    simt::sync_block();  // the barrier is initialised
    const std::uint32_t slices = problem.all.slices();
    const bool has_wide = Problem::kItems < Problem::All::kBatchItems && problem.all.control->has_wide > 0;
    for (std::uint32_t slice = simt::block_rank(); slice < slices; slice += simt::grid_size()) {
        if constexpr (Problem::kThreads == kLargeSpanThreads) prefetch_slice(problem, slice + simt::grid_size());
        for_batches_of_slice(problem.all, slice, fits, [&](const Places& span) {
            spans.order(span.begin, static_cast<int>(span.end - span.begin));
            if constexpr (Problem::kHasValues)
                simt::fence_bulk();  // lanes may still be reading values, and bulk copies overtake them
            simt::sync_block();      // the span has left the chip
        });
        if (has_wide) list_wide_bucket(problem, slice);
    }
}
template <bool recodes, bool may_go_by_values, class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(Problem::kThreads, kLargeSpanThreads / Problem::kThreads)
    span_sort_kernel(Problem problem) {
    simt::wait_for_stream();
    if (!problem.all.control->by_spans()) return;
    if constexpr (simt::kHasBulkCopy) {  // plans choose it for no other device
        if constexpr (may_go_by_values)
            if (problem.all.control->outcome == SortOutcome::value_spans) return run_span_sort<recodes, true>(problem);
        run_span_sort<recodes, false>(problem);
    }
}

/// `may_go_by_values`: the keys are floats, and passes may have gone by their values.
template <class Problem>
void launch_span_sort(const Problem& problem, std::uint32_t blocks, bool may_go_by_values, stream_t stream) {
    constexpr bool takes_floats =
        spans_take_floats(sizeof(typename Problem::Key), Problem::All::kValueBytes, Problem::kThreads);
    const auto order = [&](auto kernel) {
        simt::launch(kernel,
                     {blocks, Problem::kThreads, span_shared_bytes(Problem::kThreads, Problem::kItemBytes), stream,
                      "span_sort_kernel"},
                     problem);
    };
    if (problem.all.bucket.keys_are_codes()) order(span_sort_kernel<false, false, Problem>);
    else if (takes_floats && may_go_by_values) order(span_sort_kernel<true, takes_floats, Problem>);
    else order(span_sort_kernel<true, false, Problem>);
}

}  // namespace kogge::grid::KOGGE_CODE
