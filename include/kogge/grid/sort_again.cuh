// A sort by all digits in one launch, for results that are out of order: ranks came otherwise than expected, or groups
// of equal leading digits are too large to be put in order on chip. Nearly always there is nothing to do, so what
// counts is that it is a single launch. Items start in the output and end there, as passes are even in number.
//
// The items are cut into stretches of consecutive tiles. Each pass has two phases: first the digits of every stretch
// are counted, then every stretch learns the counts of those before it and is split, tile after tile (split_tile.cuh).
// Blocks draw the stretches of all phases one after the other by tickets, and wait for the phases before to be done.
// What they wait for has been drawn by blocks that run, so any number of resident blocks makes progress.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/grid/histogram.cuh"
#include "kogge/grid/split_tile.cuh"

namespace kogge::grid {

template <class KeyType, class ValueType, class Bucket>
struct AgainProblem {
    using key_type = KeyType;
    using value_type = ValueType;
    static constexpr bool kHasValues = !std::is_same_v<ValueType, NoValue>;
    static constexpr std::size_t kValueBytes = kHasValues ? sizeof(ValueType) : 0;

    KeyType* keys;
    ValueType* values;
    KeyType* other_keys;
    ValueType* other_values;
    Count n;
    Bucket bucket;
    int passes;
    SplitControl* control;
    const std::uint64_t* starts;  ///< of the bins of each pass
    std::uint32_t* counts;        ///< a row of kBins for each stretch
    std::uint32_t stretches;
};

/// The keys of [begin, end) in this thread's bin. All threads call.
template <class Shared, class Route, class PassBucket>
KOGGE_DEVICE std::uint32_t count_stretch(Shared& shared, const Route& route, const PassBucket& bucket,
                                         std::uint64_t begin, std::uint64_t end) {
    const int thread = simt::thread_rank();
    std::uint32_t* const row = shared.rows[simt::warp_rank()];
    clear_row(row);
    simt::sync_warp();  // the counters are zero
    for (std::uint64_t i = begin + static_cast<std::uint64_t>(thread); i < end; i += kTileThreads) {
        const auto key = route.keys_in[i];
        simt::atomic_add<simt::Scope::block>(row + bucket(route.encodes ? bucket.encode(key) : key), 1);
    }
    simt::sync_block();  // all warps have counted
    std::uint32_t sum = 0;
    for (const auto& of_warp : shared.rows) sum += of_warp[thread];
    return sum;
}

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTileThreads, kAgainBlocks) sort_again_kernel(Problem problem) {
    using Shared = TileShared<Problem>;
    constexpr std::uint64_t most = Shared::kItems * kTileThreads;
    if (problem.control->disorder == 0) return;
    auto& shared = simt::shared_memory<Shared>();
    const int thread = simt::thread_rank();
    const std::uint64_t n = problem.n.get(), length = divide_up(divide_up(n, most), problem.stretches) * most;
    for (;;) {
        if (thread == 0) {
            shared.ticket = simt::atomic_add<simt::Scope::device>(&problem.control->again_drawn, 1);
            const std::uint32_t before = shared.ticket / problem.stretches * problem.stretches;
            while (simt::load_acquire(&problem.control->again_done) < before) simt::poll_pause();
        }
        simt::sync_block();  // the ticket is written, and the phases before are done
        const std::uint32_t phase = shared.ticket / problem.stretches, stretch = shared.ticket % problem.stretches;
        const int pass = static_cast<int>(phase / 2);
        if (pass >= problem.passes) return;
        const std::uint64_t begin = length * stretch < n ? length * stretch : n;
        const std::uint64_t end = n - begin < length ? n : begin + length;
        const auto bucket = problem.bucket.in_pass(pass);
        const bool back = pass % 2 == 1, recodes = bucket.recodes();
        const TileRoute<typename Problem::key_type, typename Problem::value_type> route{
            back ? problem.other_keys : problem.keys,
            back ? problem.keys : problem.other_keys,
            back ? problem.other_values : problem.values,
            back ? problem.values : problem.other_values,
            recodes && pass == 0,
            recodes && pass == problem.passes - 1};
        if (phase % 2 == 0) {
            problem.counts[stretch * kBins + static_cast<std::uint32_t>(thread)] =
                count_stretch(shared, route, bucket, begin, end);
        } else {
            std::uint64_t place = problem.starts[pass * kBins + thread];
            for (std::uint32_t earlier = 0; earlier < stretch; ++earlier)
                place += problem.counts[earlier * kBins + static_cast<std::uint32_t>(thread)];
            for (std::uint64_t base = begin; base < end; base += most) {
                clear_row(shared.rows[simt::warp_rank()]);
                simt::sync_block();  // the counters are zero, and the last tile has left the chip
                const int count = end - base < most ? static_cast<int>(end - base) : static_cast<int>(most);
                split_tile(shared, route, bucket, base, count, [&](int, std::uint32_t keys) {
                    const std::uint64_t own = place;
                    place += keys;
                    return own;
                });
            }
        }
        simt::sync_block();  // the stretch is done, and its ticket has been read
        if (thread == 0) simt::add_release(&problem.control->again_done, 1);
    }
}

}  // namespace kogge::grid
