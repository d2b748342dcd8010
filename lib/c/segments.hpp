// Segments of a call of the C interface: by offsets, or, where these are null, rows of one length.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "kogge/exec.hpp"
#include "kogge/types/segments.hpp"

namespace kogge::c {

/// As the library's calls take them (detail::GivenSegments).
struct Segments {
    detail::SegmentBounds bounds;
    detail::Region offsets;  ///< which the call only reads

    std::uint64_t most() const { return bounds.most; }
    /// Of a segment, as far as it is known.
    std::uint64_t longest() const {
        return bounds.begins.first ? std::numeric_limits<std::uint64_t>::max() : bounds.length;
    }
    std::array<detail::Region, 1> regions() const { return {offsets}; }
    void check_count(bool, stream_t) const {}  // it is the host's
    detail::SegmentBounds on_host(std::uint64_t, bool) const { return bounds; }
    detail::DeviceSegments on_device() const { return {.bounds = bounds}; }
};

/// Throws errc::invalid_argument if n items are no rows of one length.
Segments segments_of(const char* call, const std::uint64_t* offsets, const item_count& n, std::uint64_t segments);

}  // namespace kogge::c
