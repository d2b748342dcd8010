// kogge-test: EMULATED GPU HOST
// Histograms against counting one by one: every form of the call, all ways of the plan, and its arguments.
#include "kogge/calls/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using kogge::even_bins;
using kogge::leading_bits;
using kogge::rows_of;

const kogge::exec how{.where = kWhere};

/// Bins of several types of numbers; some items have none.
struct Modulo {
    std::uint32_t number;
    template <class Item>
    KOGGE_HOST_DEVICE std::uint32_t operator()(const Item& item) const {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(item) % number);
    }
};
struct Signed {
    KOGGE_HOST_DEVICE std::int64_t operator()(std::uint32_t item) const {
        return static_cast<std::int64_t>(item % 64) * (item % 3 == 0 ? -1 : 1) +
               (item % 5 == 0 ? std::int64_t{1} << 40 : 0);
    }
};

template <class Count, class Item, class BinOf>
std::vector<Count> counted(const std::vector<Item>& items, std::uint64_t bins, const BinOf& bin_of,
                           std::uint64_t length, std::uint64_t rows) {
    std::vector<Count> counts(rows * bins);
    for (std::uint64_t i = 0; i < rows * length; ++i) {
        const auto bin = bin_of(items[i]);
        if (bin >= 0 && static_cast<std::uint64_t>(bin) < bins)
            ++counts[i / length * bins + static_cast<std::uint64_t>(bin)];
    }
    return counts;
}

/// Both widths of counts, and weights.
template <class Item, class BinOf>
void check(const std::vector<Item>& items, std::uint32_t bins, const BinOf& bin_of, std::size_t offset = 0) {
    SCOPED_TRACE(std::to_string(items.size()) + " items of " + std::to_string(sizeof(Item)) + " bytes, " +
                 std::to_string(bins) + " bins");
    const std::uint64_t n = items.size();
    const Array<Item> in(items, offset);
    Array<std::uint32_t> counts(bins, offset);
    Array<std::int64_t> wide(bins);
    kogge::histogram(in.data(), counts.data(), n, bins, bin_of, how);
    kogge::histogram(in.data(), wide.data(), n, bins, bin_of, how);
    EXPECT_TRUE(same(counts.get(), counted<std::uint32_t>(items, bins, bin_of, n, 1))) << "32 bits";
    EXPECT_TRUE(same(wide.get(), counted<std::int64_t>(items, bins, bin_of, n, 1))) << "64 bits";
}

std::vector<std::uint32_t> some(std::size_t n, Distribution distribution, std::uint64_t seed = 1) {
    auto items = random_items<std::uint32_t>(n, seed);
    Random random(seed);
    for (auto& item : items) {
        if (distribution == Distribution::one_value) item = 17;
        else if (distribution == Distribution::two_values) item = random() % 2 == 0 ? 17 : item;  // half of all
        else if (distribution == Distribution::values_16) item = static_cast<std::uint32_t>(random() % 16 * 4097);
    }
    if (distribution == Distribution::sorted) std::sort(items.begin(), items.end());
    return items;
}

TEST(Histogram, SizesAndBins) {
    for (const std::size_t n : {1u, 2u, 31u, 33u, 1000u, 4099u, 20000u})
        for (const std::uint32_t bins : {1u, 2u, 7u, 256u, 1000u, 4096u, 10000u})
            check(some(n, Distribution::uniform, n), bins, Modulo{bins + bins / 8 + 1}, n % 4);
}
TEST(Histogram, Distributions) {
    for (const auto distribution : {Distribution::uniform, Distribution::one_value, Distribution::two_values,
                                    Distribution::values_16, Distribution::sorted})
        for (const std::uint32_t bins : {16u, 256u, 4096u, 20000u, 65536u})
            check(some(small() ? 70001 : 300007, distribution), bins, Modulo{bins}, 1);
}

// All ways of the plan: with little shared memory some hundred bins do not fit it.
TEST(Histogram, CountersThatDoNotFit) {
    if (!may_pretend()) GTEST_SKIP() << "needs a device that takes what it is told";
    const std::size_t n = small() ? 70001 : 200003;
    const Pretending little(3, 16384);
    for (const auto distribution : {Distribution::uniform, Distribution::one_value, Distribution::two_values})
        for (const std::uint32_t bins : {512u, 4096u, 4097u, 8191u, 8192u, 8193u, 20000u, 32768u, 32769u, 50001u})
            check(some(n, distribution), bins, Modulo{bins + 3}, 3);
}

template <class Item>
void check_type() {
    check(random_items<Item>(5003, 3), 97, Modulo{100}, 1);
    check(random_items<Item>(70001, 4), 256, Modulo{256}, 1);
}
struct Odd {
    std::uint8_t bytes[7];
    KOGGE_HOST_DEVICE explicit operator std::uint64_t() const { return bytes[0] + 256u * bytes[3]; }
};
TEST(Histogram, Types) {
    check_type<std::uint8_t>();
    check_type<std::uint16_t>();
    check_type<std::int32_t>();
    check_type<std::uint64_t>();
    check(random_items<Odd>(9001), 1000, Modulo{1001});
}
TEST(Histogram, NumbersThatAreNoBins) {
    check(some(9001, Distribution::uniform), 64, Signed{});
    check(some(9001, Distribution::uniform), 1, Modulo{2});
}

struct Squares {
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const { return i * i; }
};
TEST(Histogram, OfAnythingWithIndices) {
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{50001}}) {
        std::vector<std::uint64_t> items(n);
        for (std::uint64_t i = 0; i < n; ++i) items[i] = i * i;
        Array<std::uint32_t> counts(1000);
        kogge::histogram(Squares{}, counts.data(), n, 1000, Modulo{1001}, how);
        EXPECT_TRUE(same(counts.get(), counted<std::uint32_t>(items, 1000, Modulo{1001}, n, 1))) << n;
    }
}

#if KOGGE_KERNELS && !KOGGE_EMULATED
struct Counting {
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const { return i; }
};
// More items than one launch counts.
TEST(Histogram, SeveralLaunches) {
    if (small()) GTEST_SKIP() << "takes long under sanitizers";
    const std::uint64_t most =
        kogge::plan_histogram(std::uint64_t{1} << 40, 1, 4, {8, 8}, kogge::simt::current_properties()).most;
    const std::uint64_t n = most + 1001;
    Array<std::uint64_t> counts(4);
    kogge::histogram(Counting{}, counts.data(), n, 4, Modulo{4}, how);
    std::vector<std::uint64_t> want(4);
    for (std::uint64_t b = 0; b < 4; ++b) want[b] = n / 4 + (b < n % 4 ? 1 : 0);
    EXPECT_TRUE(same(counts.get(), want));
}
#endif

TEST(Histogram, Rows) {
    const std::uint64_t sizes[][2] = {{1, 100},   {7, 300},  {100, 40}, {1000, 9},
                                      {3000, 40}, {5000, 3}, {9000, 2}, {40000, 3}};
    for (const auto& [length, rows] : sizes)
        for (const std::uint32_t bins : {10u, 256u, 1500u}) {
            SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(length) + ", " + std::to_string(bins));
            const auto items = some(length * rows, rows % 2 == 0 ? Distribution::two_values : Distribution::uniform);
            const Array<std::uint32_t> in(items, 1);
            Array<std::uint32_t> counts(rows * bins);
            kogge::histogram(in.data(), counts.data(), rows_of{length, rows}, bins, Modulo{bins + 1}, how);
            EXPECT_TRUE(same(counts.get(), counted<std::uint32_t>(items, bins, Modulo{bins + 1}, length, rows)));
        }
    Array<std::uint32_t> counts(30);
    kogge::histogram(static_cast<const std::uint32_t*>(nullptr), counts.data(), rows_of{0, 3}, 10, Modulo{10}, how);
    EXPECT_TRUE(same(counts.get(), std::vector<std::uint32_t>(30))) << "rows without items have counts";
    kogge::histogram(static_cast<const std::uint32_t*>(nullptr), counts.data(), rows_of{9, 0}, 10, Modulo{10}, how);
}

template <class Sum, class Weight>
void check_weights(std::size_t n, std::uint32_t bins, Distribution distribution, std::uint64_t rows = 1) {
    SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(bins) + " bins, weights of " +
                 std::to_string(sizeof(Weight)) + ", sums of " + std::to_string(sizeof(Sum)));
    const auto items = some(n * rows, distribution, n);
    const auto weights = random_items<Weight>(n * rows, 7);
    std::vector<Sum> want(bins * rows);
    for (std::size_t i = 0; i < n * rows; ++i)
        if (const std::uint32_t bin = items[i] % (bins + 1); bin < bins) {
            Sum& sum = want[i / n * bins + bin];
            sum = static_cast<Sum>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(weights[i]));
        }
    const Array<std::uint32_t> in(items);
    const Array<Weight> with(weights, 1);
    Array<Sum> sums(bins * rows);
    if (rows == 1) kogge::weighted_histogram(in.data(), with.data(), sums.data(), n, bins, Modulo{bins + 1}, how);
    else kogge::weighted_histogram(in.data(), with.data(), sums.data(), rows_of{n, rows}, bins, Modulo{bins + 1}, how);
    EXPECT_TRUE(same(sums.get(), want));
}
TEST(Histogram, Weights) {
    for (const auto distribution : {Distribution::uniform, Distribution::one_value, Distribution::two_values})
        for (const std::uint32_t bins : {5u, 256u, 4096u, 30000u, 200000u}) {
            check_weights<std::uint64_t, std::uint64_t>(20011, bins, distribution);
            check_weights<std::int64_t, std::int32_t>(20011, bins, distribution);
            check_weights<std::uint32_t, std::int8_t>(20011, bins, distribution);
        }
    check_weights<std::int64_t, std::int16_t>(300, 20, Distribution::uniform, 50);
    check_weights<std::int64_t, std::int64_t>(9000, 20, Distribution::two_values, 3);
}

// ---- described bins ------------------------------------------------------------------------------------------------

template <class Item, class Bins, class BinOf>
void check_described(const std::vector<Item>& items, std::uint32_t number, const Bins& bins, const BinOf& bin_of) {
    SCOPED_TRACE(std::to_string(number) + " bins of items of " + std::to_string(sizeof(Item)) + " bytes");
    const Array<Item> in(items, 1);
    Array<std::uint32_t> counts(number);
    kogge::histogram(in.data(), counts.data(), items.size(), bins, how);
    EXPECT_TRUE(same(counts.get(), counted<std::uint32_t>(items, number, bin_of, items.size(), 1)));
}

template <class Item, class T>
void check_even(const std::vector<Item>& items, T lower, T upper, std::uint32_t bins) {
    check_described(items, bins, even_bins(lower, upper, bins), [=](Item item) -> std::int64_t {
        const auto x = static_cast<kogge::int128>(item), from = static_cast<kogge::int128>(lower);
        if (x < from || x >= static_cast<kogge::int128>(upper)) return -1;
        return static_cast<std::int64_t>((x - from) * bins / (static_cast<kogge::int128>(upper) - from));
    });
}
TEST(HistogramEven, Integers) {
    check_even(random_items<std::uint8_t>(3001), 0, 256, 256);
    check_even(random_items<std::uint8_t>(3001), 10, 200, 7);
    check_even(random_items<std::int8_t>(3001), -128, 128, 13);
    check_even(random_items<std::int8_t>(3001), -1000, 1000, 3999);
    check_even(random_items<std::uint32_t>(3001), std::int64_t{0}, std::int64_t{1} << 32, 1000);
    check_even(random_items<std::uint32_t>(3001), 0u, ~0u, 4093);
    check_even(random_items<std::int32_t>(3001), std::numeric_limits<std::int32_t>::min(),
               std::numeric_limits<std::int32_t>::max(), 3);
    check_even(random_items<std::uint64_t>(3001), std::uint64_t{0}, ~std::uint64_t{0}, 1000);
    check_even(random_items<std::int64_t>(3001), std::numeric_limits<std::int64_t>::min(),
               std::numeric_limits<std::int64_t>::max(), 999);
}
// At each boundary of bins the last number before it and the first one after it.
TEST(HistogramEven, IntegersAtBoundaries) {
    const std::uint64_t ranges[] = {1,
                                    2,
                                    3,
                                    7,
                                    1000,
                                    65537,
                                    0xfffffffb,
                                    0xffffffff,
                                    0x100000000,
                                    0x100000001,
                                    0x123456789abcdef,
                                    0xfffffffffffffffb,
                                    0xffffffffffffffff};
    for (const std::uint64_t range : ranges)
        for (const std::uint32_t bins : {1u, 2u, 3u, 1000u, 1009u}) {
            std::vector<std::uint64_t> items{0, range - 1, range, range / 2};
            for (std::uint32_t b = 1; b < bins; ++b) {
                const auto at = static_cast<std::uint64_t>((kogge::uint128{range} * b + bins - 1) / bins);
                items.insert(items.end(), {at - 1, at, at + 1});
            }
            check_even(items, std::uint64_t{0}, range, bins);
        }
}
template <class Item>
void check_even_floats() {
    std::vector<Item> items;
    Random random(5);
    for (int i = 0; i < 5000; ++i) items.push_back(static_cast<Item>(static_cast<double>(random() % 4096) / 1024 - 1));
    items.insert(items.end(), {Item(-1), Item(2), std::nextafter(Item(2), Item(0)), std::nextafter(Item(-1), Item(-2)),
                               std::numeric_limits<Item>::quiet_NaN(), std::numeric_limits<Item>::infinity(),
                               -std::numeric_limits<Item>::infinity()});
    for (const std::uint32_t bins : {1u, 3u, 256u, 1000u})
        check_described(items, bins, even_bins(Item(-1), Item(2), bins), [=](Item item) -> std::int64_t {
            if (!(item >= -1 && item < 2)) return -1;
            const auto bin = static_cast<std::int64_t>((item + 1) * (static_cast<Item>(bins) / Item(3)));
            return std::min<std::int64_t>(bin, bins - 1);
        });
}
TEST(HistogramEven, Floats) {
    check_even_floats<float>();
    check_even_floats<double>();
    std::vector<kogge::half> halves;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) halves.push_back({static_cast<std::uint16_t>(bits)});
    check_described(halves, 8, even_bins(0.f, 4.f, 8), [](kogge::half item) -> int {
        const auto number = static_cast<float>(item);
        return number >= 0 && number < 4 ? static_cast<int>(number * 2) : -1;
    });
}

template <class Item>
void check_bounds(const std::vector<Item>& items, const std::vector<Item>& bounds) {
    const Array<Item> numbers(bounds);
    const auto bins = static_cast<std::uint32_t>(bounds.size() - 1);
    check_described(items, bins, kogge::bin_bounds<Item>(numbers.data(), bins), [&](Item item) -> std::int64_t {
        if (!(item >= bounds.front() && item < bounds.back())) return -1;
        return std::upper_bound(bounds.begin(), bounds.end(), item) - bounds.begin() - 1;
    });
}
TEST(HistogramBounds, AreUpperBounds) {
    check_bounds<std::uint8_t>(random_items<std::uint8_t>(5000), {3, 3, 7, 100, 101, 255});
    check_bounds<int>({-5, -4, -3, 0, 1, 2, 9, 10, 11}, {-4, 0, 0, 0, 2, 10});
    check_bounds<float>(random_items<float>(20000),
                        {-1e30f, -1, -0.f, 1e-30f, 1, 5, std::numeric_limits<float>::infinity()});
    std::vector<double> many(1025);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i * i);
    std::vector<double> items(30000);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<double>(i * 37 % 1100000) - 20;
    check_bounds(items, many);
    check_bounds<std::uint32_t>(some(1000, Distribution::uniform), {0, ~0u});
}

template <class Item>
void check_leading(const kogge::sort_options& order, int bits) {
    const auto items = random_items<Item>(7001);
    const int end = order.end_bit < 0 ? kogge::detail::key_bits<Item> : order.end_bit;
    const auto codec = kogge::detail::make_codec<Item>(order);
    check_described(items, 1u << bits, leading_bits{bits, order}, [=](Item item) -> std::int64_t {
        kogge::detail::stored_key<Item> stored;
        std::memcpy(&stored, &item, sizeof stored);
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(codec.encode(stored)) >> (end - bits) &
                                         ((std::uint64_t{1} << bits) - 1));
    });
}
TEST(HistogramLeadingBits, OfCodes) {
    check_leading<std::uint8_t>({}, 8);
    check_leading<std::int16_t>({}, 11);
    check_leading<float>({}, 12);
    check_leading<float>({.order = kogge::descending, .nans = kogge::nan_order::last}, 16);
    check_leading<double>({.order = kogge::descending}, 10);
    check_leading<std::uint64_t>({.begin_bit = 8, .end_bit = 40}, 16);
    check_leading<std::uint32_t>({}, 0);
    check_leading<kogge::half>({}, 5);
}

struct Halves {
    KOGGE_HOST_DEVICE float operator[](std::uint64_t i) const { return static_cast<float>(i) / 2 - 100; }
};
TEST(HistogramLeadingBits, OfAnythingWithIndices) {
    std::vector<float> items(5000);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = Halves{}[i];
    const Array<float> in(items);
    Array<std::uint32_t> counts(1024), wanted(1024);
    kogge::histogram(in.data(), wanted.data(), items.size(), leading_bits{10}, how);
    kogge::histogram(Halves{}, counts.data(), items.size(), leading_bits{10}, how);
    EXPECT_TRUE(same(counts.get(), wanted.get()));
}
TEST(HistogramEven, Characters) {
    const Array<char> in(std::vector<char>{'a', 'b', 'b', 'z', 'A'});
    Array<std::uint32_t> counts(26);
    kogge::histogram(in.data(), counts.data(), 5, even_bins('a', '{', 26), how);
    std::vector<std::uint32_t> want(26);
    want[0] = 1, want[1] = 2, want[25] = 1;
    EXPECT_TRUE(same(counts.get(), want));
}

// ---- arguments -----------------------------------------------------------------------------------------------------

TEST(Histogram, CountsOnTheDevice) {
    if (!kOnDevice) GTEST_SKIP() << "the host knows its counts";
    const auto items = some(30000, Distribution::two_values);
    const Array<std::uint32_t> in(items, 1);
    for (const std::uint64_t n : {0u, 1u, 200u, 29999u, 30000u, 50000u}) {
        const Array<std::uint64_t> count(std::vector<std::uint64_t>{n});
        const std::uint64_t taken = std::min<std::uint64_t>(n, items.size());
        const std::vector<std::uint32_t> front(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(taken));
        for (const std::uint32_t bins : {100u, 40000u}) {
            Array<std::uint32_t> counts(bins);
            kogge::histogram(in.data(), counts.data(), kogge::device_count{count.data(), items.size()}, bins,
                             Modulo{bins}, how);
            EXPECT_TRUE(same(counts.get(), counted<std::uint32_t>(front, bins, Modulo{bins}, taken, 1))) << n;
        }
    }
}
TEST(Histogram, NoItems) {
    Array<std::uint32_t> counts(20);
    kogge::histogram(static_cast<const std::uint32_t*>(nullptr), counts.data(), 0, 20, Modulo{20}, how);
    EXPECT_TRUE(same(counts.get(), std::vector<std::uint32_t>(20)));
    kogge::histogram(static_cast<const float*>(nullptr), counts.data(), 0, even_bins(0.f, 1.f, 20), how);
}
TEST(Histogram, Refuses) {
    const Array<std::uint32_t> in(std::vector<std::uint32_t>(100));
    const Array<float> floats(std::vector<float>(100));
    Array<std::uint32_t> counts(100);
    const auto code = [&](const std::function<void()>& call) {
        const auto result = code_of(call);
        EXPECT_TRUE(same(counts.get(), std::vector<std::uint32_t>(100, Array<std::uint32_t>::poison())));
        return result;
    };
    using kogge::errc;
    const auto call = [&](const auto& bins) { kogge::histogram(floats.data(), counts.data(), 100, bins, how); };
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(code([&] { kogge::histogram(in.data(), counts.data(), 100, 0, Modulo{1}, how); }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] { call(even_bins(1.f, 1.f, 10)); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { call(even_bins(2.f, 1.f, 10)); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { call(even_bins(0.f, nan, 10)); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { call(even_bins(0.f, inf, 10)); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { call(even_bins(-3e38f, 3e38f, 10)); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { call(even_bins(1.0, 1.0 + 1e-12, 10)); }), errc::invalid_argument) << "equal as floats";
    EXPECT_EQ(code([&] { call(even_bins(0.f, 1.f, 0)); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { call(leading_bits{33}); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { call(leading_bits{-1}); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { call(leading_bits{9, {.begin_bit = 8, .end_bit = 16}}); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { call(kogge::bin_bounds<float>(floats.data(), 0)); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { call(kogge::bin_bounds<float>(nullptr, 5)); }), errc::invalid_argument);
    if (!kOnDevice) {
        const std::vector<float> falling{0, 2, 1}, unordered{0, nan, 1};
        for (const auto& bounds : {falling, unordered})
            EXPECT_EQ(code([&] { call(kogge::bin_bounds<float>(bounds.data(), 2)); }), errc::invalid_argument);
    }
    EXPECT_EQ(code([&] {
                  kogge::histogram(static_cast<const std::uint32_t*>(nullptr), counts.data(), 100, 10, Modulo{10}, how);
              }),
              errc::invalid_argument);
    EXPECT_EQ(
        code([&] { kogge::histogram(in.data(), static_cast<std::uint32_t*>(nullptr), 100, 10, Modulo{10}, how); }),
        errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::histogram(counts.data(), counts.data() + 50, 100, 50, Modulo{50}, how); }),
              errc::overlap);
    EXPECT_EQ(code([&] {
                  kogge::weighted_histogram(in.data(), counts.data(), counts.data() + 50, 100, 50, Modulo{50}, how);
              }),
              errc::overlap);
    EXPECT_EQ(code([&] { kogge::histogram(Squares{}, counts.data(), std::uint64_t{1} << 32, 50, Modulo{50}, how); }),
              errc::invalid_argument)
        << "more items than a count holds";
    EXPECT_EQ(code([&] {
                  kogge::histogram(Squares{}, reinterpret_cast<std::int32_t*>(counts.data()), std::uint64_t{1} << 31,
                                   50, Modulo{50}, how);
              }),
              errc::invalid_argument);
    if (!kOnDevice) {
        const std::uint64_t count = 100;
        EXPECT_EQ(code([&] {
                      kogge::histogram(in.data(), counts.data(), kogge::device_count{&count, 100}, 10, Modulo{10}, how);
                  }),
                  errc::invalid_argument);
    }
}
TEST(Histogram, ExecFollowsTheArguments) {
    const Array<std::uint32_t> in(std::vector<std::uint32_t>{1, 2, 2});
    Array<std::uint32_t> counts(4);
    kogge::histogram(in.data(), counts.data(), 3, even_bins(0, 4, 4), how);
    kogge::weighted_histogram(in.data(), in.data(), counts.data(), 3, even_bins(0, 4, 4), how);
    EXPECT_TRUE(same(counts.get(), {0, 1, 4, 0}));
}

}  // namespace
