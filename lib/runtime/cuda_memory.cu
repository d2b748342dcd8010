// Memory of a CUDA GPU: where pointers point, the pools that scratch comes from, copies.
#include <map>
#include <mutex>
#include <string>

#include "kogge/simt/runtime.hpp"
#include "measuring.hpp"
#include "runtime/cuda_status.hpp"

namespace kogge::simt {
namespace {

std::mutex pools_mutex;
// By contexts: a pool goes with its context when the device is reset, and its handle must not be used after that.
std::map<std::uint64_t, cudaMemPool_t> pools;

// A pool of our own, so that scratch is reused from call to call without changing the process's default pool.
cudaMemPool_t pool_of_context() {
    const std::uint64_t context = context_number("allocate");
    const std::lock_guard lock(pools_mutex);
    if (const auto known = pools.find(context); known != pools.end()) return known->second;
    const Uncaptured free_to_create;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, current_device()};
    cudaMemPool_t pool = nullptr;
    check(cudaMemPoolCreate(&pool, &properties), "allocate", "creating a memory pool");
    std::uint64_t keep = UINT64_MAX;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "allocate",
          "setting up a memory pool");
    return pools[context] = pool;
}

}  // namespace

Location location_of(const void* pointer) {
    cudaPointerAttributes attributes{};
    const cudaError_t status = cudaPointerGetAttributes(&attributes, pointer);
    if (status != cudaSuccess) {
        // Taking an array for the host's after a failure of the device would make the host touch device memory.
        if (status != cudaErrorInvalidValue && !means_no_device(status))
            check(status, "location_of", "the device has failed before");
        (void)cudaGetLastError();
        return {};
    }
    switch (attributes.type) {
        case cudaMemoryTypeDevice:
            return {Memory::device, attributes.device};
        case cudaMemoryTypeManaged:
            return {Memory::managed, attributes.device};
        case cudaMemoryTypeHost:
            return {Memory::pinned, attributes.device};
        default:
            return {};
    }
}

void* allocate(std::size_t bytes, stream_t stream) {
    if (measurement()) return stand_in_for_allocation();
    void* pointer = nullptr;
    const cudaMemPool_t pool = pool_of_context();
    cudaError_t status = cudaMallocFromPoolAsync(&pointer, bytes, pool, stream);
    if (status == cudaErrorMemoryAllocation) {
        // What the pool keeps in other pieces may be what is missing.
        (void)cudaGetLastError();
        const Uncaptured free_to_trim;
        (void)cudaMemPoolTrimTo(pool, 0);
        status = cudaMallocFromPoolAsync(&pointer, bytes, pool, stream);
    }
    check(status, "allocate", ("no device memory for " + std::to_string(bytes) + " bytes").c_str());
    return pointer;
}

void deallocate(void* pointer, stream_t stream) {
    if (is_stand_in(pointer)) return;
    check(cudaFreeAsync(pointer, stream), "deallocate", "giving memory back");
}

std::uint64_t trim(std::uint64_t bytes_to_keep) {
    if (measurement() || device_count() == 0) return 0;
    const cudaMemPool_t pool = pool_of_context();
    const Uncaptured free_to_trim;
    check(cudaMemPoolTrimTo(pool, static_cast<std::size_t>(bytes_to_keep)), "trim", "trimming the memory pool");
    std::uint64_t held = 0;
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &held), "trim", "asking the memory pool");
    return held;
}

bool open_memory_to(int device) {
    const int own = current_device();
    int reaches = device == own;
    if (!reaches)
        check(cudaDeviceCanAccessPeer(&reaches, device, own), "open_memory_to", "asking whether devices are connected");
    if (!reaches || device == own) return reaches;
    const cudaMemPool_t pool = pool_of_context();
    cudaMemAccessDesc access{{cudaMemLocationTypeDevice, device}, cudaMemAccessFlagsProtReadWrite};
    cudaMemAccessFlags now = cudaMemAccessFlagsProtNone;
    check(cudaMemPoolGetAccess(&now, pool, &access.location), "open_memory_to", "asking the memory pool");
    if (now != cudaMemAccessFlagsProtReadWrite)
        check(cudaMemPoolSetAccess(pool, &access, 1), "open_memory_to", "opening the memory pool to another device");
    return true;
}

void* allocate_pinned(std::size_t bytes) {
    void* pointer = nullptr;
    const Uncaptured free_to_allocate;
    check(cudaHostAlloc(&pointer, bytes, cudaHostAllocPortable), "allocate_pinned",
          ("no page-locked host memory for " + std::to_string(bytes) + " bytes").c_str());
    return pointer;
}

void free_pinned(void* pointer) noexcept {
    const Uncaptured free_to_give_back;
    (void)cudaFreeHost(pointer);
}

void copy(void* destination, const void* source, std::size_t bytes, stream_t stream) {
    if (bytes && !measurement())
        check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, stream), "copy", "copying memory");
}

void fill(void* destination, unsigned char value, std::size_t bytes, stream_t stream) {
    if (bytes && !measurement()) check(cudaMemsetAsync(destination, value, bytes, stream), "fill", "filling memory");
}

}  // namespace kogge::simt
