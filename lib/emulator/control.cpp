// emulator.hpp, except for sites.
#include <cstdlib>

#include "emulator/runtime.hpp"

namespace kogge::simt::emulator {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

Runtime& runtime() {
    static Runtime instance;
    return instance;
}

std::vector<device_properties> devices_from_environment() {
    device_properties properties = default_properties();
    properties.memory_bytes = from_environment("KOGGE_DEVICE_BYTES", properties.memory_bytes);
    return {properties};
}
Config config_from_environment() {
    Config config;
    config.seed = from_environment("KOGGE_SEED", config.seed);
    config.workers = static_cast<std::uint32_t>(from_environment("KOGGE_WORKERS", config.workers));
    return config;
}

Config config() { return runtime().config; }
void configure(const Config& config) {
    Runtime& r = runtime();
    const Lock lock(r.mutex);
    r.drain(nullptr);
    r.config = config;
    r.random = Random(config.seed);
}
device_properties default_properties() {
    return {.name = "emulated",
            .device = 0,
            .compute_major = 9,
            .compute_minor = 0,
            .multiprocessors = 4,
            .max_threads_per_multiprocessor = 2048,
            .shared_bytes_per_block = 227 * 1024,
            .shared_bytes_per_multiprocessor = 228 * 1024,
            .l2_bytes = 4u << 20,
            .memory_bytes = std::size_t{8} << 30,
            .cluster_blocks = 4};
}
void set_properties(const device_properties& properties) {
    Runtime& r = runtime();
    const Lock lock(r.mutex);
    r.drain(nullptr);
    r.devices.at(static_cast<std::size_t>(current_device())) = properties;
}
void set_devices(const std::vector<device_properties>& devices) {
    if (devices.empty() || devices.size() <= static_cast<std::size_t>(current_device()))
        throw error(errc::invalid_argument, "set_devices", "the current device must stay");
    Runtime& r = runtime();
    const Lock lock(r.mutex);
    r.drain(nullptr);
    r.devices = devices;
    r.heap.close_to_all();
}
void reset_devices() {
    Runtime& r = runtime();
    const Lock lock(r.mutex);
    r.drain(nullptr);
    for (const auto& [begin, bytes] : r.pinned) std::free(reinterpret_cast<void*>(begin));
    r.pinned.clear();
    ++r.resets;
}
void limit_stream(stream_t stream, int multiprocessors) {
    Runtime& r = runtime();
    const Lock lock(r.mutex);
    r.queue_of(stream, "limit_stream");
    r.limits[stream] = multiprocessors;
}
void pretend_capture(stream_t stream, bool captured) {
    Runtime& r = runtime();
    const Lock lock(r.mutex);
    r.queue_of(stream, "pretend_capture");
    if (captured) r.captured.insert(stream);
    else r.captured.erase(stream);
}
void fail_allocation(std::uint64_t k) { runtime().fail_allocation_in = k; }
void protect_device_memory(bool protect) {
    const Lock lock(runtime().mutex);
    runtime().protect = protect;
    runtime().heap.open_for(runtime().open_to_host());
}
Statistics statistics() {
    Statistics s = runtime().statistics;
    s.live_allocations = runtime().heap.live();
    const Lock lock(runtime().mutex);
    s.live_pinned = runtime().pinned.size();
    return s;
}
std::string last_failure() { return runtime().last_failure; }

}  // namespace kogge::simt::emulator
