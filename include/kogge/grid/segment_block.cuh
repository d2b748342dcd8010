// Segments that fit the chip: a block sorts all of those that begin in its window of places, whole. Global traffic: the
// keys, and values, read once and written once; the offsets once more.
//
// Segments of few items each are ranked by counting: an item's place is the number of items of its segment that come
// before it, which takes as many looks as the segment has items. Others are sorted digit by digit, all of the block's
// segments mixed, and at last by segment.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/grid/digits.cuh"
#include "kogge/grid/segment_list.cuh"
#include "kogge/grid/sort_block.cuh"
#include "kogge/grid/split_problem.cuh"
#include "kogge/plan_segmented_sort.hpp"

namespace kogge::grid {

template <class Key, class Value, class Bucket>
struct ShortProblem {
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr int kItems = short_items(sizeof(Key));

    TileRoute<Key, Value> route;
    Bucket bucket;
    SegmentShape shape;
    const SegmentWindow* windows;
};

/// What precedes the keys in shared memory.
struct ShortShared {
    static constexpr int kWords = 6 * simt::kWarpSize;  ///< of 32 places

    BlockSortShared sort;
    std::uint32_t heads[kWords];   ///< a bit a place: a segment begins there
    std::uint32_t before[kWords];  ///< heads in earlier words
    std::uint32_t squares;         ///< the sum of the squared lengths
    std::uint32_t begun;           ///< the number of segments

    /// The number, among the block's segments, of the one that a place is in.
    KOGGE_DEVICE std::uint32_t segment_of(std::uint32_t place) const {
        const std::uint32_t word = place / simt::kWarpSize, bit = place % simt::kWarpSize;
        return before[word] + static_cast<std::uint32_t>(simt::count_bits(heads[word] & ((2u << bit) - 1u))) - 1;
    }
    /// Where each segment begins, and where the last one ends: in the place of the counters.
    KOGGE_DEVICE std::uint16_t* starts() { return reinterpret_cast<std::uint16_t*>(sort.rows); }
};
static_assert(sizeof(ShortShared) <= kShortTables);
static_assert(short_capacity(4) <= ShortShared::kWords * simt::kWarpSize, "the widest block");
static_assert((short_capacity(4) + 1) * sizeof(std::uint16_t) <= sizeof(BlockSortShared::rows));

/// Marks where the segments [first, last] begin in [begin, begin + count), and numbers them. All threads call.
KOGGE_DEVICE void mark_segments(ShortShared& shared, const SegmentBounds& bounds, std::uint64_t first,
                                std::uint64_t last, std::uint64_t begin, std::uint32_t count) {
    constexpr int each = ShortShared::kWords / simt::kWarpSize;
    const int thread = simt::thread_rank(), lane = simt::lane();
    for (int i = thread; i < ShortShared::kWords; i += kShortThreads) shared.heads[i] = 0;
    if (thread == 0) shared.squares = 0;
    simt::sync_block();  // nothing is marked
    std::uint32_t squares = 0;
    for (std::uint64_t s = first + static_cast<std::uint64_t>(thread); s <= last; s += kShortThreads) {
        const std::uint64_t from = bounds.begin(s), to = bounds.end(s);
        if (to <= from || from >= begin + count) continue;
        const auto place = static_cast<std::uint32_t>(from - begin), length = static_cast<std::uint32_t>(to - from);
        simt::atomic_or<simt::Scope::block>(shared.heads + place / simt::kWarpSize, 1u << place % simt::kWarpSize);
        squares += length * length;
    }
    squares = simt::reduce_add(squares);
    if (lane == 0) simt::atomic_add<simt::Scope::block>(&shared.squares, squares);
    simt::sync_block();  // all segments are marked
    if (simt::warp_rank() == 0) {
        std::uint32_t in_word[each], sum = 0;
        KOGGE_UNROLL
        for (int w = 0; w < each; ++w) {
            in_word[w] = static_cast<std::uint32_t>(simt::count_bits(shared.heads[lane * each + w]));
            sum += in_word[w];
        }
        const std::uint32_t inclusive = warp::inclusive_scan(sum, simt::kWarpSize, plus{});
        std::uint32_t earlier = inclusive - sum;
        KOGGE_UNROLL
        for (int w = 0; w < each; ++w) {
            shared.before[lane * each + w] = earlier;
            earlier += in_word[w];
        }
        if (lane == simt::kWarpSize - 1) shared.begun = inclusive;
    }
    simt::sync_block();  // the segments are numbered
}

/// Ranks every item by counting, and writes it.
template <class Problem, class Key>
KOGGE_DEVICE void sort_by_counting(ShortShared& shared, Key* codes, const Problem& problem, std::uint64_t begin,
                                   std::uint32_t count) {
    constexpr int items = Problem::kItems;
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const auto& bucket = problem.bucket;
    std::uint16_t* const starts = shared.starts();
    if (thread < ShortShared::kWords) {
        std::uint32_t number = shared.before[thread];
        for (std::uint32_t left = shared.heads[thread]; left != 0; left &= left - 1)
            starts[number++] = static_cast<std::uint16_t>(thread * simt::kWarpSize +
                                                          static_cast<std::uint32_t>(simt::lowest_bit(left)));
    }
    if (thread == 0) starts[shared.begun] = static_cast<std::uint16_t>(count);
    Key keys[items];
    KOGGE_UNROLL
    for (int i = 0; i < items; ++i) {
        const std::uint32_t place = thread + static_cast<std::uint32_t>(i * kShortThreads);
        if (place < count) keys[i] = problem.route.keys_in[begin + place];
    }
    KOGGE_UNROLL
    for (int i = 0; i < items; ++i) {
        const std::uint32_t place = thread + static_cast<std::uint32_t>(i * kShortThreads);
        if (place < count) codes[place] = bucket.code(keys[i]);
    }
    simt::sync_block();  // all codes and starts are on chip, and all keys have been read
    std::uint64_t targets[items];
    KOGGE_UNROLL
    for (int i = 0; i < items; ++i) {
        const std::uint32_t place = thread + static_cast<std::uint32_t>(i * kShortThreads);
        if (place >= count) continue;
        const std::uint32_t segment = shared.segment_of(place), first = starts[segment], end = starts[segment + 1];
        const auto own = codes[place];
        std::uint32_t rank = 0;
        for (std::uint32_t j = first; j < place; ++j) rank += bucket.ordered(codes[j], own) ? 1u : 0u;
        for (std::uint32_t j = place + 1; j < end; ++j) rank += bucket.ordered(own, codes[j]) ? 0u : 1u;
        targets[i] = begin + first + rank;
        problem.route.keys_out[targets[i]] = keys[i];
    }
    if constexpr (Problem::kHasValues) {
        std::remove_const_t<std::remove_pointer_t<decltype(problem.route.values_in)>> values[items];
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i) {
            const std::uint32_t place = thread + static_cast<std::uint32_t>(i * kShortThreads);
            if (place < count) values[i] = problem.route.value_at(begin + place);
        }
        simt::sync_block();  // all values have been read, and may be overwritten
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i)
            if (thread + static_cast<std::uint32_t>(i * kShortThreads) < count)
                problem.route.values_out[targets[i]] = values[i];
    }
}

/// Sorts by digits, then by segment, and writes the items.
template <class Problem, class Key>
KOGGE_DEVICE void sort_by_digits(ShortShared& shared, Key* exchange, const Problem& problem, std::uint64_t begin,
                                 std::uint32_t count) {
    constexpr int most_items = Problem::kItems, step = most_items % 2 == 0 ? 2 : 1;
    const int items = (static_cast<int>(count) + kShortThreads * step - 1) / (kShortThreads * step) * step;
    const auto first = static_cast<std::uint32_t>(simt::warp_rank() * simt::kWarpSize * items + simt::lane());
    auto* const index_exchange = reinterpret_cast<std::uint16_t*>(exchange + kShortThreads * most_items);
    const auto encoding = problem.bucket.in_pass(0);
    const auto place_of = [&](int i) { return first + static_cast<std::uint32_t>(i * simt::kWarpSize); };
    Key keys[most_items];
    std::uint32_t indices[most_items];
    KOGGE_UNROLL
    for (int i = 0; i < most_items; ++i) {
        if (i < items && place_of(i) < count) keys[i] = encoding.encode(problem.route.keys_in[begin + place_of(i)]);
        indices[i] = place_of(i);
    }
    const auto pass = [&](const auto& digit) {
        sort_by_digit<true, step>(shared.sort, exchange, index_exchange, keys, indices, items, static_cast<int>(count),
                                  true, digit);
    };
    for (int p = 0; p < problem.shape.passes; ++p)
        pass([bucket = problem.bucket.in_pass(p)](const Key& key, const std::uint32_t&) { return bucket(key); });
    for (std::uint32_t shift = 0; (shared.begun - 1) >> shift > 0; shift += kDigitBits)
        pass([&](const Key&, const std::uint32_t& index) { return shared.segment_of(index) >> shift & (kBins - 1); });

    if constexpr (Problem::kHasValues) {
        std::remove_const_t<std::remove_pointer_t<decltype(problem.route.values_in)>> values[most_items];
        KOGGE_UNROLL
        for (int i = 0; i < most_items; ++i)
            if (i < items && place_of(i) < count) values[i] = problem.route.value_at(begin + indices[i]);
        simt::sync_block();  // all values have been read, and may be overwritten
        KOGGE_UNROLL
        for (int i = 0; i < most_items; ++i)
            if (i < items && place_of(i) < count) problem.route.values_out[begin + place_of(i)] = values[i];
    }
    KOGGE_UNROLL
    for (int i = 0; i < most_items; ++i)
        if (i < items && place_of(i) < count) problem.route.keys_out[begin + place_of(i)] = encoding.decode(keys[i]);
}

template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kShortThreads, 2)
    sort_short_segments_kernel(ShortProblem<Key, Value, Bucket> problem) {
    // So many looks take as long as the passes.
    constexpr std::uint32_t looks_a_pass = 16;
    const SegmentWindow window = problem.windows[simt::block_rank()];
    if (window.first == 0) return;
    auto& shared = simt::shared_memory<ShortShared>();
    auto* const exchange = reinterpret_cast<Key*>(reinterpret_cast<unsigned char*>(&shared) + kShortTables);
    const SegmentBounds bounds = problem.shape.bounds();
    // Only the last one can be too long: it ends beyond the window.
    const std::uint64_t begin = bounds.begin(window.first - 1), last = bounds.begin(window.last);
    std::uint64_t end = bounds.end(window.last);
    if (end - last > problem.shape.longest_short) end = last;
    if (end == begin) return;
    const auto count = static_cast<std::uint32_t>(end - begin);

    mark_segments(shared, bounds, window.first - 1, window.last, begin, count);
    const std::uint32_t passes = static_cast<std::uint32_t>(problem.shape.passes) + (shared.begun > kBins ? 2 : 1);
    if (shared.squares <= count * looks_a_pass * passes) sort_by_counting(shared, exchange, problem, begin, count);
    else sort_by_digits(shared, exchange, problem, begin, count);
}

}  // namespace kogge::grid
