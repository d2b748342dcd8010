// The contrast to a compaction that keeps the order: every warp draws its place in the output from a counter. It is
// different from run to run, and from 2^24 items on no faster. Part of partition_bench.cpp.
#pragma once

#include "harness.hpp"
#include "kogge/compact/launch.cuh"
#include "kogge/operators.hpp"
#include "kogge/radix_sort.hpp"

namespace bench {

inline constexpr int kUnorderedRows = 4;

template <class T>
struct UnorderedShared {
    using Rows = kogge::grid::WaveRows<const T*, T, kUnorderedRows>;
    alignas(16) T buffers[kogge::grid::kWaveWarps][Rows::kWarpItems];
};

template <class T, class Keep>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kogge::grid::kWaveThreads, kogge::grid::kWaveBlocks)
    compact_unordered_kernel(const T* in, std::uint64_t n, T* out, std::uint64_t* total, Keep keep) {
    kogge::simt::wait_for_stream();
    using Shared = UnorderedShared<T>;
    using Rows = typename Shared::Rows;
    auto& shared = kogge::simt::shared_memory<Shared>();
    const int warp = kogge::simt::warp_rank();
    const std::uint64_t tiles = kogge::grid::divide_up(n, Rows::kTileItems);
    for (std::uint64_t tile = kogge::simt::block_rank(); tile < tiles; tile += kogge::simt::grid_size()) {
        const Rows items(in, Rows::begin_of(tile), n);
        const auto bits = kogge::grid::decide(kogge::grid::ByPredicate<Keep>{keep}, items);
        const std::uint32_t kept = bits.count_warp();
        std::uint64_t place = 0;
        if (kogge::simt::lane() == 0) place = kogge::simt::atomic_add<kogge::simt::Scope::device>(total, kept);
        place = kogge::simt::shuffle(place, 0);
        kogge::grid::store_sides(items.pieces, bits, kept, Rows::kWarpItems, shared.buffers[warp], out + place,
                                 static_cast<T*>(nullptr));
        kogge::simt::sync_warp();  // the buffer is at rest
    }
}

/// The same items as CUB's, in any order.
template <class T>
Task compact_unordered(const Selectivity& selectivity, std::uint64_t n) {
    const auto prepare = [=](int slots, kogge::stream_t stream) {
        const Slots<T> in(n, slots), out(n, slots), expected(n, slots);
        const Slots<std::uint64_t> count(1, slots), expected_count(1, slots);
        for (int slot = 0; slot < slots; ++slot)
            make_items(in[slot], n, Selectable<T>{{static_cast<std::uint64_t>(slot), selectivity}}, stream);
        const kogge::compare<T> keep{kogge::relation::less, kept_below<T>()};
        Contest contest;
        contest.ours = [=](int slot, kogge::stream_t s) {
            kogge::simt::fill(count[slot], 0, sizeof(std::uint64_t), s);
            const auto blocks = static_cast<std::uint32_t>(kogge::simt::current_properties().multiprocessors) *
                                kogge::grid::kWaveBlocks;
            kogge::simt::launch(
                compact_unordered_kernel<T, kogge::compare<T>>,
                {blocks, kogge::grid::kWaveThreads, sizeof(UnorderedShared<T>), s, "compact_unordered_kernel"},
                static_cast<const T*>(in[slot]), n, out[slot], count[slot], keep);
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, kogge::stream_t s) {
            return cub::DeviceSelect::If(temporary, bytes, in[slot], expected[slot], expected_count[slot],
                                         static_cast<std::int64_t>(n), keep, s);
        });
        contest.spoil = [=](kogge::stream_t s) {
            out.fill(kPattern, s);
            count.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, kogge::stream_t s) {
            const std::uint64_t kept = read_number(count[slot], s);
            if (kept != read_number(expected_count[slot], s) || kept > n) return false;
            const Slots<T> left(n, 1), right(n, 1);
            kogge::radix_sort(static_cast<const T*>(out[slot]), left[0], kept, {.stream = s});
            kogge::radix_sort(static_cast<const T*>(expected[slot]), right[0], kept, {.stream = s});
            return is_equal(static_cast<const T*>(left[0]), static_cast<const T*>(right[0]), kept, s);
        };
        return contest;
    };
    return {bytes_of(n, sizeof(T) * (1 + selectivity.share)), prepare};
}

}  // namespace bench
