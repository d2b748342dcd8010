// What the CUDA runtime's functions return, and what must hold around some of them.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "contexts.hpp"
#include "kogge/error.hpp"

namespace kogge::simt {

inline void check(cudaError_t status, const char* call, const char* what) {
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();  // a failed launch must not be reported again by the next call
    throw error(status == cudaErrorMemoryAllocation ? errc::out_of_memory : errc::device, call,
                std::string(what) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")",
                static_cast<int>(status));
}

/// Whether a status says that this process has no device to use, so that all memory is the host's. Any other failure,
/// such as that of an earlier kernel, says nothing about where memory is.
constexpr bool means_no_device(cudaError_t status) {
    switch (status) {
        case cudaErrorNoDevice:
        case cudaErrorInsufficientDriver:
        case cudaErrorInitializationError:
        case cudaErrorStubLibrary:
        case cudaErrorSystemNotReady:
        case cudaErrorSystemDriverMismatch:
        case cudaErrorCompatNotSupportedOnDevice:
        case cudaErrorDevicesUnavailable:
        case cudaErrorOperatingSystem:
            return true;
        default:
            return false;
    }
}

/// Until the end of the scope, this thread may do what a stream that is captured elsewhere or here otherwise forbids:
/// create pools, load kernels, ask about them. Nothing of that becomes part of what is captured.
class Uncaptured {
public:
    Uncaptured() : exchanged_(cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess) {}
    ~Uncaptured() {
        if (exchanged_) (void)cudaThreadExchangeStreamCaptureMode(&mode_);
    }
    Uncaptured(const Uncaptured&) = delete;
    Uncaptured& operator=(const Uncaptured&) = delete;

private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  ///< then the one before
    bool exchanged_;  ///< not after a failure of the device, which what follows reports
};

/// By name, for a program that is linked with the driver's library does not start where there is none.
template <class Function>
Function* driver_function(const char* name, unsigned version) {
    const Uncaptured free_to_ask;
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    if (cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result) == cudaSuccess &&
        result == cudaDriverEntryPointSuccess)
        return reinterpret_cast<Function*>(found);
    (void)cudaGetLastError();  // an older driver
    return nullptr;
}

}  // namespace kogge::simt
