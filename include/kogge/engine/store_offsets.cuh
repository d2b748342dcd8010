// Offsets of segments stored as integers of 64 bits, before kernels that read nothing else. Global traffic: one write
// of 8 bytes per offset.
#pragma once

#include <cstdint>

#include "kogge/engine/gather.cuh"
#include "kogge/types/segments.hpp"

namespace kogge::grid {

/// Stores offsets of any integer type, or rows' begins. The kernel is in the library.
void store_offsets(const detail::SegmentBounds& segments, std::uint64_t* out, stream_t stream);

}  // namespace kogge::grid

namespace kogge::grid::KOGGE_CODE {

/// Behind the last offset, up to the bound of their number, stand places past any n.
template <class Source>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4)
    store_offsets_kernel(Source source, std::uint64_t* out, Count count) {
    simt::wait_for_stream();
    const std::uint64_t number = count.get();
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kMoveThreads;
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads +
                           static_cast<std::uint64_t>(simt::thread_rank());
         i < count.host; i += step)
        out[i] = i < number ? static_cast<std::uint64_t>(source[i]) : ~std::uint64_t{0};
}

template <class Source>
void store_offsets(const Source& source, std::uint64_t* out, const Count& count, stream_t stream) {
    if (count.host == 0) return;
    simt::launch(store_offsets_kernel<Source>, move_shape(count.host, stream, "store_offsets_kernel"), source, out,
                 count);
}

}  // namespace kogge::grid::KOGGE_CODE
