// kogge-test: EMULATED GPU HOST
// Lower and upper bounds of needles against std::lower_bound and std::upper_bound.
#include "kogge/calls/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "kogge/plan/search.hpp"
#include "support/backend.hpp"
#include "support/device_shapes.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using Word = std::uint32_t;
using Number = std::uint64_t;
using kogge::errc;

struct Wide {
    Word key;
    Word rest[6];
};
struct ByKey {
    template <class A, class B>
    KOGGE_HOST_DEVICE bool operator()(const A& a, const B& b) const {
        return of(a) < of(b);
    }
    KOGGE_HOST_DEVICE static Word of(const Wide& item) { return item.key; }
    template <class T>
    requires std::is_arithmetic_v<T> KOGGE_HOST_DEVICE static T of(const T& item) { return item; }
};

template <class T>
T item_of(Number key) {
    if constexpr (std::is_arithmetic_v<T>) {
        return static_cast<T>(key);
    } else {
        T item{};
        item.key = static_cast<Word>(key);
        return item;
    }
}
template <class T>
std::vector<T> items_of(std::size_t n, Number values, Number seed) {
    Random random(seed);
    std::vector<T> items;
    for (std::size_t i = 0; i < n; ++i) items.push_back(item_of<T>(random() % values));
    return items;
}

/// The needles in the order given.
template <class Index, class T, class Needle>
void check(const std::vector<T>& sorted, const std::vector<Needle>& needles) {
    std::vector<Index> lower, upper;
    for (const Needle& needle : needles) {
        const auto low = std::lower_bound(sorted.begin(), sorted.end(), needle, ByKey{});
        const auto high = std::upper_bound(sorted.begin(), sorted.end(), needle, ByKey{});
        lower.push_back(static_cast<Index>(low - sorted.begin()));
        upper.push_back(static_cast<Index>(high - sorted.begin()));
    }
    const Array<T> in(sorted);
    const Array<Needle> of(needles, 1);
    Array<Index> out(needles.size(), 2);
    kogge::lower_bound(in.data(), of.data(), out.data(), sorted.size(), needles.size(), ByKey{});
    EXPECT_TRUE(same(out.get(), lower)) << "lower";
    kogge::upper_bound(in.data(), of.data(), out.data(), sorted.size(), needles.size(), ByKey{});
    EXPECT_TRUE(same(out.get(), upper)) << "upper";
}

template <class T, class Needle, class Index>
void check_searches() {
    for (const int multiprocessors : {1, 16}) {
        if (!may_pretend() && multiprocessors > 1) break;
        const Pretending device(multiprocessors);
        for (const std::size_t n : {0, 1, 2, 3, 1023, 1024, 1025, 2047, 2049, small() ? 9001 : 100'003})
            for (const std::size_t needles : {1, 40, small() ? 3001 : 9001})
                for (const Number values : {Number{1}, Number{7}, Number{200}, Number{n} + 5}) {
                    SCOPED_TRACE(std::to_string(needles) + " needles in " + std::to_string(n) + " items of " +
                                 std::to_string(values) + " values");
                    auto sorted = items_of<T>(n, values, n);
                    std::stable_sort(sorted.begin(), sorted.end(), ByKey{});
                    auto wanted = items_of<Needle>(needles, values + 2, 3);
                    check<Index>(sorted, wanted);
                    std::sort(wanted.begin(), wanted.end(), ByKey{});
                    check<Index>(sorted, wanted);
                }
    }
}
TEST(Search, BytesForBytes) { check_searches<std::uint8_t, std::uint8_t, Word>(); }
TEST(Search, WordsForWords) { check_searches<Word, Word, Word>(); }
TEST(Search, NumbersForWords) { check_searches<Number, Word, Number>(); }
TEST(Search, DoublesForDoubles) { check_searches<double, double, std::int64_t>(); }
TEST(Search, WideItemsForWords) { check_searches<Wide, Word, std::int32_t>(); }
TEST(Search, WordsForWideItems) { check_searches<Word, Wide, Number>(); }

TEST(Search, EveryPlaceOfEverySize) {
    const Pretending device(1);
    for (std::size_t n = 0; n < (small() ? 70 : 600); ++n) {
        std::vector<Word> sorted(n), needles(2 * n + 1500);
        for (std::size_t i = 0; i < n; ++i) sorted[i] = static_cast<Word>(2 * i + 1);
        for (std::size_t i = 0; i < needles.size(); ++i) needles[i] = static_cast<Word>(i % (2 * n + 2));
        check<Word>(sorted, needles);
    }
}

// ---- what is no array, and orders of one's own ---------------------------------------------------------
struct Squares {
    KOGGE_HOST_DEVICE Number operator[](std::uint64_t i) const { return i * i; }
};
struct Thirds {
    KOGGE_HOST_DEVICE Number operator[](std::uint64_t i) const { return i * 3; }
};
struct Doubling {
    struct Place {
        Number* at;
        KOGGE_HOST_DEVICE void operator=(Number result) const { *at = 2 * result; }
    };
    Number* out;
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t i) const { return {out + i}; }
};
struct Greater {
    KOGGE_HOST_DEVICE bool operator()(Number a, Number b) const { return b < a; }
};
TEST(Search, InputsAndOutputsThatAreNoArrays) {
    const std::size_t n = 3000, m = 5000;
    std::vector<Number> squares(n), want(m);
    for (std::size_t i = 0; i < n; ++i) squares[i] = i * i;
    for (std::size_t i = 0; i < m; ++i)
        want[i] = 2 * static_cast<Number>(std::lower_bound(squares.begin(), squares.end(), 3 * i) - squares.begin());
    Array<Number> out(m);
    kogge::lower_bound(Squares{}, Thirds{}, Doubling{out.data()}, n, m, {.where = kWhere});
    EXPECT_TRUE(same(out.get(), want));
}
TEST(Search, Descending) {
    auto sorted = items_of<Number>(5000, 900, 1);
    const auto needles = items_of<Number>(4000, 902, 2);
    std::sort(sorted.begin(), sorted.end(), Greater{});
    std::vector<Number> want;
    for (const Number needle : needles)
        want.push_back(
            static_cast<Number>(std::upper_bound(sorted.begin(), sorted.end(), needle, Greater{}) - sorted.begin()));
    const Array<Number> in(sorted);
    Array<Number> in_place(needles);
    kogge::upper_bound(in.data(), in_place.data(), in_place.data(), sorted.size(), needles.size(), Greater{});
    EXPECT_TRUE(same(in_place.get(), want)) << "in place";
}
struct Fixed {
    KOGGE_HOST_DEVICE explicit Fixed(Word word) : value(word) {}
    const Word value;
};
struct FixedLess {
    KOGGE_HOST_DEVICE bool operator()(const Fixed& a, const Fixed& b) const { return a.value < b.value; }
};
TEST(Search, ItemsThatAreNotPlain) {
    auto sorted = items_of<Word>(3000, 900, 1);
    std::sort(sorted.begin(), sorted.end());
    const auto needles = items_of<Word>(2000, 902, 2);
    const Array<Word> in(sorted), of(needles);
    Array<Word> out(2000), want(2000);
    kogge::lower_bound(reinterpret_cast<const Fixed*>(in.data()), reinterpret_cast<const Fixed*>(of.data()), out.data(),
                       3000, 2000, FixedLess{});
    kogge::lower_bound(in.data(), of.data(), want.data(), 3000, 2000);
    EXPECT_TRUE(same(out.get(), want.get()));
}

// ---- counts and arguments ------------------------------------------------------------------------------
TEST(Search, CountsOnTheDevice) {
    if constexpr (!kOnDevice) {
        const Number n = 1;
        std::vector<Word> items(3);
        EXPECT_EQ(code_of([&] {
                      kogge::lower_bound(items.data(), items.data(), items.data() + 1, kogge::device_count{&n, 1}, 1);
                  }),
                  errc::invalid_argument);
        return;
    }
    auto sorted = items_of<Word>(9000, 5000, 1);
    std::sort(sorted.begin(), sorted.end());
    const auto needles = items_of<Word>(7000, 5002, 2);
    const Array<Word> in(sorted), of(needles);
    for (const Number n : {Number{0}, Number{1}, Number{1500}, Number{9000}, Number{99'999}})
        for (const Number m : {Number{0}, Number{3}, Number{7000}, Number{88'888}}) {
            SCOPED_TRACE(std::to_string(m) + " in " + std::to_string(n));
            const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min<Number>(n, 9000));
            std::vector<Word> want(7000, Array<Word>::poison());
            for (std::size_t i = 0; i < std::min<Number>(m, 7000); ++i)
                want[i] = static_cast<Word>(std::upper_bound(sorted.begin(), end, needles[i]) - sorted.begin());
            const Array<Number> counts(std::vector<Number>{n, m});
            Array<Word> out(7000);
            kogge::upper_bound(in.data(), of.data(), out.data(), kogge::device_count{counts.data(), 9000},
                               kogge::device_count{counts.data() + 1, 7000});
            EXPECT_TRUE(same(out.get(), want));
            if (n > 9000) {
                EXPECT_EQ(code_of([&] {
                              kogge::upper_bound(in.data(), of.data(), out.data(),
                                                 kogge::device_count{counts.data(), 9000, true}, 7000);
                          }),
                          errc::invalid_argument);
            }
        }
}

TEST(Search, WrongArgumentsAreErrors) {
    std::vector<Word> items(100);
    for (Word i = 0; i < 100; ++i) items[i] = 2 * i;
    Array<Word> array(items);
    Array<Number> numbers(100);
    const auto before = numbers.get();
    Word* const p = array.data();
    const auto code = [](const auto& call) { return code_of([&] { call(); }); };
    EXPECT_EQ(code([&] { kogge::lower_bound(p, p + 50, p, 50, 50); }), errc::overlap);
    EXPECT_EQ(code([&] { kogge::lower_bound(p, p + 50, p + 51, 50, 49); }), errc::overlap);
    EXPECT_EQ(code([&] { kogge::lower_bound(numbers.data(), p, reinterpret_cast<Number*>(p), 10, 10); }),
              errc::overlap);
    EXPECT_EQ(code([&] { kogge::lower_bound(static_cast<const Word*>(nullptr), p, numbers.data(), 5, 5); }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::lower_bound(p, p, static_cast<Number*>(nullptr), 5, 5); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::lower_bound(p, p, numbers.data(), -1, 5); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::lower_bound(Squares{}, p, p + 50, Number{1} << 32, 5); }), errc::invalid_argument);
    EXPECT_EQ(
        code([&] { kogge::lower_bound(Squares{}, p, reinterpret_cast<std::int32_t*>(p + 50), Number{1} << 31, 5); }),
        errc::invalid_argument);
    EXPECT_EQ(code([&] {
                  kogge::upper_bound(p, p, numbers.data(), 5, 5,
                                     {.where = kOnDevice ? kogge::backend::host : kogge::backend::device});
              }),
              errc::unreachable);
    EXPECT_TRUE(same(array.get(), items));
    EXPECT_EQ(numbers.get(), before);
    kogge::lower_bound(p, static_cast<const Word*>(nullptr), static_cast<Word*>(nullptr), 5, 0);
    kogge::lower_bound(static_cast<const Word*>(nullptr), p, numbers.data(), 0, 100);
    EXPECT_EQ(numbers.get(), std::vector<Number>(100));
}

// Sequences of more items than 32 bits number, which nothing stores.
TEST(Search, InMoreItemsThanWordsNumber) {
    const Number n = Number{5} << 32;
    std::vector<Number> needles{0, 1, 7, Number{1} << 33, 3 * n - 1, 3 * n};
    std::vector<Number> want;
    for (const Number needle : needles) want.push_back(std::min((needle + 2) / 3, n));
    const Array<Number> of(needles);
    Array<Number> out(needles.size());
    kogge::lower_bound(Thirds{}, of.data(), out.data(), n, needles.size());
    EXPECT_TRUE(same(out.get(), want));
    const Pretending device(1);
    std::vector<Number> more;
    for (int i = 0; i < 500; ++i) more.insert(more.end(), needles.begin(), needles.end());
    std::vector<Number> wanted;
    for (int i = 0; i < 500; ++i) wanted.insert(wanted.end(), want.begin(), want.end());
    const Array<Number> of_more(more);
    Array<Number> out_more(more.size());
    kogge::lower_bound(Thirds{}, of_more.data(), out_more.data(), n, more.size());
    EXPECT_TRUE(same(out_more.get(), wanted));
}

TEST(Search, Plans) {
    for (const auto& device : device_shapes())
        for (const std::size_t bytes : {1, 4, 8, 16, 17, 400}) {
            const auto few = kogge::plan_search(1 << 20, 100, bytes, device);
            const auto many = kogge::plan_search(1 << 20, 1 << 28, bytes, device);
            SCOPED_TRACE(device.name + ", " + to_string(few) + "; " + to_string(many));
            EXPECT_TRUE(few.is<kogge::search_by_warps>());
            ASSERT_TRUE(many.is<kogge::search_by_threads>());
            EXPECT_EQ(many.as<kogge::search_by_threads>()->shared_bytes, bytes > 16 ? 0 : 1024 * bytes);
            EXPECT_EQ(few.scratch_bytes + many.scratch_bytes, 0u);
            EXPECT_GE(many.blocks, static_cast<std::uint32_t>(device.multiprocessors));
            EXPECT_EQ(few.blocks, 13u);
        }
    EXPECT_EQ(kogge::plan_search<Word>(5, 0, kogge::h200_properties()).launches, 0);
    EXPECT_EQ(code_of([] { kogge::plan_search(1, 1, 0, kogge::h200_properties()); }), errc::invalid_argument);
}

}  // namespace
