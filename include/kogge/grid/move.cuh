// Items moved as they are: copied, as far as a device count says, gathered by index, and indices written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kogge/grid/carry.cuh"
#include "kogge/grid/digits.cuh"
#include "kogge/grid/tile_shape.hpp"
#include "kogge/keys.hpp"
#include "kogge/prebuilt.hpp"

namespace kogge::grid {

inline constexpr int kMoveThreads = 256;

/// Keys, or values, that memory moves at once.
template <class Key>
struct KeyPack {
    static constexpr int kKeys =
        sizeof(Key) <= 8 && (sizeof(Key) & (sizeof(Key) - 1)) == 0 ? static_cast<int>(16 / sizeof(Key)) : 1;
    alignas(kKeys > 1 ? 16 : alignof(Key)) Key keys[kKeys];

    /// Whether keys there may be read and written as packs.
    KOGGE_HOST_DEVICE static bool may_begin_at(const Key* keys) {
        return reinterpret_cast<std::uintptr_t>(keys) % alignof(KeyPack) == 0;
    }
};

/// Calls move(i, step) for batches of places i, i + step, … below a count, by all threads of the grid.
template <int batch, class Move>
KOGGE_DEVICE void for_places_of_grid(std::uint64_t count, const Move& move) {
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * simt::block_size();
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::block_rank()) * simt::block_size() + simt::thread_rank();
         i < count; i += batch * step)
        move(i, step);
}

/// Copies an array, by packs where both places allow it.
template <class T>
KOGGE_DEVICE void copy_array(const T* from, T* to, std::uint64_t n) {
    using Pack = KeyPack<T>;
    const auto copy = []<class Unit>(const Unit* units, Unit* to, std::uint64_t count) {
        constexpr int batch = sizeof(Unit) <= 16 ? 4 : 1;
        for_places_of_grid<batch>(count, [&](std::uint64_t i, std::uint64_t step) {
            Unit moved[batch];
            for_each_item<batch>([&](int u) {
                if (i + u * step < count) moved[u] = units[i + u * step];
            });
            for_each_item<batch>([&](int u) {
                if (i + u * step < count) to[i + u * step] = moved[u];
            });
        });
    };
    const std::uint64_t packs = Pack::may_begin_at(from) && Pack::may_begin_at(to) ? n / Pack::kKeys : 0;
    copy(reinterpret_cast<const Pack*>(from), reinterpret_cast<Pack*>(to), packs);
    copy(from + packs * Pack::kKeys, to + packs * Pack::kKeys, n - packs * Pack::kKeys);
}

/// A word size that divides `bytes` and all the addresses.
inline int word_bytes(std::size_t bytes, const void* a, const void* b) {
    const std::uintptr_t all = bytes | reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b);
    return all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : all % 2 == 0 ? 2 : 1;
}

/// out item i = in item indices[i], or in item i where indices is null; items of `words` words.
template <class Word, class Index>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4)
    gather_words_kernel(const Word* in, Word* out, const Index* indices, Count count, std::uint64_t words) {
    simt::wait_for_stream();
    const std::uint64_t total = count.get() * words;
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kMoveThreads;
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads + simt::thread_rank();
         i < total; i += step) {
        const std::uint64_t item = i / words;
        const std::uint64_t source = indices ? static_cast<std::uint64_t>(indices[item]) : item;
        out[i] = in[source * words + (i - item * words)];
    }
}

template <class Index>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4) write_indices_kernel(Index* out, Count count) {
    simt::wait_for_stream();
    const std::uint64_t n = count.get();
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kMoveThreads;
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads + simt::thread_rank(); i < n;
         i += step)
        out[i] = static_cast<Index>(i);
}

inline simt::LaunchShape move_shape(std::uint64_t words, stream_t stream, const char* name) {
    const std::uint64_t blocks = divide_up(words, kMoveThreads);
    const std::uint64_t most = static_cast<std::uint64_t>(simt::properties_of(stream).multiprocessors) * 8;
    return {static_cast<std::uint32_t>(blocks < most ? blocks : most), kMoveThreads, 0, stream, name};
}

template <class Index>
void write_indices(Index* out, const Count& n, stream_t stream) {
    simt::launch(write_indices_kernel<Index>, move_shape(n.host, stream, "write_indices_kernel"), out, n);
}

/// Gathers items of any size; `indices` may be null for a plain copy. `in` and `out` do not overlap.
template <class Index>
void gather_items(const void* in, void* out, std::size_t item_bytes, const Index* indices, const Count& n,
                  stream_t stream) {
    const auto gather = [&]<class Word>(Word) {
        const std::uint64_t words = item_bytes / sizeof(Word);
        simt::launch(gather_words_kernel<Word, Index>, move_shape(n.host * words, stream, "gather_words_kernel"),
                     static_cast<const Word*>(in), static_cast<Word*>(out), indices, n, words);
    };
    switch (word_bytes(item_bytes, in, out)) {
        case 8:
            return gather(std::uint64_t{});
        case 4:
            return gather(std::uint32_t{});
        case 2:
            return gather(std::uint16_t{});
        default:
            return gather(std::uint8_t{});
    }
}

/// Copies items as far as the count says.
inline void copy_items(const void* in, void* out, std::size_t item_bytes, const Count& n, stream_t stream) {
    if (in == out) return;
    if (n.device) gather_items(in, out, item_bytes, static_cast<const std::uint32_t*>(nullptr), n, stream);
    else simt::copy(out, in, n.host * item_bytes, stream);
}

/// Each array in the order of the indices; `copy` has room for the widest of those that are their own outputs.
template <class Index>
void gather_values(std::span<const value_array> values, const Index* indices, void* copy, const Count& n,
                   stream_t stream) {
    for (const value_array& array : values) {
        const void* source = array.in;
        if (array.in == array.out) {
            copy_items(array.in, copy, array.bytes, n, stream);
            source = copy;
        }
        gather_items(source, array.out, array.bytes, indices, n, stream);
    }
}

/// Calls f with the values as words of `bytes` bytes that travel with keys; 0: as no values.
template <class F>
void with_values(const void* in, void* out, std::size_t bytes, const F& f) {
    switch (bytes) {
        case 0:
            return f(static_cast<const NoValue*>(nullptr), static_cast<NoValue*>(nullptr));
        case 4:
            return f(static_cast<const std::uint32_t*>(in), static_cast<std::uint32_t*>(out));
        case 8:
            return f(static_cast<const std::uint64_t*>(in), static_cast<std::uint64_t*>(out));
        default:
            return f(static_cast<const uint128*>(in), static_cast<uint128*>(out));
    }
}

}  // namespace kogge::grid
