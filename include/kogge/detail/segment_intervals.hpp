// Segments as functions: of a segment's number, where it begins and where it ends.
#pragma once

#include <cstdint>

#include "kogge/simt/config.hpp"
#include "kogge/types/rows.hpp"

namespace kogge::detail {

struct SegmentInterval {
    std::uint64_t begin, end;  ///< end ≥ begin
};

/// Segment s begins at offsets[s] and ends where the next one begins, the last one at n. Offsets past n count as n; a
/// segment whose next offset is less is empty.
struct SegmentsByOffsets {
    const std::uint64_t* offsets;
    std::uint64_t bound;         ///< of their number
    const std::uint64_t* count;  ///< null: `bound` is the number
    KOGGE_HOST_DEVICE SegmentInterval operator()(std::uint64_t s, std::uint64_t n) const {
        const std::uint64_t segments = count && *count < bound ? *count : bound;
        const std::uint64_t from = offsets[s], to = s + 1 < segments ? offsets[s + 1] : n;
        const std::uint64_t begin = from < n ? from : n, end = to < n ? to : n;
        return {begin, end < begin ? begin : end};
    }
};

struct SegmentsInRows {
    std::uint64_t length;
    KOGGE_HOST_DEVICE SegmentInterval operator()(std::uint64_t s, std::uint64_t) const {
        return {s * length, (s + 1) * length};
    }
};

}  // namespace kogge::detail
