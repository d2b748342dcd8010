// kogge-test: GPU HOST
// Warp's deterministic atomics: what threads would add to an array's items is sorted by item and thread, and summed up
// for each item, the same on every run; and a scan of records that tells where sums go.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kItems = 8'009;

struct Vector3 {
    float x, y, z;
};
struct Add {
    KOGGE_HOST_DEVICE Vector3 operator()(const Vector3& a, const Vector3& b) const {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
};
/// The item is the high half of a key, the thread its low half.
struct ItemsOf {
    const std::int64_t* keys;
    KOGGE_HOST_DEVICE std::int32_t operator[](std::uint64_t i) const {
        return static_cast<std::int32_t>(keys[i] >> 32);
    }
};

TEST(Warp, SumsOfEachItem) {
    std::vector<std::int64_t> keys(kItems);
    std::vector<Vector3> values(kItems);
    std::map<std::int32_t, Vector3> sums;
    Random random(1);
    for (std::size_t i = 0; i < kItems; ++i) {
        const auto number = [&] { return static_cast<float>(random() % 64) - 32; };
        const auto item = static_cast<std::int32_t>(random() % 900);
        keys[i] = std::int64_t{item} << 32 | static_cast<std::int64_t>(i);
        values[i] = {number(), number(), number()};
        sums[item] = Add{}(sums[item], values[i]);
    }
    Array<std::int64_t> sorted(shuffled(keys));
    std::vector<Vector3> moved;
    for (const std::int64_t key : sorted.get()) moved.push_back(values[static_cast<std::uint32_t>(key)]);
    Array<Vector3> with(moved), found(kItems);
    Array<std::int32_t> items(kItems), number(1);
    kogge::radix_sort_pairs(sorted.data(), with.data(), kItems);
    kogge::reduce_by_key(ItemsOf{sorted.data()}, with.data(), items.data(), found.data(), number.data(), kItems, Add{});
    std::vector<std::int32_t> want_items;
    std::vector<Vector3> want;
    for (const auto& [item, sum] : sums) {
        want_items.push_back(item);
        want.push_back(sum);
    }
    ASSERT_EQ(number.get()[0], static_cast<std::int32_t>(want.size()));
    EXPECT_TRUE(same(front(items, want.size()), want_items));
    EXPECT_TRUE(same(front(found, want.size()), want));
}

/// Records before one, and the last of them that is real: not commutative.
struct Record {
    std::int32_t count, last;
};
struct Follow {
    KOGGE_HOST_DEVICE Record operator()(const Record& a, const Record& b) const {
        return {a.count + b.count, b.count > 0 ? b.last : a.last};
    }
};
TEST(Warp, ScanOfRecords) {
    std::vector<Record> records(kItems), want;
    Random random(2);
    for (std::size_t i = 0; i < kItems; ++i) records[i] = {random() % 5 == 0 ? 1 : 0, static_cast<std::int32_t>(i)};
    for (const Record& record : records) want.push_back(want.empty() ? record : Follow{}(want.back(), record));
    const Array<Record> in(records);
    Array<Record> out(kItems);
    kogge::inclusive_scan(in.data(), out.data(), kItems, Follow{});
    EXPECT_TRUE(same(out.get(), want));
}

/// Every so many places of an array, read or written.
template <class T>
struct Strided {
    T* items;
    std::uint64_t stride;
    KOGGE_HOST_DEVICE T& operator[](std::uint64_t i) const { return items[i * stride]; }
};
TEST(Warp, StridedScans) {
    constexpr std::size_t kIn = 3, kOut = 2;
    const auto items = random_items<std::int32_t>(kItems * kIn, 3);
    std::vector<std::uint32_t> inclusive(kItems * kOut, 7), exclusive(inclusive);
    for (std::size_t i = 0, sum = 0; i < kItems; ++i) {
        exclusive[i * kOut] = static_cast<std::uint32_t>(sum);
        inclusive[i * kOut] = static_cast<std::uint32_t>(sum += static_cast<std::uint32_t>(items[i * kIn]));
    }
    const Array<std::int32_t> in(items);
    Array<std::uint32_t> to(std::vector<std::uint32_t>(kItems * kOut, 7)), before(to.get());
    const Strided<const std::int32_t> read{in.data(), kIn};
    kogge::inclusive_scan(read, Strided<std::uint32_t>{to.data(), kOut}, kItems);
    kogge::exclusive_scan(read, Strided<std::uint32_t>{before.data(), kOut}, kItems);
    EXPECT_TRUE(same(to.get(), inclusive));
    EXPECT_TRUE(same(before.get(), exclusive));
}

}  // namespace
