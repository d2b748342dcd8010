// kogge-test: EMULATED HOST
// Calls whose inputs and outputs are all objects of the caller's: no array says where they run. In a file that is
// compiled for the device they run there, so that what the objects read may be device memory. Calls that have one array
// run where it is. On a GPU tests/examples/sparse_matrix_test.cpp has such calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/out_of_reach.hpp"

namespace {

using namespace tests;
using Word = std::uint32_t;
using Words = std::vector<Word>;
constexpr Word kInit = 5;

struct ItemsAt {
    const Word* items;
    KOGGE_HOST_DEVICE Word operator[](std::uint64_t i) const { return items[i]; }
};
/// Of items below 4.
struct AscendingAt {
    const Word* items;
    KOGGE_HOST_DEVICE Word operator[](std::uint64_t i) const { return static_cast<Word>(4 * i) + items[i]; }
};
struct OutputAt {
    Word* items;
    KOGGE_HOST_DEVICE Word& operator[](std::uint64_t i) const { return items[i]; }
};
/// Segments of 1, 2, 4, … items; their begins are no longer than the items.
struct StartsAt {
    const Word* zeros;
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t s) const { return (1u << s) - 1 + zeros[s]; }
};
constexpr std::uint64_t kSegments = 12, kRow = 50;
struct IsOdd {
    KOGGE_HOST_DEVICE bool operator()(Word item) const { return item % 2 == 1; }
};
struct Twice {
    KOGGE_HOST_DEVICE Word operator()(Word item) const { return 2 * item; }
};

Words small_items() {
    Words items = random_items<Word>(5000);
    for (Word& item : items) item %= 4;
    return items;
}

/// Sums in the order of the items, or from the end, which begin anew where `begins` says so.
template <class Begins>
Words sums_of(const Words& items, const Begins& begins, bool inclusive, Word init, bool reversed = false) {
    Words sums(items.size());
    Word sum = init;
    for (std::size_t step = 0; step < items.size(); ++step) {
        const std::size_t i = reversed ? items.size() - 1 - step : step;
        if (begins(i)) sum = init;
        sums[i] = inclusive ? sum + items[i] : sum;
        sum += items[i];
    }
    return sums;
}
constexpr auto kNowhere = [](std::size_t) { return false; };
constexpr auto kAtSegments = [](std::size_t i) { return (i & (i + 1)) == 0 && i + 1 < (1u << kSegments); };
constexpr auto kAtRows = [](std::size_t i) { return i % kRow == 0; };

class WithoutArrays : public ::testing::Test {
protected:
    const Words items = small_items();
    const std::uint64_t n = items.size();
    const Array<Word> in{items}, none{Words(kSegments, 0)};
    Array<Word> out{n}, other{n};
    const ItemsAt from{in.data()};
    const AscendingAt ascending{in.data()};
    const StartsAt starts{none.data()};
    const OutputAt to{out.data()}, beside{other.data()};
    const OutOfReach device{};

    static void expect_array(const char* call, Array<Word>& array, Words want) {
        want.resize(array.get().size(), Array<Word>::poison());
        EXPECT_TRUE(same(array.get(), want)) << call;
        if constexpr (kOnDevice) kogge::simt::fill(array.data(), 0x5a, want.size() * sizeof(Word), nullptr);
        else std::fill_n(array.data(), want.size(), Array<Word>::poison());
    }
    void expect(const char* call, const Words& want) { expect_array(call, out, want); }

    Words ascending_items(std::uint64_t count) const {
        Words list;
        for (std::uint64_t i = 0; i < count; ++i) list.push_back(static_cast<Word>(4 * i) + items[i]);
        return list;
    }
};

TEST_F(WithoutArrays, Scans) {
    kogge::inclusive_scan(from, to, n);
    expect("inclusive_scan", sums_of(items, kNowhere, true, 0));
    kogge::inclusive_scan(from, to, n, kogge::plus{}, kInit);
    expect("inclusive_scan from a value", sums_of(items, kNowhere, true, kInit));
    kogge::exclusive_scan(from, to, n, kInit);
    expect("exclusive_scan", sums_of(items, kNowhere, false, kInit));
    kogge::reverse_inclusive_scan(from, to, n);
    expect("reverse_inclusive_scan", sums_of(items, kNowhere, true, 0, true));
    kogge::reverse_exclusive_scan(from, to, n, kInit);
    expect("reverse_exclusive_scan", sums_of(items, kNowhere, false, kInit, true));
}

TEST_F(WithoutArrays, ScansByKey) {
    const auto first = [&](std::size_t i) { return i > 0 && items[i] != items[i - 1]; };
    const auto last = [&](std::size_t i) { return i + 1 < n && items[i] != items[i + 1]; };
    kogge::inclusive_scan_by_key(from, from, to, n);
    expect("inclusive_scan_by_key", sums_of(items, first, true, 0));
    kogge::exclusive_scan_by_key(from, from, to, n, kInit);
    expect("exclusive_scan_by_key", sums_of(items, first, false, kInit));
    kogge::reverse_inclusive_scan_by_key(from, from, to, n);
    expect("reverse_inclusive_scan_by_key", sums_of(items, last, true, 0, true));
    kogge::reverse_exclusive_scan_by_key(from, from, to, n, kInit);
    expect("reverse_exclusive_scan_by_key", sums_of(items, last, false, kInit, true));
}

TEST_F(WithoutArrays, SegmentedScans) {
    kogge::inclusive_segmented_scan(from, to, n, starts, kSegments);
    expect("inclusive_segmented_scan", sums_of(items, kAtSegments, true, 0));
    kogge::exclusive_segmented_scan(from, to, n, starts, kSegments, kInit);
    expect("exclusive_segmented_scan", sums_of(items, kAtSegments, false, kInit));
    kogge::inclusive_segmented_scan(from, to, kogge::rows_of{kRow, n / kRow});
    expect("inclusive_segmented_scan of rows", sums_of(items, kAtRows, true, 0));
    kogge::exclusive_segmented_scan(from, to, n, nullptr, 0, kInit);
    expect("exclusive_segmented_scan without segments", sums_of(items, kNowhere, false, kInit));
}

TEST_F(WithoutArrays, Reductions) {
    const Word sum = std::accumulate(items.begin(), items.end(), Word{0});
    EXPECT_EQ(kogge::reduce(from, n), sum);
    EXPECT_EQ(kogge::reduce(from, n, kogge::plus{}, kInit), sum + kInit);
    EXPECT_EQ(kogge::transform_reduce(from, n, Twice{}), 2 * sum);
    EXPECT_EQ(kogge::transform_reduce(from, n, Twice{}, kogge::plus{}, kInit), 2 * sum + kInit);
    const auto index_of = [&](auto place) { return static_cast<std::uint64_t>(place - items.begin()); };
    EXPECT_EQ(kogge::arg_min(from, n).index, index_of(std::min_element(items.begin(), items.end())));
    EXPECT_EQ(kogge::arg_max(from, n).index, index_of(std::max_element(items.begin(), items.end())));
}

TEST_F(WithoutArrays, CompactionsAndRuns) {
    Words odd, runs;
    std::copy_if(items.begin(), items.end(), std::back_inserter(odd), IsOdd{});
    std::unique_copy(items.begin(), items.end(), std::back_inserter(runs));
    EXPECT_EQ(kogge::compact(from, to, n, IsOdd{}), odd.size());
    expect("compact", odd);
    EXPECT_EQ(kogge::compact_stencil(from, from, to, n, IsOdd{}), odd.size());
    expect("compact_stencil", odd);
    Words set;
    std::copy_if(items.begin(), items.end(), std::back_inserter(set), [](Word item) { return item != 0; });
    EXPECT_EQ(kogge::compact_flags(from, from, to, n), set.size());
    expect("compact_flags", set);
    EXPECT_EQ(kogge::unique(from, to, n), runs.size());
    expect("unique", runs);
    EXPECT_EQ(kogge::unique_by_key(from, from, to, beside, n), runs.size());
    expect("unique_by_key", runs);
    expect_array("unique_by_key, values", other, runs);
}

// One of two inputs may be empty.
TEST_F(WithoutArrays, MergesAndSearches) {
    const auto half = ascending_items(n / 2), all = ascending_items(n);
    const Words first(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(n / 2));
    Words merged, values;
    for (std::size_t i = 0; i < half.size(); ++i) {  // equal items: of each, that of a, then that of b
        merged.insert(merged.end(), 2, half[i]);
        values.insert(values.end(), 2, first[i]);
    }
    kogge::merge(ascending, ascending, to, n / 2, n / 2);
    expect("merge", merged);
    kogge::merge(ascending, ascending, to, 0, n);
    expect("merge of b alone", all);
    kogge::merge(ascending, ascending, to, n, 0);
    expect("merge of a alone", all);
    kogge::merge_pairs(ascending, from, ascending, from, to, beside, n / 2, n / 2);
    expect("merge_pairs", merged);
    expect_array("merge_pairs, values", other, values);
    kogge::merge_pairs(ascending, from, ascending, from, to, beside, 0, n);
    expect("merge_pairs of b alone", all);
    expect_array("merge_pairs of b alone, values", other, items);
    Words lower, upper;
    for (const Word needle : items) {
        lower.push_back(static_cast<Word>(std::lower_bound(all.begin(), all.end(), needle) - all.begin()));
        upper.push_back(static_cast<Word>(std::upper_bound(all.begin(), all.end(), needle) - all.begin()));
    }
    kogge::lower_bound(ascending, from, to, n, n);
    expect("lower_bound", lower);
    kogge::upper_bound(ascending, from, to, n, n);
    expect("upper_bound", upper);
}

#if KOGGE_KERNELS
// Counts on the device say no more than the file does.
TEST_F(WithoutArrays, OfWhichTheDeviceKnowsTheNumber) {
    const Array<std::uint64_t> number(std::vector<std::uint64_t>{1234}), zero(std::vector<std::uint64_t>{0});
    const kogge::device_count some{number.data(), n};
    kogge::inclusive_scan(from, to, some);
    Words sums = sums_of(items, kNowhere, true, 0);
    sums.resize(1234);
    expect("inclusive_scan", sums);
    EXPECT_EQ(kogge::reduce(from, some), sums.back());
    kogge::merge(ascending, ascending, to, 0, some);
    expect("merge of b alone", ascending_items(1234));
    kogge::merge(ascending, ascending, to, kogge::device_count{zero.data(), 0}, some);
    expect("merge of b alone, none of a", ascending_items(1234));
}
#endif

// ---- an array of the host -------------------------------------------------------------------------------

/// Objects that read and write the host's memory: the array beside them, which no object reads, says where.
class WithHostArrays : public ::testing::Test {
protected:
    const Words items = small_items(), zeros = Words(kSegments, 0);
    const std::uint64_t n = items.size();
    Words out = Words(n);
    const ItemsAt from{items.data()};
    const StartsAt starts{zeros.data()};
    const OutputAt to{out.data()};

    void expect(const char* call, const Words& want) {
        EXPECT_EQ(out, want) << call;
        out.assign(n, 0);
    }
};

TEST_F(WithHostArrays, RunOnTheHost) {
    const Words sums = sums_of(items, kNowhere, true, 0);
    kogge::inclusive_scan(from, out.data(), n);
    expect("to an array", sums);
    kogge::inclusive_scan(items.data(), to, n);
    expect("from an array", sums);
    kogge::inclusive_scan_by_key(items.data(), from, to, n, kogge::plus{}, kogge::equal_to{});
    expect("by keys of an array",
           sums_of(
               items, [&](std::size_t i) { return i > 0 && items[i] != items[i - 1]; }, true, 0));
    kogge::inclusive_segmented_scan(items.data(), to, n, starts, kSegments);
    expect("from an array, by computed segments", sums_of(items, kAtSegments, true, 0));
    kogge::inclusive_segmented_scan(items.data(), to, kogge::rows_of{kRow, n / kRow});
    expect("rows of an array", sums_of(items, kAtRows, true, 0));
    Word sum = 0;
    kogge::reduce(from, &sum, n);
    EXPECT_EQ(sum, sums.back());
}

TEST_F(WithHostArrays, AreNotNeededWhereExecSaysSo) {
    const kogge::exec host{.where = kogge::backend::host};
    kogge::inclusive_scan(from, to, n, host);
    expect("inclusive_scan", sums_of(items, kNowhere, true, 0));
    kogge::inclusive_segmented_scan(from, to, n, starts, kSegments, host);
    expect("inclusive_segmented_scan", sums_of(items, kAtSegments, true, 0));
    EXPECT_EQ(kogge::reduce(from, n, host), std::accumulate(items.begin(), items.end(), Word{0}));
}

}  // namespace
