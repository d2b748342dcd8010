// What tests ask of the plans of scans.
#pragma once

#include <vector>

#include "kogge/plan/scan.hpp"

namespace tests {

inline bool is_pipelined(const kogge::scan_plan& plan) { return plan.is<kogge::pipeline_scan>(); }
inline bool is_deep(const kogge::scan_plan& plan) { return plan.is<kogge::deep_wave_scan>(); }
inline bool is_cluster(const kogge::scan_plan& plan) {
    const auto* const wave = plan.as<kogge::wave_scan>();
    return wave && wave->cluster;
}
inline bool is_cooperative(const kogge::scan_plan& plan) {
    const auto* const wave = plan.as<kogge::wave_scan>();
    const auto* const deep = plan.as<kogge::deep_wave_scan>();
    const auto* const pipeline = plan.as<kogge::pipeline_scan>();
    return (wave && wave->cooperative) || (deep && deep->cooperative) || (pipeline && pipeline->cooperative);
}
/// Of a wave in registers; 0 of any other scan.
inline int wave_rows(const kogge::scan_plan& plan) {
    const auto* const wave = plan.as<kogge::wave_scan>();
    return wave ? wave->rows : 0;
}
/// Of a pipeline; no stages of any other scan.
inline kogge::ring_shape ring_of(const kogge::scan_plan& plan) {
    const auto* const pipeline = plan.as<kogge::pipeline_scan>();
    return pipeline ? pipeline->ring : kogge::ring_shape{};
}
inline std::vector<kogge::scan_level> levels_of(const kogge::scan_plan& plan) {
    const auto* const way = plan.as<kogge::level_scan>();
    return way ? way->levels : std::vector<kogge::scan_level>{};
}

}  // namespace tests
