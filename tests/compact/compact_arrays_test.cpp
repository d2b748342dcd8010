// kogge-test: EMULATED GPU HOST
// Compaction by bits, and of several arrays by one decision.
#include "kogge/compact_arrays.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
using Word = std::uint32_t;
using Number = std::uint64_t;

struct Odd {
    KOGGE_HOST_DEVICE bool operator()(Word item) const { return item % 2 == 1; }
};
struct Three {
    std::uint8_t bytes[3];
};

std::vector<std::size_t> sizes() {
    std::vector<std::size_t> list{1, 31, 32, 33, 4097, 20011};
    if (!small()) list.push_back(300001);
    return list;
}

/// The items whose decision is not 0.
template <class T, class Decisions>
std::vector<T> kept_of(const std::vector<T>& items, const Decisions& decide) {
    std::vector<T> kept;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (decide(i)) kept.push_back(items[i]);
    return kept;
}
template <class T>
std::vector<T> first_of(const Array<T>& array, std::size_t count) {
    std::vector<T> items = array.get();
    items.resize(count);
    return items;
}

TEST(CompactMask, KeepsWhereBitsAreSet) {
    for (const std::size_t n : sizes()) {
        const auto items = random_items<Number>(n);
        const auto words = random_items<Word>((n + 31) / 32, 2);  // bits past the last item are set, too
        const auto want = kept_of(items, [&](std::size_t i) { return words[i / 32] >> i % 32 & 1; });
        const Array<Word> mask(words);
        Array<Number> in(items), out(n), count(1);
        EXPECT_EQ(kogge::compact_flags(in.data(), kogge::bit_mask(mask.data()), out.data(), n, {.where = kWhere}),
                  want.size());
        EXPECT_TRUE(same(first_of(out, want.size()), want)) << n;
        kogge::compact_flags(in.data(), kogge::bit_mask(mask.data()), in.data(), count.data(), n);
        EXPECT_EQ(count.get()[0], want.size());
        EXPECT_TRUE(same(first_of(in, want.size()), want)) << n << ", in place";
    }
    EXPECT_EQ(kogge::compact_flags(static_cast<const Word*>(nullptr), kogge::bit_mask(nullptr),
                                   static_cast<Word*>(nullptr), 0),
              0u);
}

TEST(CompactMask, ErrorsChangeNothing) {
    const auto words = random_items<Word>(100);
    Array<Word> array(words);
    const kogge::bit_mask mask(array.data() + 3);
    const auto code = [&](const Word* in, kogge::bit_mask flags, Word* out) {
        return code_of([&] { kogge::compact_flags(in, flags, out, 64, {.where = kWhere}); });
    };
    EXPECT_EQ(code(array.data() + 10, mask, array.data() + 4), kogge::errc::overlap);
    EXPECT_EQ(code(array.data() + 10, kogge::bit_mask(nullptr), array.data() + 10), kogge::errc::invalid_argument);
    EXPECT_EQ(code(nullptr, mask, array.data() + 10), kogge::errc::invalid_argument);
    EXPECT_TRUE(same(array.get(), words));
}

TEST(CompactArrays, ByOnePredicate) {
    for (const std::size_t n : sizes()) {
        const auto x = random_items<Word>(n, 1);
        const auto y = random_items<Number>(n, 2);
        const auto z = random_items<Three>(n, 3);
        const auto odd = [&](std::size_t i) { return x[i] % 2; };
        const std::size_t kept = kept_of(x, odd).size();
        Array<Word> in_x(x), out_x(n);
        Array<Number> in_y(y), out_y(n), count(1);
        Array<Three> in_z(z), out_z(n);
        EXPECT_EQ(kogge::compact(kogge::arrays(in_x.data(), in_y.data(), in_z.data()),
                                 kogge::arrays(out_x.data(), out_y.data(), out_z.data()), n, Odd{}, {.where = kWhere}),
                  kept);
        EXPECT_TRUE(same(first_of(out_x, kept), kept_of(x, odd))) << n;
        EXPECT_TRUE(same(first_of(out_y, kept), kept_of(y, odd))) << n;
        EXPECT_TRUE(same(first_of(out_z, kept), kept_of(z, odd))) << n;
        const auto all = kogge::arrays(in_x.data(), in_y.data(), in_z.data());
        kogge::compact(all, all, count.data(), n, Odd{});
        EXPECT_EQ(count.get()[0], kept);
        EXPECT_TRUE(same(first_of(in_x, kept), kept_of(x, odd))) << n << ", in place";
        EXPECT_TRUE(same(first_of(in_y, kept), kept_of(y, odd))) << n << ", in place";
        EXPECT_TRUE(same(first_of(in_z, kept), kept_of(z, odd))) << n << ", in place";
    }
    const auto none = kogge::arrays(static_cast<Word*>(nullptr), static_cast<Number*>(nullptr));
    EXPECT_EQ(kogge::compact(none, none, 0, Odd{}), 0u);
}

TEST(CompactArrays, ByFlagsAndBits) {
    const std::size_t n = 20011;
    const auto x = random_items<Word>(n, 1);
    const auto y = random_items<Number>(n, 2);
    const auto words = random_items<Word>((n + 31) / 32, 3);
    const auto is_set = [&](std::size_t i) { return words[i / 32] >> i % 32 & 1; };
    std::vector<std::uint8_t> bytes(n);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(is_set(i));
    const std::size_t kept = kept_of(x, is_set).size();
    const Array<std::uint8_t> flags(bytes);
    const Array<Word> mask(words);
    Array<Word> in_x(x), out_x(n);
    Array<Number> in_y(y), out_y(n), count(1);
    const auto in = kogge::arrays(in_x.data(), in_y.data()), out = kogge::arrays(out_x.data(), out_y.data());
    EXPECT_EQ(kogge::compact_flags(in, flags.data(), out, n), kept);
    EXPECT_TRUE(same(first_of(out_x, kept), kept_of(x, is_set)));
    EXPECT_TRUE(same(first_of(out_y, kept), kept_of(y, is_set)));
    kogge::compact_flags(in, kogge::bit_mask(mask.data()), in, count.data(), n);
    EXPECT_EQ(count.get()[0], kept);
    EXPECT_TRUE(same(first_of(in_x, kept), kept_of(x, is_set)));
    EXPECT_TRUE(same(first_of(in_y, kept), kept_of(y, is_set)));
}

struct FirstIsEven {
    KOGGE_HOST_DEVICE bool operator()(const Three& item) const { return item.bytes[0] % 2 == 0; }
};
TEST(CompactArrays, ByAStencil) {
    for (const std::size_t n : sizes()) {
        const auto x = random_items<Word>(n, 1);
        const auto y = random_items<Number>(n, 2);
        const auto stencil = random_items<Three>(n, 3);
        const auto even = [&](std::size_t i) { return stencil[i].bytes[0] % 2 == 0; };
        const std::size_t kept = kept_of(x, even).size();
        const Array<Three> by(stencil);
        Array<Word> in_x(x), out_x(n);
        Array<Number> in_y(y), out_y(n), count(1);
        const auto in = kogge::arrays(in_x.data(), in_y.data()), out = kogge::arrays(out_x.data(), out_y.data());
        EXPECT_EQ(kogge::compact_stencil(in, by.data(), out, n, FirstIsEven{}, {.where = kWhere}), kept);
        EXPECT_TRUE(same(first_of(out_x, kept), kept_of(x, even))) << n;
        EXPECT_TRUE(same(first_of(out_y, kept), kept_of(y, even))) << n;
        kogge::compact_stencil(in, by.data(), in, count.data(), n, FirstIsEven{});
        EXPECT_EQ(count.get()[0], kept);
        EXPECT_TRUE(same(first_of(in_x, kept), kept_of(x, even))) << n << ", in place";
        EXPECT_TRUE(same(first_of(in_y, kept), kept_of(y, even))) << n << ", in place";
    }
}

TEST(CompactArrays, ErrorsChangeNothing) {
    const auto words = random_items<Word>(400);
    Array<Word> array(words);
    Word* const w = array.data();
    const auto code = [&](const Word* a, const Word* b, Word* out_a, Word* out_b) {
        return code_of([&] { kogge::compact(kogge::arrays(a, b), kogge::arrays(out_a, out_b), 100, Odd{}); });
    };
    EXPECT_EQ(code(w, w + 100, w + 200, w + 200), kogge::errc::overlap) << "two outputs";
    EXPECT_EQ(code(w, w + 100, w + 200, w), kogge::errc::overlap) << "an output onto another's input";
    EXPECT_EQ(code(w, w + 100, w + 1, w + 200), kogge::errc::overlap) << "in place, shifted";
    EXPECT_EQ(code(w, nullptr, w + 200, w + 300), kogge::errc::invalid_argument);
    EXPECT_EQ(code(w, w + 100, w + 200, nullptr), kogge::errc::invalid_argument);
    const auto all = kogge::arrays(w, w + 100);
    EXPECT_EQ(code_of([&] { kogge::compact(all, all, reinterpret_cast<Number*>(w + 50), 100, Odd{}); }),
              kogge::errc::overlap)
        << "the count";
    EXPECT_EQ(code_of([&] { kogge::compact(all, all, static_cast<Number*>(nullptr), 100, Odd{}); }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::compact_flags(all, reinterpret_cast<std::uint8_t*>(w + 120), all, 100); }),
              kogge::errc::overlap)
        << "the flags";
    EXPECT_EQ(code_of([&] { kogge::compact_stencil(all, w + 199, all, 100, Odd{}); }), kogge::errc::overlap)
        << "the stencil and an output";
    EXPECT_EQ(code_of([&] { kogge::compact_stencil(all, w, all, 100, Odd{}); }), kogge::errc::overlap)
        << "the stencil is an array in place";
    EXPECT_EQ(code_of([&] { kogge::compact_stencil(all, static_cast<const Word*>(nullptr), all, 100, Odd{}); }),
              kogge::errc::invalid_argument);
    EXPECT_TRUE(same(array.get(), words));
}

}  // namespace
