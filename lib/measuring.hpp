// What calls/scratch_bytes.hpp asks: while a thread measures, the functions of simt/runtime.hpp that would launch,
// copy, fill, wait or allocate do nothing, and each call's scratch is noted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kogge/simt/runtime.hpp"

namespace kogge::simt {

struct Measurement {
    const device_properties* device = nullptr;  ///< the device that plans are for; null: the current one
    std::size_t scratch_bytes = 0;              ///< the most that a call has asked for
    int allocations = 0;
    void note(std::size_t bytes) { scratch_bytes = (std::max)(scratch_bytes, bytes); }
};

/// This thread's; null: it does not measure.
Measurement*& measurement();

/// The device that this thread pretends to have while it measures, or null.
inline const device_properties* named_device() {
    const Measurement* const current = measurement();
    return current ? current->device : nullptr;
}

/// What allocate() gives to a thread that measures.
inline void* stand_in_for_allocation() {
    constexpr int kFirst = 3 << 12, kMost = 1 << 12;
    return stand_in(kFirst + measurement()->allocations++ % kMost);
}

/// Whether this is no address of memory, but stands for an array that does not exist: user space of x86-64 and of Arm
/// ends far below.
inline bool is_stand_in(const void* pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    return address >= (std::uintptr_t{1} << 62) && address < (std::uintptr_t{1} << 63);
}

}  // namespace kogge::simt
