// Count, scan, emit: each item yields any number of outputs. The counts are scanned into offsets, and then every
// output, not every item, is a unit of work: its thread finds its item by search in the offsets. So one item with many
// outputs is shared by as many threads as many items with few.
#pragma once

#include <cstdint>
#include <utility>

#include "kogge/grid/move.cuh"
#include "kogge/grid/scan.cuh"
#include "kogge/operators.hpp"

namespace kogge::grid {

inline constexpr scan_shape kCountsShape{sizeof(std::uint64_t), sizeof(std::uint64_t), sizeof(std::uint64_t)};

/// The most outputs of a thread between two looks for their items; few outputs are spread over more blocks.
inline constexpr std::uint64_t kMostEmitRounds = 16;

struct EmitShared {
    std::uint64_t first, last;  ///< items of a stretch of outputs
};

/// The counts as the scan's input.
template <class CountOf>
struct CountsOf {
    CountOf count;
    KOGGE_DEVICE std::uint64_t operator[](std::uint64_t item) const { return static_cast<std::uint64_t>(count(item)); }
};

/// The last of n items whose offset is at most j, where offsets[0] is. A warp looks at 32 places at once; all lanes
/// call.
KOGGE_DEVICE std::uint64_t search_by_warp(const std::uint64_t* offsets, std::uint64_t n, std::uint64_t j) {
    std::uint64_t low = 0, high = n;  // offsets[low] <= j < offsets[high]
    while (high - low > 1) {
        const std::uint64_t step = divide_up(high - low, simt::kWarpSize + 1);
        const std::uint64_t place = low + static_cast<std::uint64_t>(simt::lane() + 1) * step;
        const bool is_past = place >= high || offsets[place] > j;
        const auto passed = static_cast<std::uint64_t>(simt::kWarpSize - simt::count_bits(simt::ballot(is_past)));
        low += passed * step;
        high = high - low < step ? high : low + step;
    }
    return low;
}

/// out[j] = make(i, j − offsets[i]) for the item i that output j belongs to, as far as `capacity` goes. offsets[n] is
/// the number of outputs; it also goes to *total.
template <class Make, class Out>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4)
    emit_outputs_kernel(Make make, Out* out, std::uint64_t capacity, const std::uint64_t* offsets, Count count,
                        std::uint64_t* total, std::uint64_t stretch) {
    const std::uint64_t n = count.get();
    const std::uint64_t wanted = offsets[n];
    if (simt::block_rank() == 0 && simt::thread_rank() == 0) *total = wanted;
    const std::uint64_t outputs = wanted < capacity ? wanted : capacity;
    auto& items = simt::shared_memory<EmitShared>();
    // A stretch of outputs belongs to a stretch of items, in which a search is short.
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * stretch;
    for (std::uint64_t begin = static_cast<std::uint64_t>(simt::block_rank()) * stretch; begin < outputs;
         begin += step) {
        const std::uint64_t end = outputs - begin < stretch ? outputs : begin + stretch;
        if (simt::warp_rank() < 2) {
            const std::uint64_t item = search_by_warp(offsets, n, simt::warp_rank() == 0 ? begin : end - 1);
            if (simt::lane() == 0) (simt::warp_rank() == 0 ? items.first : items.last) = item;
        }
        simt::sync_block();  // the items of the stretch are known
        const std::uint64_t first = items.first, past = items.last + 1;
        for (std::uint64_t j = begin + static_cast<std::uint64_t>(simt::thread_rank()); j < end; j += kMoveThreads) {
            std::uint64_t low = first, high = past;  // offsets[low] <= j < offsets[high]
            while (high - low > 1) {
                const std::uint64_t middle = low + (high - low) / 2;
                if (offsets[middle] <= j) low = middle;
                else high = middle;
            }
            out[j] = make(low, j - offsets[low]);
        }
        simt::sync_block();  // all threads have read them
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
    const std::uint64_t most = static_cast<std::uint64_t>(simt::current_properties().multiprocessors) * 8;
    const std::uint64_t rounds = divide_up(capacity, most * kMoveThreads);
    const std::uint64_t stretch = kMoveThreads * (rounds < 1 ? 1 : rounds < kMostEmitRounds ? rounds : kMostEmitRounds);
    const std::uint64_t blocks = divide_up(capacity, stretch);
    simt::launch(emit_outputs_kernel<Make, Out>,
                 {static_cast<std::uint32_t>(blocks < 1      ? 1
                                             : blocks < most ? blocks
                                                             : most),
                  kMoveThreads, sizeof(EmitShared), how.stream, "emit_outputs_kernel"},
                 make, out, capacity, static_cast<const std::uint64_t*>(offsets), Count{n.bound(), n.on_device()},
                 total, stretch);
}

}  // namespace kogge::grid
