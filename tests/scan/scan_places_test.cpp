// kogge-test: EMULATED GPU HOST
// Scans whose keys, values and results are no arrays, exclusive scans without an initial value, and exec right behind
// the arguments: against the serial sum, in every way that a plan can take.
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

// ---- plain scans ---------------------------------------------------------------------------------------
TEST(ScanPlaces, OutputsThatAreNoArrays) {
    for_each_form(false, [](std::size_t n, const kogge::scan_options& options) {
        const auto items = brackets(n);
        const std::vector<bool> one_run(n);
        const Bicyclic init{3, 5};
        const Array<Bicyclic> in(items);
        const exec how{.where = kWhere};
        for (const std::size_t step : {1, 3}) {
            Array<Bicyclic> out((n - 1) * step + 1);
            kogge::inclusive_scan(in.data(), Writing<Bicyclic>{out.data(), step}, n, JoinBrackets{}, options, how);
            EXPECT_TRUE(
                same(out.get(), written(sums_of_runs<Bicyclic>(items, one_run, JoinBrackets{}, nullptr, false), step)));
            kogge::reverse_exclusive_scan(Reading<Bicyclic>{in.data()}, Writing<Bicyclic>{out.data(), step}, n, init,
                                          JoinBrackets{}, options, how);
            EXPECT_TRUE(
                same(out.get(), written(sums_of_runs<Bicyclic>(items, one_run, JoinBrackets{}, &init, true), step)));
        }
        kogge::inclusive_scan(in.data(), Nowhere{}, n, JoinBrackets{}, options, how);
        kogge::inclusive_scan(in.data(), NowhereElse{}, n, JoinBrackets{}, options, how);
        EXPECT_TRUE(same(in.get(), items));
    });
}

TEST(ScanPlaces, StridedResultsHaveATypeOfTheirOwn) {
    for (const std::size_t n : {1u, 3000u, 40'001u}) {
        const auto items = random_items<std::uint8_t>(n);
        std::vector<Number> want(3 * n, Array<Number>::poison());
        Number sum = 0;
        for (std::size_t i = 0; i < n; ++i) want[3 * i] = sum += items[i];
        const Array<std::uint8_t> in(items);
        Array<Number> out(3 * n);
        kogge::inclusive_scan(in.data(), Strided<Number>{out.data(), 3}, n);
        EXPECT_TRUE(same(out.get(), want)) << n;
    }
}

TEST(ScanPlaces, WithoutAnyArray) {
    const std::size_t n = 20'000;
    Array<Number> out(n);
    std::vector<Number> results(n);
    for (std::size_t i = 0; i < n; ++i) results[i] = i / 7 + (i > 0 ? results[i - 1] : 0);
    kogge::inclusive_scan(Group{7}, Writing<Number>{out.data(), 1}, n);
    EXPECT_TRUE(same(out.get(), written(results, 1)));
}

// Items that are not plain are carried as bytes, also to an output that is no array.
struct Fixed {
    Fixed() = delete;
    KOGGE_HOST_DEVICE explicit Fixed(Word word) : value(word) {}
    const Word value;
};
struct AddFixed {
    KOGGE_HOST_DEVICE Fixed operator()(const Fixed& a, const Fixed& b) const { return Fixed(a.value + b.value); }
};
struct ReadFixed {
    KOGGE_HOST_DEVICE Fixed operator[](std::uint64_t i) const { return Fixed(static_cast<Word>(i)); }
};
struct WriteFixed {
    struct Place {
        Word* at;
        KOGGE_HOST_DEVICE void operator=(const Fixed& result) const { *at = result.value; }
    };
    Word* out;
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t i) const { return {out + i}; }
};
TEST(ScanPlaces, ItemsThatAreNotPlain) {
    const std::size_t n = 9001;
    Array<Word> out(n), by_key(n), from_end(n);
    std::vector<Word> want(n), runs(n), reversed(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto item = static_cast<Word>(i);
        want[i] = item + (i > 0 ? want[i - 1] : 0);
        runs[i] = item + (i % 50 > 0 ? runs[i - 1] : 0);
        const std::size_t j = n - 1 - i;
        reversed[j] = static_cast<Word>(j) + (j + 1 < n && j % 50 < 49 ? reversed[j + 1] : 0);
    }
    kogge::inclusive_scan(ReadFixed{}, WriteFixed{out.data()}, n, AddFixed{});
    EXPECT_TRUE(same(out.get(), want));
    kogge::inclusive_scan_by_key(Group{50}, ReadFixed{}, WriteFixed{by_key.data()}, n, AddFixed{});
    EXPECT_TRUE(same(by_key.get(), runs));
    kogge::reverse_inclusive_scan_by_key(Group{50}, ReadFixed{}, WriteFixed{from_end.data()}, n, AddFixed{});
    EXPECT_TRUE(same(from_end.get(), reversed));
}

// ---- by key and of segments ----------------------------------------------------------------------------
TEST(ScanPlaces, KeysAndValuesThatAreNoArrays) {
    for_each_form(true, [](std::size_t n, const kogge::scan_options& options) {
        const auto items = brackets(n);
        const auto keys = keys_of_runs(n);
        const auto heads = heads_of(keys);
        const Bicyclic init{3, 5};
        const auto inclusive = sums_of_runs<Bicyclic>(items, heads, JoinBrackets{}, nullptr, false);
        const auto exclusive = sums_of_runs<Bicyclic>(items, heads, JoinBrackets{}, &init, false);
        const Array<Bicyclic> in(items);
        const Array<Word> of(keys);
        const exec how{.where = kWhere};
        const Reading<Bicyclic> values{in.data()};
        const Reading<Word> groups{of.data()};
        Array<Bicyclic> out(n), in_place(items);
        kogge::inclusive_scan_by_key(groups, values, out.data(), n, JoinBrackets{}, equal_to{}, options, how);
        EXPECT_TRUE(same(out.get(), inclusive)) << "keys and values";
        kogge::inclusive_scan_by_key(groups, in_place.data(), in_place.data(), n, JoinBrackets{}, equal_to{}, options,
                                     how);
        EXPECT_TRUE(same(in_place.get(), inclusive)) << "keys, in place";
        kogge::exclusive_scan_by_key(of.data(), values, out.data(), n, init, JoinBrackets{}, equal_to{}, options, how);
        EXPECT_TRUE(same(out.get(), exclusive)) << "values, exclusive";
        kogge::exclusive_scan_by_key(of.data(), in.data(), Writing<Bicyclic>{out.data(), 1}, n, init, JoinBrackets{},
                                     equal_to{}, options, how);
        EXPECT_TRUE(same(out.get(), written(exclusive, 1))) << "results, exclusive";
    });
}

TEST(ScanPlaces, ValuesOfSegmentsThatAreNoArrays) {
    for_each_form(true, [](std::size_t n, const kogge::scan_options& options) {
        const auto items = brackets(n);
        const auto heads = heads_of(keys_of_runs(n));
        std::vector<Number> offsets;
        for (std::size_t i = 0; i < n; ++i)
            if (heads[i] && i > 0) offsets.push_back(i);
        const Bicyclic init{3, 5};
        const Array<Bicyclic> in(items);
        const Array<Number> starts(offsets);
        const exec how{.where = kWhere};
        Array<Bicyclic> out(n);
        kogge::inclusive_segmented_scan(Reading<Bicyclic>{in.data()}, out.data(), n, starts.data(), offsets.size(),
                                        JoinBrackets{}, options, how);
        EXPECT_TRUE(same(out.get(), sums_of_runs<Bicyclic>(items, heads, JoinBrackets{}, nullptr, false)));
        kogge::exclusive_segmented_scan(Reading<Bicyclic>{in.data()}, Writing<Bicyclic>{out.data(), 1}, n,
                                        starts.data(), offsets.size(), init, JoinBrackets{}, options, how);
        EXPECT_TRUE(same(out.get(), written(sums_of_runs<Bicyclic>(items, heads, JoinBrackets{}, &init, false), 1)));
    });
}

// ---- no initial value, and exec right behind the arguments ---------------------------------------------
TEST(ScanPlaces, ExclusiveFromZero) {
    const std::size_t n = 7000;
    const auto items = random_items<Word>(n);
    std::vector<Number> want(n);
    std::vector<Word> from_end(n);
    for (std::size_t i = 1; i < n; ++i) {
        want[i] = want[i - 1] + items[i - 1];
        from_end[n - 1 - i] = from_end[n - i] + items[n - i];
    }
    const Array<Word> in(items);
    Array<Number> out(n);
    Array<Word> words(n);
    kogge::exclusive_scan(in.data(), out.data(), n);
    EXPECT_TRUE(same(out.get(), want));
    kogge::exclusive_scan(in.data(), out.data(), n, exec{.where = kWhere});
    EXPECT_TRUE(same(out.get(), want));
    kogge::exclusive_scan(in.data(), out.data(), n, {.where = kWhere});
    EXPECT_TRUE(same(out.get(), want));
    kogge::reverse_exclusive_scan(in.data(), words.data(), n);
    EXPECT_TRUE(same(words.get(), from_end));
    kogge::reverse_exclusive_scan(in.data(), words.data(), n, {.where = kWhere});
    EXPECT_TRUE(same(words.get(), from_end));
}

// Each form names a backend that cannot reach the arrays, which only a call that has read its exec refuses.
TEST(ScanPlaces, ExecFollowsWhatIsGiven) {
    const Array<Word> in(random_items<Word>(50));
    Array<Word> out(50);
    const std::vector<Number> zero{0};
    const Array<Number> starts(zero);
    const Word *const k = in.data(), *const a = in.data();
    Word* const o = out.data();
    const Number* const s = starts.data();
    const exec how{.where = kOnDevice ? kogge::backend::host : kogge::backend::device};
    const auto refuses = [&](const auto& call) { EXPECT_EQ(code_of([&] { call(); }), kogge::errc::unreachable); };
    const plus op;
    const equal_to eq;
    refuses([&] { kogge::inclusive_scan(a, o, 50, how); });
    refuses([&] { kogge::inclusive_scan(a, o, 50, {.where = how.where}); });
    refuses([&] { kogge::inclusive_scan(a, o, 50, op, how); });
    refuses([&] { kogge::inclusive_scan(a, o, 50, op, Word{1}, how); });
    refuses([&] { kogge::exclusive_scan(a, o, 50, how); });
    refuses([&] { kogge::exclusive_scan(a, o, 50, Word{1}, how); });
    refuses([&] { kogge::exclusive_scan(a, o, 50, Word{1}, op, how); });
    refuses([&] { kogge::reverse_inclusive_scan(a, o, 50, how); });
    refuses([&] { kogge::reverse_exclusive_scan(a, o, 50, Word{1}, how); });
    refuses([&] { kogge::reverse_exclusive_scan(a, o, 50, how); });
    refuses([&] { kogge::inclusive_scan_by_key(k, a, o, 50, how); });
    refuses([&] { kogge::inclusive_scan_by_key(k, a, o, 50, {.where = how.where}); });
    refuses([&] { kogge::inclusive_scan_by_key(k, a, o, 50, op, how); });
    refuses([&] { kogge::inclusive_scan_by_key(k, a, o, 50, op, eq, how); });
    refuses([&] { kogge::exclusive_scan_by_key(k, a, o, 50, 1u, how); });
    refuses([&] { kogge::exclusive_scan_by_key(k, a, o, 50, 1u, op, how); });
    refuses([&] { kogge::exclusive_scan_by_key(k, a, o, 50, 1u, op, eq, how); });
    refuses([&] { kogge::reverse_inclusive_scan_by_key(k, a, o, 50, how); });
    refuses([&] { kogge::reverse_inclusive_scan_by_key(k, a, o, 50, op, how); });
    refuses([&] { kogge::reverse_inclusive_scan_by_key(k, a, o, 50, op, eq, how); });
    refuses([&] { kogge::reverse_exclusive_scan_by_key(k, a, o, 50, 1u, how); });
    refuses([&] { kogge::reverse_exclusive_scan_by_key(k, a, o, 50, 1u, op, how); });
    refuses([&] { kogge::reverse_exclusive_scan_by_key(k, a, o, 50, 1u, op, eq, how); });
    refuses([&] { kogge::inclusive_segmented_scan(a, o, 50, s, 1, how); });
    refuses([&] { kogge::inclusive_segmented_scan(a, o, 50, s, 1, op, how); });
    refuses([&] { kogge::exclusive_segmented_scan(a, o, 50, s, 1, 1u, how); });
    refuses([&] { kogge::exclusive_segmented_scan(a, o, 50, s, 1, 1u, op, how); });
}

}  // namespace
