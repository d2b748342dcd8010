// Histograms of many short rows: a warp per row, whose counters are zeroed, added to and stored by this warp alone.
#pragma once

#include <cstdint>

#include "kogge/histogram/kernel.cuh"

namespace kogge::grid::KOGGE_CODE {

template <CounterKind kind, class In, class BinOf>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kHistogramRowThreads, 4)
    histogram_rows_kernel(HistogramProblem<In, BinOf> problem) {
    simt::wait_for_stream();
    constexpr std::uint64_t warps = kHistogramRowThreads / simt::kWarpSize;
    using Item = histogram_item<In>;
    const auto warp = static_cast<std::uint64_t>(simt::warp_rank());
    const std::uint64_t words = histogram_bytes(kind, problem.bins, 0) / 4, length = problem.length.get();
    const HistogramCounters<kind> counters{&simt::shared_memory<std::uint32_t>() + warp * words, 0};
    const int lane = simt::lane();
    KOGGE_NO_UNROLL
    for (std::uint64_t row = simt::block_rank() * warps + warp; row < problem.rows; row += simt::grid_size() * warps) {
        counters.zero(problem.bins, lane, simt::kWarpSize);
        simt::sync_warp();  // the counters are zero
        HeldCounts<HistogramCounters<kind>> held(counters, true);
        const std::uint64_t begin = row * length;
        KOGGE_NO_UNROLL
        for (std::uint64_t from = 0; from < length; from += kHistogramRowHeld * simt::kWarpSize) {
            Item items[kHistogramRowHeld];
            const auto at = [=](int j) { return from + static_cast<std::uint64_t>(j * simt::kWarpSize + lane); };
            KOGGE_UNROLL
            for (int j = 0; j < kHistogramRowHeld; ++j) items[j] = at(j) < length ? problem.in[begin + at(j)] : Item{};
            KOGGE_UNROLL
            for (int j = 0; j < kHistogramRowHeld; ++j) {
                const std::uint32_t bin =
                    at(j) < length ? bin_in_range(problem.bin_of, items[j], 0, problem.bins) : detail::kNoBin;
                count_item(held, bin, items[j]);
            }
        }
        held.flush();
        simt::sync_warp();  // the warp has counted
        const HistogramCounts counts = problem.counts.from(row * problem.bins);
        for (auto bin = static_cast<std::uint32_t>(lane); bin < problem.bins; bin += simt::kWarpSize)
            counts.store(bin, counters.get(bin));
        simt::sync_warp();  // the counters are read
    }
}

}  // namespace kogge::grid::KOGGE_CODE
