// The first k of n keys, and of each segment.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "c/arguments.hpp"
#include "c/checks.hpp"
#include "c/codecs.hpp"
#include "c/guard.hpp"
#include "c/segments.hpp"
#include "kogge/calls/segmented_top_k.hpp"

namespace kogge::c {
namespace {

/// What a call reads, and what it writes.
struct TopK {
    const char* call;
    const void* keys;
    kogge_type key_type;
    grid::top_k_arrays arrays;
};

void add_values(TopK& top, const void* values, kogge_type type, void* values_out, std::uint64_t n) {
    const TypeInfo value = item_of(top.call, type, "values");
    if (!values && n > 0) throw error(errc::invalid_argument, top.call, "null given for the values");
    top.arrays.values[0] = {values, values_out, value.bytes, value.alignment};
}

void add_indices(TopK& top, void* indices, kogge_type type, std::uint64_t n) {
    top.arrays.index_bytes = index_bytes(top.call, type, "the indices");
    check_indices(top.call, type, n);
    top.arrays.indices = indices;
}

/// The regions of a call that reads `n` items, and writes `outputs`; either may be 0.
struct Regions {
    std::vector<detail::Region> reads, writes;

    Regions(const TopK& top, std::size_t key_bytes, std::uint64_t n, std::uint64_t outputs) {
        const auto of = [&](const void* data, std::uint64_t count, std::size_t bytes, const char* name) {
            return detail::Region{data, count > 0 ? detail::bytes_of(top.call, count, bytes) : 0, name};
        };
        const grid::top_k_arrays& arrays = top.arrays;
        reads.push_back(of(top.keys, n, key_bytes, "the keys"));
        if (arrays.writes_keys) writes.push_back(of(arrays.keys, outputs, key_bytes, "the first keys"));
        if (arrays.index_bytes > 0) writes.push_back(of(arrays.indices, outputs, arrays.index_bytes, "the indices"));
        if (const grid::value_array& values = arrays.values[0]; values.bytes > 0) {
            reads.push_back(of(values.in, n, values.bytes, "the values"));
            writes.push_back(of(values.out, outputs, values.bytes, "the first values"));
        }
    }
};

template <class Stored>
void top_k_stored(const TopK& top, const TypeInfo& key, const sort_options& options, const Arguments& arguments) {
    const detail::BitRange bits = bit_range(top.call, key, options);
    const item_count &n = arguments.n(), &k = arguments.k();
    if (k.bound() > n.bound())
        throw error(errc::invalid_argument, top.call,
                    "k is " + std::to_string(k.bound()) + ", but there are " + std::to_string(n.bound()) + " keys");
    Regions regions(top, key.bytes, k.bound() > 0 ? n.bound() : 0, k.bound());
    if (k.on_device()) regions.reads.push_back({k.on_device(), sizeof(std::uint64_t), "kogge_exec.k_on_device"});
    const exec& how = arguments.how();
    const detail::RunsOn where = detail::check_call(top.call, how, n, regions.reads, regions.writes);
    if (k.bound() == 0) return;
    const auto* const in = static_cast<const Stored*>(top.keys);
    const detail::NumberCodec<Stored> codec = codec_of<Stored>(key, options);
    if (where == backend::host) {
        require_host_count(top.call, n);
        require_host_count(top.call, k);
        return host::top_k(in, n.bound(), k.bound(), codec, bits.begin, bits.end, top.arrays, how.host_threads);
    }
    with_device_codec(codec, merges_keys(key, options), [&](const auto& of_device) {
        grid::device_top_k<grid::LibraryCode>(top.call, in, n, k, of_device, bits, top.arrays, how);
    });
}

void run(const TopK& top, std::uint64_t n, std::uint64_t k, const kogge_sort_options* options,
         const kogge_exec* given) {
    const TypeInfo key = number_of(top.call, top.key_type, "keys");
    const sort_options by = sort_options_of(top.call, options, descending);
    const Arguments arguments(top.call, given, n, k);
    with_unsigned(key.bytes, [&]<class Stored>(Stored) { top_k_stored<Stored>(top, key, by, arguments); });
}

template <class Stored>
void segmented_top_k_stored(const TopK& top, const TypeInfo& key, const Segments& of, std::uint64_t k,
                            const sort_options& options, const Arguments& arguments) {
    const detail::BitRange bits = bit_range(top.call, key, options);
    const item_count& n = arguments.n();
    const detail::SegmentBounds& bounds = of.bounds;
    const std::uint64_t segments = bounds.most, length = bounds.length;
    if (!bounds.begins.first && segments > 0 && k > length)
        throw error(errc::invalid_argument, top.call,
                    "k is " + std::to_string(k) + ", but a row has " + std::to_string(length) + " keys");
    const bool any = k > 0 && segments > 0;
    Regions regions(top, key.bytes, any ? n.bound() : 0,
                    any ? detail::bytes_of(top.call, segments, static_cast<std::size_t>(k)) : 0);
    regions.reads.push_back(of.offsets);
    const exec& how = arguments.how();
    const detail::RunsOn where = detail::check_call(top.call, how, n, regions.reads, regions.writes);
    if (!any || n.bound() == 0) return;
    const auto* const in = static_cast<const Stored*>(top.keys);
    const detail::NumberCodec<Stored> codec = codec_of<Stored>(key, options);
    if (where == backend::host) {
        require_host_count(top.call, n);
        const auto bounds_of = [bounds, all = n.bound()](std::uint64_t s) { return bounds.interval(s, all); };
        return host::segmented_top_k(in, n.bound(), segments, bounds_of, k, nullptr, codec, bits.begin, bits.end,
                                     top.arrays, how.host_threads);
    }
    with_device_codec(codec, merges_keys(key, options), [&](const auto& of_device) {
        grid::device_segmented_top_k<grid::LibraryCode>(top.call, in, n, {bounds}, k, nullptr, of_device, bits,
                                                        top.arrays, how);
    });
}

void run_segmented(const TopK& top, const std::uint64_t* offsets, std::uint64_t n, std::uint64_t segments,
                   std::uint64_t k, const kogge_sort_options* options, const kogge_exec* given) {
    const TypeInfo key = number_of(top.call, top.key_type, "keys");
    if (key.bytes > 8) report_type(top.call, top.key_type, "keys");
    const sort_options by = sort_options_of(top.call, options, descending);
    const Arguments arguments(top.call, given, n);
    const Segments of = segments_of(top.call, offsets, arguments.n(), segments);
    const auto stored = [&]<class Stored>(Stored) {
        if constexpr (sizeof(Stored) <= 8) segmented_top_k_stored<Stored>(top, key, of, k, by, arguments);
    };
    with_unsigned(key.bytes, stored);
}

}  // namespace
}  // namespace kogge::c

using kogge::c::guard;
using kogge::c::TopK;

kogge_status kogge_top_k(const void* keys, kogge_type key_type, void* keys_out, uint64_t n, uint64_t k,
                         const kogge_sort_options* options, const kogge_exec* exec) {
    const char* const call = "top_k";
    return guard(call, [&] {
        kogge::c::run({call, keys, key_type, {.keys = keys_out, .writes_keys = true}}, n, k, options, exec);
    });
}

kogge_status kogge_top_k_pairs(const void* keys, kogge_type key_type, const void* values, kogge_type value_type,
                               void* keys_out, void* values_out, uint64_t n, uint64_t k,
                               const kogge_sort_options* options, const kogge_exec* exec) {
    const char* const call = "top_k_pairs";
    return guard(call, [&] {
        TopK top{call, keys, key_type, {.keys = keys_out, .writes_keys = true}};
        kogge::c::add_values(top, values, value_type, values_out, n);
        kogge::c::run(top, n, k, options, exec);
    });
}

kogge_status kogge_arg_top_k(const void* keys, kogge_type key_type, void* keys_out, void* indices,
                             kogge_type index_type, uint64_t n, uint64_t k, const kogge_sort_options* options,
                             const kogge_exec* exec) {
    const char* const call = "arg_top_k";
    return guard(call, [&] {
        TopK top{call, keys, key_type, {.keys = keys_out, .writes_keys = keys_out != nullptr}};
        kogge::c::add_indices(top, indices, index_type, n);
        kogge::c::run(top, n, k, options, exec);
    });
}

kogge_status kogge_segmented_top_k(const void* keys, kogge_type key_type, const void* values, kogge_type value_type,
                                   const uint64_t* offsets, void* keys_out, void* values_out, void* indices,
                                   kogge_type index_type, uint64_t n, uint64_t segments, uint64_t k,
                                   const kogge_sort_options* options, const kogge_exec* exec) {
    const char* const call = "segmented_top_k";
    return guard(call, [&] {
        TopK top{call, keys, key_type, {.keys = keys_out, .writes_keys = keys_out != nullptr}};
        if (values_out) kogge::c::add_values(top, values, value_type, values_out, n);
        if (indices) kogge::c::add_indices(top, indices, index_type, n);
        if (!keys_out && !values_out && !indices && n > 0 && k > 0 && segments > 0)
            throw kogge::error(kogge::errc::invalid_argument, call, "no output is given");
        kogge::c::run_segmented(top, offsets, n, segments, k, options, exec);
    });
}
