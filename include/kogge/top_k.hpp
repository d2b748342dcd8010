// Top-k: the first k of n keys in the order of a sort, without sorting the others.
//
// Shared by all of them
//   result       the first k items of the stable sort by the same options: in order, of equal keys the one with the
//                lower index first, the same on every run. The greatest first unless the options say .order =
//                ascending.
//   items        n counts keys and values; outputs have room for k. k is at most n, or errc::invalid_argument. Both may
//                be device_counts, which bound the outputs: if n turns out less than k, n items are written.
//   keys         as radix_sort's: integers to 128 bit, enumerations, bool, half, bfloat16, float, double, and structs
//                that have a key_codec. With the greatest first, NaNs with a positive sign come first of all, unless
//                .nans = nan_order::last; all NaNs do with nan_order::greatest.
//   values       an array of any type that travels as bytes, or up to 8 of them: kogge::arrays(a, b, …).
//   exec         may stand right behind k, where options would.
//   aliasing     all arrays are apart, or errc::overlap.
//   scratch      on the device a few megabytes, as the plan says (plan_top_k); where keys are sorted, about as much as
//                radix_sort's and one more array. On the host twice k for each thread, or as radix_sort.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a bit range outside the
//                key, k above n, a device_count on the host), overlap, unreachable, out_of_memory (scratch), not_built
//                (struct keys on the device, in a file that nvcc did not compile).
//   method       for k to 16,384 and an eighth of n, and keys to 64 bit: a threshold from a sample, one read of the
//                keys, which collects those up to the threshold, and their order by comparing each with each; exact for
//                any data (rounds of counting where the sample misled). Otherwise a radix sort, whose front is copied.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/arrays.hpp"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/detail/reversed.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/top_k.hpp"
#include "kogge/keys.hpp"
#include "kogge/plan.hpp"
#if KOGGE_KERNELS
#include "kogge/top_k/launch.cuh"
#endif

namespace kogge {

/// As sort_options, but the greatest keys come first.
struct top_k_options {
    sort_order order = sort_order::descending;
    int begin_bit = 0;  ///< first bit of the encoded key that counts
    int end_bit = -1;   ///< one past the last; -1: all bits. begin_bit == end_bit takes the first k items
    zero_order zeros = zero_order::negative_first;
    nan_order nans = nan_order::by_sign;
    /// Whether the first keys must come in order. They always do: it costs 2 to 3 of at least 12 microseconds, and
    /// without it results would depend on which block was faster.
    bool ordered = true;

    constexpr operator sort_options() const { return {order, begin_bit, end_bit, zeros, nans}; }  // NOLINT: the same
};

}  // namespace kogge

namespace kogge::detail::KOGGE_CODE {

template <class Key>
void run_top_k(const char* call, const Key* keys, const item_count& n, const item_count& k,
               const grid::top_k_arrays& arrays, const sort_options& options, const exec& how) {
    static_assert(encodable<Key>,
                  "this key type has no key_codec: specialise kogge::key_codec for it, as keys.hpp says");
    static_assert(travels_as_bytes<Key>, "keys travel as bytes: see kogge::travels_as_bytes");
    const BitRange bits = bit_range<Key>(call, options);
    if (k.bound() > n.bound())
        throw error(errc::invalid_argument, call,
                    "k is " + std::to_string(k.bound()) + ", but there are " + std::to_string(n.bound()) + " keys");
    std::vector<Region> reads, writes;
    reads.push_back({keys, k.bound() > 0 ? bytes_of(call, n.bound(), sizeof(Key)) : 0, "the keys"});
    const auto check_output = [&](const void* out, std::size_t bytes, const char* name) {
        writes.push_back({out, bytes_of(call, k.bound(), bytes), name});
    };
    if (arrays.writes_keys) check_output(arrays.keys, sizeof(Key), "the first keys");
    if (arrays.index_bytes > 0) check_output(arrays.indices, arrays.index_bytes, "the indices");
    for (std::size_t a = 0; a < arrays.value_count(); ++a) {
        const grid::value_array& values = arrays.values[a];
        reads.push_back({values.in, k.bound() > 0 ? bytes_of(call, n.bound(), values.bytes) : 0, "the values"});
        check_output(values.out, values.bytes, "the first values");
    }
    if (k.on_device()) reads.push_back({k.on_device(), sizeof(std::uint64_t), "the device_count k"});
    const RunsOn where = check_call(call, how, n, reads, writes);
    if (k.bound() == 0) return;
    using Stored = stored_key<Key>;
    const codec_of<Key> codec = make_codec<Key>(options);
    const auto* in = reinterpret_cast<const Stored*>(keys);
    if (where == backend::host) {
        if (n.on_device() || k.on_device())
            throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
        const host::CallerFunctions functions(call);
        host::top_k(in, n.bound(), k.bound(), codec, bits.begin, bits.end, arrays, how.host_threads);
    } else if constexpr (KOGGE_KERNELS || grid::is_prebuilt<Stored, codec_of<Key>>) {
        if (k.is_checked()) {
            check_may_wait(call, how.stream, "give a device_count that is not checked");
            const std::uint64_t number = wait_for_number(k.on_device(), how.stream);
            if (number > k.bound())
                throw error(errc::invalid_argument, call,
                            "the device_count k is " + std::to_string(number) + ", above its bound of " +
                                std::to_string(k.bound()));
        }
        with_device_codec<Key>(codec, [&](const auto& of_device) {
            grid::device_top_k<grid::code_of<Stored, codec_of<Key>>>(call, in, n, k, of_device, bits, arrays, how);
        });
    } else {
        throw error(errc::not_built, call,
                    "the library holds no device code for this key type; compile this file with nvcc");
    }
}

template <class Index>
void check_index(const char* call, const item_count& n) {
    if (n.bound() > 0 && n.bound() - 1 > static_cast<std::uint64_t>((std::numeric_limits<Index>::max)()))
        throw error(errc::invalid_argument, call, "the index type is too small for so many keys");
}

/// The arrays of a call with values: one, or an array_pack of the same types for the results.
template <class Key, class Value>
grid::top_k_arrays top_k_outputs(Key* keys, const Value* values, Value* values_out) {
    static_assert(travels_as_bytes<Value>, "values travel as bytes: see kogge::travels_as_bytes");
    return {.keys = keys, .writes_keys = true, .values = {{values, values_out, sizeof(Value), alignof(Value)}}};
}
template <class Key, class... In, class... Out>
grid::top_k_arrays top_k_outputs(Key* keys, const array_pack<In...>& values, const array_pack<Out...>& values_out) {
    static_assert(sizeof...(In) == sizeof...(Out) && sizeof...(In) <= grid::kTopKValues,
                  "there are as many arrays of results as of values, and at most 8");
    static_assert((std::is_same_v<std::remove_const_t<In>, Out> && ...), "results have the types of the values");
    static_assert((travels_as_bytes<Out> && ...), "values travel as bytes: see kogge::travels_as_bytes");
    grid::top_k_arrays arrays{.keys = keys, .writes_keys = true};
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        ((arrays.values[i] = {std::get<i>(values.pointers), std::get<i>(values_out.pointers), sizeof(Out),
                              alignof(Out)}),
         ...);
    }
    (std::index_sequence_for<Out...>{});
    return arrays;
}

template <class Index>
concept top_k_index = std::integral<Index> &&(sizeof(Index) == 4 || sizeof(Index) == 8);

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

// What is no pointer is refused by a sentence.
template <detail::no_pointer Keys, class... Others>
void top_k(Keys&&, Others&&...) {
    detail::refuse_no_pointer<Keys>();
}

/// Writes the first k of keys[0 … n) to out[0 … k).
template <class Key>
void top_k(const Key* keys, Key* out, item_count n, item_count k, const top_k_options& options = {},
           const exec& how = {}) {
    detail::run_top_k("top_k", keys, n, k, {.keys = out, .writes_keys = true}, options, how);
}
template <class Key>
void top_k(const Key* keys, Key* out, item_count n, item_count k, const exec& how) {
    top_k(keys, out, n, k, top_k_options{}, how);
}

/// Writes the first k keys, and to values_out[0 … k) their values.
template <class Key, class Value>
void top_k_pairs(const Key* keys, Key* keys_out, const Value* values, Value* values_out, item_count n, item_count k,
                 const top_k_options& options = {}, const exec& how = {}) {
    detail::run_top_k("top_k_pairs", keys, n, k, detail::top_k_outputs(keys_out, values, values_out), options, how);
}
template <class Key, class Value>
void top_k_pairs(const Key* keys, Key* keys_out, const Value* values, Value* values_out, item_count n, item_count k,
                 const exec& how) {
    top_k_pairs(keys, keys_out, values, values_out, n, k, top_k_options{}, how);
}
/// The same with several arrays of values: top_k_pairs(keys, keys_out, arrays(a, b), arrays(a_out, b_out), n, k).
template <class Key, class... Values, class... Outputs>
void top_k_pairs(const Key* keys, Key* keys_out, array_pack<Values...> values, array_pack<Outputs...> values_out,
                 item_count n, item_count k, const top_k_options& options = {}, const exec& how = {}) {
    detail::run_top_k("top_k_pairs", keys, n, k, detail::top_k_outputs(keys_out, values, values_out), options, how);
}
template <class Key, class... Values, class... Outputs>
void top_k_pairs(const Key* keys, Key* keys_out, array_pack<Values...> values, array_pack<Outputs...> values_out,
                 item_count n, item_count k, const exec& how) {
    top_k_pairs(keys, keys_out, values, values_out, n, k, top_k_options{}, how);
}

/// Writes the indices of the first k keys. Index is a 32- or 64-bit integer; a 32-bit one throws errc::invalid_argument
/// for more than 2^31 (signed) or 2^32 keys.
template <class Key, detail::top_k_index Index>
void arg_top_k(const Key* keys, Index* indices, item_count n, item_count k, const top_k_options& options = {},
               const exec& how = {}) {
    detail::check_index<Index>("arg_top_k", n);
    detail::run_top_k("arg_top_k", keys, n, k, {.indices = indices, .index_bytes = sizeof(Index)}, options, how);
}
template <class Key, detail::top_k_index Index>
void arg_top_k(const Key* keys, Index* indices, item_count n, item_count k, const exec& how) {
    arg_top_k(keys, indices, n, k, top_k_options{}, how);
}

/// Writes the first k keys, and their indices.
template <class Key, detail::top_k_index Index>
void arg_top_k(const Key* keys, Key* keys_out, Index* indices, item_count n, item_count k,
               const top_k_options& options = {}, const exec& how = {}) {
    detail::check_index<Index>("arg_top_k", n);
    detail::run_top_k("arg_top_k", keys, n, k,
                      {.keys = keys_out, .writes_keys = true, .indices = indices, .index_bytes = sizeof(Index)},
                      options, how);
}
template <class Key, detail::top_k_index Index>
void arg_top_k(const Key* keys, Key* keys_out, Index* indices, item_count n, item_count k, const exec& how) {
    arg_top_k(keys, keys_out, indices, n, k, top_k_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
