// Reductions by key: the first key of each run of equal neighbouring keys, the fold of the run's values, and the number
// of runs, in one pass.
//
//   items        keys[0 … n) and values[0 … n) → keys_out[0 … runs) and sums[0 … runs). Keys and values are each a
//                pointer, or any copyable object with operator[](uint64) (counting, a constant, a transform), which on
//                the device is copied into a kernel. keys_out is a pointer, or any copyable object with operator[]
//                whose results take a key: one that forgets them leaves the sums alone. Keys in several arrays, equal
//                where all of them are, are kogge::arrays(a, b, …), and so is then keys_out, or forgets them.
//   runs         a run begins where equal(keys[i − 1], keys[i]) is false. Equality is called with neighbours only, any
//                number of times.
//   accumulator  sums are accumulated in their own type. The operator is associative; it need not commute.
//   aliasing     outputs overlap neither inputs nor each other, or errc::overlap. They have room for as many items as
//                there are runs. Only their beginnings are checked: that they do not run into what stands behind them
//                is the caller's to see to.
//   number       a form without a place for the number of runs returns it and waits for it (it synchronises
//                exec.stream). With a pointer to an integer behind the other outputs it writes the number there and
//                returns as soon as the work is queued, and with kogge::discard writes none; with a kogge::count_at it
//                writes, waits, and returns it. Forms that wait throw invalid_argument while the stream is being
//                captured.
//   order        the association of a sum depends on n, the types, the device model and the number of its
//                multiprocessors that the stream is limited to (on the host on the types alone): the same bits from run
//                to run, floating point included.
//   scratch      on the device as the plan says (plan_reduce_by_key); on the host none that grows with n.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a device_count on the
//                host), overlap, unreachable, out_of_memory, not_built (on the device these calls need a file compiled
//                by nvcc). On the host also what the functions throw; then the outputs are unspecified.
//   method       a scan by key whose sums carry the number of runs, and whose results are stored where a run ends; see
//                reduce/by_key_launch.cuh.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kogge/calls/reduce.hpp"
#include "kogge/detail/key_arrays.hpp"
#include "kogge/detail/keyed_items.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/reduce_by_key.hpp"
#include "kogge/operators.hpp"
#include "kogge/partition.hpp"
#include "kogge/plan.hpp"
#include "kogge/types/counts.hpp"
#if KOGGE_KERNELS
#include "kogge/reduce/by_key_launch.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// Keys or values in the form that kernels and host threads take.
template <class In>
auto carried_sequence(const In& in) {
    if constexpr (std::is_pointer_v<In>) {
        return carry(read_only(in));
    } else {
        static_assert(is_plain_item<item_of<In>>,
                      "items of what is no array are trivially copyable and have a default");
        return in;
    }
}
template <class Out>
auto carried_output(const Out& out) {
    if constexpr (std::is_pointer_v<Out>) return carry(out);
    else return out;
}

template <class Keys, class Values, class KeysOut, class Sum, class Op, class Equal, count_place Place>
count_result<Place> reduce_by_key(const Keys& keys, const Values& values, const KeysOut& keys_out, Sum* sums,
                                  const Place& place, const item_count& n, const Op& op, const Equal& equal,
                                  const exec& how) {
    check_keys<Keys, KeysOut, Equal>();
    const auto own_keys = keys_from(keys);
    const auto own_keys_out = keys_to(keys_out);
    using Key = item_of<std::remove_const_t<decltype(own_keys)>>;
    static_assert(travels_as_bytes<Key> && travels_as_bytes<item_of<Values>> && travels_as_bytes<Sum>,
                  "items and sums travel as bytes: see kogge::travels_as_bytes");
    static_assert(!std::is_const_v<Sum>, "sums are not const: they are written");
    check_function<Sum, Op, Sum, Sum>();
    check_function<bool, Equal, Key, Key>();
    const char* const call = "reduce_by_key";
    std::vector<Region> reads{input_region(call, values, n.bound(), "values")};
    add_key_regions(reads, call, keys, n.bound(), "keys");
    std::vector<Region> writes{{sums, bytes_of(call, n.bound(), sizeof(Sum)), "sums"}};
    add_key_regions(writes, call, keys_out, n.bound(), "keys_out");
    for (Region& output : writes) output = open_ended(output, n.bound());
    writes.push_back(count_region(call, place, n.bound()));
    const RunsOn where = check_call(call, how, n, reads, writes);
    return find_count(call, where, n.bound() == 0, place, how, [&](std::uint64_t* runs) {
        const auto of_keys = carried_sequence(own_keys);
        const auto of_values = carried_sequence(values);
        const auto to_keys = carried_output(own_keys_out);
        const auto join = on_carried<Sum>(op);
        const auto same = on_carried<Key>(equal);
        if (where == backend::host) {
            require_host_count(call, n);
            *runs = 0;
            if constexpr (runs_on_host<Keys> && runs_on_host<Values> && runs_on_host<Op> && runs_on_host<Equal>) {
                const host::CallerFunctions functions(call);
                *runs = host::reduce_by_key(of_keys, of_values, to_keys, carry(sums), n.bound(), join, same,
                                            how.host_threads);
            } else if (n.bound() > 0) {
                report_device_only(call);
            }
            return;
        }
#if KOGGE_KERNELS
        grid::device_reduce_by_key(call, of_keys, of_values, to_keys, carry(sums), runs, n, join, same, how);
#else
        report_not_built(call);
#endif
    });
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Returns the number of runs, and waits for it.
template <class Keys, class Values, class KeysOut, class Sum, detail::no_exec Op = plus,
          detail::no_exec Equal = equal_to>
std::uint64_t reduce_by_key(Keys keys, Values values, KeysOut keys_out, Sum* sums, item_count n, Op op = {},
                            Equal equal = {}, const exec& how = {}) {
    return detail::reduce_by_key(keys, values, keys_out, sums, detail::NoPlace{}, n, op, equal, how);
}
template <class Keys, class Values, class KeysOut, class Sum, detail::no_exec Op>
std::uint64_t reduce_by_key(Keys keys, Values values, KeysOut keys_out, Sum* sums, item_count n, Op op,
                            const exec& how) {
    return detail::reduce_by_key(keys, values, keys_out, sums, detail::NoPlace{}, n, op, equal_to{}, how);
}
template <class Keys, class Values, class KeysOut, class Sum>
std::uint64_t reduce_by_key(Keys keys, Values values, KeysOut keys_out, Sum* sums, item_count n, const exec& how) {
    return detail::reduce_by_key(keys, values, keys_out, sums, detail::NoPlace{}, n, plus{}, equal_to{}, how);
}

/// With a place for the number of runs.
template <class Keys, class Values, class KeysOut, class Sum, detail::count_place Runs, detail::no_exec Op = plus,
          detail::no_exec Equal = equal_to>
detail::count_result<Runs> reduce_by_key(Keys keys, Values values, KeysOut keys_out, Sum* sums, Runs runs, item_count n,
                                         Op op = {}, Equal equal = {}, const exec& how = {}) {
    return detail::reduce_by_key(keys, values, keys_out, sums, runs, n, op, equal, how);
}
template <class Keys, class Values, class KeysOut, class Sum, detail::count_place Runs, detail::no_exec Op>
detail::count_result<Runs> reduce_by_key(Keys keys, Values values, KeysOut keys_out, Sum* sums, Runs runs, item_count n,
                                         Op op, const exec& how) {
    return detail::reduce_by_key(keys, values, keys_out, sums, runs, n, op, equal_to{}, how);
}
template <class Keys, class Values, class KeysOut, class Sum, detail::count_place Runs>
detail::count_result<Runs> reduce_by_key(Keys keys, Values values, KeysOut keys_out, Sum* sums, Runs runs, item_count n,
                                         const exec& how) {
    return detail::reduce_by_key(keys, values, keys_out, sums, runs, n, plus{}, equal_to{}, how);
}

}  // namespace kogge::KOGGE_CODE
