// Keys by their rank: of an array, and of each of its segments.
#include "c/arguments.hpp"
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
        if (kogge_type_bytes(key_type) > 8) kogge::c::report_type(call, key_type, "keys");
        const Arguments arguments(call, exec, n);
        const kogge::c::Segments of = kogge::c::segments_of(call, offsets, arguments.n(), segments);
        kogge::c::with_keys(call, keys, key_type, out, options, [&]<class Key>(const Key* from, Key* to, auto by) {
            if constexpr (sizeof(Key) <= 8)
                kogge::detail::run_segmented_select(call, from, to, arguments.n(), of, ranks != nullptr, ranks, rank,
                                                    by, arguments.how());
        });
    });
}
