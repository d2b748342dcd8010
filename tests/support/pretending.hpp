// The device that the emulator pretends to be, so that few items take the plan under test.
#pragma once

#include <cstddef>

#include "kogge/exec.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace tests {

/// Until the end of the scope, an emulated device has so many multiprocessors and so much shared memory a block, or its
/// own where that is 0.
class Pretending {
public:
    explicit Pretending([[maybe_unused]] int multiprocessors, [[maybe_unused]] std::size_t shared_bytes = 0) {
#if KOGGE_EMULATED
        namespace emulator = kogge::simt::emulator;
        kogge::device_properties device = emulator::default_properties();
        device.multiprocessors = multiprocessors;
        if (shared_bytes > 0) device.shared_bytes_per_block = shared_bytes;
        emulator::set_properties(device);
#endif
    }
#if KOGGE_EMULATED
    ~Pretending() { kogge::simt::emulator::set_properties(kogge::simt::emulator::default_properties()); }
#else
    ~Pretending() {}
#endif
    Pretending(const Pretending&) = delete;
    Pretending& operator=(const Pretending&) = delete;
};

}  // namespace tests
