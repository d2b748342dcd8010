// Where a caller's functions can run: predicates, operators, buckets and all other functions passed to a call.
#pragma once

#include <type_traits>

#include "kogge/error.hpp"
#include "kogge/items.hpp"
#include "kogge/simt/config.hpp"

namespace kogge {

struct exec;
struct scan_options;

/// Whether the host may call objects of this type. False for nvcc's lambdas that are __device__ only. For other types
/// whose operator() is __device__ only this cannot be detected: specialise it for them. Otherwise their first call on
/// the host ends the process, with a message on stderr:
///
///     template <> inline constexpr bool kogge::runs_on_host<Particles::IsNear> = false;
///
/// Calls with such a function run on the device, and throw errc::invalid_argument where they would run on the host.
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

/// Reports at compile time why a function cannot be called with `Arguments`.
template <class Function, class... Arguments>
constexpr void check_function() {
    static_assert(!std::is_same_v<Function, exec> && !std::is_same_v<Function, scan_options>,
                  "options stand where a function does: write the function before them, {} or kogge::plus{} for sums");
    if constexpr (runs_on_host<Function>)
        static_assert(std::is_invocable_v<const Function&, const Arguments&...>,
                      "the function takes other arguments, or changes itself: many threads call it at once, so its "
                      "operator() is const, and a lambda is not mutable");
}

/// A function of items, applied to carried items.
template <class Function>
struct OnCarried {
    Function function;
    template <class... Items>
    KOGGE_HOST_DEVICE auto operator()(const Items&... items) const {
        return function(view(items)...);
    }
};
template <class... Items, class Function>
auto on_carried(const Function& function) {
    if constexpr ((is_plain_item<Items> && ...)) return function;
    else return OnCarried<Function>{function};
}

}  // namespace detail

template <class Function>
inline constexpr bool runs_on_host<detail::OnCarried<Function>> = runs_on_host<Function>;

}  // namespace kogge
