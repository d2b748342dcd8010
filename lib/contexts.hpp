// What tells a device's contexts apart, which each machine of lib/runtime or lib/emulator answers.
#pragma once

#include <cstdint>

namespace kogge::simt {

/// Tells the current context from all others of the process, such as that of the same device before cudaDeviceReset.
std::uint64_t context_number(const char* call);

}  // namespace kogge::simt
