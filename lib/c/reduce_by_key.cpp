// Reductions of runs of equal keys. Keys and operators are told at run time, so that there is one function for each
// pair of items and sums.
#include "kogge/host/reduce_by_key.hpp"
#include "c/any_items.hpp"
#include "c/checks.hpp"
#include "c/guard.hpp"
#include "c/sums.hpp"
#include "c/told.hpp"
#include "kogge/exec.hpp"
#include "kogge/types/counts.hpp"

kogge_status kogge_reduce_by_key(const void* keys, kogge_type key_type, const void* values, kogge_type type,
                                 void* keys_out, void* sums, kogge_type sum_type, uint64_t* runs, uint64_t n,
                                 kogge_operator op, const kogge_exec* exec) {
    const char* const call = "reduce_by_key";
    return kogge::c::guard(call, [&] {
        const kogge::c::TypeInfo key = kogge::c::number_of(call, key_type, "keys");
        kogge::c::check_operator(call, "the operator", op);
        const kogge::c::Arguments arguments(call, exec, n);
        kogge::c::with_sums(call, "reductions", type, sum_type, op, [&]<class T, class Sum>(T, Sum) {
            const auto region = [&](const void* data, std::size_t bytes, const char* name) {
                return kogge::detail::Region{data, kogge::detail::bytes_of(call, n, bytes), name};
            };
            const bool far = kogge::c::is_far(call, runs, "the number of runs", values);
            const kogge::detail::RunsOn where =
                kogge::detail::check_call(call, arguments.how(), arguments.n(),
                                          {region(keys, key.bytes, "keys"), region(values, sizeof(T), "values")},
                                          {open_ended(region(keys_out, key.bytes, "keys_out"), n),
                                           open_ended(region(sums, sizeof(Sum), "sums"), n),
                                           {runs, far ? 0 : sizeof(std::uint64_t), "the number of runs"}});
            if (where != kogge::backend::host) {
                const auto reduce = [&](const kogge::grid::ToldKeys& of, const kogge::grid::ToldEqual& equal) {
                    kogge::c::deliver(call, runs, "the number of runs", values, [&](const auto& place) {
                        return kogge::detail::find_count(
                            call, where, n == 0, place, arguments.how(), [&](std::uint64_t* total) {
                                kogge::grid::told_reduce_by_key(
                                    call, of, equal, kogge::c::told_items<T, Sum>(static_cast<const T*>(values)),
                                    {keys_out, of.bytes}, kogge::c::told_sums<Sum>(sums), total, arguments.n(),
                                    kogge::c::told_operator<Sum>(op), arguments.how());
                            });
                    });
                };
                return kogge::c::with_told_keys(call, keys, key, reduce);
            }
            kogge::c::require_host_count(call, arguments.n());
            *runs = kogge::host::reduce_by_key(kogge::c::AnyItems{keys, key.bytes}, static_cast<const T*>(values),
                                               kogge::c::AnyPlaces{keys_out, key.bytes}, static_cast<Sum*>(sums), n,
                                               kogge::c::AnyOperator{op}, kogge::c::AnyEqual{key_type},
                                               arguments.how().host_threads);
        });
    });
}
