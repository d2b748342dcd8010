// Runs by one wave: a tile's aggregate is the number of runs that begin in it and, if lengths are wanted, where the
// last one begins. So the warp with the next head completes the length of the run before it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/engine/wave.cuh"
#include "kogge/runs/scratch.hpp"
#include "kogge/runs/warp_runs.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The runs that begin in an interval of keys.
struct RunsTally {
    std::uint32_t runs;
    std::uint32_t behind;  ///< one more than the index of the last head; 0: there is no head
};
struct AddRunsTallies {
    KOGGE_DEVICE RunsTally operator()(const RunsTally& a, const RunsTally& b) const {
        return {a.runs + b.runs, b.behind > 0 ? b.behind : a.behind};
    }
    /// The fold of the first `active` lanes.
    KOGGE_DEVICE RunsTally fold_lanes(const RunsTally& own, int active) const {
        const bool counts = simt::lane() < active;
        const std::uint32_t runs = simt::reduce_add(counts ? own.runs : 0);
        const simt::mask_t heads = simt::ballot(counts && own.behind > 0);
        const std::uint32_t behind = simt::shuffle(own.behind, heads ? simt::highest_bit(heads) : 0);
        return {runs, heads ? behind : 0};
    }
};

/// A wave's aggregates: plain counts if lengths are not wanted.
template <class Write>
struct WaveTallies {
    using Value = std::conditional_t<Write::kOutput == runs_output::lengths, RunsTally, std::uint32_t>;
    using Op = std::conditional_t<Write::kOutput == runs_output::lengths, AddRunsTallies, plus>;

    KOGGE_DEVICE static std::uint32_t runs(const Value& value) {
        if constexpr (Write::kOutput == runs_output::lengths) return value.runs;
        else return value;
    }
    /// The tally of a warp's bits. `base`: index of its first key.
    template <int rows, int piece_items>
    KOGGE_DEVICE static Value count(const KeptBits<rows, piece_items>& bits, std::uint64_t base) {
        const std::uint32_t runs = bits.count_warp();
        if constexpr (Write::kOutput != runs_output::lengths) {
            return runs;
        } else {
            // The last head is in the last row with a head, in that row's last lane with one, at the highest bit.
            static_assert(KeptBits<rows, piece_items>::kWords == 1);
            simt::mask_t lanes = 0;
            int row = 0;
            KOGGE_UNROLL
            for (int r = 0; r < rows; ++r) {
                const simt::mask_t with_heads = simt::ballot(bits.count(r) > 0);
                if (with_heads) {
                    lanes = with_heads;
                    row = r;
                }
            }
            if (lanes == 0) return {0, 0};
            const int lane = simt::highest_bit(lanes);
            const std::uint32_t word = simt::shuffle(bits.words[0], lane) >> (row * piece_items);
            constexpr std::uint32_t of_row = (std::uint64_t{1} << piece_items) - 1;
            const int place = (row * simt::kWarpSize + lane) * piece_items + simt::highest_bit(word & of_row);
            return {runs, static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(place) + 1};
        }
    }
};

template <class Key, class Write, int rows, class In>
struct RunsWaveShared {
    using Rows = WaveRows<In, Key, rows>;
    alignas(16) Key buffers[kWaveWarps][Rows::kWarpItems];
    WaveShared<typename WaveTallies<Write>::Value> tallies;
};

/// Block b takes tile b.
template <class Key, class Equal, class Write, class In, int rows>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kWaveThreads, kWaveBlocks)
    runs_wave_kernel(RunsProblem<Key, Equal, Write, In> problem, typename WaveTallies<Write>::Value* aggregates) {
    simt::wait_for_stream();
    using Shared = RunsWaveShared<Key, Write, rows, In>;
    using Rows = typename Shared::Rows;
    using Tallies = WaveTallies<Write>;
    using Value = typename Tallies::Value;
    constexpr typename Tallies::Op add{};
    auto& shared = simt::shared_memory<Shared>();
    const std::uint64_t n = problem.n.get();
    const int tile = static_cast<int>(simt::block_rank()), warp = simt::warp_rank(), lane = simt::lane();
    const std::uint64_t base = Rows::begin_of(static_cast<std::uint64_t>(tile));
    const int count = Rows::count_from(base, n);
    const Rows items(problem.keys, base, n);
    KeptBits<rows, Rows::kPiece> bits;
    find_heads<Key>(problem.keys, problem.equal, items.pieces, base, count, bits);
    const Value own = Tallies::count(bits, base);
    if (lane == 0) shared.tallies.totals[warp] = own;
    simt::sync_block();  // the warps' totals are written
    Value of_warps[2];   // of the earlier warps, and of all
    of_warps[0] = of_warps[1] = shared.tallies.totals[lane < kWaveWarps ? lane : 0];
    warp::fold_each(of_warps, {warp, kWaveWarps}, add);
    if (simt::thread_rank() == 0) aggregates[tile] = of_warps[1];
    sync_wave();  // all aggregates are written

    Value folds[2];  // of the earlier tiles, and of all
    fold_aggregates(folds, aggregates, {tile, static_cast<int>(simt::grid_size())}, add, shared.tallies);
    Value before = tile > 0 ? folds[0] : Value{};
    if (warp > 0) before = add(before, of_warps[0]);
    const int kept = static_cast<int>(Tallies::runs(own));
    const int first =
        store_runs<false>(problem.write, items.pieces, bits, kept, shared.buffers[warp], base, Tallies::runs(before));
    const bool is_last = tile == 0 && simt::thread_rank() == 0;
    if (is_last) *problem.total = Tallies::runs(folds[1]);
    if constexpr (Write::kOutput == runs_output::lengths) {
        if (lane == 0 && kept > 0 && before.runs > 0)
            problem.write.set_length(before.runs - 1, base + static_cast<std::uint64_t>(first) - (before.behind - 1));
        if (is_last && folds[1].runs > 0) problem.write.set_length(folds[1].runs - 1, n - (folds[1].behind - 1));
    }
}

template <class Key, class Equal, class Write, class In>
void launch_runs(const runs_wave& way, const runs_plan& plan, const RunsProblem<Key, Equal, Write, In>& problem,
                 const RunsMemory& memory, stream_t stream) {
    using Value = typename WaveTallies<Write>::Value;
    static_assert(sizeof(Value) == run_tally_bytes(Write::kOutput), "plans count on it");
    with_wave_rows<most_run_rows(sizeof(Key))>(way.rows, [&]<int rows>(std::integral_constant<int, rows>) {
        using Shared = RunsWaveShared<Key, Write, rows, In>;
        static_assert(sizeof(Value) <= kRunTallyBytes &&
                          sizeof(Shared) - sizeof(Shared::buffers) <= wave_table_bytes(kRunTallyBytes),
                      "plans count on it");
        simt::launch(
            runs_wave_kernel<Key, Equal, Write, In, rows>,
            {plan.blocks, kWaveThreads, sizeof(Shared), stream, "runs_wave_kernel", way.cooperative, way.cluster},
            problem, static_cast<Value*>(memory.aggregates));
    });
}

}  // namespace kogge::grid::KOGGE_CODE
