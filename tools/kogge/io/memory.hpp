// How much memory this process may still take, so that a call that cannot fit fails before it begins.
#pragma once

#include <cstdint>
#include <string>

namespace kogge::command {

/// The least of the machine's available memory, the control group's limit and what ulimit leaves.
std::uint64_t available_memory();

/// Throws when `bytes` more are not available; `what` names who needs them ("sorting 'keys.npy'").
void require_memory(std::uint64_t bytes, const std::string& what);

}  // namespace kogge::command
