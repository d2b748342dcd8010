// Runs the kernels after passes over leading digits (sort/prefix/buckets.cuh) on arrays that such passes may leave, and
// checks everything that they leave: keys, values, and what they list.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "kogge/sort/prefix/batch_sort.cuh"
#include "kogge/sort/prefix/bucket_bounds.cuh"
#include "kogge/sort/prefix/large_buckets.cuh"
#include "kogge/sort/prefix/spans.cuh"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace tests {

namespace grid = kogge::grid;
using kogge::grid::NoValue;

/// Keys in order of their leading digits.
template <class Key>
struct BucketInput {
    std::vector<Key> keys{};
    std::vector<Key> codes{};         ///< what orders the keys
    std::vector<std::size_t> ends{};  ///< of the buckets
    kogge::detail::NumberCodec<Key> codec{};
    int begin = 0, end = static_cast<int>(8 * sizeof(Key));  ///< the bits sorted by
    int lowest = 0;                                          ///< the lowest digit that has taken a pass
    grid::ValueDigits values{};                              ///< if set, the passes went by these

    int passes() const { return (end - begin + grid::kDigitBits - 1) / grid::kDigitBits; }
};

/// Buckets of codes of 32 bits, in order of the codes' upper halves. Tests spell them as keys of some kind.
struct Buckets {
    static constexpr int kShift = 16;
    std::vector<std::uint32_t> codes;
    std::vector<std::size_t> ends;

    /// lower(i): the lower half of the code at place i.
    void add(std::size_t size, std::uint32_t leading, auto lower) {
        for (std::size_t i = 0; i < size; ++i) codes.push_back(leading << kShift | (lower(codes.size()) & 0xffffu));
        ends.push_back(codes.size());
    }
    /// As keys. The bits that are not sorted by are random.
    template <class Kind>
    BucketInput<typename Kind::Key> as(bool descending) const {
        using Key = typename Kind::Key;
        BucketInput<Key> input{.keys = random_items<Key>(codes.size(), 11), .ends = ends};
        input.codec = {.is_signed = false, .is_float = false, .descending = descending};
        input.begin = Kind::kBegin;
        input.end = Kind::kEnd;
        input.lowest = Kind::kLowest;
        const Key all = static_cast<Key>(~Key{0}),
                  sorted_by = static_cast<Key>(all >> (8 * sizeof(Key) - (Kind::kEnd - Kind::kBegin)) << Kind::kBegin);
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const Key code = Kind::of(codes[i]);
            input.codes.push_back(code);
            const Key raw = static_cast<Key>((input.keys[i] & ~sorted_by) | code << Kind::kBegin);
            input.keys[i] = descending ? static_cast<Key>(~raw) : raw;
        }
        return input;
    }
};
/// Lower halves of codes that look random.
inline std::uint32_t random_lower(std::size_t i) {
    return static_cast<std::uint32_t>((i + 1) * 0x9e3779b97f4a7c15u >> 40);
}
/// Buckets of these sizes in turn until there are that many items.
inline Buckets of_sizes(const std::vector<std::size_t>& sizes, std::size_t items) {
    Buckets buckets;
    for (std::uint32_t b = 0; buckets.codes.size() < items; ++b)
        buckets.add(sizes[b % sizes.size()], 100 + b, random_lower);
    return buckets;
}

/// The kinds of keys: a key's code from one of 32 bits, the bits that hold it, and the lowest digit of the upper half.
template <class KeyType, int lowest, int begin = 0, int end = static_cast<int>(8 * sizeof(KeyType))>
struct KeyKind {
    using Key = KeyType;
    static constexpr int kLowest = lowest, kBegin = begin, kEnd = end;
};
struct Short : KeyKind<std::uint32_t, 2> {
    static Key of(std::uint32_t code) { return code; }
};
/// With what differs in the upper digits and all others.
struct Wide : KeyKind<std::uint64_t, 6> {
    static Key of(std::uint32_t code) { return Key{code >> 16} << 48 | (code & 0xffffu) * Key{0x100010001}; }
};
/// Or in the lowest four alone.
struct Low : KeyKind<std::uint64_t, 2> {
    static Key of(std::uint32_t code) { return Key{0xfedcba98} << 32 | code; }
};
struct Huge : KeyKind<kogge::uint128, 14> {
    static Key of(std::uint32_t code) {
        const Key lower = (code & 0xffffu) * Key{0x1000100010001};
        return Key{code >> 16} << 112 | lower << 48 | lower >> 16;
    }
};
/// Parts of the bits: an odd number of digits, the last of which has four bits; and three digits.
struct Part : KeyKind<std::uint64_t, 2, 5, 41> {
    static Key of(std::uint32_t code) { return Key{9} << 32 | code; }
};
struct ShortPart : KeyKind<std::uint32_t, 1, 3, 27> {
    static Key of(std::uint32_t code) { return code >> 8; }
};

/// How the kernels are launched.
struct BucketLaunch {
    std::uint64_t places = 0;   ///< per slice
    bool writes_keys = true;    ///< else only values are wanted
    bool after_spans = true;    ///< where the plan has spans: the device has chosen them
    std::size_t offset = 0;     ///< of the arrays, in items
    std::size_t more_room = 0;  ///< items more than there are, as only the device knows
    std::uint32_t batch_blocks = 3, large_blocks = 3;
};

struct BucketsFound {
    std::uint32_t batches;  ///< listed by spans
    std::uint32_t large;    ///< buckets listed to be sorted by all blocks
    std::uint32_t spans;    ///< likewise, of spans
    std::uint32_t moved;    ///< how many of both have been moved
};

/// The buckets that no block has room for, as LargeBucket describes them: what is not known yet is 0.
template <class Key>
std::vector<grid::LargeBucket> large_buckets_of(const BucketInput<Key>& input, std::uint64_t most) {
    std::vector<grid::LargeBucket> large;
    for (std::size_t b = 0, begin = 0; b < input.ends.size(); begin = input.ends[b++]) {
        if (input.ends[b] - begin <= most) continue;
        const bool by_values = input.values.scale != 0;
        large.push_back(
            {begin, input.ends[b], 0, 0, static_cast<std::uint32_t>(by_values ? input.passes() : input.lowest), 0, 0});
    }
    return large;
}

/// What the sort of a large bucket finds out: a bit per digit that differs, if the bucket is out of order.
template <class Key>
std::uint32_t moves_of(const BucketInput<Key>& input, const grid::LargeBucket& bucket) {
    const auto first = input.codes.begin() + static_cast<std::ptrdiff_t>(bucket.begin),
               last = input.codes.begin() + static_cast<std::ptrdiff_t>(bucket.end);
    if (std::is_sorted(first, last)) return 0;
    Key differing = 0;
    for (auto code = first; code != last; ++code) differing |= *code ^ *first;
    std::uint32_t moves = 0;
    for (std::uint32_t digit = 0; digit < bucket.digits; ++digit)
        moves |= (differing >> digit * grid::kDigitBits & (grid::kBins - 1)) != 0 ? 1u << digit : 0u;
    return moves;
}

/// Sorts the buckets, with values of type Value, and checks the result. `threads`: of blocks that sort spans; 0: there
/// are none.
template <class Value, int threads = 0, class Key>
BucketsFound check_buckets(const BucketInput<Key>& input, const BucketLaunch& how) {
    using Bucket = grid::NumberBucket<Key>;
    using Problem = grid::BucketProblem<Key, Value, Bucket>;
    using Stored = std::conditional_t<Problem::kHasValues, Value, std::uint32_t>;
    const bool by_spans = threads > 0 && how.after_spans, by_values = input.values.scale != 0;
    const std::size_t n = input.keys.size(), room = n + how.more_room;

    std::vector<Key> keys(how.offset + room, 77);
    std::copy(input.keys.begin(), input.keys.end(), keys.begin() + static_cast<std::ptrdiff_t>(how.offset));
    const auto values = random_items<Stored>(how.offset + room, 7);
    auto wanted_keys = keys;
    auto wanted_values = values;
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return input.codes[a] < input.codes[b]; });
    for (std::size_t i = 0; i < n; ++i) {
        wanted_keys[how.offset + i] = keys[how.offset + order[i]];
        wanted_values[how.offset + i] = values[how.offset + order[i]];
    }

    // As a plan has it.
    const std::uint64_t batch_places = by_spans ? grid::batch_places(room, sizeof(Key)) : how.places,
                        span_places = by_spans      ? how.places
                                      : threads > 0 ? grid::span_items(threads)
                                                    : 1;
    const auto batches = static_cast<std::uint32_t>(grid::divide_up(room, batch_places)),
               spans = threads > 0 ? static_cast<std::uint32_t>(grid::divide_up(room, span_places)) : 0,
               slices = std::max(batches, spans);
    const std::uint64_t rows = grid::most_large_slices(room, sizeof(Key), Problem::kWidest);
    grid::SplitControl started{};
    started.outcome = input.lowest == 0 ? grid::SortOutcome::all_digits
                      : !by_spans       ? grid::SortOutcome::batches
                      : by_values       ? grid::SortOutcome::value_spans
                                        : grid::SortOutcome::spans;
    started.lowest = static_cast<std::uint32_t>(input.lowest);
    started.values = input.values;
    Array<grid::SplitControl> control(std::vector<grid::SplitControl>{started});
    Array<Key> with_keys(keys), other_keys(room);
    Array<Stored> with_values(values), other_values(room);
    Array<std::uint64_t> count(std::vector<std::uint64_t>{n});
    Array<grid::Places> bounds(std::size_t{slices} + 1), listed(std::size_t{2} * spans);
    Array<grid::LargeBucket> large(static_cast<std::size_t>(grid::most_large_buckets(room, sizeof(Key))));
    Array<std::uint32_t> owners(static_cast<std::size_t>(rows)), counts(static_cast<std::size_t>(rows * grid::kBins));
    Value *in_values = nullptr, *between_values = nullptr;
    if constexpr (Problem::kHasValues) {
        in_values = with_values.data() + how.offset;
        between_values = other_values.data();
    }
    const Problem problem{with_keys.data() + how.offset,
                          in_values,
                          other_keys.data(),
                          between_values,
                          grid::Count{room, n < room ? count.data() : nullptr},
                          Bucket(input.codec, input.begin, input.end),
                          input.passes(),
                          how.writes_keys,
                          control.data(),
                          bounds.data(),
                          batch_places,
                          span_places,
                          threads > 0 ? grid::span_items(threads) : 0,
                          listed.data(),
                          large.data(),
                          owners.data(),
                          counts.data()};
    kogge::simt::launch(grid::find_bounds_kernel<Problem>,
                        {static_cast<std::uint32_t>(grid::divide_up(slices + 1, grid::kBlockBounds)),
                         grid::kBoundThreads,
                         0,
                         {},
                         "find_bounds_kernel"},
                        problem);
    if constexpr (threads > 0)
        grid::order_spans(grid::SpanProblem<Problem, threads>{problem},
                          threads == grid::kLargeSpanThreads ? std::min(spans, 2u) : spans, by_values, {});
    kogge::simt::launch(grid::sort_batches_kernel<Problem>,
                        {how.batch_blocks,
                         grid::kBatchThreads,
                         grid::batch_shared_bytes(sizeof(Key), Problem::kHasValues),
                         {},
                         "sort_batches_kernel"},
                        problem);
    kogge::simt::launch(
        grid::sort_large_kernel<Problem>,
        {how.large_blocks, grid::kTileThreads, grid::tile_shared_bytes(Problem::kWidest), {}, "sort_large_kernel"},
        problem);

    // What is listed: every large bucket once, and perhaps spans.
    const grid::SplitControl found = control.get()[0];
    const std::uint64_t most =
        by_spans ? std::max(grid::span_items(threads), Problem::kBatchItems) : Problem::kBatchItems;
    const auto all = static_cast<std::uint32_t>(found.listed >> 32);
    auto got = large.get();
    got.resize(std::min<std::size_t>(all, got.size()));
    EXPECT_EQ(got.size(), all) << "there is room for all that are listed";
    std::uint32_t next_slice = 0, moved = 0;
    std::sort(got.begin(), got.end(), [](const auto& a, const auto& b) { return a.first_slice < b.first_slice; });
    for (const grid::LargeBucket& bucket : got) {
        const std::uint32_t moves = moves_of(input, bucket);
        EXPECT_EQ(bucket.first_slice, next_slice);
        EXPECT_EQ(bucket.slices, grid::large_slices(bucket.end - bucket.begin, Problem::kWidest));
        EXPECT_EQ(bucket.moved, moves) << bucket.begin;
        EXPECT_EQ(bucket.descends != 0, moves != 0) << bucket.begin;
        next_slice += bucket.slices;
        moved += moves != 0 ? 1 : 0;
    }
    EXPECT_EQ(static_cast<std::uint32_t>(found.listed), next_slice);
    EXPECT_EQ(found.descends != 0, moved > 0);
    std::sort(got.begin(), got.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    const auto wanted = large_buckets_of(input, most);
    std::size_t bucket = 0;
    std::uint32_t of_spans = 0;
    for (const grid::LargeBucket& one : got) {
        const bool is_bucket = bucket < wanted.size() && one.begin == wanted[bucket].begin;
        EXPECT_GT(one.end - one.begin, Problem::kBatchItems);
        if (is_bucket) {
            EXPECT_EQ(one.end, wanted[bucket].end);
            EXPECT_EQ(one.digits, wanted[bucket++].digits);
        } else {
            ++of_spans;
            EXPECT_LE(one.end - one.begin, grid::span_items(threads));
            EXPECT_EQ(one.digits, static_cast<std::uint32_t>(input.passes()));
        }
    }
    EXPECT_EQ(bucket, wanted.size()) << "large buckets";
    EXPECT_EQ(found.lists_spans != 0, of_spans > 0 || (by_values && !wanted.empty()));
    EXPECT_LE(found.batches, 2 * spans);

    if (Problem::kHasValues) {
        EXPECT_TRUE(same(with_values.get(), wanted_values)) << "values";
    }
    if (how.writes_keys) {
        EXPECT_TRUE(same(with_keys.get(), wanted_keys)) << "keys";
    } else if (moved == 0) {
        EXPECT_TRUE(same(with_keys.get(), keys)) << "keys that are not wanted";
    }
    return {found.batches, all - of_spans, of_spans, moved};
}

}  // namespace tests
