// Windows of short segments with too many equal keys to be spread (segmented/spread.cuh): a block sorts a window digit
// by digit, the keys of all its segments mixed, and finally by segment number. Stable ranks keep each segment's keys in
// order. Only bits in which the window's keys differ are sorted by. Global traffic: keys, and values, are read once and
// written once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/segmented/window.cuh"
#include "kogge/sort/common/block_pass.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The tables, which precede the keys in shared memory.
struct ShortDigitShared {
    BlockSortShared sort;
    WindowMarks marks;
    std::uint32_t before[WindowMarks::kRows];  ///< segments that begin in earlier rows
    std::uint32_t differing[4];                ///< a bit per bit of a code, or per digit, in which keys differ

    /// Numbers the segments. All threads call, after a block barrier; a block barrier must follow.
    KOGGE_DEVICE void number_segments() {
        constexpr int each = static_cast<int>(WindowMarks::kRows) / simt::kWarpSize;
        if (simt::warp_rank() > 0) return;
        const int first = simt::lane() * each;
        std::uint32_t in_row[each], sum = 0;
        KOGGE_UNROLL
        for (int r = 0; r < each; ++r) {
            in_row[r] =
                static_cast<std::uint32_t>(simt::count_bits(marks.begins_in(static_cast<std::uint32_t>(first + r))));
            sum += in_row[r];
        }
        std::uint32_t earlier = warp::inclusive_scan(sum, simt::kWarpSize, plus{}) - sum;
        KOGGE_UNROLL
        for (int r = 0; r < each; ++r) {
            before[first + r] = earlier;
            earlier += in_row[r];
        }
    }
    /// The number of segments that begin up to a place.
    KOGGE_DEVICE std::uint32_t begun_at(std::uint32_t place) const {
        const std::uint32_t row = place / simt::kWarpSize, up_to_own = (2u << place % simt::kWarpSize) - 1u;
        return before[row] + static_cast<std::uint32_t>(simt::count_bits(marks.begins_in(row) & up_to_own));
    }
};
static_assert(sizeof(ShortDigitShared) <= kShortDigitTables);

/// Collects the bits that any thread has, in `target`, whose words were 0 at the last barrier. All threads call.
template <class Bits>
KOGGE_DEVICE Bits any_bits(std::uint32_t* target, Bits bits) {
    constexpr int words = sizeof(Bits) > 4 ? static_cast<int>(sizeof(Bits) / 4) : 1;
    KOGGE_UNROLL
    for (int lanes = simt::kWarpSize / 2; lanes > 0; lanes /= 2)
        bits = static_cast<Bits>(bits | simt::shuffle_xor(bits, lanes));
    KOGGE_UNROLL
    for (int w = 0; w < words; ++w) {
        const auto word = static_cast<std::uint32_t>(bits >> 32 * w);
        if (simt::lane() == 0 && word != 0) simt::atomic_or<simt::Scope::block>(target + w, word);
    }
    simt::sync_block();  // all bits are collected
    bits = 0;
    KOGGE_UNROLL
    for (int w = 0; w < words; ++w) bits = static_cast<Bits>(bits | static_cast<Bits>(target[w]) << 32 * w);
    return bits;
}
/// The lowest bit of what is not 0.
template <class Bits>
KOGGE_DEVICE int lowest_bit_of(Bits bits) {
    int from = 0;
    if constexpr (sizeof(Bits) > 4)
        for (; static_cast<std::uint32_t>(bits) == 0; bits >>= 32) from += 32;
    return from + simt::lowest_bit(static_cast<std::uint32_t>(bits));
}

/// Calls pass(digit) for the digits, lowest first, in which the keys may differ. each(f) calls f for each key of the
/// thread, and `reference` is any of them all. All threads call.
template <class Bucket, class Key, class Each, class Pass>
KOGGE_DEVICE void for_differing_digits(ShortDigitShared& shared, const Bucket& bucket, int passes, const Key& reference,
                                       const Each& each, const Pass& pass) {
    if constexpr (Bucket::kEncodes) {
        using Code = std::remove_cvref_t<decltype(bucket.item_code(reference))>;
        const Code first = bucket.item_code(reference);
        Code bits = 0;
        each([&](const Key& key) { bits = static_cast<Code>(bits | (bucket.item_code(key) ^ first)); });
        bits = any_bits(shared.differing, bits);
        while (bits != 0) {
            const int from = lowest_bit_of(bits);
            pass([&bucket, from](const Key& key) {
                return static_cast<std::uint32_t>(bucket.item_code(key) >> from) & (kBins - 1);
            });
            bits = static_cast<Code>(bits & ~(static_cast<Code>(kBins - 1) << from));
        }
    } else {
        constexpr int most = 32;  // digits that have a bit
        std::uint32_t digits = 0;
        for (int p = 0; p < passes && p < most; ++p) {
            const std::uint32_t first = bucket.digit_of(bucket.item_code(reference), p);
            each([&](const Key& key) { digits |= bucket.digit_of(bucket.item_code(key), p) != first ? 1u << p : 0u; });
        }
        digits = any_bits(shared.differing, digits);
        for (int p = 0; p < passes; ++p)
            if (p >= most || (digits >> p & 1u) != 0) pass(bucket.in_pass(p));
    }
}

/// Sorts a window by digits, then by segment number. All threads call.
template <class Problem, class Key>
KOGGE_DEVICE void sort_by_digits(ShortDigitShared& shared, Key* exchange, const Problem& problem,
                                 const Window& window) {
    using Value = typename Problem::value_type;
    constexpr int most = Problem::kItems * kShortThreads;
    constexpr int most_items = most < kShortDigitThreads ? 1 : most / kShortDigitThreads;
    constexpr int step = most_items % 2 == 0 ? 2 : 1;
    const auto count = window.count();
    const int items = (static_cast<int>(count) + kShortDigitThreads * step - 1) / (kShortDigitThreads * step) * step;
    const auto first = static_cast<std::uint32_t>(simt::warp_rank() * simt::kWarpSize * items + simt::lane());
    auto* const index_exchange = reinterpret_cast<std::uint16_t*>(exchange + problem.shape.capacity);
    const auto encoding = problem.bucket.in_pass(0);
    const auto place_of = [&](int i) { return first + static_cast<std::uint32_t>(i * simt::kWarpSize); };
    Key keys[most_items];
    ShortNumbers<most_items> indices;
    KOGGE_UNROLL
    for (int i = 0; i < most_items; ++i) {
        const std::uint32_t place = window.first + place_of(i);
        if (i < items && place < window.end)
            keys[i] = encoding.encode(problem.route.keys_at(shared.marks.from_place(place))[window.base + place]);
        indices.set(i, place);
    }
    const auto pass = [&](const auto& digit) {
        sort_by_digit<true, step>(shared.sort, exchange, index_exchange, keys, indices, items, static_cast<int>(count),
                                  true, digit);
    };
    const auto each = [&](const auto& f) {
        KOGGE_UNROLL
        for (int i = 0; i < most_items; ++i)
            if (i < items && place_of(i) < count) f(keys[i]);
    };
    const Key reference =
        encoding.encode(problem.route.keys_at(shared.marks.from_place(window.first))[window.base + window.first]);
    for_differing_digits(shared, problem.bucket, problem.shape.passes, reference, each,
                         [&](const auto& digit) { pass([&](const Key& key, std::uint32_t) { return digit(key); }); });
    for (std::uint32_t shift = 0; (shared.begun_at(window.end - 1) - 1) >> shift > 0; shift += kDigitBits)
        pass([&](const Key&, std::uint32_t index) { return (shared.begun_at(index) - 1) >> shift & (kBins - 1); });

    const std::uint64_t base = window.base + window.first;
    if constexpr (Problem::kHasValues) {
        Value values[most_items];
        KOGGE_UNROLL
        for (int i = 0; i < most_items; ++i)
            if (i < items && place_of(i) < count)
                values[i] =
                    problem.route.value_at(shared.marks.from_place(indices.get(i)), window.base + indices.get(i));
        simt::sync_block();  // all values have been read, and may be overwritten
        KOGGE_UNROLL
        for (int i = 0; i < most_items; ++i)
            if (i < items && place_of(i) < count) problem.route.values_out[base + place_of(i)] = values[i];
    }
    KOGGE_UNROLL
    for (int i = 0; i < most_items; ++i)
        if (i < items && place_of(i) < count) problem.route.keys_out[base + place_of(i)] = encoding.decode(keys[i]);
}

template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kShortDigitThreads, 1)
    sort_short_segments_kernel(ShortProblem<Key, Value, Bucket> problem) {
    simt::wait_for_stream();
    const std::uint32_t capacity = problem.shape.capacity;
    auto& shared = simt::shared_memory<ShortDigitShared>();
    auto* const exchange = reinterpret_cast<Key*>(reinterpret_cast<unsigned char*>(&shared) + kShortDigitTables);
    const std::uint32_t windows = *problem.memory.uncounted;
    for (std::uint32_t w = simt::block_rank(); w < windows; w += simt::grid_size()) {
        const std::uint64_t base = static_cast<std::uint64_t>(problem.memory.left[w]) * problem.shape.window_items;
        shared.marks.load(problem.memory.marks, base, capacity, problem.shape.n.get());
        if (simt::thread_rank() < 4) shared.differing[simt::thread_rank()] = 0;
        simt::sync_block();  // the marks are on chip
        shared.marks.index();
        shared.number_segments();
        simt::sync_block();  // the marks are indexed, and the segments numbered
        sort_by_digits(shared, exchange, problem, shared.marks.window(problem.shape, base, capacity));
        simt::sync_block();  // the window has left the chip
    }
}

}  // namespace kogge::grid::KOGGE_CODE
