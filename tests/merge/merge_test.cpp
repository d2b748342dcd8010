// kogge-test: EMULATED GPU HOST
// Merges of two sorted inputs against std::merge: stable, of any sizes and distributions, with values, from and to what
// is no array, and with counts on the device.
#include "kogge/calls/merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/plan/merge.hpp"
#include "support/backend.hpp"
#include "support/device_shapes.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using Word = std::uint32_t;
using Number = std::uint64_t;
using kogge::errc;

/// Ordered by its key alone; whose it was and which one, shows stability.
template <std::size_t words>
struct Item {
    Word key;
    Word from[words];
};
struct ByKey {
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(const T& a, const T& b) const {
        if constexpr (std::is_arithmetic_v<T>) return a < b;
        else return a.key < b.key;
    }
};
struct Greater {
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(const T& a, const T& b) const {
        return b < a;
    }
};

template <class T>
std::vector<T> sorted_items(std::size_t n, Word values, Word side) {
    Random random(n * 2 + side);
    std::vector<T> items(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto key = static_cast<Word>(random() % values);
        if constexpr (std::is_arithmetic_v<T>) {
            items[i] = static_cast<T>(key);
        } else {
            items[i] = {};
            items[i].key = key;
        }
    }
    std::stable_sort(items.begin(), items.end(), ByKey{});
    if constexpr (!std::is_arithmetic_v<T>)
        for (std::size_t i = 0; i < n; ++i) items[i].from[0] = side + 2 * static_cast<Word>(i);
    return items;
}
template <class T, class Less>
std::vector<T> merged(const std::vector<T>& a, const std::vector<T>& b, Less less) {
    std::vector<T> all(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin(), less);
    return all;
}

std::vector<std::pair<std::size_t, std::size_t>> sizes() {
    std::vector<std::pair<std::size_t, std::size_t>> list{
        {1, 0},    {0, 1},       {1, 1},       {2, 3},       {31, 33},     {0, 5000},       {5000, 0},
        {1, 9000}, {2047, 2049}, {4096, 4096}, {20'011, 17}, {17, 20'011}, {12'345, 23'456}};
    if (!small()) list.push_back({300'007, 200'003});
    return list;
}

template <class T>
void check_merges() {
    for (const int multiprocessors : {1, 64}) {
        if (!may_pretend() && multiprocessors > 1) break;
        const Pretending device(multiprocessors);
        for (const auto& [n_a, n_b] : sizes())
            for (const Word values : {1u, 5u, 60'000u}) {
                SCOPED_TRACE(std::to_string(n_a) + " and " + std::to_string(n_b) + " items of " +
                             std::to_string(values) + " values");
                const auto of_a = sorted_items<T>(n_a, values, 0), of_b = sorted_items<T>(n_b, values, 1);
                const Array<T> a(of_a, 1), b(of_b, 2);
                Array<T> out(n_a + n_b, 3);
                kogge::merge(a.data(), b.data(), out.data(), n_a, n_b, ByKey{}, {.where = kWhere});
                EXPECT_TRUE(same(out.get(), merged(of_a, of_b, ByKey{})));
            }
    }
}
TEST(Merge, OfBytes) { check_merges<std::uint8_t>(); }
TEST(Merge, OfWords) { check_merges<Word>(); }
TEST(Merge, OfDoubles) { check_merges<double>(); }
TEST(Merge, OfItemsOfEightBytes) { check_merges<Item<1>>(); }
TEST(Merge, OfItemsOfTwelveBytes) { check_merges<Item<2>>(); }
TEST(Merge, OfItemsOfThirtyTwoBytes) { check_merges<Item<7>>(); }
TEST(Merge, OfItemsThatAreNotStaged) { check_merges<Item<19>>(); }

TEST(Merge, IntoAnotherType) {
    const std::vector<Word> of_a{1, 3, 3, 4'000'000'000}, of_b{2, 3, 5};
    const Array<Word> a(of_a), b(of_b);
    Array<Number> out(7), values(7);
    kogge::merge(a.data(), b.data(), out.data(), 4, 3);
    EXPECT_EQ(out.get(), (std::vector<Number>{1, 2, 3, 3, 3, 5, 4'000'000'000}));
    kogge::merge_pairs(a.data(), a.data(), b.data(), b.data(), out.data(), values.data(), 4, 3);
    EXPECT_TRUE(same(values.get(), out.get()));
}

// One input after the other, in turn, and in long runs: whole tiles are of one input.
TEST(Merge, OfInputsInTurns) {
    const std::size_t n = small() ? 20'000 : 90'000;
    for (const std::size_t run : {std::size_t{1}, std::size_t{100}, std::size_t{6000}, n}) {
        std::vector<Word> of_a, of_b;
        for (std::size_t i = 0; i < 2 * n; ++i) (i / run % 2 == 0 ? of_b : of_a).push_back(static_cast<Word>(i));
        const Array<Word> a(of_a), b(of_b);
        Array<Word> out(of_a.size() + of_b.size());
        kogge::merge(a.data(), b.data(), out.data(), of_a.size(), of_b.size());
        EXPECT_TRUE(same(out.get(), merged(of_a, of_b, ByKey{}))) << run;
    }
}

TEST(Merge, Descending) {
    std::vector<Word> of_a = sorted_items<Word>(7000, 999, 0), of_b = sorted_items<Word>(9000, 999, 1);
    std::reverse(of_a.begin(), of_a.end());
    std::reverse(of_b.begin(), of_b.end());
    const Array<Word> a(of_a), b(of_b);
    Array<Word> out(16'000);
    kogge::merge(a.data(), b.data(), out.data(), 7000, 9000, Greater{});
    EXPECT_TRUE(same(out.get(), merged(of_a, of_b, Greater{})));
}

// ---- values --------------------------------------------------------------------------------------------
template <class Value>
void check_pairs() {
    for (const auto& [n_a, n_b] : sizes()) {
        SCOPED_TRACE(std::to_string(n_a) + " and " + std::to_string(n_b));
        const auto of_a = sorted_items<Word>(n_a, 3000, 0), of_b = sorted_items<Word>(n_b, 3000, 1);
        const auto with_a = random_items<Value>(n_a, 7), with_b = random_items<Value>(n_b, 8);
        std::vector<std::size_t> order(n_a + n_b), first(n_a), second(n_b);
        for (std::size_t i = 0; i < n_a; ++i) first[i] = i;
        for (std::size_t i = 0; i < n_b; ++i) second[i] = n_a + i;
        const auto key = [&](std::size_t i) { return i < n_a ? of_a[i] : of_b[i - n_a]; };
        std::merge(first.begin(), first.end(), second.begin(), second.end(), order.begin(),
                   [&](std::size_t x, std::size_t y) { return key(x) < key(y); });
        std::vector<Word> keys(n_a + n_b);
        std::vector<Value> values(n_a + n_b);
        for (std::size_t i = 0; i < order.size(); ++i) {
            keys[i] = key(order[i]);
            values[i] = order[i] < n_a ? with_a[order[i]] : with_b[order[i] - n_a];
        }
        const Array<Word> a(of_a), b(of_b);
        const Array<Value> values_a(with_a), values_b(with_b);
        Array<Word> out(n_a + n_b);
        Array<Value> values_out(n_a + n_b);
        kogge::merge_pairs(a.data(), values_a.data(), b.data(), values_b.data(), out.data(), values_out.data(), n_a,
                           n_b);
        EXPECT_TRUE(same(out.get(), keys));
        EXPECT_TRUE(same(values_out.get(), values));
    }
}
TEST(MergePairs, OfBytes) { check_pairs<std::uint8_t>(); }
TEST(MergePairs, OfNumbers) { check_pairs<Number>(); }
TEST(MergePairs, OfStructs) { check_pairs<Item<4>>(); }

// ---- what is no array ----------------------------------------------------------------------------------
struct Even {
    KOGGE_HOST_DEVICE Word operator[](std::uint64_t i) const { return static_cast<Word>(2 * i); }
};
struct Nowhere {
    struct Place {
        template <class T>
        KOGGE_HOST_DEVICE void operator=(const T&) const {}
    };
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t) const { return {}; }
};
struct EverySecond {
    Word* out;
    KOGGE_HOST_DEVICE Word& operator[](std::uint64_t i) const { return out[2 * i]; }
};
struct Thousands {
    KOGGE_HOST_DEVICE Number operator[](std::uint64_t i) const { return 1000 + 2 * i; }
};
TEST(Merge, InputsAndOutputsThatAreNoArrays) {
    const std::size_t n_a = 9000, n_b = 5000, n = n_a + n_b;
    std::vector<Word> of_a(n_a), want(2 * n, Array<Word>::poison());
    for (std::size_t i = 0; i < n_a; ++i) of_a[i] = static_cast<Word>(2 * i);
    const auto of_b = sorted_items<Word>(n_b, 20'000, 1), all = merged(of_a, of_b, ByKey{});
    std::vector<Number> values(n);
    for (std::size_t i = 0, from_a = 0; i < n; ++i) {
        want[2 * i] = all[i];
        const bool is_a = from_a < n_a && of_a[from_a] == all[i];
        values[i] = is_a ? 1000 + 2 * from_a++ : i - from_a;
    }
    const Array<Word> b(of_b);
    std::vector<Number> of_values_b(n_b);
    for (std::size_t i = 0; i < n_b; ++i) of_values_b[i] = i;
    const Array<Number> values_b(of_values_b);
    Array<Word> out(2 * n);
    kogge::merge(Even{}, b.data(), EverySecond{out.data()}, n_a, n_b);
    EXPECT_TRUE(same(out.get(), want));
    Array<Number> values_out(n);
    kogge::merge_pairs(Even{}, Thousands{}, b.data(), values_b.data(), Nowhere{}, values_out.data(), n_a, n_b);
    EXPECT_TRUE(same(values_out.get(), values));
}

// Items without an assignment.
struct Fixed {
    KOGGE_HOST_DEVICE explicit Fixed(Word word) : value(word) {}
    const Word value;
};
struct FixedLess {
    KOGGE_HOST_DEVICE bool operator()(const Fixed& a, const Fixed& b) const { return a.value < b.value; }
};
TEST(Merge, ItemsThatAreNotPlain) {
    const auto of_a = sorted_items<Word>(6000, 900, 0), of_b = sorted_items<Word>(3000, 900, 1);
    const Array<Word> a(of_a), b(of_b);
    Array<Word> out(9000);
    kogge::merge(reinterpret_cast<const Fixed*>(a.data()), reinterpret_cast<const Fixed*>(b.data()),
                 reinterpret_cast<Fixed*>(out.data()), 6000, 3000, FixedLess{});
    EXPECT_TRUE(same(out.get(), merged(of_a, of_b, ByKey{})));
}

// ---- counts and arguments ------------------------------------------------------------------------------
TEST(Merge, CountsOnTheDevice) {
    if constexpr (!kOnDevice) {
        const Number n = 1;
        std::vector<Word> items(3);
        EXPECT_EQ(code_of([&] {
                      kogge::merge(items.data(), items.data(), items.data() + 1, 1, kogge::device_count{&n, 1});
                  }),
                  errc::invalid_argument);
        return;
    }
    const auto of_a = sorted_items<Word>(20'000, 9999, 0), of_b = sorted_items<Word>(30'000, 9999, 1);
    const Array<Word> a(of_a), b(of_b);
    for (const auto& [n_a, n_b] :
         {std::pair<Number, Number>{0, 0}, {1, 0}, {777, 30'000}, {20'000, 5}, {90'000, 4000}}) {
        SCOPED_TRACE(std::to_string(n_a) + " and " + std::to_string(n_b));
        const Array<Number> counts(std::vector<Number>{n_a, n_b});
        const kogge::device_count count_a{counts.data(), 20'000}, count_b{counts.data() + 1, 30'000};
        const std::size_t real_a = std::min<Number>(n_a, 20'000);
        auto want = merged<Word>({of_a.begin(), of_a.begin() + static_cast<std::ptrdiff_t>(real_a)},
                                 {of_b.begin(), of_b.begin() + static_cast<std::ptrdiff_t>(n_b)}, ByKey{});
        want.resize(50'000, Array<Word>::poison());
        Array<Word> out(50'000);
        kogge::merge(a.data(), b.data(), out.data(), count_a, count_b);
        EXPECT_TRUE(same(out.get(), want));
        Array<Word> half(real_a + 30'000);
        kogge::merge(a.data(), b.data(), half.data(), real_a, count_b);
        want.resize(real_a + 30'000);
        EXPECT_TRUE(same(half.get(), want)) << "one on the device";
        const kogge::device_count checked{counts.data(), 20'000, true}, checked_b{counts.data(), 20'000, true};
        if (n_a > 20'000) {
            EXPECT_EQ(code_of([&] { kogge::merge(a.data(), b.data(), out.data(), checked, count_b); }),
                      errc::invalid_argument);
            EXPECT_EQ(code_of([&] { kogge::merge(a.data(), b.data(), out.data(), 5, checked_b); }),
                      errc::invalid_argument);
        }
    }
}

TEST(Merge, WrongArgumentsAreErrors) {
    const auto items = sorted_items<Word>(100, 50, 0);
    Array<Word> array(items);
    const auto code = [](const auto& call) { return code_of([&] { call(); }); };
    Word* const p = array.data();
    EXPECT_EQ(code([&] { kogge::merge(p, p, p, 10, 10); }), errc::overlap);
    EXPECT_EQ(code([&] { kogge::merge(p, p + 10, p + 19, 10, 10); }), errc::overlap);
    EXPECT_EQ(code([&] { kogge::merge_pairs(p, p, p, p, p + 40, p + 59, 10, 10); }), errc::overlap);
    EXPECT_EQ(code([&] { kogge::merge(static_cast<const Word*>(nullptr), p, p + 40, 10, 10); }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::merge(p, p, p + 50, 10, -1); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::merge(p, p, p + 50, Number{1} << 61, Number{1} << 61); }), errc::invalid_argument);
    EXPECT_EQ(code([&] {
                  kogge::merge(p, p, p + 50, 10, 10,
                               {.where = kOnDevice ? kogge::backend::host : kogge::backend::device});
              }),
              errc::unreachable);
    EXPECT_TRUE(same(array.get(), items));
    kogge::merge(static_cast<const Word*>(nullptr), static_cast<const Word*>(nullptr), static_cast<Word*>(nullptr), 0,
                 0);
    kogge::merge(p, p, p + 50, 10, 10);  // one array twice
    auto want = items;
    for (std::size_t i = 0; i < 20; ++i) want[50 + i] = items[i / 2];
    EXPECT_TRUE(same(array.get(), want));
}

// Any order of the inputs gives a permutation of nothing but the inputs' items, and ends.
TEST(Merge, UnsortedInputsDoNoHarm) {
    const auto of_a = random_items<Word>(30'000, 1), of_b = random_items<Word>(20'000, 2);
    const Array<Word> a(of_a), b(of_b);
    Array<Word> out(50'000);
    kogge::merge(a.data(), b.data(), out.data(), of_a.size(), of_b.size());
    EXPECT_TRUE(same(a.get(), of_a));
    EXPECT_TRUE(same(b.get(), of_b));
}

TEST(Merge, Plans) {
    for (const auto& device : device_shapes())
        for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1} << 16, std::uint64_t{1} << 33})
            for (const std::size_t bytes : {1, 4, 8, 16, 32, 33, 400}) {
                const auto plan = kogge::plan_merge(n, n + 3, bytes, device);
                SCOPED_TRACE(device.name + ", " + to_string(plan));
                EXPECT_EQ(plan.scratch_bytes, 0u);
                EXPECT_EQ(plan.launches, 1);
                EXPECT_GE(plan.tiles * plan.tile_items, plan.n);
                EXPECT_LT((plan.tiles - 1) * plan.tile_items, plan.n);
                EXPECT_LE(plan.blocks, plan.tiles);
                EXPECT_LE(plan.shared_bytes, device.shared_bytes_per_block);
                EXPECT_LE(plan.tile_items, 8192u);
            }
    EXPECT_EQ(kogge::plan_merge<Word>(0, 0, kogge::h200_properties()).launches, 0);
    EXPECT_EQ(code_of([] { kogge::plan_merge(1, 1, 0, kogge::h200_properties()); }), errc::invalid_argument);
}

}  // namespace
