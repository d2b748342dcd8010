// Sorts of keys, of keys with values, and of indices by keys; and the same of segments.
#include <span>
#include <string>

#include "c/arguments.hpp"
#include "c/checks.hpp"
#include "c/codecs.hpp"
#include "c/guard.hpp"
#include "c/segments.hpp"
#include "kogge/segmented_sort.hpp"

namespace kogge::c {
namespace {

/// A sort's arrays.
struct Sort {
    const char* call;
    const void* keys;
    kogge_type key_type;
    void* keys_out;
    std::span<const grid::value_array> values{};
    bool writes_keys = true;
    bool writes_indices = false;
    bool indices_in_segment = false;  ///< of an argsort of segments
};

/// Offsets, or null for rows, and the number of segments.
struct GivenSegments {
    const std::uint64_t* offsets;
    std::uint64_t count;
};

template <class Stored>
void sort_segments_on_host(const Sort& sort, const Segments& segments, const detail::NumberCodec<Stored>& codec,
                           detail::BitRange bits, std::uint64_t n, int threads) {
    const detail::SegmentBounds bounds = segments.bounds;
    if (bounds.begins.first)
        check_offsets(sort.call, static_cast<const std::uint64_t*>(segments.offsets.data), bounds.most);
    const auto bounds_of = [=](std::uint64_t s) {  // segment 0 is what precedes the offsets
        if (s == 0) return detail::SegmentBounds::Bounds{0, bounds.most > 0 ? bounds.at(0, bounds.most, n).begin : n};
        return bounds.at(s - 1, bounds.most, n);
    };
    host::segmented_sort(static_cast<const Stored*>(sort.keys), static_cast<Stored*>(sort.keys_out), n, bounds.most + 1,
                         bounds_of, codec, bits.begin, bits.end, sort.values, !sort.indices_in_segment, threads);
}

template <class Stored>
void sort_stored(const Sort& sort, const TypeInfo& key, const Segments* segments, const sort_options& options,
                 const Arguments& arguments) {
    const detail::BitRange bits = bit_range(sort.call, key, options);
    const auto* const in = static_cast<const Stored*>(sort.keys);
    auto* const out = static_cast<Stored*>(sort.keys_out);
    const item_count& n = arguments.n();
    const exec& how = arguments.how();
    const detail::NumberCodec<Stored> codec = codec_of<Stored>(key, options);
    detail::SortCall<Stored, grid::NoValue> checked{sort.call, in, out, n, sort.values, sort.writes_keys};
    checked.writes_indices = sort.writes_indices;
    if (segments) checked.beside = {&segments->offsets, 1};
    const detail::RunsOn where = detail::check_sort(checked, how);
    if (n.bound() == 0) return;
    if (where == backend::host) {
        require_host_count(sort.call, n);
        if (segments) return sort_segments_on_host(sort, *segments, codec, bits, n.bound(), how.host_threads);
        return host::radix_sort(in, out, n.bound(), codec, bits.begin, bits.end, sort.values, how.host_threads);
    }
    detail::DeviceSegments on_device{};
    if (segments) {
        on_device.bounds = segments->bounds;
        on_device.indices_in_segment = sort.indices_in_segment;
    }
    with_device_codec(codec, merges_keys(key, options), [&](const auto& of_device) {
        with_moved(sort.values, [&]<class Moved>(Moved) {
            if (segments)
                grid::device_segmented_sort<Moved, grid::LibraryCode>(sort.call, in, out, n, on_device, of_device, bits,
                                                                      sort.values, how);
            else
                grid::device_radix_sort<Moved, grid::LibraryCode>(sort.call, in, out, n, of_device, bits, sort.values,
                                                                  how);
        });
    });
}

kogge_status run(const Sort& sort, const GivenSegments* given_segments, std::uint64_t n,
                 const kogge_sort_options* options, const kogge_exec* given) {
    return guard(sort.call, [&] {
        const TypeInfo key = number_of(sort.call, sort.key_type, "keys");
        const sort_options by = sort_options_of(sort.call, options, ascending);
        const Arguments arguments(sort.call, given, n);
        Segments segments{};
        if (given_segments)
            segments = segments_of(sort.call, given_segments->offsets, arguments.n(), given_segments->count);
        with_unsigned(key.bytes, [&]<class Stored>(Stored) {
            sort_stored<Stored>(sort, key, given_segments ? &segments : nullptr, by, arguments);
        });
    });
}

/// Runs a sort that writes indices, of the items of the whole array or of each segment.
kogge_status run_argsort(Sort sort, void* indices, kogge_type index_type, const GivenSegments* segments,
                         std::uint64_t n, const kogge_sort_options* options, const kogge_exec* given) {
    grid::value_array array{};
    const kogge_status status = guard(sort.call, [&] {
        const std::size_t bytes = index_bytes(sort.call, index_type, "the indices");
        check_indices(sort.call, index_type, n);
        array = {nullptr, indices, bytes, bytes};
    });
    if (status != KOGGE_OK) return status;
    sort.values = {&array, 1};
    sort.writes_keys = sort.keys_out != nullptr;
    sort.writes_indices = true;
    return run(sort, segments, n, options, given);
}

kogge_status run_pairs(Sort sort, const void* values, kogge_type value_type, void* values_out,
                       const GivenSegments* segments, std::uint64_t n, const kogge_sort_options* options,
                       const kogge_exec* given) {
    grid::value_array array{};
    const kogge_status status = guard(sort.call, [&] {
        const TypeInfo value = item_of(sort.call, value_type, "values");
        array = {values, values_out, value.bytes, value.alignment};
    });
    if (status != KOGGE_OK) return status;
    sort.values = {&array, 1};
    return run(sort, segments, n, options, given);
}

}  // namespace
}  // namespace kogge::c

using kogge::c::run;
using kogge::c::run_argsort;
using kogge::c::run_pairs;

kogge_status kogge_radix_sort(const void* keys, kogge_type key_type, void* keys_out, uint64_t n,
                              const kogge_sort_options* options, const kogge_exec* exec) {
    return run({"radix_sort", keys, key_type, keys_out}, nullptr, n, options, exec);
}

kogge_status kogge_radix_sort_pairs(const void* keys, kogge_type key_type, const void* values, kogge_type value_type,
                                    void* keys_out, void* values_out, uint64_t n, const kogge_sort_options* options,
                                    const kogge_exec* exec) {
    return run_pairs({"radix_sort_pairs", keys, key_type, keys_out}, values, value_type, values_out, nullptr, n,
                     options, exec);
}

kogge_status kogge_argsort(const void* keys, kogge_type key_type, void* indices, kogge_type index_type, uint64_t n,
                           const kogge_sort_options* options, const kogge_exec* exec) {
    return run_argsort({"argsort", keys, key_type, nullptr}, indices, index_type, nullptr, n, options, exec);
}

kogge_status kogge_segmented_sort(const void* keys, kogge_type key_type, const uint64_t* offsets, void* keys_out,
                                  uint64_t n, uint64_t segments, const kogge_sort_options* options,
                                  const kogge_exec* exec) {
    const kogge::c::GivenSegments of{offsets, segments};
    return run({"segmented_sort", keys, key_type, keys_out}, &of, n, options, exec);
}

kogge_status kogge_segmented_sort_pairs(const void* keys, kogge_type key_type, const void* values,
                                        kogge_type value_type, const uint64_t* offsets, void* keys_out,
                                        void* values_out, uint64_t n, uint64_t segments,
                                        const kogge_sort_options* options, const kogge_exec* exec) {
    const kogge::c::GivenSegments of{offsets, segments};
    return run_pairs({"segmented_sort_pairs", keys, key_type, keys_out}, values, value_type, values_out, &of, n,
                     options, exec);
}

kogge_status kogge_segmented_argsort(const void* keys, kogge_type key_type, const uint64_t* offsets, void* keys_out,
                                     void* indices, kogge_type index_type, uint64_t n, uint64_t segments, int of_whole,
                                     const kogge_sort_options* options, const kogge_exec* exec) {
    const kogge::c::GivenSegments of{offsets, segments};
    kogge::c::Sort sort{"segmented_argsort", keys, key_type, keys_out};
    sort.indices_in_segment = of_whole == 0;
    return run_argsort(sort, indices, index_type, &of, n, options, exec);
}
