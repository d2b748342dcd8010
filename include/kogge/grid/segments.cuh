// Scans of segments: the segments' starts become one bit an item, and the scan reads the bits beside the items. Global
// traffic besides the scan's own: the offsets once, and, where the items do not fit a wave, the bits written and read.
#pragma once

#include <cstdint>

#include "kogge/grid/heads.cuh"
#include "kogge/grid/scan.cuh"
#include "kogge/grid/scan_memory.hpp"

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

/// Scans make_input(heads), whose sums are of type Sum; arguments have been
/// checked. In a wave each block marks the heads of its tile on chip, and nothing else is launched.
template <class Sum, class MakeInput, class Out, class Op>
void device_segmented_scan(const char* call, const MakeInput& make_input, Out* out, const item_count& n,
                           const std::uint64_t* offsets, std::uint64_t segments, Op op, const scan_shape& shape,
                           const scan_options& options, const exec& how) {
    if (n.bound() == 0) return;
    using Acc = detail::Flagged<Sum>;
    const scan_plan plan = plan_scan(n.bound(), shape, options, simt::properties_of(how.stream));
    detail::Carver measure;
    carve_scan(measure, plan, sizeof(Acc));
    detail::Scratch scratch(call, how, measure.used());
    detail::Carver carver(scratch.data());
    const ScanMemory memory = carve_scan(carver, plan, sizeof(Acc));
    const Count count{n.bound(), n.on_device()};
    const auto problem = [&](auto heads_of) {
        const auto in = make_input(heads_of);
        return ScanProblem<std::remove_const_t<decltype(in)>, Out, Acc, Op>{in, out, count, op, {}, true};
    };
    if (plan.mark_words == 0)
        return launch_scan_wave(problem(SegmentStarts{offsets, segments}), plan, static_cast<Acc*>(memory.sums[0]),
                                how.stream);
    simt::launch(mark_heads_kernel,
                 {static_cast<std::uint32_t>(divide_up(n.bound(), kMarkedItems)), kMarkThreads,
                  sizeof(TileMarks<kMarkedItems>), how.stream, "mark_heads_kernel"},
                 SegmentStarts{offsets, segments}, count, memory.marks);
    const auto marked = problem(SegmentHeads{memory.marks});
    if (options.block == network::shuffle) launch_tiles(marked, DefaultNetwork{}, plan, memory, how.stream);
    else launch_tiles(marked, ChosenNetwork{options.block}, plan, memory, how.stream);
}

}  // namespace kogge::grid
