// What a record of a GPU says of the machine that it is made on.
#pragma once

#include <cuda_runtime.h>

#include <cub/version.cuh>
#include <stdexcept>
#include <string>

#include "kogge/simt/runtime.hpp"
#include "record.hpp"

namespace bench {

/// Of the current device.
inline Setting cuda_setting(const std::string& commit) {
    int runtime = 0;
    if (cudaRuntimeGetVersion(&runtime) != cudaSuccess) throw std::runtime_error("the CUDA runtime does not answer");
    const std::string driver = output_of("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null");
    return {commit,
            kogge::simt::current_properties().name,
            driver.empty() ? "unknown" : driver,
            std::to_string(runtime / 1000) + '.' + std::to_string(runtime % 1000 / 10),
            std::to_string(CUB_MAJOR_VERSION) + '.' + std::to_string(CUB_MINOR_VERSION) + '.' +
                std::to_string(CUB_SUBMINOR_VERSION),
            today()};
}

}  // namespace bench
