// kogge-test: EMULATED GPU HOST
#include "kogge/runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

std::vector<std::size_t> sizes() {
    std::vector<std::size_t> list{0,    1,    2,    31,   32,   33,    127,   128,   129,
                                  1023, 1024, 1025, 2560, 4097, 30001, 70001, 70002, 140001};
    if (!small()) list.push_back(450001);
    return list;
}

struct Odd12 {
    std::uint32_t a, b, c;
};
struct SameFirst {
    KOGGE_HOST_DEVICE bool operator()(const Odd12& x, const Odd12& y) const { return x.a == y.a; }
};

/// Runs of 1 to 2·mean − 1 items, or of one run for a mean of 0. Neighbouring runs differ.
template <class T>
std::vector<T> items_in_runs(std::size_t n, std::size_t mean) {
    Random random(n + mean);
    std::vector<T> items;
    for (std::uint64_t run = 0; items.size() < n; ++run) {
        const std::size_t length = mean == 0 ? n : 1 + random() % (2 * mean - 1);
        T item{};
        if constexpr (std::is_same_v<T, Odd12>) item.a = static_cast<std::uint32_t>(run);
        else item = static_cast<T>(run % 2 == 0 ? random() % 50 : 50 + random() % 50);
        items.resize(std::min(n, items.size() + length), item);
    }
    if constexpr (std::is_same_v<T, Odd12>)
        for (std::size_t i = 0; i < n; ++i) items[i].b = static_cast<std::uint32_t>(i);  // tells which one is kept
    return items;
}

template <class T>
struct Expected {
    std::vector<T> firsts;
    std::vector<std::uint64_t> heads, lengths;
};
template <class T, class Equal>
Expected<T> runs_of(const std::vector<T>& items, Equal equal) {
    Expected<T> runs;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i == 0 || !equal(items[i - 1], items[i])) {
            runs.firsts.push_back(items[i]);
            runs.heads.push_back(i);
            runs.lengths.push_back(0);
        }
        ++runs.lengths.back();
    }
    return runs;
}
/// What stands in front is `want`, and nobody has written behind it.
template <class T>
::testing::AssertionResult begins_with(const Array<T>& array, const std::vector<T>& want) {
    std::vector<T> all = want;
    all.resize(array.get().size(), Array<T>::poison());
    return same(array.get(), all);
}

template <class T, class Equal>
void check(std::size_t n, std::size_t mean, Equal equal) {
    SCOPED_TRACE(std::to_string(n) + " items in runs of " + std::to_string(mean));
    const auto items = items_in_runs<T>(n, mean);
    const auto want = runs_of(items, equal);
    const std::uint64_t runs = want.firsts.size();
    const kogge::exec how{.where = kWhere};
    const Array<T> in(items, n % 3);

    Array<T> out(n, 1), again(n);
    Array<std::uint64_t> count(1);
    EXPECT_EQ(kogge::unique(in.data(), out.data(), n, equal, how), runs);
    EXPECT_TRUE(begins_with(out, want.firsts));
    kogge::unique(in.data(), again.data(), count.data(), n, equal, how);
    EXPECT_EQ(count.get()[0], runs);
    EXPECT_TRUE(begins_with(again, want.firsts));

    std::vector<std::uint64_t> places(n);
    for (std::size_t i = 0; i < n; ++i) places[i] = i;
    const Array<std::uint64_t> values(places);
    Array<T> keys_out(n, 1);
    Array<std::uint64_t> values_out(n);
    EXPECT_EQ(kogge::unique_by_key(in.data(), values.data(), keys_out.data(), values_out.data(), n, equal, how), runs);
    EXPECT_TRUE(begins_with(keys_out, want.firsts));
    EXPECT_TRUE(begins_with(values_out, want.heads));

    Array<T> encoded(n, 2);
    Array<std::uint64_t> lengths(n), counted(1);
    EXPECT_EQ(kogge::run_length_encode(in.data(), encoded.data(), lengths.data(), n, equal, how), runs);
    EXPECT_TRUE(begins_with(encoded, want.firsts));
    EXPECT_TRUE(begins_with(lengths, want.lengths));
    kogge::run_length_encode(in.data(), encoded.data(), lengths.data(), counted.data(), n, equal, how);
    EXPECT_EQ(counted.get()[0], runs);
    EXPECT_TRUE(begins_with(lengths, want.lengths));
}

TEST(Runs, OfEveryLength) {
    for (const std::size_t n : sizes())
        for (const std::size_t mean : {0, 1, 3, 100, 5000}) check<std::uint32_t>(n, mean, kogge::equal_to{});
}
TEST(Runs, OfOtherTypes) {
    for (const std::size_t n : {1024, 20001, 140001}) {
        check<std::uint8_t>(n, 5, kogge::equal_to{});
        check<std::uint64_t>(n, 5, kogge::equal_to{});
        check<double>(n, 5, kogge::equal_to{});
        check<Odd12>(n, 5, SameFirst{});
    }
}

struct Close {
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return b - a <= 1; }
};
TEST(Runs, CompareNeighboursOnly) {
    const std::vector<std::uint32_t> items = {1, 2, 3, 4, 9, 10, 10, 7};
    const Array<std::uint32_t> in(items);
    Array<std::uint32_t> out(items.size());
    Array<std::uint16_t> lengths(items.size());
    EXPECT_EQ(kogge::run_length_encode(in.data(), out.data(), lengths.data(), items.size(), Close{}), 3u);
    EXPECT_TRUE(begins_with(out, {1, 9, 7}));
    EXPECT_TRUE(begins_with(lengths, {4, 3, 1}));
    EXPECT_EQ(kogge::unique(in.data(), out.data(), items.size(), Close{}), 3u);
}

#if KOGGE_KERNELS
TEST(Runs, OfADeviceCount) {
    const auto items = items_in_runs<std::uint32_t>(50000, 7);
    const Array<std::uint32_t> in(items);
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1024}, std::uint64_t{31234}}) {
        const auto want =
            runs_of(std::vector(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(n)), kogge::equal_to{});
        const Array<std::uint64_t> number(std::vector<std::uint64_t>{n});
        const kogge::device_count count{number.data(), items.size()};
        Array<std::uint32_t> out(items.size()), encoded(items.size());
        Array<std::uint64_t> lengths(items.size()), kept(1), runs(1);
        kogge::unique(in.data(), out.data(), kept.data(), count);
        kogge::run_length_encode(in.data(), encoded.data(), lengths.data(), runs.data(), count);
        EXPECT_EQ(kept.get()[0], want.firsts.size());
        EXPECT_EQ(runs.get()[0], want.firsts.size());
        EXPECT_TRUE(begins_with(out, want.firsts)) << n;
        EXPECT_TRUE(begins_with(encoded, want.firsts)) << n;
        EXPECT_TRUE(begins_with(lengths, want.lengths)) << n;
    }
}
#endif

TEST(RunsErrors, AreFoundBeforeAnythingChanges) {
    const auto items = random_items<std::uint32_t>(1000);
    Array<std::uint32_t> in(items), out(1000), more(1000);
    std::uint64_t* const no_count = nullptr;
    EXPECT_EQ(code_of([&] { kogge::unique(in.data(), in.data() + 1, 9); }), kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::unique(in.data(), out.data(), no_count, 9); }), kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::unique_by_key(in.data(), more.data(), out.data(), out.data(), 9); }),
              kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::unique_by_key(in.data(), in.data(), out.data(), more.data(), no_count, 9); }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::run_length_encode(in.data(), out.data(), in.data() + 5, 9); }),
              kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::run_length_encode(in.data(), out.data(), more.data(), no_count, 9); }),
              kogge::errc::invalid_argument);
    EXPECT_TRUE(same(in.get(), items));
    EXPECT_TRUE(begins_with(out, {}));
}

}  // namespace
