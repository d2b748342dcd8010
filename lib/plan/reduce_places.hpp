// Where the blocks of a reduction stay.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "kogge/error.hpp"
#include "kogge/reduce/shape.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge::grid {

/// Throws where a block with so much shared memory does not fit the device, because its accumulators are too wide.
inline void check_width(const char* call, std::size_t shared, std::size_t accumulator_bytes,
                        const device_properties& device) {
    if (shared > device.shared_bytes_per_block)
        throw error(
            errc::invalid_argument, call,
            "accumulators of " + std::to_string(accumulator_bytes) + " bytes are too wide for this device's chip");
}

/// Blocks of so much shared memory that a multiprocessor holds.
inline std::uint64_t reduce_blocks_each(std::size_t shared, const device_properties& device) {
    const auto by_threads = static_cast<std::uint64_t>(device.max_threads_per_multiprocessor / kReduceThreads);
    const std::uint64_t by_shared = device.shared_bytes_per_multiprocessor / (shared + 1024);
    return std::clamp<std::uint64_t>(std::min(by_threads, by_shared), 1, kReduceBlocks);
}

/// Such blocks that the device holds.
inline std::uint64_t reduce_places(std::size_t shared, const device_properties& device) {
    return reduce_blocks_each(shared, device) * static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
}

}  // namespace kogge::grid
