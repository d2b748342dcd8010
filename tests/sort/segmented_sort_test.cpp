// kogge-test: EMULATED GPU HOST
// Segmented sorts against a stable sort of each segment.
#include "kogge/segmented_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/sort_checks.hpp"

namespace {

using namespace tests;
using Offsets = std::vector<std::uint64_t>;

/// Lengths of segments that follow each other from `first` on; what is left of n is the last one.
struct Segments {
    std::string name;
    std::size_t n;
    Offsets offsets;
};

Segments of_lengths(const std::string& name, std::uint64_t first, const std::vector<std::uint64_t>& lengths) {
    Segments segments{name, 0, {}};
    std::uint64_t place = first;
    for (const std::uint64_t length : lengths) {
        segments.offsets.push_back(place);
        place += length;
    }
    segments.n = place;
    return segments;
}
Segments random_lengths(const std::string& name, std::uint64_t n, std::uint64_t most) {
    Random random(most);
    std::vector<std::uint64_t> lengths;
    std::uint64_t sum = 0;
    while (sum < n) {
        lengths.push_back(std::min(random() % (most + 1), n - sum));
        sum += lengths.back();
    }
    return of_lengths(name, 0, lengths);
}

/// A block holds 8192 keys of 32 bits. Where segments are large, a window is 2720 places of some 25,000 on the emulated
/// device, so that a segment of more than 5472 is long, and 1056 of some 8,000; on a device of many multiprocessors it
/// is 256 places, and the longest short segment has 7936.
std::vector<Segments> shapes() {
    const std::uint64_t n = small() ? 9000 : 30000;
    std::vector<Segments> list{
        of_lengths("one", 0, {5000}),
        of_lengths("no offset", 3, {}),
        of_lengths("one short", 0, {700}),
        of_lengths("bounds of a block", 2719, {5472, 1, 5473, 0, 5471, 0, 0, 5472}),
        of_lengths("bounds of a block with a small window", 255, {7936, 1, 7937, 0, 7935, 0, 0, 7936}),
        of_lengths("bounds of a window", 0, {1055, 1, 1056, 1057, 1, 1, 1055, 3968}),
        of_lengths("bounds of a row", 31, {1, 31, 33, 32, 1, 64, 63, 1000}),
        of_lengths("empty ones", 0, {0, 0, 0, 5, 0, 0, 6200, 0, 0, 0, 7, 0}),
        of_lengths("items before the first", 1234, {17, 500, 3}),
        random_lengths("of one or none", n / 2, 1),
        random_lengths("tiny", n, 10),
        random_lengths("middle", n, 1000),
    };
    if (!small()) {
        list.push_back(random_lengths("long", 2 * n, 20000));
        list.push_back(random_lengths("windows of half a block", 2 * n, 700));
        list.push_back(random_lengths("windows of most of a block", 2 * n, 60));
        std::vector<std::uint64_t> skewed(3000, 3);
        skewed[700] = 40001;
        skewed[701] = 5000;
        list.push_back(of_lengths("skewed", 5, skewed));
    }
    return list;
}

/// The order of each segment on its own: places of the whole array.
template <class Key>
std::vector<std::uint32_t> order_of(const std::vector<Key>& keys, const Offsets& offsets, int begin, int end,
                                    bool descending = false) {
    const kogge::uint128 mask = end - begin == 128 ? ~kogge::uint128{0} : (kogge::uint128{1} << (end - begin)) - 1;
    const auto digits = [&](std::uint32_t i) { return keys[i] >> begin & mask; };
    std::vector<std::uint32_t> order(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::uint64_t from = 0;
    for (std::size_t s = 0; s <= offsets.size(); ++s) {
        const std::uint64_t to = s < offsets.size() ? offsets[s] : keys.size();
        std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(from),
                         order.begin() + static_cast<std::ptrdiff_t>(to), [&](std::uint32_t a, std::uint32_t b) {
                             return descending ? digits(b) < digits(a) : digits(a) < digits(b);
                         });
        from = to;
    }
    return order;
}

template <class Key>
void check_keys(const std::vector<Key>& keys, const Offsets& offsets, kogge::sort_options options = {}) {
    const int end = options.end_bit == -1 ? static_cast<int>(8 * sizeof(Key)) : options.end_bit;
    const auto want =
        gathered(keys, order_of(keys, offsets, options.begin_bit, end, options.order == kogge::sort_order::descending));
    const Array<std::uint64_t> starts(offsets);
    Array<Key> in(keys), out(keys.size());
    kogge::segmented_sort(in.data(), out.data(), keys.size(), starts.data(), offsets.size(), options,
                          {.where = kWhere});
    EXPECT_TRUE(same(out.get(), want));
    EXPECT_TRUE(same(in.get(), keys)) << "the input";
    kogge::segmented_sort(in.data(), keys.size(), starts.data(), offsets.size(), options, {.where = kWhere});
    EXPECT_TRUE(same(in.get(), want)) << "in place";
}

template <class Key, class Value>
void check_pairs(const std::vector<Key>& keys, const Offsets& offsets) {
    const std::size_t n = keys.size();
    const auto order = order_of(keys, offsets, 0, static_cast<int>(8 * sizeof(Key)));
    const auto values = random_items<Value>(n, 4);
    const Array<std::uint64_t> starts(offsets);
    Array<Key> in(keys), out(n);
    Array<Value> with(values), with_out(n);
    kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, starts.data(), offsets.size());
    EXPECT_TRUE(same(out.get(), gathered(keys, order))) << "keys";
    EXPECT_TRUE(same(with_out.get(), gathered(values, order))) << "values";
    EXPECT_TRUE(same(with.get(), values)) << "the input";
    kogge::segmented_sort_pairs(in.data(), with.data(), n, starts.data(), offsets.size());
    EXPECT_TRUE(same(in.get(), gathered(keys, order))) << "keys in place";
    EXPECT_TRUE(same(with.get(), gathered(values, order))) << "values in place";
}

TEST(SegmentedSort, EveryShape) {
    for (const Segments& segments : shapes())
        for (const Distribution distribution : {Distribution::uniform, Distribution::values_16, Distribution::sorted}) {
            if (sparing() && distribution == Distribution::sorted) continue;
            SCOPED_TRACE(segments.name + ", distribution " + std::to_string(static_cast<int>(distribution)));
            check_keys(items_of<std::uint32_t>(distribution, segments.n), segments.offsets);
        }
}

TEST(SegmentedSort, OneOfEachKind) {
    const Segments segments = of_lengths("", 0, {5, 1, 8, 7000, 3000, 2, 900, 0, 6145});
    check_keys(items_of<std::uint32_t>(Distribution::values_16, segments.n), segments.offsets, {.end_bit = 16});
    const auto keys = items_of<std::uint32_t>(Distribution::values_16, segments.n);
    const auto order = order_of(keys, segments.offsets, 0, 8);
    const auto values = random_items<std::uint32_t>(segments.n, 4);
    const Array<std::uint64_t> starts(segments.offsets);
    Array<std::uint32_t> sorted(keys), with(values);
    kogge::segmented_sort_pairs(sorted.data(), with.data(), segments.n, starts.data(), segments.offsets.size(),
                                {.end_bit = 8});
    EXPECT_TRUE(same(sorted.get(), gathered(keys, order)));
    EXPECT_TRUE(same(with.get(), gathered(values, order)));
}

TEST(SegmentedSort, PairsOfEveryShape) {
    for (const Segments& segments : shapes()) {
        SCOPED_TRACE(segments.name);
        check_pairs<std::uint32_t, std::uint32_t>(items_of<std::uint32_t>(Distribution::values_16, segments.n),
                                                  segments.offsets);
    }
}

template <class Key>
class SegmentedKeys : public ::testing::Test {};
using Keys = ::testing::Types<std::uint8_t, std::uint16_t, std::uint64_t, kogge::uint128>;
TYPED_TEST_SUITE(SegmentedKeys, Keys);

// Odd numbers of passes in place start from a copy; windows and tiles depend on the width of a key.
TYPED_TEST(SegmentedKeys, OfEveryWidth) {
    const Segments segments = random_lengths("", small() ? 9000 : 30000, 9000);
    check_keys(random_items<TypeParam>(segments.n), segments.offsets);
    check_keys(random_items<TypeParam>(segments.n), segments.offsets, {.order = kogge::descending});
    check_pairs<TypeParam, std::uint64_t>(random_items<TypeParam>(segments.n), segments.offsets);
}

// What shares all digits, or all but one, stays long to the end, in each of the places that splits move between.
TYPED_TEST(SegmentedKeys, LongOfFewValues) {
    const Segments segments = of_lengths("", 100, {9000, 5, 7000, 6500, 300});
    constexpr int bits = static_cast<int>(8 * sizeof(TypeParam));
    for (const int bit : {0, bits / 2, bits - 1}) {
        if (sparing() && bit != bits / 2) continue;
        SCOPED_TRACE(bit);
        std::vector<TypeParam> keys(segments.n);
        for (std::size_t i = 0; i < keys.size(); ++i)
            keys[i] = static_cast<TypeParam>(i * 7 % 3 == 0 ? TypeParam{1} << bit : 0);
        for (std::size_t i = 9105; i < 16105; ++i) keys[i] = 1;  // the whole of a segment
        check_keys(keys, segments.offsets);
        check_keys(keys, segments.offsets, {.end_bit = bits - bits / 8});
        check_pairs<TypeParam, std::uint32_t>(keys, segments.offsets);
    }
}

// More long segments than resident blocks, so that a block has several in turn; every other one agrees in its first
// digit, and one of these in the last.
TEST(SegmentedLong, ManyOfThem) {
    const Segments segments = of_lengths("", 0, std::vector<std::uint64_t>(14, 6200));
    auto keys = random_items<std::uint16_t>(segments.n);
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (i / 6200 % 2 == 1) keys[i] = static_cast<std::uint16_t>(0xc800 + keys[i] % (i / 6200 == 1 ? 1 : 256));
    check_keys(keys, segments.offsets);
}

/// Tiny segments, which a warp sorts, and windows of them with one that is not.
std::vector<Segments> tiny_shapes() {
    const std::uint64_t n = small() ? 6000 : 20000;
    std::vector<Segments> list;
    for (const std::uint64_t length : {1, 2, 31, 32, 33})
        list.push_back(
            of_lengths("rows of " + std::to_string(length), 0, std::vector<std::uint64_t>(n / length, length)));
    list.push_back(of_lengths("rows of 32 from place 5 on", 5, std::vector<std::uint64_t>(n / 32, 32)));
    list.push_back(random_lengths("up to 32", n, 32));
    list.push_back(random_lengths("up to 5", n, 5));
    std::vector<std::uint64_t> mixed(n / 20, 20);
    for (std::size_t s = 0; s < mixed.size(); s += 3) mixed[s] = s % 2 == 0 ? 0 : 32;
    list.push_back(of_lengths("empty ones between", 0, mixed));
    mixed[mixed.size() / 2] = 33;
    list.push_back(of_lengths("one of 33 among them", 0, mixed));
    mixed[mixed.size() / 2] = 9000;
    list.push_back(of_lengths("a long one among them", 7, mixed));
    mixed[mixed.size() / 2] = 2500;  // more than the longest short one, and the window reaches beyond it
    list.push_back(of_lengths("one that is long and ends in its window", 7, mixed));
    return list;
}
/// Keys of which many differ in their lowest bits alone, or not at all; some are the greatest ones.
template <class Key>
std::vector<Key> close_keys(std::uint64_t n) {
    constexpr int bits = static_cast<int>(8 * sizeof(Key));
    Random random(n);
    std::vector<Key> keys(n);
    for (Key& key : keys) {
        const Key low = static_cast<Key>(random() % 7);
        const Key high = static_cast<Key>(static_cast<Key>(random() % 3) << (bits - 3));
        key = random() % 4 == 0 ? static_cast<Key>(~low) : static_cast<Key>(high | low);
    }
    return keys;
}

TYPED_TEST(SegmentedKeys, OfTinySegments) {
    constexpr int bits = static_cast<int>(8 * sizeof(TypeParam));
    for (const Segments& segments : tiny_shapes()) {
        SCOPED_TRACE(segments.name);
        const auto uniform = random_items<TypeParam>(segments.n), close = close_keys<TypeParam>(segments.n);
        check_keys(uniform, segments.offsets);
        check_keys(close, segments.offsets, {.order = kogge::descending});
        check_pairs<TypeParam, std::uint32_t>(close, segments.offsets);
        if (sparing()) continue;
        check_keys(close, segments.offsets, {.begin_bit = 1, .end_bit = bits - 1});
        check_pairs<TypeParam, kogge::uint128>(close, segments.offsets);
        check_pairs<TypeParam, Bytes<5>>(uniform, segments.offsets);
    }
}
TEST(SegmentedTiny, OfWords) {
    for (const Segments& segments : tiny_shapes()) {
        SCOPED_TRACE(segments.name);
        const auto close = close_keys<std::uint32_t>(segments.n);
        check_keys(random_items<std::uint32_t>(segments.n), segments.offsets);
        check_keys(close, segments.offsets, {.begin_bit = 1, .end_bit = 31});
        check_pairs<std::uint32_t, std::uint32_t>(close, segments.offsets);
        check_pairs<std::uint32_t, std::uint64_t>(close, segments.offsets);
    }
}

TEST(SegmentedBits, Ranges) {
    const Segments segments = random_lengths("", 20000, 7000);
    const auto keys = random_items<std::uint32_t>(segments.n);
    for (const auto& [begin, end] : {std::pair{0, 0}, {3, 4}, {8, 24}, {5, 31}, {31, 32}})
        for (const auto order : {kogge::ascending, kogge::descending}) {
            if (sparing() && (order == kogge::descending) != (begin % 2 == 1)) continue;
            SCOPED_TRACE(std::to_string(begin) + " to " + std::to_string(end));
            check_keys(keys, segments.offsets, {.order = order, .begin_bit = begin, .end_bit = end});
        }
}

TEST(SegmentedValues, GatheredAndSeveral) {
    const Segments segments = random_lengths("", 20000, 7000);
    const auto keys = items_of<std::uint32_t>(Distribution::values_16, segments.n);
    check_pairs<std::uint32_t, Bytes<3>>(keys, segments.offsets);
    check_pairs<std::uint32_t, Bytes<16, 16>>(keys, segments.offsets);
    const auto order = order_of(keys, segments.offsets, 0, 32);
    const auto words = random_items<std::uint64_t>(segments.n, 5);
    const auto bytes = random_items<Bytes<5>>(segments.n, 6);
    const Array<std::uint64_t> starts(segments.offsets);
    Array<std::uint32_t> sorted(keys);
    Array<std::uint64_t> first(words);
    Array<Bytes<5>> second(bytes);
    kogge::segmented_sort_pairs(sorted.data(), kogge::arrays(first.data(), second.data()), segments.n, starts.data(),
                                segments.offsets.size());
    EXPECT_TRUE(same(sorted.get(), gathered(keys, order)));
    EXPECT_TRUE(same(first.get(), gathered(words, order)));
    EXPECT_TRUE(same(second.get(), gathered(bytes, order)));
}

// Keys whose values are in place, and the reverse.
TEST(SegmentedValues, InPlaceAlone) {
    const Segments segments = random_lengths("", 20000, 7000);
    const auto keys = items_of<std::uint8_t>(Distribution::uniform, segments.n);
    const auto values = random_items<std::uint32_t>(segments.n, 5);
    const auto order = order_of(keys, segments.offsets, 0, 8);
    const Array<std::uint64_t> starts(segments.offsets);
    const Array<std::uint8_t> in(keys);
    Array<std::uint8_t> out(segments.n);
    Array<std::uint32_t> with(values);
    kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with.data(), segments.n, starts.data(),
                                segments.offsets.size());
    EXPECT_TRUE(same(out.get(), gathered(keys, order)));
    EXPECT_TRUE(same(with.get(), gathered(values, order)));
}

TEST(SegmentedFloats, ByTheirOptions) {
    const Segments segments = random_lengths("", 12000, 6000);
    const auto keys = random_items<float>(segments.n);
    const Array<std::uint64_t> starts(segments.offsets);
    for (const auto nans : {kogge::nan_order::last, kogge::nan_order::greatest}) {
        const auto zeros =
            nans == kogge::nan_order::last ? kogge::zero_order::negative_first : kogge::zero_order::equal;
        const kogge::sort_options options{.order = kogge::descending, .zeros = zeros, .nans = nans};
        Array<float> array(keys);
        kogge::segmented_sort(array.data(), segments.n, starts.data(), segments.offsets.size(), options);
        auto want = keys;
        std::uint64_t from = 0;
        for (std::size_t s = 0; s <= segments.offsets.size(); ++s) {  // one by one, by the sort of whole arrays
            const std::uint64_t to = s < segments.offsets.size() ? segments.offsets[s] : segments.n;
            if (to > from) kogge::radix_sort(want.data() + from, to - from, options, {.where = kogge::backend::host});
            from = to;
        }
        EXPECT_TRUE(same(array.get(), want));
    }
}

/// Wide, and without padding, which a copy need not keep.
struct Record {
    std::uint8_t name[38];
    std::uint16_t rank;
};

}  // namespace

template <>
struct kogge::key_codec<Record> {
    using bits = std::uint32_t;
    KOGGE_HOST_DEVICE static bits encode(const Record& record) { return record.rank; }
};

namespace {

TEST(SegmentedStructs, ThroughTheirCodec) {
    const Segments segments = random_lengths("", 3000, 900);
    const auto keys = random_items<Record>(segments.n);
    std::vector<std::uint32_t> ranks;
    for (const Record& record : keys) ranks.push_back(record.rank);
    const Array<std::uint64_t> starts(segments.offsets);
    Array<Record> array(keys);
    kogge::segmented_sort(array.data(), segments.n, starts.data(), segments.offsets.size());
    EXPECT_TRUE(same(array.get(), gathered(keys, order_of(ranks, segments.offsets, 0, 32))));
}

TEST(SegmentedErrors, ChangeNothing) {
    const auto keys = random_items<std::uint32_t>(5000);
    const Array<std::uint64_t> starts(Offsets{0, 100});
    Array<std::uint32_t> array(keys);
    using kogge::errc;
    const auto sort = [&](kogge::item_count segments, const kogge::sort_options& options) {
        kogge::segmented_sort(array.data(), keys.size(), starts.data(), segments, options, {.where = kWhere});
    };
    EXPECT_EQ(code_of([&] { sort(2, {.begin_bit = 9, .end_bit = 8}); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { sort(2, {.end_bit = 33}); }), errc::invalid_argument);
    if (!kOnDevice) {
        EXPECT_EQ(code_of([&] { sort(kogge::device_count{starts.data(), 2}, {}); }), errc::invalid_argument);
    }
    EXPECT_EQ(code_of([&] { sort(std::uint64_t{1} << 62, {}); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_sort(array.data(), keys.size(), starts.data(), 2, {},
                                        {.where = kOnDevice ? kogge::backend::host : kogge::backend::device});
              }),
              errc::unreachable);
    if (!kOnDevice) {
        const Array<std::uint64_t> falling(Offsets{0, 4000, 4000, 100});
        try {
            kogge::segmented_sort(array.data(), keys.size(), falling.data(), 4, {}, {.where = kWhere});
            ADD_FAILURE() << "no error";
        } catch (const kogge::error& failure) {
            EXPECT_EQ(failure.code(), errc::invalid_argument);
            EXPECT_NE(std::string(failure.what()).find("offsets[3] is 100, but the one before it 4000"),
                      std::string::npos)
                << failure.what();
        }
    }
    EXPECT_TRUE(same(array.get(), keys));
    sort(2, {});
    EXPECT_FALSE(same(array.get(), keys));
}

TEST(SegmentedCounts, OnTheDevice) {
    const Segments segments = random_lengths("", 20000, 7000);
    const auto keys = random_items<std::uint32_t>(segments.n);
    const Array<std::uint64_t> starts(segments.offsets), count(Offsets{13000});
    Array<std::uint32_t> array(keys);
    const auto sort = [&] {
        kogge::segmented_sort(array.data(), kogge::device_count{count.data(), keys.size()}, starts.data(),
                              segments.offsets.size());
    };
    if (!kOnDevice) {
        EXPECT_EQ(code_of(sort), kogge::errc::invalid_argument);
        EXPECT_TRUE(same(array.get(), keys));
        return;
    }
    sort();
    Offsets cut = segments.offsets;
    for (std::uint64_t& offset : cut) offset = std::min<std::uint64_t>(offset, 13000);
    cut.push_back(13000);
    auto want = gathered(keys, order_of(keys, cut, 0, 32));
    std::copy(keys.begin() + 13000, keys.end(), want.begin() + 13000);
    EXPECT_TRUE(same(array.get(), want));
}

// A device cannot throw: it writes all items as they stand, and nothing else.
TEST(SegmentedOffsets, ThatFallSortNothingOnADevice) {
    if (!kOnDevice) return;
    const std::uint64_t n = small() ? 9000 : 60000;
    const auto keys = random_items<std::uint32_t>(n), values = random_items<std::uint32_t>(n, 5);
    const auto more = random_items<std::uint64_t>(n, 6);
    std::vector<Offsets> cases{{0, n, 0, n},       {n, 0}, {5, 4}, {0, 4000, 3999}, {~std::uint64_t{0}, n - 1},
                               {4, n + 20, n + 15}};
    Offsets to_and_fro, once;
    for (std::uint64_t s = 0; s < 400; ++s) to_and_fro.push_back(s % 2 * n);
    for (std::uint64_t s = 0; s < 3000; ++s) once.push_back(s == 2047 ? s : 3 * s);  // between two warps
    cases.push_back(to_and_fro);
    cases.push_back(once);
    for (const Offsets& offsets : cases) {
        SCOPED_TRACE(std::to_string(offsets.size()) + " offsets from " + std::to_string(offsets[0]));
        const Array<std::uint64_t> starts(offsets);
        const Array<std::uint32_t> in(keys), with(values);
        Array<std::uint32_t> out(n), with_out(n);
        Array<std::uint64_t> wide(more);
        kogge::segmented_sort(in.data(), out.data(), n, starts.data(), offsets.size());
        EXPECT_TRUE(same(out.get(), keys));
        kogge::segmented_sort(wide.data(), n, starts.data(), offsets.size());
        EXPECT_TRUE(same(wide.get(), more)) << "in place";
        kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, starts.data(),
                                    offsets.size());
        EXPECT_TRUE(same(out.get(), keys)) << "of pairs";
        EXPECT_TRUE(same(with_out.get(), values)) << "of pairs";
    }
}

TEST(SegmentedPlan, SaysWhatItNeeds) {
    const auto device = kogge::h200_properties();
    const auto small_plan = kogge::plan_segmented_sort(4096, 10, {.key_bytes = 4, .end_bit = 32}, device);
    EXPECT_FALSE(small_plan.may_be_long);
    EXPECT_EQ(small_plan.launches, 4);
    const auto plan = kogge::plan_segmented_sort(1 << 20, 10, {.key_bytes = 4, .end_bit = 32}, device);
    EXPECT_TRUE(plan.may_be_long);
    EXPECT_EQ(plan.launches, 4 + 1);
    EXPECT_EQ(small_plan.window_items, 256u);
    const auto of_middle = kogge::plan_segmented_sort(1 << 24, 4000, {.key_bytes = 4, .end_bit = 32}, device);
    EXPECT_EQ(of_middle.window_items, 2720u) << "room behind a window for a segment";
    EXPECT_EQ(of_middle.longest_short, 5472u);
    EXPECT_EQ(plan.window_items, 4000u) << "segments so long are split, and leave small ones";
    EXPECT_EQ(plan.longest_short, 4192u);
    const auto of_few = kogge::plan_segmented_sort(1 << 24, 1 << 20, {.key_bytes = 8, .end_bit = 64}, device);
    EXPECT_EQ(of_few.window_items, 4608u) << "three quarters of the chip where segments are small";
    EXPECT_EQ(of_few.longest_short, 1536u);
    EXPECT_EQ(kogge::plan_segmented_sort(1 << 24, 60000, {.key_bytes = 4, .end_bit = 32}, device).longest_short, 4096u);
    EXPECT_GT(plan.scratch_bytes, std::size_t{4} << 20);
    EXPECT_LT(plan.scratch_bytes, std::size_t{9} << 20);
    EXPECT_NE(kogge::to_string(plan).find("5 splits"), std::string::npos);
    EXPECT_EQ(code_of([&] { kogge::plan_segmented_sort(10, 1, {.key_bytes = 2000, .end_bit = 8}, device); }),
              kogge::errc::invalid_argument);
}

}  // namespace
