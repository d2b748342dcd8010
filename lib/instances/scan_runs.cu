// kogge-parts: 5
// Scans of runs and of segments. One kernel marks where these begin, so that one scan serves keys of all types, and
// offsets. Global traffic besides the scan's own: the keys, or the offsets, read once, and a bit per item written and
// read. There is no wave, at any size: it would make this part of the library twice as large.
#include "kogge/detail/prebuilt_told.hpp"
#include "kogge/scan/segmented.cuh"
#include "parts.hpp"

namespace kogge::grid {
namespace {

struct ScanOfRunsMemory {
    std::uint32_t* marks;
    ScanMemory scan;
};

template <bool shifted, class In, class Sum>
void scan_runs(const char* call, const ToldRuns& runs, In in, Sum* out, const item_count& n, ToldOperator op, Sum init,
               const exec& how) {
    using Flagged = detail::Flagged<Sum>;
    using Result = detail::FlaggedResult<Sum>;
    using Problem = ScanProblem<detail::RunsInput<In, Sum, SegmentHeads, shifted>, Result, Flagged,
                                detail::FlaggedOperator<ToldOperator>>;
    const scan_plan plan =
        plan_scan(n.bound(), Problem::kShape, {.grid = grid_strategy::on_chip}, simt::properties_of(how.stream));
    const auto carve = [&](detail::Carver& carver) {
        auto* const marks = carver.take<std::uint32_t>(divide_up(n.bound(), kHeadsPerWord));
        return ScanOfRunsMemory{marks, carve_scan(carver, plan, sizeof(Flagged))};
    };
    detail::Carver measured;
    carve(measured);
    const detail::CarvedScratch memory(call, how, detail::scratch_with_slack(measured.used()), carve);
    if (runs.offsets) mark_heads(runs.offsets, runs.segments, n, memory->marks, how.stream);
    else mark_runs(runs.keys, runs.equal, n, memory->marks, how.stream);
    const Problem problem{{in, SegmentHeads{memory->marks}, init},
                          reinterpret_cast<Result*>(out),
                          {n.bound(), n.on_device()},
                          {op},
                          {},
                          true};
    launch_one_of<tile_scan, pipeline_scan>(problem, DefaultNetwork{}, plan, memory->scan, how.stream);
}

}  // namespace

template <class In, class Sum>
void told_scan(const char* call, const ToldRuns& runs, In in, Sum* out, const item_count& n, ToldOperator op,
               bool inclusive, Sum init, const exec& how) {
    if (inclusive) scan_runs<false>(call, runs, in, out, n, op, init, how);
    else scan_runs<true>(call, runs, in, out, n, op, init, how);
}

#define KOGGE_INSTANCE(In, Sum) KOGGE_TOLD_SCAN_OF(, In, Sum)
KOGGE_TOLD_NUMBERS_OF_PART(KOGGE_INSTANCE)

}  // namespace kogge::grid
