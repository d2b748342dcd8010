// How much memory this process may still take, so that a call that cannot fit fails before it begins.
#pragma once

#include <cstdint>
#include <string>

namespace kogge::command {

/// The least of the machine's available memory, the control group's limit and what ulimit leaves.
std::uint64_t available_memory();

/// Throws when `bytes` more are not available; `what` names who needs them ("sorting 'keys.npy'"), and `advice` says
/// what to do, if there is something better than to work on parts.
void require_memory(std::uint64_t bytes, const std::string& what, const std::string& advice = {});

}  // namespace kogge::command
