// The scan of the tallies of intervals. See runs/launch.cuh.
#include "kogge/runs/launch.cuh"
#include "kogge/scan/launch.cuh"

namespace kogge::grid {
namespace {

struct AddRunTallies {
    KOGGE_HOST_DEVICE RunTally operator()(const RunTally& a, const RunTally& b) const {
        return {a.runs + b.runs, b.runs > 0 ? b.last : a.last};
    }
};

}  // namespace

void scan_run_tallies(const char* call, RunTally* tallies, std::uint64_t n, const exec& how) {
    device_scan(call, static_cast<const RunTally*>(tallies), tallies, n, AddRunTallies{}, Carry<RunTally>{{0, 0}, true},
                false, scan_options{}, how);
}

}  // namespace kogge::grid
