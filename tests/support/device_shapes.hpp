// Devices of each compute capability, for tests of what plans make of them. The numbers are those of the card named.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kogge/simt/runtime.hpp"

namespace tests {

inline std::vector<kogge::device_properties> device_shapes() {
    constexpr std::size_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
    const auto shape = [](const char* name, int capability, int multiprocessors, int threads, std::size_t block_kib,
                          std::size_t multiprocessor_kib, std::size_t l2_mib, std::size_t memory_gib,
                          std::uint32_t cluster) {
        return kogge::device_properties{.name = name,
                                        .device = 0,
                                        .compute_major = capability / 10,
                                        .compute_minor = capability % 10,
                                        .multiprocessors = multiprocessors,
                                        .max_threads_per_multiprocessor = threads,
                                        .shared_bytes_per_block = block_kib * kib,
                                        .shared_bytes_per_multiprocessor = multiprocessor_kib * kib,
                                        .l2_bytes = l2_mib * mib,
                                        .memory_bytes = memory_gib * gib,
                                        .cluster_blocks = cluster};
    };
    return {
        shape("T4", 75, 40, 1024, 64, 64, 4, 16, 1),           shape("A100", 80, 108, 2048, 163, 164, 40, 80, 1),
        shape("RTX 3090", 86, 82, 1536, 99, 100, 6, 24, 1),    shape("RTX 4090", 89, 128, 1536, 99, 100, 72, 24, 1),
        shape("H100", 90, 132, 2048, 227, 228, 50, 80, 16),    shape("B200", 100, 148, 2048, 227, 228, 126, 180, 16),
        shape("B300", 103, 148, 2048, 227, 228, 126, 270, 16), shape("RTX 5090", 120, 170, 1536, 99, 100, 96, 32, 8),
    };
}

/// The same device with few multiprocessors, whose blocks the emulator can hold at once.
inline kogge::device_properties shrunk(kogge::device_properties device) {
    device.multiprocessors = 4;
    device.cluster_blocks = std::min(device.cluster_blocks, std::uint32_t{4});
    device.l2_bytes = std::min(device.l2_bytes, std::size_t{4} << 20);
    device.memory_bytes = std::min(device.memory_bytes, std::size_t{8} << 30);
    return device;
}

}  // namespace tests
