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

/// Outputs of a block between two looks for their items.
inline constexpr std::uint64_t kEmitStretch = 16 * kMoveThreads;

struct EmitShared {
    std::uint64_t first, last;  ///< items of a stretch of outputs
};

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
    auto& items = simt::shared_memory<EmitShared>();
    // offsets[result] <= j < offsets[result + 1], where low <= result < high
    const auto item_of = [&](std::uint64_t j, std::uint64_t low, std::uint64_t high) {
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            if (offsets[middle] <= j) low = middle;
            else high = middle;
        }
        return low;
    };
    // A stretch of outputs belongs to a stretch of items, in which a search is short.
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kEmitStretch;
    for (std::uint64_t begin = static_cast<std::uint64_t>(simt::block_rank()) * kEmitStretch; begin < outputs;
         begin += step) {
        const std::uint64_t end = outputs - begin < kEmitStretch ? outputs : begin + kEmitStretch;
        if (simt::thread_rank() == 0) items.first = item_of(begin, 0, n);
        if (simt::thread_rank() == simt::kWarpSize) items.last = item_of(end - 1, 0, n);
        simt::sync_block();  // the items of the stretch are known
        const std::uint64_t low = items.first, high = items.last + 1;
        for (std::uint64_t j = begin + static_cast<std::uint64_t>(simt::thread_rank()); j < end; j += kMoveThreads) {
            const std::uint64_t item = item_of(j, low, high);
            out[j] = make(item, j - offsets[item]);
        }
        simt::sync_block();  // all threads have read them
    }
}

inline simt::LaunchShape emit_shape(std::uint64_t capacity, stream_t stream) {
    simt::LaunchShape shape =
        move_shape(divide_up(capacity, kEmitStretch) * kMoveThreads, stream, "emit_outputs_kernel");
    shape.blocks = shape.blocks > 0 ? shape.blocks : 1;
    shape.shared_bytes = sizeof(EmitShared);
    return shape;
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
    simt::launch(emit_outputs_kernel<Make, Out>, emit_shape(capacity, how.stream), make, out, capacity,
                 static_cast<const std::uint64_t*>(offsets), Count{n.bound(), n.on_device()}, total);
}

}  // namespace kogge::grid
