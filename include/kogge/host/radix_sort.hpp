// LSD radix sort with host threads: a scatter for each digit that varies, least significant first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "kogge/host/scatter.hpp"
#include "kogge/host/threads.hpp"
#include "kogge/keys.hpp"
#include "kogge/plan.hpp"

namespace kogge::host {

namespace detail {

/// Passes that go through memory should be few: the lines of 2^11 bins still fit a core's second cache.
constexpr int digit_bits(std::uint64_t bytes) { return bytes < kStreamBytes ? 8 : 11; }

/// The bin of a key in a pass: some bits of its code.
template <class Codec>
struct Digit {
    Codec codec;
    int begin, width;
    std::uint32_t operator()(const typename Codec::key& key) const { return codec.digit(key, begin, width); }
};

/// The digits worth a pass, least significant first: those that differ between keys. None at all for keys in order.
/// Looks only until there is nothing more to learn; of random keys a few are enough.
template <class Key, class Codec>
std::vector<Digit<Codec>> digits_to_sort(const Key* keys, std::uint64_t n, const Codec& codec, int begin_bit,
                                         int end_bit, int bits, int threads) {
    std::vector<Digit<Codec>> digits;
    for (int begin = begin_bit, passes = (end_bit - begin_bit + bits - 1) / bits; passes > 0; --passes) {
        digits.push_back({codec, begin, (end_bit - begin) / passes});
        begin += digits.back().width;
    }
    const auto descends = [&](std::uint64_t i) {
        for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
            const std::uint32_t before = (*digit)(keys[i - 1]), here = (*digit)(keys[i]);
            if (before != here) return before > here;
        }
        return false;
    };
    constexpr std::uint64_t kItems = 1024;
    std::vector<std::atomic<bool>> varies(digits.size());
    std::atomic<bool> sorted = true;
    Tickets tickets(divide_up(n, kItems));
    share(tickets, threads_for(n, threads), [&](int) {
        for (std::uint64_t chunk; tickets.take(chunk);) {
            const std::uint64_t begin = chunk * kItems, end = std::min(n, begin + kItems);
            for (std::uint64_t i = std::max<std::uint64_t>(begin, 1); sorted && i < end; ++i)
                if (descends(i)) sorted = false;
            bool all = !sorted;
            for (std::size_t place = 0; place < digits.size(); ++place) {
                const Digit<Codec> digit = digits[place];
                const std::uint32_t first = digit(keys[0]);
                std::uint32_t difference = 0;
                if (!varies[place])
                    for (std::uint64_t i = begin; i < end; ++i) difference |= digit(keys[i]) ^ first;
                if (difference) varies[place] = true;
                all = all && varies[place];
            }
            if (all) tickets.stop();
        }
    });
    std::vector<Digit<Codec>> worth;
    for (std::size_t place = 0; place < digits.size(); ++place)
        if (varies[place] && !sorted) worth.push_back(digits[place]);
    return worth;
}

/// Fills `to` with values, or with indices where `from` is null.
template <class Value>
void copy_values(Value* to, const Value* from, std::uint64_t n, int threads) {
    if (from) return copy_items(to, from, n, threads);
    for (std::uint64_t i = 0; i < n; ++i) to[i] = value_at(from, i);
}

/// keys_out may be null, then keys are only read; null values_in stand for indices. Arrays may be sorted onto
/// themselves.
template <class Key, class Value, class Codec>
void sort_moving(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, std::uint64_t n,
                 const Codec& codec, int begin_bit, int end_bit, int threads) {
    constexpr bool has_values = !std::is_same_v<Value, Nothing>;
    const char* call = "radix_sort";
    const Scratch<Key> own_keys(call, n), more_keys(call, keys_out ? 0 : n);
    const Scratch<Value> own_values(call, has_values ? n : 0);
    const int bits = digit_bits(n * (sizeof(Key) + (has_values ? sizeof(Value) : 0)));
    const auto digits = digits_to_sort(keys_in, n, codec, begin_bit, end_bit, bits, threads);
    if (digits.empty()) {
        if (keys_out) copy_items(keys_out, keys_in, n, threads);
        if constexpr (has_values) copy_values(values_out, values_in, n, threads);
        return;
    }
    Scatter<Key, Value> scatter(call, n, 1u << bits, threads);
    // Passes take turns between the output and the scratch, and the last one ends in the output.
    Key* const keys[] = {keys_out ? keys_out : more_keys.data(), own_keys.data()};
    Value* const values[] = {values_out, own_values.data()};
    if (digits.size() % 2 == 1 && (keys_in == keys_out || (has_values && values_in == values_out))) {
        copy_items(own_keys.data(), keys_in, n, threads);
        keys_in = own_keys.data();
        if constexpr (has_values) {
            if (values_in) {
                copy_items(own_values.data(), values_in, n, threads);
                values_in = own_values.data();
            }
        }
    }
    for (std::size_t pass = 0; pass < digits.size(); ++pass) {
        const std::size_t left = digits.size() - 1 - pass;
        Key* const keys_to = left == 0 ? keys_out : keys[left % 2];
        scatter.count(keys_in, digits[pass]);
        scatter.move(keys_in, keys_to, values_in, values[left % 2], digits[pass]);
        keys_in = keys_to;
        values_in = values[left % 2];
    }
}

/// A value of so many bytes, wherever it lies.
template <std::size_t size>
struct Bytes {
    std::byte byte[size];
};

}  // namespace detail

/// Sorts keys stably by the bits [begin_bit, end_bit) of their codes; out may be in.
template <class Key, class Codec>
void radix_sort(const Key* in, Key* out, std::uint64_t n, const Codec& codec, int begin_bit, int end_bit, int threads) {
    detail::sort_moving<Key, detail::Nothing>(in, out, nullptr, nullptr, n, codec, begin_bit, end_bit, threads);
}

/// The same with a value moving beside each key.
template <class Key, class Value, class Codec>
void radix_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, std::uint64_t n,
                      const Codec& codec, int begin_bit, int end_bit, int threads) {
    detail::sort_moving(keys_in, keys_out, values_in, values_out, n, codec, begin_bit, end_bit, threads);
}

/// The indices that would sort the keys.
template <class Index, class Key, class Codec>
void argsort(const Key* keys, Index* indices, std::uint64_t n, const Codec& codec, int begin_bit, int end_bit,
             int threads) {
    static_assert(sizeof(Index) == 4 || sizeof(Index) == 8);
    detail::sort_moving<Key, Index>(keys, nullptr, nullptr, indices, n, codec, begin_bit, end_bit, threads);
}

/// out[i] = in[indices[i]], for items of `size` bytes; in and out are apart.
template <class Index>
void gather(const std::byte* in, std::byte* out, std::size_t size, const Index* indices, std::uint64_t n, int threads) {
    constexpr std::uint64_t kItems = 1u << 14;
    for_chunks(divide_up(n, kItems), threads_for(n, threads), [&](std::uint64_t chunk) {
        for (std::uint64_t i = chunk * kItems, end = std::min(n, i + kItems); i < end; ++i)
            std::memcpy(out + i * size, in + static_cast<std::uint64_t>(indices[i]) * size, size);
    });
}

namespace detail {

/// Any value arrays: indices travel with the keys, and the values are gathered by them at the end.
template <class Index, class Key, class Codec>
void sort_and_gather(const Key* in, Key* out, std::uint64_t n, const Codec& codec, int begin_bit, int end_bit,
                     std::span<const grid::value_array> values, int threads) {
    std::size_t widest = 0;
    for (const grid::value_array& array : values)
        if (array.in == array.out) widest = std::max(widest, array.bytes);
    const char* call = "radix_sort_pairs";
    const Scratch<Index> indices(call, n);
    const Scratch<std::byte> copies(call, n * widest);
    sort_moving<Key, Index>(in, out, nullptr, indices.data(), n, codec, begin_bit, end_bit, threads);
    for (const grid::value_array& array : values) {
        const std::byte* from = static_cast<const std::byte*>(array.in);
        if (array.in == array.out) {
            copy_items(copies.data(), from, n * array.bytes, threads);
            from = copies.data();
        }
        gather(from, static_cast<std::byte*>(array.out), array.bytes, indices.data(), n, threads);
    }
}

}  // namespace detail

/// Keys with any number of value arrays. `out` may be null, then keys are only read; an array without input gets
/// indices.
template <class Key, class Codec>
void sort_arrays(const Key* in, Key* out, std::uint64_t n, const Codec& codec, int begin_bit, int end_bit,
                 std::span<const grid::value_array> values, int threads) {
    if (values.empty()) return radix_sort(in, out, n, codec, begin_bit, end_bit, threads);
    const auto move = [&]<class Value>(Value) {
        detail::sort_moving(in, out, static_cast<const Value*>(values[0].in), static_cast<Value*>(values[0].out), n,
                            codec, begin_bit, end_bit, threads);
    };
    if (values.size() == 1 && values[0].bytes == 4) return move(detail::Bytes<4>{});
    if (values.size() == 1 && values[0].bytes == 8) return move(detail::Bytes<8>{});
    if (n <= std::uint64_t{1} << 32)
        return detail::sort_and_gather<std::uint32_t>(in, out, n, codec, begin_bit, end_bit, values, threads);
    detail::sort_and_gather<std::uint64_t>(in, out, n, codec, begin_bit, end_bit, values, threads);
}

// Numbers are compiled once, in lib/host_sort.cpp.
#define KOGGE_HOST_SORT_OF(prefix, Key)                                                                            \
    prefix template void sort_arrays(const Key*, Key*, std::uint64_t, const kogge::detail::NumberCodec<Key>&, int, \
                                     int, std::span<const grid::value_array>, int);
#define KOGGE_HOST_SORTS(prefix)              \
    KOGGE_HOST_SORT_OF(prefix, std::uint8_t)  \
    KOGGE_HOST_SORT_OF(prefix, std::uint16_t) \
    KOGGE_HOST_SORT_OF(prefix, std::uint32_t) \
    KOGGE_HOST_SORT_OF(prefix, std::uint64_t) \
    KOGGE_HOST_SORT_OF(prefix, ::kogge::uint128)
KOGGE_HOST_SORTS(extern)

}  // namespace kogge::host
