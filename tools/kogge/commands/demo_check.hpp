// The demo's results, and their check by sort and awk.
#pragma once

#include <cstdint>
#include <vector>

namespace kogge::command {

inline constexpr std::uint64_t kLargeBytes = std::uint64_t{1} << 20;

struct DemoResult {
    std::vector<std::uint64_t> sizes;       ///< largest first
    std::vector<std::uint32_t> files;       ///< whose size each one is: an index into the list
    std::vector<std::uint64_t> large;       ///< the sizes above kLargeBytes
    std::vector<std::uint64_t> cumulative;  ///< sums of the sizes up to each
};

/// Prints a line for each result: the same work done by sort or awk on the same list, and whether it agrees. Throws
/// when one does not, or could not be checked.
void check_demo(const std::vector<std::uint64_t>& list, const DemoResult& result);

}  // namespace kogge::command
