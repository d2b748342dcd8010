// Segments that fit the chip: a block sorts all segments that begin in its window of places. Global traffic: keys, and
// values, are read once and written once.
//
// A segment of m keys has m bins, in order. Keys are spread over them by their prefixes (segmented/bins.cuh), so that a
// bin has one key on average, and where that leaves bins crowded, by finer levels of bins. Prefixes count from the
// range of the window, or from that of the segment where segments were split, since their keys fill a small part of the
// window's each. A key's place follows from its bin and from a comparison with the other keys of the bin; in a segment
// of equal keys, from where it stands. Windows whose bins stay overfull, most often of equal keys beside others, are
// left to segmented/digits.cuh. Windows of tiny segments are sorted by segmented/tiny.cuh instead, unless keys are
// structs, whose codes are no numbers.
//
// Shared memory, in order: the tables; 2 bytes per place for the targets of values; the keys in order of their bins; a
// counter of 16 bits per bin; the bins and origins of these keys, 2 bytes each, and before them the levels of bins. The
// ranges of segments precede the keys there; values on their way to their targets take all that follows the targets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/segmented/bins.cuh"
#include "kogge/segmented/order.cuh"
#include "kogge/segmented/tiny.cuh"
#include "kogge/segmented/window.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The tables, which precede the keys in shared memory.
struct ShortShared {
    static constexpr int kSlides = 4;
    WindowMarks marks;
    std::uint32_t totals[simt::kWarpSize];
    std::uint32_t looks[simt::kWarpSize];
    std::uint32_t greatest[kSlides][2];  ///< of the prefixes' complements, and of the prefixes
};
static_assert(sizeof(ShortShared) <= kShortTables);

/// Clears the bins' counters. All threads call.
KOGGE_DEVICE void clear_bins(std::uint32_t* counters, const Window& window) {
    for (std::uint32_t w = window.first / 2 + static_cast<std::uint32_t>(simt::thread_rank()); w < (window.end + 1) / 2;
         w += kShortThreads)
        counters[w] = 0;
}

/// Turns the bins' counts, two per word, into their first places. Returns the number of comparisons to come. All
/// threads call, after a block barrier.
KOGGE_DEVICE std::uint32_t place_bins(ShortShared& shared, std::uint32_t* counters, const Window& window) {
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const int lane = simt::lane(), warp = simt::warp_rank();
    const std::uint32_t first_word = window.first / 2, end_word = (window.end + 1) / 2;
    const std::uint32_t each = (end_word - first_word + kShortThreads - 1) / kShortThreads | 1u;  // no bank conflicts
    const std::uint32_t from = first_word + thread * each;
    const std::uint32_t to = from + each < end_word ? from + each : end_word;
    std::uint32_t sum = 0, looks = 0;
    for (std::uint32_t w = from; w < to; ++w) {
        const std::uint32_t low = counters[w] & 0xffffu, high = counters[w] >> 16;
        sum += low + high;
        looks += low * low + high * high;
    }
    looks = simt::reduce_add(looks);
    if (lane == 0) shared.looks[warp] = looks;
    std::uint32_t place = window.first + sum_before(shared.totals, sum);
    for (std::uint32_t w = from; w < to; ++w) {
        const std::uint32_t low = counters[w] & 0xffffu, high = counters[w] >> 16;
        counters[w] = place | (place + low) << 16;
        place += low + high;
    }
    return simt::reduce_add(lane < kShortThreads / simt::kWarpSize ? shared.looks[lane] : 0u);
}

/// If offsets fall, there are no segments: the items of the block's window are copied as they are.
template <class Problem>
KOGGE_DEVICE void keep_window(const Problem& problem, std::uint64_t base) {
    const std::uint64_t n = problem.shape.n.get(), rest = n - base;
    const std::uint64_t count = rest < problem.shape.window_items ? rest : problem.shape.window_items;
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::thread_rank()); i < count; i += kShortThreads) {
        problem.route.keys_out[base + i] = problem.route.keys_in[base + i];
        if constexpr (Problem::kHasValues)
            problem.route.values_out[base + i] = problem.route.value_at(SegmentPlace::input, base + i);
    }
}

/// Sorts each block's window, within warps or by spreading, or lists it for the sort by digits.
template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kShortThreads, 2)
    spread_segments_kernel(ShortProblem<Key, Value, Bucket> problem) {
    simt::wait_for_stream();
    using Problem = ShortProblem<Key, Value, Bucket>;
    using Order = SpreadOrder<Key, Bucket>;
    constexpr int items = Problem::kItems, warps = kShortThreads / simt::kWarpSize;
    const std::uint32_t capacity = problem.shape.capacity;
    constexpr std::uint32_t most_looks = 32;  // per key; beyond, a sort by digits is as fast
    constexpr std::uint32_t even_looks = 8;   // beyond, another level is faster; uniform keys take 2
    auto& shared = simt::shared_memory<ShortShared>();
    auto* const targets = reinterpret_cast<std::uint16_t*>(reinterpret_cast<unsigned char*>(&shared) + kShortTables);
    auto* const slots = reinterpret_cast<Key*>(targets + (Problem::kHasValues ? capacity : 0));
    auto* const counters = reinterpret_cast<std::uint32_t*>(slots + capacity);
    const auto* const bin_begins = reinterpret_cast<const std::uint16_t*>(counters);
    auto* const bins = reinterpret_cast<std::uint16_t*>(counters + capacity / 2);
    auto* const indices = bins + capacity;
    const Order order(problem.bucket, problem.shape.passes);
    // Ranges take the room of the keys, if that is enough; the segments of narrower keys were split by whole digits.
    constexpr bool may_have_ranges = sizeof(Key) >= kTableKeyBytes;
    const SegmentRanges ranges{reinterpret_cast<std::uint32_t*>(slots)};
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const auto lane = static_cast<std::uint32_t>(simt::lane()), warp = static_cast<std::uint32_t>(simt::warp_rank());

    const std::uint64_t base = static_cast<std::uint64_t>(simt::block_rank()) * problem.shape.window_items;
    if (base >= problem.shape.n.get()) return;
    if (*problem.memory.falls != 0) return keep_window(problem, base);
    shared.marks.load(problem.memory.marks, base, capacity, problem.shape.n.get());
    if (thread < ShortShared::kSlides * 2) shared.greatest[thread / 2][thread % 2] = 0;
    simt::sync_block();  // the marks are on chip
    shared.marks.index();
    if constexpr (Bucket::kEncodes) shared.marks.measure(problem.shape, base, capacity);
    simt::sync_block();  // the marks are indexed
    const Window window = shared.marks.window(problem.shape, base, capacity);
    if (window.count() == 0) return;
    if constexpr (Bucket::kEncodes)
        if (shared.marks.longest <= kTinyItems)
            return sort_tiny(shared.marks, reinterpret_cast<unsigned char*>(&shared) + kShortTables, problem, window);

    // A warp has every warps-th row of 32 places.
    const std::uint32_t first_row = window.first_row() + warp;
    const int rows =
        first_row < window.end_row() ? static_cast<int>((window.end_row() - first_row - 1) / warps) + 1 : 0;
    const std::uint32_t first = first_row * simt::kWarpSize + lane;
    const auto place_of = [&](int i) { return first + static_cast<std::uint32_t>(i * kShortThreads); };
    const auto holds = [&](int i) { return place_of(i) >= window.first && place_of(i) < window.end; };
    Key keys[items];
    std::uint32_t bounds[items], from = 0;  // two bits per row
    const auto from_of = [&](int i) { return static_cast<SegmentPlace>(from >> 2 * i & 3u); };
    const auto find_bounds = [&](int i) {
        bounds[i] = shared.marks.bounds(window, first_row + static_cast<std::uint32_t>(i * warps));
    };
    for_items<items, 1>(rows, [&](int i) {
        if (!holds(i)) return;
        const SegmentPlace here =
            window.from != SegmentPlace::none ? window.from : shared.marks.from_place(place_of(i));
        from |= static_cast<std::uint32_t>(here) << 2 * i;
        keys[i] = problem.route.keys_at(here)[base + place_of(i)];
    });
    const bool has_ranges = may_have_ranges && window.from != SegmentPlace::input;
    clear_bins(counters, window);
    if (has_ranges) ranges.clear(window.first, window.end);
    for_items<items, 1>(rows, [&](int i) {
        if (holds(i)) keys[i] = order.encode(keys[i]);
    });

    // The range of the prefixes; digits that the least and the greatest share are skipped.
    int skipped = 0, slide = 0;
    const auto prefix_of = [&](const Key& item, SegmentPlace here) {
        return order.prefix(item, may_have_ranges ? 0 : least_splits(here), skipped);
    };
    const bool needs_range = Order::kIsWide || !has_ranges;
    if (!needs_range) simt::sync_block();  // bins are empty
    for (; needs_range; ++slide) {
        std::uint32_t greatest[2] = {};
        for_items<items, 1>(rows, [&](int i) {
            if (!holds(i)) return;
            const std::uint32_t own = prefix_of(keys[i], from_of(i));
            greatest[0] = greatest[0] > ~own ? greatest[0] : ~own;
            greatest[1] = greatest[1] > own ? greatest[1] : own;
        });
        KOGGE_UNROLL
        for (int g = 0; g < 2; ++g) {
            greatest[g] = simt::reduce_max(greatest[g]);
            if (lane == 0) simt::atomic_max<simt::Scope::block>(shared.greatest[slide] + g, greatest[g]);
        }
        simt::sync_block();  // the range is known, and bins are empty
        const std::uint32_t lowest = ~shared.greatest[slide][0], highest = shared.greatest[slide][1];
        if constexpr (!Order::kIsWide) break;
        const int same = lowest == highest ? 4 : (31 - simt::highest_bit(lowest ^ highest)) / kDigitBits;
        const int rest = problem.shape.passes - 4 - skipped;
        if (same == 0 || rest <= 0 || slide == ShortShared::kSlides - 1) break;
        skipped += same < rest ? same : rest;
    }

    std::uint32_t(&ranks)[items] = bounds;  // in place of bounds: an item's bin, and in upper bits its rank there
    // Keys far from the others, of which a window needs but one, may take so many levels, for which the room of the
    // keys serves, too.
    constexpr int most_levels = BinLevels::kRows + (sizeof(Key) >= 8 ? 2 : static_cast<int>(sizeof(Key) / 2));
    BinLevels levels{bins, reinterpret_cast<std::uint16_t*>(slots), capacity, window.end};
    // Where prefixes are whole keys, keys of one prefix are equal. If a segment has no others, each has the bin where
    // it stands.
    const bool are_whole = problem.shape.passes - skipped <= 4;
    for (std::uint32_t before = ~0u;;) {
        for_items<items, 1>(rows, find_bounds);  // not before: ptxas 13.0 would spill keys as they arrive
        if (has_ranges && levels.levels == 0) {
            for_items<items, 1>(
                rows, [&](int i) { ranges.extend(bounds[i], holds(i) ? prefix_of(keys[i], from_of(i)) : 0); });
            simt::sync_block();  // the ranges of the segments are known
        }
        // Each level computes the scale again, because the keys leave no registers for it.
        const PrefixRange of_window{~shared.greatest[slide][0], shared.greatest[slide][1]};
        const RangeScale scale(of_window);
        for_items<items, 1>(rows, [&](int i) {
            if (!holds(i)) return;
            const std::uint32_t prefix = prefix_of(keys[i], from_of(i));
            std::uint32_t place = scale.place_of(prefix);
            bool stands = false;
            if (has_ranges) {
                const PrefixRange range = ranges.of(bounds[i]);
                place = range.place_of(prefix);
                stands = are_whole && range.is_one();
            }
            const std::uint32_t bounds_of_one = place_of(i) * 0x10001u + 0x10000u;
            const std::uint32_t bin = levels.bin(stands ? bounds_of_one : bounds[i], place);
            const std::uint32_t shift = bin % 2 * 16;
            const std::uint32_t rank = simt::atomic_add<simt::Scope::block>(counters + bin / 2, 1u << shift);
            ranks[i] = bin | (rank >> shift) << 16;
        });
        simt::sync_block();  // the keys of all bins are counted
        const std::uint32_t looks = place_bins(shared, counters, window);
        simt::sync_block();  // the places of all bins are known
        if (looks <= even_looks * window.count()) break;
        const bool is_fine = looks <= most_looks * window.count();
        // A level that did not help has met equal keys, most often.
        if (is_fine && (levels.levels >= BinLevels::kRows || looks > before / 2)) break;
        if (levels.levels == (has_ranges ? BinLevels::kRows : most_levels)) {
            if (thread == 0)
                problem.memory.left[simt::atomic_add<simt::Scope::device>(problem.memory.uncounted, 1)] =
                    simt::block_rank();
            return;
        }
        before = looks;
        levels.add(counters, window.first);
        simt::sync_block();  // the level is kept, and the next bins are empty
    }
    const bool keeps_places = Problem::kHasValues || !order.equals_are_same();
    for_items<items, 1>(rows, [&](int i) {
        if (!holds(i)) return;
        const std::uint32_t bin = ranks[i] & 0xffffu, slot = bin_begins[bin] + (ranks[i] >> 16);
        slots[slot] = keys[i];
        bins[slot] = static_cast<std::uint16_t>(bin);
        if (keeps_places) indices[slot] = static_cast<std::uint16_t>(place_of(i));
    });
    // Values arrive while keys are compared.
    [[maybe_unused]] std::conditional_t<Problem::kHasValues, Value, unsigned char> values[items];
    if constexpr (Problem::kHasValues)
        for_items<items, 1>(rows, [&](int i) {
            if (holds(i)) values[i] = problem.route.value_at(from_of(i), base + place_of(i));
        });
    simt::sync_block();  // the items are in order of their bins, and may be overwritten in global memory

    for_items<items, 1>(rows, [&](int i) {
        if (!holds(i)) return;
        const std::uint32_t slot = place_of(i), bin = bins[slot];
        const Key own = slots[slot];
        const std::uint32_t end = bin + 1 < window.end ? bin_begins[bin + 1] : window.end;
        std::uint32_t target = bin_begins[bin];
        const auto count_before = [&](std::uint32_t index, const auto& index_of) {
            for (std::uint32_t j = bin_begins[bin]; j < end; ++j)
                target += order.before(slots[j], index_of(j), own, index) ? 1u : 0u;
        };
        if (keeps_places) {
            const std::uint32_t index = indices[slot];
            count_before(index, [&](std::uint32_t j) { return indices[j]; });
            if constexpr (Problem::kHasValues) targets[index] = static_cast<std::uint16_t>(target);
        } else {
            count_before(slot, [](std::uint32_t j) { return j; });
        }
        problem.route.keys_out[base + target] = order.decode(own);
    });
    if constexpr (Problem::kHasValues) {
        auto* const sorted = reinterpret_cast<Value*>(slots);
        simt::sync_block();  // the targets are known, and the keys have left the chip
        for_items<items, 1>(rows, [&](int i) {
            if (holds(i)) sorted[targets[place_of(i)]] = values[i];
        });
        simt::sync_block();  // the values are in order
        for_items<items, 1>(rows, [&](int i) {
            if (holds(i)) problem.route.values_out[base + place_of(i)] = sorted[place_of(i)];
        });
    }
}

}  // namespace kogge::grid::KOGGE_CODE
