// kogge-test: EMULATED GPU
// Buckets that passes over leading digits leave and that are too large for one block: all blocks sort them together.
// Other buckets are in buckets_test.
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

template <class Kind>
constexpr std::size_t kBatch = batch_items(sizeof(typename Kind::Key));
/// The items of a slice, if there are at least two of them and fewer than kMostSlices.
template <class Value, class Kind>
constexpr std::size_t kSlice = kSliceTiles* kTileThreads* static_cast<std::size_t>(tile_items(
    std::is_same_v<Value, NoValue> ? sizeof(typename Kind::Key) : std::max(sizeof(Value), sizeof(typename Kind::Key))));

template <class Value, class Kind>
BucketsFound sort(const std::string& what, const Buckets& buckets, std::uint64_t places = 3000, bool descending = false,
                  const BucketLaunch& how = {}) {
    SCOPED_TRACE(what);
    BucketLaunch launch = how;
    launch.places = places;
    return check_buckets<Value>(buckets.as<Kind>(descending), launch);
}

std::uint32_t ascending_lower(std::size_t i) { return static_cast<std::uint32_t>(i >> 4); }

/// Small buckets around one that fits exactly, one of a key more, one of several slices, and one that is in order.
template <class Value, class Kind>
Buckets of_all_kinds() {
    Buckets buckets;
    buckets.add(70, 1, random_lower);
    buckets.add(kBatch<Kind>, 2, random_lower);
    buckets.add(kBatch<Kind> + 1, 3, random_lower);
    buckets.add(30, 4, random_lower);
    buckets.add(2 * kSlice<Value, Kind> + 77, 0x100, random_lower);
    buckets.add(kBatch<Kind> + 500, 0x1ff, [](std::size_t) { return 5u; });
    buckets.add(1, 0x200, random_lower);
    return buckets;
}

template <class Value, class Kind>
void sort_all_kinds() {
    const Buckets buckets = of_all_kinds<Value, Kind>();
    for (const bool descending : {false, true}) {
        const BucketsFound found = sort<Value, Kind>("of all kinds", buckets, 3000, descending);
        EXPECT_EQ(found.large, 3u);
        EXPECT_EQ(found.split, 2u);
    }
}
TEST(LargeBuckets, KeysOf4Bytes) {
    sort_all_kinds<NoValue, Short>();
    sort_all_kinds<Word, Short>();
    sort_all_kinds<kogge::uint128, Short>();
}
TEST(LargeBuckets, KeysOf8Bytes) {
    sort_all_kinds<NoValue, Wide>();
    sort_all_kinds<Word, Low>();
    sort_all_kinds<Long, Wide>();
}
TEST(LargeBuckets, KeysOf16Bytes) {
    sort_all_kinds<NoValue, Huge>();
    sort_all_kinds<kogge::uint128, Huge>();
}
TEST(LargeBuckets, PartsOfTheBits) {
    sort_all_kinds<NoValue, Part>();
    sort_all_kinds<Long, Part>();
    sort_all_kinds<NoValue, ShortPart>();
    sort_all_kinds<Word, ShortPart>();
}

// Progress needs no number of blocks, and the result depends on none.
TEST(LargeBuckets, AnyNumberOfBlocks) {
    for (const std::uint32_t blocks : {1u, 2u, 5u, 40u}) {
        const auto what = std::to_string(blocks) + " blocks";
        sort<Long, Wide>(what, of_all_kinds<Long, Wide>(), 3000, false, {.large_blocks = blocks});
        sort<NoValue, Short>(what, of_all_kinds<NoValue, Short>(), 3000, true, {.large_blocks = blocks});
    }
}

TEST(LargeBuckets, EveryForm) {
    const auto buckets = of_all_kinds<Word, Short>();
    for (std::size_t offset = 0; offset < 4; ++offset)
        sort<Word, Short>("offset", buckets, 2800, offset % 2 == 1, {.offset = offset});
    sort<Word, Short>("fewer items than there is room for", buckets, 2800, false, {.more_room = 9000});
    sort<Word, Short>("no keys", buckets, 2800, false, {.writes_keys = false, .offset = 1});
    sort<kogge::uint128, Huge>("no keys", of_all_kinds<kogge::uint128, Huge>(), 2800, true, {.writes_keys = false});
    for (const std::uint64_t places : {std::uint64_t{1}, std::uint64_t{40}, std::uint64_t{kBatch<Short>}})
        sort<Word, Short>(std::to_string(places) + " per slice", buckets, places);
}

// A bucket has all items, or all but one before it or after it.
TEST(LargeBuckets, NearlyEverything) {
    for (const std::size_t before : {0u, 1u})
        for (const std::size_t after : {0u, 1u}) {
            Buckets buckets;
            if (before > 0) buckets.add(before, 1, random_lower);
            buckets.add(2 * kBatch<Short>, 2, random_lower);
            if (after > 0) buckets.add(after, 3, random_lower);
            for (const bool descending : {false, true}) {
                const BucketsFound found = sort<Word, Short>("alone", buckets, 2500, descending);
                EXPECT_EQ(found.large, 1u);
                EXPECT_EQ(found.split, 1u);
            }
        }
}

// Buckets in order, equal keys among them, are not moved, whatever else is.
TEST(LargeBuckets, InOrder) {
    Buckets ordered, mixed;
    for (Word b = 0; b < 5; ++b) {
        ordered.add(kBatch<Short> + 1000 * b + 1, b,
                    [&](std::size_t i) { return b % 2 == 0 ? 9u : ascending_lower(i); });
        mixed.add(kBatch<Short> + 1000 * b + 1, b, [&](std::size_t i) {
            return b == 3 ? random_lower(i) : b % 2 == 0 ? 9u : ascending_lower(i);
        });
    }
    // In descending order of bits that do not count.
    const BucketsFound all = sort<Word, Short>("all", ordered), of_part = sort<NoValue, Part>("parts", ordered);
    EXPECT_EQ(all.large, 5u);
    EXPECT_EQ(all.split, 0u);
    EXPECT_EQ(of_part.split, 0u);
    const BucketsFound one = sort<Word, Short>("all but one", mixed), wide = sort<NoValue, Wide>("wide", mixed);
    EXPECT_EQ(one.split, 1u);
    EXPECT_EQ(wide.split, 1u);
}

// One pair out of order is found anywhere: at the ends of a bucket, in the rounds and across the slices that look.
TEST(LargeBuckets, OnePairOutOfOrder) {
    constexpr std::size_t slice = kSlice<NoValue, Huge>, size = 2 * slice + 1000, begin = 4000;
    for (const std::size_t place : {std::size_t{0}, std::size_t{255}, std::size_t{256}, std::size_t{1023}, slice - 2,
                                    slice - 1, slice, size / 2, size - 2}) {
        Buckets buckets;
        buckets.add(begin, 1, random_lower);
        buckets.add(size, 2, [=](std::size_t i) {
            return i - begin == place ? 8u : i - begin == place + 1 ? 7u : i - begin < place ? 7u : 8u;
        });
        buckets.add(kBatch<Huge> + 1, 3, [](std::size_t) { return 3u; });
        buckets.add(begin, 4, random_lower);
        const BucketsFound found = sort<NoValue, Huge>("out of order at " + std::to_string(place), buckets);
        EXPECT_EQ(found.large, 2u);
        EXPECT_EQ(found.split, 1u);
    }
    Buckets apart;  // the last key of one bucket comes after the first of the next one in the lower digits alone
    for (Word b = 0; b < 3; ++b)
        apart.add(kBatch<Huge> + 9, b,
                  [&, first = apart.codes.size()](std::size_t i) { return ascending_lower(i - first); });
    EXPECT_EQ((sort<NoValue, Huge>("neighbours", apart).split), 0u);
}

// Digits that all keys of a bucket share move nothing. An odd number of digits that do ends in the alternate.
TEST(LargeBuckets, DigitsThatAllKeysShare) {
    for (const Word mask : {0xffffu, 0xffu, 0xff00u, 0x8001u, 1u, 0x0ff0u}) {
        const auto what = "mask " + std::to_string(mask);
        Buckets buckets;
        buckets.add(100, 1, random_lower);
        buckets.add(kBatch<Short> + 300, 2, [=](std::size_t i) { return random_lower(i) & mask; });
        buckets.add(kBatch<Short> + 300, 3, random_lower);
        buckets.add(kBatch<Short> + 300, 4,
                    [=](std::size_t i) { return (random_lower(i) & mask) | (0x5aa5u & ~mask); });
        for (const BucketsFound& found :
             {sort<Word, Short>(what, buckets), sort<NoValue, Low>(what, buckets),
              sort<NoValue, Wide>(what, buckets, 3000, true), sort<Long, Huge>(what, buckets)}) {
            EXPECT_EQ(found.large, 3u);
            EXPECT_EQ(found.split, 3u);
        }
    }
}

// Stable, with any number of equal keys.
TEST(LargeBuckets, EqualKeys) {
    for (const std::size_t different : {2, 3, 100, 5000}) {
        Buckets buckets;
        for (Word b = 0; b < 2; ++b)
            buckets.add(kBatch<Short> * 2, b,
                        [=](std::size_t i) { return static_cast<Word>(random_lower(i) % different); });
        EXPECT_EQ((sort<Word, Short>(std::to_string(different), buckets).split), 2u);
        EXPECT_EQ((sort<Long, Part>(std::to_string(different), buckets, 3000, true).split), 2u);
    }
}

// As many as there is room for on the list.
TEST(LargeBuckets, NothingElse) {
    Buckets buckets;
    for (Word b = 0; b < (small() ? 6 : 20); ++b)
        buckets.add(kBatch<Huge> + 1, b, [=](std::size_t i) { return b % 3 == 0 ? 1u : random_lower(i); });
    for (const std::uint64_t places : {std::uint64_t{500}, std::uint64_t{kBatch<Huge>}})
        EXPECT_EQ((sort<NoValue, Huge>(std::to_string(places) + " per slice", buckets, places).large),
                  buckets.ends.size());
}

// A bucket of an item more than kMostSlices slices take: they are a tile longer, and the last ones are empty. Items are
// as wide as they may be, so that this takes the fewest.
TEST(LargeBuckets, OfManySlices) {
    if (KOGGE_EMULATED || small()) GTEST_SKIP() << "takes a GPU, and long under sanitizers";
    constexpr std::size_t slice = kSlice<NoValue, Huge>, many = kMostSlices * slice + 1;
    static_assert(large_slices(many, sizeof(Huge::Key)) == kMostSlices && many > kMostSlices * slice);
    Buckets buckets;
    buckets.add(kBatch<Huge>, 1, random_lower);  // fits a batch
    buckets.add(many, 2, random_lower);
    buckets.add(3 * slice, 3, random_lower);
    static_assert(3 * slice > kBatch<Huge>);
    const BucketsFound found = sort<NoValue, Huge>("keys", buckets, 3000, false, {.large_blocks = 100});
    EXPECT_EQ(found.large, 2u);
    EXPECT_EQ(found.split, 2u);
}

}  // namespace
