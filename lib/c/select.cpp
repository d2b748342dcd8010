// Keys by their rank: of an array, and of each of its segments.
#include <algorithm>
#include <string>

#include "c/arguments.hpp"
#include "c/checks.hpp"
#include "c/codecs.hpp"
#include "c/guard.hpp"
#include "c/segments.hpp"
#include "kogge/calls/segmented_select.hpp"

namespace kogge::c {
namespace {

/// Calls f(keys, out, options) with the typed arrays.
template <class F>
void with_keys(const char* call, const void* keys, kogge_type type, void* out, const kogge_sort_options* options,
               const F& f) {
    number_of(call, type, "keys");
    const sort_options by = sort_options_of(call, options, ascending);
    with_number(type, [&]<class Key>(Key) { f(static_cast<const Key*>(keys), static_cast<Key*>(out), by); });
}

/// A selection in segments. `ranks` null: one rank for all, of rows.
struct SelectInSegments {
    const char* call;
    const void* keys;
    void* out;
    Segments segments;
    const std::uint64_t* ranks;
    std::uint64_t rank;
};

template <class Stored>
void select_stored(const SelectInSegments& of, const TypeInfo& key, const sort_options& options,
                   const Arguments& arguments) {
    const detail::BitRange bits = bit_range(of.call, key, options);
    const detail::SegmentBounds& bounds = of.segments.bounds;
    const std::uint64_t segments = bounds.most, n = arguments.n().bound();
    const exec& how = arguments.how();
    const auto region = [&](const void* data, std::uint64_t count, std::size_t bytes, const char* name) {
        return detail::Region{data, detail::bytes_of(of.call, count, bytes), name};
    };
    const detail::RunsOn where = detail::check_call(
        of.call, how, arguments.n(),
        {region(of.keys, segments > 0 ? n : 0, key.bytes, "the keys"),
         region(of.ranks, of.ranks ? segments : 0, sizeof(std::uint64_t), "the ranks"), of.segments.offsets},
        {region(of.out, segments, key.bytes, "out")});
    if (segments == 0 || n == 0) return;
    const auto* const in = static_cast<const Stored*>(of.keys);
    auto* const out = static_cast<Stored*>(of.out);
    const detail::NumberCodec<Stored> codec = codec_of<Stored>(key, options);
    if (where == backend::host) {
        require_host_count(of.call, arguments.n());
        if (bounds.begins.first)
            check_offsets(of.call, static_cast<const std::uint64_t*>(of.segments.offsets.data), segments);
        const auto bounds_of = [bounds, n](std::uint64_t s) { return bounds.interval(s, n); };
        const auto rank_of = [ranks = of.ranks, rank = of.rank](std::uint64_t s, std::uint64_t length) {
            return std::min(ranks ? ranks[s] : rank, length - 1);
        };
        return host::segmented_select(in, out, n, segments, bounds_of, rank_of, codec, bits.begin, bits.end,
                                      how.host_threads);
    }
    with_device_codec(codec, merges_keys(key, options), [&](const auto& of_device) {
        grid::device_segmented_select<grid::LibraryCode>(of.call, in, out, arguments.n(), {bounds}, of.ranks, of.rank,
                                                         of_device, bits, how);
    });
}

}  // namespace
}  // namespace kogge::c

using kogge::c::Arguments;
using kogge::c::guard;

kogge_status kogge_select(const void* keys, kogge_type key_type, void* out, uint64_t n, uint64_t rank,
                          const kogge_sort_options* options, const kogge_exec* exec) {
    const char* const call = "select";
    return guard(call, [&] {
        const Arguments arguments(call, exec, n);
        kogge::c::with_keys(call, keys, key_type, out, options, [&](const auto* from, auto* to, const auto& by) {
            kogge::select(from, to, arguments.n(), rank, by, arguments.how());
        });
    });
}

kogge_status kogge_quantiles(const void* keys, kogge_type key_type, const uint64_t* ranks, void* out, uint64_t n,
                             uint64_t m, const kogge_sort_options* options, const kogge_exec* exec) {
    const char* const call = "quantiles";
    return guard(call, [&] {
        const Arguments arguments(call, exec, n);
        kogge::c::with_keys(call, keys, key_type, out, options, [&](const auto* from, auto* to, const auto& by) {
            kogge::quantiles(from, to, arguments.n(), ranks, m, by, arguments.how());
        });
    });
}

kogge_status kogge_segmented_select(const void* keys, kogge_type key_type, const uint64_t* offsets,
                                    const uint64_t* ranks, void* out, uint64_t n, uint64_t segments, uint64_t rank,
                                    const kogge_sort_options* options, const kogge_exec* exec) {
    const char* const call = "segmented_select";
    return guard(call, [&] {
        const kogge::c::TypeInfo key = kogge::c::number_of(call, key_type, "keys");
        if (key.bytes > 8) kogge::c::report_type(call, key_type, "keys");
        const kogge::sort_options by = kogge::c::sort_options_of(call, options, kogge::ascending);
        const Arguments arguments(call, exec, n);
        const kogge::c::SelectInSegments of{
            call, keys, out, kogge::c::segments_of(call, offsets, arguments.n(), segments), ranks, rank};
        const std::uint64_t length = of.segments.bounds.length;
        if (!offsets && !ranks && segments > 0 && rank >= length)
            throw kogge::error(
                kogge::errc::invalid_argument, call,
                "the rank is " + std::to_string(rank) + ", but a row has " + std::to_string(length) + " keys");
        kogge::c::with_unsigned(key.bytes, [&]<class Stored>(Stored) {
            if constexpr (sizeof(Stored) <= 8) kogge::c::select_stored<Stored>(of, key, by, arguments);
        });
    });
}
