// Radix sorts against CUB's, the faster of that with a count of 32 bits and that with 64, out of place; both keep their
// input. Values tell where their key stood, so that comparing them with CUB's checks stability as well. argsort stands
// beside CUB's sort of pairs whose values are the indices, ready-made. The least that must move: each key and value
// read once and written once.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <functional>
#include <memory>
#include <utility>

#include "harness.hpp"
#include "kogge/radix_sort.hpp"

namespace bench {

/// Fills one slot's array.
template <class T>
using FillSlot = std::function<void(T* items, std::uint64_t slot, stream_t)>;

/// CUB's last bit for these options.
template <class Key>
int cub_end_bit(const kogge::sort_options& options) {
    return options.end_bit < 0 ? static_cast<int>(8 * sizeof(Key)) : options.end_bit;
}

/// ours(in, out, how) sorts n keys as these options say.
template <class Key, class Ours>
Task key_sort(std::uint64_t n, const FillSlot<Key>& fill, const kogge::sort_options& options, const Ours& ours) {
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<Key> in(n, slots), out(n, slots), expected(n, slots);
        for (int slot = 0; slot < slots; ++slot) fill(in[slot], static_cast<std::uint64_t>(slot), stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            ours(static_cast<const Key*>(in[slot]), out[slot], with_scratch(scratch, s));
        };
        contest.cub = with_either_count(
            n,
            [=](void* temporary, std::size_t& bytes, auto count, int slot, stream_t s) {
                return cub::DeviceRadixSort::SortKeys(temporary, bytes, static_cast<const Key*>(in[slot]),
                                                      expected[slot], count, 0, cub_end_bit<Key>(options), s);
            },
            stream);
        contest.spoil = [=](stream_t s) { out.fill(kPattern, s); };
        contest.is_right = [=](int slot, stream_t s) { return is_same_bits(out[slot], expected[slot], n, s); };
        return contest;
    };
    return {bytes_of(n, 2 * sizeof(Key)), prepare};
}
template <class Key>
Task key_sort(std::uint64_t n, const FillSlot<Key>& fill, const kogge::sort_options& options = {}) {
    return key_sort<Key>(n, fill, options, [=](const Key* in, Key* out, const kogge::exec& how) {
        kogge::radix_sort(in, out, n, options, how);
    });
}

/// Keys and integers; or, with `indices_only`, argsort of the keys.
template <class Key, class Value>
Task pair_sort(std::uint64_t n, const FillSlot<Key>& fill, bool indices_only, const kogge::sort_options& options = {}) {
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<Key> keys(n, slots), cub_keys(n, slots);
        const Slots<Value> values(n, slots), out(n, slots), expected(n, slots);
        const Slots<Key> out_keys = indices_only ? Slots<Key>() : Slots<Key>(n, slots);
        for (int slot = 0; slot < slots; ++slot) {
            fill(keys[slot], static_cast<std::uint64_t>(slot), stream);
            make_items(values[slot], n, Place<Value>{}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const Key* key = keys[slot];
            const Value* value = values[slot];
            if (indices_only) kogge::argsort(key, out[slot], n, options, with_scratch(scratch, s));
            else kogge::radix_sort_pairs(key, out_keys[slot], value, out[slot], n, options, with_scratch(scratch, s));
        };
        contest.cub = with_either_count(
            n,
            [=](void* temporary, std::size_t& bytes, auto count, int slot, stream_t s) {
                const Key* key = keys[slot];
                const Value* value = values[slot];
                return cub::DeviceRadixSort::SortPairs(temporary, bytes, key, cub_keys[slot], value, expected[slot],
                                                       count, 0, cub_end_bit<Key>(options), s);
            },
            stream);
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            if (!indices_only) out_keys.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return is_same_bits(out[slot], expected[slot], n, s) &&
                   (indices_only || is_same_bits(out_keys[slot], cub_keys[slot], n, s));
        };
        return contest;
    };
    return {bytes_of(n, indices_only ? sizeof(Key) + sizeof(Value) : 2 * (sizeof(Key) + sizeof(Value))), prepare};
}

}  // namespace bench
