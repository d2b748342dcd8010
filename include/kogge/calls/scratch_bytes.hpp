// How much scratch calls take, asked by the very calls:
//
//     const std::size_t bytes = kogge::scratch_bytes([&](const kogge::exec& how) {
//         kogge::inclusive_scan(counts, offsets, n, kogge::plus{}, how);
//         kogge::radix_sort_pairs(keys, values, pairs, {.end_bit = 44}, how);
//     });
//
// While `calls` runs, the calls of its thread check their arguments and plan their work, but launch, copy and allocate
// nothing, wait for nothing, and read and write no array.
//
// Shared by both
//   result       the bytes that exec.space must have so that each of the calls succeeds, one after another: the most
//                that one of them takes. The place of a number, or of a reduction's result, that a call returns is not
//                among them: it comes from the pool or from exec.scratch also where there is a workspace. Memory that a
//                kogge::buffer owns is none of the calls' scratch.
//   arrays       may be null, or kogge::unallocated: such arrays count as device memory that overlaps nothing. Null
//                arrays are apart, also where in == out would be allowed. Where null says that an array is not wanted
//                (offsets of emit and split), it is not wanted. Arrays that exist are checked as usual; in host memory
//                that no device reaches they throw errc::unreachable, because their calls take no scratch of a device.
//   numbers      that a call waits for are 0: give bounds to the calls that follow. device_count::value may be null.
//   exec         `calls` gets a copy of `how`, and may give others: streams (whose limits plans follow), and limits of
//                scratch, count; workspaces and scratch resources are not used.
//   capture      allowed: nothing is added to what is captured, and calls that wait do not throw.
//   throws       what `calls` throws; errc::unreachable if there is no device and none is named, or if this build of
//                the library has no device code.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>

#include "kogge/exec.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

namespace detail {

/// Until the end of the scope, this thread's calls note their scratch and do nothing else.
class Measuring {
public:
    /// `device` null: plans are for the device that each call would run on.
    explicit Measuring(const device_properties* device);
    ~Measuring();
    Measuring(const Measuring&) = delete;
    Measuring& operator=(const Measuring&) = delete;
    std::size_t bytes() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace detail

/// Stands for an array that does not exist yet, as an argument of a call in scratch_bytes: two of one number are the
/// same array, of different numbers arrays that are apart. Numbers are 0 … 8'190.
template <class T>
T* unallocated(int number = 0) {
    return static_cast<T*>(simt::stand_in(number + 1));
}

/// The scratch of the calls on the device that they would run on.
template <std::invocable<const exec&> Calls>
std::size_t scratch_bytes(const Calls& calls, const exec& how = {}) {
    const detail::Measuring measuring(nullptr);
    calls(how);
    return measuring.bytes();
}

/// The same on a device of these properties, which this machine need not have.
template <std::invocable<const exec&> Calls>
std::size_t scratch_bytes(const Calls& calls, const device_properties& device, const exec& how = {}) {
    const detail::Measuring measuring(&device);
    calls(how);
    return measuring.bytes();
}

}  // namespace kogge
