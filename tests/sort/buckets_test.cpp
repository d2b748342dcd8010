// kogge-test: EMULATED GPU
// What sorts the buckets that passes over leading digits leave, the kernels alone: spans and batches, in buckets of
// sizes that no sort of random keys gives them. Buckets for all blocks are in large_buckets_test, whole sorts in
// radix_sort_tiles_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/buckets.hpp"

using namespace kogge::grid;
using namespace tests;

namespace {

using Word = std::uint32_t;
using Long = std::uint64_t;
using Sizes = std::vector<std::size_t>;

constexpr std::uint32_t kFits = span_items(kSpanThreads), kLargeFits = span_items(kLargeSpanThreads);

// ---- batches -------------------------------------------------------------------------------------------

/// Without spans.
template <class Value, class Kind>
BucketsFound sort_batches(const std::string& what, const Buckets& buckets, std::uint64_t places,
                          bool descending = false, const BucketLaunch& how = {}) {
    SCOPED_TRACE(what);
    BucketLaunch launch = how;
    launch.places = places;
    const BucketsFound found = check_buckets<Value>(buckets.as<Kind>(descending), launch);
    EXPECT_EQ(found.batches + found.spans, 0u) << "no spans, which would list them";
    return found;
}

/// Buckets of one size or of several, up to all that fits a batch, between bounds at every distance.
template <class Value, class Kind>
void sort_batches_of_every_size() {
    constexpr std::size_t most = batch_items(sizeof(typename Kind::Key));
    const std::size_t items = small() ? most * 3 / 2 : most * 5 / 2;
    for (const Sizes& sizes : std::vector<Sizes>{{1},
                                                 {2, 3, 1, 700},
                                                 {most / 3},
                                                 {most / 2, most / 2 + 1},
                                                 {1, most - 1},
                                                 {most},
                                                 {most, 1, 1, most - 1, most}})
        for (const std::uint64_t places : {std::uint64_t{700}, std::uint64_t{most * 31 / 32}, std::uint64_t{most}}) {
            const auto what = "buckets of " + std::to_string(sizes[0]) + ", " + std::to_string(places) + " per slice";
            EXPECT_EQ((sort_batches<Value, Kind>(what, of_sizes(sizes, items), places).large), 0u);
        }
}
TEST(Batches, OfEverySizeOf4Bytes) { sort_batches_of_every_size<NoValue, Short>(); }
TEST(Batches, OfEverySizeOf8Bytes) { sort_batches_of_every_size<Word, Wide>(); }
TEST(Batches, OfEverySizeOf16Bytes) { sort_batches_of_every_size<NoValue, Huge>(); }

/// All forms of a launch.
template <class Value, class Kind>
void sort_batches_of_every_form() {
    const Buckets buckets = of_sizes({900, 1000, 30}, 9000);
    for (std::size_t offset = 0; offset < 4; ++offset)
        sort_batches<Value, Kind>("offset", buckets, 2800, offset % 2 == 1, {.offset = offset});
    sort_batches<Value, Kind>("fewer items than there is room for", buckets, 2800, false, {.more_room = 4200});
    sort_batches<Value, Kind>("one block", buckets, 2800, true, {.batch_blocks = 1});
    sort_batches<Value, Kind>("more blocks than slices", buckets, 2800, true, {.batch_blocks = 40});
    if constexpr (!std::is_same_v<Value, NoValue>) {
        sort_batches<Value, Kind>("no keys", buckets, 2800, false, {.writes_keys = false});
        sort_batches<Value, Kind>("no keys, descending", buckets, 2800, true, {.writes_keys = false, .offset = 3});
    }
}
TEST(Batches, OfEveryForm) {
    sort_batches_of_every_form<NoValue, Short>();
    sort_batches_of_every_form<Word, Short>();
    sort_batches_of_every_form<kogge::uint128, Short>();
    sort_batches_of_every_form<NoValue, Wide>();
    sort_batches_of_every_form<Long, Wide>();
    sort_batches_of_every_form<NoValue, Huge>();
    sort_batches_of_every_form<kogge::uint128, Huge>();
}
TEST(Batches, OfPartsOfTheBits) {
    sort_batches_of_every_form<NoValue, Part>();
    sort_batches_of_every_form<Long, Part>();
    sort_batches_of_every_form<NoValue, ShortPart>();
    sort_batches_of_every_form<Word, ShortPart>();
}

// The bits that differ lie anywhere, several in a digit or none, in one of its ends or in the last one of the key.
TEST(Batches, AnyBitsThatDiffer) {
    for (const Word mask : {0u, 1u, 0x8000u, 0x8001u, 0x180u, 0xff00u, 0x1248u, 0x7fffu}) {
        Buckets near, far;
        for (Word b = 0; b < 9; ++b) {
            near.add(700, b, [=](std::size_t i) { return random_lower(i) & mask; });
            far.add(700, b * 0x1ff0u, [=](std::size_t i) { return random_lower(i) & mask; });
        }
        for (const Buckets* const buckets : {&near, &far}) {
            const auto what = "mask " + std::to_string(mask) + (buckets == &far ? ", far apart" : "");
            sort_batches<NoValue, Short>(what, *buckets, 5000);
            sort_batches<Word, Low>(what, *buckets, 5000);
            sort_batches<NoValue, Wide>(what, *buckets, 5000);
            sort_batches<Long, Huge>(what, *buckets, 3000);
            sort_batches<NoValue, Part>(what, *buckets, 5000);
        }
    }
}

// Equal keys keep their order, any number of them, in batches of nothing else, and beside others.
TEST(Batches, EqualKeys) {
    Buckets pairs, crowd, equal;
    for (Word b = 0; b < 9; ++b) {
        pairs.add(2000, 7 + b, [](std::size_t i) { return random_lower(i / 2); });
        crowd.add(2000, 7 + b, [](std::size_t i) { return static_cast<Word>(i % 3); });
        equal.add(b == 4 ? 1 : 3500, 7 + b, [=](std::size_t) { return b; });
    }
    for (const Buckets* const buckets : {&pairs, &crowd, &equal})
        for (const bool descending : {false, true}) {
            const auto what = std::to_string(buckets->codes[1] - buckets->codes[0]) + " apart";
            sort_batches<Word, Short>(what, *buckets, 4000, descending);
            sort_batches<Long, Wide>(what, *buckets, 4000, descending);
            sort_batches<Word, Part>(what, *buckets, 4000, descending);
        }
}

TEST(Batches, FewItems) {
    for (std::size_t n = 1; n < 70; n = n < 9 ? n + 1 : n + 30) {
        Buckets one, each;
        one.add(n, 3, [](std::size_t i) { return static_cast<Word>(99 - i); });
        for (Word b = 0; b < n; ++b) each.add(1, b, random_lower);
        sort_batches<Word, Short>(std::to_string(n) + " items", one, 100);
        sort_batches<NoValue, Huge>(std::to_string(n) + " items", one, 3);
        sort_batches<Word, Short>(std::to_string(n) + " buckets", each, 3);
    }
}

// ---- spans ---------------------------------------------------------------------------------------------

template <class Value = Word, int threads = kSpanThreads, class Kind = Short>
BucketsFound order(const std::string& what, const Buckets& buckets, std::uint64_t places, bool descending = false,
                   const BucketLaunch& how = {}) {
    SCOPED_TRACE(what);
    BucketLaunch launch = how;
    launch.places = places;
    return check_buckets<Value, threads>(buckets.as<Kind>(descending), launch);
}
constexpr auto order_long = order<NoValue, kSpanThreads, Wide>;
constexpr auto order_low = order<NoValue, kSpanThreads, Low>;
/// Everything has been sorted by spans.
void expect_no_list(const BucketsFound& found) { EXPECT_EQ(found.batches + found.spans + found.large, 0u); }

TEST(OrderSpans, BucketsOfEverySize) {
    const std::size_t items = small() ? 20'000 : 60'000;
    for (const Sizes& sizes : std::vector<Sizes>{{64},
                                                 {256, 240, 300},
                                                 {1526, 1500, 1560},
                                                 {1536},
                                                 {1535, 1536},
                                                 {4096},
                                                 {4608},
                                                 {1, 4607},
                                                 {2, 3, 1, 700}})
        for (const std::uint64_t places : {std::uint64_t{3052}, std::uint64_t{kFits}}) {
            const BucketsFound found = order("buckets of " + std::to_string(sizes[0]), of_sizes(sizes, items), places);
            EXPECT_EQ(found.large + found.spans, 0u);
            if (sizes[0] > 1000) {
                EXPECT_EQ(found.batches, 0u);
            }
        }
}

template <class Kind>
void order_keys_alone() {
    const auto order_keys = order<NoValue, kSpanThreads, Kind>;
    for (const Sizes& sizes :
         std::vector<Sizes>{{64}, {1500, 1560}, {2100, 2090, 2000}, {4608}, {1, 4607}, {2, 3, 700}})
        for (const std::uint64_t places : {std::uint64_t{3052}, std::uint64_t{kFits}})
            expect_no_list(order_keys("buckets of " + std::to_string(sizes[0]),
                                      of_sizes(sizes, small() ? 30'000 : 60'000), places, false, {}));
    const Buckets buckets = of_sizes({900, 1000, 30}, 25'000);
    for (std::size_t offset = 0; offset < 3; ++offset)
        order_keys("offset", buckets, 2800, offset % 2 == 1, {.offset = offset});
    order_keys("fewer keys than there is room for", buckets, 2800, false, {.more_room = 4200});
    Buckets pairs, crowd, apart;
    for (Word b = 0; b < 3; ++b) {
        pairs.add(4000, 7 + b, [](std::size_t i) { return random_lower(i / 2); });
        crowd.add(2000, 7 + b, [](std::size_t i) { return static_cast<Word>(i % 3); });
    }
    for (Word b = 0; b < 40; ++b) apart.add(100, b * 1500, random_lower);
    expect_no_list(order_keys("pairs of equal keys", pairs, 4000, false, {}));
    EXPECT_GT(order_keys("three keys per bucket", crowd, 4000, false, {}).batches, 0u);
    EXPECT_GT(order_keys("three keys per bucket, descending", crowd, 4000, true, {}).batches, 0u);
    EXPECT_GT(order_keys("far apart", apart, 3000, false, {}).batches, 0u);
}
TEST(OrderSpans, KeysAlone) { order_keys_alone<Short>(); }
TEST(OrderSpans, KeysOf64Bits) { order_keys_alone<Wide>(); }
TEST(OrderSpans, KeysOf64BitsOfWhichFewDiffer) { order_keys_alone<Low>(); }

// Blocks of more threads, for buckets that fit no others.
TEST(OrderSpans, BucketsForLargeBlocks) {
    for (const Sizes& sizes : std::vector<Sizes>{{16'384}, {8000, 8200, 9100}, {kLargeFits}, {1, 18'000}}) {
        if (sparing() && sizes[0] == 1) continue;
        const auto what = "buckets of " + std::to_string(sizes[0]);
        const Buckets buckets = of_sizes(sizes, small() ? 30'000 : 90'000);
        expect_no_list(order<Word, kLargeSpanThreads>(what, buckets, 16'384, false, {.offset = 1}));
        expect_no_list(order<NoValue, kLargeSpanThreads>(what, buckets, 16'384, true));
        expect_no_list(order<NoValue, kLargeSpanThreads, Wide>(what, buckets, 16'384));
    }
    for (const std::size_t bucket : {std::size_t{4425}, std::size_t{5800}, std::size_t{8192}})
        expect_no_list(order<Word, kLargeSpanThreads>("several buckets",
                                                      of_sizes({bucket, bucket + 40, bucket - 40}, 60'000),
                                                      span_places(bucket << 16, kLargeSpanThreads, true)));
    order<Word, kLargeSpanThreads>("fewer than there is room for", of_sizes({3000}, 40'000), 9000, false,
                                   {.offset = 3, .more_room = 13'500});
}

// A span of crowded bins is sorted as a batch if it fits one, and otherwise by all blocks.
TEST(OrderSpans, CrowdedSpansOfLargeBlocks) {
    const auto few = [](std::size_t i) { return static_cast<Word>(i % 3); };
    Buckets fit_none, one_fits, large;
    for (Word b = 0; b < 3; ++b) fit_none.add(10'000, 7 + b, few);
    one_fits.add(18'000, 3, random_lower);
    one_fits.add(5000, 4, few);
    large.add(700, 1, random_lower);
    large.add(kLargeFits + 1, 2, random_lower);
    large.add(kLargeFits, 3, random_lower);
    large.add(kLargeFits, 4, few);
    const auto check = [&](const auto& order_some) {
        EXPECT_EQ(order_some("fit no batch", fit_none, 16'384, false, {}).spans, 3u);
        const BucketsFound one = order_some("one fits", one_fits, 16'384, true, {});
        EXPECT_EQ(one.batches, 1u);
        EXPECT_EQ(one.spans + one.large, 0u);
        const BucketsFound beside = order_some("beside a large bucket", large, 16'384, false, {});
        EXPECT_EQ(beside.large, 1u);
        EXPECT_EQ(beside.spans, 1u);
        EXPECT_EQ(beside.split, 2u);
        EXPECT_EQ(order_some("one block for them", large, 16'384, false, {.large_blocks = 1}).spans, 1u);
    };
    check(order<Word, kLargeSpanThreads, Short>);
    check(order<NoValue, kLargeSpanThreads, Short>);
    check(order<NoValue, kLargeSpanThreads, Wide>);
}

// Buckets that fit a batch and no span, and larger ones: each is listed once.
TEST(OrderSpans, BucketsThatFitNoSpan) {
    const auto check = [](const auto& order_some, std::size_t batch) {
        const Buckets buckets = of_sizes({kFits + 1, 800, batch, 3, batch + 1, kFits}, 2 * batch + 2 * kFits + 700);
        for (const std::uint64_t places : {std::uint64_t{700}, std::uint64_t{3000}, std::uint64_t{kFits}})
            for (const bool descending : {false, true}) {
                const BucketsFound found =
                    order_some(std::to_string(places) + " per slice", buckets, places, descending, {});
                EXPECT_EQ(found.batches, 2u);
                EXPECT_EQ(found.large, 1u);
                EXPECT_EQ(found.spans, 0u);
            }
    };
    check(order<NoValue, kSpanThreads, Short>, batch_items(4));
    check(order_long, batch_items(8));
    check(
        [](const auto& what, const auto& buckets, auto places, bool descending, const BucketLaunch& how) {
            // Words of pairs do not fit where buckets are so small that many are in a span.
            BucketsFound found = order<Word>(what, buckets, places, descending, how);
            EXPECT_GE(found.batches, 2u);
            found.batches = 2;
            return found;
        },
        batch_items(4));
}

// Crowded spans beside buckets that are too large for a block.
TEST(OrderSpans, WhatIsListedIsSorted) {
    const auto few = [](std::size_t i) { return static_cast<Word>(i % 3); };
    Buckets crowded, both;
    for (Word b = 0; b < 12; ++b) {
        crowded.add(2000, 7 + 2 * b, few);
        both.add(2000, 7 + 2 * b, few);
        if (b == 4 || b == 9) both.add(2 * batch_items(4), 8 + 2 * b, random_lower);
    }
    const auto check = [](const Buckets& buckets, const auto& order_some, std::uint32_t large) {
        const BucketsFound found = order_some("listed", buckets, 4000, false, {});
        EXPECT_GT(found.batches, 3u);
        EXPECT_EQ(found.large, large);
        EXPECT_EQ(found.split, large);
    };
    check(crowded, order<NoValue>, 0);
    check(crowded, order<Word>, 0);
    check(both, order<NoValue>, 2);
    check(both, order<Word>, 2);
    check(both, order_long, 2);
    check(both, order_low, 2);
}

TEST(OrderSpans, ArraysAtOffsetsAndKeysThatAreNotTheirCodes) {
    const Buckets buckets = of_sizes({900, 1000, 30}, 15'000);
    for (std::size_t offset = 0; offset < 4; ++offset)
        order("offset", buckets, 2800, offset % 2 == 1, {.offset = offset});
    order("fewer items than there is room for", buckets, 2800, false, {.more_room = 4200});
    order("no keys", buckets, 2800, false, {.writes_keys = false});
    order("no keys, descending", buckets, 2800, true, {.writes_keys = false, .offset = 3});
}

/// Items of more than 8 bytes.
template <class Value, class Kind>
void order_wide_items() {
    const auto order_items = order<Value, kSpanThreads, Kind>;
    for (const Sizes& sizes : std::vector<Sizes>{{1500, 1560}, {4608}, {1, 4607}, {900, 1000, 30}})
        for (std::size_t offset = 0; offset < 3; ++offset)
            order_items("buckets of " + std::to_string(sizes[0]), of_sizes(sizes, 15'000), 3052, offset % 2 == 1,
                        {.offset = offset});
    Buckets crowd, far;
    for (Word b = 0; b < 3; ++b) crowd.add(2000, 7 + b, [](std::size_t i) { return static_cast<Word>(i % 3); });
    for (Word b = 0; b < 40; ++b) far.add(100, b * 1500, random_lower);
    EXPECT_GT(order_items("three keys per bucket", crowd, 4000, false, {}).batches, 0u);
    order_items("far apart", far, 3000, true, {});
    order_items("no keys", of_sizes({900, 30}, 9000), 2800, true, {.writes_keys = false, .offset = 1});
    order_items("fewer than there is room for", of_sizes({900, 30}, 9000), 2800, false, {.more_room = 4200});
    for (std::size_t n = 1; n < 6; ++n)
        for (std::size_t offset = 0; offset < 4; ++offset) {
            Buckets few;
            few.add(n, 3, [](std::size_t i) { return static_cast<Word>(9 - i); });
            order_items(std::to_string(n) + " items", few, 100, false, {.offset = offset});
        }
}
TEST(OrderSpans, WideItems) {
    order_wide_items<Long, Short>();
    order_wide_items<Word, Wide>();
    order_wide_items<Long, Wide>();
    order_wide_items<Long, Low>();
}

// Parts of the bits: spans hold no others, so these must be the same in all keys of a span; otherwise it is a batch.
TEST(OrderSpans, PartsOfTheBits) {
    const Buckets buckets = of_sizes({1500, 1560, 30}, 15'000);
    for (const bool descending : {false, true}) {
        expect_no_list(order<NoValue, kSpanThreads, OthersAgree<Part>>("same", buckets, 4000, descending));
        expect_no_list(order<Long, kSpanThreads, OthersAgree<Part>>("same, of pairs", buckets, 4000, descending));
        order<Word, kSpanThreads, OthersAgree<ShortPart>>("same, of three digits", buckets, 4000, descending);
        EXPECT_GT((order<NoValue, kSpanThreads, Part>("others differ", buckets, 4000, descending).batches), 2u);
        EXPECT_GT((order<Long, kSpanThreads, Part>("others differ, pairs", buckets, 4000, descending).batches), 2u);
        EXPECT_GT((order<Word, kSpanThreads, ShortPart>("others differ", buckets, 4000, descending).batches), 2u);
    }
}

// A plan with spans, but keys for which the device has chosen batches.
TEST(OrderSpans, AfterWhichBatchesWereChosen) {
    const Buckets buckets = of_sizes({900, 30, kFits + 1}, 30'000);
    EXPECT_EQ(order("pairs", buckets, 5000, false, {.after_spans = false}).batches, 0u);
    EXPECT_EQ((order<NoValue, kLargeSpanThreads>("keys", buckets, 5000, true, {.after_spans = false}).batches), 0u);
}

TEST(OrderSpans, LessThanABulkCopyTakes) {
    for (std::size_t n = 1; n < 9; ++n)
        for (std::size_t offset = 0; offset < 4; ++offset) {
            Buckets buckets;
            buckets.add(n, 3, [](std::size_t i) { return static_cast<Word>(9 - i); });
            order(std::to_string(n) + " items", buckets, 100, false, {.offset = offset});
        }
}

// Equal keys keep their order, many of them too; a bin of more than a few sends its span to be sorted as a batch.
TEST(OrderSpans, EqualKeysAndCrowdedBins) {
    Buckets pairs, crowd, few;
    for (Word b = 0; b < 5; ++b) {
        pairs.add(4000, 7 + b, [](std::size_t i) { return random_lower(i / 2); });
        crowd.add(2000, 7 + b, [](std::size_t i) { return static_cast<Word>(i % 3); });
        few.add(1000, 7 + b, random_lower);
    }
    for (std::size_t i = 0; i < kCrowdedBin + 1; ++i) few.codes[1200 + 13 * i] = 8u << Buckets::kShift | 99;
    expect_no_list(order("pairs of equal keys", pairs, 4000));
    EXPECT_GT(order("three keys per bucket", crowd, 4000).batches, 1u);
    EXPECT_GT(order("three keys per bucket, descending, keys not wanted", crowd, 4000, true,
                    {.writes_keys = false, .offset = 1})
                  .batches,
              1u);
    EXPECT_EQ(order("one crowded bin", few, 1000).batches, 1u);
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
        Buckets buckets;
        for (Word b = 0; b < 6; ++b) {
            std::vector<Word> lower;  // bins are of 16 codes
            for (Word bin = 0; lower.size() + most <= 4000; ++bin)
                for (Word i = 0; i < 1 + (7 * bin + b) % most; ++i) lower.push_back(32 * bin + 15 - i % 15);
            if (b % 2 == 1) std::reverse(lower.begin(), lower.end());
            buckets.add(lower.size(), 7 + b,
                        [&, first = buckets.codes.size()](std::size_t i) { return lower[i - first]; });
        }
        expect_no_list(order("with values", buckets, 4000));
        expect_no_list(order<NoValue>("keys alone", buckets, 4000));
        expect_no_list(order_low("of 64 bits, of which few differ", buckets, 4000, false, {}));
        expect_no_list(order_long("of 64 bits", buckets, 4000, false, {}));
    }
}

// Words of a span that is as wide as that do not fit 32 bits.
TEST(OrderSpans, LeadingDigitsFarApart) {
    Buckets buckets;
    for (Word b = 0; b < 40; ++b) buckets.add(100, b * 1500, random_lower);
    EXPECT_GT(order("far apart", buckets, 3000).batches, 0u);
    Buckets ends;
    ends.add(2000, 0, random_lower);
    ends.add(2000, 0xffff, random_lower);
    order("lowest and highest codes", ends, 5000);
}

// Passes over all digits leave nothing to do.
TEST(Buckets, NoneAfterPassesOverAllDigits) {
    BucketInput<Word> input{.keys = random_items<Word>(20'000), .ends = {20'000}};
    std::sort(input.keys.begin(), input.keys.end());
    input.keys[7] = 0;  // which no kernel sees
    for (std::size_t i = 0; i < input.keys.size(); ++i) input.codes.push_back(static_cast<Word>(i));
    input.ends.clear();
    const BucketsFound found = check_buckets<NoValue>(input, {.places = 700});
    EXPECT_EQ(found.batches + found.large, 0u);
}

}  // namespace
