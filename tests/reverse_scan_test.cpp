// kogge-test: EMULATED GPU HOST
// Scans from the end against the serial sum.
#include "kogge/reverse_scan.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
using Word = std::uint32_t;
using Number = std::uint64_t;

template <class Acc, class T, class Op>
std::vector<Acc> sums_of(const std::vector<T>& items, Op op, const Acc* init, bool inclusive) {
    std::vector<Acc> sums(items.size());
    bool any = init != nullptr;
    Acc sum = init ? *init : Acc{};
    for (std::size_t i = items.size(); i-- > 0;) {
        if (!inclusive) sums[i] = sum;
        sum = any ? static_cast<Acc>(op(sum, static_cast<Acc>(items[i]))) : static_cast<Acc>(items[i]);
        any = true;
        if (inclusive) sums[i] = sum;
    }
    return sums;
}

std::vector<std::size_t> sizes() {
    std::vector<std::size_t> list{1, 2, 3, 4095, 4096, 4097, 30011};
    if (!small()) list.push_back(300001);
    return list;
}

TEST(ReverseScan, OfOperatorsThatKnowTheirOrder) {
    for (const std::size_t n : sizes()) {
        auto items = random_items<Bicyclic>(n);
        for (Bicyclic& item : items) item.closing %= 16, item.opening %= 16;
        const auto want = sums_of<Bicyclic>(items, JoinBrackets{}, static_cast<const Bicyclic*>(nullptr), true);
        Array<Bicyclic> in(items), out(n);
        kogge::reverse_inclusive_scan(in.data(), out.data(), n, JoinBrackets{}, {}, {.where = kWhere});
        EXPECT_TRUE(same(out.get(), want)) << n;
        EXPECT_TRUE(same(in.get(), items)) << n << ", the input";
        kogge::reverse_inclusive_scan(in.data(), in.data(), n, JoinBrackets{});
        EXPECT_TRUE(same(in.get(), want)) << n << ", in place";
    }
}

TEST(ReverseScan, ExclusiveInAWiderType) {
    for (const std::size_t n : sizes()) {
        const auto items = random_items<std::uint8_t>(n);
        const Number init = 7;
        const auto want = sums_of<Number>(items, kogge::plus{}, &init, false);
        const Array<std::uint8_t> in(items);
        Array<Number> out(n);
        kogge::reverse_exclusive_scan(in.data(), out.data(), n, init, kogge::plus{}, {.where = kWhere});
        EXPECT_TRUE(same(out.get(), want)) << n;
    }
}

TEST(ReverseScan, EveryStrategy) {
    const auto items = random_items<Word>(20011);
    const auto want = sums_of<Word>(items, kogge::maximum{}, static_cast<const Word*>(nullptr), true);
    for (const auto grid : {kogge::one_wave, kogge::on_chip, kogge::two_level, kogge::recursive, kogge::one_block}) {
        const Array<Word> in(items);
        Array<Word> out(items.size());
        kogge::reverse_inclusive_scan(in.data(), out.data(), items.size(), kogge::maximum{}, {.grid = grid});
        EXPECT_TRUE(same(out.get(), want)) << static_cast<int>(grid);
    }
}

struct Squares {
    KOGGE_HOST_DEVICE Number operator[](std::uint64_t i) const { return i * i; }
};
TEST(ReverseScan, OfACountingSequence) {
    std::vector<Number> items(5000);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = i * i;
    Array<Number> out(items.size());
    kogge::reverse_inclusive_scan(Squares{}, out.data(), items.size());
    EXPECT_TRUE(same(out.get(), sums_of<Number>(items, kogge::plus{}, static_cast<const Number*>(nullptr), true)));
}

TEST(ReverseScan, CountsOnTheDevice) {
    const auto items = random_items<Word>(20011);
    const Array<Number> count(std::vector<Number>{13001});
    const Array<Word> in(items);
    Array<Word> out(items);
    const kogge::exec how{.where = kWhere};
    const auto scan = [&](const Word* from) {
        kogge::reverse_inclusive_scan(from, out.data(), kogge::device_count{count.data(), items.size()}, kogge::plus{},
                                      {}, how);
    };
    if (!kOnDevice) {
        EXPECT_EQ(code_of([&] { scan(in.data()); }), kogge::errc::invalid_argument);
        EXPECT_EQ(code_of([&] { scan(out.data()); }), kogge::errc::invalid_argument);
        EXPECT_TRUE(same(out.get(), items));
        return;
    }
    const std::vector<Word> counted(items.begin(), items.begin() + 13001);
    auto want = sums_of<Word>(counted, kogge::plus{}, static_cast<const Word*>(nullptr), true);
    want.insert(want.end(), items.begin() + 13001, items.end());
    scan(out.data());
    EXPECT_TRUE(same(out.get(), want)) << "in place";
    scan(in.data());
    EXPECT_TRUE(same(out.get(), want));
}

TEST(ReverseScan, ErrorsChangeNothing) {
    const auto words = random_items<Word>(400);
    Array<Word> array(words);
    Word* const w = array.data();
    using kogge::errc;
    EXPECT_EQ(code_of([&] { kogge::reverse_inclusive_scan(w, w + 1, 100); }), errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::reverse_exclusive_scan(w, reinterpret_cast<Number*>(w), 100, Number{0}); }),
              errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::reverse_inclusive_scan(static_cast<Word*>(nullptr), w, 100); }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::reverse_inclusive_scan(w, static_cast<Word*>(nullptr), 100); }),
              errc::invalid_argument);
    EXPECT_TRUE(same(array.get(), words));
    kogge::reverse_inclusive_scan(static_cast<Word*>(nullptr), static_cast<Word*>(nullptr), 0);
}

}  // namespace
