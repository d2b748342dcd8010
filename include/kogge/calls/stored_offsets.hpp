// For scans of segments whose offsets are not integers of 64 bits whose number the host knows: they are stored as such
// first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kogge/calls/given_segments.hpp"
#include "kogge/calls/scratch_bytes.hpp"
#include "kogge/detail/inputs.hpp"
#include "kogge/detail/prebuilt.hpp"

namespace kogge::detail::KOGGE_CODE {

/// Calls scan(offsets, number, how) with offsets of 64 bits, where the arrays are.
template <class In, class Out, class Segments, class Scan>
void with_stored_offsets(const char* call, const item_count& n, const In& in, const Out& out, Segments segments,
                         const exec& how, const Scan& scan) {
    std::vector<Region> reads{input_region(call, in, n.bound(), "in")};
    const auto& regions = segments.regions();
    reads.insert(reads.end(), regions.begin(), regions.end());
    const std::vector<Region> writes{output_region(call, out, n.bound(), "out")};
    const RunsOn where = check_call(call, how, n, reads, writes, 1);  // the scan says whether it may be in place
    segments.check_count(where == backend::host, how.stream);
    exec inner = how;
    inner.where = where;
    if (n.bound() == 0) return scan(static_cast<const std::uint64_t*>(nullptr), std::uint64_t{0}, inner);
    if (where == backend::host) {
        const SegmentBounds bounds = segments.on_host(n.bound());
        std::vector<std::uint64_t> offsets(bounds.most);
        for (std::uint64_t s = 0; s < bounds.most; ++s) offsets[s] = SegmentBegins{bounds}[s];
        return scan(static_cast<const std::uint64_t*>(offsets.data()), bounds.most, inner);
    }
#if KOGGE_KERNELS
    const DeviceSegments on_device = segments.on_device();
    Carver carver;
    carver.take<std::uint64_t>(on_device.bounds.most);
    const std::size_t bytes = scratch_with_slack(carver.used());
    const Scratch scratch(call, how, bytes);
    auto* const offsets = static_cast<std::uint64_t*>(scratch.data());
    if (simt::is_measuring()) {  // the scan's scratch is beside this
        const std::size_t beside = scratch_bytes(
            [&](const exec& asked) { scan(static_cast<const std::uint64_t*>(offsets), on_device.bounds.most, asked); },
            simt::properties_of(how.stream), inner);
        const Scratch both(call, how, bytes + beside);
        return;
    }
    if (inner.space.data) {
        inner.space.data = static_cast<std::byte*>(inner.space.data) + bytes;
        inner.space.bytes -= bytes;
    }
    if (inner.scratch_limit != kNoLimit) inner.scratch_limit -= bytes;
    if (on_device.store) on_device.store(on_device.given, on_device.bounds, offsets, nullptr, how.stream);
    else if (on_device.bounds.most > 0) grid::store_offsets(on_device.bounds, offsets, how.stream);
    scan(static_cast<const std::uint64_t*>(offsets), on_device.bounds.most, inner);
#else
    report_no_device_code(call);
#endif
}

}  // namespace kogge::detail::KOGGE_CODE
