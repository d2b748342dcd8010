// Count, scan, emit: each item yields any number of outputs. The counts are scanned into offsets, and then every
// output, not every item, is a unit of work: its thread finds its item by binary search in the offsets. So one item
// with many outputs is shared by as many threads as many items with few.
#pragma once

#include <cstdint>
#include <utility>

#include "kogge/grid/move.cuh"
#include "kogge/grid/scan.cuh"
#include "kogge/operators.hpp"

namespace kogge::grid {

inline constexpr scan_shape kCountsShape{sizeof(std::uint64_t), sizeof(std::uint64_t), sizeof(std::uint64_t)};

/// The counts as the scan's input.
template <class CountOf>
struct CountsOf {
    CountOf count;
    KOGGE_DEVICE std::uint64_t operator[](std::uint64_t item) const { return static_cast<std::uint64_t>(count(item)); }
};

/// out[j] = make(i, j − offsets[i]) for the item i that output j belongs to, as far as `capacity` goes. offsets[n] is
/// the number of outputs; it also goes to *total.
template <class Make, class Out>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4)
    emit_outputs_kernel(Make make, Out* out, std::uint64_t capacity, const std::uint64_t* offsets, Count count,
                        std::uint64_t* total) {
    const std::uint64_t n = count.get();
    const std::uint64_t wanted = offsets[n];
    if (simt::block_rank() == 0 && simt::thread_rank() == 0) *total = wanted;
    const std::uint64_t outputs = wanted < capacity ? wanted : capacity;
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kMoveThreads;
    for (std::uint64_t j = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads + simt::thread_rank();
         j < outputs; j += step) {
        std::uint64_t low = 0, high = n;  // offsets[low] <= j < offsets[high]
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            if (offsets[middle] <= j) low = middle;
            else high = middle;
        }
        out[j] = make(low, j - offsets[low]);
    }
}

/// Emits on the device; arguments have been checked. `offsets` has room for n + 1 and may be null; `total` is device
/// memory. Where the outputs do not fit, the first `capacity` of them are written.
template <class CountOf, class Make, class Out>
void device_emit(const char* call, const item_count& n, CountOf count, Make make, Out* out, std::uint64_t capacity,
                 std::uint64_t* offsets, std::uint64_t* total, const exec& how) {
    const auto carve = [&](detail::Carver& carver) {
        std::uint64_t* const own = offsets ? nullptr : carver.take<std::uint64_t>(n.bound() + 1);
        const std::size_t bytes = plan_scan(n.bound(), kCountsShape, {}, simt::current_properties()).scratch_bytes;
        return std::pair(own, workspace{carver.take<unsigned char>(bytes), bytes});
    };
    detail::Carver measure;
    carve(measure);
    detail::Scratch scratch(call, how, measure.used());
    detail::Carver carver(scratch.data());
    const auto [own_offsets, scan_space] = carve(carver);
    if (!offsets) offsets = own_offsets;
    exec inner = how;
    inner.space = scan_space;
    simt::fill(offsets, 0, sizeof(std::uint64_t), how.stream);
    device_scan(call, CountsOf<CountOf>{count}, offsets + 1, n, plus{}, Carry<std::uint64_t>{}, true, scan_options{},
                inner);
    simt::launch(emit_outputs_kernel<Make, Out>,
                 move_shape(capacity > 0 ? capacity : 1, how.stream, "emit_outputs_kernel"), make, out, capacity,
                 static_cast<const std::uint64_t*>(offsets), Count{n.bound(), n.on_device()}, total);
}

}  // namespace kogge::grid
