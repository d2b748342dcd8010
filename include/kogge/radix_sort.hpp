// Radix sort of keys, of keys with values, and of indices by keys. Stable in both orders.
//
// Shared by all of them
//   items        n counts keys; value arrays and indices have n items, too.
//   keys         integers to 128 bit, enumerations, std::byte, bool, half, bfloat16 (CUDA's and kogge's own), float,
//                double, and structs that have a key_codec. See sort_options for order, bit range, zeros and NaNs.
//   values       arrays of any type that travels as bytes; kogge::arrays(a, b, …) moves several.
//   exec         may stand right behind n, where options would; radix_sort takes a stream there, too.
//   aliasing     in place forms sort where the data is; out of place, each array's in and out are apart or the same,
//                and different arrays are apart; any other overlap throws errc::overlap.
//   scratch      about one more array of the keys and of the values, and tables; on the device the plan says how much,
//                and takes the fastest way within exec.scratch_limit.
//   returns      on the device as soon as the work is queued on exec.stream; never waits. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a bit range outside the
//                key, a device_count on the host), overlap, unreachable, out_of_memory (scratch), not_built (struct
//                keys on the device, in a file that nvcc did not compile).
//   method       on the host counting sorts by digit, least significant first (H. Seward, 1954), or a vectorised
//                quicksort. On the device, by n and the keys: ranks by comparison; counts of all values; one launch
//                that keeps the keys on chip; or passes over memory, one per digit (D. Merrill, M. Garland, 2016;
//                A. Adinets, D. Merrill, 2022), over the leading digits alone where the rest can be sorted on chip.
//                sort/README.md says what decides.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "kogge/arrays.hpp"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/detail/reversed.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/radix_sort.hpp"
#include "kogge/keys.hpp"
#include "kogge/plan.hpp"
#if KOGGE_KERNELS
#include "kogge/sort/launch.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// Arrays to come of sorts out of place. In place, values count up from 0, the keys.
enum : int { kKeysIn = 1000, kKeysOut, kValuesIn, kValuesOut };

/// A call's arrays, checked and without their types; Moved is the values' grid::moved_values.
template <class Key, class Moved>
struct SortCall {
    const char* call;
    const Key* keys_in;
    Key* keys_out;
    item_count n;
    std::span<const grid::value_array> values;
    bool writes_keys = true;  ///< false for argsort, where keys_out and its value array's `in` are null
    bool writes_indices = !writes_keys;
    std::span<const Region> beside{};  ///< more that is only read
    std::vector<grid::value_array> values_to_come{};
};

/// Gives addresses to arrays that do not exist yet: null, in a call about whose scratch is asked.
template <class Key, class Moved>
void name_arrays_to_come(SortCall<Key, Moved>& sort) {
    int which = 0;
    if (sort.writes_keys && !sort.keys_in && !sort.keys_out)
        sort.keys_in = sort.keys_out = array_to_come(sort.keys_out, 0);
    sort.values_to_come.assign(sort.values.begin(), sort.values.end());
    for (grid::value_array& array : sort.values_to_come) {
        const bool in_place = !sort.writes_indices && array.in == array.out;
        array.out = array_to_come(array.out, ++which);
        if (in_place) array.in = array.out;
    }
    sort.values = sort.values_to_come;
}

template <class Key, class Moved>
RunsOn check_sort(SortCall<Key, Moved>& sort, const exec& how) {
    if (simt::is_measuring()) name_arrays_to_come(sort);
    const std::uint64_t key_bytes = bytes_of(sort.call, sort.n.bound(), sizeof(Key));
    std::vector<Region> reads{{sort.keys_in, key_bytes, "the keys"}}, writes;
    if (sort.writes_keys) writes.push_back({sort.keys_out, key_bytes, "the sorted keys"});
    for (const grid::value_array& array : sort.values) {
        const std::uint64_t bytes = bytes_of(sort.call, sort.n.bound(), array.bytes);
        if (!sort.writes_indices) reads.push_back({array.in, bytes, "the values"});
        writes.push_back({array.out, bytes, sort.writes_indices ? "the indices" : "the sorted values"});
    }
    reads.insert(reads.end(), sort.beside.begin(), sort.beside.end());
    // An array may be sorted onto itself, but onto no other: with keys written, array w reads array w.
    return check_call(sort.call, how, sort.n, reads, writes,
                      !sort.writes_keys     ? 0
                      : sort.writes_indices ? 1
                                            : writes.size());
}

template <class Key, class Moved>
void run_sort(SortCall<Key, Moved> sort, const sort_options& options, const exec& how) {
    static_assert(!std::is_const_v<Key>,
                  "keys sorted in place are not const; out of place, give an array for the results");
    static_assert(encodable<Key>,
                  "this key type has no key_codec: specialise kogge::key_codec for it, as keys.hpp says");
    static_assert(travels_as_bytes<Key>, "keys travel as bytes: see kogge::travels_as_bytes");
    const BitRange bits = bit_range<Key>(sort.call, options);
    const RunsOn where = check_sort(sort, how);
    if (sort.n.bound() == 0) return;
    using Stored = stored_key<Key>;
    const codec_of<Key> codec = make_codec<Key>(options);
    const auto* in = reinterpret_cast<const Stored*>(sort.keys_in);
    auto* out = reinterpret_cast<Stored*>(sort.keys_out);
    if (where == backend::host) {
        if (sort.n.on_device())
            throw error(errc::invalid_argument, sort.call, "a device_count needs the device; pass the number itself");
        const host::CallerFunctions functions(sort.call);
        host::radix_sort(in, out, sort.n.bound(), codec, bits.begin, bits.end, sort.values, how.host_threads);
    } else if constexpr (KOGGE_KERNELS || grid::is_prebuilt<Stored, codec_of<Key>>) {
        with_device_codec<Key>(codec, [&](const auto& of_device) {
            grid::device_radix_sort<Moved, grid::code_of<Stored, codec_of<Key>>>(sort.call, in, out, sort.n, of_device,
                                                                                 bits, sort.values, how);
        });
    } else {
        throw error(errc::not_built, sort.call,
                    "the library holds no device code for this key type; compile this file with nvcc");
    }
}

template <class Value>
grid::value_array value_of(const Value* in, Value* out) {
    static_assert(!std::is_const_v<Value>, "values that move in place are not const");
    static_assert(travels_as_bytes<Value>, "values travel as bytes: see kogge::travels_as_bytes");
    return {in, out, sizeof(Value), alignof(Value)};
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

// What is no pointer is refused by a sentence.
template <detail::no_pointer Keys, class... Others>
void radix_sort(Keys&&, Others&&...) {
    detail::refuse_no_pointer<Keys>();
}
template <detail::no_pointer Keys, class... Others>
void radix_sort_pairs(Keys&&, Others&&...) {
    detail::refuse_no_pointer<Keys>();
}
template <detail::no_pointer Keys, class... Others>
void argsort(Keys&&, Others&&...) {
    detail::refuse_no_pointer<Keys>();
}

/// Sorts keys[0 … n) in place.
template <class Key>
void radix_sort(Key* keys, item_count n, const sort_options& options = {}, const exec& how = {}) {
    detail::run_sort<Key, grid::NoValue>({"radix_sort", keys, keys, n, {}}, options, how);
}
template <class Key>
void radix_sort(Key* keys, item_count n, const exec& how) {
    radix_sort(keys, n, sort_options{}, how);
}
template <class Key>
void radix_sort(Key* keys, item_count n, stream_t stream) {
    radix_sort(keys, n, sort_options{}, exec{.stream = stream});
}

/// Sorts in[0 … n) to out[0 … n).
template <class Key>
void radix_sort(const Key* in, Key* out, item_count n, const sort_options& options = {}, const exec& how = {}) {
    in = detail::array_to_come(in, detail::kKeysIn);
    out = detail::array_to_come(out, detail::kKeysOut);
    detail::run_sort<Key, grid::NoValue>({"radix_sort", in, out, n, {}}, options, how);
}
template <class Key>
void radix_sort(const Key* in, Key* out, item_count n, const exec& how) {
    radix_sort(in, out, n, sort_options{}, how);
}
template <class Key>
void radix_sort(const Key* in, Key* out, item_count n, stream_t stream) {
    radix_sort(in, out, n, sort_options{}, exec{.stream = stream});
}

/// Sorts keys in place, and moves each value with its key.
template <class Key, class Value>
void radix_sort_pairs(Key* keys, Value* values, item_count n, const sort_options& options = {}, const exec& how = {}) {
    const grid::value_array array = detail::value_of<Value>(values, values);
    detail::run_sort<Key, grid::moved_values<Value>>({"radix_sort_pairs", keys, keys, n, {&array, 1}}, options, how);
}
template <class Key, class Value>
void radix_sort_pairs(Key* keys, Value* values, item_count n, const exec& how) {
    radix_sort_pairs(keys, values, n, sort_options{}, how);
}

/// The same with several value arrays: radix_sort_pairs(keys, kogge::arrays(x, y, z), n).
template <class Key, class... Values>
void radix_sort_pairs(Key* keys, array_pack<Values...> values, item_count n, const sort_options& options = {},
                      const exec& how = {}) {
    const auto list = std::apply(
        [](auto*... each) { return std::array<grid::value_array, sizeof...(Values)>{detail::value_of(each, each)...}; },
        values.pointers);
    detail::run_sort<Key, grid::moved_values<Values...>>({"radix_sort_pairs", keys, keys, n, list}, options, how);
}
template <class Key, class... Values>
void radix_sort_pairs(Key* keys, array_pack<Values...> values, item_count n, const exec& how) {
    radix_sort_pairs(keys, values, n, sort_options{}, how);
}

/// Out of place: each array beside its output.
template <class Key, class Value>
void radix_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, item_count n,
                      const sort_options& options = {}, const exec& how = {}) {
    keys_in = detail::array_to_come(keys_in, detail::kKeysIn);
    keys_out = detail::array_to_come(keys_out, detail::kKeysOut);
    const grid::value_array array = detail::value_of<Value>(detail::array_to_come(values_in, detail::kValuesIn),
                                                            detail::array_to_come(values_out, detail::kValuesOut));
    detail::run_sort<Key, grid::moved_values<Value>>({"radix_sort_pairs", keys_in, keys_out, n, {&array, 1}}, options,
                                                     how);
}
template <class Key, class Value>
void radix_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, item_count n,
                      const exec& how) {
    radix_sort_pairs(keys_in, keys_out, values_in, values_out, n, sort_options{}, how);
}

/// Writes the indices that would sort the keys: keys[indices[0]] ≤ keys[indices[1]] ≤ …, equal keys in input order.
/// Index is a 32- or 64-bit integer; a 32-bit one throws errc::invalid_argument for more than 2^31 (signed) or 2^32
/// keys. The keys are only read.
template <class Key, class Index>
requires(std::integral<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8)) void argsort(
    const Key* keys, Index* indices, item_count n, const sort_options& options = {}, const exec& how = {}) {
    if (n.bound() > 0 && n.bound() - 1 > static_cast<std::uint64_t>((std::numeric_limits<Index>::max)()))
        throw error(errc::invalid_argument, "argsort", "the index type is too small for so many keys");
    const grid::value_array array = detail::value_of<Index>(nullptr, indices);
    detail::run_sort<Key, grid::moved_values<Index>>({"argsort", keys, nullptr, n, {&array, 1}, false}, options, how);
}
template <class Key, class Index>
requires(std::integral<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8)) void argsort(const Key* keys,
                                                                                          Index* indices, item_count n,
                                                                                          const exec& how) {
    argsort(keys, indices, n, sort_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
