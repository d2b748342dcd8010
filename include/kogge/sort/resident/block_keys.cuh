// A block's work on the keys in its registers, in the resident sort (sort/resident/kernel.cuh): it ranks them by a
// digit, and puts them in order of it in shared memory.
//
// A thread has up to `most` keys; register i of lane l is key 32 i + l of its warp, and the warps' slices are
// consecutive.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/digit/key_digits.cuh"
#include "kogge/operators.hpp"
#include "kogge/simt/device.cuh"
#include "kogge/sort/common/shape.hpp"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The tables, which precede the keys in shared memory. A gap follows the rows of each eight warps, so that the column
/// sums meet no bank conflicts.
struct ResidentSortShared {
    static constexpr int kWarps = kResidentSortThreads / simt::kWarpSize;
    static constexpr int kHalf = kWarps / 2;
    static constexpr int kHalfWords = kHalf * kBins + simt::kWarpSize / 2;

    alignas(128) std::uint32_t rows[2 * kHalfWords];
    alignas(16) unsigned char lowest[kWarps][16];  ///< codes of the warps' keys
    alignas(16) unsigned char highest[kWarps][16];
    std::uint32_t totals[simt::kWarpSize];
    std::uint32_t targets[kBins];  ///< a bin's place in the output, less its place in the block's keys (modulo 2^32)
    std::uint32_t sizes[kBins];    ///< per block, the keys in its bucket
    alignas(16) unsigned char few[kFewValues * 16];  ///< the different codes, if they are few
    std::uint32_t end;                               ///< of the own bucket
    std::uint32_t disorder[kWarps];                  ///< per warp, 1: its keys of the input are not in order
    std::uint32_t holds_all;                         ///< one bin has all keys: the pass changes nothing
    std::uint32_t verdict;

    KOGGE_DEVICE std::uint32_t* row(int warp) { return rows + warp / kHalf * kHalfWords + warp % kHalf * kBins; }
};
static_assert(sizeof(ResidentSortShared) <= kResidentSortTables);
static_assert(kResidentSortThreads == 2 * kBins, "two threads a bin");

/// A warp's slice of a block's `count` keys, where a thread has up to `items`.
struct WarpShare {
    int first;  ///< place of the thread's key in register 0
    int keys;
    int used;   ///< registers
    int limit;  ///< the lane has a key in register i if 32 i is below it

    KOGGE_DEVICE WarpShare(int count, int items) {
        const int before = simt::warp_rank() * simt::kWarpSize * items, rest = count - before;
        first = before + simt::lane();
        keys = rest < 0 ? 0 : rest < items * simt::kWarpSize ? rest : items * simt::kWarpSize;
        used = (keys + simt::kWarpSize - 1) / simt::kWarpSize;
        limit = keys - simt::lane();
    }
    KOGGE_DEVICE bool holds(int i) const { return i * simt::kWarpSize < limit; }
    /// The same, for one stage of a loop: otherwise nvcc 13.0 computes all places before the loop, and which registers
    /// hold keys, and keeps the results, for which there are no registers.
    KOGGE_DEVICE WarpShare again() const {
        WarpShare share = *this;
        simt::forget_origin(share.first);
        simt::forget_origin(share.used);
        simt::forget_origin(share.limit);
        return share;
    }
    KOGGE_DEVICE int place(int i) const { return first + i * simt::kWarpSize; }
};

/// Registers per batch, whose loads stand before its stores.
constexpr int batch_of(int most) { return most % 4 == 0 ? 4 : 1; }

/// Ranks the warp's keys by digit(i), in order or in arrival order. In arrival order a warp still ranks by ballots if
/// its first row is crowded, where atomics would queue up. All lanes call.
template <int most, class Digit>
KOGGE_DEVICE void rank_share(const WarpShare& share, std::uint32_t* row, ShortNumbers<most>& ranks, bool in_order,
                             const Digit& digit) {
    clear_row(row);
    simt::sync_warp();  // the counters are zero
    if (in_order || is_crowded(share.holds(0) ? digit(0) : static_cast<std::uint32_t>(simt::lane()))) {
        // Places past the end take the last bin, after all keys, and are taken off its count.
        for_items<most, 1>(share.used,
                           [&](int i) { ranks.set(i, rank_in_order(share.holds(i) ? digit(i) : kBins - 1, row)); });
        if (simt::lane() == 0 && share.used > 0)
            row[kBins - 1] -= static_cast<std::uint32_t>(share.used * simt::kWarpSize - share.keys);
    } else {
        for_items<most, batch_of(most)>(
            share.used, [&](int i) { ranks.set(i, share.holds(i) ? rank_as_served(digit(i), row) : 0); });
    }
}

/// The sum of `own` over the block's earlier threads. All threads call. A barrier must follow before the next call.
KOGGE_DEVICE std::uint32_t sum_before(ResidentSortShared& shared, std::uint32_t own) {
    const int lane = simt::lane(), warp = simt::warp_rank();
    const std::uint32_t inclusive = warp::inclusive_scan(own, simt::kWarpSize, plus{});
    if (lane == simt::kWarpSize - 1) shared.totals[warp] = inclusive;
    simt::sync_block();  // the warps' totals are written
    return simt::reduce_add(lane < warp ? shared.totals[lane] : 0u) + inclusive - own;
}

/// Turns the warps' counts into the place of each warp's next key of each digit, and calls publish(digit, count) with
/// the block's counts. All threads call.
template <class Publish>
KOGGE_DEVICE void place_digits(ResidentSortShared& shared, const Publish& publish) {
    const int bin = simt::thread_rank() / 2, half = simt::thread_rank() % 2;
    std::uint32_t* const first = shared.rows + half * ResidentSortShared::kHalfWords + bin;
    std::uint32_t before[ResidentSortShared::kHalf], sum = 0;
    KOGGE_UNROLL
    for (int r = 0; r < ResidentSortShared::kHalf; ++r) {
        before[r] = sum;
        sum += first[r * kBins];
    }
    const std::uint32_t of_bin = sum + simt::shuffle_xor(sum, 1);
    if (half == 0) publish(static_cast<std::uint32_t>(bin), of_bin);
    const std::uint32_t base = sum_before(shared, sum);
    KOGGE_UNROLL
    for (int r = 0; r < ResidentSortShared::kHalf; ++r) first[r * kBins] = base + before[r];
    simt::sync_block();  // the places of all digits are known
}

/// Calls put(i, place) for the warp's keys; `row` holds the places of their digits.
template <int most, class Digit, class Put>
KOGGE_DEVICE void place_share(const WarpShare& share, const std::uint32_t* row, const ShortNumbers<most>& ranks,
                              const Digit& digit, const Put& put) {
    constexpr int step = batch_of(most);
    // A batch's loads stand before its stores, which the compiler must not reorder.
    for_batches<most, step>(share.used, [&](int i) {
        std::uint32_t places[step];
        for_each_item<step>([&](int u) {
            if (share.holds(i + u)) places[u] = row[digit(i + u)] + ranks.get(i + u);
        });
        for_each_item<step>([&](int u) {
            if (share.holds(i + u)) put(i + u, places[u]);
        });
    });
}

/// Calls f(place, batch) for places 0 … count−1, of which each thread has every kResidentSortThreads-th: for its next
/// `most` places, from `place` on, as long as it has so many, then for half as many, and so on down to one.
template <int most, class F>
KOGGE_DEVICE void for_places(int count, const F& f, int first = simt::thread_rank()) {
    for (; first + (most - 1) * kResidentSortThreads < count; first += most * kResidentSortThreads)
        f(first, std::integral_constant<int, most>{});
    if constexpr (most > 1) for_places<most / 2>(count, f, first);
}

/// Whether each of the warp's keys may follow its predecessor. `before` is the key before the warp's slice, if
/// `is_before`. All lanes call.
template <class Bucket, class Key, int most>
KOGGE_DEVICE bool is_in_order(const Bucket& bucket, const WarpShare& share, const c_array<Key, most>& keys,
                              const Key& before, bool is_before) {
    constexpr int step = batch_of(most);
    const int lane = simt::lane();
    bool ordered = true, all = true;
    Key last = before;
    for_batches<most, step>(share.used, [&](int i) {
        if (!all) return;  // most often the first batch decides
        for_each_item<step>([&](int u) {
            const Key turned = simt::shuffle(keys[i + u], (lane + simt::kWarpSize - 1) % simt::kWarpSize);
            const Key previous = lane == 0 ? last : turned;
            if (share.holds(i + u) && (is_before || i + u > 0 || lane > 0))
                ordered = ordered && bucket.ordered(bucket.item_code(previous), bucket.item_code(keys[i + u]));
            last = turned;
        });
        all = simt::all(ordered);
    });
    return all;
}

}  // namespace kogge::grid::KOGGE_CODE
