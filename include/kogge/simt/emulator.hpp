// Control of the SIMT emulator, for tests: its seed and shape, the device that it pretends to be, injected
// allocation failures, switched-off synchronisation, and what it has seen.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kogge/simt/runtime.hpp"

namespace kogge::simt::emulator {

struct Config {
    std::uint64_t seed = 1;      ///< of thread order, block order and copies; environment: KOGGE_SEED
    std::uint32_t workers = 2;   ///< OS threads; with one, a seed fixes the run. Environment: KOGGE_WORKERS
    std::uint32_t resident = 2;  ///< blocks that a worker interleaves
    /// Delays, as a busy machine does: a block that waits for all blocks at a barrier looks whether one has exited only
    /// once this returns true of the number of blocks that have. Null: at once.
    std::function<bool(std::uint32_t exited)> looks_when{};
};
Config config();
/// Waits for queued work first. Each launch afterwards uses the next of the seed's schedules.
void configure(const Config& config);
/// What the current device pretends to be, from the next launch on.
void set_properties(const device_properties& properties);
/// The devices to pretend to have: each has memory that kernels of the others cannot touch, and streams. What was
/// allocated on a device that the list lacks must have been given back.
void set_devices(const std::vector<device_properties>& devices);
/// As cudaDeviceReset of each device: contexts are other ones from now on, and all page-locked memory is gone. What was
/// allocated on devices must have been given back.
void reset_devices();
/// A program begins with one device of these; environment: KOGGE_DEVICE_BYTES, its memory.
device_properties default_properties();
/// What is launched in the stream has so many multiprocessors and no clusters, until it is destroyed.
void limit_stream(stream_t stream, int multiprocessors);
/// From now on is_capturing(stream) says so; what is queued runs all the same.
void pretend_capture(stream_t stream, bool captured);

/// Makes the k-th allocation from now (0: the next one) fail once, with errc::out_of_memory.
void fail_allocation(std::uint64_t k);
/// While true, host code that touches device memory is stopped by the OS.
void protect_device_memory(bool protect);

struct Statistics {
    std::uint64_t launches = 0;
    std::uint64_t collectives = 0;         ///< calls of warp collectives, counted a lane
    std::uint64_t allocations = 0;         ///< of devices, and page-locked ones
    std::uint64_t live_allocations = 0;    ///< of devices
    std::uint64_t pinned_allocations = 0;  ///< page-locked ones
    std::uint64_t live_pinned = 0;
};
Statistics statistics();
/// What the latest failed launch or damaged allocation was reported as.
std::string last_failure();

/// A place in a kernel that synchronises.
struct SyncSite {
    std::string file;
    int line = 0;
    std::string kind;
    std::uint64_t visits = 0;
};
/// Switches the site off until restore_sites(): barriers and waits do nothing, acquire and release become relaxed.
/// `file` may be the end of the path. Environment: KOGGE_MUTATE=file:line.
void switch_off(const std::string& file, int line);
void restore_sites();
/// Counts visits from now on. Environment: KOGGE_LIST_SITES=path writes the list when the program ends.
void watch_sites();
std::vector<SyncSite> sites_seen();

}  // namespace kogge::simt::emulator
