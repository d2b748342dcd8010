// Radix sort, by devices, of arrays in host memory that may be larger than the devices' memory. Stable in both orders.
//
// Shared by all of them
//   items        n counts keys; values have n items, too. Keys, values and options are radix_sort's; one array of
//                values.
//   memory       arrays are in host memory. Page-locked ones (cudaMallocHost) cross without a copy on the host.
//   aliasing     each array's in and out are apart or the same; any other overlap throws errc::overlap.
//   scratch      on each device at most what exec.device_memory_limit allows, less where less is free; in the end it is
//                given back, but for 256 MiB, which may stay in the pool of scratch; in host memory one more array of
//                the keys and of the values, unless all items fit the one device. Page-locked, up to 2 MiB for each
//                thread that copies, in all a power of two, and less for few items; none where all arrays are
//                page-locked. That stays with the process, in up to four pieces for calls at the same time: the first
//                call waits while the driver locks it, later ones find it. kogge::trim() gives back what stays.
//   returns      when the result is there.
//   throws       kogge::error before anything is changed: what radix_sort throws; unreachable (no such device, memory
//                of a device), invalid_argument (a device named twice), out_of_memory (scratch, also where
//                exec.device_memory_limit has no room for batches of a thousand items). After a failure of a device,
//                arrays sorted in place hold their items, in some order; other outputs are unspecified.
//   method       items that fit the one device cross, are sorted, and cross back. Otherwise they cross twice: batches
//                are sorted, one of them while the next one comes and the last one goes; the host searches in the
//                sorted batches for the exact places at which equal parts of the sorted whole begin; and each part,
//                gathered from all batches, is sorted. No item can go to its place before all have been seen by a
//                device, so four times the bytes cross, two in each direction at the same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "kogge/detail/sort_code.hpp"
#include "kogge/out_of_core/batches.hpp"
#include "kogge/radix_sort.hpp"

namespace kogge::detail::KOGGE_CODE {

/// How many items of each sorted run, items[begins[r] … begins[r + 1]), are among the first `position` of all, where
/// equal ones are in the order of the runs. The widest of the ranges in which the runs may still be cut is halved until
/// all are empty (P. Varman, S. Scheufler, B. Iyer, G. Ricard, 1991).
template <class T, class Less>
std::vector<std::uint64_t> cut_of_runs(const T* items, std::span<const std::uint64_t> begins, std::uint64_t position,
                                       const Less& less) {
    const std::size_t runs = begins.size() - 1;
    std::vector<std::uint64_t> low(begins.begin(), begins.end() - 1), high(begins.begin() + 1, begins.end()), at(runs);
    for (;;) {
        std::size_t widest = 0;
        for (std::size_t r = 1; r < runs; ++r)
            if (high[r] - low[r] > high[widest] - low[widest]) widest = r;
        if (high[widest] == low[widest]) break;
        const std::uint64_t middle = low[widest] + (high[widest] - low[widest]) / 2;
        std::uint64_t in_front = 0;  // of the item in the middle
        for (std::size_t r = 0; r < runs; ++r) {
            const T *const first = items + low[r], *const last = items + high[r];
            const T* const found = r == widest  ? items + middle
                                   : r < widest ? std::upper_bound(first, last, items[middle], less)
                                                : std::lower_bound(first, last, items[middle], less);
            at[r] = static_cast<std::uint64_t>(found - items);
            in_front += at[r] - begins[r];
        }
        if (in_front < position) {
            low = at;
            ++low[widest];
        } else {
            high = at;
        }
    }
    for (std::size_t r = 0; r < runs; ++r) low[r] -= begins[r];
    return low;
}

template <class Value>
HostArray host_array(const Value* in, Value* out) {
    static_assert(!std::is_const_v<Value>, "what is sorted in place is not const");
    static_assert(travels_as_bytes<Value>, "items travel as bytes: see kogge::travels_as_bytes");
    return {reinterpret_cast<const std::byte*>(in), reinterpret_cast<std::byte*>(out), sizeof(Value)};
}

/// Value is grid::NoValue, or of values that move with their keys.
template <class Key, class Value>
void sort_out_of_core(const char* call, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                      const item_count& n, const sort_options& options, const out_of_core::exec& how) {
    constexpr bool has_values = !std::is_same_v<Value, grid::NoValue>;
    static_assert(encodable<Key>,
                  "this key type has no key_codec: specialise kogge::key_codec for it, as keys.hpp says");
    if (n.on_device())
        throw error(errc::invalid_argument, call, "a device_count is of arrays on a device; pass the number itself");
    const BitRange bits = bit_range<Key>(call, options);
    const std::uint64_t keys = bytes_of(call, n.bound(), sizeof(Key));
    std::vector<HostArray> arrays{host_array(keys_in, keys_out)};
    std::vector<Region> reads{{keys_in, keys, "the keys"}}, writes{{keys_out, keys, "the sorted keys"}};
    if constexpr (has_values) {
        const std::uint64_t values = bytes_of(call, n.bound(), sizeof(Value));
        arrays.push_back(host_array(values_in, values_out));
        reads.push_back({values_in, values, "the values"});
        writes.push_back({values_out, values, "the sorted values"});
    }
    (void)check_call(call, {.where = backend::host}, n, reads, writes, writes.size());
    const LessByCode<Key> less{{make_codec<Key>(options), bits.begin, bits.end}};
    const auto sort = [&](std::span<void* const> batch, std::uint64_t items, const kogge::exec& on_device) {
        auto* const of_keys = static_cast<Key*>(batch[0]);
        if constexpr (has_values)
            kogge::radix_sort_pairs(of_keys, static_cast<Value*>(batch[1]), items, options, on_device);
        else kogge::radix_sort(of_keys, items, options, on_device);
    };
    const auto cut = [&](const void* sorted, std::span<const std::uint64_t> begins, std::uint64_t position) {
        return cut_of_runs(static_cast<const Key*>(sorted), begins, position, less);
    };
    sort_in_batches(call, arrays, n.bound(), {sort, cut}, how);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::out_of_core::KOGGE_CODE {

/// Sorts keys[0 … n) in place.
template <class Key>
void radix_sort(Key* keys, item_count n, const sort_options& options = {}, const exec& how = {}) {
    kogge::detail::sort_out_of_core<Key, grid::NoValue>("out_of_core::radix_sort", keys, keys, nullptr, nullptr, n,
                                                        options, how);
}
template <class Key>
void radix_sort(Key* keys, item_count n, const exec& how) {
    out_of_core::radix_sort(keys, n, sort_options{}, how);
}

/// Sorts in[0 … n) to out[0 … n).
template <class Key>
void radix_sort(const Key* in, Key* out, item_count n, const sort_options& options = {}, const exec& how = {}) {
    kogge::detail::sort_out_of_core<Key, grid::NoValue>("out_of_core::radix_sort", in, out, nullptr, nullptr, n,
                                                        options, how);
}
template <class Key>
void radix_sort(const Key* in, Key* out, item_count n, const exec& how) {
    out_of_core::radix_sort(in, out, n, sort_options{}, how);
}

/// Sorts keys in place, and moves each value with its key.
template <class Key, class Value>
void radix_sort_pairs(Key* keys, Value* values, item_count n, const sort_options& options = {}, const exec& how = {}) {
    kogge::detail::sort_out_of_core<Key, Value>("out_of_core::radix_sort_pairs", keys, keys, values, values, n, options,
                                                how);
}
template <class Key, class Value>
void radix_sort_pairs(Key* keys, Value* values, item_count n, const exec& how) {
    out_of_core::radix_sort_pairs(keys, values, n, sort_options{}, how);
}

/// Out of place: each array beside its output.
template <class Key, class Value>
void radix_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, item_count n,
                      const sort_options& options = {}, const exec& how = {}) {
    kogge::detail::sort_out_of_core<Key, Value>("out_of_core::radix_sort_pairs", keys_in, keys_out, values_in,
                                                values_out, n, options, how);
}
template <class Key, class Value>
void radix_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, item_count n,
                      const exec& how) {
    out_of_core::radix_sort_pairs(keys_in, keys_out, values_in, values_out, n, sort_options{}, how);
}

}  // namespace kogge::out_of_core::KOGGE_CODE
