// The host's side of the machine: devices, memory, streams, launches. Three implementations stand behind
// these functions, one is linked: lib/runtime/cuda.cu, lib/emulator/runtime.cpp and, for builds
// without either, lib/runtime/none.cpp. Every failure is thrown as kogge::error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kogge/simt/config.hpp"

struct CUstream_st;

namespace kogge {

/// A CUDA stream (the same type as cudaStream_t); nullptr is the legacy default stream, however a file is compiled.
using stream_t = CUstream_st*;

/// What a plan may know of a device. Plain data: a plan is computed from it on any machine.
struct device_properties {
    std::string name = "none";
    int device = -1;
    int compute_major = 0;
    int compute_minor = 0;
    int multiprocessors = 0;
    int max_threads_per_multiprocessor = 0;
    std::size_t shared_bytes_per_block = 0;  ///< the most a block can ask for
    std::size_t shared_bytes_per_multiprocessor = 0;
    std::size_t l2_bytes = 0;
    std::size_t memory_bytes = 0;
    /// The most blocks of a cluster, if they have up to 512 threads, and two fit a multiprocessor; 1: there are none.
    std::uint32_t cluster_blocks = 1;

    friend bool operator==(const device_properties&, const device_properties&) = default;
};

/// The device of bench/results/nvidia_h200, and a default for looking at plans without a GPU.
device_properties h200_properties();
/// What is known of a card that need not be here: "H100", "A100", "RTX 4090", …; or of the first card of an
/// architecture, "sm_90". For another name errc::invalid_argument is thrown, which says which names there are.
device_properties known_device(std::string_view name);

namespace simt {

enum class Memory { host, pinned, device, managed };

struct Location {
    Memory memory = Memory::host;
    int device = -1;
};

/// "cuda", "emulated" or "none".
const char* runtime_name();
int device_count();
int current_device();
/// Makes a device the calling thread's current one until the end of the scope; does nothing where it is already.
class OnDevice {
public:
    OnDevice() = default;  ///< changes nothing
    explicit OnDevice(int device);
    OnDevice(OnDevice&& other) noexcept
        : before_(std::exchange(other.before_, -1)), context_(std::exchange(other.context_, nullptr)) {}
    OnDevice& operator=(OnDevice&&) = delete;
    ~OnDevice() {
        if (before_ >= 0) leave();
    }

private:
    void leave();
    int before_ = -1;
    void* context_ = nullptr;  ///< the driver's, which may be another than the device's primary one
};
/// The device that a stream belongs to; -1: it is a default stream, which each device has, or the driver cannot tell.
int device_of(stream_t stream);
/// Properties of the current device; cached a device.
const device_properties& current_properties();
/// Of these what work in the stream may use, which plans follow: a green context leaves it some of the
/// multiprocessors, and no clusters.
device_properties properties_of(stream_t stream);
/// Where a pointer points; Memory::host is host memory that no device can reach.
Location location_of(const void* pointer);

/// Stream-ordered memory of the current device.
void* allocate(std::size_t bytes, stream_t stream);
/// The stream must not have been destroyed.
void deallocate(void* pointer, stream_t stream);
/// Gives free memory of the current device back to the system, but for so much; returns how many bytes are held then.
std::uint64_t trim(std::uint64_t bytes_to_keep);
/// Lets `device` reach what allocate() returns on the current one, where the machine can: copies between them then do
/// not go through the host, and its kernels may read and write there. For the process's lifetime. Returns whether the
/// machine can.
bool open_memory_to(int device);
/// Page-locked host memory, from and to which all devices copy while the host goes on. At once, not in stream order.
void* allocate_pinned(std::size_t bytes);
void free_pinned(void* pointer) noexcept;
/// Stream-ordered copy between any two places. With pageable host memory it may return before the copy is done
/// only when the source is device memory; call synchronize before reading.
void copy(void* destination, const void* source, std::size_t bytes, stream_t stream);
void fill(void* destination, unsigned char value, std::size_t bytes, stream_t stream);
/// Waits for the stream and reports what failed in it.
void synchronize(stream_t stream);
/// What is queued in `stream` from now on begins once what is in `other` now is done. Does not wait.
void order_after(stream_t stream, stream_t other);
/// Whether nothing can be waited for in the stream: it is being captured, or is the default stream, which waits for one
/// that is.
bool is_capturing(stream_t stream);

/// Whether this thread measures the scratch of calls (calls/scratch_bytes.hpp). Then the functions above that allocate,
/// copy, fill, wait and launch do nothing.
bool is_measuring();
/// Addresses at which there is no memory, for arrays that do not exist: 0 … 16'383. No two are the same.
void* stand_in(int which);

stream_t create_stream();
void destroy_stream(stream_t stream);

struct LaunchShape {
    std::uint32_t blocks = 1;
    std::uint32_t threads = 1;
    std::size_t shared_bytes = 0;
    stream_t stream = nullptr;
    const char* name = "kernel";  ///< for error messages
    bool cooperative = false;     ///< fails when the grid cannot be resident at once
    bool cluster = false;         ///< all blocks, at most the device's cluster_blocks, are one cluster
};

#if KOGGE_EMULATED
void launch_emulated(const LaunchShape& shape, std::function<void()> thread_body);
#elif KOGGE_KERNELS
/// For tests: what current_properties() says of the current device from now on, which plans follow.
void pretend_properties(const device_properties& properties);
/// `compiled_for`: the architectures that the kernel is compiled for, as nvcc lists them.
void launch_cuda(const void* kernel, const LaunchShape& shape, void** arguments, std::span<const int> compiled_for);
#endif

}  // namespace simt
}  // namespace kogge

#if KOGGE_KERNELS
namespace kogge::simt::KOGGE_CODE {

/// Launches a kernel in stream order. The grid is one-dimensional; a shape that the device refuses throws
/// kogge::error and nothing runs. A kernel may start before what is in front of it in the stream is
/// done: each calls wait_for_stream() first.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, std::type_identity_t<Parameters>... arguments) {
#if KOGGE_EMULATED
    launch_emulated(shape, [=] { kernel(arguments...); });
#else
    static constexpr int compiled_for[] = {__CUDA_ARCH_LIST__};
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
    launch_cuda(reinterpret_cast<const void*>(kernel), shape, pointers, compiled_for);
#endif
}

}  // namespace kogge::simt::KOGGE_CODE
#endif
