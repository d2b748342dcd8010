// kogge-test: EMULATED GPU
// Spans of neighbouring groups are put in order on chip: the kernels alone, with groups of sizes that no sort of random
// keys gives them. A sort by leading digits as a whole is in radix_sort_tiles_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "kogge/sort/prefix/spans.cuh"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/sort_checks.hpp"

namespace simt = kogge::simt;
using namespace kogge::grid;
using namespace tests;

namespace {

constexpr int kShift = 16;
using Word = std::uint32_t;
using Long = std::uint64_t;

/// Keys of 32 bits are their codes. In place of these, keys of 64 bits in the same order: with what differs in their
/// upper digits and the others, or in the lowest four alone.
struct Short {
    using Key = Word;
    static constexpr int kLeadingShift = kShift;
    static Key of(Word code) { return code; }
};
struct Wide {
    using Key = Long;
    static constexpr int kLeadingShift = 48;
    static Key of(Word code) { return Long{code >> kShift} << 48 | (code & 0xffffu) * Long{0x100010001}; }
};
struct Low {
    using Key = Long;
    static constexpr int kLeadingShift = kShift;
    static Key of(Word code) { return Long{0xfedcba98} << 32 | code; }
};
template <class Kind>
std::vector<typename Kind::Key> keys_of(const std::vector<Word>& codes) {
    std::vector<typename Kind::Key> keys(codes.size());
    std::transform(codes.begin(), codes.end(), keys.begin(), Kind::of);
    return keys;
}
template <class Key>
NumberBucket<Key> bucket_of(bool descending) {
    return {{.is_signed = false, .is_float = false, .descending = descending}, 0, 8 * sizeof(Key)};
}

constexpr std::uint32_t kFits = span_items(kSpanThreads), kLargeFits = span_items(kLargeSpanThreads);

struct Input {
    std::vector<Word> codes;  ///< in order of their upper halves
    std::vector<std::size_t> ends;
    void add(std::size_t size, Word leading, auto lower) {
        for (std::size_t i = 0; i < size; ++i) codes.push_back(leading << kShift | (lower(codes.size()) & 0xffffu));
        ends.push_back(codes.size());
    }
};
const auto random_lower = [](std::size_t i) { return static_cast<Word>((i + 1) * 0x9e3779b97f4a7c15u >> 40); };

struct Outcome {
    std::uint32_t large, crowded, disorder;
};

/// What order_spans leaves of keys and values that stand `offset` items behind the beginning of their arrays, when the
/// spans that it lists are sorted; or `all`: when the groups that it lists are, too.
template <class Value, int threads = kSpanThreads, class Kind = Short>
struct Ordered {
    using Key = typename Kind::Key;
    std::vector<Key> keys;
    std::vector<Word> values;
    std::vector<LargeGroup> large;
    SplitControl control{};

    /// n: how many of the items there are; where that is fewer than there is room for, the device knows it.
    Ordered(const std::vector<Key>& keys_in, const std::vector<Word>& values_in, std::size_t offset, std::size_t n,
            std::uint64_t stretch, bool descending, bool writes_keys, bool all = false) {
        using Again = AgainProblem<Key, Value, NumberBucket<Key>>;
        const std::size_t room = keys_in.size() - offset;
        const auto stretches = static_cast<std::uint32_t>(divide_up(room, stretch));
        const std::uint32_t blocks = threads == kLargeSpanThreads ? std::min(stretches, 2u) : stretches;
        control.lowest = Kind::kLeadingShift / kDigitBits;
        control.by_spans = 1;
        Array<SplitControl> controls(std::vector<SplitControl>{control});
        Array<Key> with_keys(keys_in), other_keys(room);
        Array<Word> with_values(values_in), other_values(room);
        Array<LargeGroup> listed(std::size_t{1024}), bounds(std::size_t{stretches} + 1),
            crowded(std::size_t{2} * stretches);
        Array<std::uint64_t> counts(std::vector<std::uint64_t>{n});
        Array<std::uint32_t> rows(std::size_t{3 * kBins});
        Value *in_values = nullptr, *between_values = nullptr;
        if constexpr (Again::kHasValues) {
            in_values = with_values.data() + offset;
            between_values = other_values.data();
        }
        const Again again{with_keys.data() + offset,
                          in_values,
                          other_keys.data(),
                          between_values,
                          Count{room, n < room ? counts.data() : nullptr},
                          bucket_of<Key>(descending),
                          sizeof(Key),
                          controls.data(),
                          rows.data(),
                          3,
                          listed.data(),
                          crowded.data()};
        order_spans(SpanProblem<Again, threads>{again, writes_keys, bounds.data(), stretch, stretches, blocks, 3},
                    false, {});
        control = controls.get()[0];
        SplitControl left = control;
        if (!all) left.large = left.disorder = 0;
        Array<SplitControl> to_sort(std::vector<SplitControl>{left});
        Again listed_items = again;
        listed_items.control = to_sort.data();
        simt::launch(sort_again_kernel<Again>,
                     {3, kTileThreads, tile_shared_bytes(TileShared<Again>::kWidest), {}, "sort_again_kernel"},
                     listed_items);
        keys = with_keys.get();
        values = with_values.get();
        large = listed.get();
    }
};

/// What is to be in order is checked; what is left alone must be as it was. Value: of 32 bits, or NoValue.
template <class Value = Word, int threads = kSpanThreads, class Kind = Short>
Outcome check(const char* what, const Input& input, std::uint64_t stretch, bool descending = false,
              bool writes_keys = true, std::size_t offset = 0, bool has_more_room = false) {
    SCOPED_TRACE(what);
    const std::size_t n = input.codes.size(), room = has_more_room ? n + 3 * stretch / 2 : n;
    using Key = typename Kind::Key;
    std::vector<Key> keys(offset + room, 77);
    std::vector<Word> values(offset + room, 78);
    for (std::size_t i = 0; i < n; ++i) {
        const Key code = Kind::of(input.codes[i]);
        keys[offset + i] = descending ? ~code : code;
        values[offset + i] = static_cast<Word>(i * 2654435761u);
    }
    auto wanted_keys = keys;
    auto wanted_values = values;
    bool has_large = false;
    for (std::size_t g = 0, begin = 0; g < input.ends.size(); begin = input.ends[g++]) {
        const std::size_t size = input.ends[g] - begin;
        if (size > span_items(threads)) {
            has_large = true;
            continue;
        }
        std::vector<std::size_t> order(size);
        std::iota(order.begin(), order.end(), begin);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return input.codes[a] < input.codes[b]; });
        for (std::size_t i = 0; i < size; ++i) {
            wanted_keys[offset + begin + i] = keys[offset + order[i]];
            wanted_values[offset + begin + i] = values[offset + order[i]];
        }
    }
    const Ordered<Value, threads, Kind> ordered(keys, values, offset, n, stretch, descending, writes_keys);
    const SplitControl& control = ordered.control;
    if (!std::is_same_v<Value, NoValue>) {
        EXPECT_TRUE(same(ordered.values, wanted_values)) << "values";
    }
    const bool written = writes_keys || has_large || control.crowded > 0;
    EXPECT_TRUE(same(ordered.keys, written ? wanted_keys : keys)) << "keys";
    const auto& listed = ordered.large;
    for (std::uint32_t l = 0; l < std::min(control.large, most_large_groups(room)); ++l) {
        const auto end = std::find(input.ends.begin(), input.ends.end(), listed[l].end);
        EXPECT_TRUE(end != input.ends.end());
        EXPECT_EQ(listed[l].begin, end == input.ends.begin() ? 0 : end[-1]);
        EXPECT_GT(listed[l].end - listed[l].begin, span_items(threads));
    }
    return {control.large, control.crowded, control.disorder};
}

/// Groups of the sizes in turn until there are so many items.
Input of_sizes(const std::vector<std::size_t>& sizes, std::size_t items) {
    Input input;
    for (Word g = 0; input.codes.size() < items; ++g) input.add(sizes[g % sizes.size()], 100 + g, random_lower);
    return input;
}

TEST(OrderSpans, GroupsOfEverySize) {
    const std::size_t items = small() ? 20'000 : 60'000;
    for (const auto& sizes : std::vector<std::vector<std::size_t>>{{64},
                                                                   {256, 240, 300},
                                                                   {1526, 1500, 1560},
                                                                   {1536},
                                                                   {1535, 1536},
                                                                   {4096},
                                                                   {4608},
                                                                   {1, 4607},
                                                                   {2, 3, 1, 700}})
        for (const std::uint64_t stretch : {std::uint64_t{3052}, std::uint64_t{kFits}}) {
            const Outcome outcome =
                check(("groups of " + std::to_string(sizes[0])).c_str(), of_sizes(sizes, items), stretch);
            EXPECT_EQ(outcome.large + outcome.disorder, 0u);
            if (sizes[0] > 1000) {
                EXPECT_EQ(outcome.crowded, 0u);
            }
        }
}

template <class Kind>
void order_keys_alone() {
    const auto check_keys = [](const char* what, const Input& input, std::uint64_t stretch, auto... more) {
        return check<NoValue, kSpanThreads, Kind>(what, input, stretch, more...);
    };
    for (const auto& sizes :
         std::vector<std::vector<std::size_t>>{{64}, {1500, 1560}, {2100, 2090, 2000}, {4608}, {1, 4607}, {2, 3, 700}})
        for (const std::uint64_t stretch : {std::uint64_t{3052}, std::uint64_t{kFits}}) {
            const Outcome outcome = check_keys(("groups of " + std::to_string(sizes[0])).c_str(),
                                               of_sizes(sizes, small() ? 30'000 : 60'000), stretch);
            EXPECT_EQ(outcome.large + outcome.disorder + outcome.crowded, 0u);
        }
    const Input input = of_sizes({900, 1000, 30}, 25'000);
    for (std::size_t offset = 0; offset < 3; ++offset) check_keys("offset", input, 2800, offset % 2 == 1, true, offset);
    check_keys("fewer keys than there is room for", input, 2800, false, true, 0, true);
    Input pairs, crowd, apart, large;
    for (Word g = 0; g < 3; ++g) {
        pairs.add(4000, 7 + g, [](std::size_t i) { return random_lower(i / 2); });
        crowd.add(2000, 7 + g, [](std::size_t i) { return static_cast<Word>(i % 3); });
        large.add(g == 1 ? 4 * kFits : 700, 7 + g, random_lower);
    }
    for (Word g = 0; g < 40; ++g) apart.add(100, g * 1500, random_lower);
    EXPECT_EQ(check_keys("pairs of equal keys", pairs, 4000).crowded, 0u);
    EXPECT_GT(check_keys("three keys a group", crowd, 4000).crowded, 0u);
    EXPECT_GT(check_keys("three keys a group, descending", crowd, 4000, true).crowded, 0u);
    EXPECT_GT(check_keys("far apart", apart, 3000).crowded, 0u);
    EXPECT_GE(check_keys("a large group", large, 4000).large, 1u);
}
TEST(OrderSpans, KeysAlone) { order_keys_alone<Short>(); }
TEST(OrderSpans, KeysOf64Bits) { order_keys_alone<Wide>(); }
TEST(OrderSpans, KeysOf64BitsOfWhichFewDiffer) { order_keys_alone<Low>(); }

// Blocks of more threads, for groups that fit no others.
TEST(OrderSpans, GroupsForLargeBlocks) {
    const auto sizes = std::vector<std::vector<std::size_t>>{{16'384}, {8000, 8200, 9100}, {kLargeFits}, {1, 18'000}};
    for (const auto& group : sizes) {
        if (sparing() && group[0] == 1) continue;
        const auto what = "groups of " + std::to_string(group[0]);
        const Input input = of_sizes(group, small() ? 30'000 : 90'000);
        const Outcome pairs = check<Word, kLargeSpanThreads>(what.c_str(), input, 16'384, false, true, 1),
                      keys = check<NoValue, kLargeSpanThreads>(what.c_str(), input, 16'384, true),
                      wide = check<NoValue, kLargeSpanThreads, Wide>(what.c_str(), input, 16'384);
        for (const Outcome& outcome : {pairs, keys, wide})
            EXPECT_EQ(outcome.large + outcome.disorder + outcome.crowded, 0u);
    }
    for (const std::size_t group : {std::size_t{4425}, std::size_t{5800}, std::size_t{8192}}) {
        const Input input = of_sizes({group, group + 40, group - 40}, 60'000);
        const Outcome pairs =
            check<Word, kLargeSpanThreads>("several groups", input, span_stretch(group << 16, kLargeSpanThreads, true));
        EXPECT_EQ(pairs.large + pairs.disorder + pairs.crowded, 0u) << group;
    }
    check<Word, kLargeSpanThreads>("fewer than there is room for", of_sizes({3000}, 40'000), 9000, false, true, 3,
                                   true);
    Input large, crowd;
    large.add(700, 1, random_lower);
    large.add(kLargeFits + 1, 2, random_lower);
    large.add(kLargeFits, 3, random_lower);
    for (Word g = 0; g < 3; ++g) crowd.add(10'000, 7 + g, [](std::size_t i) { return static_cast<Word>(i % 3); });
    EXPECT_GE((check<Word, kLargeSpanThreads>("a group that does not fit", large, 16'384).large), 1u);
    EXPECT_GE((check<NoValue, kLargeSpanThreads>("of keys alone", large, 16'384).large), 1u);
    EXPECT_GT((check<Word, kLargeSpanThreads>("crowded bins", crowd, 16'384).crowded), 0u);
    EXPECT_GT((check<NoValue, kLargeSpanThreads>("of keys alone", crowd, 16'384).crowded), 0u);
}

// Leading digits that passes have left out of order: it is found out, and no key is lost.
template <class Kind>
void find_disorder() {
    int finds = 0;
    for (const std::size_t size : {500u, 2000u, 4000u, kFits + 1, 4 * kFits})
        for (const std::size_t distance : {1u, 1200u, 5000u, 30'000u})
            for (int variant = 0; variant < (small() ? 2 : 6); ++variant) {
                SCOPED_TRACE(std::to_string(size) + " a group, " + std::to_string(distance) + " apart");
                const std::size_t n = 4 * std::max<std::size_t>(size, 5000) + distance, stretch = 4096;
                const Input input = of_sizes({size}, n);
                std::vector<Word> keys = input.codes;
                // A few keys change places with others of another group.
                std::size_t at = static_cast<std::size_t>(variant) * 1711;
                while (keys[at] >> kShift == keys[at + distance] >> kShift && at + distance + 1 < keys.size()) ++at;
                if (keys[at] >> kShift == keys[at + distance] >> kShift) continue;
                const std::size_t few = variant % 2 == 0 ? 1 : std::min<std::size_t>(distance, 40);
                for (std::size_t i = 0; i < few && at + distance + i < keys.size(); ++i)
                    std::swap(keys[at + i], keys[at + distance + i]);
                if (std::is_sorted(keys.begin(), keys.end(), [](Word a, Word b) { return a >> kShift < b >> kShift; }))
                    continue;
                auto all = keys_of<Kind>(keys);
                const Ordered<NoValue, kSpanThreads, Kind> ordered(all, keys, 0, keys.size(), stretch, false, true);
                auto left = ordered.keys;
                const bool found = ordered.control.disorder == 1;
                finds += found ? 1 : 0;
                EXPECT_TRUE(found || std::is_sorted(left.begin(), left.end())) << "within a span it does not matter";
                std::sort(left.begin(), left.end());
                std::sort(all.begin(), all.end());
                EXPECT_TRUE(same(left, all)) << "keys are lost";
            }
    EXPECT_GT(finds, 10);
}
TEST(OrderSpans, KeysAloneInDisorder) { find_disorder<Short>(); }
TEST(OrderSpans, KeysOf64BitsInDisorder) { find_disorder<Wide>(); }

// Spans that are crowded beside groups that are large, or disorder.
template <class Value, class Kind = Short>
void order_all(const Input& input, std::uint32_t large, bool disorder) {
    std::vector<Word> values(input.codes.size());
    std::iota(values.begin(), values.end(), 0u);
    auto wanted = keys_of<Kind>(input.codes);
    const Ordered<Value, kSpanThreads, Kind> ordered(wanted, values, 0, wanted.size(), 4000, false, true, true);
    EXPECT_GT(ordered.control.crowded, 0u);
    EXPECT_GE(ordered.control.large, large);
    EXPECT_EQ(ordered.control.disorder != 0, disorder);
    std::stable_sort(values.begin(), values.end(), [&](Word a, Word b) { return wanted[a] < wanted[b]; });
    std::sort(wanted.begin(), wanted.end());
    EXPECT_TRUE(same(ordered.keys, wanted)) << "keys";
    if (!std::is_same_v<Value, NoValue>) {
        EXPECT_TRUE(same(ordered.values, values)) << "values";
    }
}
TEST(OrderSpans, WhatIsListedIsSorted) {
    const auto few = [](std::size_t i) { return static_cast<Word>(i % 3); };
    Input spans, groups;
    for (Word g = 0; g < 12; ++g) {
        spans.add(2000, 7 + 2 * g, few);
        groups.add(2000, 7 + 2 * g, few);
        if (g == 4 || g == 9) groups.add(2 * kFits, 8 + 2 * g, random_lower);
    }
    // There is room on the list for a group in so many items, and blocks list one for each stretch of it.
    for (Word g = 0; groups.codes.size() < 400'000; ++g) groups.add(3000, 100 + g, random_lower);
    order_all<NoValue>(spans, 0, false);
    order_all<Word>(spans, 0, false);
    order_all<NoValue>(groups, 2, false);
    order_all<NoValue, Wide>(groups, 2, false);
    order_all<NoValue, Low>(groups, 2, false);
    order_all<Word>(groups, 2, false);
    Input strayed = spans;  // in groups where no bound of a stretch is
    std::swap(strayed.codes[8'500], strayed.codes[20'500]);
    order_all<NoValue>(strayed, 0, true);
    Input too_large = groups;  // for a group's own sort
    too_large.add(20'000, 20'000, random_lower);
    order_all<NoValue>(too_large, 3, false);
    order_all<Word>(too_large, 3, false);
}

TEST(OrderSpans, ArraysAtOffsetsAndKeysThatAreNotTheirCodes) {
    const Input input = of_sizes({900, 1000, 30}, 15'000);
    for (std::size_t offset = 0; offset < 4; ++offset) check("offset", input, 2800, offset % 2 == 1, true, offset);
    check("fewer items than there is room for", input, 2800, false, true, 0, true);
    check("no keys", input, 2800, false, false);
    check("no keys, descending", input, 2800, true, false, 3);
}

TEST(OrderSpans, LessThanABulkCopyTakes) {
    for (std::size_t n = 1; n < 9; ++n)
        for (std::size_t offset = 0; offset < 4; ++offset) {
            Input input;
            input.add(n, 3, [](std::size_t i) { return static_cast<Word>(9 - i); });
            check((std::to_string(n) + " items").c_str(), input, 100, false, true, offset);
        }
}

// Equal keys keep their order, many of them too; a bin of more than a few sends its span to be sorted by digits.
TEST(OrderSpans, EqualKeysAndCrowdedBins) {
    Input pairs, crowd, few;
    for (Word g = 0; g < 5; ++g) {
        pairs.add(4000, 7 + g, [](std::size_t i) { return random_lower(i / 2); });
        crowd.add(2000, 7 + g, [](std::size_t i) { return static_cast<Word>(i % 3); });
        few.add(1000, 7 + g, random_lower);
    }
    for (std::size_t i = 0; i < kCrowdedBin + 1; ++i) few.codes[1200 + 13 * i] = 8u << kShift | 99;
    EXPECT_EQ(check("pairs of equal keys", pairs, 4000).crowded, 0u);
    EXPECT_GT(check("three keys a group", crowd, 4000).crowded, 1u);
    EXPECT_GT(check("three keys a group, descending, keys not wanted", crowd, 4000, true, false, 1).crowded, 1u);
    EXPECT_EQ(check("one crowded bin", few, 1000).crowded, 1u);
}

// Bins of zeros and ones that stand before, across and behind the ends of windows. The first turn leaves of each part
// of a bin only how many ones it has.
TEST(OrderSpans, WindowTurns) {
    const auto order_windows = [](std::string& bin, int place, int shift) {
        const int size = static_cast<int>(bin.size());
        for (int end = 0; end < size;) {
            const int begin = end;
            while (end == begin || (end < size && (place + end - shift) % kSpanWindow != 0)) ++end;
            std::sort(bin.begin() + begin, bin.begin() + end);
        }
    };
    for (int size = 1; size <= static_cast<int>(kCrowdedBin); ++size)
        for (int place = kSpanWindow; place < 2 * kSpanWindow; ++place) {
            const int first = std::min(size, 2 * kSpanWindow - place), second = std::min(size - first, kSpanWindow),
                      third = size - first - second;
            for (int ones = 0; ones < (first + 1) * (second + 1) * (third + 1); ++ones) {
                std::string bin;
                int rest = ones;
                for (const int part : {first, second, third}) {
                    const int of_part = rest % (part + 1);
                    rest /= part + 1;
                    bin += std::string(static_cast<std::size_t>(part - of_part), '0') +
                           std::string(static_cast<std::size_t>(of_part), '1');
                }
                for (int turn = 1; turn < window_turns(static_cast<std::uint32_t>(size)); ++turn)
                    order_windows(bin, place, turn % 2 * kWindowShift);
                ASSERT_TRUE(std::is_sorted(bin.begin(), bin.end())) << size << " words at " << place << ": " << bin;
            }
        }
}

// Two sequences in order of zeros and ones are merged.
TEST(OrderSpans, MergedNeighbours) {
    for (int first = 0; first <= kMerged; ++first)
        for (int second = 0; second <= kMerged; ++second) {
            const auto of_ones = [](int ones) {
                return std::string(static_cast<std::size_t>(kMerged - ones), '0') +
                       std::string(static_cast<std::size_t>(ones), '1');
            };
            std::string words = of_ones(first) + of_ones(second);
            merge_neighbours([&](int a, int b) {
                ASSERT_TRUE(a < b && b < 2 * kMerged);
                auto &one = words[static_cast<std::size_t>(a)], &other = words[static_cast<std::size_t>(b)];
                if (one > other) std::swap(one, other);
            });
            ASSERT_TRUE(std::is_sorted(words.begin(), words.end())) << first << " and " << second << " ones: " << words;
        }
}

// Bins of all sizes up to the most, and up to what is merged, wherever they begin: the windows of the threads end
// within them.
TEST(OrderSpans, BinsOfManyWords) {
    for (const std::uint32_t most : {kMerged + 1u, kCrowdedBin}) {
        Input input;
        for (Word g = 0; g < 6; ++g) {
            std::vector<Word> lower;  // bins are of 16 codes
            for (Word bin = 0; lower.size() + most <= 4000; ++bin)
                for (Word i = 0; i < 1 + (7 * bin + g) % most; ++i) lower.push_back(32 * bin + 15 - i % 15);
            if (g % 2 == 1) std::reverse(lower.begin(), lower.end());
            input.add(lower.size(), 7 + g, [&, first = input.codes.size()](std::size_t i) { return lower[i - first]; });
        }
        EXPECT_EQ(check("with values", input, 4000).crowded, 0u);
        EXPECT_EQ(check<NoValue>("keys alone", input, 4000).crowded, 0u);
        EXPECT_EQ((check<NoValue, kSpanThreads, Low>("of 64 bits, of which few differ", input, 4000).crowded), 0u);
        EXPECT_EQ((check<NoValue, kSpanThreads, Wide>("of 64 bits", input, 4000).crowded), 0u);
    }
}

// Words of a span that is as wide as that do not fit 32 bits.
TEST(OrderSpans, LeadingDigitsFarApart) {
    Input input;
    for (Word g = 0; g < 40; ++g) input.add(100, g * 1500, random_lower);
    EXPECT_GT(check("far apart", input, 3000).crowded, 0u);
    Input ends;
    ends.add(2000, 0, random_lower);
    ends.add(2000, 0xffff, random_lower);
    check("lowest and highest codes", ends, 5000);
}

// A group that does not fit is left to others, who are told of it if it is out of order.
TEST(OrderSpans, LargeGroups) {
    Input input, ordered;
    for (Input* const made : {&input, &ordered}) {
        made->add(700, 1, random_lower);
        made->add(kFits + 1, 2, [&](std::size_t i) { return made == &input ? random_lower(i) : static_cast<Word>(i); });
        made->add(kFits, 3, random_lower);
        made->add(3 * kFits, 4, [&](std::size_t i) { return made == &input && i == 20'000 ? 7u : 8u; });
        made->add(5, 5, random_lower);
    }
    for (const std::uint64_t stretch : {std::uint64_t{700}, std::uint64_t{3000}, std::uint64_t{kFits}}) {
        EXPECT_GE(check("two out of order", input, stretch).large, 2u);
        EXPECT_GE(check("two out of order, keys not wanted", input, stretch, false, false).large, 2u);
        EXPECT_EQ(check("in order", ordered, stretch).large, 0u);
    }
    for (const std::size_t place : {1u, 300u, 5000u, 9215u}) {
        Input one;
        one.add(2 * kFits, 6, [=](std::size_t i) { return i < place ? 8u : 7u; });
        one.add(8 * kFits, 7, [](std::size_t) { return 5u; });
        EXPECT_EQ(check("one place out of order", one, 4000).large, 1u) << place;
    }
    Input first;
    first.add(4 * kFits, 9, random_lower);
    EXPECT_GE(check("nothing but one", first, 2500).large, 1u);
    first.codes.resize(kFits + 1);
    first.ends = {kFits + 1};
    EXPECT_EQ(check("for which the list has no room", first, 2500).disorder, 1u);
}

}  // namespace
