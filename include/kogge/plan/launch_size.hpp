// The size of a launch, as plans state it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kogge {

struct launch_size {
    std::uint32_t blocks = 0;
    int threads = 0;               ///< per block
    std::size_t shared_bytes = 0;  ///< per block
};

}  // namespace kogge
