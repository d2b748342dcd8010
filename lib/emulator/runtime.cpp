// runtime.hpp on the emulator. Work is queued and runs when somebody waits for it: streams advance in random
// order among each other, the default stream is ordered with all of them. Of two launches behind each
// other, the second one may start first; then the first one runs when that waits for it.
#include "emulator/runtime.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "contexts.hpp"
#include "measuring.hpp"

namespace kogge::simt {

namespace emulator {
namespace {

// The codes of cudaError_t for what CUDA would report here.
constexpr int kInvalidValue = 1;
constexpr int kMemoryAllocation = 2;
constexpr int kInvalidConfiguration = 9;
constexpr int kInvalidDevice = 101;
constexpr int kLaunchFailure = 719;
constexpr int kCooperativeLaunchTooLarge = 720;
constexpr int kInvalidClusterSize = 912;

thread_local int current = 0;  // device

constexpr std::uint32_t kMostBlocksPerMultiprocessor = 32;

/// What each resident block takes of a multiprocessor's shared memory besides its own.
std::size_t reserved_shared_bytes(const device_properties& p) { return p.compute_major < 8 ? 0 : 1024; }

std::uint32_t most_resident(const device_properties& p, const LaunchShape& shape) {
    const std::uint32_t threads = (shape.threads + kWarpSize - 1) / kWarpSize * kWarpSize;
    const auto by_threads = static_cast<std::uint64_t>(p.max_threads_per_multiprocessor) / threads;
    const std::uint64_t by_shared = p.shared_bytes_per_multiprocessor / (shape.shared_bytes + reserved_shared_bytes(p));
    const std::uint64_t blocks = std::min({by_threads, by_shared, std::uint64_t{kMostBlocksPerMultiprocessor}});
    return static_cast<std::uint32_t>(blocks) * static_cast<std::uint32_t>(p.multiprocessors);
}

/// Whether all blocks run at the same time.
bool resides_together(const LaunchShape& shape) { return shape.cooperative || shape.cluster; }

void check_shape(const device_properties& p, const LaunchShape& shape) {
    const auto refuse = [&](const std::string& what, int code) {
        throw error(errc::device, "simt::launch", std::string("kernel ") + shape.name + ": " + what, code);
    };
    if (shape.blocks == 0) refuse("a launch needs at least one block", kInvalidConfiguration);
    if (shape.threads == 0 || shape.threads > 1024)
        refuse("a block has 1 to 1024 threads, not " + std::to_string(shape.threads), kInvalidConfiguration);
    if (shape.shared_bytes > p.shared_bytes_per_block)
        refuse("asks for " + std::to_string(shape.shared_bytes) + " bytes of shared memory a block, the device has " +
                   std::to_string(p.shared_bytes_per_block),
               kInvalidValue);
    if (shape.cooperative && shape.blocks > most_resident(p, shape))
        refuse("a cooperative grid of " + std::to_string(shape.blocks) + " blocks cannot be resident at once, only " +
                   std::to_string(most_resident(p, shape)) + " can",
               kCooperativeLaunchTooLarge);
    if (shape.cluster && shape.blocks > p.cluster_blocks)
        refuse("a cluster of " + std::to_string(shape.blocks) + " blocks is too large, the device allows " +
                   std::to_string(p.cluster_blocks),
               kInvalidClusterSize);
    if (resides_together(shape) && std::uint64_t{shape.blocks} * shape.threads > kMostThreads)
        refuse("the emulator holds at most " + std::to_string(kMostThreads) +
                   " threads at once, a cooperative grid or a cluster needs them all: pretend a smaller device",
               kCooperativeLaunchTooLarge);
}

/// Refuses a range that begins in a device allocation and leaves it.
void check_range(const char* call, const void* pointer, std::size_t bytes) {
    if (!allocation_holds(pointer, bytes))
        throw error(errc::device, call, "the range of " + std::to_string(bytes) + " bytes leaves its device allocation",
                    kInvalidValue);
}

}  // namespace

const DeviceHeap::Range* allocation_of(const void* address) { return runtime().heap.find(address); }
bool allocation_holds(const void* address, std::size_t bytes) {
    const DeviceHeap::Range* range = allocation_of(address);
    return !range || static_cast<const unsigned char*>(address) + bytes <= range->begin + range->bytes;
}

}  // namespace emulator

using emulator::runtime;

const char* runtime_name() { return "emulated"; }
int device_count() { return named_device() ? 1 : static_cast<int>(runtime().devices.size()); }
int current_device() { return named_device() ? 0 : emulator::current; }
OnDevice::OnDevice(int device) {
    if (named_device() || device == emulator::current) return;
    if (device < 0 || device >= device_count())
        throw error(errc::device, "simt::OnDevice", "there is no device " + std::to_string(device),
                    emulator::kInvalidDevice);
    before_ = std::exchange(emulator::current, device);
}
void OnDevice::leave() { emulator::current = before_; }
int device_of(stream_t stream) {
    if (named_device()) return -1;
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    const auto found = r.stream_devices.find(stream);
    return found == r.stream_devices.end() ? -1 : found->second;
}
const device_properties& current_properties() {
    if (const device_properties* const named = named_device()) return *named;
    return runtime().devices[static_cast<std::size_t>(emulator::current)];
}
device_properties properties_of(stream_t stream) {
    if (const device_properties* const named = named_device()) return *named;
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    device_properties properties = current_properties();
    if (const auto limit = r.limits.find(stream); limit != r.limits.end()) {
        properties.multiprocessors = std::min(properties.multiprocessors, limit->second);
        properties.cluster_blocks = 1;
    }
    return properties;
}

Location location_of(const void* pointer) {
    const emulator::Lock lock(runtime().mutex);
    const auto* const range = runtime().heap.find(pointer);
    if (range) return {Memory::device, range->device};
    return runtime().is_pinned(pointer) ? Location{Memory::pinned, 0} : Location{};
}

void* allocate(std::size_t bytes, stream_t stream) {
    if (measurement()) return bytes > 0 ? stand_in_for_allocation() : nullptr;
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    r.queue_of(stream, "simt::allocate");
    if (bytes == 0) return nullptr;
    ++r.statistics.allocations;
    void* pointer = r.fail_allocation_in-- == 0
                        ? nullptr
                        : r.heap.allocate(bytes, current_device(), current_properties().memory_bytes);
    if (!pointer)
        throw error(errc::out_of_memory, "simt::allocate",
                    "the device has no " + std::to_string(bytes) + " bytes left: free memory, or give exec a workspace",
                    emulator::kMemoryAllocation);
    return pointer;
}

void deallocate(void* pointer, stream_t stream) {
    if (!pointer || is_stand_in(pointer)) return;
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    if (!r.heap.mark_given_back(pointer))
        throw error(errc::device, "simt::deallocate", "this pointer is not a live allocation of the device",
                    emulator::kInvalidValue);
    // With the stream, its work is gone.
    if (!r.queues.contains(stream)) return r.report(r.heap.release(pointer));
    r.enqueue(stream, "simt::deallocate", {[&r, pointer] { r.report(r.heap.release(pointer)); }, true});
}

std::uint64_t trim(std::uint64_t bytes_to_keep) {
    if (measurement()) return 0;
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    return r.heap.trim(current_device(), bytes_to_keep);
}

bool open_memory_to(int device) {
    if (device < 0 || device >= device_count())
        throw error(errc::device, "simt::open_memory_to", "there is no device " + std::to_string(device),
                    emulator::kInvalidDevice);
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    r.heap.open_to(current_device(), device);
    return true;
}

std::uint64_t context_number(const char*) {
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    return r.resets << 32 | static_cast<std::uint64_t>(current_device());
}

void* allocate_pinned(std::size_t bytes) {
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    ++r.statistics.allocations;
    ++r.statistics.pinned_allocations;
    void* const pointer = r.fail_allocation_in-- == 0 ? nullptr : std::malloc(std::max<std::size_t>(bytes, 1));
    if (!pointer)
        throw error(errc::out_of_memory, "simt::allocate_pinned",
                    "there are no " + std::to_string(bytes) + " bytes of page-locked host memory",
                    emulator::kMemoryAllocation);
    r.pinned[reinterpret_cast<std::uintptr_t>(pointer)] = bytes;
    return pointer;
}

void free_pinned(void* pointer) noexcept {
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    // Of memory that went with its context there is nothing to free.
    if (r.pinned.erase(reinterpret_cast<std::uintptr_t>(pointer)) > 0) std::free(pointer);
}

void copy(void* destination, const void* source, std::size_t bytes, stream_t stream) {
    if (measurement()) return;
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    if (bytes == 0) return;
    emulator::check_range("simt::copy", destination, bytes);
    emulator::check_range("simt::copy", source, bytes);
    std::shared_ptr<unsigned char[]> staged;  // pageable host memory may change once this returns
    if (!r.heap.find(source) && !r.is_pinned(source)) {
        staged = std::make_shared<unsigned char[]>(bytes);
        std::memcpy(staged.get(), source, bytes);
    }
    r.enqueue(stream, "simt::copy", {[=] {
                  std::memmove(destination, staged ? staged.get() : source, bytes);
                  emulator::note_copy(nullptr, destination, staged ? nullptr : source, bytes);
              }});
}

void fill(void* destination, unsigned char value, std::size_t bytes, stream_t stream) {
    if (measurement()) return;
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    if (bytes == 0) return;
    emulator::check_range("simt::fill", destination, bytes);
    if (!r.heap.find(destination))
        throw error(errc::device, "simt::fill", "the destination is not device memory", emulator::kInvalidValue);
    r.enqueue(stream, "simt::fill", {[=] {
                  std::memset(destination, value, bytes);
                  emulator::note_copy(nullptr, destination, nullptr, bytes);
              }});
}

void synchronize(stream_t stream) {
    if (measurement()) return;
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    r.queue_of(stream, "simt::synchronize");
    r.drain(stream);
    r.heap.open_for(emulator::DeviceHeap::kAll);
    r.report(r.heap.check_red_zones());
    r.heap.open_for(r.open_to_host());
    if (r.failure.empty()) return;
    const std::string failure = std::move(r.failure);
    r.failure.clear();
    throw error(errc::device, "simt::synchronize", failure, emulator::kLaunchFailure);
}

bool is_capturing(stream_t stream) {
    if (measurement()) return false;
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    return r.captured.contains(stream);
}

void order_after(stream_t stream, stream_t other) {
    if (measurement()) return;
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    const auto done = std::make_shared<bool>(false);
    emulator::Task mark, wait;
    mark.run = [done] { *done = true; };
    mark.always = true;
    wait.run = [] {};
    wait.after = done;
    r.enqueue(other, "simt::order_after", std::move(mark));
    r.enqueue(stream, "simt::order_after", std::move(wait));
}

stream_t create_stream() {
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    const auto stream = reinterpret_cast<stream_t>(static_cast<std::uintptr_t>(++r.streams_made));
    r.queues[stream];
    r.stream_devices[stream] = current_device();
    return stream;
}

void destroy_stream(stream_t stream) {
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    r.queue_of(stream, "simt::destroy_stream");
    r.drain(stream);
    if (stream) r.queues.erase(stream);
    r.stream_devices.erase(stream);
    r.limits.erase(stream);
    r.captured.erase(stream);
}

void launch_emulated(const LaunchShape& shape, std::function<void()> thread_body) {
    if (measurement()) return;
    auto& r = runtime();
    const emulator::Lock lock(r.mutex);
    const device_properties properties = properties_of(shape.stream);
    emulator::check_shape(properties, shape);
    const int device = current_device();
    if (const int other = device_of(shape.stream); other >= 0 && other != device)
        throw error(errc::device, "simt::launch",
                    std::string("kernel ") + shape.name + ": its stream belongs to another device than the current one",
                    emulator::kInvalidHandle);
    const std::uint32_t together = emulator::resides_together(shape) ? shape.blocks : 1;
    const bool copies_in_bulk = properties.compute_major >= 9;
    const auto run = [&r, shape, together, copies_in_bulk, body = std::move(thread_body)] {
        ++r.statistics.launches;
        const auto before = std::exchange(r.before, nullptr);
        const auto result = emulator::run_launch(shape, body, r.random.next(), together, copies_in_bulk, before);
        r.statistics.collectives += result.collectives;
        r.report(result.failure);
    };
    const std::uint64_t resident = std::max(together, std::min(shape.blocks, r.config.workers * r.config.resident));
    r.enqueue(shape.stream, "simt::launch",
              {run, false, resident * shape.threads, device_count() > 1 ? device : emulator::DeviceHeap::kAll});
}

}  // namespace kogge::simt
