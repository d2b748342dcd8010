// Segments of a call of the C interface: by offsets, or, where these are null, rows of one length.
#pragma once

#include <cstdint>

#include "kogge/exec.hpp"
#include "kogge/types/segments.hpp"

namespace kogge::c {

struct Segments {
    detail::SegmentBounds bounds;
    detail::Region offsets;  ///< which the call only reads
};

/// Throws errc::invalid_argument if n items are no rows of one length.
Segments segments_of(const char* call, const std::uint64_t* offsets, const item_count& n, std::uint64_t segments);

}  // namespace kogge::c
