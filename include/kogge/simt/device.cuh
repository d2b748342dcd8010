// What a kernel may ask of the machine. One interface, two machines: cuda.cuh (nvcc) and emulated.hpp (any
// host compiler, KOGGE_EMULATED=1). Kernels include this header and nothing else for threads, shared memory,
// barriers, warp collectives, atomics and asynchronous copies.
#pragma once

#include "kogge/simt/config.hpp"

#if !KOGGE_KERNELS
#error "kernels need nvcc, or a host compiler with -DKOGGE_EMULATED=1"
#endif

#if KOGGE_EMULATED
#include "kogge/simt/emulated.hpp"  // IWYU pragma: export
#else
#include "kogge/simt/cuda.cuh"  // IWYU pragma: export
#endif
