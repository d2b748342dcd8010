// LSD radix sort with host threads: one split per digit in which keys differ, from the least significant up. Keys of 4
// or 8 bytes without values are sorted by vector instructions where the build has them (host/vector_sort.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/host/machine/scratch.hpp"
#include "kogge/host/machine/threads.hpp"
#include "kogge/host/machine/vector_sort.hpp"
#include "kogge/host/split.hpp"
#include "kogge/keys.hpp"

namespace kogge::host {

namespace detail {

/// A value of `size` bytes, at any alignment; 0: no value.
template <std::size_t size>
struct Bytes {
    std::byte byte[size];
};
template <>
struct Bytes<0> {};

/// to[i] = i, as an unsigned integer of the values' size.
template <std::size_t size>
void write_indices(Bytes<size>* to, std::uint64_t n, int threads) {
    for_chunks(n, kChunkBytes / size, threads, [=](const Chunk& chunk) {
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
            const auto index = static_cast<kogge::detail::unsigned_of<size>>(i);
            std::memcpy(to + i, &index, size);
        }
    });
}

/// to[i] = from[indices[i]], for items of `size` bytes.
template <class Index>
void gather(std::byte* to, const std::byte* from, std::size_t size, const Index* indices, std::uint64_t n,
            int threads) {
    for_chunks(n, kChunkBytes / sizeof(Index), threads, [=](const Chunk& chunk) {
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i)
            std::memcpy(to + i * size, from + std::uint64_t{indices[i]} * size, size);
    });
}

/// Sorts keys with at most one array of small values. If keys_out is null, keys are only read; if values_in is null, a
/// value is its key's index. Arrays may be sorted onto themselves.
template <class Key, std::size_t value_bytes, class Codec>
void sort_moving(const Key* keys_in, Key* keys_out, const Bytes<value_bytes>* values_in, Bytes<value_bytes>* values_out,
                 std::uint64_t n, const Codec& codec, int begin_bit, int end_bit, int threads) {
    constexpr bool has_values = value_bytes > 0;
    const char* call = has_values ? "radix_sort_pairs" : "radix_sort";
    const Scratch<Key> own_keys(call, n), unwanted_keys(call, keys_out ? 0 : n);
    const Scratch<Bytes<value_bytes>> own_values(call, has_values ? n : 0);
    // Few passes should go through memory: the lines of 2^11 bins still fit a core's second-level cache.
    const int digit_bits = n * (sizeof(Key) + value_bytes) < kLargeBytes ? 8 : 11;
    const int passes = (end_bit - begin_bit + digit_bits - 1) / digit_bits;
    Splitter<Key, Bytes<value_bytes>> splitter(call, n, 1u << digit_bits, threads);

    // Passes alternate between the scratch and the output; if no pass is left out, the last one writes the output.
    Key* const keys[] = {own_keys.data(), keys_out ? keys_out : unwanted_keys.data()};
    Bytes<value_bytes>* const values[] = {own_values.data(), values_out};
    const bool in_place = keys_in == keys_out || (has_values && values_in == values_out);
    int to = in_place ? 0 : passes % 2;
    if constexpr (has_values) {
        if (!values_in) {
            write_indices(values[1 - to], n, threads);
            values_in = values[1 - to];
        }
    }
    for (int pass = 0; pass < passes; ++pass) {
        const int width = (end_bit - begin_bit) / (passes - pass);
        const auto digit = [codec, begin_bit, width](const Key& key) { return codec.digit(key, begin_bit, width); };
        begin_bit += width;
        if (!splitter.count(keys_in, digit)) continue;
        splitter.move(keys_in, keys[to], values_in, values[to], digit);
        keys_in = keys[to];
        values_in = values[to];
        to = 1 - to;
    }
    if (keys_out) copy_items(keys_out, keys_in, n, threads);
    copy_items(values_out, values_in, has_values ? n : 0, threads);
}

}  // namespace detail

/// Sorts keys stably by the bits [begin_bit, end_bit) of their codes, and moves any number of value arrays with them.
/// If `out` is null, keys are only read; an array without input gets indices. Arrays may be sorted onto themselves.
template <class Key, class Codec>
void radix_sort(const Key* in, Key* out, std::uint64_t n, const Codec& codec, int begin_bit, int end_bit,
                std::span<const grid::value_array> values, int threads) {
    const auto move = [&]<std::size_t size>(detail::Bytes<size>, const void* values_in, void* values_out) {
        using Value = detail::Bytes<size>;
        detail::sort_moving(in, out, static_cast<const Value*>(values_in), static_cast<Value*>(values_out), n, codec,
                            begin_bit, end_bit, threads);
    };
    if (values.empty()) {
        if constexpr ((std::is_same_v<Key, std::uint32_t> ||
                       std::is_same_v<Key, std::uint64_t>)&&std::is_same_v<Codec, kogge::detail::NumberCodec<Key>>)
            if (begin_bit == 0 && end_bit == Codec::kBits && sort_by_vectors(in, out, n, codec, threads)) return;
        return move(detail::Bytes<0>{}, nullptr, nullptr);
    }
    const grid::value_array& first = values[0];
    if (values.size() == 1 && first.bytes == 4) return move(detail::Bytes<4>{}, first.in, first.out);
    if (values.size() == 1 && first.bytes == 8) return move(detail::Bytes<8>{}, first.in, first.out);

    // Other values are gathered at the end, by indices that travel with the keys.
    const auto move_and_gather = [&]<class Index>(Index) {
        std::size_t widest = 0;
        for (const grid::value_array& array : values)
            if (array.in == array.out) widest = (std::max)(widest, array.bytes);
        const Scratch<Index> indices("radix_sort_pairs", n);
        const Scratch<std::byte> copies("radix_sort_pairs", n * widest);
        move(detail::Bytes<sizeof(Index)>{}, nullptr, indices.data());
        for (const grid::value_array& array : values) {
            const auto* from = static_cast<const std::byte*>(array.in);
            if (array.in == array.out) {
                copy_items(copies.data(), from, n * array.bytes, threads);
                from = copies.data();
            }
            detail::gather(static_cast<std::byte*>(array.out), from, array.bytes, indices.data(), n, threads);
        }
    };
    if (n <= std::uint64_t{1} << 32) move_and_gather(std::uint32_t{});
    else move_and_gather(std::uint64_t{});
}

// Numbers are compiled once, in lib/host/sort.cpp.
#define KOGGE_HOST_SORT_OF(prefix, Key)                                                                                \
    prefix template void radix_sort(const Key*, Key*, std::uint64_t, const kogge::detail::NumberCodec<Key>&, int, int, \
                                    std::span<const grid::value_array>, int);
#define KOGGE_DECLARE(Key) KOGGE_HOST_SORT_OF(extern, Key)
KOGGE_STORED_KEYS(KOGGE_DECLARE)
#undef KOGGE_DECLARE

}  // namespace kogge::host
