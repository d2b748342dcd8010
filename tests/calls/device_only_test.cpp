// kogge-test: GPU
// Functions that are __device__ only, lambdas and structs, in calls on device memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
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

}  // namespace
