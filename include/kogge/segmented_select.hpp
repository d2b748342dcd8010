// The key of a rank in each of many segments of an array at once: medians of rows.
//
// Shared by all of them
//   result       out[s] is the key that the stable sort of segment s by the same options would put at a rank, counted
//                from 0. No interpolation.
//   segments     as segmented_top_k's: rows_of(length, count), or offsets. out[s] of an empty segment is left as it
//   was. ranks        of rows one for all, less than the length. Of segments by offsets one each, ranks[s]; a rank past
//   the
//                last key of its segment is that of the last one.
//   keys         numbers of up to 64 bits: integers, enumerations, bool, half, bfloat16, float, double.
//   aliasing     all arrays are apart, or errc::overlap.
//   scratch      on the device as the plan says (plan_segmented_select): none where segments are short, otherwise 51 KB
//                for each block, and 8 bytes per segment of unknown length. On the host 16 bytes per item of the
//                longest segment, for each thread.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a bit range outside the
//                key, a rank not below the length of rows, a number of segments on the device; on the host a
//                device_count), overlap, unreachable, out_of_memory (scratch).
//   method       a warp finds the key of a short segment bit by bit; a block that of a long one by rounds of counting.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kogge/segmented_top_k.hpp"
#include "kogge/select.hpp"
#if KOGGE_KERNELS
#include "kogge/select/launch_segments.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

template <class Key>
void run_segmented_select(const char* call, const Key* keys, Key* out, const TopKSegmentsOf& of,
                          const std::uint64_t* ranks, std::uint64_t rank, const sort_options& options,
                          const exec& how) {
    static_assert(is_number_key<Key> && sizeof(Key) <= 8, "keys are numbers of up to 64 bits");
    const BitRange bits = bit_range<Key>(call, options);
    const std::uint64_t segments = of.rows.count;
    const bool are_rows = of.offsets == nullptr;
    if (are_rows && segments > 0 && rank >= of.rows.length)
        throw error(
            errc::invalid_argument, call,
            "the rank is " + std::to_string(rank) + ", but a row has " + std::to_string(of.rows.length) + " keys");
    const std::uint64_t numbers = are_rows ? 0 : bytes_of(call, segments, sizeof(std::uint64_t));
    const std::vector<Region> reads{{keys, segments > 0 ? bytes_of(call, of.n.bound(), sizeof(Key)) : 0, "the keys"},
                                    {of.offsets, numbers, "offsets"},
                                    {ranks, numbers, "the ranks"}};
    const std::vector<Region> writes{{out, bytes_of(call, segments, sizeof(Key)), "out"}};
    const RunsOn where = check_call(call, how, of.n, reads, writes);
    if (segments == 0 || of.n.bound() == 0) return;
    using Stored = stored_key<Key>;
    const codec_of<Key> codec = make_codec<Key>(options);
    const auto* in = reinterpret_cast<const Stored*>(keys);
    auto* const to = reinterpret_cast<Stored*>(out);
    if (where == backend::host) {
        if (of.n.on_device())
            throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
        const std::uint64_t n = of.n.bound(), length = of.rows.length;
        const std::uint64_t* const offsets = of.offsets;
        const auto bounds_of = [=](std::uint64_t s) -> std::pair<std::uint64_t, std::uint64_t> {
            if (!offsets) return {s * length, length};
            const std::uint64_t begin = offsets[s];
            const std::uint64_t end = (std::min)(n, s + 1 < segments ? offsets[s + 1] : n);
            return {(std::min)(begin, n), begin < end ? end - begin : 0};
        };
        const auto rank_of = [=](std::uint64_t s, std::uint64_t keys_there) {
            return (std::min)(ranks ? ranks[s] : rank, keys_there - 1);
        };
        host::segmented_select(in, to, n, segments, bounds_of, rank_of, codec, bits.begin, bits.end, how.host_threads);
        return;
    }
    with_device_codec<Key>(codec, [&](const auto& of_device) {
        grid::device_segmented_select<grid::code_of<Stored, codec_of<Key>>>(call, in, to, of.n, of.offsets, of.rows,
                                                                            ranks, rank, of_device, bits, how);
    });
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Writes the key of a rank of each row: out[r] is that of row r.
template <class Key>
void segmented_select(const Key* keys, Key* out, rows_of rows, std::uint64_t rank, const sort_options& options = {},
                      const exec& how = {}) {
    detail::run_segmented_select("segmented_select", keys, out, detail::top_k_rows("segmented_select", rows), nullptr,
                                 rank, options, how);
}
template <class Key, std::same_as<exec> Exec>
void segmented_select(const Key* keys, Key* out, rows_of rows, std::uint64_t rank, const Exec& how) {
    segmented_select(keys, out, rows, rank, sort_options{}, how);
}
/// The same of segments by offsets, with a rank each: ranks[s] is that of segment s.
template <class Key>
void segmented_select(const Key* keys, Key* out, item_count n, detail::offsets_in offsets, item_count segments,
                      const std::uint64_t* ranks, const sort_options& options = {}, const exec& how = {}) {
    detail::run_segmented_select("segmented_select", keys, out,
                                 detail::top_k_segments("segmented_select", n, offsets, segments), ranks, 0, options,
                                 how);
}
template <class Key, std::same_as<exec> Exec>
void segmented_select(const Key* keys, Key* out, item_count n, detail::offsets_in offsets, item_count segments,
                      const std::uint64_t* ranks, const Exec& how) {
    segmented_select(keys, out, n, offsets, segments, ranks, sort_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
