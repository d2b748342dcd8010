#include "fuzz/device.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fuzz/case.hpp"

namespace fuzz {
namespace {

/// What of each kind of device differs: shared memory in KiB of a block and of a multiprocessor, and the threads that
/// one holds.
struct Kind {
    int major, minor;
    std::size_t block, multiprocessor;
    int threads;
    std::uint32_t cluster;
};
constexpr Kind kKinds[] = {
    {7, 5, 64, 64, 1024, 1},     {8, 0, 163, 164, 2048, 1},   {8, 6, 99, 100, 1536, 1},
    {8, 9, 99, 100, 1536, 1},    {9, 0, 227, 228, 2048, 16},  {9, 0, 227, 228, 2048, 16},
    {10, 0, 227, 228, 2048, 16}, {10, 3, 227, 228, 2048, 16}, {12, 0, 99, 100, 1536, 8},
};
/// The emulator holds so many threads of a launch whose blocks run together.
constexpr int kMostThreads = 20480;

}  // namespace

kogge::device_properties random_device(Case& of) {
    const Kind kind = kKinds[of.below(std::size(kKinds))];
    kogge::device_properties device{.name = "of the fuzzer",
                                    .device = 0,
                                    .compute_major = kind.major,
                                    .compute_minor = kind.minor,
                                    .max_threads_per_multiprocessor = kind.threads,
                                    .shared_bytes_per_block = kind.block << 10,
                                    .shared_bytes_per_multiprocessor = kind.multiprocessor << 10,
                                    .memory_bytes = std::size_t{8} << 30,
                                    .cluster_blocks = kind.cluster};
    if (of.one_in(4)) {
        device.shared_bytes_per_block = (60 + of.below(168)) << 10;
        device.shared_bytes_per_multiprocessor = device.shared_bytes_per_block + 1024;
    }
    const int most = std::min(6, kMostThreads / device.max_threads_per_multiprocessor);
    device.multiprocessors = 1 + static_cast<int>(of.below(static_cast<std::uint64_t>(most)));
    device.l2_bytes = std::size_t{256 << 10} << of.below(6);
    device.cluster_blocks = std::min(device.cluster_blocks, static_cast<std::uint32_t>(1 << of.below(5)));
    return device;
}

std::string describe(const kogge::device_properties& device) {
    return "sm_" + std::to_string(device.compute_major) + std::to_string(device.compute_minor) + " of " +
           std::to_string(device.multiprocessors) + " x " + std::to_string(device.shared_bytes_per_block >> 10) +
           " KB, clusters of " + std::to_string(device.cluster_blocks) + ", L2 of " +
           std::to_string(device.l2_bytes >> 10) + " KB;";
}

}  // namespace fuzz
