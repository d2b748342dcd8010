// kogge-test: EMULATED GPU
//
// The benchmarks' inputs are what their names say, and their comparison finds a single wrong item.
#include "../../bench/support/inputs.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace {

using namespace bench;
constexpr std::uint64_t kItems = 5000;

template <class T>
class DeviceItems {
public:
    explicit DeviceItems(std::uint64_t n)
        : n_(n), data_(static_cast<T*>(kogge::simt::allocate(n * sizeof(T), nullptr))) {}
    ~DeviceItems() { kogge::simt::deallocate(data_, nullptr); }
    DeviceItems(const DeviceItems&) = delete;
    DeviceItems& operator=(const DeviceItems&) = delete;
    T* data() const { return data_; }
    std::vector<T> read() const {
        std::vector<T> items(n_);
        kogge::simt::copy(items.data(), data_, n_ * sizeof(T), nullptr);
        kogge::simt::synchronize(nullptr);
        return items;
    }

private:
    std::uint64_t n_;
    T* data_;
};

template <class T, class Make>
std::vector<T> made(Make make) {
    const DeviceItems<T> items(kItems);
    make_items(items.data(), kItems, make, nullptr);
    return items.read();
}

template <class T>
std::vector<T> keys(Distribution distribution) {
    return made<T>(Key<T>{distribution, 6, kItems});
}

double set_bits(const std::vector<std::uint32_t>& items) {
    double bits = 0;
    for (const std::uint32_t item : items) bits += __builtin_popcount(item);
    return bits / static_cast<double>(items.size()) / 32;
}

TEST(BenchInputs, KeysFollowTheirDistribution) {
    EXPECT_NEAR(set_bits(keys<std::uint32_t>(Distribution::uniform)), 0.5, 0.01);
    EXPECT_NEAR(set_bits(keys<std::uint32_t>(Distribution::and_skewed)), 0.125, 0.01);

    const auto few = keys<std::uint32_t>(Distribution::values_16);
    EXPECT_EQ(std::set(few.begin(), few.end()).size(), 16u);
    const auto one = keys<std::uint64_t>(Distribution::one_value);
    EXPECT_EQ(std::set(one.begin(), one.end()).size(), 1u);

    auto sorted = keys<std::uint32_t>(Distribution::sorted);
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    EXPECT_GT(sorted.back(), 0xfff00000u);
    std::reverse(sorted.begin(), sorted.end());
    EXPECT_EQ(keys<std::uint32_t>(Distribution::reversed), sorted);

    for (const std::uint64_t key : keys<std::uint64_t>(Distribution::low32)) EXPECT_EQ(key >> 32, 0u);
    std::set<std::uint64_t> prefixes, uppers;
    for (const std::uint64_t key : keys<std::uint64_t>(Distribution::shared_prefix)) prefixes.insert(key >> 32);
    EXPECT_EQ(prefixes.size(), 16u) << "of fewer keys than share prefixes elsewhere";
    const auto among_others = made<std::uint64_t>(Key<std::uint64_t>{Distribution::shared_prefix, 6, 4 * 16384});
    for (const std::uint64_t key : among_others) uppers.insert(key >> 32);
    EXPECT_EQ(uppers.size(), kItems - kItems / 4 + 16);
    for (const float key : keys<float>(Distribution::uniform)) EXPECT_TRUE(key > -1 && key < 1 && key != 0) << key;
    for (const double key : keys<double>(Distribution::uniform)) EXPECT_TRUE(key > -1 && key < 1 && key != 0) << key;
}

TEST(BenchInputs, EachCallHasItsOwn) {
    EXPECT_NE(made<std::uint32_t>(Summand<std::uint32_t>{0}), made<std::uint32_t>(Summand<std::uint32_t>{1}));
}

TEST(BenchInputs, SumsOfFloatsAreExactInAnyOrder) {
    const auto items = made<float>(Summand<float>{3});
    float forward = 0, backward = 0;
    for (std::uint64_t i = 0; i < kItems; ++i) {
        forward += items[i];
        backward += items[kItems - 1 - i];
    }
    EXPECT_EQ(forward, backward);
    EXPECT_LT(std::abs(forward), 2000);
}

TEST(BenchInputs, SegmentsHaveTheSameBoundsByNumberAndByOffset) {
    for (const char* name : {"runs_8", "segments_7", "skewed"}) {
        const SegmentCase segments = *segments_named(name, kItems);
        const SegmentOffsets offsets = segments.offsets(5, kItems);
        const auto numbers = made<std::uint32_t>(SegmentNumbers<std::uint32_t>{offsets});
        for (std::uint64_t i = 0; i < kItems; ++i) {
            ASSERT_LT(numbers[i], segments.count) << name;
            ASSERT_LE(offsets(numbers[i]), i) << name;
            ASSERT_LT(i, numbers[i] + 1 < segments.count ? offsets(numbers[i] + 1) : kItems) << name;
        }
        EXPECT_EQ(offsets(0), 0u);
        EXPECT_LE(offsets(segments.count - 1), kItems);
    }
}

template <class T>
double share_kept(const Kept& kept) {
    const auto items = made<T>(Selectable<T>{kept});
    std::uint64_t low = 0;
    for (std::uint64_t i = 0; i < kItems; ++i) {
        EXPECT_EQ(items[i] < kept_below<T>(), kept(i));
        low += kept(i) ? 1 : 0;
    }
    return static_cast<double>(low) / static_cast<double>(kItems);
}

TEST(BenchInputs, ThePredicateKeepsTheShare) {
    EXPECT_NEAR(share_kept<std::uint8_t>({1, {0.5, false}}), 0.5, 0.03);
    EXPECT_NEAR(share_kept<std::uint64_t>({2, {0.1, false}}), 0.1, 0.03);
    EXPECT_EQ(share_kept<float>({3, {1, false}}), 1);
    const Kept clustered{4, {0.5, true}};
    share_kept<std::uint32_t>(clustered);
    for (std::uint64_t i = 0; i < kItems; ++i) EXPECT_EQ(clustered(i), clustered(i / 1024 * 1024));
    const auto words = made<std::uint32_t>(KeptBits{{1, {0.5, false}}});
    for (std::uint64_t i = 0; i < kItems; ++i)
        EXPECT_EQ((words[i / 32] >> i % 32 & 1u) != 0, (Kept{1, {0.5, false}}(i)));
}

TEST(BenchComparison, FindsOneWrongItem) {
    const DeviceItems<std::uint32_t> left(kItems), right(kItems);
    make_items(left.data(), kItems, Place<std::uint32_t>{}, nullptr);
    make_items(right.data(), kItems, Place<std::uint32_t>{}, nullptr);
    const std::uint32_t *a = left.data(), *b = right.data();
    EXPECT_TRUE(is_equal(a, b, kItems, nullptr));
    EXPECT_FALSE(is_equal(a, Reversed<std::uint32_t>{b, kItems}, kItems, nullptr));
    kogge::simt::fill(right.data() + kItems - 1, 0, sizeof(std::uint32_t), nullptr);
    EXPECT_FALSE(is_equal(a, b, kItems, nullptr));
    EXPECT_TRUE(is_equal(a, b, kItems - 1, nullptr));

    auto reversed = left.read();
    std::reverse(reversed.begin(), reversed.end());
    kogge::simt::copy(right.data(), reversed.data(), kItems * sizeof(std::uint32_t), nullptr);
    EXPECT_TRUE(is_equal(a, Reversed<std::uint32_t>{b, kItems}, kItems, nullptr));
}

}  // namespace
