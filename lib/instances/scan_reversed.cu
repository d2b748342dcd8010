// kogge-parts: 5
// Scans from the last item to the first; as scan_runs.cu, without a wave.
#include "kogge/detail/prebuilt_told.hpp"
#include "kogge/scan/launch.cuh"
#include "parts.hpp"

namespace kogge::grid {

template <class In, class Sum>
void told_reverse_scan(const char* call, In in, Sum* out, const item_count& n, ToldOperator op, bool inclusive,
                       const Carry<Sum>& start, const exec& how) {
    using Problem = ScanProblem<detail::Reversed<In>, Sum, Sum, ToldOperator>;
    const detail::Reversed<In> reversed{in, n.bound(), n.on_device()};
    const scan_plan plan =
        plan_scan(n.bound(), Problem::kShape, {.grid = grid_strategy::on_chip}, simt::properties_of(how.stream));
    const detail::CarvedScratch memory(call, how, plan.scratch_bytes,
                                       [&](detail::Carver& carver) { return carve_scan(carver, plan, sizeof(Sum)); });
    const Problem problem{reversed, detail::results_of(reversed, out), {n.bound(), n.on_device()}, op, start,
                          inclusive};
    launch_one_of<tile_scan, pipeline_scan>(problem, DefaultNetwork{}, plan, *memory, how.stream);
}

#define KOGGE_INSTANCE(In, Sum) KOGGE_TOLD_REVERSE_SCAN_OF(, In, Sum)
KOGGE_TOLD_NUMBERS_OF_PART(KOGGE_INSTANCE)

}  // namespace kogge::grid
