// Items from the last to the first: what a scan from the end reads, and where its results stand.
#pragma once

#include <cstdint>

#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"

namespace kogge::detail {

/// Item i is item n − 1 − i of `in`. Through a pointer it can also be assigned.
template <class In>
struct Reversed {
    In in;
    std::uint64_t bound;
    const std::uint64_t* count;  ///< null: `bound` is the number
    KOGGE_HOST_DEVICE std::uint64_t size() const { return count && *count < bound ? *count : bound; }
    KOGGE_HOST_DEVICE decltype(auto) operator[](std::uint64_t i) const { return in[size() - 1 - i]; }
    KOGGE_HOST_DEVICE In end() const { return in + size(); }
};

/// Items that stand in memory, from the last to the first.
template <class In>
inline constexpr bool kReversedPointer = false;
template <class T>
inline constexpr bool kReversedPointer<Reversed<T*>> = true;

/// Where a scan of `in` stores its results, given their array: in the order in which it reads its items.
template <class In, class Out>
KOGGE_HOST_DEVICE Out* results_of(const In&, Out* out) {
    return out;
}
template <class In, class Out>
KOGGE_HOST_DEVICE Reversed<Out*> results_of(const Reversed<In>& in, Out* out) {
    return {out, in.bound, in.count};
}

}  // namespace kogge::detail

namespace kogge {
template <class In>
inline constexpr bool runs_on_host<detail::Reversed<In>> = runs_on_host<In>;
}  // namespace kogge
