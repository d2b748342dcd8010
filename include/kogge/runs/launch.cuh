// Runs of equal neighbours. Where the keys fit a wave or a pipeline, that finds the runs in one pass. The kernels here
// are for other keys and devices: count, scan, write. A warp counts the heads of runs in an interval of 1024 items and
// notes the last one. The intervals' tallies are scanned. Then the warps read their intervals again, and every head
// knows its run's number and the head of the run before. Global traffic: the keys read twice, coalesced; 16 bytes per
// interval; and the writer's reads and writes per run.
#pragma once

#include <cstdint>

#include "kogge/compact/launch.cuh"
#include "kogge/detail/prebuilt_runs.hpp"
#include "kogge/runs/pipeline.cuh"
#include "kogge/runs/scratch.hpp"
#include "kogge/runs/wave.cuh"

namespace kogge::grid {

/// Replaces tally i by the fold of the tallies of all intervals before i. The kernels are compiled into the library.
void scan_run_tallies(const char* call, RunTally* tallies, std::uint64_t n, const exec& how);

}  // namespace kogge::grid

namespace kogge::grid::KOGGE_CODE {

/// Whether a run begins at item i.
template <class Key, class Equal, class In>
struct RunHeads {
    In keys;
    Equal equal;
    KOGGE_DEVICE bool operator()(std::uint64_t i) const {
        return i == 0 || !static_cast<bool>(equal(detail::item_at<Key>(keys, i - 1), detail::item_at<Key>(keys, i)));
    }
};

/// Calls visit(row's first item, mask of the row's heads) for each row of interval `interval`. All lanes of a warp
/// call.
template <class Heads, class Visit>
KOGGE_DEVICE void visit_rows(const Heads& heads, std::uint64_t interval, std::uint64_t n, const Visit& visit) {
    constexpr int kAtOnce = 4;  // rows whose loads are in flight together
    for (int row = 0; row < kRunRows; row += kAtOnce) {
        const std::uint64_t begin = interval * kRunInterval + static_cast<std::uint64_t>(row * simt::kWarpSize);
        if (begin >= n) return;
        bool is_head[kAtOnce];
        KOGGE_UNROLL
        for (int k = 0; k < kAtOnce; ++k) {
            const std::uint64_t i = begin + static_cast<std::uint64_t>(k * simt::kWarpSize + simt::lane());
            is_head[k] = i < n && heads(i);
        }
        KOGGE_UNROLL
        for (int k = 0; k < kAtOnce; ++k)
            visit(begin + static_cast<std::uint64_t>(k * simt::kWarpSize), simt::ballot(is_head[k]));
    }
}

KOGGE_DEVICE std::uint64_t first_interval() {
    return static_cast<std::uint64_t>(simt::block_rank()) * (kRunThreads / simt::kWarpSize) +
           static_cast<std::uint64_t>(simt::warp_rank());
}
KOGGE_DEVICE std::uint64_t all_warps() {
    return static_cast<std::uint64_t>(simt::grid_size()) * (kRunThreads / simt::kWarpSize);
}

/// One tally per interval up to the bound, and an empty one after them.
template <class Heads>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kRunThreads, 4)
    count_runs_kernel(Heads heads, Count count, RunTally* tallies, std::uint64_t intervals) {
    simt::wait_for_stream();
    const std::uint64_t n = count.get();
    for (std::uint64_t interval = first_interval(); interval <= intervals; interval += all_warps()) {
        RunTally tally{0, 0};
        visit_rows(heads, interval, n, [&](std::uint64_t begin, simt::mask_t mask) {
            tally.runs += static_cast<std::uint64_t>(simt::count_bits(mask));
            if (mask) tally.last = begin + static_cast<std::uint64_t>(simt::highest_bit(mask));
        });
        if (simt::lane() == 0) tallies[interval] = tally;
    }
}

/// Calls write(run, its head, the head before it) for every run, and write.finish(runs, last head, n) once. `before`
/// are the folds of the tallies of all earlier intervals.
template <class Heads, class Write>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kRunThreads, 4)
    write_runs_kernel(Heads heads, Count count, const RunTally* before, std::uint64_t intervals, Write write,
                      std::uint64_t* total) {
    simt::wait_for_stream();
    const std::uint64_t n = count.get();
    for (std::uint64_t interval = first_interval(); interval < intervals; interval += all_warps()) {
        RunTally tally = before[interval];
        visit_rows(heads, interval, n, [&](std::uint64_t begin, simt::mask_t mask) {
            const simt::mask_t lower = mask & simt::lanes_before();
            if (mask >> simt::lane() & 1u) {
                const std::uint64_t previous =
                    lower ? begin + static_cast<std::uint64_t>(simt::highest_bit(lower)) : tally.last;
                write(tally.runs + static_cast<std::uint64_t>(simt::count_bits(lower)),
                      begin + static_cast<std::uint64_t>(simt::lane()), previous);
            }
            tally.runs += static_cast<std::uint64_t>(simt::count_bits(mask));
            if (mask) tally.last = begin + static_cast<std::uint64_t>(simt::highest_bit(mask));
        });
    }
    if (simt::block_rank() == 0 && simt::thread_rank() == 0) {
        const RunTally all = before[intervals];
        write.finish(all.runs, all.last, n);
        *total = all.runs;
    }
}

// ---- launches ------------------------------------------------------------------------------------------

/// Counts, scans, writes.
template <class Key, class Equal, class Write, class In>
void launch_runs(const runs_intervals& way, const char* call, const runs_plan& plan,
                 const RunsProblem<Key, Equal, Write, In>& problem, const RunsMemory& memory, const exec& how) {
    using Heads = RunHeads<Key, Equal, In>;
    const Heads heads{problem.keys, problem.equal};
    exec inner = how;
    inner.space = memory.scan_space;
    simt::launch(count_runs_kernel<Heads>, {plan.blocks, kRunThreads, 0, how.stream, "count_runs_kernel"}, heads,
                 problem.n, memory.tallies, way.intervals);
    scan_run_tallies(call, memory.tallies, way.intervals + 1, inner);
    simt::launch(write_runs_kernel<Heads, Write>, {plan.blocks, kRunThreads, 0, how.stream, "write_runs_kernel"}, heads,
                 problem.n, static_cast<const RunTally*>(memory.tallies), way.intervals, problem.write, problem.total);
}

/// Finds and writes the runs of n keys, by a plan that does not compact. The arguments have been checked. `total` is
/// device memory. `write` is also called by host::find_runs.
template <class Key, class In, class Equal, class Write>
void device_runs(const char* call, const In& keys, const item_count& n, Equal equal, const Write& write,
                 std::uint64_t* total, const runs_plan& plan, const exec& how) {
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes, [&](detail::Carver& carver) {
        return carve_runs(carver, plan, Write::kOutput);
    });
    const RunsMemory& memory = *scratch;
    const RunsProblem<Key, Equal, Write, In> problem{keys, {n.bound(), n.on_device()}, equal, write, total};
    if constexpr (Write::kOutput != runs_output::items)
        if (const auto* const way = plan.as<runs_intervals>())
            return launch_runs(*way, call, plan, problem, memory, how);
    if constexpr (packs_places(sizeof(Key), Write::kOutput)) {
        if (const auto* const way = plan.as<runs_wave>()) return launch_runs(*way, plan, problem, memory, how.stream);
        if constexpr (fits_ring(sizeof(Key))) launch_runs(*plan.as<runs_pipeline>(), plan, problem, memory, how.stream);
    }
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

template <class Code, class Key, class Write>
void device_stored_runs(const char* call, const Key* keys, const item_count& n, const StoredEqual<Key>& equal,
                        const Write& write, std::uint64_t* total, const exec& how) {
    const runs_plan plan = plan_runs(n.bound(), {sizeof(Key), Write::kOutput}, simt::properties_of(how.stream));
    if constexpr (Write::kOutput == runs_output::items)
        if (plan.is<compact_way>())
            return compact_items<false, Key>(call, keys, n, write.out, static_cast<Key*>(nullptr), total,
                                             FirstStored<Key>{keys, equal}, how);
    device_runs<Key>(call, keys, n, equal, write, total, plan, how);
}

}  // namespace kogge::grid
