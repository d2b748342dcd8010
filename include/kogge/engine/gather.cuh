// Items moved as bytes, by kernels compiled into the library: gathering by index, copying up to a device count, writing
// indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/engine/tile_shape.hpp"
#include "kogge/keys.hpp"

namespace kogge::grid {

/// Writes 0, 1, 2, … as integers of `index_bytes` bytes, 4 or 8.
void write_indices(void* out, std::size_t index_bytes, const item_count& n, stream_t stream);

/// Writes the lesser of two counts.
void write_least(std::uint64_t* out, const item_count& a, const item_count& b, stream_t stream);

/// Copies the first `n` items.
void copy_items(const void* in, void* out, std::size_t item_bytes, const item_count& n, stream_t stream);

/// Writes each array in the order of the indices, which have 4 or 8 bytes. `copy` has room for the widest array that is
/// its own output. Where there are `gaps`, an index of all ones says that an item is not written.
void gather_values(std::span<const value_array> values, const void* indices, std::size_t index_bytes, void* copy,
                   const item_count& n, stream_t stream, bool gaps = false);

}  // namespace kogge::grid

namespace kogge::grid::KOGGE_CODE {

inline constexpr int kMoveThreads = 256;

inline simt::LaunchShape move_shape(std::uint64_t words, stream_t stream, const char* name) {
    const std::uint64_t blocks = divide_up(words, kMoveThreads);
    const std::uint64_t most = static_cast<std::uint64_t>(simt::properties_of(stream).multiprocessors) * 8;
    return {static_cast<std::uint32_t>(blocks < most ? blocks : most), kMoveThreads, 0, stream, name};
}

/// Calls sort(in, out) with the array of words that travels with the keys as values; with null pointers for NoValue.
template <class Value, class Sort>
void with_values(std::span<const value_array> values, const Sort& sort) {
    if constexpr (std::is_same_v<Value, NoValue>)
        sort(static_cast<const NoValue*>(nullptr), static_cast<NoValue*>(nullptr));
    else sort(static_cast<const Value*>(values[0].in), static_cast<Value*>(values[0].out));
}

/// Calls sort(null, out) for indices to be written, of 4 bytes or, if they may be `wide`, of 8.
template <bool wide, class Sort>
void sort_indices(void* out, std::size_t index_bytes, const Sort& sort) {
    if constexpr (wide)
        if (index_bytes == 8) return sort(static_cast<const std::uint64_t*>(nullptr), static_cast<std::uint64_t*>(out));
    sort(static_cast<const std::uint32_t*>(nullptr), static_cast<std::uint32_t*>(out));
}

}  // namespace kogge::grid::KOGGE_CODE
