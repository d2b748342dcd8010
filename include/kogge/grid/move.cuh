// Items moved as bytes: gathered by index, copied as far as a device count says, and indices written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kogge/grid/carry.cuh"
#include "kogge/grid/tile_shape.hpp"
#include "kogge/keys.hpp"
#include "kogge/prebuilt.hpp"

namespace kogge::grid::KOGGE_CODE {

inline constexpr int kMoveThreads = 256;

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

}  // namespace kogge::grid::KOGGE_CODE
