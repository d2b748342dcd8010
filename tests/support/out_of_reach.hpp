// Device memory that the host may not touch.
#pragma once

#include "kogge/simt/config.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace tests {

/// While it lives, an emulated device's memory stops a host that touches it.
struct OutOfReach {
#if KOGGE_EMULATED
    OutOfReach() { kogge::simt::emulator::protect_device_memory(true); }
    ~OutOfReach() { kogge::simt::emulator::protect_device_memory(false); }
#else
    OutOfReach() {}
#endif
};

}  // namespace tests
