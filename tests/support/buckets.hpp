// Runs the kernels after passes over leading digits (sort/prefix/buckets.cuh) on arrays that such passes may leave, and
// checks everything that they leave: keys, values, and what they list.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
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
    /// As keys. The bits that are not sorted by are random, or those of the first key.
    template <class Kind>
    BucketInput<typename Kind::Key> as(bool descending) const {
        using Key = typename Kind::Key;
        BucketInput<Key> input{.keys = random_items<Key>(codes.size(), 11),
                               .codes = std::vector<Key>(codes.size()),
                               .ends = ends,
                               .codec = {.is_signed = false, .is_float = false, .descending = descending},
                               .begin = Kind::kBegin,
                               .end = Kind::kEnd,
                               .lowest = Kind::kLowest};
        const Key all = static_cast<Key>(~Key{0}),
                  sorted_by = static_cast<Key>(all >> (8 * sizeof(Key) - (Kind::kEnd - Kind::kBegin)) << Kind::kBegin);
        for (std::size_t i = codes.size(); i-- > 0;) {
            const Key code = Kind::of(codes[i]);
            input.codes[i] = code;
            const Key raw =
                static_cast<Key>((input.keys[Kind::kOthersAgree ? 0 : i] & ~sorted_by) | code << Kind::kBegin);
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
    static constexpr bool kOthersAgree = false;  ///< in the bits that are not sorted by
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

template <class Kind>
struct OthersAgree : Kind {
    static constexpr bool kOthersAgree = true;
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
    std::uint32_t batches = 0;  ///< listed by spans
    std::uint32_t large = 0;    ///< buckets listed to be split by all blocks
    std::uint32_t spans = 0;    ///< likewise, of spans
    std::uint32_t split = 0;    ///< how many of both are out of order
    std::uint32_t levels = 0;   ///< of large buckets and of their parts
    std::uint32_t parts = 0;    ///< batches that they have become
    std::uint32_t copied = 0;   ///< parts in order that ended in the alternate array
};

/// What becomes of large buckets: how many are listed per level, as PassMemory::listed has it, and what is found.
struct LargeOracle {
    std::size_t widest;  ///< bytes
    std::vector<std::uint64_t> listed;
    BucketsFound found{};

    /// `codes`: of the bucket, which may differ in the lowest `digits` digits.
    template <class Key>
    void split(const std::vector<Key>& codes, std::uint32_t digits, bool is_moved, std::size_t level = 0) {
        ASSERT_LT(level, listed.size());
        listed[level] += (std::uint64_t{1} << 32) + grid::large_slices(codes.size(), widest);
        if (std::is_sorted(codes.begin(), codes.end())) {
            found.copied += is_moved ? 1 : 0;
            return;
        }
        found.split += level == 0 ? 1 : 0;
        ASSERT_GT(digits, 0u) << "keys that agree in all digits are in order";
        std::vector<std::vector<Key>> bins(grid::kBins);
        for (const Key& code : codes)
            bins[static_cast<std::size_t>(code >> (digits - 1) * grid::kDigitBits) % grid::kBins].push_back(code);
        const bool moves =
            std::none_of(bins.begin(), bins.end(), [&](const auto& bin) { return bin.size() == codes.size(); });
        const bool are_moved = moves != is_moved;
        std::size_t together = 0;  // in a batch
        const auto end_batch = [&] { found.parts += std::exchange(together, 0) > 0 ? 1 : 0; };
        for (const auto& bin : bins) {
            if (together + bin.size() > grid::batch_items(sizeof(Key))) end_batch();
            if (bin.size() <= grid::batch_items(sizeof(Key))) together += bin.size();
            else if (digits > 1 || are_moved) split(bin, digits - 1, are_moved, level + 1);
        }
        end_batch();
    }
};

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
    const std::vector<std::uint32_t> order = stable_order(input.codes);
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
    const auto most_large = static_cast<std::size_t>(grid::most_large_buckets(room, sizeof(Key))),
               rows = static_cast<std::size_t>(grid::most_large_slices(room, sizeof(Key), Problem::kWidest)),
               levels = static_cast<std::size_t>(grid::large_levels(input.passes())),
               most_batches = static_cast<std::size_t>(grid::most_batches(spans, room, sizeof(Key), input.passes()));
    grid::PassControl started{};
    started.outcome = input.lowest == 0 ? grid::SortOutcome::all_digits
                      : !by_spans       ? grid::SortOutcome::batches
                      : by_values       ? grid::SortOutcome::value_spans
                                        : grid::SortOutcome::spans;
    started.lowest = static_cast<std::uint32_t>(input.lowest);
    started.values = input.values;
    Array<grid::PassControl> control(std::vector<grid::PassControl>{started});
    Array<Key> with_keys(keys), other_keys(room);
    Array<Stored> with_values(values), other_values(room);
    Array<std::uint64_t> count(std::vector<std::uint64_t>{n}), listed(std::vector<std::uint64_t>(levels, 0));
    Array<grid::Places> bounds(std::size_t{slices} + 1);
    Array<grid::Batch> all_batches(most_batches);
    Array<std::uint32_t> drawn(std::vector<std::uint32_t>(levels, 0)), finished(std::vector<std::uint32_t>(levels, 0));
    Array<grid::LargeBucket> large(most_large), more_large(most_large);
    Array<std::uint32_t> owners(rows), more_owners(rows), counts(rows * grid::kBins);
    Value *in_values = nullptr, *between_values = nullptr;
    if constexpr (Problem::kHasValues) {
        in_values = with_values.data() + how.offset;
        between_values = other_values.data();
    }
    const auto list = [&](auto& buckets, auto& of_slices) {
        return grid::LargeList{listed.data(),  drawn.data(),     finished.data(),
                               buckets.data(), of_slices.data(), counts.data()};
    };
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
                          all_batches.data(),
                          {list(large, owners), list(more_large, more_owners)}};
    kogge::simt::launch(grid::find_bounds_kernel<Problem>,
                        {static_cast<std::uint32_t>(grid::divide_up(slices + 1, grid::kBlockBounds)),
                         grid::kBoundThreads,
                         0,
                         {},
                         "find_bounds_kernel"},
                        problem);
    if constexpr (threads > 0)
        grid::launch_span_sort(grid::SpanProblem<Problem, threads>{problem},
                               threads == grid::kLargeSpanThreads ? std::min(spans, 2u) : spans, by_values, {});

    // Every large bucket is listed once, and perhaps spans are.
    BucketsFound found;
    found.batches = control.get()[0].batches;
    EXPECT_LE(found.batches, 2 * spans);
    auto first = large.get();
    EXPECT_LE(listed.get()[0] >> 32, first.size());
    first.resize(std::min<std::size_t>(listed.get()[0] >> 32, first.size()));
    std::sort(first.begin(), first.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    LargeOracle oracle{Problem::kWidest, std::vector<std::uint64_t>(levels)};
    const std::uint64_t most =
        by_spans ? std::max(grid::span_items(threads), Problem::kBatchItems) : Problem::kBatchItems;
    std::size_t next = 0;
    for (std::size_t b = 0, begin = 0; b < input.ends.size(); begin = input.ends[b++]) {
        for (; next < first.size() && first[next].begin < input.ends[b]; ++next) {
            const grid::LargeBucket& one = first[next];
            const bool is_bucket = one.begin == begin && one.end == input.ends[b] && one.end - begin > most;
            const auto digits = static_cast<std::uint32_t>(is_bucket && !by_values ? input.lowest : input.passes());
            EXPECT_EQ(one.digits, digits) << one.begin;
            EXPECT_EQ(one.is_moved, 0u);
            if (!is_bucket) {
                EXPECT_GT(one.end - one.begin, Problem::kBatchItems);
                EXPECT_LE(one.end - one.begin, grid::span_items(threads));
            }
            ++(is_bucket ? found.large : found.spans);
            const auto codes = input.codes.begin();
            oracle.split(std::vector<Key>(codes + static_cast<std::ptrdiff_t>(one.begin),
                                          codes + static_cast<std::ptrdiff_t>(one.end)),
                         digits, false);
        }
    }
    EXPECT_EQ(next, first.size());
    std::uint32_t wanted_large = 0;
    for (std::size_t b = 0, begin = 0; b < input.ends.size(); begin = input.ends[b++])
        wanted_large += input.ends[b] - begin > most ? 1 : 0;
    EXPECT_EQ(found.large, wanted_large);

    kogge::simt::launch(
        grid::split_large_kernel<Problem>,
        {how.large_blocks, grid::kTileThreads, grid::large_shared_bytes(Problem::kWidest), {}, "split_large_kernel"},
        problem);
    EXPECT_TRUE(same(listed.get(), oracle.listed)) << "large buckets per level";
    EXPECT_EQ(control.get()[0].batches - found.batches, oracle.found.parts);
    for (std::size_t level = 0; level < levels; ++level) {
        EXPECT_EQ(finished.get()[level], 3 * static_cast<std::uint32_t>(oracle.listed[level])) << level;
        found.levels += oracle.listed[level] > 0 ? 1 : 0;
    }
    found.split = oracle.found.split;
    found.parts = oracle.found.parts;
    found.copied = oracle.found.copied;

    kogge::simt::launch(grid::sort_batches_kernel<Problem>,
                        {how.batch_blocks,
                         grid::kBatchThreads,
                         grid::batch_shared_bytes(sizeof(Key), Problem::kHasValues),
                         {},
                         "sort_batches_kernel"},
                        problem);
    if (Problem::kHasValues) {
        EXPECT_TRUE(same(with_values.get(), wanted_values)) << "values";
    }
    if (how.writes_keys) {
        EXPECT_TRUE(same(with_keys.get(), wanted_keys)) << "keys";
    } else if (found.split == 0) {
        EXPECT_TRUE(same(with_keys.get(), keys)) << "keys that are not wanted";
    }
    return found;
}

}  // namespace tests
