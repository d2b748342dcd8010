// Buckets that do not fit the chip of a block are split by all blocks together, only those keys, digit after digit from
// the most significant down, until what is left fits: neighbouring small parts become batches
// (sort/prefix/batch_sort.cuh), and large parts are split again. A launch without large buckets returns at once.
//
// A bucket is cut into slices. Each level takes three phases: it is seen whether the bucket is in order, as equal keys
// are; otherwise the digits of every slice are counted; then every slice adds up the counts of earlier slices and is
// split. A digit that all keys share moves nothing. Keys alternate between the output and the alternate array; parts
// that end in the alternate are brought back by the sort of batches, or copied if they are in order.
//
// Blocks draw the slices of all phases of a level by tickets, and wait until the phase before is done. All work that a
// block waits for has been drawn by running blocks, so any number of resident blocks makes progress.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/block/tile.cuh"
#include "kogge/operators.hpp"
#include "kogge/pass/slice.cuh"
#include "kogge/sort/prefix/buckets.cuh"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

/// As TileShared wants it.
template <class BucketProblem>
struct BucketTile {
    using key_type = typename BucketProblem::Key;
    using value_type = typename BucketProblem::Value;
    static constexpr bool kHasValues = BucketProblem::kHasValues;
    static constexpr std::size_t kValueBytes = BucketProblem::kValueBytes;
};

template <class Problem>
struct LargeShared {
    TileShared<BucketTile<Problem>> tile;
    std::uint32_t has_all;  ///< a bin has all keys
};

/// The work of one block on one slice of a large bucket.
template <class Problem>
struct LargeSlice {
    using Tile = TileShared<BucketTile<Problem>>;
    const Problem& problem;
    LargeShared<Problem>& shared;
    const LargeList& list;
    LargeBucket* bucket;  ///< in global memory
    std::uint32_t row;    ///< of the slice's counts
    std::uint64_t begin;
    std::uint64_t end;

    KOGGE_DEVICE LargeSlice(const Problem& buckets, LargeShared<Problem>& memory, const LargeList& of_level,
                            std::uint32_t slice)
        : problem(buckets),
          shared(memory),
          list(of_level),
          bucket(of_level.large + of_level.owners[slice]),
          row(slice) {
        constexpr std::uint64_t most = Tile::kItems * kTileThreads;
        const std::uint64_t all = bucket->end - bucket->begin,
                            length = divide_up(divide_up(all, most), bucket->slices) * most,
                            before = length * (slice - bucket->first_slice);
        begin = bucket->begin + (before < all ? before : all);
        end = bucket->begin + (before + length < all ? before + length : all);
    }
    KOGGE_DEVICE auto route() const {
        const bool back = bucket->is_moved != 0, recodes = problem.bucket.in_pass(0).recodes();
        return TileRoute<typename Problem::Key, typename Problem::Value>{back ? problem.other_keys : problem.keys,
                                                                         back ? problem.keys : problem.other_keys,
                                                                         back ? problem.other_values : problem.values,
                                                                         back ? problem.values : problem.other_values,
                                                                         recodes,
                                                                         recodes};
    }
    /// Looks whether the slice, and the first key after it, are in order, unless the bucket is known not to be. The
    /// time is that of the loads, so these are vectors, several per thread.
    KOGGE_DEVICE void look() const {
        using Key = typename Problem::Key;
        constexpr int each = block::kPieceItems<16, Key>, in_flight = 4;
        using Pack = block::Piece<Key, each>;
        if (bucket->digits == 0 || simt::load_relaxed(&bucket->descends) != 0)
            return;  // its keys are equal, or descend
        const Key* const keys = route().keys_in;
        const auto descend = [&](const Key& a, const Key& b) {
            return problem.bucket.code(a) > problem.bucket.code(b);
        };
        const std::uint64_t last = end < bucket->end ? end : end - (begin < end ? 1 : 0);  // of the comparisons
        std::uint64_t first = begin;
        while (first < last && !block::is_chunk_aligned(keys + first)) ++first;
        const std::uint64_t packs = (last - first) / each, rest = first + packs * each;
        const auto thread = static_cast<std::uint64_t>(simt::thread_rank());
        bool descends = false;
        if (begin + thread < first) descends = descend(keys[begin + thread], keys[begin + thread + 1]);
        if (rest + thread < last) descends = descends || descend(keys[rest + thread], keys[rest + thread + 1]);
        const auto* const all = reinterpret_cast<const Pack*>(keys + first);
        for (std::uint64_t p = thread; p < packs && !descends; p += in_flight * kTileThreads) {
            Pack mine[in_flight];
            Key next[in_flight];
            for_each_item<in_flight>([&](int u) {
                const std::uint64_t at = p + u * kTileThreads < packs ? p + u * kTileThreads : packs - 1;
                mine[u] = all[at];
                next[u] = keys[first + (at + 1) * each];
            });
            for_each_item<in_flight>([&](int u) {
                for_each_item<each>([&](int k) {
                    descends = descends || descend(mine[u].item[k], k + 1 < each ? mine[u].item[k + 1] : next[u]);
                });
            });
        }
        if (descends) simt::store_relaxed(&bucket->descends, 1u);
    }
    /// Counts the slice's digits, unless the bucket is in order.
    KOGGE_DEVICE void count() const {
        if (simt::load_relaxed(&bucket->descends) == 0) return;
        const auto digit = problem.bucket.in_pass(static_cast<int>(bucket->digits) - 1);
        list.counts[std::uint64_t{row} * kBins + simt::thread_rank()] =
            count_slice(shared.tile, route(), digit, begin, end);
    }
    /// Splits the slice, and lists the parts of its bucket in `next`. The slice's keys of a bin follow all keys of
    /// lower bins and the bin's keys of earlier slices.
    KOGGE_DEVICE void split(const LargeList& next) const {
        if (simt::load_relaxed(&bucket->descends) == 0) {
            if (bucket->is_moved != 0) copy_back();
            return;
        }
        const int thread = simt::thread_rank();
        const std::uint32_t* const first = list.counts + std::uint64_t{bucket->first_slice} * kBins + thread;
        const std::uint32_t own = row - bucket->first_slice;
        std::uint64_t before = 0, all = 0;  // per bin
        for (std::uint32_t s = 0; s < bucket->slices; ++s) {
            const std::uint32_t keys = first[std::uint64_t{s} * kBins];
            if (s < own) before += keys;
            all += keys;
        }
        const std::uint64_t to_here = warp::inclusive_scan(all, simt::kWarpSize, plus{});
        if (thread == 0) shared.has_all = 0;
        if (simt::lane() == simt::kWarpSize - 1) shared.tile.targets[simt::warp_rank()] = to_here;
        simt::sync_block();  // the sums of the warps' bins are written, and no bin is known to have all keys
        std::uint64_t of_bin = bucket->begin + to_here - all;
        for (int w = 0; w < simt::warp_rank(); ++w) of_bin += shared.tile.targets[w];
        if (all == bucket->end - bucket->begin) shared.has_all = 1;
        simt::sync_block();  // it is known whether a bin has all keys, and the sums have been read
        const bool moves = shared.has_all == 0;
        if (own == 0) {
            shared.tile.targets[thread] = of_bin;
            simt::sync_block();  // the bins' first places are written
            if (thread == 0) list_parts(next, moves);
            simt::sync_block();  // and have been read
        }
        if (moves)
            split_slice(shared.tile, route(), problem.bucket.in_pass(static_cast<int>(bucket->digits) - 1), begin, end,
                        of_bin + before);
    }

private:
    /// Lists the bins of the bucket: neighbours that fit a batch together, or a large bin. One thread calls.
    KOGGE_DEVICE void list_parts(const LargeList& next, bool moves) const {
        const std::uint32_t is_moved = moves ? 1 - bucket->is_moved : bucket->is_moved;
        std::uint64_t from = bucket->begin;
        KOGGE_NO_UNROLL
        for (int bin = 0; bin < kBins; ++bin) {
            const std::uint64_t to = shared.tile.targets[bin],
                                end_of_bin = bin + 1 < kBins ? shared.tile.targets[bin + 1] : bucket->end;
            const bool is_large = end_of_bin - to > Problem::kBatchItems;
            if (from < to && (is_large || end_of_bin - from > Problem::kBatchItems)) {
                problem.list_batch({from, to}, is_moved != 0);
                from = to;
            }
            if (!is_large) continue;
            if (bucket->digits > 1 || is_moved != 0)  // else its keys are equal, and where they belong
                problem.list_large(next, {to, end_of_bin}, bucket->digits - 1, is_moved);
            from = end_of_bin;
        }
        if (from < bucket->end) problem.list_batch({from, bucket->end}, is_moved != 0);
    }
    KOGGE_DEVICE void copy_back() const {
        for (std::uint64_t i = begin + static_cast<std::uint64_t>(simt::thread_rank()); i < end; i += kTileThreads) {
            problem.keys[i] = problem.other_keys[i];
            if constexpr (Problem::kHasValues) problem.values[i] = problem.other_values[i];
        }
    }
};

template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTileThreads, kLargeBlocks) split_large_kernel(Problem problem) {
    simt::wait_for_stream();
    if (problem.list(0).listed[0] == 0) return;
    auto& shared = simt::shared_memory<LargeShared<Problem>>();
    static_assert(sizeof(shared) <= large_shared_bytes(Problem::kWidest));
    for (int level = 0;; ++level) {
        const LargeList list = problem.list(level), next = problem.list(level + 1);
        const auto slices = static_cast<std::uint32_t>(simt::load_relaxed(list.listed));
        if (slices == 0) return;
        for (;;) {
            if (simt::thread_rank() == 0) {
                const std::uint32_t ticket = simt::atomic_add<simt::Scope::device>(list.drawn, 1);
                const std::uint32_t phase = ticket / slices, before = (phase < 3 ? phase : 3) * slices;
                while (simt::load_acquire(list.finished) < before) simt::poll_pause();
                shared.tile.ticket = ticket;
            }
            simt::sync_block();  // the ticket is written, and earlier phases are done
            const std::uint32_t ticket = shared.tile.ticket;
            if (ticket >= 3 * slices) break;
            const LargeSlice<Problem> slice(problem, shared, list, ticket % slices);
            if (ticket < slices) slice.look();
            else if (ticket < 2 * slices) slice.count();
            else slice.split(next);
            simt::sync_block();  // the drawn work is done, and its ticket has been read
            if (simt::thread_rank() == 0) simt::add_release(list.finished, 1);
        }
        simt::sync_block();  // all threads have read the ticket
    }
}

}  // namespace kogge::grid::KOGGE_CODE
