// Segments that fit the chip: a block sorts all of those that begin in its window of places, whole. Global traffic: the
// keys, and values, read once and written once; the offsets once or twice more.
//
// Where segments have few items, an item's place is found by counting the items of its segment that come before it,
// which takes as many looks as the segment has items. Windows of longer segments are left to a second kernel, which
// sorts digit by digit, all of the window's segments mixed, and at last by segment.
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
    using key_type = Key;
    using value_type = Value;
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr int kItems = short_items(sizeof(Key));

    TileRoute<Key, Value> route;
    Bucket bucket;
    SegmentShape shape;
    SegmentMemory memory;
};

/// Where the segments of a window begin, in shared memory.
struct WindowSegments {
    static constexpr int kWords = 6 * simt::kWarpSize;  ///< of 32 places

    std::uint32_t heads[kWords];   ///< a bit a place: a segment begins there
    std::uint32_t before[kWords];  ///< heads in earlier words
    std::uint32_t squares;         ///< the sum of the squared lengths
    std::uint32_t begun;           ///< the number of segments

    /// The number, among the window's segments, of the one that a place is in.
    KOGGE_DEVICE std::uint32_t segment_of(std::uint32_t place) const {
        const std::uint32_t word = place / simt::kWarpSize, bit = place % simt::kWarpSize;
        return before[word] + static_cast<std::uint32_t>(simt::count_bits(heads[word] & ((2u << bit) - 1u))) - 1;
    }
};
static_assert(short_capacity(4) <= WindowSegments::kWords * simt::kWarpSize, "the widest block");

/// What precedes the codes in shared memory, and the keys of a sort by digits.
struct ShortShared {
    WindowSegments segments;
    std::uint16_t starts[short_capacity(4) + 1];  ///< of the segments, and where the last one ends
};
static_assert(sizeof(ShortShared) <= kShortTables);
struct ShortDigitShared {
    BlockSortShared sort;
    WindowSegments segments;
};
static_assert(sizeof(ShortDigitShared) <= kShortDigitTables);

/// Marks where the window's segments begin, and numbers them. All threads call.
KOGGE_DEVICE void mark_segments(WindowSegments& segments, const SegmentBounds& bounds, const SegmentWindow& window) {
    constexpr int each = WindowSegments::kWords / simt::kWarpSize, batch = 4;
    const int thread = simt::thread_rank(), lane = simt::lane();
    for (int i = thread; i < WindowSegments::kWords; i += kShortThreads) segments.heads[i] = 0;
    if (thread == 0) segments.squares = 0;
    simt::sync_block();  // nothing is marked
    std::uint32_t squares = 0;
    for (std::uint64_t s = window.first - 1 + static_cast<std::uint64_t>(thread); s <= window.last;
         s += batch * kShortThreads) {
        std::uint64_t from[batch] = {}, to[batch] = {};
        KOGGE_UNROLL
        for (int u = 0; u < batch; ++u) {
            if (s + u * kShortThreads > window.last) continue;
            from[u] = bounds.begin(s + u * kShortThreads);
            to[u] = bounds.end(s + u * kShortThreads);
        }
        KOGGE_UNROLL
        for (int u = 0; u < batch; ++u) {
            if (to[u] <= from[u] || from[u] >= window.end) continue;
            const auto place = static_cast<std::uint32_t>(from[u] - window.begin);
            const auto length = static_cast<std::uint32_t>(to[u] - from[u]);
            simt::atomic_or<simt::Scope::block>(segments.heads + place / simt::kWarpSize,
                                                1u << place % simt::kWarpSize);
            squares += length * length;
        }
    }
    squares = simt::reduce_add(squares);
    if (lane == 0) simt::atomic_add<simt::Scope::block>(&segments.squares, squares);
    simt::sync_block();  // all segments are marked
    if (simt::warp_rank() == 0) {
        std::uint32_t in_word[each], sum = 0;
        KOGGE_UNROLL
        for (int w = 0; w < each; ++w) {
            in_word[w] = static_cast<std::uint32_t>(simt::count_bits(segments.heads[lane * each + w]));
            sum += in_word[w];
        }
        const std::uint32_t inclusive = warp::inclusive_scan(sum, simt::kWarpSize, plus{});
        std::uint32_t earlier = inclusive - sum;
        KOGGE_UNROLL
        for (int w = 0; w < each; ++w) {
            segments.before[lane * each + w] = earlier;
            earlier += in_word[w];
        }
        if (lane == simt::kWarpSize - 1) segments.begun = inclusive;
    }
    simt::sync_block();  // the segments are numbered
}

/// Sorts the window of each block by counting, or puts it on the list of those that are left.
template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kShortThreads, 3)
    count_short_segments_kernel(ShortProblem<Key, Value, Bucket> problem) {
    using Problem = ShortProblem<Key, Value, Bucket>;
    constexpr int items = Problem::kItems;
    constexpr std::uint32_t looks_a_pass = 16;  // take as long as a pass of a sort by digits
    const SegmentWindow window = problem.memory.windows[simt::block_rank()];
    if (window.first == 0 || window.end == window.begin) return;
    auto& shared = simt::shared_memory<ShortShared>();
    auto* const codes = reinterpret_cast<Key*>(reinterpret_cast<unsigned char*>(&shared) + kShortTables);
    const auto count = static_cast<std::uint32_t>(window.end - window.begin);
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const auto& bucket = problem.bucket;
    const auto place_of = [&](int i) { return thread + static_cast<std::uint32_t>(i * kShortThreads); };
    const auto leave = [&] {
        if (thread == 0)
            problem.memory.left[simt::atomic_add<simt::Scope::device>(problem.memory.uncounted, 1)] =
                simt::block_rank();
    };
    // The squared lengths of so many segments add up to at least count² / segments.
    const auto least_passes = static_cast<std::uint64_t>(problem.shape.passes) + 1;
    if (count > (window.last - window.first + 2) * looks_a_pass * least_passes) return leave();

    Key keys[items];
    KOGGE_UNROLL
    for (int i = 0; i < items; ++i)
        if (place_of(i) < count) keys[i] = problem.route.keys_in[window.begin + place_of(i)];
    const WindowSegments& segments = shared.segments;
    mark_segments(shared.segments, problem.shape.bounds(), window);
    if (segments.squares > count * looks_a_pass * (least_passes + (segments.begun > kBins ? 1 : 0))) return leave();
    if (thread < WindowSegments::kWords) {
        std::uint32_t number = segments.before[thread];
        for (std::uint32_t left = segments.heads[thread]; left != 0; left &= left - 1)
            shared.starts[number++] = static_cast<std::uint16_t>(thread * simt::kWarpSize +
                                                                 static_cast<std::uint32_t>(simt::lowest_bit(left)));
    }
    if (thread == 0) shared.starts[segments.begun] = static_cast<std::uint16_t>(count);
    KOGGE_UNROLL
    for (int i = 0; i < items; ++i)
        if (place_of(i) < count) codes[place_of(i)] = bucket.code(keys[i]);
    [[maybe_unused]] Value values[Problem::kHasValues ? items : 1];
    if constexpr (Problem::kHasValues) {
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i)
            if (place_of(i) < count) values[i] = problem.route.value_at(window.begin + place_of(i));
    }
    simt::sync_block();  // codes and starts are on chip; all items have been read, and may be overwritten
    KOGGE_UNROLL
    for (int i = 0; i < items; ++i) {
        const std::uint32_t place = place_of(i);
        if (place >= count) break;
        const std::uint32_t segment = segments.segment_of(place);
        const std::uint32_t first = shared.starts[segment], end = shared.starts[segment + 1];
        const Key own = codes[place];
        std::uint32_t rank = 0;  // lanes of one segment look at the same codes
        for (std::uint32_t j = first; j < end; ++j)
            rank += (j < place ? bucket.ordered(codes[j], own) : !bucket.ordered(own, codes[j])) ? 1u : 0u;
        problem.route.keys_out[window.begin + first + rank] = keys[i];
        if constexpr (Problem::kHasValues) problem.route.values_out[window.begin + first + rank] = values[i];
    }
}

/// Sorts a window by digits, then by segment. All threads call.
template <class Problem, class Key>
KOGGE_DEVICE void sort_by_digits(ShortDigitShared& shared, Key* exchange, const Problem& problem,
                                 const SegmentWindow& window) {
    using Value = typename Problem::value_type;
    constexpr int most_items = Problem::kItems, step = most_items % 2 == 0 ? 2 : 1;
    const auto count = static_cast<std::uint32_t>(window.end - window.begin);
    const int items = (static_cast<int>(count) + kShortThreads * step - 1) / (kShortThreads * step) * step;
    const auto first = static_cast<std::uint32_t>(simt::warp_rank() * simt::kWarpSize * items + simt::lane());
    auto* const index_exchange = reinterpret_cast<std::uint16_t*>(exchange + kShortThreads * most_items);
    const auto encoding = problem.bucket.in_pass(0);
    const auto place_of = [&](int i) { return first + static_cast<std::uint32_t>(i * simt::kWarpSize); };
    Key keys[most_items];
    std::uint32_t indices[most_items];
    KOGGE_UNROLL
    for (int i = 0; i < most_items; ++i) {
        if (i < items && place_of(i) < count)
            keys[i] = encoding.encode(problem.route.keys_in[window.begin + place_of(i)]);
        indices[i] = place_of(i);
    }
    const auto pass = [&](const auto& digit) {
        sort_by_digit<true, step>(shared.sort, exchange, index_exchange, keys, indices, items, static_cast<int>(count),
                                  true, digit);
    };
    for (int p = 0; p < problem.shape.passes; ++p)
        pass([bucket = problem.bucket.in_pass(p)](const Key& key, const std::uint32_t&) { return bucket(key); });
    for (std::uint32_t shift = 0; (shared.segments.begun - 1) >> shift > 0; shift += kDigitBits)
        pass([&](const Key&, const std::uint32_t& index) {
            return shared.segments.segment_of(index) >> shift & (kBins - 1);
        });

    if constexpr (Problem::kHasValues) {
        Value values[most_items];
        KOGGE_UNROLL
        for (int i = 0; i < most_items; ++i)
            if (i < items && place_of(i) < count) values[i] = problem.route.value_at(window.begin + indices[i]);
        simt::sync_block();  // all values have been read, and may be overwritten
        KOGGE_UNROLL
        for (int i = 0; i < most_items; ++i)
            if (i < items && place_of(i) < count) problem.route.values_out[window.begin + place_of(i)] = values[i];
    }
    KOGGE_UNROLL
    for (int i = 0; i < most_items; ++i)
        if (i < items && place_of(i) < count)
            problem.route.keys_out[window.begin + place_of(i)] = encoding.decode(keys[i]);
}

template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kShortThreads, 2)
    sort_short_segments_kernel(ShortProblem<Key, Value, Bucket> problem) {
    auto& shared = simt::shared_memory<ShortDigitShared>();
    auto* const exchange = reinterpret_cast<Key*>(reinterpret_cast<unsigned char*>(&shared) + kShortDigitTables);
    const SegmentBounds bounds = problem.shape.bounds();
    const std::uint32_t windows = *problem.memory.uncounted;
    for (std::uint32_t w = simt::block_rank(); w < windows; w += simt::grid_size()) {
        const SegmentWindow window = problem.memory.windows[problem.memory.left[w]];
        mark_segments(shared.segments, bounds, window);
        sort_by_digits(shared, exchange, problem, window);
        simt::sync_block();  // the window has left the chip
    }
}

}  // namespace kogge::grid
