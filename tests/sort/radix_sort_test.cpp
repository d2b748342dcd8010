// kogge-test: EMULATED GPU HOST
#include "kogge/radix_sort.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <initializer_list>

#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/orders.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using kogge::sort_options;

template <class T>
std::vector<T> gathered(const std::vector<T>& items, const std::vector<std::uint32_t>& order) {
    std::vector<T> out(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) out[i] = items[order[i]];
    return out;
}

std::vector<std::size_t> sizes() {
    std::vector<std::size_t> list{0, 1, 2, 33, 255, 1023, 4095, 4096, 4097, 16383, 16384, 16385};
    if (!small()) list.insert(list.end(), {40000, 100001});
    return list;
}

template <class Key>
class Sort : public ::testing::Test {};
using Keys =
    ::testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t,
                     std::int64_t, kogge::uint128, kogge::int128, kogge::half, kogge::bfloat16, float, double>;
TYPED_TEST_SUITE(Sort, Keys);

TYPED_TEST(Sort, KeysPairsAndIndicesInBothOrders) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{3000}, std::size_t{20011}}) {
        const auto keys = random_items<TypeParam>(n, n);
        const auto values = random_items<std::uint32_t>(n, 9);
        for (const auto order : {kogge::ascending, kogge::descending}) {
            if (sparing() && (order == kogge::descending) != (n == 3000)) continue;
            const sort_options options{.order = order};
            const auto want = order_of(keys, options);
            Array<TypeParam> in(keys), out(n), paired(keys);
            Array<std::uint32_t> with(values), indices(n);
            kogge::radix_sort(in.data(), out.data(), n, options);
            EXPECT_TRUE(same(out.get(), gathered(keys, want))) << "out of place, " << n;
            kogge::argsort(in.data(), indices.data(), n, options);
            EXPECT_TRUE(same(indices.get(), want)) << "indices, " << n;
            EXPECT_TRUE(same(in.get(), keys)) << "the input, " << n;
            kogge::radix_sort(in.data(), n, options);
            EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "in place, " << n;
            kogge::radix_sort_pairs(paired.data(), with.data(), n, options);
            EXPECT_TRUE(same(paired.get(), gathered(keys, want))) << "keys of pairs, " << n;
            EXPECT_TRUE(same(with.get(), gathered(values, want))) << "values of pairs, " << n;
        }
    }
}

TYPED_TEST(Sort, ZerosAndNans) {
    if constexpr (kogge::detail::is_float_key<TypeParam>) {
        const std::size_t n = 9001;
        const auto keys = random_items<TypeParam>(n);
        for (const auto zeros : {kogge::zero_order::negative_first, kogge::zero_order::equal})
            for (const auto nans : {kogge::nan_order::by_sign, kogge::nan_order::last, kogge::nan_order::greatest})
                for (const auto order : {kogge::ascending, kogge::descending}) {
                    const sort_options options{.order = order, .zeros = zeros, .nans = nans};
                    Array<TypeParam> array(keys);
                    kogge::radix_sort(array.data(), n, options);
                    EXPECT_TRUE(same(array.get(), gathered(keys, order_of(keys, options))));
                }
    }
}

TEST(SortBool, OneBit) {
    auto bytes = random_items<std::uint8_t>(20001);
    for (auto& byte : bytes) byte &= 1;
    Array<std::uint8_t> array(bytes);
    kogge::radix_sort(reinterpret_cast<bool*>(array.data()), bytes.size(), {.order = kogge::descending});
    std::sort(bytes.rbegin(), bytes.rend());
    EXPECT_TRUE(same(array.get(), bytes));
}

TEST(SortSizes, EveryDistribution) {
    for (const std::size_t n : sizes())
        for (const Distribution distribution : kDistributions) {
            auto keys = items_of<std::uint32_t>(distribution, n);
            const Array<std::uint32_t> in(keys);
            Array<std::uint32_t> out(n);
            kogge::radix_sort(in.data(), out.data(), n, {}, {.where = kWhere});
            std::sort(keys.begin(), keys.end());
            EXPECT_TRUE(same(out.get(), keys)) << n << ", distribution " << static_cast<int>(distribution);
        }
}

TEST(SortSizes, UpperHalfEqual) {
    std::vector<std::uint64_t> keys;
    for (const std::uint32_t low : random_items<std::uint32_t>(30000)) keys.push_back(0x1234567800000000u | low);
    Array<std::uint64_t> array(keys);
    kogge::radix_sort(array.data(), keys.size());
    std::sort(keys.begin(), keys.end());
    EXPECT_TRUE(same(array.get(), keys));
}

TEST(SortBits, RangesCountFromTheLeastSignificant) {
    for (const std::size_t n : {std::size_t{5000}, std::size_t{20001}}) {
        const auto keys = random_items<std::uint32_t>(n);
        for (const auto& [begin, end] :
             {std::pair{0, 0}, {0, 1}, {3, 17}, {8, 24}, {31, 32}, {0, 32}, {5, 5}, {0, 24}}) {
            const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << (end - begin)) - 1) << begin);
            std::vector<std::uint32_t> want = keys;
            std::stable_sort(want.begin(), want.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return (a & mask) < (b & mask); });
            const Array<std::uint32_t> in(keys);
            Array<std::uint32_t> out(n), array(keys), indices(n);
            const sort_options options{.begin_bit = begin, .end_bit = end};
            kogge::radix_sort(in.data(), out.data(), n, options);
            EXPECT_TRUE(same(out.get(), want)) << begin << " " << end;
            kogge::radix_sort(array.data(), n, options);
            EXPECT_TRUE(same(array.get(), want)) << "in place " << begin << " " << end;
            kogge::argsort(in.data(), indices.data(), n, options);
            std::vector<std::uint32_t> by_index;
            for (const std::uint32_t i : indices.get()) by_index.push_back(keys[i]);
            EXPECT_TRUE(same(by_index, want)) << "indices " << begin << " " << end;
        }
    }
}

template <class Value>
void check_values(std::size_t n) {
    auto keys = random_items<std::uint32_t>(n);
    for (auto& key : keys) key %= 100;  // many equal: stability shows
    const auto values = random_items<Value>(n, 4);
    const auto want = order_of(keys, {});
    Array<std::uint32_t> in(keys), out(n);
    Array<Value> with(values), with_out(n);
    kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n);
    EXPECT_TRUE(same(with_out.get(), gathered(values, want))) << sizeof(Value) << " bytes, out of place";
    EXPECT_TRUE(same(with.get(), values));
    kogge::radix_sort_pairs(in.data(), with.data(), n);
    EXPECT_TRUE(same(with.get(), gathered(values, want))) << sizeof(Value) << " bytes, in place";
    EXPECT_TRUE(same(in.get(), gathered(keys, want)));
}
template <std::size_t size>
struct Bytes {
    std::uint8_t bytes[size];
};
TEST(SortValues, OfEverySize) {
    for (const std::size_t n : {std::size_t{700}, std::size_t{20003}}) {
        check_values<std::uint8_t>(n);
        check_values<std::uint16_t>(n);
        check_values<Bytes<3>>(n);
        check_values<float>(n);
        check_values<std::uint64_t>(n);
        check_values<Bytes<8>>(n);
        check_values<Bytes<12>>(n);
        check_values<kogge::uint128>(n);
        check_values<Bytes<64>>(n);
    }
}

TEST(SortValues, SeveralArrays) {
    const std::size_t n = 20003;
    const auto keys = random_items<std::uint16_t>(n);
    const auto a = random_items<std::uint8_t>(n, 1);
    const auto b = random_items<double>(n, 2);
    const auto c = random_items<Bytes<3>>(n, 3);
    const auto want = order_of(keys, {.order = kogge::descending});
    Array<std::uint16_t> in(keys);
    Array<std::uint8_t> with_a(a);
    Array<double> with_b(b);
    Array<Bytes<3>> with_c(c);
    kogge::radix_sort_pairs(in.data(), kogge::arrays(with_a.data(), with_b.data(), with_c.data()), n,
                            {.order = kogge::descending});
    EXPECT_TRUE(same(in.get(), gathered(keys, want)));
    EXPECT_TRUE(same(with_a.get(), gathered(a, want)));
    EXPECT_TRUE(same(with_b.get(), gathered(b, want)));
    EXPECT_TRUE(same(with_c.get(), gathered(c, want)));
}

TEST(SortIndices, OfEveryIndexType) {
    const std::size_t n = 20003;
    const auto keys = random_items<std::uint64_t>(n);
    const auto want = order_of(keys, {});
    const Array<std::uint64_t> in(keys);
    Array<std::int32_t> signed_indices(n);
    Array<std::uint64_t> wide(n);
    kogge::argsort(in.data(), signed_indices.data(), n);
    kogge::argsort(in.data(), wide.data(), n);
    EXPECT_TRUE(same(signed_indices.get(), {want.begin(), want.end()}));
    EXPECT_TRUE(same(wide.get(), {want.begin(), want.end()}));
}

struct Person {
    std::uint16_t year;
    std::int32_t number;
    friend bool operator<(const Person& a, const Person& b) {
        return a.year != b.year ? a.year < b.year : a.number < b.number;
    }
};
struct LongKey {
    static constexpr int kWords = 7;
    std::uint32_t word[kWords];  // most significant first
    friend bool operator<(const LongKey& a, const LongKey& b) {
        return std::lexicographical_compare(a.word, a.word + kWords, b.word, b.word + kWords);
    }
};

}  // namespace

template <>
struct kogge::key_codec<Person> {
    using bits = std::uint64_t;
    KOGGE_HOST_DEVICE static bits encode(const Person& p) {
        return bits{p.year} << 32 | (static_cast<std::uint32_t>(p.number) ^ 0x80000000u);
    }
};
template <>
struct kogge::key_codec<LongKey> {
    using bits = kogge::key_words<LongKey::kWords>;
    KOGGE_HOST_DEVICE static bits encode(const LongKey& key) {
        bits words{};
        for (int i = 0; i < LongKey::kWords; ++i) words.word[i] = key.word[LongKey::kWords - 1 - i];
        return words;
    }
};

namespace {

template <class Key>
void check_structs(std::vector<Key> keys) {
    for (const auto order : {kogge::ascending, kogge::descending}) {
        const sort_options options{.order = order};
        const auto want = order_of(keys, options);
        Array<Key> array(keys);
        Array<std::uint32_t> indices(keys.size());
        kogge::argsort(array.data(), indices.data(), keys.size(), options);
        EXPECT_TRUE(same(indices.get(), want));
        kogge::radix_sort(array.data(), keys.size(), options);
        EXPECT_TRUE(same(array.get(), gathered(keys, want)));
    }
}
std::vector<LongKey> long_keys() {
    std::vector<LongKey> keys(3000);
    Random random(6);
    for (LongKey& key : keys)
        for (std::uint32_t& word : key.word) word = static_cast<std::uint32_t>(random() % 3 ? 7 : random());
    return keys;
}
TEST(SortStructs, ThroughACodec) {
    std::vector<Person> people(9000);
    Random random(5);
    std::memset(static_cast<void*>(people.data()), 0, people.size() * sizeof(Person));
    for (Person& person : people)
        person.year = static_cast<std::uint16_t>(random() % 50), person.number = static_cast<std::int32_t>(random());
    check_structs(people);
    check_structs(long_keys());
}

// Many GPUs have 99 KiB of shared memory a block: fewer digits are counted in one read, and in fewer stripes.
TEST(SortOnASmallChip, KeysOfManyDigitsAndManyKeys) {
    const Pretending device(2, std::size_t{99} * 1024);
    check_structs(long_keys());
    const std::size_t n = small() ? 40'003 : 100'003;
    const auto check = [&](auto keys) {
        Array<typename decltype(keys)::value_type> array(keys);
        kogge::radix_sort(array.data(), keys.size());
        std::sort(keys.begin(), keys.end());
        EXPECT_TRUE(same(array.get(), keys));
    };
    check(random_items<std::uint32_t>(n));
    check(random_items<std::uint64_t>(n));
    check(random_items<kogge::uint128>(n));
}

TEST(SortOffsets, EveryAlignment) {
    const std::size_t n = 30001;
    auto keys = random_items<std::uint32_t>(n);
    auto want = keys;
    std::sort(want.begin(), want.end());
    for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{1, 0}, {0, 1}, {3, 2}}) {
        const Array<std::uint32_t> in(keys, from);
        Array<std::uint32_t> out(n, to);
        kogge::radix_sort(in.data(), out.data(), n);
        EXPECT_TRUE(same(out.get(), want)) << from << " " << to;
    }
}

#if KOGGE_KERNELS
TEST(SortDeviceCount, UpToTheCount) {
    for (const std::uint64_t bound : {std::uint64_t{3000}, std::uint64_t{40000}})
        for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, bound / 2, bound, bound + 5}) {
            const auto keys = random_items<std::uint32_t>(bound);
            const auto actual = static_cast<std::ptrdiff_t>(std::min(count, bound));
            const Array<std::uint64_t> n(std::vector<std::uint64_t>{count});
            Array<std::uint32_t> array(keys), odd(keys);
            Array<std::uint32_t> values(keys);
            kogge::radix_sort_pairs(array.data(), values.data(), kogge::device_count{n.data(), bound});
            auto want = keys;
            std::sort(want.begin(), want.begin() + actual);
            EXPECT_TRUE(same(array.get(), want)) << count << " of " << bound;
            EXPECT_TRUE(same(values.get(), want)) << count << " of " << bound;
            kogge::radix_sort(odd.data(), kogge::device_count{n.data(), bound}, {.end_bit = 24});
            want = keys;
            std::stable_sort(want.begin(), want.begin() + actual,
                             [](std::uint32_t a, std::uint32_t b) { return (a & 0xffffff) < (b & 0xffffff); });
            EXPECT_TRUE(same(odd.get(), want)) << "three passes, " << count << " of " << bound;
        }
}
#endif

TEST(SortErrors, AreFoundBeforeAnythingChanges) {
    const auto items = random_items<std::uint32_t>(1000);
    Array<std::uint32_t> keys(items), out(1000);
    Array<std::uint32_t> values(1000);
    std::uint32_t* const null = nullptr;
    EXPECT_EQ(code_of([&] { kogge::radix_sort(null, 5); }), kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::radix_sort(keys.data(), -1); }), kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::radix_sort(keys.data(), keys.data() + 1, 999); }), kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::radix_sort_pairs(keys.data(), keys.data(), 9); }), kogge::errc::overlap);
    EXPECT_EQ(
        code_of([&] { kogge::radix_sort_pairs(keys.data(), kogge::arrays(values.data(), values.data() + 3), 9); }),
        kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::argsort(keys.data(), keys.data(), 9); }), kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::argsort(keys.data(), null, 9); }), kogge::errc::invalid_argument);
    for (const auto& [begin, end] : {std::pair{-1, 3}, {0, 33}, {9, 8}, {33, 33}}) {
        const kogge::sort_options bits{.begin_bit = begin, .end_bit = end};
        for (const std::function<void()>& call : std::initializer_list<std::function<void()>>{
                 [&] { kogge::radix_sort(keys.data(), 9, bits); },
                 [&] { kogge::radix_sort(keys.data(), out.data(), 9, bits); },
                 [&] { kogge::radix_sort_pairs(keys.data(), values.data(), 9, bits); },
                 [&] { kogge::argsort(keys.data(), out.data(), 9, bits); }})
            EXPECT_EQ(code_of(call), kogge::errc::invalid_argument) << begin << " to " << end;
    }
    const std::vector<std::uint32_t> unwritten(1000, Array<std::uint32_t>::poison());
    EXPECT_TRUE(same(out.get(), unwritten) && same(values.get(), unwritten));
    EXPECT_EQ(code_of([&] {
                  kogge::argsort(keys.data(), reinterpret_cast<std::int32_t*>(out.data()), std::uint64_t{1} << 32);
              }),
              kogge::errc::invalid_argument);
    kogge::radix_sort(null, 0);
    EXPECT_TRUE(same(keys.get(), items));
}

}  // namespace
