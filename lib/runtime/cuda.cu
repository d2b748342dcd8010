// The host's side of the machine on a CUDA GPU.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "kogge/simt/runtime.hpp"
#include "measuring.hpp"
#include "runtime/compiled_for.hpp"
#include "runtime/cuda_status.hpp"
#include "runtime/grants.hpp"

namespace kogge::simt {
namespace {

constexpr int kMostDevices = 64;
constexpr std::size_t kSharedWithoutAsking = 48 * 1024;
constexpr std::uint32_t kClusterWithoutAsking = 8;
constexpr std::uint32_t kMostClusterBlocks = 16;
constexpr int kClusterThreads = 512;

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
    allowed.require(kernel, context_number(name), 1, [&](std::size_t) {
        const Uncaptured free_to_load;
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), name,
              "asking for a large cluster");
    });
}

void allow_shared_bytes(const void* kernel, const char* name, std::size_t bytes) {
    static Grants allowed;
    allowed.require(kernel, context_number(name), bytes, [&](std::size_t all) {
        const Uncaptured free_to_load;
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

/// A kernel may be loaded by its first launch, which a captured stream may forbid. A thread forgets kernels when it
/// launches many: then it says so of one that is loaded.
bool may_have_to_load(const void* kernel, int device) {
    constexpr std::size_t kRemembered = 64;
    thread_local std::array<std::uintptr_t, kRemembered> launched{};
    const std::uintptr_t which = reinterpret_cast<std::uintptr_t>(kernel) + static_cast<std::uintptr_t>(device);
    return std::exchange(launched[which / 16 % kRemembered], which) != which;
}

/// A stream's context: one of the two, or neither where the driver cannot tell. It may be asked for while the stream is
/// captured.
struct StreamContext {
    CUcontext plain = nullptr;
    CUgreenCtx green = nullptr;

    explicit StreamContext(stream_t stream) {
        static auto* const contexts_of = driver_function<decltype(cuStreamGetCtx_v2)>("cuStreamGetCtx", 12050);
        static auto* const plain_of = driver_function<CUresult(CUstream, CUcontext*)>("cuStreamGetCtx", 9020);
        if (contexts_of ? contexts_of(stream, &plain, &green) != CUDA_SUCCESS
                        : plain_of && plain_of(stream, &plain) != CUDA_SUCCESS) {
            plain = nullptr;
            green = nullptr;
        }
    }
};

// That a green context leaves to the stream; 0: it has none.
int multiprocessors_left_to(stream_t stream) {
    static auto* const resource_of =
        driver_function<decltype(cuGreenCtxGetDevResource)>("cuGreenCtxGetDevResource", 12040);
    const CUgreenCtx green = resource_of ? StreamContext(stream).green : nullptr;
    CUdevResource resource{};
    if (!green || resource_of(green, &resource, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS) return 0;
    return static_cast<int>(resource.sm.smCount);
}

std::mutex known_mutex;
std::array<device_properties, kMostDevices> known_devices;

}  // namespace

const char* runtime_name() { return "cuda"; }

std::uint64_t context_number(const char* call) {
    static auto* const id_of = driver_function<CUresult(CUcontext, unsigned long long*)>("cuCtxGetId", 12000);
    unsigned long long number = 0;
    if (!id_of) return static_cast<std::uint64_t>(current_device());
    if (id_of(nullptr, &number) == CUDA_SUCCESS) return number;
    // The thread has no context yet, or has lost it: the runtime makes the one of its device current.
    const Uncaptured free_to_create;
    check(cudaFree(nullptr), call, "preparing the device");
    if (id_of(nullptr, &number) != CUDA_SUCCESS) throw error(errc::device, call, "there is no current context");
    return number;
}

int device_count() {
    if (named_device()) return 1;
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (!means_no_device(status)) {
        check(status, "device_count", "counting the devices");
        return count;
    }
    (void)cudaGetLastError();
    return 0;
}

int current_device() {
    if (named_device()) return 0;
    int device = 0;
    check(cudaGetDevice(&device), "current_device", "asking for the current device");
    return device;
}

// The driver's functions: the runtime's take and leave a device's primary context, and the thread may have another one.
OnDevice::OnDevice(int device) {
    if (named_device()) return;
    static auto* const context_of_thread = driver_function<CUresult(CUcontext*)>("cuCtxGetCurrent", 4000);
    const int before = current_device();
    if (device == before) return;
    CUcontext context = nullptr;
    if (context_of_thread && context_of_thread(&context) == CUDA_SUCCESS) context_ = context;
    check(cudaSetDevice(device), "OnDevice", ("going to device " + std::to_string(device)).c_str());
    before_ = before;
}

void OnDevice::leave() {
    static auto* const set_context = driver_function<CUresult(CUcontext)>("cuCtxSetCurrent", 4000);
    if (context_ && set_context && set_context(static_cast<CUcontext>(context_)) == CUDA_SUCCESS) return;
    if (cudaSetDevice(before_) != cudaSuccess) (void)cudaGetLastError();  // a device that has failed says so again
}

int device_of(stream_t stream) {
    if (named_device()) return -1;
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return -1;
    // Not cuStreamGetDevice, which ends a capture.
    static auto* const from_green = driver_function<decltype(cuCtxFromGreenCtx)>("cuCtxFromGreenCtx", 12040);
    static auto* const enter = driver_function<CUresult(CUcontext)>("cuCtxPushCurrent", 4000);
    static auto* const leave = driver_function<CUresult(CUcontext*)>("cuCtxPopCurrent", 4000);
    static auto* const current = driver_function<CUresult(CUdevice*)>("cuCtxGetDevice", 2000);
    StreamContext of(stream);
    if (of.green && (!from_green || from_green(&of.plain, of.green) != CUDA_SUCCESS)) return -1;
    if (!of.plain || !enter || !leave || !current || enter(of.plain) != CUDA_SUCCESS) return -1;
    CUdevice device = -1;
    if (current(&device) != CUDA_SUCCESS) device = -1;
    (void)leave(&of.plain);
    return device;
}

const device_properties& current_properties() {
    if (const device_properties* const named = named_device()) return *named;
    const int device = current_device();
    const std::lock_guard lock(known_mutex);
    device_properties& properties = known_devices.at(static_cast<std::size_t>(device));
    if (properties.device < 0) {
        const Uncaptured free_to_load;
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
    if (const device_properties* const named = named_device()) return *named;
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

void synchronize(stream_t stream) {
    if (measurement()) return;
    check(cudaStreamSynchronize(stream), "synchronize", "work in the stream failed");
}

void order_after(stream_t stream, stream_t other) {
    if (measurement()) return;
    cudaEvent_t done = nullptr;
    check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "order_after", "creating an event");
    const cudaError_t recorded = cudaEventRecord(done, other);
    const cudaError_t waits = recorded ? recorded : cudaStreamWaitEvent(stream, done, 0);
    check(cudaEventDestroy(done), "order_after", "destroying an event");  // it stays until it is no longer waited for
    check(waits, "order_after", "a stream that waits for another one");
}

bool is_capturing(stream_t stream) {
    if (measurement()) return false;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t answer = cudaStreamIsCapturing(stream, &status);
    if (answer == cudaErrorStreamCaptureImplicit) {
        (void)cudaGetLastError();
        return true;
    }
    check(answer, "is_capturing", "asking about the stream");
    return status != cudaStreamCaptureStatusNone;
}

stream_t create_stream() {
    stream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create_stream", "creating a stream");
    return stream;
}

void destroy_stream(stream_t stream) { check(cudaStreamDestroy(stream), "destroy_stream", "destroying a stream"); }

void launch_cuda(const void* kernel, const LaunchShape& shape, void** arguments, std::span<const int> compiled_for) {
    if (measurement()) return;
    const int device = current_device(), architecture = architecture_of(device);
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
    std::optional<Uncaptured> free_to_load;
    if (may_have_to_load(kernel, device)) free_to_load.emplace();
    check(cudaLaunchKernelExC(&config, kernel, arguments), shape.name, "the launch was refused");
}

}  // namespace kogge::simt
