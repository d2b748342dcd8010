// Sorts checked against the stable order by bits.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <type_traits>
#include <vector>

#include "kogge/radix_sort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace tests {

template <std::size_t size, std::size_t alignment = 1>
struct alignas(alignment) Bytes {
    std::uint8_t bytes[size];
};

/// What orders keys: unsigned ones themselves, signed ones with their sign turned, and of floats the bits in IEEE 754's
/// totalOrder.
template <class Key>
auto ordering(const Key& key) {
    if constexpr (std::is_signed_v<Key>) {
        using Bits = kogge::detail::unsigned_of<sizeof(Key)>;
        const Bits bits = std::bit_cast<Bits>(key), sign = Bits{1} << (8 * sizeof(Key) - 1);
        return std::is_floating_point_v<Key> && (bits & sign) ? ~bits : bits ^ sign;
    } else {
        return key;
    }
}

/// The stable order by the bits [begin, end) of keys.
template <class Key>
std::vector<std::uint32_t> order_by(const std::vector<Key>& keys, int begin, int end) {
    using Code = std::conditional_t<(sizeof(Key) > 8), kogge::uint128, std::uint64_t>;
    const kogge::uint128 mask = end - begin == 128 ? ~kogge::uint128{0} : (kogge::uint128{1} << (end - begin)) - 1;
    std::vector<Code> codes(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        codes[i] = static_cast<Code>(static_cast<kogge::uint128>(ordering(keys[i])) >> begin & mask);
    return stable_order(codes);
}
template <class T>
std::vector<T> gathered(const std::vector<T>& items, const std::vector<std::uint32_t>& order) {
    std::vector<T> out(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) out[i] = items[order[i]];
    return out;
}

template <class Key, class Value>
void check_pairs(std::size_t n, int begin, int end) {
    SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes, bits " +
                 std::to_string(begin) + " to " + std::to_string(end) + ", values of " + std::to_string(sizeof(Value)));
    const auto keys = random_items<Key>(n, n);
    const auto values = random_items<Value>(n, 4);
    const auto want = order_by(keys, begin, end);
    const kogge::sort_options options{.begin_bit = begin, .end_bit = end};
    Array<Key> in(keys), out(n);
    Array<Value> with(values), with_out(n);
    kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, options);
    EXPECT_TRUE(same(out.get(), gathered(keys, want))) << "keys";
    EXPECT_TRUE(same(with_out.get(), gathered(values, want))) << "values";
    EXPECT_TRUE(same(in.get(), keys)) << "the input";
    kogge::radix_sort_pairs(in.data(), with.data(), n, options);
    EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "keys in place";
    EXPECT_TRUE(same(with.get(), gathered(values, want))) << "values in place";
}

template <class Key>
void check_keys(std::size_t n, int begin, int end) {
    SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes, bits " +
                 std::to_string(begin) + " to " + std::to_string(end));
    const auto keys = random_items<Key>(n, n);
    const auto want = order_by(keys, begin, end);
    const kogge::sort_options options{.begin_bit = begin, .end_bit = end};
    Array<Key> in(keys), out(n);
    Array<std::uint32_t> indices(n);
    kogge::argsort(in.data(), indices.data(), n, options);
    EXPECT_TRUE(same(indices.get(), want)) << "indices";
    kogge::radix_sort(in.data(), out.data(), n, options);
    EXPECT_TRUE(same(out.get(), gathered(keys, want)));
    EXPECT_TRUE(same(in.get(), keys)) << "the input";
    kogge::radix_sort(in.data(), n, options);
    EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "in place";
}

/// Sorts keys by all bits in every form of the call: keys, indices and pairs, each array in place or not, descending.
template <class Key>
void check_every_form(const std::vector<Key>& keys) {
    const std::size_t n = keys.size();
    const auto words = random_items<std::uint32_t>(n, 3);
    const auto want = order_by(keys, 0, static_cast<int>(8 * sizeof(Key)));
    const auto sorted = gathered(keys, want);
    const std::vector<Key> from_the_end(sorted.rbegin(), sorted.rend());
    const kogge::sort_options descending{.order = kogge::descending};
    Array<Key> in(keys), turned(keys), paired(keys), out(n);
    Array<std::uint32_t> indices(n), with(words), with_out(n);
    kogge::radix_sort(in.data(), out.data(), n);
    EXPECT_TRUE(same(out.get(), sorted)) << "keys out of place";
    kogge::radix_sort(in.data(), out.data(), n, descending);
    EXPECT_TRUE(same(out.get(), from_the_end)) << "keys out of place, descending";
    kogge::argsort(in.data(), indices.data(), n);
    EXPECT_TRUE(same(indices.get(), want)) << "indices";
    kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n);
    EXPECT_TRUE(same(with_out.get(), gathered(words, want))) << "values out of place";
    EXPECT_TRUE(same(out.get(), sorted)) << "keys of values out of place";
    kogge::radix_sort_pairs(paired.data(), paired.data(), with.data(), with_out.data(), n);
    EXPECT_TRUE(same(paired.get(), sorted)) << "keys in place, values not";
    EXPECT_TRUE(same(with_out.get(), gathered(words, want))) << "values out of place, keys not";
    kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with.data(), n);
    EXPECT_TRUE(same(with.get(), gathered(words, want))) << "values in place, keys not";
    kogge::radix_sort(turned.data(), n, descending);
    EXPECT_TRUE(same(turned.get(), from_the_end)) << "keys in place, descending";
    kogge::radix_sort(in.data(), n);
    EXPECT_TRUE(same(in.get(), sorted)) << "keys in place";
}

}  // namespace tests
