// Plans of unique and run-length encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kogge/plan/compact.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// What finding runs of equal keys writes of each: its first item (unique), that and the value beside it
/// (unique_by_key), or that and its length (run_length_encode).
enum class runs_output { items, values, lengths };
struct runs_shape {
    std::size_t key_bytes;
    runs_output writes;
};
/// One launch where the keys fit the chip, or a pass of bulk copies (sm_90). Of other keys and devices the first items
/// are kept by a compaction, and beside values and lengths runs are counted, scanned and written.
struct runs_plan : compact_plan {
    bool compacts = false;        ///< as plan_compact says; of items alone
    std::uint64_t stretches = 0;  ///< that are counted
    std::size_t scan_bytes = 0;   ///< of the scratch, for the scan of their tallies
};
runs_plan plan_runs(std::uint64_t n, const runs_shape& shape, const device_properties& device);

std::string to_string(const runs_plan& plan);

}  // namespace kogge
