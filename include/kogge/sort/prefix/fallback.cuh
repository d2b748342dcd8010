// What sorts by leading digits or with ranks as served may leave to do, in one launch. Nearly always there is nothing,
// so what counts is that it is a single launch:
//   spans whose keys are too uneven to be put in order on chip (sort/prefix/spans.cuh) are sorted by digits;
//   groups that are too large to be put in order where they were met are sorted by themselves
//   (sort/prefix/large_buckets.cuh); a result that is out of order otherwise, or has groups that are too large even for
//   that, is sorted again by all digits. Items start in the output and end there, as passes are even in number.
//
// The items are cut into stretches of consecutive tiles. Each pass has two phases: first the digits of every stretch
// are counted, then every stretch learns the counts of those before it and is split. Blocks draw what is listed, then
// the stretches of all phases, one after the other by tickets, and wait for the phases before to be done. What they
// wait for has been drawn by blocks that run, so any number of resident blocks makes progress.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/operators.hpp"
#include "kogge/pass/schedule.cuh"
#include "kogge/pass/slice.cuh"
#include "kogge/sort/prefix/large_buckets.cuh"
#include "kogge/sort/prefix/shape.hpp"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class KeyType, class ValueType, class Bucket>
struct AgainProblem {
    using key_type = KeyType;
    using value_type = ValueType;
    using bucket_type = Bucket;
    static constexpr bool kHasValues = !std::is_same_v<ValueType, NoValue>;
    static constexpr std::size_t kValueBytes = kHasValues ? sizeof(ValueType) : 0;

    KeyType* keys;  ///< the items start here and end here
    ValueType* values;
    KeyType* other_keys;
    ValueType* other_values;
    Count n;
    Bucket bucket;
    int passes;
    SplitControl* control;
    std::uint32_t* counts;  ///< a row of kBins for each stretch
    std::uint32_t stretches;
    LargeGroup* large;
    LargeGroup* crowded;  ///< spans: there is room for two of each of their stretches

    /// The route of one of an even number of passes.
    KOGGE_DEVICE TileRoute<KeyType, ValueType> route(int pass, int of_passes) const {
        const bool back = pass % 2 == 1, recodes = bucket.in_pass(pass).recodes();
        return {back ? other_keys : keys,     back ? keys : other_keys, back ? other_values : values,
                back ? values : other_values, recodes && pass == 0,     recodes && pass == of_passes - 1};
    }
};

/// Counts or splits a stretch, whose keys of a bin go behind all keys of lower bins and those of earlier stretches. All
/// threads call.
template <class Shared, class Problem>
KOGGE_DEVICE void sort_stretch(Shared& shared, const Problem& problem, std::uint32_t phase, std::uint32_t stretch) {
    constexpr std::uint64_t most = Shared::kItems * kTileThreads;
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const std::uint64_t n = problem.n.get(), length = divide_up(divide_up(n, most), problem.stretches) * most;
    const std::uint64_t begin = length * stretch < n ? length * stretch : n;
    const std::uint64_t end = n - begin < length ? n : begin + length;
    const int pass = static_cast<int>(phase / 2);
    const auto bucket = problem.bucket.in_pass(pass);
    const auto route = problem.route(pass, problem.passes);
    if (phase % 2 == 0) {
        problem.counts[stretch * kBins + thread] = count_stretch(shared, route, bucket, begin, end);
        return;
    }
    std::uint64_t before = 0, all = 0;  // of the bin
    for (std::uint32_t s = 0; s < problem.stretches; ++s) {
        const std::uint32_t keys = problem.counts[s * kBins + thread];
        if (s < stretch) before += keys;
        all += keys;
    }
    const std::uint64_t to_here = warp::inclusive_scan(all, simt::kWarpSize, plus{});
    if (simt::lane() == simt::kWarpSize - 1) shared.targets[simt::warp_rank()] = to_here;
    simt::sync_block();  // the sums of the warps' bins are written
    std::uint64_t place = to_here - all + before;
    for (int w = 0; w < simt::warp_rank(); ++w) place += shared.targets[w];
    split_stretch(shared, route, bucket, begin, end, place);
}

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTileThreads, kAgainBlocks) sort_again_kernel(Problem problem) {
    simt::wait_for_stream();
    using Shared = TileShared<Problem>;
    // Disorder has been found by the launches before. Then groups are not told apart.
    const bool disorder = problem.control->disorder != 0;
    const std::uint32_t crowded = disorder ? 0 : problem.control->crowded;
    const std::uint32_t large = disorder ? 0 : problem.control->large, listed = 2 * large + crowded;
    const bool may_repeat = disorder || large > 0;  // else nothing follows what is listed
    if (!may_repeat && crowded == 0) return;
    auto& shared = simt::shared_memory<Shared>();
    const int thread = simt::thread_rank();
    for (;;) {
        if (thread == 0) {
            const std::uint32_t ticket = simt::atomic_add<simt::Scope::device>(&problem.control->again_drawn, 1);
            std::uint32_t before = ticket < large ? 0 : large;
            if (ticket >= listed && may_repeat) before = ticket - (ticket - listed) % problem.stretches;
            while (simt::load_acquire(&problem.control->again_done) < before) simt::poll_pause();
            shared.ticket = ticket;
        }
        simt::sync_block();  // the ticket is written, and the phases before are done
        const std::uint32_t ticket = shared.ticket;
        if (ticket < large) {
            find_large(problem, ticket);
        } else if (ticket < listed) {
            const bool is_group = ticket < 2 * large;
            const LargeGroup own =
                is_group ? group_to_sort(problem, ticket - large) : problem.crowded[ticket - 2 * large];
            if (own.begin < own.end)
                sort_stretch_alone(shared, problem, is_group ? passes_of_group(problem) : problem.passes, own.begin,
                                   own.end);
        } else {
            const std::uint32_t phase = (ticket - listed) / problem.stretches;
            if (phase >= 2 * static_cast<std::uint32_t>(problem.passes)) return;
            if (!disorder && simt::load_relaxed(&problem.control->too_large) == 0) return;
            sort_stretch(shared, problem, phase, (ticket - listed) % problem.stretches);
        }
        simt::sync_block();  // what was drawn is done, and its ticket has been read
        if (thread == 0) simt::add_release(&problem.control->again_done, 1);
    }
}

}  // namespace kogge::grid::KOGGE_CODE
