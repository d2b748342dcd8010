// The key of a rank in each of many segments of an array at once: medians of rows.
//
// Shared by all of them
//   result       out[s] is the key that the stable sort of segment s by the same options would put at a rank, counted
//                from 0. No interpolation.
//   segments     as segmented_top_k's. out[s] of an empty segment is left as it was.
//   ranks        of rows one for all, less than the length. Of other segments one each, ranks[s]; a rank past the last
//                key of its segment is that of the last one.
//   keys         numbers of up to 64 bits: integers, enumerations, bool, half, bfloat16, float, double.
//   aliasing     all arrays are apart, or errc::overlap.
//   scratch      on the device as the plan says (plan_segmented_select): none where segments are short, otherwise 51 KB
//                for each block, and 8 bytes per segment of unknown length. On the host 16 bytes per item of the
//                longest segment, for each thread.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a bit range outside the
//                key, a rank not below the length of rows; on the host a device_count), overlap, unreachable,
//                out_of_memory (scratch), not_built (offsets that are neither pointers nor rows, on the device, in a
//                file that nvcc did not compile).
//   method       a warp finds the key of a short segment bit by bit; a block that of a long one by rounds of counting.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kogge/calls/segmented_top_k.hpp"
#include "kogge/calls/select.hpp"
#if KOGGE_KERNELS
#include "kogge/select/launch_segments.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// The rank that is wanted in a segment of some keys. One type for all callers, so that they share the host's code.
struct RankInSegment {
    const std::uint64_t* ranks;  ///< null: `rank` in all
    std::uint64_t rank;
    std::uint64_t operator()(std::uint64_t segment, std::uint64_t keys) const {
        return (std::min)(ranks ? ranks[segment] : rank, keys - 1);
    }
};

template <class Key, class Segments>
void run_segmented_select(const char* call, const Key* keys, Key* out, const item_count& n, Segments given,
                          bool has_ranks, const std::uint64_t* ranks, std::uint64_t rank, const sort_options& options,
                          const exec& how) {
    static_assert(is_number_key<Key> && sizeof(Key) <= 8, "keys are numbers of up to 64 bits");
    const BitRange bits = bit_range<Key>(call, options);
    const std::uint64_t segments = given.most();
    if (!has_ranks && segments > 0 && rank >= given.longest())
        throw error(
            errc::invalid_argument, call,
            "the rank is " + std::to_string(rank) + ", but a row has " + std::to_string(given.longest()) + " keys");
    std::vector<Region> reads{{keys, segments > 0 ? bytes_of(call, n.bound(), sizeof(Key)) : 0, "the keys"},
                              {ranks, has_ranks ? bytes_of(call, segments, sizeof(std::uint64_t)) : 0, "the ranks"}};
    const auto& regions = given.regions();
    reads.insert(reads.end(), regions.begin(), regions.end());
    const std::vector<Region> writes{{out, bytes_of(call, segments, sizeof(Key)), "out"}};
    const RunsOn where = check_call(call, how, n, reads, writes);
    given.check_count(where == backend::host, how.stream);
    if (segments == 0 || n.bound() == 0) return;
    using Stored = stored_key<Key>;
    const codec_of<Key> codec = make_codec<Key>(options);
    const auto* in = reinterpret_cast<const Stored*>(keys);
    auto* const to = reinterpret_cast<Stored*>(out);
    if (where == backend::host) {
        if (n.on_device())
            throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
        const SegmentIntervals bounds_of{given.on_host(n.bound(), true), n.bound()};
        host::segmented_select(in, to, n.bound(), segments, bounds_of, RankInSegment{ranks, rank}, codec, bits.begin,
                               bits.end, how.host_threads);
        return;
    }
    const DeviceSegments on_device = given.on_device();
    with_device_codec<Key>(codec, [&](const auto& of_device) {
        grid::device_segmented_select<grid::code_of<Stored, codec_of<Key>>>(call, in, to, n, on_device, ranks, rank,
                                                                            of_device, bits, how);
    });
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Writes the key of a rank of each row: out[r] is that of row r.
template <class Key>
void segmented_select(const Key* keys, Key* out, rows_of rows, std::uint64_t rank, const sort_options& options = {},
                      const exec& how = {}) {
    const auto given = detail::given_segments("segmented_select", rows);
    detail::run_segmented_select("segmented_select", keys, out, given.n(), given, false, nullptr, rank, options, how);
}
template <class Key>
void segmented_select(const Key* keys, Key* out, rows_of rows, std::uint64_t rank, const exec& how) {
    segmented_select(keys, out, rows, rank, sort_options{}, how);
}
/// The same of other segments, with a rank each: ranks[s] is that of segment s.
template <class Key, class Begins, class Ends>
void segmented_select(const Key* keys, Key* out, item_count n, segment_bounds<Begins, Ends> segments,
                      const std::uint64_t* ranks, const sort_options& options = {}, const exec& how = {}) {
    detail::run_segmented_select("segmented_select", keys, out, n, detail::given_segments("segmented_select", segments),
                                 true, ranks, 0, options, how);
}
template <class Key, class Begins, class Ends>
void segmented_select(const Key* keys, Key* out, item_count n, segment_bounds<Begins, Ends> segments,
                      const std::uint64_t* ranks, const exec& how) {
    segmented_select(keys, out, n, segments, ranks, sort_options{}, how);
}
template <class Key, detail::offset_source Offsets>
void segmented_select(const Key* keys, Key* out, item_count n, Offsets offsets, item_count segments,
                      const std::uint64_t* ranks, const sort_options& options = {}, const exec& how = {}) {
    segmented_select(keys, out, n, segments_of(offsets, segments), ranks, options, how);
}
template <class Key, detail::offset_source Offsets>
void segmented_select(const Key* keys, Key* out, item_count n, Offsets offsets, item_count segments,
                      const std::uint64_t* ranks, const exec& how) {
    segmented_select(keys, out, n, segments_of(offsets, segments), ranks, sort_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
