// What the kernels after passes over leading digits share. The passes leave buckets, neighbours that agree in these
// digits, in the output:
//   bucket_bounds.cuh finds the buckets around the bounds between slices, and lists large ones;
//   spans.cuh         sorts uniform keys, a few neighbouring buckets at a time, by one scatter on chip;
//   batch_sort.cuh    sorts all others that fit the chip, by the bits that differ among them;
//   large_buckets.cuh sorts the buckets that do not fit, by all blocks together.
// Whatever the keys are, no block works alone on more than fits its chip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/digit/key_digits.cuh"
#include "kogge/engine/carry.cuh"
#include "kogge/pass/schedule.cuh"
#include "kogge/sort/prefix/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

template <class KeyType, class ValueType, class BucketType>
struct BucketProblem {
    using Key = KeyType;
    using Value = ValueType;
    using Bucket = BucketType;
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr std::size_t kValueBytes = kHasValues ? sizeof(Value) : 0;
    static constexpr std::size_t kWidest = sizeof(Key) > kValueBytes ? sizeof(Key) : kValueBytes;
    static constexpr std::uint32_t kBatchItems = batch_items(sizeof(Key));
    /// Whether the keys may be floats that passes have ordered by values.
    static constexpr bool kMayGoByValues =
        may_go_by_values<Key, Bucket>() && spans_take_floats(sizeof(Key), kValueBytes, kSpanThreads);

    Key* keys;  ///< the items start and end here
    Value* values;
    Key* other_keys;  ///< room for the keys and values of large buckets
    Value* other_values;
    Count n;
    Bucket bucket;
    int passes;
    bool writes_keys;  ///< else only values are wanted
    PassControl* control;
    Places* bounds;              ///< of the bucket at each bound of slices: one more than there are slices
    std::uint64_t batch_places;  ///< per slice, for batches
    std::uint64_t span_places;   ///< the same, for spans
    std::uint32_t span_items;    ///< the most items of a span; 0: there are no spans
    Batch* batches;              ///< listed by spans, and parts of large buckets
    LargeList lists[2];          ///< levels alternate; the counters are those of level 0

    /// The large buckets of a level.
    KOGGE_DEVICE LargeList list(int level) const {
        LargeList own = lists[level % 2];
        own.listed += level;
        own.drawn += level;
        own.finished += level;
        return own;
    }

    KOGGE_DEVICE Key code(std::uint64_t place) const { return bucket.code(keys[place]); }
    KOGGE_DEVICE int shift() const { return static_cast<int>(control->lowest) * kDigitBits; }
    KOGGE_DEVICE std::uint64_t places() const { return control->by_spans() ? span_places : batch_places; }
    KOGGE_DEVICE std::uint32_t slices() const { return static_cast<std::uint32_t>(divide_up(n.get(), places())); }
    /// The most items of a bucket that one block sorts.
    KOGGE_DEVICE std::uint64_t most_on_chip() const {
        return control->by_spans() && span_items > kBatchItems ? span_items : kBatchItems;
    }

    /// It fits a batch, but no span.
    KOGGE_DEVICE bool is_wide(const Places& own) const {
        const std::uint64_t items = own.end - own.begin;
        return control->by_spans() && items > span_items && items <= kBatchItems;
    }

    KOGGE_DEVICE void list_batch(const Places& places, bool is_moved) const {
        batches[simt::atomic_add<simt::Scope::device>(&control->batches, 1)] = {places, is_moved ? 1u : 0u};
    }
    /// Lists more than kBatchItems places whose keys may differ in the lowest `digits` digits. One thread calls.
    KOGGE_DEVICE void list_large(const LargeList& of_level, const Places& own, std::uint32_t digits,
                                 std::uint32_t is_moved) const {
        const std::uint32_t slices_of = large_slices(own.end - own.begin, kWidest);
        const std::uint64_t before =
            simt::atomic_add<simt::Scope::device>(of_level.listed, (std::uint64_t{1} << 32) + slices_of);
        const auto number = static_cast<std::uint32_t>(before >> 32), first = static_cast<std::uint32_t>(before);
        of_level.large[number] = {own.begin, own.end, first, slices_of, digits, is_moved, 0};
        KOGGE_NO_UNROLL
        for (std::uint32_t s = 0; s < slices_of; ++s) of_level.owners[first + s] = number;
    }
};

/// The order that the passes have made: by the leading digits of codes.
template <class Problem>
struct LeadingOfCodes {
    static constexpr bool kByValues = false;
    const Problem& problem;
    int shift;
    KOGGE_DEVICE explicit LeadingOfCodes(const Problem& buckets) : problem(buckets), shift(buckets.shift()) {}
    KOGGE_DEVICE auto operator()(std::uint64_t place) const { return problem.code(place) >> shift; }
};
/// Or by the leading digits of floats' values.
template <class Problem>
struct LeadingOfValues {
    static constexpr bool kByValues = true;
    const Problem& problem;
    ValueDigits values;
    KOGGE_DEVICE explicit LeadingOfValues(const Problem& buckets) : problem(buckets), values(buckets.control->values) {}
    KOGGE_DEVICE std::uint32_t operator()(std::uint64_t place) const { return values(problem.keys[place]); }
};
/// Calls f with one of these. `may_go_by_values`: the keys may be floats.
template <bool may_go_by_values, class Problem, class F>
KOGGE_DEVICE void with_leading(const Problem& problem, const F& f) {
    if constexpr (may_go_by_values)
        if (problem.control->values.are_some()) return f(LeadingOfValues(problem));
    f(LeadingOfCodes(problem));
}

/// Calls sort(batch) for the batches of the buckets that begin in a slice: all together, or the last one apart from the
/// others. `fits(places)` tells whether a block takes so many. All threads call.
template <class Problem, class Fits, class Sort>
KOGGE_DEVICE void for_batches_of_slice(const Problem& problem, std::uint32_t slice, const Fits& fits,
                                       const Sort& sort) {
    const Places before = problem.bounds[slice], last = problem.bounds[slice + 1];
    std::uint64_t from = before.end, to = fits(last.end - from) ? last.end : last.begin;
    while (from < last.end) {
        if (from < to && fits(to - from)) sort(Places{from, to});
        from = to;
        to = last.end;
    }
}

}  // namespace kogge::grid::KOGGE_CODE
