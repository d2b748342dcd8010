// The scratch of histograms. Plans carve it to measure it, launchers to use it.
#pragma once

#include "kogge/exec.hpp"
#include "kogge/plan/histogram.hpp"

namespace kogge::grid {

struct HistogramMemory {
    std::uint32_t* tickets = nullptr;  ///< zero before the launch
    std::size_t tickets_bytes = 0;
};
HistogramMemory carve_histogram(detail::Carver& carver, const histogram_plan& plan);

}  // namespace kogge::grid
