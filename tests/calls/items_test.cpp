// kogge-test: EMULATED GPU HOST
// Items that cannot be made without a value, or not be assigned, and others that only travel as bytes: every kind of
// call takes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;

/// No default constructor, no assignment.
struct Fixed {
    const std::uint32_t key;
    const std::uint32_t number;
    KOGGE_HOST_DEVICE Fixed(std::uint32_t key, std::uint32_t number) : key(key), number(number) {}
};
static_assert(!std::is_default_constructible_v<Fixed> && !std::is_copy_assignable_v<Fixed>);

using Pair = std::pair<std::uint32_t, float>;
static_assert(!std::is_trivially_copyable_v<Pair>);

/// Copied by hand, which hides that its bytes may be.
struct ByHand {
    std::uint32_t word = 7;
    ByHand() = default;
    KOGGE_HOST_DEVICE explicit ByHand(std::uint32_t word) : word(word) {}
    KOGGE_HOST_DEVICE ByHand(const ByHand& other) : word(other.word) {}
    KOGGE_HOST_DEVICE ByHand& operator=(const ByHand& other) {
        word = other.word;
        return *this;
    }
};

struct IsOdd {
    KOGGE_HOST_DEVICE bool operator()(const Fixed& item) const { return item.key % 2 != 0; }
    KOGGE_HOST_DEVICE bool operator()(const Pair& item) const { return item.first % 2 != 0; }
    KOGGE_HOST_DEVICE bool operator()(const ByHand& item) const { return item.word % 2 != 0; }
};
struct SameKey {
    KOGGE_HOST_DEVICE bool operator()(const Fixed& a, const Fixed& b) const { return a.key / 4 == b.key / 4; }
};
struct KeyOf {
    KOGGE_HOST_DEVICE std::uint32_t operator()(const Fixed& item) const { return item.key % 8; }
};
/// Does not commute: the later number, and the sum of keys.
struct Join {
    KOGGE_HOST_DEVICE Fixed operator()(const Fixed& a, const Fixed& b) const { return {a.key + b.key, b.number}; }
};
struct Two {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const { return i % 3 == 0 ? 2 : 0; }
};
struct MakeFixed {
    KOGGE_HOST_DEVICE Fixed operator()(std::uint64_t i, std::uint64_t k) const {
        return {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k)};
    }
};

}  // namespace

template <>
inline constexpr bool kogge::travels_as_bytes<ByHand> = true;

template <>
struct kogge::key_codec<Fixed> {
    using bits = std::uint32_t;
    KOGGE_HOST_DEVICE static bits encode(const Fixed& key) { return key.key; }
};

namespace {

constexpr std::size_t kItems = 20'011;

/// An array of n items without a value, for results.
template <class T>
struct Results {
    Array<std::byte> bytes;
    explicit Results(std::size_t n) : bytes(n * sizeof(T)) {}
    explicit Results(const std::vector<std::byte>& items) : bytes(items) {}
    T* data() { return reinterpret_cast<T*>(bytes.data()); }
    std::vector<T> get(std::size_t n) const {
        const std::vector<std::byte> all = bytes.get();
        const T* const items = reinterpret_cast<const T*>(all.data());
        return std::vector<T>(items, items + n);
    }
};
template <class T>
Results<T> results_of(const std::vector<T>& items) {
    std::vector<std::byte> bytes(items.size() * sizeof(T));
    std::memcpy(bytes.data(), static_cast<const void*>(items.data()), bytes.size());
    return Results<T>(bytes);
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(static_cast<const void*>(a.data()), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
std::vector<T> items_of() {
    std::vector<T> items;
    std::uint32_t number = 0;
    for (const std::uint32_t word : random_items<std::uint32_t>(kItems)) {
        if constexpr (std::is_same_v<T, Fixed>) items.push_back({word % 1024, number++});
        else if constexpr (std::is_same_v<T, Pair>) items.push_back({word % 1024, static_cast<float>(number++)});
        else items.push_back(T(word));
    }
    return items;
}

template <class T>
void expect_compacted() {
    const auto items = items_of<T>();
    std::vector<T> kept, rejected;
    for (const T& item : items) IsOdd{}(item) ? kept.push_back(item) : rejected.push_back(item);
    auto in = results_of(items);
    Results<T> out(kItems), rest(kItems);
    ASSERT_EQ(kogge::compact(in.data(), out.data(), kItems, IsOdd{}), kept.size());
    EXPECT_TRUE(same_bytes(out.get(kept.size()), kept));
    ASSERT_EQ(kogge::partition(in.data(), kogge::two_outputs<T>{out.data(), rest.data()}, kItems, IsOdd{}),
              kept.size());
    EXPECT_TRUE(same_bytes(out.get(kept.size()), kept));
    EXPECT_TRUE(same_bytes(rest.get(rejected.size()), rejected));
}
TEST(Items, WithoutDefaultsAreCompacted) { expect_compacted<Fixed>(); }
TEST(Items, PairsAreCompacted) { expect_compacted<Pair>(); }
TEST(Items, CopiedByHandAreCompacted) { expect_compacted<ByHand>(); }

TEST(Items, ByStencilAndAsArrays) {
    const auto items = items_of<Fixed>();
    std::vector<Fixed> kept;
    for (const Fixed& item : items)
        if (IsOdd{}(item)) kept.push_back(item);
    auto in = results_of(items);
    Results<Fixed> out(kItems), other(kItems);
    ASSERT_EQ(kogge::compact_stencil(in.data(), in.data(), out.data(), kItems, IsOdd{}), kept.size());
    EXPECT_TRUE(same_bytes(out.get(kept.size()), kept));
    ASSERT_EQ(
        kogge::compact(kogge::arrays(in.data(), in.data()), kogge::arrays(out.data(), other.data()), kItems, IsOdd{}),
        kept.size());
    EXPECT_TRUE(same_bytes(out.get(kept.size()), kept));
    EXPECT_TRUE(same_bytes(other.get(kept.size()), kept));
}

TEST(Items, AreSplitAndEmitted) {
    auto items = items_of<Fixed>();
    auto in = results_of(items);
    Results<Fixed> out(kItems);
    kogge::split(in.data(), out.data(), kItems, 8, KeyOf{});
    std::vector<Fixed> want;
    for (std::uint32_t bin = 0; bin < 8; ++bin)
        for (const Fixed& item : items)
            if (KeyOf{}(item) == bin) want.push_back(item);
    EXPECT_TRUE(same_bytes(out.get(kItems), want));

    std::vector<Fixed> made;
    for (std::uint32_t i = 0; i < kItems; i += 3) made.push_back({i, 0}), made.push_back({i, 1});
    Results<Fixed> outputs(made.size());
    ASSERT_EQ(kogge::emit(outputs.data(), made.size(), kItems, Two{}, MakeFixed{}), made.size());
    EXPECT_TRUE(same_bytes(outputs.get(made.size()), made));
}

TEST(Items, HaveRuns) {
    std::vector<Fixed> items, firsts;
    std::vector<std::uint32_t> lengths;
    for (const std::uint32_t word : random_items<std::uint32_t>(kItems))
        items.push_back({word % 8, static_cast<std::uint32_t>(items.size())});
    for (std::size_t i = 0; i < kItems; ++i) {
        if (i == 0 || !SameKey{}(items[i - 1], items[i])) firsts.push_back(items[i]), lengths.push_back(0);
        ++lengths.back();
    }
    auto in = results_of(items);
    Results<Fixed> out(kItems), values(kItems);
    Array<std::uint32_t> beside(kItems);
    ASSERT_EQ(kogge::unique(in.data(), out.data(), kItems, SameKey{}), firsts.size());
    EXPECT_TRUE(same_bytes(out.get(firsts.size()), firsts));
    ASSERT_EQ(kogge::unique_by_key(in.data(), in.data(), out.data(), values.data(), kItems, SameKey{}), firsts.size());
    EXPECT_TRUE(same_bytes(out.get(firsts.size()), firsts));
    EXPECT_TRUE(same_bytes(values.get(firsts.size()), firsts));
    ASSERT_EQ(kogge::run_length_encode(in.data(), out.data(), beside.data(), kItems, SameKey{}), firsts.size());
    EXPECT_TRUE(same_bytes(out.get(firsts.size()), firsts));
    auto counted = beside.get();
    counted.resize(lengths.size());
    EXPECT_EQ(counted, lengths);
}

TEST(Items, AreScanned) {
    const auto items = items_of<Fixed>();
    std::vector<Fixed> want, exclusive, by_key;
    for (std::size_t i = 0; i < kItems; ++i) {
        exclusive.push_back(i == 0 ? Fixed{3, 4} : Join{}(exclusive.back(), items[i - 1]));
        want.push_back(i == 0 ? items[0] : Join{}(want.back(), items[i]));
        by_key.push_back(i == 0 || !SameKey{}(items[i - 1], items[i]) ? items[i] : Join{}(by_key.back(), items[i]));
    }
    auto in = results_of(items);
    Results<Fixed> out(kItems);
    kogge::inclusive_scan(in.data(), out.data(), kItems, Join{});
    EXPECT_TRUE(same_bytes(out.get(kItems), want));
    kogge::exclusive_scan(in.data(), out.data(), kItems, Fixed{3, 4}, Join{});
    EXPECT_TRUE(same_bytes(out.get(kItems), exclusive));
    kogge::inclusive_scan_by_key(in.data(), in.data(), out.data(), kItems, Join{}, SameKey{});
    EXPECT_TRUE(same_bytes(out.get(kItems), by_key));
}

TEST(Items, AreSorted) {
    const auto items = items_of<Fixed>();
    std::vector<std::size_t> order(kItems);
    for (std::size_t i = 0; i < kItems; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return items[a].key < items[b].key; });
    std::vector<Fixed> want;
    for (const std::size_t i : order) want.push_back(items[i]);
    auto keys = results_of(items), values = results_of(items);
    kogge::radix_sort_pairs(keys.data(), values.data(), kItems);
    EXPECT_TRUE(same_bytes(keys.get(kItems), want));
    EXPECT_TRUE(same_bytes(values.get(kItems), want));
}

enum class Level : std::int16_t { low = -2, middle = 0, high = 300 };
enum Plain : std::uint8_t { kFirst, kSecond = 200 };

template <class Key>
void expect_sorted(std::vector<Key> keys) {
    Array<Key> array(keys);
    std::sort(keys.begin(), keys.end());
    kogge::radix_sort(array.data(), keys.size());
    EXPECT_EQ(array.get(), keys);
}
TEST(Items, EnumerationsAreKeys) {
    expect_sorted<Level>({Level::high, Level::low, Level::middle, Level::low});
    expect_sorted<Plain>({kSecond, kFirst, kSecond});
    expect_sorted<std::byte>({std::byte{200}, std::byte{3}, std::byte{100}});
}

}  // namespace
