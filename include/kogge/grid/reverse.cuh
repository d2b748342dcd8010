// Turns an array around where it stands. Traffic: every item read once and written once.
#pragma once

#include <cstdint>

#include "kogge/grid/move.cuh"

namespace kogge::grid {

template <class Item>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4) reverse_kernel(Item* items, Count count) {
    simt::wait_for_stream();
    const std::uint64_t n = count.get(), step = static_cast<std::uint64_t>(simt::grid_size()) * kMoveThreads;
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads + simt::thread_rank();
         i < n / 2; i += step) {
        const Item low = items[i], high = items[n - 1 - i];
        items[i] = high;
        items[n - 1 - i] = low;
    }
}

template <class Item>
void device_reverse(Item* items, const item_count& n, const exec& how) {
    if (n.bound() > 1)
        simt::launch(reverse_kernel<Item>, move_shape(n.bound() / 2, how.stream, "reverse_kernel"), items,
                     Count{n.bound(), n.on_device()});
}

}  // namespace kogge::grid
