// Scans of segments: the segments' starts become one bit an item, and the scan reads the bits beside the items. Global
// traffic besides the scan's own: the offsets once, and, where the items do not fit a wave, the bits written and read.
#pragma once

#include <cstdint>
#include <utility>

#include "kogge/grid/heads.cuh"
#include "kogge/grid/scan.cuh"

namespace kogge::grid {

inline constexpr int kMarkThreads = 256;
inline constexpr int kMarkedItems = 32768;  ///< of a block

/// Writes the words that have a bit for each item, set where a segment starts. A block marks its items on chip.
KOGGE_SHARED_KERNEL void KOGGE_LAUNCH_BOUNDS(kMarkThreads, 4)
    mark_heads_kernel(SegmentStarts starts, Count count, std::uint32_t* heads) {
    simt::wait_for_stream();
    constexpr int words = kMarkedItems / static_cast<int>(kHeadsPerWord);
    auto& marks = simt::shared_memory<TileMarks<kMarkedItems>>();
    const std::uint64_t n = count.get(), begin = static_cast<std::uint64_t>(simt::block_rank()) * kMarkedItems;
    if (begin >= n) return;
    mark_tile<kMarkThreads>(starts, begin, marks);
    const std::uint64_t left = divide_up(n - begin, kHeadsPerWord);
    for (int i = simt::thread_rank(); i < words && static_cast<std::uint64_t>(i) < left; i += kMarkThreads)
        heads[begin / kHeadsPerWord + static_cast<std::uint64_t>(i)] = marks.words[i];
}

/// Scans make_input(heads), whose accumulator is Acc; arguments have been checked. In a wave each block marks the heads
/// of its tile on chip, and nothing else is launched.
template <class Acc, class MakeInput, class Out, class Op>
void device_segmented_scan(const char* call, const MakeInput& make_input, Out* out, const item_count& n,
                           const std::uint64_t* offsets, std::uint64_t segments, Op op, const exec& how) {
    if (n.bound() == 0) return;
    using Input = decltype(make_input(SegmentHeads{}));
    const scan_plan plan =
        plan_scan(n.bound(), ScanProblem<Input, Out, Acc, Op>::kShape, {}, simt::properties_of(how.stream));
    const bool marks_on_chip = plan.grid == grid_strategy::one_wave;
    const std::uint64_t words = marks_on_chip ? 0 : divide_up(n.bound(), kHeadsPerWord);
    const auto carve = [&](detail::Carver& carver) {
        std::uint32_t* const heads = carver.take<std::uint32_t>(words);
        return std::pair(heads, carve_scan(carver, plan, sizeof(Acc)));
    };
    detail::Carver measure;
    carve(measure);
    detail::Scratch scratch(call, how, measure.used());
    detail::Carver carver(scratch.data());
    const auto [heads, memory] = carve(carver);
    const Count count{n.bound(), n.on_device()};
    const auto problem = [&](auto heads_of) {
        const auto in = make_input(heads_of);
        return ScanProblem<std::remove_const_t<decltype(in)>, Out, Acc, Op>{in, out, count, op, {}, true};
    };
    if (marks_on_chip)
        return launch_scan_wave(problem(SegmentStarts{offsets, segments}), plan, static_cast<Acc*>(memory.sums[0]),
                                how.stream);
    simt::launch(mark_heads_kernel,
                 {static_cast<std::uint32_t>(divide_up(n.bound(), kMarkedItems)), kMarkThreads,
                  sizeof(TileMarks<kMarkedItems>), how.stream, "mark_heads_kernel"},
                 SegmentStarts{offsets, segments}, count, heads);
    launch_tiles(problem(SegmentHeads{heads}), DefaultNetwork{}, plan, memory, how.stream);
}

}  // namespace kogge::grid
