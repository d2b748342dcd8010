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
#error "kogge needs C++20: -std=c++20, for nvcc as well; from C++17 call its C interface, kogge/kogge.h"
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
#define KOGGE_DEVICE_CALL __device__ __noinline__       // a part of a kernel that has all registers to itself
#define KOGGE_KERNEL_PARAMETER const __grid_constant__  // one that such a part takes by reference, without a copy
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
#define KOGGE_DEVICE_CALL inline
#define KOGGE_KERNEL_PARAMETER const
#define KOGGE_KERNEL
#define KOGGE_SHARED_KERNEL inline
#define KOGGE_LAUNCH_BOUNDS(threads, blocks)
#define KOGGE_UNROLL
#define KOGGE_NO_UNROLL
#endif

// Functions whose code differs between these machines, and with the architectures that nvcc compiles for, stand in a
// namespace of their own, `namespace kogge::KOGGE_CODE { … }`, because of two equal names the linker of a program keeps
// one, whichever file it is from. Outside it stand types, which callers' own functions may take, what the compiled
// library defines, and what is the same on all machines.
#if KOGGE_EMULATED
#define KOGGE_CODE inline code_emulated
#elif !defined(__CUDACC__)
#define KOGGE_CODE inline code_host
#else
// For compute capabilities 7.5 and 9.0: inline code_750_900.
// clang-format off
#define KOGGE_NAME(name) name
#define KOGGE_NAME_1(name, arch, ...) KOGGE_NAME##__VA_OPT__(_2)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_2(name, arch, ...) KOGGE_NAME##__VA_OPT__(_3)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_3(name, arch, ...) KOGGE_NAME##__VA_OPT__(_4)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_4(name, arch, ...) KOGGE_NAME##__VA_OPT__(_5)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_5(name, arch, ...) KOGGE_NAME##__VA_OPT__(_6)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_6(name, arch, ...) KOGGE_NAME##__VA_OPT__(_7)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_7(name, arch, ...) KOGGE_NAME##__VA_OPT__(_8)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_8(name, arch, ...) KOGGE_NAME##__VA_OPT__(_9)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_9(name, arch, ...) KOGGE_NAME##__VA_OPT__(_10)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_10(name, arch, ...) KOGGE_NAME##__VA_OPT__(_11)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_11(name, arch, ...) KOGGE_NAME##__VA_OPT__(_12)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_12(name, arch, ...) KOGGE_NAME##__VA_OPT__(_13)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_13(name, arch, ...) KOGGE_NAME##__VA_OPT__(_14)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_14(name, arch, ...) KOGGE_NAME##__VA_OPT__(_15)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_15(name, arch, ...) KOGGE_NAME##__VA_OPT__(_16)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_16(name, arch, ...) KOGGE_NAME##__VA_OPT__(_17)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_17(name, arch, ...) KOGGE_NAME##__VA_OPT__(_18)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_18(name, arch, ...) KOGGE_NAME##__VA_OPT__(_19)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_19(name, arch, ...) KOGGE_NAME##__VA_OPT__(_20)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_20(name, arch, ...) KOGGE_NAME##__VA_OPT__(_21)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_21(name, arch, ...) KOGGE_NAME##__VA_OPT__(_22)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_22(name, arch, ...) KOGGE_NAME##__VA_OPT__(_23)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_23(name, arch, ...) KOGGE_NAME##__VA_OPT__(_24)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_24(name, arch, ...) KOGGE_NAME##__VA_OPT__(_25)(name##_##arch __VA_OPT__(, ) __VA_ARGS__)
#define KOGGE_NAME_OF_LIST(...) KOGGE_NAME_1(code, __VA_ARGS__)
#define KOGGE_CODE inline KOGGE_NAME_OF_LIST(__CUDA_ARCH_LIST__)
// clang-format on
#endif
