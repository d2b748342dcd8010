// Runs of equal neighbours: unique, unique_by_key and run_length_encode. A run begins where equal(in[i − 1], in[i]) is
// false. All keep the order of the input.
//
// Shared by all of them
//
// Equality is called with neighbours only, any number of times, and must give the same answer each time. It need not be
// transitive: each item is compared with the item before it, not with the first of its run.
//
// Inputs are pointers, or anything with operator[]; so are outputs, except lengths, and they may be of types that items
// convert to. Keys in several arrays, equal where all of them are, are kogge::arrays(a, b, …); their outputs are as
// many arrays, not in place, or a kogge::discard.
//
// Memory: outputs overlap neither the input nor each other, except that unique and unique_by_key may be in place: an
// output may be its input. Then items past the runs are unspecified. Outputs have room for as many items as there are
// runs. Only their beginnings are checked: that they do not run into what stands behind them is the caller's to see to.
// What is no pointer reads nothing that the call writes.
//
// Counts: a form without a place for the number of runs returns it and waits for it (it synchronises exec.stream). With
// a pointer to an integer it writes the number there, where the data is, and returns as soon as the work is queued;
// with kogge::discard it writes none. With a kogge::count_at it writes the number there, waits, and returns it. While
// the stream is being captured, forms that wait throw invalid_argument.
//
// Throws kogge::error before anything is changed: invalid_argument (null with items), overlap, unreachable,
// out_of_memory, not_built (on the device these calls need a file compiled by nvcc).
//
// Method: compaction of the items that begin a run (partition.hpp). A run's length is the distance to the beginning of
// the next run; see runs/launch.cuh. On the device the calls take scratch as plan_runs says; unique_by_key in place is
// a compaction of two arrays, and reads all values (plan_compact_arrays).
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kogge/compact_arrays.hpp"
#include "kogge/detail/inputs.hpp"
#include "kogge/detail/key_arrays.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/runs.hpp"
#include "kogge/operators.hpp"
#include "kogge/partition.hpp"
#include "kogge/types/counts.hpp"
#if KOGGE_KERNELS
#include "kogge/runs/launch.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// An equality, as distinguished from other arguments at the same position.
template <class Equal>
concept equality = !count_place<Equal> && !std::is_same_v<Equal, exec>;

// The outputs of the calls per run. runs/warp_runs.cuh documents the members. operator() and finish() serve host
// threads and the device's kernels for any type, which pass the run's head and the head before it.

/// A compaction's decision to keep the first item of each run.
template <class Item, class In, class Equal>
struct FirstOfRun {
    In in;
    Equal equal;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i, const Item& item) const {
        return i == 0 || !static_cast<bool>(equal(item_at<Item>(in, i - 1), item));
    }
};
/// The same about items of any array.
template <class Item, class Equal>
struct FirstOfKeys {
    const Item* keys;
    Equal equal;
    template <class Any>
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i, const Any&) const {
        return i == 0 || !static_cast<bool>(equal(keys[i - 1], keys[i]));
    }
};

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge {
template <class Item, class In, class Equal>
inline constexpr bool runs_on_host<detail::FirstOfRun<Item, In, Equal>> = runs_on_host<Equal>;
template <class Item, class Equal>
inline constexpr bool runs_on_host<detail::FirstOfKeys<Item, Equal>> = runs_on_host<Equal>;
}  // namespace kogge

namespace kogge::detail::KOGGE_CODE {

/// Writes each run's first item.
template <class Out>
struct WriteItems {
    static constexpr runs_output kOutput = runs_output::items;
    Out out;
};

/// Writes each run's first key, and the value beside it.
template <class Keys, class Values, class Out, class ValuesOut>
struct WriteFirsts {
    static constexpr runs_output kOutput = runs_output::values;
    static constexpr bool kOnHost = runs_on_host<Values> && runs_on_host<Out> && runs_on_host<ValuesOut>;
    using Value = item_of<Values>;
    Keys keys;
    Values values;
    Out out;
    ValuesOut values_out;
    KOGGE_HOST_DEVICE Value beside(std::uint64_t head) const { return item_at<Value>(values, head); }
    KOGGE_HOST_DEVICE void put(std::uint64_t run, const Value& value) const { put_item(values_out, run, value); }
    KOGGE_HOST_DEVICE void operator()(std::uint64_t run, std::uint64_t head, std::uint64_t) const {
        put_item(out, run, item_at<item_of<Keys>>(keys, head));
        put(run, beside(head));
    }
    KOGGE_HOST_DEVICE void finish(std::uint64_t, std::uint64_t, std::uint64_t) const {}
};

/// Writes each run's first item and its length, which is known where the next run begins. Until then the length's place
/// may hold the run's start, truncated to the bits of a length.
template <class In, class Out, class Length>
struct WriteLengths {
    static constexpr runs_output kOutput = runs_output::lengths;
    static constexpr bool kOnHost = runs_on_host<Out>;
    In in;
    Out out;
    Length* lengths;
    KOGGE_HOST_DEVICE void set_length(std::uint64_t run, std::uint64_t length) const {
        lengths[run] = static_cast<Length>(length);
    }
    KOGGE_HOST_DEVICE void set_start(std::uint64_t run, std::uint64_t head) const { set_length(run, head); }
    KOGGE_HOST_DEVICE void end_at(std::uint64_t run, std::uint64_t next) const {
        set_length(run, next - static_cast<std::uint64_t>(lengths[run]));
    }
    KOGGE_HOST_DEVICE void operator()(std::uint64_t run, std::uint64_t head, std::uint64_t previous) const {
        put_item(out, run, item_at<item_of<In>>(in, head));
        if (run > 0) set_length(run - 1, head - previous);
    }
    KOGGE_HOST_DEVICE void finish(std::uint64_t runs, std::uint64_t last, std::uint64_t n) const {
        if (runs > 0) set_length(runs - 1, n - last);
    }
};

/// Keys, and what `write` has, as they are carried.
template <class In, class Equal, class Write, count_place Place>
count_result<Place> run_runs(const char* call, backend where, const In& keys, const item_count& n, const Equal& equal,
                             const Write& write, const Place& place, const exec& how) {
    return find_count(call, where, n.bound() == 0, place, how, [&](std::uint64_t* runs) {
        if (where == backend::host) {
            require_host_count(call, n);
            *runs = 0;
            if constexpr (runs_on_host<Equal> && runs_on_host<In> && Write::kOnHost) {
                const host::CallerFunctions functions(call);
                *runs = host::find_runs(keys, n.bound(), equal, write, how.host_threads);
            } else if (n.bound() > 0) {
                report_device_only(call);
            }
            return;
        }
#if KOGGE_KERNELS
        using Key = item_of<In>;
        const runs_plan plan = plan_runs(n.bound(), {sizeof(Key), Write::kOutput}, simt::properties_of(how.stream));
        grid::device_runs<Key>(call, keys, n, equal, write, runs, plan, how);
#else
        report_not_built(call);
#endif
    });
}

template <class In, class Out, count_place Place, class Equal>
count_result<Place> unique(const In& in, const item_count& n, const Out& out, const Place& place, const Equal& equal,
                           const exec& how) {
    using Item = item_of<In>;
    static_assert(travels_as_bytes<Item>, "items travel as bytes: see kogge::travels_as_bytes");
    check_output<Item, Out>();
    check_function<bool, Equal, Item, Item>();
    const char* const call = "unique";
    const Region to = open_region(call, out, n.bound(), "out");
    const RunsOn where = check_call(call, how, n, {input_region(call, in, n.bound(), "in")},
                                    {to, count_region(call, place, n.bound())}, may_be_in_place<In, Out>() ? 1 : 0);
    const auto items = carry_input(in);
    const auto kept = carry_output(out);
    const auto same = on_carried<Item>(equal);
    using Key = carried<Item>;
    return find_count(call, where, n.bound() == 0, place, how, [&](std::uint64_t* runs) {
#if KOGGE_KERNELS
        if constexpr (sizeof(Key) <= 16)
            if (where == backend::device) {
                const runs_plan plan =
                    plan_runs(n.bound(), {sizeof(Key), runs_output::items}, simt::properties_of(how.stream));
                if (!plan.is<compact_way>()) {
                    const WriteItems<std::remove_const_t<decltype(kept)>> write{kept};
                    return grid::device_runs<Key>(call, items, n, same, write, runs, plan, how);
                }
            }
#endif
        using First = FirstOfRun<Key, std::remove_const_t<decltype(items)>, std::remove_const_t<decltype(same)>>;
        run_compact(call, where, items, n, kept, no_output(kept), runs, First{items, same}, how);
    });
}

/// Whether unique_by_key may be in place, and is.
template <class Keys, class Values, class KeysOut, class ValuesOut>
constexpr bool by_key_in_place() {
    if constexpr (std::is_pointer_v<Keys> && std::is_pointer_v<Values> && std::is_pointer_v<KeysOut> &&
                  std::is_pointer_v<ValuesOut>)
        return std::is_same_v<item_of<Keys>, std::remove_pointer_t<KeysOut>> &&
               std::is_same_v<item_of<Values>, std::remove_pointer_t<ValuesOut>>;
    else return false;
}

template <class Keys, class Values, class KeysOut, class ValuesOut, count_place Place, class Equal>
count_result<Place> unique_by_key(const Keys& given_keys, const Values& values_in, const item_count& n,
                                  const KeysOut& given_keys_out, const ValuesOut& values_out, const Place& place,
                                  const Equal& equal, const exec& how) {
    check_keys<Keys, KeysOut, Equal>();
    const auto keys_in = keys_from(given_keys);
    const auto keys_out = keys_to(given_keys_out);
    using Key = item_of<std::remove_const_t<decltype(keys_in)>>;
    using Value = item_of<Values>;
    static_assert(travels_as_bytes<Key> && travels_as_bytes<Value>,
                  "items travel as bytes: see kogge::travels_as_bytes");
    check_output<Key, std::remove_const_t<decltype(keys_out)>>();
    check_output<Value, ValuesOut>();
    check_function<bool, Equal, Key, Key>();
    constexpr bool may_be_in_place = by_key_in_place<Keys, Values, KeysOut, ValuesOut>();
    const char* const call = "unique_by_key";
    const std::uint64_t bound = n.bound();
    std::vector<Region> reads{input_region(call, values_in, bound, "values_in")};
    add_key_regions(reads, call, given_keys, bound, "keys_in");
    std::vector<Region> writes{output_region(call, values_out, bound, "values_out")};
    add_key_regions(writes, call, given_keys_out, bound, "keys_out");
    for (Region& output : writes) output = open_ended(output, bound);
    writes.push_back(count_region(call, place, bound));
    const RunsOn where = check_call(call, how, n, reads, writes, may_be_in_place ? 2 : 0);
    const auto keys = carry_input(keys_in);
    const auto values = carry_input(values_in);
    const auto to_keys = carry_output(keys_out);
    const auto to_values = carry_output(values_out);
    const auto same = on_carried<Key>(equal);
    if constexpr (may_be_in_place)
        // Then a run's value must be on chip before another run's value takes its place. Null stands for arrays to
        // come.
        if ((keys_in && keys_in == keys_out) || (values_in && values_in == values_out))
            return find_count(call, where, bound == 0, place, how, [&](std::uint64_t* runs) {
                run_compact_arrays(call, where, kogge::arrays(keys, values), kogge::arrays(to_keys, to_values), n, runs,
                                   FirstOfKeys<carried<Key>, std::remove_const_t<decltype(same)>>{keys, same}, how);
            });
    using Write = WriteFirsts<std::remove_const_t<decltype(keys)>, std::remove_const_t<decltype(values)>,
                              std::remove_const_t<decltype(to_keys)>, std::remove_const_t<decltype(to_values)>>;
    return run_runs(call, where, keys, n, same, Write{keys, values, to_keys, to_values}, place, how);
}

template <class In, class Out, class Length, count_place Place, class Equal>
count_result<Place> run_length_encode(const In& in, const item_count& n, const Out& out, Length* lengths,
                                      const Place& place, const Equal& equal, const exec& how) {
    using Item = item_of<In>;
    static_assert(travels_as_bytes<Item>, "items travel as bytes: see kogge::travels_as_bytes");
    check_output<Item, Out>();
    check_function<bool, Equal, Item, Item>();
    static_assert(std::is_integral_v<Length> && !std::is_same_v<Length, bool>, "lengths are integers");
    const char* const call = "run_length_encode";
    const Region firsts = open_region(call, out, n.bound(), "out");
    const Region beside = open_region(call, lengths, n.bound(), "lengths");
    const RunsOn where = check_call(call, how, n, {input_region(call, in, n.bound(), "in")},
                                    {firsts, beside, count_region(call, place, n.bound())});
    const auto items = carry_input(in);
    const auto to = carry_output(out);
    using Write = WriteLengths<std::remove_const_t<decltype(items)>, std::remove_const_t<decltype(to)>, Length>;
    return run_runs(call, where, items, n, on_carried<Item>(equal), Write{items, to, lengths}, place, how);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Keeps the first item of each run: out[0 … runs). Returns the number of runs, and waits for it.
template <detail::item_input In, detail::item_output Out, detail::equality Equal = equal_to>
std::uint64_t unique(In in, Out out, item_count n, Equal equal = {}, const exec& how = {}) {
    return detail::unique(in, n, out, detail::NoPlace{}, equal, how);
}
template <detail::item_input In, detail::item_output Out>
std::uint64_t unique(In in, Out out, item_count n, const exec& how) {
    return detail::unique(in, n, out, detail::NoPlace{}, equal_to{}, how);
}

/// As above, with a place for the number of runs: a pointer to an integer, without waiting, or a count_at.
template <detail::item_input In, detail::item_output Out, detail::count_place Runs, detail::equality Equal = equal_to>
detail::count_result<Runs> unique(In in, Out out, Runs runs, item_count n, Equal equal = {}, const exec& how = {}) {
    return detail::unique(in, n, out, runs, equal, how);
}
template <detail::item_input In, detail::item_output Out, detail::count_place Runs>
detail::count_result<Runs> unique(In in, Out out, Runs runs, item_count n, const exec& how) {
    return detail::unique(in, n, out, runs, equal_to{}, how);
}

/// Keeps the first key of each run of equal keys, and the value beside it. Returns the number of runs, and waits for
/// it.
template <detail::key_input Keys, detail::item_input Values, detail::key_output KeysOut, detail::item_output ValuesOut,
          detail::equality Equal = equal_to>
std::uint64_t unique_by_key(Keys keys_in, Values values_in, KeysOut keys_out, ValuesOut values_out, item_count n,
                            Equal equal = {}, const exec& how = {}) {
    return detail::unique_by_key(keys_in, values_in, n, keys_out, values_out, detail::NoPlace{}, equal, how);
}
template <detail::key_input Keys, detail::item_input Values, detail::key_output KeysOut, detail::item_output ValuesOut>
std::uint64_t unique_by_key(Keys keys_in, Values values_in, KeysOut keys_out, ValuesOut values_out, item_count n,
                            const exec& how) {
    return detail::unique_by_key(keys_in, values_in, n, keys_out, values_out, detail::NoPlace{}, equal_to{}, how);
}
template <detail::key_input Keys, detail::item_input Values, detail::key_output KeysOut, detail::item_output ValuesOut,
          detail::count_place Runs, detail::equality Equal = equal_to>
detail::count_result<Runs> unique_by_key(Keys keys_in, Values values_in, KeysOut keys_out, ValuesOut values_out,
                                         Runs runs, item_count n, Equal equal = {}, const exec& how = {}) {
    return detail::unique_by_key(keys_in, values_in, n, keys_out, values_out, runs, equal, how);
}
template <detail::key_input Keys, detail::item_input Values, detail::key_output KeysOut, detail::item_output ValuesOut,
          detail::count_place Runs>
detail::count_result<Runs> unique_by_key(Keys keys_in, Values values_in, KeysOut keys_out, ValuesOut values_out,
                                         Runs runs, item_count n, const exec& how) {
    return detail::unique_by_key(keys_in, values_in, n, keys_out, values_out, runs, equal_to{}, how);
}

/// Writes the first item of each run to out[0 … runs) and the run's length to lengths[0 … runs), whose type must be
/// able to hold it. Returns the number of runs, and waits for it.
template <detail::item_input In, detail::item_output Out, class Length, detail::equality Equal = equal_to>
std::uint64_t run_length_encode(In in, Out out, Length* lengths, item_count n, Equal equal = {}, const exec& how = {}) {
    return detail::run_length_encode(in, n, out, lengths, detail::NoPlace{}, equal, how);
}
template <detail::item_input In, detail::item_output Out, class Length>
std::uint64_t run_length_encode(In in, Out out, Length* lengths, item_count n, const exec& how) {
    return detail::run_length_encode(in, n, out, lengths, detail::NoPlace{}, equal_to{}, how);
}
template <detail::item_input In, detail::item_output Out, class Length, detail::count_place Runs,
          detail::equality Equal = equal_to>
detail::count_result<Runs> run_length_encode(In in, Out out, Length* lengths, Runs runs, item_count n, Equal equal = {},
                                             const exec& how = {}) {
    return detail::run_length_encode(in, n, out, lengths, runs, equal, how);
}
template <detail::item_input In, detail::item_output Out, class Length, detail::count_place Runs>
detail::count_result<Runs> run_length_encode(In in, Out out, Length* lengths, Runs runs, item_count n,
                                             const exec& how) {
    return detail::run_length_encode(in, n, out, lengths, runs, equal_to{}, how);
}

}  // namespace kogge::KOGGE_CODE

#include "kogge/former/runs.hpp"
