// The fallback: one launch for what sorts by leading digits, or with ranks in arrival order, may leave out of order.
// Nearly always there is nothing to do, so the cost that counts is that of an empty launch. It sorts
//   spans that are too skewed to be sorted on chip (sort/prefix/spans.cuh), by digits;
//   buckets that are too large to be sorted where they were met, by themselves (sort/prefix/large_buckets.cuh);
//   all keys again, by all digits, if the result is out of order otherwise, or a bucket is too large even for that.
// Items start and end in the output, since the number of passes is even.
//
// To sort all keys, the items are cut into slices of consecutive tiles. A pass has two phases: the digits of every
// slice are counted, then every slice sums the counts of earlier slices and is split. Blocks draw the listed work, then
// the slices of all phases, by tickets, and wait until earlier phases are done. All work that a block waits for has
// been drawn by running blocks, so any number of resident blocks makes progress.
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

    KeyType* keys;  ///< the items start and end here
    ValueType* values;
    KeyType* other_keys;
    ValueType* other_values;
    Count n;
    Bucket bucket;
    int passes;
    SplitControl* control;
    std::uint32_t* counts;  ///< a row of kBins per slice
    std::uint32_t stretches;
    LargeGroup* large;
    LargeGroup* crowded;  ///< spans: there is room for two per slice of span_stretch places

    /// The buffers of a pass, of which there is an even number.
    KOGGE_DEVICE TileRoute<KeyType, ValueType> route(int pass, int of_passes) const {
        const bool back = pass % 2 == 1, recodes = bucket.in_pass(pass).recodes();
        return {back ? other_keys : keys,     back ? keys : other_keys, back ? other_values : values,
                back ? values : other_values, recodes && pass == 0,     recodes && pass == of_passes - 1};
    }
};

/// Counts or splits a slice. Its keys of a bin follow all keys of lower bins and the bin's keys of earlier slices. All
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
    std::uint64_t before = 0, all = 0;  // per bin
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
    // If earlier launches have found keys out of order, listed spans and buckets are ignored.
    const bool disorder = problem.control->disorder != 0;
    const std::uint32_t crowded = disorder ? 0 : problem.control->crowded;
    const std::uint32_t large = disorder ? 0 : problem.control->large, listed = 2 * large + crowded;
    const bool may_repeat = disorder || large > 0;  // else nothing follows the listed work
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
        simt::sync_block();  // the ticket is written, and earlier phases are done
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
        simt::sync_block();  // the drawn work is done, and its ticket has been read
        if (thread == 0) simt::add_release(&problem.control->again_done, 1);
    }
}

}  // namespace kogge::grid::KOGGE_CODE
