// The first k of n keys, and of each segment.
#include "c/arguments.hpp"
#include "c/checks.hpp"
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

void add_values(TopK& top, const void* values, kogge_type type, void* values_out) {
    const TypeInfo value = item_of(top.call, type, "values");
    top.arrays.values[0] = {values, values_out, value.bytes, value.alignment};
}

void add_indices(TopK& top, void* indices, kogge_type type, std::uint64_t n) {
    top.arrays.index_bytes = index_bytes(top.call, type, "the indices");
    check_indices(top.call, type, n);
    top.arrays.indices = indices;
}

void run(const TopK& top, std::uint64_t n, std::uint64_t k, const kogge_sort_options* options,
         const kogge_exec* given) {
    number_of(top.call, top.key_type, "keys");
    const sort_options by = sort_options_of(top.call, options, descending);
    const Arguments arguments(top.call, given, n, k);
    with_number(top.key_type, [&]<class Key>(Key) {
        detail::run_top_k(top.call, static_cast<const Key*>(top.keys), arguments.n(), arguments.k(), top.arrays, by,
                          arguments.how());
    });
}

void run_segmented(const TopK& top, const std::uint64_t* offsets, std::uint64_t n, std::uint64_t segments,
                   std::uint64_t k, const kogge_sort_options* options, const kogge_exec* given) {
    const TypeInfo key = number_of(top.call, top.key_type, "keys");
    if (key.bytes > 8) report_type(top.call, top.key_type, "keys");
    const sort_options by = sort_options_of(top.call, options, descending);
    const Arguments arguments(top.call, given, n);
    const Segments of = segments_of(top.call, offsets, arguments.n(), segments);
    with_number(top.key_type, [&]<class Key>(Key) {
        if constexpr (sizeof(Key) <= 8)
            detail::run_segmented_top_k(top.call, static_cast<const Key*>(top.keys), arguments.n(), of, k, top.arrays,
                                        by, arguments.how());
    });
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
        kogge::c::add_values(top, values, value_type, values_out);
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
        if (values_out) kogge::c::add_values(top, values, value_type, values_out);
        if (indices) kogge::c::add_indices(top, indices, index_type, n);
        if (!keys_out && !values_out && !indices && n > 0 && k > 0 && segments > 0)
            throw kogge::error(kogge::errc::invalid_argument, call, "no output is given");
        kogge::c::run_segmented(top, offsets, n, segments, k, options, exec);
    });
}
