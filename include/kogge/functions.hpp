// Where a caller's functions can run: predicates, operators, buckets, and whatever else a call is given to call.
#pragma once

#include "kogge/error.hpp"
#include "kogge/simt/config.hpp"

namespace kogge {

/// Whether the host may call objects of this type. False of nvcc's lambdas that are __device__ only. Of other types
/// with a __device__ operator() nobody can tell: specialise it for them, or their first call on the host ends the
/// process, with a message on stderr:
///
///     template <> inline constexpr bool kogge::runs_on_host<Particles::IsNear> = false;
///
/// Calls that are given such a function run on the device, and throw errc::invalid_argument where they would run on
/// the host.
template <class Function>
inline constexpr bool runs_on_host =
#if defined(__CUDACC__)
    !__nv_is_extended_device_lambda_closure_type(Function);
#else
    true;
#endif

namespace detail {

[[noreturn]] inline void report_device_only(const char* call) {
    throw error(errc::invalid_argument, call,
                "it is given a function that is __device__ only, and would run on the host; make the function "
                "__host__ __device__, or give the call data in device memory (pinned data with exec.where = "
                "kogge::backend::device)");
}

}  // namespace detail
}  // namespace kogge
