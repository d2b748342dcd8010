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

/// A compaction's decision to keep the first item of each run.
template <class Item, class Equal>
struct FirstOfRun {
    const Item* in;
    Equal equal;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i, const Item& item) const {
        return i == 0 || !static_cast<bool>(equal(in[i - 1], item));
    }
};

/// Each run's key, and the value that stands beside its first item.
template <class Key, class Value>
struct WriteFirsts {
    const Key* keys;
    const Value* values;
    Key* keys_out;
    Value* values_out;
    KOGGE_HOST_DEVICE void operator()(std::uint64_t run, std::uint64_t head, std::uint64_t) const {
        keys_out[run] = keys[head];
        values_out[run] = values[head];
    }
    KOGGE_HOST_DEVICE void finish(std::uint64_t, std::uint64_t, std::uint64_t) const {}
};

/// Each run's item and length; a run's length is known where the next one begins.
template <class Item, class Length>
struct WriteLengths {
    const Item* in;
    Item* out;
    Length* lengths;
    KOGGE_HOST_DEVICE void operator()(std::uint64_t run, std::uint64_t head, std::uint64_t previous) const {
        out[run] = in[head];
        if (run > 0) lengths[run - 1] = static_cast<Length>(head - previous);
    }
    KOGGE_HOST_DEVICE void finish(std::uint64_t runs, std::uint64_t last, std::uint64_t n) const {
        if (runs > 0) lengths[runs - 1] = static_cast<Length>(n - last);
    }
};

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
    if (total) {
        grid::device_runs(call, keys, n, equal, write, total, how);
        return 0;
    }
    if (n.bound() == 0) return 0;
    const AwaitedCount awaited(call, how);
    grid::device_runs(call, keys, n, equal, write, awaited.device(), how);
    return awaited.wait();
#else
    report_not_built(call);
#endif
}

template <class Key, class Value, class Equal>
std::uint64_t unique_by_key(const Key* keys_in, const Value* values_in, const item_count& n, Key* keys_out,
                            Value* values_out, std::uint64_t* total, const Equal& equal, const exec& how) {
    static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>, "items travel as bytes");
    const char* call = "unique_by_key";
    const std::uint64_t key_bytes = bytes_of(call, n.bound(), sizeof(Key));
    const std::uint64_t value_bytes = bytes_of(call, n.bound(), sizeof(Value));
    const Region all[] = {{keys_in, key_bytes, "keys_in"},
                          {values_in, value_bytes, "values_in"},
                          {keys_out, key_bytes, "keys_out"},
                          {values_out, value_bytes, "values_out"},
                          {total, total ? sizeof *total : 0, "the count"}};
    const backend where = choose_backend(call, how, all);
    for (int written = 2; written < 5; ++written)
        for (int other = 0; other < written; ++other) check_disjoint(call, all[other], all[written]);
    return run_runs(call, where, keys_in, n, equal, WriteFirsts<Key, Value>{keys_in, values_in, keys_out, values_out},
                    total, how);
}

template <class Item, class Length, class Equal>
std::uint64_t run_length_encode(const Item* in, const item_count& n, Item* out, Length* lengths, std::uint64_t* total,
                                const Equal& equal, const exec& how) {
    static_assert(std::is_trivially_copyable_v<Item>, "items travel as bytes");
    static_assert(std::is_integral_v<Length>, "lengths are integers");
    const char* call = "run_length_encode";
    const std::uint64_t bytes = bytes_of(call, n.bound(), sizeof(Item));
    const Region all[] = {{in, bytes, "in"},
                          {out, bytes, "out"},
                          {lengths, bytes_of(call, n.bound(), sizeof(Length)), "lengths"},
                          {total, total ? sizeof *total : 0, "the count"}};
    const backend where = choose_backend(call, how, all);
    for (int written = 1; written < 4; ++written)
        for (int other = 0; other < written; ++other) check_disjoint(call, all[other], all[written]);
    return run_runs(call, where, in, n, equal, WriteLengths<Item, Length>{in, out, lengths}, total, how);
}

inline void require_count(const char* call, const std::uint64_t* count) {
    if (!count) throw error(errc::invalid_argument, call, "the pointer to the count is null");
}

}  // namespace detail

/// Keeps the first item of each run: out[0 … runs). Returns the number of runs, and waits for it.
template <class Item, detail::equality Equal = equal_to>
std::uint64_t unique(const Item* in, item_count n, Item* out, Equal equal = {}, const exec& how = {}) {
    const detail::CompactRegions<Item> regions("unique", in, out, n);
    const backend where = detail::choose_backend("unique", how, {regions.in, regions.out});
    detail::check_disjoint("unique", regions.in, regions.out);
    return detail::run_compact_and_wait("unique", where, in, n, out, static_cast<Item*>(nullptr),
                                        detail::FirstOfRun<Item, Equal>{in, equal}, how);
}

/// The same without waiting: the number of runs goes to *runs.
template <class Item, detail::equality Equal = equal_to>
void unique(const Item* in, item_count n, Item* out, std::uint64_t* runs, Equal equal = {}, const exec& how = {}) {
    const detail::CompactRegions<Item> regions("unique", in, out, n);
    const detail::Region count = detail::count_region(runs);
    const backend where = detail::choose_backend("unique", how, {regions.in, regions.out, count});
    detail::check_disjoint("unique", regions.in, regions.out);
    detail::check_disjoint("unique", regions.in, count);
    detail::check_disjoint("unique", regions.out, count);
    detail::run_compact("unique", where, in, n, out, static_cast<Item*>(nullptr), runs,
                        detail::FirstOfRun<Item, Equal>{in, equal}, how);
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
