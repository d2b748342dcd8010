// Runs of equal neighbours: unique, unique_by_key and run_length_encode. A run begins where equal(in[i − 1], in[i]) is
// false. All keep the order of the input.
//
// Shared by all of them
//
// Equality is called with neighbours only, any number of times, and must give the same answer each time. It need not be
// transitive: each item is compared with the item before it, not with the first of its run.
//
// Memory: outputs have room for n items, and overlap neither the input nor each other.
//
// Counts: a form without a place for the number of runs returns it and waits for it (it synchronises exec.stream). With
// a std::uint64_t* it writes the number there, where the data is, and returns as soon as the work is queued. With a
// kogge::count_at it writes the number there, waits, and returns it. While the stream is being captured, forms that
// wait throw invalid_argument.
//
// Throws kogge::error before anything is changed: invalid_argument (null with items), overlap, unreachable,
// out_of_memory, not_built (on the device these calls need a file compiled by nvcc).
//
// Method: compaction of the items that begin a run (partition.hpp). A run's length is the distance to the beginning of
// the next run; see runs/launch.cuh. On the device the calls take scratch as plan_runs says.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/counts.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/runs.hpp"
#include "kogge/operators.hpp"
#include "kogge/partition.hpp"
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
template <class Item, class Equal>
struct FirstOfRun {
    const Item* in;
    Equal equal;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i, const Item& item) const {
        return i == 0 || !static_cast<bool>(equal(in[i - 1], item));
    }
};

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge {
template <class Item, class Equal>
inline constexpr bool runs_on_host<detail::FirstOfRun<Item, Equal>> = runs_on_host<Equal>;
}  // namespace kogge

namespace kogge::detail::KOGGE_CODE {

/// Writes each run's first item.
template <class Item>
struct WriteItems {
    static constexpr runs_output kOutput = runs_output::items;
    Item* out;
};

/// Writes each run's first key, and the value beside it.
template <class Key, class Value>
struct WriteFirsts {
    static constexpr runs_output kOutput = runs_output::values;
    const Key* keys;
    const Value* values;
    Key* out;
    Value* values_out;
    KOGGE_HOST_DEVICE Value beside(std::uint64_t head) const { return values[head]; }
    KOGGE_HOST_DEVICE void put(std::uint64_t run, const Value& value) const { values_out[run] = value; }
    KOGGE_HOST_DEVICE void operator()(std::uint64_t run, std::uint64_t head, std::uint64_t) const {
        out[run] = keys[head];
        put(run, beside(head));
    }
    KOGGE_HOST_DEVICE void finish(std::uint64_t, std::uint64_t, std::uint64_t) const {}
};

/// Writes each run's first item and its length, which is known where the next run begins. Until then the length's place
/// may hold the run's start, truncated to the bits of a length.
template <class Item, class Length>
struct WriteLengths {
    static constexpr runs_output kOutput = runs_output::lengths;
    const Item* in;
    Item* out;
    Length* lengths;
    KOGGE_HOST_DEVICE void set_length(std::uint64_t run, std::uint64_t length) const {
        lengths[run] = static_cast<Length>(length);
    }
    KOGGE_HOST_DEVICE void set_start(std::uint64_t run, std::uint64_t head) const { set_length(run, head); }
    KOGGE_HOST_DEVICE void end_at(std::uint64_t run, std::uint64_t next) const {
        set_length(run, next - static_cast<std::uint64_t>(lengths[run]));
    }
    KOGGE_HOST_DEVICE void operator()(std::uint64_t run, std::uint64_t head, std::uint64_t previous) const {
        out[run] = in[head];
        if (run > 0) set_length(run - 1, head - previous);
    }
    KOGGE_HOST_DEVICE void finish(std::uint64_t runs, std::uint64_t last, std::uint64_t n) const {
        if (runs > 0) set_length(runs - 1, n - last);
    }
};

template <class Key, class Equal, class Write, count_place Place>
count_result<Place> run_runs(const char* call, backend where, const Key* keys, const item_count& n, const Equal& equal,
                             const Write& write, const Place& place, const exec& how) {
    return find_count(call, where, n.bound() == 0, place, how, [&](std::uint64_t* runs) {
        if (where == backend::host) {
            require_host_count(call, n);
            *runs = 0;
            if constexpr (runs_on_host<Equal>) {
                const host::CallerFunctions functions(call);
                *runs = host::find_runs(keys, n.bound(), equal, write, how.host_threads);
            } else if (n.bound() > 0) {
                report_device_only(call);
            }
            return;
        }
#if KOGGE_KERNELS
        const runs_plan plan = plan_runs(n.bound(), {sizeof(Key), Write::kOutput}, simt::properties_of(how.stream));
        grid::device_runs(call, keys, n, equal, write, runs, plan, how);
#else
        report_not_built(call);
#endif
    });
}

template <class Item, count_place Place, class Equal>
count_result<Place> unique(const Item* in, const item_count& n, Item* out, const Place& place, const Equal& equal,
                           const exec& how) {
    static_assert(travels_as_bytes<Item>, "items travel as bytes: see kogge::travels_as_bytes");
    check_function<Equal, Item, Item>();
    if constexpr (!is_plain_item<Item>) {
        return detail::unique(carry(in), n, carry(out), place, OnCarried<Equal>{equal}, how);
    } else {
        const char* const call = "unique";
        const std::uint64_t bytes = bytes_of(call, n.bound(), sizeof(Item));
        const RunsOn where = check_call(call, how, n, {{in, bytes, "in"}}, {{out, bytes, "out"}, count_region(place)});
        return find_count(call, where, n.bound() == 0, place, how, [&](std::uint64_t* runs) {
#if KOGGE_KERNELS
            if constexpr (sizeof(Item) <= 16)
                if (where == backend::device) {
                    const runs_plan plan =
                        plan_runs(n.bound(), {sizeof(Item), runs_output::items}, simt::properties_of(how.stream));
                    if (!plan.is<compact_way>())
                        return grid::device_runs(call, in, n, equal, WriteItems<Item>{out}, runs, plan, how);
                }
#endif
            run_compact(call, where, in, n, out, static_cast<Item*>(nullptr), runs, FirstOfRun<Item, Equal>{in, equal},
                        how);
        });
    }
}

template <class Key, class Value, count_place Place, class Equal>
count_result<Place> unique_by_key(const Key* keys_in, const Value* values_in, const item_count& n, Key* keys_out,
                                  Value* values_out, const Place& place, const Equal& equal, const exec& how) {
    static_assert(travels_as_bytes<Key> && travels_as_bytes<Value>,
                  "items travel as bytes: see kogge::travels_as_bytes");
    check_function<Equal, Key, Key>();
    const char* const call = "unique_by_key";
    const std::uint64_t key_bytes = bytes_of(call, n.bound(), sizeof(Key));
    const std::uint64_t value_bytes = bytes_of(call, n.bound(), sizeof(Value));
    const RunsOn where =
        check_call(call, how, n, {{keys_in, key_bytes, "keys_in"}, {values_in, value_bytes, "values_in"}},
                   {{keys_out, key_bytes, "keys_out"}, {values_out, value_bytes, "values_out"}, count_region(place)});
    return run_runs(
        call, where, carry(keys_in), n, on_carried<Key>(equal),
        WriteFirsts<carried<Key>, carried<Value>>{carry(keys_in), carry(values_in), carry(keys_out), carry(values_out)},
        place, how);
}

template <class Item, class Length, count_place Place, class Equal>
count_result<Place> run_length_encode(const Item* in, const item_count& n, Item* out, Length* lengths,
                                      const Place& place, const Equal& equal, const exec& how) {
    static_assert(travels_as_bytes<Item>, "items travel as bytes: see kogge::travels_as_bytes");
    check_function<Equal, Item, Item>();
    static_assert(std::is_integral_v<Length> && !std::is_same_v<Length, bool>, "lengths are integers");
    const char* const call = "run_length_encode";
    const std::uint64_t bytes = bytes_of(call, n.bound(), sizeof(Item));
    const Region beside{lengths, bytes_of(call, n.bound(), sizeof(Length)), "lengths"};
    const RunsOn where =
        check_call(call, how, n, {{in, bytes, "in"}}, {{out, bytes, "out"}, beside, count_region(place)});
    return run_runs(call, where, carry(in), n, on_carried<Item>(equal),
                    WriteLengths<carried<Item>, Length>{carry(in), carry(out), lengths}, place, how);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Keeps the first item of each run: out[0 … runs). Returns the number of runs, and waits for it.
template <class Item, detail::equality Equal = equal_to>
std::uint64_t unique(const Item* in, Item* out, item_count n, Equal equal = {}, const exec& how = {}) {
    return detail::unique(in, n, out, detail::NoPlace{}, equal, how);
}
template <class Item>
std::uint64_t unique(const Item* in, Item* out, item_count n, const exec& how) {
    return detail::unique(in, n, out, detail::NoPlace{}, equal_to{}, how);
}

/// As above, with a place for the number of runs: a std::uint64_t*, without waiting, or a count_at.
template <class Item, detail::count_place Runs, detail::equality Equal = equal_to>
detail::count_result<Runs> unique(const Item* in, Item* out, Runs runs, item_count n, Equal equal = {},
                                  const exec& how = {}) {
    return detail::unique(in, n, out, runs, equal, how);
}
template <class Item, detail::count_place Runs>
detail::count_result<Runs> unique(const Item* in, Item* out, Runs runs, item_count n, const exec& how) {
    return detail::unique(in, n, out, runs, equal_to{}, how);
}

/// Keeps the first key of each run of equal keys, and the value beside it. Returns the number of runs, and waits for
/// it.
template <class Key, class Value, detail::equality Equal = equal_to>
std::uint64_t unique_by_key(const Key* keys_in, const Value* values_in, Key* keys_out, Value* values_out, item_count n,
                            Equal equal = {}, const exec& how = {}) {
    return detail::unique_by_key(keys_in, values_in, n, keys_out, values_out, detail::NoPlace{}, equal, how);
}
template <class Key, class Value>
std::uint64_t unique_by_key(const Key* keys_in, const Value* values_in, Key* keys_out, Value* values_out, item_count n,
                            const exec& how) {
    return detail::unique_by_key(keys_in, values_in, n, keys_out, values_out, detail::NoPlace{}, equal_to{}, how);
}
template <class Key, class Value, detail::count_place Runs, detail::equality Equal = equal_to>
detail::count_result<Runs> unique_by_key(const Key* keys_in, const Value* values_in, Key* keys_out, Value* values_out,
                                         Runs runs, item_count n, Equal equal = {}, const exec& how = {}) {
    return detail::unique_by_key(keys_in, values_in, n, keys_out, values_out, runs, equal, how);
}
template <class Key, class Value, detail::count_place Runs>
detail::count_result<Runs> unique_by_key(const Key* keys_in, const Value* values_in, Key* keys_out, Value* values_out,
                                         Runs runs, item_count n, const exec& how) {
    return detail::unique_by_key(keys_in, values_in, n, keys_out, values_out, runs, equal_to{}, how);
}

/// Writes the first item of each run to out[0 … runs) and the run's length to lengths[0 … runs), whose type must be
/// able to hold it. Returns the number of runs, and waits for it.
template <class Item, class Length, detail::equality Equal = equal_to>
std::uint64_t run_length_encode(const Item* in, Item* out, Length* lengths, item_count n, Equal equal = {},
                                const exec& how = {}) {
    return detail::run_length_encode(in, n, out, lengths, detail::NoPlace{}, equal, how);
}
template <class Item, class Length>
std::uint64_t run_length_encode(const Item* in, Item* out, Length* lengths, item_count n, const exec& how) {
    return detail::run_length_encode(in, n, out, lengths, detail::NoPlace{}, equal_to{}, how);
}
template <class Item, class Length, detail::count_place Runs, detail::equality Equal = equal_to>
detail::count_result<Runs> run_length_encode(const Item* in, Item* out, Length* lengths, Runs runs, item_count n,
                                             Equal equal = {}, const exec& how = {}) {
    return detail::run_length_encode(in, n, out, lengths, runs, equal, how);
}
template <class Item, class Length, detail::count_place Runs>
detail::count_result<Runs> run_length_encode(const Item* in, Item* out, Length* lengths, Runs runs, item_count n,
                                             const exec& how) {
    return detail::run_length_encode(in, n, out, lengths, runs, equal_to{}, how);
}

}  // namespace kogge::KOGGE_CODE

#include "kogge/detail/former_runs.hpp"
