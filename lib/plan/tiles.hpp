// What the plans of scans and compactions share where these do not fit the chip at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "kogge/engine/tile_shape.hpp"
#include "kogge/simt/runtime.hpp"
#include "tuning/tuning.hpp"

namespace kogge::grid {

// Blocks of `threads` threads and `shared_bytes` bytes of shared memory that fill the device. One kibibyte per
// block is the system's own; more blocks than the tuned number would put no more bytes in flight.
inline std::uint32_t resident_blocks(int threads, std::size_t shared_bytes, std::size_t item_bytes,
                                     const device_properties& device) {
    const std::size_t by_shared = device.shared_bytes_per_multiprocessor / (shared_bytes + 1024);
    const std::size_t by_threads = static_cast<std::size_t>(device.max_threads_per_multiprocessor / threads);
    const std::size_t each =
        std::clamp<std::size_t>(std::min(by_shared, by_threads), 1, chosen(Choice::tile_blocks, item_bytes));
    return static_cast<std::uint32_t>(each * static_cast<std::size_t>(std::max(device.multiprocessors, 1)));
}

// Whether the device has bulk copies and room on chip for a ring.
inline bool runs_rings(const device_properties& device) {
    return device.compute_major >= 9 && device.shared_bytes_per_block >= kRingSharedBytes;
}

// Whether a ring is one cooperative launch: up to `rounds` tiles per block, because zeroing before it takes 2 us.
inline bool is_one_launch(std::uint64_t tiles, std::uint64_t rounds, const device_properties& device) {
    return tiles <= rounds * static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
}

inline std::uint32_t blocks_for(std::uint64_t tiles, std::uint32_t most) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(tiles, most));
}

template <class Plan>
std::string launch_text(const Plan& plan) {
    std::ostringstream text;
    text << plan.tiles << " tiles of " << plan.threads << " x " << plan.items_per_thread << " items, " << plan.blocks
         << " blocks, " << plan.launches << " launches, " << plan.scratch_bytes << " bytes of scratch";
    return text.str();
}

}  // namespace kogge::grid
