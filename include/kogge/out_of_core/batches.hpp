// A sort of arrays in host memory by devices that hold a batch of the items at a time: what a call says of its types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kogge/exec.hpp"

namespace kogge::out_of_core {

/// Where a call runs whose arrays are in host memory, and need not fit a device.
struct exec {
    std::vector<int> devices = {};  ///< that share the work; none: all devices of the machine
    /// The most bytes of its memory that a call takes on each device.
    std::size_t device_memory_limit = kNoLimit;
    /// Threads that copy between the arrays and page-locked memory, for all devices; 0: as many as help.
    int host_threads = 0;
};

}  // namespace kogge::out_of_core

namespace kogge::detail {

/// An array in host memory, and where its sorted items go, which may be the same.
struct HostArray {
    const std::byte* in;
    std::byte* out;
    std::size_t item_bytes;
};

/// What a sort does with its types.
struct BatchSort {
    /// Sorts arrays on the device in place; returns when that is queued.
    std::function<void(std::span<void* const> arrays, std::uint64_t items, const kogge::exec& how)> sort;
    /// How many items of each run, sorted[begins[r] … begins[r + 1]), are among the first `position` of all.
    std::function<std::vector<std::uint64_t>(const void* sorted, std::span<const std::uint64_t> begins,
                                             std::uint64_t position)>
        cut;
};

/// Sorts n items of the arrays, of which the first one has the keys. They are in host memory, and checked.
void sort_in_batches(const char* call, std::span<const HostArray> arrays, std::uint64_t n, const BatchSort& types,
                     const out_of_core::exec& how);

}  // namespace kogge::detail
