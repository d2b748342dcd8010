// A scan by one wave of more items than the registers hold. A warp has slices in shared memory, loaded and stored by
// bulk copies and scanned as in a pipeline (scan/pipeline.cuh), and after them rows in registers (scan/wave.cuh). Every
// item is read once, and before any result is written.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/scan/pipeline.cuh"
#include "kogge/scan/wave.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Problem>
struct DeepWaveShared : WaveShared<typename Problem::Accumulator> {
    struct Stage {
        alignas(128) unsigned char items[simt::kWarpSize * kDeepSegmentBytes];
    };
    Stage stage[kWaveWarps][kDeepSlices];
    simt::TransactionBarrier loaded[kWaveWarps][kDeepSlices];  ///< only the warp itself waits
};

/// The slices of one warp, from its item `begin` on. `count`: the warp's items, rows included.
template <class Problem>
class DeepSlices {
public:
    using Acc = typename Problem::Accumulator;
    using Item = typename Problem::Item;
    using Work = ScanWork<Problem, static_cast<int>(kDeepSegmentBytes / sizeof(Item))>;
    static constexpr int kItems = kDeepSlices * Work::kSliceItems;

    /// Starts loading. All lanes call, and a warp barrier must follow.
    KOGGE_DEVICE DeepSlices(const Problem& problem, DeepWaveShared<Problem>& shared, std::uint64_t begin, int count)
        : work_(problem, true), shared_(shared), begin_(begin), count_(count) {
        KOGGE_UNROLL
        for (int s = 0; s < kDeepSlices; ++s) load(s);
    }

    /// The fold of all items, as they arrive.
    KOGGE_DEVICE Carry<Acc> reduce() {
        Carry<Acc> total{};
        KOGGE_UNROLL
        for (int s = 0; s < kDeepSlices; ++s) {
            if constexpr (Work::kFromMemory) loaded(s).wait(0);
            const Slice<Item> own = slice(s);
            totals_[s] = work_.reduce(own, saved_[s]);
            if (own.count > 0) total = append(total, totals_[s], work_.op);
        }
        return total;
    }
    /// Scans from `carry`, starts storing, and returns the carry of the next item.
    KOGGE_DEVICE Carry<Acc> finish(Carry<Acc> carry) {
        KOGGE_UNROLL
        for (int s = 0; s < kDeepSlices; ++s) {
            const Slice<Item> own = slice(s);
            work_.finish(own, carry, saved_[s]);
            if (own.count > 0) carry = append(carry, totals_[s], work_.op);
        }
        return carry;
    }

private:
    KOGGE_DEVICE simt::TransactionBarrier& loaded(int s) { return shared_.loaded[simt::warp_rank()][s]; }
    KOGGE_DEVICE Slice<Item> slice(int s) {
        // The difference of two minima, for the reason given in engine/pipeline.cuh.
        const int first = s * Work::kSliceItems, last = first + Work::kSliceItems;
        const int from = first < count_ ? first : count_, to = last < count_ ? last : count_;
        return {reinterpret_cast<Item*>(shared_.stage[simt::warp_rank()][s].items), to - from,
                begin_ + static_cast<std::uint64_t>(first)};
    }
    KOGGE_DEVICE void load(int s) {
        const Slice<Item> own = slice(s);
        if constexpr (Work::kLoads) {  // items not loaded in bulk are read when they are reduced
            if constexpr (Work::kFromMemory) {
                if (simt::lane() == 0) {
                    loaded(s).init(1);
                    if (work_.loads_in_bulk()) work_.load(own, loaded(s));
                    else loaded(s).arrive();
                }
            }
        } else if constexpr (!Work::kFromMemory) {
            work_.read(own);
        } else {
            bring(own, loaded(s));
        }
    }
    /// The copy engine loads whole 16-byte units from a 16-byte boundary on, the lanes the remainder.
    KOGGE_DEVICE void bring(const Slice<Item>& own, simt::TransactionBarrier& loaded) {
        std::uint32_t bulk = 0;
        if (block::is_chunk_aligned(work_.in))
            bulk = static_cast<std::uint32_t>(own.count * sizeof(Item) / sizeof(block::Chunk)) *
                   static_cast<std::uint32_t>(sizeof(block::Chunk));
        if (simt::lane() == 0) {
            loaded.init(1);
            loaded.arrive_expect(bulk);
            if (bulk > 0) simt::bulk_load_once(own.items, work_.in + own.base, bulk, loaded);
        }
        for (int i = static_cast<int>(bulk / sizeof(Item)) + simt::lane(); i < own.count; i += simt::kWarpSize)
            own.items[i] = work_.in[own.base + static_cast<std::uint64_t>(i)];
    }

    Work work_;
    DeepWaveShared<Problem>& shared_;
    std::uint64_t begin_;
    int count_;
    typename Work::Saved saved_[kDeepSlices];
    Acc totals_[kDeepSlices];
};

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kWaveThreads, kWaveBlocks)
    scan_deep_wave_kernel(Problem problem, typename Problem::Accumulator* aggregates) {
    simt::wait_for_stream();
    using Acc = typename Problem::Accumulator;
    using Slices = DeepSlices<Problem>;
    using Rows = ScanRowsOf<Problem, kDeepRows, true>;
    constexpr int kWarpItems = Slices::kItems + Rows::kWarpItems, kTileItems = kWaveWarps * kWarpItems;
    if constexpr (simt::kHasBulkCopy) {  // plans choose it for no other device
        auto& shared = simt::shared_memory<DeepWaveShared<Problem>>();
        const std::uint64_t n = problem.n.get(), tile_begin = simt::block_rank() * std::uint64_t{kTileItems};
        const std::uint64_t begin = tile_begin + static_cast<std::uint64_t>(simt::warp_rank() * kWarpItems);
        const std::uint64_t rows_begin = begin + Slices::kItems;
        Slices slices(problem, shared, begin, items_from(begin, n, kWarpItems));
        const Rows items(problem.in, rows_begin, n);
        simt::sync_warp();  // the barriers are initialised, and the lanes' own loads are on chip

        Carry<Acc> total = slices.reduce();
        Acc folds[kDeepRows], totals[RowScan<Problem, Rows>::kTotals];
        const RowScan<Problem, Rows> rows{problem, items, folds, totals, Rows::count_from(rows_begin, n)};
        if (const Carry<Acc> behind = rows.scan(); behind.present) total = append(total, behind.value, problem.op);
        const int warps = (items_from(tile_begin, n, kTileItems) + kWarpItems - 1) / kWarpItems;
        rows.store(slices.finish(carry_of_warp(problem, total.value, warps, aggregates, shared)));
        if (simt::lane() == 0) simt::bulk_wait<0>();
    }
}

template <class Problem, class Network>
void launch_way(const deep_wave_scan& way, const Problem& problem, Network, const scan_plan& plan,
                const ScanMemory& memory, stream_t stream) {
    using Shared = DeepWaveShared<Problem>;
    static_assert(sizeof(Shared) <= deep_shared_bytes(sizeof(typename Problem::Accumulator)), "plans count on it");
    simt::launch(scan_deep_wave_kernel<Problem>,
                 {plan.blocks, kWaveThreads, sizeof(Shared), stream, "scan_deep_wave_kernel", way.cooperative}, problem,
                 static_cast<typename Problem::Accumulator*>(memory.sums[0]));
}

}  // namespace kogge::grid::KOGGE_CODE
