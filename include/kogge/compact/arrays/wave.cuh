// Compaction of several arrays by one decision, by one wave. A tile of all arrays is in registers. Its rows have
// equally many items of each array, so that one set of bits and ranks serves all. The arrays are stored in turn through
// the same shared memory. Nothing is written before everything has been read, so in place is safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/compact/arrays/problem.cuh"
#include "kogge/compact/wave.cuh"
#include "kogge/plan.hpp"

namespace kogge::grid::KOGGE_CODE {

/// A lane's pieces of a warp's rows, of array `first` and the arrays after it.
template <int first, int rows, int each, class... Items>
struct ArrayRows {
    KOGGE_DEVICE ArrayRows(const void* const*, std::uint64_t, std::uint64_t) {}
    template <int read_only, class Bits>
    KOGGE_DEVICE void store(void* const*, const Bits&, const std::uint32_t (&)[std::size_t{rows}], std::uint32_t,
                            std::uint64_t, unsigned char*) const {}
};
template <int first, int rows, int each, class Item, class... Others>
struct ArrayRows<first, rows, each, Item, Others...> {
    using Rows = WaveRows<const Item*, Item, rows, false, each>;
    Rows items;
    ArrayRows<first + 1, rows, each, Others...> others;

    /// `begin`: index of the warp's first item.
    KOGGE_DEVICE ArrayRows(const void* const* in, std::uint64_t begin, std::uint64_t n)
        : items(static_cast<const Item*>(in[first]), begin, n), others(in, begin, n) {}

    /// Stores the `kept` kept items of each array to out[array][at …]. `before` are their ranks. The buffer is not in
    /// use, and has room for the rows of the widest items. All lanes call.
    template <int read_only, class Bits>
    KOGGE_DEVICE void store(void* const* out, const Bits& bits, const std::uint32_t (&before)[std::size_t{rows}],
                            std::uint32_t kept, std::uint64_t at, unsigned char* buffer) const {
        if constexpr (first >= read_only) {
            if constexpr (first > read_only) simt::sync_warp();  // the previous array has left the buffer
            store_kept(items.pieces, bits, before, kept, reinterpret_cast<Item*>(buffer),
                       static_cast<Item*>(out[first]) + at);
        }
        others.template store<read_only>(out, bits, before, kept, at, buffer);
    }
};

/// Block b takes tile b.
template <class Keep, int read_only, int rows, class... Items>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kWaveThreads, kWaveBlocks)
    compact_arrays_wave_kernel(ArraysProblem<Keep, sizeof...(Items)> problem, std::uint32_t* aggregates) {
    simt::wait_for_stream();
    constexpr int each = wave_piece_items(arrays_place_bytes({sizeof(Items)...}));
    using Held = ArrayRows<0, rows, each, Items...>;
    using Rows = typename Held::Rows;
    auto& shared = simt::shared_memory<CompactWaveShared>();
    const std::uint64_t n = problem.n.get();
    const Held held(problem.arrays.in, Rows::begin_of(simt::block_rank()), n);
    const auto bits = decide(problem.keep, held.items);
    const std::uint32_t kept = bits.count_warp();
    const WarpPlace to = place_warp(kept, aggregates, shared);
    if (simt::block_rank() == 0 && simt::thread_rank() == 0) *problem.total = to.all;
    std::uint32_t before[rows];
    rank_kept(bits, before);
    unsigned char* const buffers = reinterpret_cast<unsigned char*>(&shared + 1);
    held.template store<read_only>(problem.arrays.out, bits, before, kept, to.before,
                                   buffers + simt::warp_rank() * rows * simt::kWarpSize * 16);
}

/// `aggregates` has one place per block.
template <int read_only, class... Items, class Keep, int count>
void launch_arrays_wave(const compact_wave& way, std::uint32_t blocks, const ArraysProblem<Keep, count>& problem,
                        std::uint32_t* aggregates, stream_t stream) {
    static_assert(sizeof...(Items) == count);
    with_wave_rows<most_arrays_rows({sizeof(Items)...})>(way.rows, [&](auto rows) {
        const std::size_t bytes = sizeof(CompactWaveShared) + static_cast<std::size_t>(rows() * kWaveThreads) * 16;
        simt::launch(compact_arrays_wave_kernel<Keep, read_only, rows(), Items...>,
                     {blocks, kWaveThreads, bytes, stream, "compact_arrays_wave_kernel", way.cooperative, way.cluster},
                     problem, aggregates);
    });
}

}  // namespace kogge::grid::KOGGE_CODE
