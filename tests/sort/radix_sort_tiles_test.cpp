// kogge-test: EMULATED GPU HOST
// Sorts of so many items that a device uses tiles and pipelined passes: every width of keys and values, every number of
// passes, sizes at the bounds of tiles and plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "support/sort_checks.hpp"
#include "support/sort_outcomes.hpp"
#include "support/sort_plans.hpp"

namespace {

using namespace tests;

// Pipelined on a device of three multiprocessors.
// A device with less shared memory cannot hold fewer items on chip, so that they take plain tiles.
std::size_t many() { return small() ? 98305 : 130003; }
struct TilesFor : Pretending {
    explicit TilesFor(std::size_t n, std::size_t key_bytes = 8)
        : Pretending(3, (n >= many()      ? 227
                         : key_bytes <= 8 ? 36
                                          : 80) *
                            std::size_t{1024}) {}
};
std::vector<std::size_t> sizes() { return small() ? std::vector{many()} : std::vector<std::size_t>{30001, many()}; }

template <class Key>
class Tiles : public ::testing::Test {};
using Keys = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, kogge::uint128>;
TYPED_TEST_SUITE(Tiles, Keys);

TYPED_TEST(Tiles, EveryNumberOfPasses) {
    constexpr int bits = static_cast<int>(8 * sizeof(TypeParam));
    for (const std::size_t n : sizes()) {
        const TilesFor device(n, sizeof(TypeParam));
        for (const auto& [begin, end] : {std::pair{0, bits / 2}, {0, 1}, {bits - 3, bits}, {0, bits}, {1, bits - 1}}) {
            check_keys<TypeParam>(n, begin, end);
            if (small()) break;
        }
    }
}

TYPED_TEST(Tiles, ValuesOfEveryWidth) {
    constexpr int bits = static_cast<int>(8 * sizeof(TypeParam));
    const int first = bits > 16 ? bits - 20 : 0;
    for (const std::size_t n : sizes()) {
        const TilesFor device(n, sizeof(TypeParam));
        check_pairs<TypeParam, std::uint32_t>(n, first, bits);
        if (small()) break;
        check_pairs<TypeParam, std::uint64_t>(n, first, bits - 1);
        check_pairs<TypeParam, Bytes<16, 16>>(n, first, bits);
        check_pairs<TypeParam, Bytes<3>>(n, first, bits);
    }
}

// Keys and values of 4 bytes each travel as one item between the passes: from arrays and to arrays at any offset, after
// and before every number of passes, or indices in place of the values.
TEST(TilePacks, ArraysAtOffsetsAndEveryNumberOfPasses) {
    const std::size_t n = many();
    const TilesFor device(n);
#if KOGGE_EMULATED
    const kogge::radix_sort_shape shape{.key_bytes = 4, .begin_bit = 0, .end_bit = 32, .values = {{4, 4}}};
    ASSERT_TRUE(is_pipelined(kogge::plan_radix_sort(n, shape, kogge::simt::current_properties())));
#endif
    const auto keys = random_items<std::uint32_t>(n, 8);
    const auto values = random_items<std::uint32_t>(n, 9);
    for (const auto& [begin, end] : {std::pair{5, 12}, {0, 16}, {3, 26}, {0, 32}})
        for (const std::size_t offset : {0, 1, 2}) {
            if (small() && offset == 2) continue;
            if (sparing() && offset != static_cast<std::size_t>(begin % 2)) continue;
            SCOPED_TRACE("bits " + std::to_string(begin) + " to " + std::to_string(end) + ", offset " +
                         std::to_string(offset));
            auto reversed = keys;  // stable in descending order, too
            for (auto& key : reversed) key = ~key;
            const auto want = order_by(reversed, begin, end);
            const kogge::sort_options options{.order = kogge::descending, .begin_bit = begin, .end_bit = end};
            Array<std::uint32_t> in(keys, offset), with(values, 2 - offset), out(n, 3 - offset), with_out(n, offset);
            kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, options);
            EXPECT_TRUE(same(out.get(), gathered(keys, want))) << "keys";
            EXPECT_TRUE(same(with_out.get(), gathered(values, want))) << "values";
            EXPECT_TRUE(same(in.get(), keys)) << "the input";
            EXPECT_TRUE(same(with.get(), values)) << "the input's values";
            kogge::argsort(in.data(), with_out.data(), n, options);
            EXPECT_TRUE(same(with_out.get(), want)) << "indices";
            kogge::radix_sort_pairs(in.data(), with.data(), n, options);
            EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "keys in place";
            EXPECT_TRUE(same(with.get(), gathered(values, want))) << "values in place";
        }
}

TEST(TileBounds, OfEveryPlan) {
    // One block, plain tiles of 256 × 16 keys, pipelined tiles of 768 × 32, and where one plan ends.
    const std::vector<std::size_t> bounds{4096, 8192, 16384, 24576, 98304, 5 * 24576};
    const TilesFor device(many());
    for (const std::size_t n : small() ? std::vector<std::size_t>{16384, 98304} : bounds)
        for (const std::size_t size : {n - 2, n - 1, n, n + 1, n + 2}) {
            if (sparing() && size != n && size != n + 1) continue;
            check_keys<std::uint32_t>(size, 0, 32);
        }
}

// Pairs in order already: what is not in its place is copied, whichever arrays are their own outputs, at any offset,
// and whether a key is its code or not. One pair out of order takes all passes.
template <class Key>
void check_ordered_pairs(std::size_t n, std::size_t offset) {
    auto keys = random_items<Key>(n, 4);
    std::sort(keys.begin(), keys.end());
    const auto values = random_items<std::uint32_t>(n, 5);
    for (const std::size_t place : {std::size_t{0}, std::size_t{1}, n - 1}) {
        if (small() && place == 1) continue;
        SCOPED_TRACE("out of order before place " + std::to_string(place));
        if (place > 0) keys[place - 1] = std::numeric_limits<Key>::max();
        const auto want = order_by(keys, 0, static_cast<int>(8 * sizeof(Key)));
        const auto check = [&](const char* form, bool keys_in_place, bool values_in_place) {
            Array<Key> in(keys, offset), out(n, 2 - offset);
            Array<std::uint32_t> with(values, 1), with_out(n, offset);
            auto& to = keys_in_place ? in : out;
            auto& with_to = values_in_place ? with : with_out;
            kogge::radix_sort_pairs(in.data(), to.data(), with.data(), with_to.data(), n);
            EXPECT_TRUE(same(to.get(), gathered(keys, want))) << "keys, " << form;
            EXPECT_TRUE(same(with_to.get(), gathered(values, want))) << "values, " << form;
            EXPECT_TRUE(keys_in_place || same(in.get(), keys)) << "the input, " << form;
        };
        check("apart", false, false);
        check("keys in place", true, false);
        check("values in place", false, true);
        check("both in place", true, true);
    }
}
TEST(TileDistributions, PairsInOrder) {
    for (const std::size_t n : sizes())
        for (const std::size_t offset : {0, 1}) {
            if (sparing() && offset == 1) continue;
            const TilesFor device(n);
            SCOPED_TRACE(std::to_string(n) + " pairs at offset " + std::to_string(offset));
            if (!small() || offset == 0) check_ordered_pairs<std::uint32_t>(n, offset);
            if (!small() || offset == 1) check_ordered_pairs<std::int32_t>(n, offset);
            if (!small()) check_ordered_pairs<std::uint64_t>(n, offset);
        }
}

// Sorted keys, or all equal ones, need no pass; their values and indices are written all the same.
TEST(TileDistributions, OfKeysWithAndWithoutValues) {
    for (const std::size_t n : sizes())
        for (const Distribution distribution : kDistributions) {
            if (sparing() && distribution != Distribution::uniform && distribution != Distribution::one_value) continue;
            const TilesFor device(n);
            SCOPED_TRACE(std::to_string(n) + " keys of distribution " + std::to_string(static_cast<int>(distribution)));
            const auto keys = items_of<std::uint64_t>(distribution, n);
            const auto values = random_items<Bytes<3>>(n, 2);
            const auto words = random_items<std::uint32_t>(n, 3);
            const auto want = order_by(keys, 0, 64);
            Array<std::uint64_t> in(keys), paired(keys), gathering(keys), out(n);
            Array<std::uint32_t> indices(n), with(words), with_out(n);
            Array<Bytes<3>> with_three(values);
            kogge::argsort(in.data(), indices.data(), n);
            EXPECT_TRUE(same(indices.get(), want)) << "indices";
            kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n);
            EXPECT_TRUE(same(with_out.get(), gathered(words, want))) << "values out of place";
            EXPECT_TRUE(same(out.get(), gathered(keys, want))) << "keys out of place";
            kogge::radix_sort_pairs(paired.data(), with.data(), n);
            EXPECT_TRUE(same(with.get(), gathered(words, want))) << "values in place";
            kogge::radix_sort_pairs(gathering.data(), with_three.data(), n);
            EXPECT_TRUE(same(with_three.get(), gathered(values, want))) << "gathered values in place";
            EXPECT_TRUE(same(gathering.get(), gathered(keys, want))) << "keys of gathered values";
            kogge::radix_sort(in.data(), n);
            EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "keys alone";
        }
}

TEST(TileAliases, KeysInPlaceAndValuesNot) {
    for (const std::size_t n : {std::size_t{700}, std::size_t{30001}, small() ? 700 : many()})
        for (const Distribution distribution : {Distribution::uniform, Distribution::one_value, Distribution::sorted})
            for (const int end : {24, 32}) {
                if (sparing() && end == 32) continue;
                const TilesFor device(n);
                SCOPED_TRACE(std::to_string(n) + " keys of distribution " +
                             std::to_string(static_cast<int>(distribution)) + ", " + std::to_string(end) + " bits");
                const auto keys = items_of<std::uint32_t>(distribution, n);
                const auto words = random_items<std::uint32_t>(n, 3);
                const auto threes = random_items<Bytes<3>>(n, 3);
                const auto want = order_by(keys, 0, end);
                const auto check = [&]<class Value>(const std::vector<Value>& values) {
                    Array<std::uint32_t> in(keys), out(n);
                    Array<Value> with(values), with_out(n);
                    kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with.data(), n, {.end_bit = end});
                    EXPECT_TRUE(same(out.get(), gathered(keys, want))) << "keys apart";
                    EXPECT_TRUE(same(with.get(), gathered(values, want))) << "values in place";
                    Array<Value> again(values);
                    kogge::radix_sort_pairs(in.data(), in.data(), again.data(), with_out.data(), n, {.end_bit = end});
                    EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "keys in place";
                    EXPECT_TRUE(same(with_out.get(), gathered(values, want))) << "values apart";
                };
                check(words);
                check(threes);
            }
}

// Keys whose leading digits nearly tell them apart take passes over these only; the buckets of keys that agree in them
// are sorted afterwards.
template <class Key>
void check_buckets(const std::vector<Key>& keys, const char* what, bool every_form = true) {
    SCOPED_TRACE(what);
    const std::size_t n = keys.size();
    const TilesFor device(n, sizeof(Key));
    const auto words = random_items<std::uint32_t>(n, 3);
    const auto want = order_by(keys, 0, static_cast<int>(8 * sizeof(Key)));
    Array<Key> in(keys), out(n);
    Array<std::uint32_t> indices(n), with(words), with_out(n);
    kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n);
    EXPECT_TRUE(same(with_out.get(), gathered(words, want))) << "values";
    EXPECT_TRUE(same(out.get(), gathered(keys, want))) << "keys";
    if (!every_form) return;
    kogge::argsort(in.data(), indices.data(), n);
    EXPECT_TRUE(same(indices.get(), want)) << "indices";
    kogge::radix_sort(in.data(), n);
    EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "keys alone";
}

// Every `step`-th key is of a bucket of `size`; the others have leading digits of their own. Buckets of few different
// keys are such that no sample shows how large they are.
template <class Key>
std::vector<Key> of_buckets(std::size_t size, std::size_t step, std::size_t different = many()) {
    const std::size_t n = many(), buckets = n / step / size + 1;
    const int lower = static_cast<int>(4 * sizeof(Key));
    const auto random = random_items<Key>(n, 5);
    auto keys = random;
    for (std::size_t i = 0; i < n; i += step)
        keys[i] = static_cast<Key>(keys[i / step % buckets * step + 1] >> lower << lower) |
                  (random[random[i] % different] >> lower);
    return keys;
}

struct BucketCase {
    const char* name;
    std::size_t size;  // of a bucket; 0: as many as there are keys
    std::size_t step;
    std::size_t different;  // keys of a bucket; 0: nearly all
};
class TileBuckets : public ::testing::TestWithParam<BucketCase> {};
TEST_P(TileBuckets, StandInOrder) {
    const auto [name, size, step, different] = GetParam();
    check_buckets(of_buckets<std::uint64_t>(size > 0 ? size : many(), step, different > 0 ? different : many()), name,
                  !sparing() || step == 64);
}
const auto name_of_case = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(ThatSamplesShow, TileBuckets,
                         ::testing::Values(BucketCase{"Pairs", 2, 8, 0}, BucketCase{"Thirty", 30, 8, 0},
                                           BucketCase{"Of150", 150, 16, 0}, BucketCase{"Of600", 600, 64, 0},
                                           BucketCase{"TooLargeForABlock", 0, 16, 0},
                                           BucketCase{"NothingElse", 20, 1, 0}),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(ThatNoSampleShows, TileBuckets,
                         ::testing::Values(BucketCase{"Of150", 150, 64, 3}, BucketCase{"Of600", 600, 64, 8},
                                           BucketCase{"TooLargeForABlock", 0, 16, 20},
                                           BucketCase{"OfTwoKeys", 250, 16, 2}),
                         name_of_case);
TEST(TileBucketsOf, WideKeysTooManyForABlock) { check_buckets(of_buckets<kogge::uint128>(many(), 5, 20), "wide keys"); }

// Keys alone that are told apart by what does not count, too. The large bucket has more than a tile, so that a thread
// reads what others have written in the pass before.
TEST(TileBucketsOf, KeysByTheirUpperBits) {
    const TilesFor device(many());
    const auto keys = of_buckets<kogge::uint128>(many(), 40, 20);
    const auto want = gathered(keys, order_by(keys, 16, 128));
    Array<kogge::uint128> array(keys);
    kogge::radix_sort(array.data(), keys.size(), {.begin_bit = 16});
    EXPECT_TRUE(same(array.get(), want));
}

// Sorted by some bits, whereas keys agree in the others, or do not.
TEST(TileBucketsOf, KeysByTheirMiddleBits) {
    const TilesFor device(many());
    for (const std::uint64_t others : {std::uint64_t{0}, std::uint64_t{0xab000000000000cd}, ~std::uint64_t{0}}) {
        if (sparing() && others == 0) continue;
        SCOPED_TRACE(others);
        auto keys = random_items<std::uint64_t>(many(), 5);
        if (others != ~std::uint64_t{0})
            for (auto& key : keys) key = (key & 0x00ffffffffffff00) | others;
        const auto words = random_items<std::uint32_t>(many(), 3);
        const auto want = order_by(keys, 8, 56);
        Array<std::uint64_t> alone(keys), in(keys);
        Array<std::uint32_t> with(words);
        kogge::radix_sort(alone.data(), many(), {.begin_bit = 8, .end_bit = 56});
        EXPECT_TRUE(same(alone.get(), gathered(keys, want))) << "keys alone";
        kogge::radix_sort_pairs(in.data(), with.data(), many(), {.begin_bit = 8, .end_bit = 56});
        EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "keys";
        EXPECT_TRUE(same(with.get(), gathered(words, want))) << "values";
    }
}

#if KOGGE_KERNELS
// ---- which way a sort takes ----------------------------------------------------------------------------

using kogge::grid::SortOutcome;

/// Sorts out of place, checks the result, and returns what the device has found. None: the plan takes no passes.
template <class Value, class Key>
std::optional<Sorted> sort_and_look(const std::vector<Key>& keys) {
    constexpr bool has_values = !std::is_same_v<Value, kogge::grid::NoValue>;
    using Stored = std::conditional_t<has_values, Value, std::uint32_t>;
    const std::size_t n = keys.size();
    const TilesFor device(n);
    const int bits = static_cast<int>(8 * sizeof(Key));
    kogge::radix_sort_shape shape{.key_bytes = sizeof(Key), .begin_bit = 0, .end_bit = bits, .in_place = false};
    if (has_values) shape.values = {{sizeof(Stored), alignof(Stored)}};
    shape.are_floats = std::is_floating_point_v<Key>;
    const kogge::radix_sort_plan plan = kogge::plan_radix_sort(n, shape, kogge::simt::current_properties());
    if (!is_by_prefix(plan)) return {};
    const auto values = random_items<Stored>(n, 3);
    const auto want = order_by(keys, 0, bits);
    Array<Key> in(keys), out(n);
    Array<Stored> with(values), with_out(n);
    const Sorted sorted = sorted_with(plan, [&](const kogge::exec& how) {
        if constexpr (has_values)
            kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, {}, how);
        else kogge::radix_sort(in.data(), out.data(), n, {}, how);
    });
    EXPECT_TRUE(same(out.get(), gathered(keys, want))) << "keys";
    if (has_values) {
        EXPECT_TRUE(same(with_out.get(), gathered(values, want))) << "values";
    }
    return sorted;
}

/// Where a GPU is not to pretend, so many that no plan holds them on chip.
std::size_t too_many_for_chips() { return may_pretend() ? many() : std::size_t{1} << 23; }

template <class Value, class Key>
void expect_way(const char* what, const std::vector<Key>& keys, SortOutcome outcome, std::uint32_t large = 0) {
    SCOPED_TRACE(what);
    const std::optional<Sorted> sorted = sort_and_look<Value>(keys);
    if (!sorted) {
        EXPECT_FALSE(may_pretend()) << "the plan has passes";
        return;
    }
    EXPECT_EQ(static_cast<int>(sorted->control.outcome), static_cast<int>(outcome));
    EXPECT_EQ(sorted->control.lowest > 0, outcome != SortOutcome::in_order && outcome != SortOutcome::all_digits);
    EXPECT_GE(sorted->large, large);
}

/// `uniform`: the way of uniform keys.
template <class Value, class Key>
void expect_ways(SortOutcome uniform) {
    const std::size_t n = too_many_for_chips();
    const auto random = random_items<Key>(n, 5);
    auto keys = random;
    expect_way<Value>("uniform", keys, uniform);
    std::sort(keys.begin(), keys.end());
    expect_way<Value>("sorted", keys, SortOutcome::in_order);
    if (sparing()) return;
    std::reverse(keys.begin(), keys.end());
    expect_way<Value>("reversed", keys, uniform);
    for (std::size_t i = 0; i < n; ++i) keys[i] = random[i % 16];
    expect_way<Value>("16 values", keys, SortOutcome::few_distinct);
    for (std::size_t i = 0; i < n; ++i) keys[i] = 7;
    expect_way<Value>("one value", keys, SortOutcome::in_order);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(random[i] & 0xffff);
    expect_way<Value>("16 bits", keys, SortOutcome::all_digits);
}
TEST(TileWays, WithSpans) {
    expect_ways<kogge::grid::NoValue, std::uint32_t>(SortOutcome::spans);
    expect_ways<std::uint32_t, std::uint32_t>(SortOutcome::spans);
    expect_ways<kogge::grid::NoValue, std::uint64_t>(SortOutcome::spans);
}
TEST(TileWays, WithBatches) {
    expect_ways<kogge::grid::NoValue, kogge::uint128>(SortOutcome::batches);
    expect_ways<kogge::uint128, std::uint64_t>(SortOutcome::batches);
}
TEST(TileWays, OfFloats) {
    std::vector<float> keys(too_many_for_chips());
    Random random(7);
    for (float& key : keys) key = static_cast<float>(random() >> 40) * 0x1p-24f;
    expect_way<kogge::grid::NoValue>("uniform values", keys, SortOutcome::value_spans);
    expect_way<std::uint32_t>("uniform values of pairs", keys, SortOutcome::value_spans);
}
// A bucket that no block has room for, and of which no sample shows how large it is.
TEST(TileWays, WithALargeBucket) {
    if (!may_pretend()) GTEST_SKIP() << "a device that pretends to be small has such buckets";
    expect_way<kogge::uint128>("of keys of 8 bytes", of_buckets<std::uint64_t>(many(), 16, 20), SortOutcome::batches,
                               1);
    expect_way<kogge::grid::NoValue>("of keys of 16 bytes", of_buckets<kogge::uint128>(many(), 16, 20),
                                     SortOutcome::batches, 1);
}
#endif

// ---- keys of 32 bits -----------------------------------------------------------------------------------

/// Calls check(keys, what) for random keys, even ones and others, many of which share the leading digits: `crowd` at
/// each `step`.
template <class Check>
void check_uneven(const std::vector<std::uint32_t>& random, std::size_t crowd, std::size_t step, const Check& check) {
    check(random, "random keys");
    auto keys = random;
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / keys.size() * (keys.size() - 1 - i));
    check(keys, "at equal distances, reversed");
    check(shuffled(keys), "at equal distances, shuffled");
    check(of_buckets<std::uint32_t>(random.size(), 16, 20), "one large bucket that the digits show");
    keys = random;
    for (std::size_t i = 0; i < crowd; ++i) keys[i * step] = 0x12345678u ^ (random[i] & 0xffffu);
    check(keys, "one large bucket");
    keys = random;
    for (auto& key : keys) key = (key & 0xff00ffffu) | (key >> 8 & 0xff0000u);
    check(keys, "two digits that are equal");
    keys = random;
    for (std::size_t i = 0; i < 60; ++i) keys[i * 1600] = random[1] ^ 1;
    check(keys, "one crowded bin");
}

// Keys of 32 bits alone likewise.
TEST(TileBucketsOf, KeysOf32Bits) {
    const std::size_t n = many();
    const TilesFor device(n);
#if KOGGE_EMULATED
    const kogge::radix_sort_shape shape{.key_bytes = 4, .begin_bit = 0, .end_bit = 32};
    ASSERT_GT(spans_of(kogge::plan_radix_sort(n, shape, kogge::simt::current_properties())).threads, 0);
#endif
    const auto random = random_items<std::uint32_t>(n, 8);
    const auto check = [&](const std::vector<std::uint32_t>& keys, const char* what, kogge::sort_options options = {}) {
        auto want = keys;
        std::sort(want.begin(), want.end());
        if (options.order == kogge::descending) std::reverse(want.begin(), want.end());
        Array<std::uint32_t> in(keys), out(keys.size());
        kogge::radix_sort(in.data(), out.data(), keys.size(), options);
        EXPECT_TRUE(same(out.get(), want)) << what;
        EXPECT_TRUE(same(in.get(), keys)) << what << ", input";
        kogge::radix_sort(in.data(), keys.size(), options);
        EXPECT_TRUE(same(in.get(), want)) << what << ", in place";
    };
    check_uneven(random, 10'000, 9, check);
    check(random, "random keys, descending", {.order = kogge::descending});
    std::vector<float> floats(n);
    for (std::size_t i = 0; i < n; ++i) floats[i] = std::bit_cast<float>(random[i] & 0xbf7fffffu);
    Array<float> array(floats);
    kogge::radix_sort(array.data(), n);
    std::sort(floats.begin(), floats.end(),
              [](float a, float b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); });
    EXPECT_TRUE(same(array.get(), floats)) << "floats";
}

// Pairs of 32 bits each: uniform keys take passes over two digits and are sorted by spans; others take all passes, or
// are found to be skewed only then.
TEST(TileBucketsOf, PairsOf32Bits) {
    const std::size_t n = many();
    const TilesFor device(n);
#if KOGGE_EMULATED
    const kogge::radix_sort_shape shape{.key_bytes = 4, .begin_bit = 0, .end_bit = 32, .values = {{4, 4}}};
    ASSERT_GT(spans_of(kogge::plan_radix_sort(n, shape, kogge::simt::current_properties())).threads, 0);
#endif
    const auto random = random_items<std::uint32_t>(n, 6);
    check_uneven(random, 6000, 16, [](const auto& keys, const char* what) { check_buckets(keys, what); });
    std::vector<float> floats(n);
    for (std::size_t i = 0; i < n; ++i) floats[i] = std::bit_cast<float>(random[i] & 0xff7fffffu);
    Array<float> in(floats);
    Array<std::uint32_t> indices(n);
    kogge::argsort(in.data(), indices.data(), n, {.order = kogge::descending});
    std::vector<std::uint32_t> codes(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(floats[i]);
        codes[i] = ~(bits >> 31 != 0 ? ~bits : bits ^ 0x80000000u);
    }
    EXPECT_TRUE(same(indices.get(), order_by(codes, 0, 32))) << "floats of any bits, descending";
}

TEST(TileBucketsOf, FewValues) {
    const std::size_t n = many();
    const TilesFor device(n);
#if KOGGE_EMULATED
    const kogge::radix_sort_shape shape{.key_bytes = 4, .begin_bit = 0, .end_bit = 32};
    ASSERT_TRUE(is_by_prefix(kogge::plan_radix_sort(n, shape, kogge::simt::current_properties())));
#endif
    const auto random = random_items<std::uint32_t>(n, 6);
    const auto of_values = [&](std::size_t values, std::uint32_t mask) {
        auto keys = random;
        for (std::size_t i = 0; i < n; ++i) keys[i] = random[random[i] % values] & mask;
        return keys;
    };
    check_buckets(of_values(2, ~0u), "two values");
    check_buckets(of_values(16, ~0u), "16 values", !sparing());
    check_buckets(of_values(16, 0xff0fu), "16 values of few bits", !sparing());
    auto keys = of_values(16, ~0u);
    for (std::size_t i = 1; i < n; i += n / 5) keys[i] ^= 1;  // which no sample is sure to show
    check_buckets(keys, "few values, and others beside them", !sparing());
}

// Keys that are all multiples of one step, each once, so that the sorted ones are known: key i is the step times
// `place(i)`. Their digits have few values that come in a regular order, and counters of bins are served in bursts.
template <class Key, class Place>
void check_multiples(std::size_t n, std::uint64_t step, Place place) {
    SCOPED_TRACE(std::to_string(n) + " multiples of " + std::to_string(step));
    const auto multiple = [&](std::uint64_t i) { return static_cast<Key>(i * step); };
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = multiple(place(i));
    const Array<Key> in(keys);
    Array<Key> out(n);
    kogge::radix_sort(in.data(), out.data(), n);
    const std::vector<Key> got = out.get();
    std::size_t i = 0;
    while (i < n && got[i] == multiple(i)) ++i;
    EXPECT_EQ(i, n) << "the first wrong key";
}

TEST(TileMultiples, ReversedAndMixed) {
    std::vector<std::size_t> all{many() + 12344};
    if constexpr (kOnDevice && !KOGGE_EMULATED)
        if (!small()) all = {(std::size_t{1} << 23) + 12345, std::size_t{1} << 27};
    for (const std::size_t n : all) {
        const TilesFor device(n);
        const auto reversed = [&](std::uint64_t i) { return n - 1 - i; };
        check_multiples<std::uint32_t>(n, 16, reversed);
        check_multiples<std::uint32_t>(n, (std::uint64_t{1} << 32) / n, reversed);  // even in all codes
        if (!small()) check_multiples<std::uint32_t>(n, 32, reversed);
        check_multiples<std::uint64_t>(n, ~std::uint64_t{0} / n, reversed);
        // Each step of this maps numbers of so many bits to such numbers, one to one.
        const int bits = static_cast<int>(std::bit_width(n)) - 1;
        const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
        const auto mixed = [&](std::uint64_t i) {
            if (i > mask) return i;
            for (int round = 0; round < 3; ++round) {
                i = i * 0x9e3779b97f4a7c15u & mask;
                i ^= i >> bits / 2;
            }
            return i;
        };
        check_multiples<std::uint32_t>(n, 16, mixed);
    }
}

#if KOGGE_KERNELS
TEST(TileDeviceCount, ItemsBeyondTheCountStay) {
    const std::uint64_t bound = many();
    const auto keys = random_items<std::uint32_t>(bound);
    const auto values = random_items<Bytes<12>>(bound, 2);
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{30000}, bound - 1, bound + 1}) {
        const auto n = static_cast<std::ptrdiff_t>(std::min(count, bound));
        auto want = order_by<std::uint32_t>({keys.begin(), keys.begin() + n}, 0, 24);
        for (auto i = static_cast<std::uint32_t>(n); i < bound; ++i) want.push_back(i);
        const Array<std::uint64_t> number(std::vector<std::uint64_t>{count});
        const kogge::device_count items{number.data(), bound};
        Array<std::uint32_t> in(keys), indices(bound);
        Array<Bytes<12>> with(values);
        kogge::argsort(in.data(), indices.data(), items, {.end_bit = 24});
        std::vector<std::uint32_t> want_indices(want.begin(), want.begin() + n);
        want_indices.resize(bound, Array<std::uint32_t>::poison());
        EXPECT_TRUE(same(indices.get(), want_indices)) << count;
        kogge::radix_sort_pairs(in.data(), with.data(), items, {.end_bit = 24});
        EXPECT_TRUE(same(in.get(), gathered(keys, want))) << count;
        EXPECT_TRUE(same(with.get(), gathered(values, want))) << count;
    }
}
#endif

}  // namespace
