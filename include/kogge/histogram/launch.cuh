// Histograms on the device: the plan, its scratch, and the launches of the way that the plan names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/histogram/atomics.cuh"
#include "kogge/histogram/kernel.cuh"
#include "kogge/histogram/rows.cuh"
#include "kogge/histogram/scratch.hpp"
#include "kogge/plan/histogram.hpp"

namespace kogge::grid::KOGGE_CODE {

/// An input beside its weights.
template <class In, class Weights>
struct WeightedInput {
    In in;
    Weights weights;
    KOGGE_HOST_DEVICE auto operator[](std::uint64_t i) const {
        return WeightedItem<histogram_item<In>>{in[i], detail::modular(weights[i])};
    }
};
template <class In>
const In& weighted(const In& in, const NoValue&) {
    return in;
}
template <class In, class Weights>
WeightedInput<In, Weights> weighted(const In& in, const Weights& weights) {
    return {in, weights};
}

inline simt::LaunchShape histogram_launch(const launch_size& size, stream_t stream, const char* name) {
    return {size.blocks, static_cast<std::uint32_t>(size.threads), size.shared_bytes, stream, name};
}

template <class In, class BinOf>
void launch_histogram(const histogram_blocks& way, const histogram_plan& plan, HistogramProblem<In, BinOf> problem,
                      const HistogramMemory& memory, stream_t stream) {
    problem.parts = way.parts;
    problem.ranges = way.ranges;
    problem.range_bins = way.range_bins;
    problem.copies_log2 = way.copies_log2;
    problem.adds = way.adds;
    problem.zeroes = way.zeroes;
    problem.holds = (std::size_t{1} << way.copies_log2) < simt::kWarpSize;
    problem.tickets = memory.tickets;
    simt::LaunchShape shape = histogram_launch(way.launch, stream, "histogram_blocks_kernel");
    shape.cooperative = way.zeroes;
    if constexpr (is_weighted<histogram_item<In>>) {
        if (plan.shape.counter_bytes == 8)
            return simt::launch(histogram_blocks_kernel<CounterKind::wide, In, BinOf>, shape, problem);
    } else if (way.narrow) {
        return simt::launch(histogram_blocks_kernel<CounterKind::narrow, In, BinOf>, shape, problem);
    }
    simt::launch(histogram_blocks_kernel<CounterKind::word, In, BinOf>, shape, problem);
}
template <class In, class BinOf>
void launch_histogram(const histogram_warps& way, const histogram_plan& plan,
                      const HistogramProblem<In, BinOf>& problem, const HistogramMemory&, stream_t stream) {
    const simt::LaunchShape shape = histogram_launch(way.launch, stream, "histogram_rows_kernel");
    if constexpr (is_weighted<histogram_item<In>>)
        if (plan.shape.counter_bytes == 8)
            return simt::launch(histogram_rows_kernel<CounterKind::wide, In, BinOf>, shape, problem);
    simt::launch(histogram_rows_kernel<CounterKind::word, In, BinOf>, shape, problem);
}
template <class In, class BinOf>
void launch_histogram(const histogram_atomics& way, const histogram_plan&, HistogramProblem<In, BinOf> problem,
                      const HistogramMemory&, stream_t stream) {
    static_assert(sizeof(HistogramCacheShared) == std::size_t{2} * kHistogramCached * sizeof(std::uint32_t));
    problem.parts = way.parts;
    simt::launch(histogram_atomics_kernel<In, BinOf>, histogram_launch(way.launch, stream, "histogram_atomics_kernel"),
                 problem);
}

/// Whether a fill zeroes the counts before they are added to.
inline bool fills_counts(const histogram_plan& plan) {
    const auto* const blocks = plan.as<histogram_blocks>();
    return blocks ? blocks->adds && !blocks->zeroes : plan.is<histogram_atomics>();
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

/// Counts the items of each row, or, if there are weights, adds these up. Arguments have been checked. `length` is a
/// number if there are several rows.
template <class Code, class In, class Weights, class BinOf>
void device_histogram(const char* call, const In& in, const Weights& weights, void* counts, std::size_t count_bytes,
                      const item_count& length, std::uint64_t rows, std::uint32_t bins, const BinOf& bin_of,
                      const exec& how) {
    constexpr bool has_weights = !std::is_same_v<Weights, NoValue>;
    if (rows == 0) return;
    histogram_shape shape{sizeof(histogram_item<In>), count_bytes, has_weights};
    if constexpr (has_weights) shape.item_bytes += sizeof(histogram_item<Weights>);
    const histogram_plan plan = plan_histogram(length.bound(), rows, bins, shape, simt::properties_of(how.stream));
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes,
                                        [&](detail::Carver& carver) { return carve_histogram(carver, plan); });
    const HistogramMemory& memory = *scratch;
    const std::uint64_t bytes = rows * bins * count_bytes;
    if (length.bound() == 0) return simt::fill(counts, 0, bytes, how.stream);
    if (fills_counts(plan)) simt::fill(counts, 0, bytes, how.stream);
    if (memory.tickets) simt::fill(memory.tickets, 0, memory.tickets_bytes, how.stream);
    const auto items = weighted(in, weights);
    using Items = std::remove_const_t<decltype(items)>;
    HistogramProblem<Items, BinOf> problem{
        items,     bin_of, {counts, static_cast<int>(count_bytes)}, {length.bound(), length.on_device()}, rows, bins, 0,
        plan.most, 1};
    for (std::uint64_t left = length.bound();; problem.first += plan.most, left -= plan.most) {
        std::visit([&](const auto& way) { launch_histogram(way, plan, problem, memory, how.stream); }, plan.way);
        if (left <= plan.most) break;
    }
}

}  // namespace kogge::grid
