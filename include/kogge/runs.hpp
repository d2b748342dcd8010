// Runs of equal neighbours: unique, unique_by_key and run_length_encode. A run begins where equal(in[i − 1], in[i]) is
// false; all keep the order of the input.
//
// Shared by all of them
//
// Equality is called with neighbours only, and as often as the implementation likes; it must give the same answer each
// time. It need not be transitive: each item is compared with the one before it, not with its run's first.
//
// Memory: outputs have room for n items, and overlap neither the input nor each other.
//
// Counts: a form that returns the number of runs waits for it (it synchronises exec.stream); a form that takes a
// pointer to a std::uint64_t writes the number there, where the data lives, and returns as soon as the work is queued.
//
// Throws kogge::error before anything is changed: invalid_argument (null with items), overlap, unreachable,
// out_of_memory, not_built (on the device these calls need a file compiled by nvcc).
//
// Method: compactions of the items that begin a run (partition.hpp); a run's length is the way to the next one's
// beginning; see grid/runs.cuh.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/exec.hpp"
#include "kogge/host/runs.hpp"
#include "kogge/operators.hpp"
#include "kogge/partition.hpp"
#if KOGGE_KERNELS
#include "kogge/grid/runs.cuh"
#endif

namespace kogge {

namespace detail {

/// An equality, told apart from the other arguments that may stand in its place.
template <class Equal>
concept equality = !std::is_convertible_v<Equal, std::uint64_t*> && !std::is_same_v<Equal, exec>;

// What the calls write for each run: how it is written beside the run's first item is told in grid/run_rows.cuh; host
// threads, and the device's kernels for any type, say the run's head and the head before it.

/// A compaction's decision to keep the first item of each run.
template <class Item, class Equal>
struct FirstOfRun {
    const Item* in;
    Equal equal;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i, const Item& item) const {
        return i == 0 || !static_cast<bool>(equal(in[i - 1], item));
    }
};

/// Each run's first item.
template <class Item>
struct WriteItems {
    static constexpr bool kBeside = false, kLengths = false;
    Item* out;
};

/// Each run's key, and the value that stands beside its first item.
template <class Key, class Value>
struct WriteFirsts {
    static constexpr bool kBeside = true, kLengths = false;
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

/// Each run's item and length; a run's length is known where the next one begins. Until then the start may stand in its
/// place, of which as many bits are kept as a length needs.
template <class Item, class Length>
struct WriteLengths {
    static constexpr bool kBeside = false, kLengths = true;
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

#if KOGGE_KERNELS
/// find(runs) queues work that writes the number of runs. With a place for it does not wait, otherwise returns it.
template <class Find>
std::uint64_t count_runs(const char* call, const item_count& n, std::uint64_t* total, const exec& how,
                         const Find& find) {
    if (total) {
        find(total);
        return 0;
    }
    if (n.bound() == 0) return 0;
    const AwaitedCount awaited(call, how);
    find(awaited.device());
    return awaited.wait();
}
#endif

/// `total` is null for the form that returns it.
template <class Key, class Equal, class Write>
std::uint64_t run_runs(const char* call, backend where, const Key* keys, const item_count& n, const Equal& equal,
                       const Write& write, std::uint64_t* total, const exec& how) {
    if (where == backend::host) {
        require_host_count(call, n);
        const std::uint64_t runs = host::find_runs(keys, n.bound(), equal, write, how.host_threads);
        if (total) *total = runs;
        return runs;
    }
#if KOGGE_KERNELS
    return count_runs(call, n, total, how, [&](std::uint64_t* runs) {
        if (!grid::device_runs_on_chip(call, keys, n, equal, write, runs, how))
            grid::device_runs(call, keys, n, equal, write, runs, how);
    });
#else
    report_not_built(call);
#endif
}

template <class Item, class Equal>
std::uint64_t unique(const Item* in, const item_count& n, Item* out, std::uint64_t* total, const Equal& equal,
                     const exec& how) {
    static_assert(std::is_trivially_copyable_v<Item>, "items travel as bytes");
    const char* call = "unique";
    const std::uint64_t bytes = bytes_of(call, n.bound(), sizeof(Item));
    const backend where = check_call(call, how, n, {{in, bytes, "in"}},
                                     {{out, bytes, "out"}, {total, total ? sizeof *total : 0, "the count"}});
    const FirstOfRun<Item, Equal> keep{in, equal};
    Item* const none = nullptr;
#if KOGGE_KERNELS
    if (where == backend::device)
        return count_runs(call, n, total, how, [&](std::uint64_t* runs) {
            if constexpr (sizeof(Item) <= 16) {
                // A compaction holds more words on chip, in fewer rows, and finds the neighbours of wide items sooner
                // in the cache than the lanes of a wave hand them on.
                const device_properties device = simt::properties_of(how.stream);
                const auto holds_runs = [&] {
                    const compact_plan plan = plan_runs(n.bound(), sizeof(Item), device);
                    return plan.one_wave && plan.rows <= grid::most_compact_rows(sizeof(Item));
                };
                const bool compacts = sizeof(Item) >= 4 && (sizeof(Item) > 4 || !holds_runs()) &&
                                      plan_compact(n.bound(), sizeof(Item), false, false, device).one_wave;
                if (!compacts && grid::device_runs_on_chip(call, in, n, equal, WriteItems<Item>{out}, runs, how))
                    return;
            }
            run_compact(call, where, in, n, out, none, runs, keep, how);
        });
#endif
    if (!total) return run_compact_and_wait(call, where, in, n, out, none, keep, how);
    run_compact(call, where, in, n, out, none, total, keep, how);
    return 0;
}

template <class Key, class Value, class Equal>
std::uint64_t unique_by_key(const Key* keys_in, const Value* values_in, const item_count& n, Key* keys_out,
                            Value* values_out, std::uint64_t* total, const Equal& equal, const exec& how) {
    static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>, "items travel as bytes");
    const char* call = "unique_by_key";
    const std::uint64_t key_bytes = bytes_of(call, n.bound(), sizeof(Key));
    const std::uint64_t value_bytes = bytes_of(call, n.bound(), sizeof(Value));
    const backend where =
        check_call(call, how, n, {{keys_in, key_bytes, "keys_in"}, {values_in, value_bytes, "values_in"}},
                   {{keys_out, key_bytes, "keys_out"},
                    {values_out, value_bytes, "values_out"},
                    {total, total ? sizeof *total : 0, "the count"}});
    return run_runs(call, where, keys_in, n, equal, WriteFirsts<Key, Value>{keys_in, values_in, keys_out, values_out},
                    total, how);
}

template <class Item, class Length, class Equal>
std::uint64_t run_length_encode(const Item* in, const item_count& n, Item* out, Length* lengths, std::uint64_t* total,
                                const Equal& equal, const exec& how) {
    static_assert(std::is_trivially_copyable_v<Item>, "items travel as bytes");
    static_assert(std::is_integral_v<Length> && !std::is_same_v<Length, bool>, "lengths are integers");
    const char* call = "run_length_encode";
    const std::uint64_t bytes = bytes_of(call, n.bound(), sizeof(Item));
    const backend where = check_call(call, how, n, {{in, bytes, "in"}},
                                     {{out, bytes, "out"},
                                      {lengths, bytes_of(call, n.bound(), sizeof(Length)), "lengths"},
                                      {total, total ? sizeof *total : 0, "the count"}});
    return run_runs(call, where, in, n, equal, WriteLengths<Item, Length>{in, out, lengths}, total, how);
}

inline void require_count(const char* call, const std::uint64_t* count) {
    if (!count) throw error(errc::invalid_argument, call, "the pointer to the count is null");
}

}  // namespace detail

/// Keeps the first item of each run: out[0 … runs). Returns the number of runs, and waits for it.
template <class Item, detail::equality Equal = equal_to>
std::uint64_t unique(const Item* in, item_count n, Item* out, Equal equal = {}, const exec& how = {}) {
    return detail::unique(in, n, out, nullptr, equal, how);
}

/// The same without waiting: the number of runs goes to *runs.
template <class Item, detail::equality Equal = equal_to>
void unique(const Item* in, item_count n, Item* out, std::uint64_t* runs, Equal equal = {}, const exec& how = {}) {
    detail::require_count("unique", runs);
    detail::unique(in, n, out, runs, equal, how);
}

/// Keeps the first key of each run of equal keys, and the value beside it. Returns the number of runs, and waits for
/// it.
template <class Key, class Value, detail::equality Equal = equal_to>
std::uint64_t unique_by_key(const Key* keys_in, const Value* values_in, item_count n, Key* keys_out, Value* values_out,
                            Equal equal = {}, const exec& how = {}) {
    return detail::unique_by_key(keys_in, values_in, n, keys_out, values_out, nullptr, equal, how);
}

/// The same without waiting: the number of runs goes to *runs.
template <class Key, class Value, detail::equality Equal = equal_to>
void unique_by_key(const Key* keys_in, const Value* values_in, item_count n, Key* keys_out, Value* values_out,
                   std::uint64_t* runs, Equal equal = {}, const exec& how = {}) {
    detail::require_count("unique_by_key", runs);
    detail::unique_by_key(keys_in, values_in, n, keys_out, values_out, runs, equal, how);
}

/// Writes the first item of each run to out[0 … runs) and the run's length to lengths[0 … runs), whose type must hold
/// it. Returns the number of runs, and waits for it.
template <class Item, class Length, detail::equality Equal = equal_to>
std::uint64_t run_length_encode(const Item* in, item_count n, Item* out, Length* lengths, Equal equal = {},
                                const exec& how = {}) {
    return detail::run_length_encode(in, n, out, lengths, nullptr, equal, how);
}

/// The same without waiting: the number of runs goes to *runs.
template <class Item, class Length, detail::equality Equal = equal_to>
void run_length_encode(const Item* in, item_count n, Item* out, Length* lengths, std::uint64_t* runs, Equal equal = {},
                       const exec& how = {}) {
    detail::require_count("run_length_encode", runs);
    detail::run_length_encode(in, n, out, lengths, runs, equal, how);
}

}  // namespace kogge
