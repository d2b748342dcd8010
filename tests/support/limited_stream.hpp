// A stream that may use some of the device's multiprocessors only: of a green context, or as the emulator is told.
#pragma once

#include <gtest/gtest.h>

#include "kogge/simt/runtime.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#else
#include <cuda.h>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#endif

namespace tests {

#if KOGGE_EMULATED

class LimitedStream {
public:
    explicit LimitedStream(int multiprocessors) : stream_(kogge::simt::create_stream()) {
        kogge::simt::emulator::limit_stream(stream_, multiprocessors);
    }
    ~LimitedStream() { kogge::simt::destroy_stream(stream_); }
    LimitedStream(const LimitedStream&) = delete;
    kogge::stream_t get() const { return stream_; }

private:
    kogge::stream_t stream_;
};

#else

/// Throws std::runtime_error where the driver has no green contexts.
class LimitedStream {
public:
    explicit LimitedStream(int multiprocessors) {
        CUdevResource all{}, some{};
        CUdevResourceDesc description{};
        unsigned groups = 1;
        const CUdevice device = kogge::simt::current_device();
        call<decltype(cuDeviceGetDevResource)>("cuDeviceGetDevResource", device, &all, CU_DEV_RESOURCE_TYPE_SM);
        call<decltype(cuDevSmResourceSplitByCount)>("cuDevSmResourceSplitByCount", &some, &groups, &all, nullptr, 0u,
                                                    static_cast<unsigned>(multiprocessors));
        call<decltype(cuDevResourceGenerateDesc)>("cuDevResourceGenerateDesc", &description, &some, 1u);
        call<decltype(cuGreenCtxCreate)>("cuGreenCtxCreate", &context_, description, device,
                                         static_cast<unsigned>(CU_GREEN_CTX_DEFAULT_STREAM));
        call<decltype(cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate", &stream_, context_,
                                               static_cast<unsigned>(CU_STREAM_NON_BLOCKING), 0);
    }
    ~LimitedStream() {
        cudaStreamSynchronize(stream_);
        cudaStreamDestroy(stream_);
        call<decltype(cuGreenCtxDestroy)>("cuGreenCtxDestroy", context_);
    }
    LimitedStream(const LimitedStream&) = delete;
    kogge::stream_t get() const { return stream_; }

private:
    // By name: the tests are not linked with the driver's library.
    template <class Function, class... Arguments>
    static void call(const char* name, Arguments... arguments) {
        void* found = nullptr;
        cudaDriverEntryPointQueryResult result{};
        cudaGetDriverEntryPointByVersion(name, &found, 12050, cudaEnableDefault, &result);
        if (!found) throw std::runtime_error(std::string("the driver has no ") + name);
        const CUresult status = reinterpret_cast<Function*>(found)(arguments...);
        EXPECT_EQ(status, CUDA_SUCCESS) << name;
    }

    CUgreenCtx context_ = nullptr;
    CUstream stream_ = nullptr;
};

#endif

}  // namespace tests
