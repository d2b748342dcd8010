// Prefix sums, from the first item on or from the last.
#include "c/guard.hpp"
#include "c/sums.hpp"
#include "kogge/reverse_scan.hpp"

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
            const kogge::scan_options plain{};
            const bool inclusive = !by.exclusive;
            const auto with_start = [&](const auto& op, const auto& scan) {
                const Sum init = kogge::c::init_of<Sum>(by.init, op);
                if (by.exclusive || by.init) scan(op, &init);
                else scan(op, kogge::detail::no_init);
            };
            if (by.reverse)
                with_start(kogge::c::AnyOperator{by.op}, [&](const auto& op, const auto* start) {
                    kogge::detail::reverse_scan(call, from, to, count, op, start, inclusive, plain, how);
                });
            else
                kogge::c::with_operator<T, Sum>(by.op, [&](const auto& by_operator) {
                    with_start(by_operator, [&](const auto& op, const auto* start) {
                        kogge::detail::scan(call, from, to, count, op, start, inclusive, plain, how);
                    });
                });
        });
    });
}
