// Prefix sums, from the first item on or from the last.
#include "kogge/scan.hpp"
#include "c/guard.hpp"
#include "c/scan_types.hpp"

kogge_status kogge_scan(const void* in, kogge_type type, void* out, kogge_type out_type, uint64_t n,
                        const kogge_scan_options* options, const kogge_exec* exec) {
    const char* const call = "scan";
    return kogge::c::guard(call, [&] {
        const kogge_scan_options by = kogge::c::scan_options_of(call, options);
        const kogge::c::Arguments arguments(call, exec, n);
        kogge::c::with_scan(call, type, out_type, by.op, [&]<class T, class Sum>(T, Sum) {
            const auto* const from = static_cast<const T*>(in);
            auto* const to = static_cast<Sum*>(out);
            const kogge::item_count& count = arguments.n();
            const kogge::detail::RunsOn where = kogge::detail::check_scan(call, from, to, count, arguments.how());
            const auto scan = [&](const auto& items, const auto& op) {
                const Sum init = kogge::c::init_of<Sum>(by, op);
                const Sum* const start = by.exclusive || by.init ? &init : nullptr;
                kogge::detail::run_scan<Sum>(call, where, items, to, count, op, start, !by.exclusive,
                                             kogge::scan_options{}, arguments.how());
            };
            if (by.reverse)
                scan(kogge::detail::Reversed<const T*>{from, count.bound(), count.on_device()},
                     kogge::c::AnyOperator{by.op});
            else kogge::c::with_operator<T, Sum>(by.op, [&](const auto& op) { scan(from, op); });
        });
    });
}
