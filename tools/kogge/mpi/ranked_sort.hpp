// kogge sort by several processes.
#pragma once

#include "commands/commands.hpp"

namespace kogge::command {

/// Every rank reads its part of a .npy or raw file, and writes its part of the result. All ranks call.
void run_ranked_sort(const SortSettings& settings);

}  // namespace kogge::command
