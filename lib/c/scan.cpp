// Prefix sums, from the first item on or from the last.
#include <bit>

#include "c/guard.hpp"
#include "c/sums.hpp"
#include "c/told.hpp"
#include "kogge/reverse_scan.hpp"

namespace kogge::c {
namespace {

/// Calls scan(op, start): from the initial value, if there is one, or if the scan is exclusive.
template <class Sum, class Op, class Scan>
void with_start(const kogge_scan_options& by, const Op& op, const Scan& scan) {
    const Sum init = init_of<Sum>(by.init, op);
    if (by.exclusive || by.init) scan(op, &init);
    else scan(op, detail::no_init);
}

template <class T, class Sum>
void scan_from_the_end(const char* call, const T* in, Sum* out, const item_count& n, const kogge_scan_options& by,
                       const exec& how) {
    const AnyOperator any{by.op};
    const detail::RunsOn where = detail::check_scan<Sum>(call, in, out, n, how);
    if (where == backend::host) {
        with_start<Sum>(by, any, [&](const auto& op, const auto* start) {
            detail::reverse_scan(call, in, out, n, op, start, !by.exclusive, scan_options{}, how);
        });
    } else if (n.bound() > 0) {
        using Word = told_sum<Sum>;
        const grid::Carry<Word> start{std::bit_cast<Word>(init_of<Sum>(by.init, any)), by.exclusive || by.init};
        grid::told_reverse_scan(call, told_items<T, Sum>(in), told_sums<Sum>(out), n, told_operator<Sum>(by.op),
                                !by.exclusive, start, how);
    }
}

}  // namespace
}  // namespace kogge::c

kogge_status kogge_scan(const void* in, kogge_type type, void* out, kogge_type out_type, uint64_t n,
                        const kogge_scan_options* options, const kogge_exec* exec) {
    const char* const call = "scan";
    return kogge::c::guard(call, [&] {
        const kogge_scan_options by = kogge::c::scan_options_of(call, options);
        const kogge::c::Arguments arguments(call, exec, n);
        kogge::c::with_sums(call, "scans", type, out_type, by.op, [&]<class T, class Sum>(T, Sum) {
            const auto* const from = static_cast<const T*>(in);
            auto* const to = static_cast<Sum*>(out);
            const kogge::item_count& count = arguments.n();
            const kogge::exec& how = arguments.how();
            if (by.reverse) return kogge::c::scan_from_the_end(call, from, to, count, by, how);
            kogge::c::with_operator<T, Sum>(by.op, [&](const auto& by_operator) {
                kogge::c::with_start<Sum>(by, by_operator, [&](const auto& op, const auto* start) {
                    kogge::detail::scan(call, from, to, count, op, start, !by.exclusive, kogge::scan_options{}, how);
                });
            });
        });
    });
}
