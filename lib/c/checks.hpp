// Checks that several calls share.
#pragma once

#include <cstdint>

#include "c/types.hpp"
#include "kogge/exec.hpp"

namespace kogge::c {

/// The host's threads do not read a number from a device.
void require_host_count(const char* call, const item_count& n);
/// Throws if offsets[i] < offsets[i − 1] for some i, on the host.
void check_offsets(const char* call, const std::uint64_t* offsets, std::uint64_t segments);
/// Throws if the type, an integer, does not hold numbers up to `most`; `what` they are.
void check_holds(const char* call, kogge_type integer, std::uint64_t most, const char* what);
/// The same of the indices of n items.
void check_indices(const char* call, kogge_type index_type, std::uint64_t n);

/// The call has no device code in the library.
[[noreturn]] void report_not_on_device(const char* call);

}  // namespace kogge::c
