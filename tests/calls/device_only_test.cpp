// kogge-test: GPU
// Functions that are __device__ only, lambdas and structs: calls on device memory run, and those on the host's memory,
// ordinary or pinned, are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/device_array.hpp"
#include "support/inputs.hpp"

namespace {

using kogge::test::DeviceArray;
using Word = std::uint32_t;
constexpr std::size_t kItems = 100'003;

std::vector<Word> front(const DeviceArray<Word>& array, std::size_t n) {
    auto items = array.values();
    items.resize(n);
    return items;
}

struct IsOdd {
    __device__ bool operator()(Word item) const { return item % 2 != 0; }
};
struct Square {
    __device__ Word operator()(Word item) const { return item * item; }
};

/// An array in memory of the host that devices reach.
class Pinned {
public:
    explicit Pinned(std::size_t n) : data_(static_cast<Word*>(kogge::simt::allocate_pinned(n * sizeof(Word)))) {
        std::fill(data_, data_ + n, Word{0});
    }
    ~Pinned() { kogge::simt::free_pinned(data_); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    Word* data() const { return data_; }

private:
    Word* data_;
};

/// call(in, out) is refused for `n` items in ordinary and in pinned memory of the host, and writes nothing.
template <class Call>
void expect_refused(std::size_t n, const Call& call) {
    const auto check = [&](Word* in, Word* out) {
        std::fill(out, out + n, Word{12345});
        try {
            call(in, out);
            ADD_FAILURE() << "ran on the host";
        } catch (const kogge::error& refused) {
            EXPECT_EQ(refused.code(), kogge::errc::invalid_argument);
            EXPECT_NE(std::string(refused.what()).find("__device__ only"), std::string::npos) << refused.what();
        }
        EXPECT_EQ(std::count(out, out + n, Word{12345}), static_cast<std::ptrdiff_t>(n));
    };
    std::vector<Word> in(n), out(n);
    check(in.data(), out.data());
    const Pinned pinned_in(n), pinned_out(n);
    check(pinned_in.data(), pinned_out.data());
}

// nvcc takes no such lambda in a member function that is not public, as a test's body is.

void compact_and_partition() {
    const auto items = tests::random_items<Word>(kItems);
    std::vector<Word> kept, want;
    for (const Word item : items)
        if (item % 2 != 0) kept.push_back(item);
    want = items;
    std::stable_partition(want.begin(), want.end(), [](Word item) { return item % 2 != 0; });
    const DeviceArray<Word> in(items), out(kItems, 0);
    const auto is_odd = [] __device__(Word item) { return item % 2 != 0; };
    ASSERT_EQ(kogge::compact(in.data(), out.data(), kItems, is_odd), kept.size());
    EXPECT_TRUE(front(out, kept.size()) == kept);
    ASSERT_EQ(kogge::compact(in.data(), out.data(), kItems, IsOdd{}), kept.size());
    EXPECT_TRUE(front(out, kept.size()) == kept);
    ASSERT_EQ(kogge::partition(in.data(), out.data(), kItems, is_odd), kept.size());
    EXPECT_TRUE(out.values() == want);
}
TEST(DeviceOnly, CompactAndPartition) { compact_and_partition(); }

void split_and_emit() {
    const auto items = tests::random_items<Word>(kItems);
    auto want = items;
    std::stable_sort(want.begin(), want.end(), [](Word a, Word b) { return a % 8 < b % 8; });
    const DeviceArray<Word> in(items), out(kItems, 0);
    kogge::split(in.data(), out.data(), kItems, 8, [] __device__(Word item) { return item % 8; });
    EXPECT_TRUE(out.values() == want);

    const auto one_of_three = [] __device__(std::uint64_t i) { return i % 3 == 0 ? 2 : 0; };
    const auto make = [] __device__(std::uint64_t i, std::uint64_t k) { return static_cast<Word>(2 * i + k); };
    std::vector<Word> made;
    for (Word i = 0; i < kItems; i += 3) made.push_back(2 * i), made.push_back(2 * i + 1);
    const DeviceArray<Word> outputs(made.size(), 0);
    // No array says where it runs: the functions do.
    ASSERT_EQ(kogge::emit(static_cast<Word*>(nullptr), 0, kItems, one_of_three, make), made.size());
    ASSERT_EQ(kogge::emit(outputs.data(), made.size(), kItems, one_of_three, make), made.size());
    EXPECT_TRUE(outputs.values() == made);
}
TEST(DeviceOnly, SplitAndEmit) { split_and_emit(); }

void scans_and_runs() {
    std::vector<Word> items = tests::random_items<Word>(kItems), sums(kItems), firsts;
    for (Word& item : items) item %= 4;
    std::inclusive_scan(items.begin(), items.end(), sums.begin());
    firsts = items;
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    const DeviceArray<Word> in(items), out(kItems, 0);
    kogge::inclusive_scan(in.data(), out.data(), kItems, [] __device__(Word a, Word b) { return a + b; });
    EXPECT_TRUE(out.values() == sums);
    ASSERT_EQ(kogge::unique(in.data(), out.data(), kItems, [] __device__(Word a, Word b) { return a == b; }),
              firsts.size());
    EXPECT_TRUE(front(out, firsts.size()) == firsts);
}
TEST(DeviceOnly, ScansAndRuns) { scans_and_runs(); }

void reductions() {
    const auto items = tests::random_items<Word>(kItems);
    const DeviceArray<Word> in(items), out(kItems, 0);
    const Word sum = std::accumulate(items.begin(), items.end(), Word{0});
    Word squares = 0;
    for (const Word item : items) squares += item * item;

    const auto add = [] __device__(Word a, Word b) { return a + b; };
    const auto reduce = [&](const Word* from, Word* to) { kogge::reduce(from, to, kItems, add); };
    reduce(in.data(), out.data());
    EXPECT_EQ(out.values()[0], sum);
    EXPECT_EQ(kogge::reduce(in.data(), kItems, add), sum);
    expect_refused(kItems, reduce);
    expect_refused(kItems, [&](const Word* from, Word*) { kogge::reduce(from, kItems, add); });

    const auto square = [] __device__(Word item) { return item * item; };
    const auto transform = [&](const Word* from, Word* to) { kogge::transform_reduce(from, to, kItems, square); };
    transform(in.data(), out.data());
    EXPECT_EQ(out.values()[0], squares);
    EXPECT_EQ(kogge::transform_reduce(in.data(), kItems, square, kogge::plus{}, Word{5}), squares + 5);
    EXPECT_EQ(kogge::transform_reduce(in.data(), kItems, Square{}), squares);
    expect_refused(kItems, transform);
}
TEST(DeviceOnly, Reductions) { reductions(); }

void reductions_of_segments() {
    const std::size_t length = 100, rows = kItems / length, n = rows * length;
    std::vector<Word> keys(n), sums(rows), numbers(rows);
    const auto items = tests::random_items<Word>(n);
    std::vector<std::uint64_t> offsets(rows);
    std::iota(numbers.begin(), numbers.end(), Word{0});
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = static_cast<Word>(i / length);
        sums[i / length] += items[i];
    }
    for (std::size_t row = 0; row < rows; ++row) offsets[row] = row * length;
    const DeviceArray<Word> of(keys), in(items), out(n, 0), beside(n, 0);
    const DeviceArray<std::uint64_t> at(offsets);

    const auto add = [] __device__(Word a, Word b) { return a + b; };
    const auto same = [] __device__(Word a, Word b) { return a == b; };
    ASSERT_EQ(kogge::reduce_by_key(of.data(), in.data(), out.data(), beside.data(), n, add, same), rows);
    EXPECT_TRUE(front(out, rows) == numbers);
    EXPECT_TRUE(front(beside, rows) == sums);
    expect_refused(n,
                   [&](Word* from, Word* to) { kogge::reduce_by_key(from, from, to, to + n / 2, n / 2, add, same); });

    kogge::segmented_reduce(in.data(), out.data(), n, at.data(), rows, add);
    EXPECT_TRUE(front(out, rows) == sums);
    const kogge::rows_of of_rows{length, rows};
    kogge::segmented_reduce(in.data(), beside.data(), of_rows, add);
    EXPECT_TRUE(front(beside, rows) == sums);
    expect_refused(n, [&](Word* from, Word* to) { kogge::segmented_reduce(from, to, n, offsets.data(), rows, add); });
    expect_refused(n, [&](Word* from, Word* to) { kogge::segmented_reduce(from, to, of_rows, add); });
}
TEST(DeviceOnly, ReductionsOfSegments) { reductions_of_segments(); }

void merges_and_searches() {
    auto a = tests::random_items<Word>(kItems), b = tests::random_items<Word>(1000, 2);
    const std::size_t n = a.size() + b.size();
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::vector<Word> merged(n), lower, upper;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
    for (const Word needle : b) {
        lower.push_back(static_cast<Word>(std::lower_bound(a.begin(), a.end(), needle) - a.begin()));
        upper.push_back(static_cast<Word>(std::upper_bound(a.begin(), a.end(), needle) - a.begin()));
    }
    const DeviceArray<Word> in(a), with(b), out(n, 0), places(b.size(), 0);
    const auto less = [] __device__(Word x, Word y) { return x < y; };
    kogge::merge(in.data(), with.data(), out.data(), a.size(), b.size(), less);
    EXPECT_TRUE(out.values() == merged);
    expect_refused(n, [&](Word* from, Word* to) { kogge::merge(from, from, to, 1000, n - 1000, less); });

    kogge::lower_bound(in.data(), with.data(), places.data(), a.size(), b.size(), less);
    EXPECT_TRUE(places.values() == lower);
    kogge::upper_bound(in.data(), with.data(), places.data(), a.size(), b.size(), less);
    EXPECT_TRUE(places.values() == upper);
    expect_refused(n, [&](Word* from, Word* to) { kogge::lower_bound(from, from, to, n, n, less); });
    expect_refused(n, [&](Word* from, Word* to) { kogge::upper_bound(from, from, to, n, n, less); });
}
TEST(DeviceOnly, MergesAndSearches) { merges_and_searches(); }

void bins_and_indices() {
    const auto items = tests::random_items<Word>(kItems);
    std::vector<Word> counts(8), odd, thirds;
    for (Word i = 0; i < kItems; ++i) {
        ++counts[items[i] % 8];
        if (items[i] % 2 != 0) odd.push_back(i);
        if (i % 3 == 0) thirds.push_back(i);
    }
    const DeviceArray<Word> in(items), out(kItems, 0);
    const auto bin = [] __device__(Word item) { return item % 8; };
    kogge::histogram(in.data(), out.data(), kItems, 8, bin);
    EXPECT_TRUE(front(out, 8) == counts);
    expect_refused(kItems, [&](Word* from, Word* to) { kogge::histogram(from, to, kItems, 8, bin); });

    const auto is_odd = [] __device__(Word item) { return item % 2 != 0; };
    ASSERT_EQ(kogge::compact_indices(in.data(), out.data(), kItems, is_odd), odd.size());
    EXPECT_TRUE(front(out, odd.size()) == odd);
    expect_refused(kItems, [&](Word* from, Word* to) { kogge::compact_indices(from, to, kItems, is_odd); });

    const auto is_third = [] __device__(std::uint64_t i) { return i % 3 == 0; };
    ASSERT_EQ(kogge::compact_indices(kogge::positions{}, out.data(), kItems, is_third), thirds.size());
    EXPECT_TRUE(front(out, thirds.size()) == thirds);
    expect_refused(kItems, [&](Word*, Word* to) { kogge::compact_indices(kogge::positions{}, to, kItems, is_third); });
}
TEST(DeviceOnly, BinsAndIndices) { bins_and_indices(); }

}  // namespace
