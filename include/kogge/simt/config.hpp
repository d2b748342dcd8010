// Which machine this translation unit is compiled for, and the function markers that follow from it.
//
//   nvcc                       kernels are CUDA kernels                     KOGGE_KERNELS == 1
//   any C++20 compiler with    kernels are ordinary functions that run      KOGGE_KERNELS == 1
//     -DKOGGE_EMULATED=1       on the SIMT emulator
//   any C++20 compiler         no kernels here: prebuilt ones are called    KOGGE_KERNELS == 0
#pragma once

#if defined(__CUDACC__) && defined(KOGGE_HOST_ONLY)
#error "this kogge was built without CUDA: build it with -DKOGGE_CUDA=ON, or include it in .cpp files only"
#elif __cplusplus <= 201703L
#error "kogge needs C++20: -std=c++20, for nvcc as well"
#elif defined(__NVCC__) && !defined(__CUDACC_RELAXED_CONSTEXPR__)
#error "kogge needs nvcc's option --expt-relaxed-constexpr"
#endif

#ifndef KOGGE_EMULATED
#define KOGGE_EMULATED 0
#endif

namespace kogge {

/// T[count], which a function finds out of an argument where `count` is an int. g++'s -Wsign-conversion says of every
/// extent of that type in a template that it might be negative; of a member, T items[std::size_t{count}] is silent.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
template <class T, int count>
using c_array = T[count];
#pragma GCC diagnostic pop

}  // namespace kogge

#if KOGGE_EMULATED && defined(__CUDACC__)
#error "KOGGE_EMULATED is for host compilers: do not define it for nvcc"
#endif

#if defined(__CUDACC__)
#define KOGGE_KERNELS 1
#define KOGGE_HOST_DEVICE __host__ __device__ __forceinline__
#define KOGGE_DEVICE __device__ __forceinline__
#define KOGGE_DEVICE_CODE __device__
#define KOGGE_KERNEL __global__
#define KOGGE_SHARED_KERNEL static __global__  // a kernel in a header that is no template
// Threads that a multiprocessor holds; so many blocks of a kernel are resident where they are no more.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
#define KOGGE_RESIDENT_THREADS 1024
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ / 10 % 10 > 5 || __CUDA_ARCH__ >= 1100)
#define KOGGE_RESIDENT_THREADS 1536
#else
#define KOGGE_RESIDENT_THREADS 2048
#endif
#define KOGGE_LAUNCH_BOUNDS(threads, blocks) \
    __launch_bounds__(threads,               \
                      (blocks) * (threads) > KOGGE_RESIDENT_THREADS ? KOGGE_RESIDENT_THREADS / (threads) : (blocks))
#define KOGGE_UNROLL _Pragma("unroll")
#define KOGGE_NO_UNROLL _Pragma("unroll 1")  // where code runs once, and fetching it takes the time
#else
#define KOGGE_KERNELS KOGGE_EMULATED
#define KOGGE_HOST_DEVICE inline
#define KOGGE_DEVICE inline
#define KOGGE_DEVICE_CODE
#define KOGGE_KERNEL
#define KOGGE_SHARED_KERNEL inline
#define KOGGE_LAUNCH_BOUNDS(threads, blocks)
#define KOGGE_UNROLL
#define KOGGE_NO_UNROLL
#endif
