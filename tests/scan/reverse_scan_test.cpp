// kogge-test: EMULATED GPU HOST
// Scans from the end against the serial sum.
#include "kogge/reverse_scan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"
#include "support/scan_plans.hpp"

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

/// Each form of a scan, for items of 8 bytes, and how one knows its plan.
struct Form {
    const char* name;
    int multiprocessors;  ///< that the device pretends to have
    std::size_t n;
    kogge::scan_options options;
    bool (*is)(const kogge::scan_plan& plan);
};
const Form kForms[] = {
    {"a wave of one row", 4, 4000, {}, [](const kogge::scan_plan& plan) { return wave_rows(plan) == 1; }},
    {"a wave of more rows", 5, 9 * 2048 - 5, {}, [](const kogge::scan_plan& plan) { return wave_rows(plan) == 2; }},
    {"a deep wave", 1, 16384 + 897, {}, [](const kogge::scan_plan& plan) { return is_deep(plan); }},
    {"a ring in one launch",
     2,
     5 * 5120 + 17,
     {.grid = kogge::on_chip},
     [](const kogge::scan_plan& plan) { return is_pipelined(plan) && is_cooperative(plan); }},
    {"a ring by tickets",
     2,
     35 * 5120 + 17,
     {},
     [](const kogge::scan_plan& plan) { return is_pipelined(plan) && !is_cooperative(plan); }},
    {"tiles on chip",
     4,
     11 * 2560 + 17,
     {.grid = kogge::on_chip, .block = kogge::brent_kung},
     [](const kogge::scan_plan& plan) { return plan.is<kogge::tile_scan>(); }},
    {"two levels",
     4,
     41 * 2560 + 17,
     {.grid = kogge::two_level},
     [](const kogge::scan_plan& plan) { return levels_of(plan).size() == 2; }},
    {"levels",
     4,
     41 * 2560 + 17,
     {.grid = kogge::recursive},
     [](const kogge::scan_plan& plan) { return levels_of(plan).size() == 2; }},
    {"one block",
     4,
     3 * 2560 + 17,
     {.grid = kogge::one_block},
     [](const kogge::scan_plan& plan) { return plan.blocks == 1; }},
};

TEST(ReverseScan, OfEveryForm) {
    for (const Form& form : kForms) {
        const Pretending device(form.multiprocessors);
        // Pieces stand at 16-byte boundaries if the end of the results does.
        for (const std::size_t n : {form.n, form.n + 1}) {
            SCOPED_TRACE(std::to_string(n) + " items, " + form.name);
#if KOGGE_EMULATED
            const auto plan = kogge::plan_scan(n, {8, 8, 8}, form.options, kogge::simt::current_properties());
            ASSERT_TRUE(form.is(plan)) << to_string(plan);
#endif
            auto items = random_items<Bicyclic>(n + 100, n);
            for (Bicyclic& item : items) item.closing %= 4, item.opening %= 4;
            const std::vector<Bicyclic> counted(items.begin(), items.end() - 100);
            const Bicyclic init{3, 5};
            const auto inclusive =
                sums_of<Bicyclic>(counted, JoinBrackets{}, static_cast<const Bicyclic*>(nullptr), true);
            const auto exclusive = sums_of<Bicyclic>(counted, JoinBrackets{}, &init, false);
            const Array<Bicyclic> in(counted);
            Array<Bicyclic> out(n), in_place(counted);
            kogge::reverse_inclusive_scan(in.data(), out.data(), n, JoinBrackets{}, form.options);
            EXPECT_TRUE(same(out.get(), inclusive));
            kogge::reverse_exclusive_scan(in.data(), out.data(), n, init, JoinBrackets{}, form.options);
            EXPECT_TRUE(same(out.get(), exclusive)) << "exclusive";
            kogge::reverse_exclusive_scan(in_place.data(), in_place.data(), n, init, JoinBrackets{}, form.options);
            EXPECT_TRUE(same(in_place.get(), exclusive)) << "exclusive, in place";
            if (!kOnDevice) continue;

            const Array<Number> count(std::vector<Number>{n});
            Array<Bicyclic> more(items);
            const kogge::device_count up_to{count.data(), items.size()};
            kogge::reverse_inclusive_scan(more.data(), more.data(), up_to, JoinBrackets{}, form.options);
            auto want = inclusive;
            want.insert(want.end(), items.end() - 100, items.end());
            EXPECT_TRUE(same(more.get(), want)) << "in place, up to a count on the device";
            const Array<Bicyclic> from(items);
            Array<Bicyclic> to(items);
            kogge::reverse_exclusive_scan(from.data(), to.data(), up_to, init, JoinBrackets{}, form.options);
            want = exclusive;
            want.insert(want.end(), items.end() - 100, items.end());
            EXPECT_TRUE(same(to.get(), want)) << "exclusive, up to a count on the device";
        }
    }
}

// The ends of pieces of 16 bytes are anywhere.
TEST(ReverseScan, OfBytesToEveryOffset) {
    for (const std::size_t n : {std::size_t{16000}, std::size_t{2 * 512 * 80 + 64}})
        for (std::size_t at = 0; at <= 16; at += small() ? 5 : 1) {
            const auto items = random_items<std::uint8_t>(n, at);
            const auto want =
                sums_of<std::uint8_t>(items, kogge::plus{}, static_cast<const std::uint8_t*>(nullptr), true);
            const Array<std::uint8_t> in(items);
            Array<std::uint8_t> out(n, at), in_place(items, at);
            for (const auto grid : {kogge::grid_strategy::automatic, kogge::on_chip, kogge::two_level}) {
                SCOPED_TRACE(std::to_string(n) + " items, to " + std::to_string(at) + kogge::to_string(grid));
                kogge::reverse_inclusive_scan(in.data(), out.data(), n, kogge::plus{}, {.grid = grid});
                EXPECT_TRUE(same(out.get(), want));
            }
            kogge::reverse_inclusive_scan(in_place.data(), in_place.data(), n);
            EXPECT_TRUE(same(in_place.get(), want)) << "in place at " << at;
        }
}

TEST(ReverseScan, ExclusiveInAWiderType) {
    for (const std::size_t n : sizes()) {
        const auto items = random_items<std::uint8_t>(n);
        const Number init = 7;
        const auto want = sums_of<Number>(items, kogge::plus{}, &init, false);
        const Array<std::uint8_t> in(items);
        for (const auto grid : {kogge::grid_strategy::automatic, kogge::on_chip, kogge::two_level}) {
            Array<Number> out(n);
            kogge::reverse_exclusive_scan(in.data(), out.data(), n, init, kogge::plus{}, {.grid = grid});
            EXPECT_TRUE(same(out.get(), want)) << n << kogge::to_string(grid);
        }
    }
}

TEST(ReverseScan, AccumulatedInAWiderType) {
    for (const std::size_t n : sizes()) {
        const auto items = random_items<Word>(n);
        const Number init = 1ull << 40;
        const auto sums = sums_of<Number>(items, kogge::plus{}, &init, false);
        std::vector<Word> want;
        for (const Number sum : sums) want.push_back(static_cast<Word>(sum));
        for (const auto grid : {kogge::grid_strategy::automatic, kogge::on_chip}) {
            Array<Word> in(items);
            kogge::reverse_exclusive_scan(in.data(), in.data(), n, init, kogge::plus{}, {.grid = grid});
            EXPECT_TRUE(same(in.get(), want)) << n << kogge::to_string(grid);
        }
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
