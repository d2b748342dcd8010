#include "c/segments.hpp"

#include <string>

namespace kogge::c {

Segments segments_of(const char* call, const std::uint64_t* offsets, const item_count& n, std::uint64_t segments) {
    Segments of{};
    of.bounds.most = segments;
    of.offsets = {offsets, 0, "offsets"};
    if (offsets || segments == 0) {
        of.bounds.begins = {offsets};
        of.offsets.bytes = detail::bytes_of(call, segments, sizeof(std::uint64_t));
        return of;
    }
    if (n.on_device())
        throw error(errc::invalid_argument, call, "the number of items of rows must be known to the host");
    if (n.bound() % segments != 0)
        throw error(errc::invalid_argument, call,
                    std::to_string(n.bound()) + " items are no " + std::to_string(segments) + " rows of equal length");
    of.bounds.length = n.bound() / segments;
    return of;
}

}  // namespace kogge::c
