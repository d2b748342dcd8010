// The host's side of the machine on a CUDA GPU.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <string>

#include "compiled_for.hpp"
#include "grants.hpp"
#include "kogge/error.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge::simt {
namespace {

constexpr int kMostDevices = 64;
constexpr std::size_t kSharedWithoutAsking = 48 * 1024;
constexpr std::uint32_t kClusterWithoutAsking = 8;
constexpr std::uint32_t kMostClusterBlocks = 16;
constexpr int kClusterThreads = 512;

void check(cudaError_t status, const char* call, const char* what) {
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();  // a failed launch must not be reported again by the next call
    throw error(status == cudaErrorMemoryAllocation ? errc::out_of_memory : errc::device, call,
                std::string(what) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")",
                static_cast<int>(status));
}

// A pool of our own, so that scratch is reused from call to call without changing the process's default pool.
cudaMemPool_t pool_of(int device) {
    static std::mutex mutex;
    static std::array<cudaMemPool_t, kMostDevices> pools{};
    const std::lock_guard lock(mutex);
    cudaMemPool_t& pool = pools.at(static_cast<std::size_t>(device));
    if (!pool) {
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location = {cudaMemLocationTypeDevice, device};
        check(cudaMemPoolCreate(&pool, &properties), "allocate", "creating a memory pool");
        std::uint64_t keep = UINT64_MAX;
        check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "allocate",
              "setting up a memory pool");
    }
    return pool;
}

__global__ void __launch_bounds__(kClusterThreads, 2) empty_kernel() {}

// Depends on how many multiprocessors the device has in a group, so only the driver knows.
std::uint32_t most_cluster_blocks(const cudaDeviceProp& properties) {
    if (properties.major < 9) return 1;
    int blocks = 0;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(kMostClusterBlocks);
    config.blockDim = dim3(kClusterThreads);
    config.dynamicSmemBytes = properties.sharedMemPerMultiprocessor / 2 - properties.reservedSharedMemPerBlock;
    const auto kernel = reinterpret_cast<const void*>(empty_kernel);
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(config.dynamicSmemBytes)) != cudaSuccess ||
        cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess ||
        cudaOccupancyMaxPotentialClusterSize(&blocks, kernel, &config) != cudaSuccess || blocks < 1) {
        (void)cudaGetLastError();
        return 1;
    }
    return std::min(static_cast<std::uint32_t>(blocks), kMostClusterBlocks);
}

void allow_large_cluster(const void* kernel, const char* name) {
    static Grants allowed;
    allowed.require(kernel, current_device(), 1, [&](std::size_t) {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), name,
              "asking for a large cluster");
    });
}

void allow_shared_bytes(const void* kernel, const char* name, std::size_t bytes) {
    static Grants allowed;
    allowed.require(kernel, current_device(), bytes, [&](std::size_t all) {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(all)), name,
              ("asking for " + std::to_string(all) + " bytes of shared memory a block").c_str());
    });
}

// 900 for sm_90; asked for at every launch.
int architecture_of(int device) {
    static std::array<std::atomic<int>, kMostDevices> known{};
    std::atomic<int>& architecture = known.at(static_cast<std::size_t>(device));
    if (const int before = architecture.load(std::memory_order_relaxed); before > 0) return before;
    int major = 0, minor = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "launch", "asking for a device");
    check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "launch", "asking for a device");
    architecture.store(100 * major + 10 * minor, std::memory_order_relaxed);
    return 100 * major + 10 * minor;
}

// By name, for a program that is linked with the driver's library does not start where there is none.
template <class Function>
Function* driver_function(const char* name, unsigned version) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    if (cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result) == cudaSuccess &&
        result == cudaDriverEntryPointSuccess)
        return reinterpret_cast<Function*>(found);
    (void)cudaGetLastError();  // an older driver, which knows no green contexts
    return nullptr;
}

// That a green context leaves to the stream; 0: it has none.
int multiprocessors_left_to(stream_t stream) {
    static auto* const contexts_of = driver_function<decltype(cuStreamGetCtx_v2)>("cuStreamGetCtx", 12050);
    static auto* const resource_of =
        driver_function<decltype(cuGreenCtxGetDevResource)>("cuGreenCtxGetDevResource", 12040);
    if (!contexts_of || !resource_of) return 0;
    CUcontext context = nullptr;
    CUgreenCtx green = nullptr;
    CUdevResource resource{};
    if (contexts_of(stream, &context, &green) != CUDA_SUCCESS || !green ||
        resource_of(green, &resource, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS)
        return 0;
    return static_cast<int>(resource.sm.smCount);
}

std::mutex known_mutex;
std::array<device_properties, kMostDevices> known_devices;

}  // namespace

const char* runtime_name() { return "cuda"; }

int device_count() {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return count;
}

int current_device() {
    int device = 0;
    check(cudaGetDevice(&device), "current_device", "asking for the current device");
    return device;
}

const device_properties& current_properties() {
    const int device = current_device();
    const std::lock_guard lock(known_mutex);
    device_properties& properties = known_devices.at(static_cast<std::size_t>(device));
    if (properties.device < 0) {
        cudaDeviceProp from{};
        check(cudaGetDeviceProperties(&from, device), "current_properties", "reading the device's properties");
        properties = {from.name,
                      device,
                      from.major,
                      from.minor,
                      from.multiProcessorCount,
                      from.maxThreadsPerMultiProcessor,
                      from.sharedMemPerBlockOptin,
                      from.sharedMemPerMultiprocessor,
                      static_cast<std::size_t>(from.l2CacheSize),
                      from.totalGlobalMem,
                      most_cluster_blocks(from)};
    }
    return properties;
}

device_properties properties_of(stream_t stream) {
    device_properties properties = current_properties();
    if (const int left = multiprocessors_left_to(stream); left > 0) {
        properties.multiprocessors = std::min(properties.multiprocessors, left);
        properties.cluster_blocks = 1;
    }
    return properties;
}

void pretend_properties(const device_properties& properties) {
    const int device = current_device();
    const std::lock_guard lock(known_mutex);
    known_devices.at(static_cast<std::size_t>(device)) = properties;
}

Location location_of(const void* pointer) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
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
    void* pointer = nullptr;
    check(cudaMallocFromPoolAsync(&pointer, bytes, pool_of(current_device()), stream), "allocate",
          ("no device memory for " + std::to_string(bytes) + " bytes").c_str());
    return pointer;
}

void deallocate(void* pointer, stream_t stream) {
    check(cudaFreeAsync(pointer, stream), "deallocate", "giving memory back");
}

void copy(void* destination, const void* source, std::size_t bytes, stream_t stream) {
    if (bytes) check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, stream), "copy", "copying memory");
}

void fill(void* destination, unsigned char value, std::size_t bytes, stream_t stream) {
    if (bytes) check(cudaMemsetAsync(destination, value, bytes, stream), "fill", "filling memory");
}

void synchronize(stream_t stream) { check(cudaStreamSynchronize(stream), "synchronize", "work in the stream failed"); }

bool is_capturing(stream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream, &status), "is_capturing", "asking about the stream");
    return status != cudaStreamCaptureStatusNone;
}

stream_t create_stream() {
    stream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create_stream", "creating a stream");
    return stream;
}

void destroy_stream(stream_t stream) { check(cudaStreamDestroy(stream), "destroy_stream", "destroying a stream"); }

void launch_cuda(const void* kernel, const LaunchShape& shape, void** arguments, std::span<const int> compiled_for) {
    const int architecture = architecture_of(current_device());
    if (!runs_as_planned(architecture, compiled_for))
        throw error(errc::not_built, shape.name,
                    "this program's device code is for older devices than sm_" + std::to_string(architecture / 10) +
                        ", which needs code for sm_90 or later: add it to nvcc's -arch, or CMAKE_CUDA_ARCHITECTURES");
    if (shape.shared_bytes > kSharedWithoutAsking) allow_shared_bytes(kernel, shape.name, shape.shared_bytes);
    cudaLaunchAttribute attributes[2]{};
    unsigned count = 0;
    if (shape.cluster) {
        if (shape.blocks > kClusterWithoutAsking) allow_large_cluster(kernel, shape.name);
        attributes[count].id = cudaLaunchAttributeClusterDimension;
        attributes[count++].val.clusterDim = {shape.blocks, 1, 1};
    } else if (shape.cooperative) {
        attributes[count].id = cudaLaunchAttributeCooperative;
        attributes[count++].val.cooperative = 1;
    }
    if (architecture >= 900) {
        attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[count++].val.programmaticStreamSerializationAllowed = 1;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(shape.blocks);
    config.blockDim = dim3(shape.threads);
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = shape.stream;
    config.attrs = attributes;
    config.numAttrs = count;
    check(cudaLaunchKernelExC(&config, kernel, arguments), shape.name, "the launch was refused");
}

}  // namespace kogge::simt
