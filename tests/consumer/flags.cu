// What a project's nvcc is told where it uses kogge, without a word about it in the project.
#include <kogge/exec.hpp>

static_assert(__cplusplus > 201703L);
#ifndef __CUDACC_RELAXED_CONSTEXPR__
#error "no --expt-relaxed-constexpr"
#endif
#ifndef __CUDACC_EXTENDED_LAMBDA__
#error "no --extended-lambda"
#endif
