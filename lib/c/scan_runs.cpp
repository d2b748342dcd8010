// Scans of runs of equal keys, and of segments. What tells where a run begins is chosen at run time, so that there is
// one function for each type of items, whatever the keys are.
#include <algorithm>

#include "c/any_items.hpp"
#include "c/checks.hpp"
#include "c/guard.hpp"
#include "c/sums.hpp"
#include "c/told.hpp"
#include "kogge/scan.hpp"

namespace kogge::c {
namespace {

/// Where runs begin: where neighbouring keys differ, or at offsets.
struct Heads {
    AnyItems keys;  ///< null: at offsets
    AnyEqual equal;
    const std::uint64_t* offsets;
    std::uint64_t segments;

    bool starts(std::uint64_t i) const {
        if (i == 0) return true;
        return keys.first ? !equal(keys[i - 1], keys[i]) : std::binary_search(offsets, offsets + segments, i);
    }
};

/// The input of a flagged scan. Where it is shifted, for an exclusive scan, each place holds the item before it, and
/// each head the initial value.
template <class T, class Sum>
struct RunsOf {
    const T* in;
    Heads heads;
    bool shifted;
    Sum init;

    detail::Flagged<Sum> operator[](std::uint64_t i) const {
        const bool head = heads.starts(i);
        if (!shifted) return {static_cast<Sum>(in[i]), head};
        return {head ? init : static_cast<Sum>(in[i - 1]), head};
    }
};

/// A scan's arrays; `runs` are the keys or the offsets.
struct RunsScan {
    const char* call;
    Heads heads;
    TypeInfo key;
    detail::Region runs;
    const void* in;
    kogge_type type;
    void* out;
    kogge_type out_type;
};

template <class T, class Sum>
void run_on_device(const RunsScan& scan, const item_count& n, const kogge_scan_options& by, const exec& how) {
    const auto run = [&](const grid::ToldKeys& keys, const grid::ToldEqual& equal) {
        const Sum init = init_of<Sum>(by.init, AnyOperator{by.op});
        grid::told_scan(scan.call, {keys, equal, scan.heads.offsets, scan.heads.segments},
                        told_items<T, Sum>(static_cast<const T*>(scan.in)), told_sums<Sum>(scan.out), n,
                        told_operator<Sum>(by.op), !by.exclusive, std::bit_cast<told_sum<Sum>>(init), how);
    };
    if (n.bound() == 0) return;
    if (scan.heads.keys.first) with_told_keys(scan.call, scan.heads.keys.first, scan.key, run);
    else run({}, {});
}

void run(const RunsScan& scan, std::uint64_t n, const kogge_scan_options* options, const kogge_exec* given) {
    const char* const call = scan.call;
    const kogge_scan_options by = scan_options_of(call, options);
    if (by.reverse) throw error(errc::invalid_argument, call, "kogge_scan_options.reverse is for kogge_scan alone");
    if (by.init && !by.exclusive)
        throw error(errc::invalid_argument, call, "kogge_scan_options.init is for exclusive scans alone");
    const Arguments arguments(call, given, n);
    const exec& how = arguments.how();
    with_sums(call, "scans", scan.type, scan.out_type, by.op, [&]<class T, class Sum>(T, Sum) {
        const detail::Region items{scan.in, detail::bytes_of(call, n, sizeof(T)), "in"};
        const detail::Region results{scan.out, detail::bytes_of(call, n, sizeof(Sum)), "out"};
        const std::size_t in_place = !by.exclusive && sizeof(T) == sizeof(Sum) ? 1 : 0;
        const detail::RunsOn where =
            detail::check_call(call, how, arguments.n(), {items, scan.runs}, {results}, in_place);
        if (where != backend::host) return run_on_device<T, Sum>(scan, arguments.n(), by, how);
        require_host_count(call, arguments.n());
        if (!scan.heads.keys.first) check_offsets(call, scan.heads.offsets, scan.heads.segments);
        if (n == 0) return;
        using In = RunsOf<T, Sum>;
        using Out = detail::FlaggedResult<Sum>*;
        using Op = detail::FlaggedOperator<AnyOperator>;
        const AnyOperator op{by.op};
        const In in{static_cast<const T*>(scan.in), scan.heads, by.exclusive != 0, init_of<Sum>(by.init, op)};
        const Out out = static_cast<Out>(scan.out);
        const detail::Flagged<Sum> first = in[0];
        out[0] = detail::FlaggedResult<Sum>(first);
        host::detail::Scanner<true, detail::FlaggedResult<Sum>, detail::Flagged<Sum>, In, Out, Op>{in, out, Op{op}}.run(
            1, n, first, how.host_threads);
    });
}

}  // namespace
}  // namespace kogge::c

kogge_status kogge_scan_by_key(const void* keys, kogge_type key_type, const void* in, kogge_type type, void* out,
                               kogge_type out_type, uint64_t n, const kogge_scan_options* options,
                               const kogge_exec* exec) {
    const char* const call = "scan_by_key";
    return kogge::c::guard(call, [&] {
        const kogge::c::TypeInfo key = kogge::c::number_of(call, key_type, "keys");
        const kogge::detail::Region region{keys, kogge::detail::bytes_of(call, n, key.bytes), "keys"};
        const kogge::c::Heads heads{{keys, key.bytes}, {key_type}, nullptr, 0};
        kogge::c::run({call, heads, key, region, in, type, out, out_type}, n, options, exec);
    });
}

kogge_status kogge_segmented_scan(const void* in, kogge_type type, const uint64_t* offsets, void* out,
                                  kogge_type out_type, uint64_t n, uint64_t segments, const kogge_scan_options* options,
                                  const kogge_exec* exec) {
    const char* const call = "segmented_scan";
    return kogge::c::guard(call, [&] {
        const kogge::detail::Region region{offsets, kogge::detail::bytes_of(call, segments, sizeof(std::uint64_t)),
                                           "offsets"};
        kogge::c::run({call, {{}, {}, offsets, segments}, {}, region, in, type, out, out_type}, n, options, exec);
    });
}
