// Which of the architectures that a kernel is compiled for a device runs.
#pragma once

#include <span>

namespace kogge::simt {

/// Architectures as nvcc lists them: 900 is sm_90. 0: none, or none that is known.
constexpr int code_for(int device, std::span<const int> compiled_for) {
    int newest = 0;
    for (const int each : compiled_for) newest = each <= device && each > newest ? each : newest;
    return newest;
}

/// From sm_90 on, plans count on bulk copies and clusters, of which kernels for older devices have nothing.
constexpr bool runs_as_planned(int device, std::span<const int> compiled_for) {
    return device < 900 || code_for(device, compiled_for) >= 900;
}

}  // namespace kogge::simt
