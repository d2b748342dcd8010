// kogge-test: EMULATED GPU HOST
// Sorts of keys of 8 and 16 bits alone, which a device counts instead of moving: every key type in both orders, every
// distribution, sizes at the bounds of plans, any alignment, in place, and a count on the device.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "kogge/radix_sort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

/// The key's place on a line of integers, in ascending order; bit patterns of floats by sign and magnitude.
template <class Key>
int place(const Key& key) {
    if constexpr (kogge::detail::is_half_key<Key>) {
        const int magnitude = key.bits & 0x7fff;
        return key.bits & 0x8000 ? -1 - magnitude : magnitude;
    } else {
        return static_cast<int>(key);
    }
}
template <class Key>
std::vector<Key> sorted(std::vector<Key> keys, kogge::sort_order order = kogge::ascending) {
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
        return order == kogge::ascending ? place(a) < place(b) : place(b) < place(a);
    });
    return keys;
}

std::vector<std::size_t> sizes() {
    if (small()) return {20011, 70001};
    // One block sorts to 2^14; four multiprocessors count 2^15 keys of 16 bits, or 2^16 of 8, a round each.
    return {1, 1000, 16384, 16385, 16399, 65536, 131071, 131072, 131073, 262149};
}

template <class Key>
class Counted : public ::testing::Test {};
using Keys = ::testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, kogge::half, kogge::bfloat16>;
TYPED_TEST_SUITE(Counted, Keys);

TYPED_TEST(Counted, BothOrders) {
    for (const std::size_t n : sizes()) {
        const auto keys = random_items<TypeParam>(n, n);
        for (const auto order : {kogge::ascending, kogge::descending}) {
            const kogge::sort_options options{.order = order};
            Array<TypeParam> in(keys), out(n);
            kogge::radix_sort(in.data(), out.data(), n, options);
            EXPECT_TRUE(same(out.get(), sorted(keys, order))) << n;
            EXPECT_TRUE(same(in.get(), keys)) << "the input, " << n;
            kogge::radix_sort(in.data(), n, options);
            EXPECT_TRUE(same(in.get(), sorted(keys, order))) << "in place, " << n;
        }
    }
}

// One value: a block's counter of it passes 2^15 many times. Two that share a word of counters, and their neighbours.
TYPED_TEST(Counted, FewValues) {
    const std::size_t n = small() ? 70001 : 500009;
    const auto patterns = [&](std::initializer_list<unsigned> bits) {
        using Bits = kogge::detail::unsigned_of<sizeof(TypeParam)>;
        std::vector<TypeParam> keys(n);
        Random random(3);
        for (auto& key : keys) {
            const auto value = static_cast<Bits>(*(bits.begin() + random() % bits.size()));
            std::memcpy(static_cast<void*>(&key), &value, sizeof value);
        }
        return keys;
    };
    for (const auto& keys : {patterns({0}), patterns({0xffff}), patterns({0x1234}), patterns({0x1234, 0x9234}),
                             patterns({0x7fff, 0xffff, 0xfffe}), patterns({0, 0x8000})}) {
        Array<TypeParam> array(keys);
        kogge::radix_sort(array.data(), n);
        EXPECT_TRUE(same(array.get(), sorted(keys)));
    }
}

// Most keys in one group of values, the others thinly over all groups: stretches of the output that need every group.
TEST(CountedWindows, ThinlySpread) {
    const std::size_t n = small() ? 30011 : 150001;
    auto keys = random_items<std::uint16_t>(n, 5);
    for (std::size_t i = 0; i < n; ++i)
        if (i % 97 != 0) keys[i] = 0x5511;
    for (const auto order : {kogge::ascending, kogge::descending}) {
        Array<std::uint16_t> array(keys);
        kogge::radix_sort(array.data(), n, {.order = order});
        EXPECT_TRUE(same(array.get(), sorted(keys, order)));
    }
}

TYPED_TEST(Counted, EveryAlignment) {
    for (const std::size_t n : {std::size_t{2003}, std::size_t{9001}, std::size_t{20003}, std::size_t{70001}}) {
        const auto keys = random_items<TypeParam>(n, 2);
        for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{1, 0}, {0, 1}, {3, 7}, {5, 15}}) {
            const Array<TypeParam> in(keys, from);
            Array<TypeParam> out(n, to);
            kogge::radix_sort(in.data(), out.data(), n);
            EXPECT_TRUE(same(out.get(), sorted(keys))) << n << " keys from " << from << " to " << to;
        }
    }
}

#if KOGGE_KERNELS
TYPED_TEST(Counted, ItemsBeyondADeviceCountStay) {
    for (const std::uint64_t bound : {std::uint64_t{20011}, std::uint64_t{70001}})
        for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, bound / 2, bound, bound + 5}) {
            const auto keys = random_items<TypeParam>(bound, 1);
            const auto end = static_cast<std::ptrdiff_t>(std::min(count, bound));
            auto want = sorted<TypeParam>({keys.begin(), keys.begin() + end});
            want.insert(want.end(), keys.begin() + end, keys.end());
            const Array<std::uint64_t> n(std::vector<std::uint64_t>{count});
            Array<TypeParam> array(keys);
            kogge::radix_sort(array.data(), kogge::device_count{n.data(), bound});
            EXPECT_TRUE(same(array.get(), want)) << count << " of " << bound;
        }
}
#endif

}  // namespace
