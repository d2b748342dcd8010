#include "c/checks.hpp"

#include <algorithm>
#include <string>

namespace kogge::c {

void require_host_count(const char* call, const item_count& n) {
    if (n.on_device())
        throw error(errc::invalid_argument, call, "a number on the device needs the device; pass the number itself");
}

void check_offsets(const char* call, const std::uint64_t* offsets, std::uint64_t segments) {
    const std::uint64_t* const end = offsets + segments;
    const std::uint64_t* const falls = std::is_sorted_until(offsets, end);
    if (falls != end)
        throw error(errc::invalid_argument, call,
                    "offsets[" + std::to_string(falls - offsets) + "] is " + std::to_string(falls[0]) +
                        ", but the one before it " + std::to_string(falls[-1]) + "; they must ascend");
}

void check_holds(const char* call, kogge_type integer, std::uint64_t most, const char* what) {
    if (most > greatest(integer))
        throw error(errc::invalid_argument, call,
                    name_of(integer) + " is too small for " + what + ", which go up to " + std::to_string(most));
}

void check_indices(const char* call, kogge_type index_type, std::uint64_t n) {
    if (n > 0) check_holds(call, index_type, n - 1, "the indices");
}

void report_not_on_device(const char* call) {
    throw error(errc::not_built, call, "the library holds no device code for these types");
}

}  // namespace kogge::c
