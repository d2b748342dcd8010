// kogge-test: EMULATED GPU HOST
// Scans by key from the end, against the serial sum, in every way that a plan can take.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kogge/reverse_scan.hpp"
#include "kogge/scan.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/scan_places.hpp"

namespace {

using namespace tests;
using kogge::equal_to;
using kogge::exec;
using kogge::plus;
using Word = std::uint32_t;
using Number = std::uint64_t;

// ---- by key from the end -------------------------------------------------------------------------------
TEST(ReverseScanByKey, OfEveryForm) {
    for_each_form(true, [](std::size_t n, const kogge::scan_options& options) {
        const auto items = brackets(n + 100);
        const std::vector<Bicyclic> counted(items.begin(), items.end() - 100);
        const auto keys = keys_of_runs(n + 100);
        const auto heads = heads_of({keys.begin(), keys.end() - 100});
        const Bicyclic init{3, 5};
        const auto inclusive = sums_of_runs<Bicyclic>(counted, heads, JoinBrackets{}, nullptr, true);
        const auto exclusive = sums_of_runs<Bicyclic>(counted, heads, JoinBrackets{}, &init, true);
        const Array<Bicyclic> in(items);
        const Array<Word> of(keys);
        const exec how{.where = kWhere};
        Array<Bicyclic> out(n), in_place(items);
        kogge::reverse_inclusive_scan_by_key(of.data(), in.data(), out.data(), n, JoinBrackets{}, equal_to{}, options,
                                             how);
        EXPECT_TRUE(same(out.get(), inclusive));
        kogge::reverse_exclusive_scan_by_key(of.data(), in.data(), out.data(), n, init, JoinBrackets{}, equal_to{},
                                             options, how);
        EXPECT_TRUE(same(out.get(), exclusive)) << "exclusive";
        kogge::reverse_inclusive_scan_by_key(Reading<Word>{of.data()}, Reading<Bicyclic>{in.data()},
                                             Writing<Bicyclic>{out.data(), 1}, n, JoinBrackets{}, equal_to{}, options,
                                             how);
        EXPECT_TRUE(same(out.get(), written(inclusive, 1))) << "no arrays";
        auto want = inclusive;
        want.insert(want.end(), items.end() - 100, items.end());
        if constexpr (kOnDevice) {
            const Array<Number> count(std::vector<Number>{n});
            kogge::reverse_inclusive_scan_by_key(of.data(), in_place.data(), in_place.data(),
                                                 kogge::device_count{count.data(), items.size()}, JoinBrackets{},
                                                 equal_to{}, options, how);
        } else {
            kogge::reverse_inclusive_scan_by_key(of.data(), in_place.data(), in_place.data(), n, JoinBrackets{},
                                                 equal_to{}, options, how);
        }
        EXPECT_TRUE(same(in_place.get(), want)) << "in place";
    });
}

// Pieces of keys and values begin anywhere.
template <class Key, class T, class Sum>
void check_reverse_at_every_offset() {
    for (const std::size_t n : {std::size_t{6007}, std::size_t{2 * 512 * 20 + 64}, std::size_t{60'016}})
        for (std::size_t at = 0; at <= 16; at += small() ? 5 : 1) {
            SCOPED_TRACE(std::to_string(n) + " items at " + std::to_string(at));
            const auto words = keys_of_runs(n);
            std::vector<Key> keys(n);
            std::vector<Sum> items(n);
            const auto values = random_items<T>(n, at);
            std::vector<bool> heads(n);
            for (std::size_t i = 0; i < n; ++i) {
                keys[i] = static_cast<Key>(words[i]);
                items[i] = static_cast<Sum>(values[i]);
                heads[i] = i == 0 || keys[i - 1] != keys[i];
            }
            const Sum init = 9;
            const Array<Key> of(keys, at);
            const Array<T> in(values, at / 2);
            Array<Sum> out(n, at / 3);
            for (const auto grid : {kogge::grid_strategy::automatic, kogge::on_chip}) {
                kogge::reverse_inclusive_scan_by_key(of.data(), in.data(), out.data(), n, plus{}, equal_to{},
                                                     {.grid = grid});
                EXPECT_TRUE(same(out.get(), sums_of_runs<Sum>(items, heads, plus{}, nullptr, true)));
                kogge::reverse_exclusive_scan_by_key(of.data(), in.data(), out.data(), n, init, plus{}, equal_to{},
                                                     {.grid = grid});
                EXPECT_TRUE(same(out.get(), sums_of_runs<Sum>(items, heads, plus{}, &init, true))) << "exclusive";
            }
        }
}
TEST(ReverseScanByKey, OfBytesAtEveryOffset) {
    check_reverse_at_every_offset<std::uint8_t, std::uint8_t, std::uint8_t>();
}
TEST(ReverseScanByKey, OfBytesToNumbersAtEveryOffset) {
    check_reverse_at_every_offset<std::uint16_t, std::uint8_t, Number>();
}
TEST(ReverseScanByKey, OfWordsAtEveryOffset) { check_reverse_at_every_offset<Number, Word, Word>(); }

// An equality that is none sees neighbours in the order of the array.
struct NotLess {
    KOGGE_HOST_DEVICE bool operator()(Word earlier, Word later) const { return earlier <= later; }
};
TEST(ReverseScanByKey, RunsAreThoseOfTheScanFromTheStart) {
    for (const std::size_t n : {1u, 2u, 5000u, 30'011u}) {
        auto keys = random_items<Word>(n);
        for (Word& key : keys) key %= 8;
        const auto items = random_items<Word>(n, 2);
        std::vector<bool> heads(n);
        for (std::size_t i = 0; i < n; ++i) heads[i] = i == 0 || keys[i - 1] > keys[i];
        const Array<Word> of(keys), in(items);
        Array<Word> out(n);
        kogge::reverse_inclusive_scan_by_key(of.data(), in.data(), out.data(), n, plus{}, NotLess{});
        EXPECT_TRUE(same(out.get(), sums_of_runs<Word>(items, heads, plus{}, nullptr, true))) << n;
    }
}

TEST(ReverseScanByKey, RefusesWhatItCannotDo) {
    const auto items = random_items<Word>(100);
    Array<Word> array(items);
    const auto code = [&](const auto& call) { return code_of([&] { call(); }); };
    using kogge::errc;
    EXPECT_EQ(code([&] { kogge::reverse_exclusive_scan_by_key(Group{5}, array.data(), array.data(), 100, 0u); }),
              errc::overlap);
    EXPECT_EQ(code([&] { kogge::reverse_inclusive_scan_by_key(array.data() + 1, Group{5}, array.data(), 50); }),
              errc::overlap);
    EXPECT_EQ(code([&] {
                  kogge::reverse_inclusive_scan_by_key(static_cast<const Word*>(nullptr), array.data(), array.data(),
                                                       100);
              }),
              errc::invalid_argument);
    EXPECT_TRUE(same(array.get(), items));
    kogge::reverse_inclusive_scan_by_key(static_cast<const Word*>(nullptr), array.data(), array.data(), 0);
    EXPECT_TRUE(same(array.get(), items));
}

}  // namespace
