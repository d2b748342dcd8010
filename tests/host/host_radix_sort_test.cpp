// kogge-test: HOST
// The host backend's radix sort against std::stable_sort.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "kogge/host/radix_sort.hpp"
#include "support/host.hpp"

using namespace host_tests;

namespace {

using kogge::detail::make_codec;
using kogge::detail::stored_key;

template <class Key, class Value, class Codec>
void sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, std::uint64_t n,
                const Codec& codec, int begin, int end, int threads) {
    const kogge::grid::value_array values{values_in, values_out, sizeof(Value), alignof(Value)};
    host::radix_sort(keys_in, keys_out, n, codec, begin, end, {&values, 1}, threads);
}

template <class Key, class Index, class Codec>
void argsort(const Key* keys, Index* indices, std::uint64_t n, const Codec& codec, int begin, int end, int threads) {
    sort_pairs(keys, static_cast<Key*>(nullptr), static_cast<const Index*>(nullptr), indices, n, codec, begin, end,
               threads);
}

/// Compares the bits [begin, end) of two keys' codes.
template <class Codec>
bool comes_before(const Codec& codec, const typename Codec::key_type& a, const typename Codec::key_type& b, int begin,
                  int end) {
    while (end > begin) {
        const int width = std::min(16, end - begin);
        end -= width;
        const std::uint32_t x = codec.digit(a, end, width), y = codec.digit(b, end, width);
        if (x != y) return x < y;
    }
    return false;
}

template <class Key>
void check_sort(const std::vector<Key>& typed, kogge::sort_options options, int threads, int begin = 0, int end = -1) {
    using Stored = stored_key<Key>;
    const auto codec = make_codec<Key>(options);
    if (end == -1) end = kogge::detail::key_bits<Key>;
    const std::uint64_t n = typed.size();
    SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(Key) << " bytes, " << threads << " threads, bits "
                                    << begin << " to " << end);
    std::vector<Stored> in(n);
    if (n > 0) std::memcpy(static_cast<void*>(in.data()), typed.data(), n * sizeof(Key));
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return comes_before(codec, in[a], in[b], begin, end); });
    std::vector<Stored> expected(n);
    for (std::uint64_t i = 0; i < n; ++i) expected[i] = in[order[i]];

    std::vector<Stored> out(n), keys = in;
    host::radix_sort(in.data(), out.data(), n, codec, begin, end, {}, threads);
    ASSERT_TRUE(same_bytes(out, expected)) << "out of place";
    host::radix_sort(keys.data(), keys.data(), n, codec, begin, end, {}, threads);
    ASSERT_TRUE(same_bytes(keys, expected)) << "in place";

    std::vector<std::uint32_t> values(n), moved(n);
    std::iota(values.begin(), values.end(), 0);
    std::fill(out.begin(), out.end(), Stored{});
    sort_pairs(in.data(), out.data(), values.data(), moved.data(), n, codec, begin, end, threads);
    ASSERT_TRUE(same_bytes(out, expected) && moved == order) << "pairs";
    keys = in;
    sort_pairs(keys.data(), keys.data(), values.data(), values.data(), n, codec, begin, end, threads);
    ASSERT_TRUE(same_bytes(keys, expected) && values == order) << "pairs in place";

    std::vector<std::uint64_t> indices(n);
    argsort(in.data(), indices.data(), n, codec, begin, end, threads);
    ASSERT_TRUE(std::equal(indices.begin(), indices.end(), order.begin(), order.end())) << "argsort";
}

template <class Key>
void check_key_type() {
    for (const std::uint64_t n : std::initializer_list<std::uint64_t>{0, 1, 2, 1000, many(40'000), many(150'001)})
        for (const kogge::sort_order order : {kogge::ascending, kogge::descending})
            check_sort(random_items<Key>(n), {.order = order}, n % 2 ? 3 : 2);
    const int bits = kogge::detail::key_bits<Key>;
    for (const int begin : {0, 1, bits / 2, bits - 1, bits})
        for (const int end : {begin, std::min(bits, begin + 1), (begin + bits) / 2, bits})
            check_sort(random_items<Key>(3000), {.order = begin % 2 ? kogge::descending : kogge::ascending}, 2, begin,
                       end);
}

TEST(HostRadixSort, Integers) {
    check_key_type<std::uint8_t>();
    check_key_type<std::int8_t>();
    check_key_type<std::uint16_t>();
    check_key_type<std::int16_t>();
    check_key_type<std::uint32_t>();
    check_key_type<std::int32_t>();
    check_key_type<std::uint64_t>();
    check_key_type<std::int64_t>();
    check_key_type<kogge::uint128>();
    check_key_type<kogge::int128>();
}

TEST(HostRadixSort, Bools) {
    std::vector<std::uint8_t> flags = random_items<std::uint8_t>(100'000);
    for (std::uint8_t& flag : flags) flag %= 2;
    std::vector<std::uint8_t> out(flags.size());
    host::radix_sort(flags.data(), out.data(), flags.size(), make_codec<bool>({.order = kogge::descending}), 0, 1, {},
                     2);
    std::stable_sort(flags.begin(), flags.end(), std::greater<>());
    EXPECT_EQ(out, flags);
}

/// Random bit patterns among ordinary numbers, zeros of both signs, infinities and NaNs of both signs.
template <class Key, class Bits>
std::vector<Key> laden_floats(std::uint64_t n, Bits infinity) {
    std::vector<Bits> bits = random_items<Bits>(n);
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    const Bits special[] = {0,
                            sign,
                            infinity,
                            static_cast<Bits>(infinity | sign),
                            static_cast<Bits>(infinity + 1),
                            static_cast<Bits>(~Bits{0})};
    std::mt19937 random(11);
    for (Bits& word : bits)
        if (random() % 4 == 0) word = special[random() % 6];
    std::vector<Key> keys(n);
    std::memcpy(static_cast<void*>(keys.data()), bits.data(), n * sizeof(Key));
    return keys;
}

template <class Key, class Bits>
void check_floats(Bits infinity) {
    check_key_type<Key>();
    for (const kogge::sort_order order : {kogge::ascending, kogge::descending})
        for (const kogge::zero_order zeros : {kogge::zero_order::negative_first, kogge::zero_order::equal})
            for (const kogge::nan_order nans :
                 {kogge::nan_order::by_sign, kogge::nan_order::last, kogge::nan_order::greatest})
                check_sort(laden_floats<Key, Bits>(many(150'000), infinity),
                           {.order = order, .zeros = zeros, .nans = nans}, 2);
}

TEST(HostRadixSort, Floats) {
    check_floats<float, std::uint32_t>(0x7f800000u);
    check_floats<double, std::uint64_t>(0x7ff0000000000000u);
    check_floats<kogge::half, std::uint16_t>(0x7c00);
    check_floats<kogge::bfloat16, std::uint16_t>(0x7f80);
}

TEST(HostRadixSort, FloatsInTheOrderOfTheirValues) {
    std::vector<float> keys(150'000);
    std::mt19937 random(13);
    std::normal_distribution<float> normal(0, 1e6f);
    for (float& key : keys) key = normal(random);
    std::vector<float> expected = keys;
    std::stable_sort(expected.begin(), expected.end());
    auto* stored = reinterpret_cast<std::uint32_t*>(keys.data());
    host::radix_sort(stored, stored, keys.size(), make_codec<float>({}), 0, 32, {}, 2);
    EXPECT_EQ(keys, expected);
}

struct Particle {
    std::uint16_t cell, kind;
    std::uint32_t id;
};
struct Long {
    std::uint32_t word[5];
};

}  // namespace

template <>
struct kogge::key_codec<Particle> {
    using bits = std::uint32_t;
    static bits encode(const Particle& p) { return bits{p.cell} << 16 | p.kind; }
};
template <>
struct kogge::key_codec<Long> {
    using bits = kogge::key_words<5>;
    static bits encode(const Long& key) { return {{key.word[4], key.word[3], key.word[2], key.word[1], key.word[0]}}; }
};

namespace {

TEST(HostRadixSort, Structs) {
    check_key_type<Particle>();
    check_key_type<Long>();
    std::vector<Long> long_keys = random_items<Long>(150'000), expected = long_keys;
    std::stable_sort(expected.begin(), expected.end(), [](const Long& a, const Long& b) {
        return std::lexicographical_compare(a.word, a.word + 5, b.word, b.word + 5);
    });
    host::radix_sort(long_keys.data(), long_keys.data(), long_keys.size(), make_codec<Long>({}), 0, 160, {}, 2);
    EXPECT_TRUE(same_bytes(long_keys, expected));
}

TEST(HostRadixSort, Distributions) {
    const std::uint64_t n = many(150'000);
    std::mt19937_64 random(17);
    std::vector<std::uint64_t> one(n, 42), two(n), sorted(n), reversed(n), skewed(n), top(n), middle(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        two[i] = random() % 2 ? 3 : std::uint64_t{1} << 60;
        sorted[i] = i / 3;
        reversed[i] = n - i;
        skewed[i] = random() & random() & random() & random();
        top[i] = random() << 55;
        middle[i] = 0xabcd'0000'0000'0123 | (random() % 256) << 30;
    }
    std::vector<std::uint64_t> almost = sorted;
    std::swap(almost.front(), almost.back());
    for (const auto& keys : {one, two, sorted, reversed, skewed, top, middle, almost})
        for (const int threads : thread_counts()) check_sort(keys, {}, threads);
}

TEST(HostRadixSort, LargeArraysGoThroughLines) {
    constexpr std::uint64_t n = host::kLargeBytes / 4 + 1001;
    const std::vector<std::uint32_t> in = random_items<std::uint32_t>(n);
    const auto codec = make_codec<std::uint32_t>({});
    std::vector<std::uint32_t> expected(n), out(n + 3), order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return in[a] < in[b]; });
    for (std::uint64_t i = 0; i < n; ++i) expected[i] = in[order[i]];
    for (const std::uint64_t shift : {0, 1, 3}) {
        host::radix_sort(in.data(), out.data() + shift, n, codec, 0, 32, {}, 2);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), out.begin() + shift));
    }
    std::vector<std::uint32_t> keys = in;
    std::vector<std::uint64_t> values(n);
    std::iota(values.begin(), values.end(), 0);
    sort_pairs(keys.data(), keys.data(), values.data(), values.data(), n, codec, 0, 32, 3);
    EXPECT_EQ(keys, expected);
    EXPECT_TRUE(std::equal(values.begin(), values.end(), order.begin()));
    argsort(in.data(), out.data() + 1, n, codec, 0, 32, 2);
    EXPECT_TRUE(std::equal(order.begin(), order.end(), out.begin() + 1));
}

TEST(HostRadixSort, ValueArraysOfAnyKind) {
    struct Odd {
        std::uint8_t byte[11];
    };
    const std::uint64_t n = many(150'000);
    std::vector<std::uint16_t> keys = random_items<std::uint16_t>(n);
    const auto codec = make_codec<std::uint16_t>({});
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    const auto in_order = [&](const auto& values) {
        auto sorted = values;
        for (std::uint64_t i = 0; i < n; ++i) sorted[i] = values[order[i]];
        return sorted;
    };
    const auto check = [&](auto item) {
        using Value = decltype(item);
        const std::vector<Value> in = random_items<Value>(n), expected = in_order(in);
        std::vector<Value> out(n), in_place = in;
        std::vector<std::uint16_t> sorted(n), sorted_in_place = keys;
        const kogge::grid::value_array apart{in.data(), out.data(), sizeof(Value), alignof(Value)};
        const kogge::grid::value_array itself{in_place.data(), in_place.data(), sizeof(Value), alignof(Value)};
        host::radix_sort(keys.data(), sorted.data(), n, codec, 0, 16, {&apart, 1}, 2);
        host::radix_sort(sorted_in_place.data(), sorted_in_place.data(), n, codec, 0, 16, {&itself, 1}, 2);
        EXPECT_TRUE(same_bytes(out, expected) && same_bytes(in_place, expected)) << sizeof(Value);
        EXPECT_TRUE(same_bytes(sorted, in_order(keys)) && same_bytes(sorted_in_place, sorted)) << sizeof(Value);
    };
    check(std::uint8_t{});
    check(std::uint32_t{});
    check(std::uint64_t{});
    check(Odd{});

    std::vector<Odd> odd = random_items<Odd>(n);
    const std::vector<Odd> odd_expected = in_order(odd);
    std::vector<double> numbers = random_items<double>(n), numbers_out(n);
    const kogge::grid::value_array several[] = {{odd.data(), odd.data(), sizeof(Odd), 1},
                                                {numbers.data(), numbers_out.data(), 8, 8}};
    std::vector<std::uint16_t> sorted = keys;
    host::radix_sort(sorted.data(), sorted.data(), n, codec, 0, 16, several, 3);
    EXPECT_TRUE(same_bytes(odd, odd_expected) && same_bytes(numbers_out, in_order(numbers)));

    std::vector<std::uint32_t> indices(n);
    const kogge::grid::value_array index_array{nullptr, indices.data(), 4, 4};
    host::radix_sort(keys.data(), static_cast<std::uint16_t*>(nullptr), n, codec, 0, 16, {&index_array, 1}, 2);
    EXPECT_EQ(indices, order);
    host::radix_sort(keys.data(), sorted.data(), n, codec, 0, 16, {}, 2);
    EXPECT_EQ(sorted, in_order(keys));
}

/// As radix_sort does it by digits.
template <class Key>
std::vector<stored_key<Key>> sorted_by_digits(const std::vector<stored_key<Key>>& in, kogge::sort_options options) {
    std::vector<stored_key<Key>> out(in.size());
    std::vector<std::uint32_t> indices(in.size());
    sort_pairs(in.data(), out.data(), static_cast<const std::uint32_t*>(nullptr), indices.data(), in.size(),
               make_codec<Key>(options), 0, kogge::detail::key_bits<Key>, 1);
    return out;
}

template <class Key>
void check_vectors(const std::vector<stored_key<Key>>& in) {
    using Stored = stored_key<Key>;
    for (const kogge::sort_order order : {kogge::ascending, kogge::descending}) {
        const kogge::sort_options options{.order = order};
        const std::vector<Stored> expected = sorted_by_digits<Key>(in, options);
        for (const int threads : thread_counts()) {
            std::vector<Stored> out(in.size()), keys = in;
            const auto codec = make_codec<Key>(options);
            const bool sorts = host::sort_by_vectors(in.data(), out.data(), in.size(), codec, threads);
            ASSERT_EQ(sorts, *host::vector_sort_name() != 0);
            if (!sorts) return;
            ASSERT_TRUE(same_bytes(out, expected)) << in.size() << " keys, " << threads << " threads";
            host::sort_by_vectors(keys.data(), keys.data(), keys.size(), codec, threads);
            ASSERT_TRUE(same_bytes(keys, expected)) << in.size() << " keys in place, " << threads << " threads";
        }
    }
}

template <class Key>
void check_vectors_of_any_input() {
    using Stored = stored_key<Key>;
    for (const std::uint64_t n : std::initializer_list<std::uint64_t>{1, 2, 3, 17, 255, 1000, 4099, many(400'000)}) {
        std::vector<Stored> any = random_items<Stored>(n), skewed = any, few = any, top = any, one(n, any[0]);
        for (std::uint64_t i = 0; i < n; ++i) {
            // Nearly all keys in one bin of each of the first splits.
            skewed[i] = i % 1000 == 0 ? any[i] : any[i] % 4096;
            few[i] = any[i] % 5;
            top[i] = any[i] & ~(~Stored{0} >> 9);
        }
        for (const auto& keys : {any, skewed, few, top, one}) check_vectors<Key>(keys);
    }
}

TEST(HostRadixSort, KeysAloneByVectors) {
    check_vectors_of_any_input<std::uint32_t>();
    check_vectors_of_any_input<std::int32_t>();
    check_vectors_of_any_input<float>();
    check_vectors_of_any_input<std::uint64_t>();
    check_vectors_of_any_input<std::int64_t>();
    check_vectors_of_any_input<double>();
}

TEST(HostRadixSort, VectorsLeaveKeysThatAreToldApartByOrderAlone) {
    std::vector<std::uint32_t> keys{3, 2};
    for (const kogge::sort_options& options :
         {kogge::sort_options{.zeros = kogge::zero_order::equal}, kogge::sort_options{.nans = kogge::nan_order::last}})
        EXPECT_FALSE(host::sort_by_vectors(keys.data(), keys.data(), 2, make_codec<float>(options), 1));
    EXPECT_EQ(keys, (std::vector<std::uint32_t>{3, 2}));
}

}  // namespace
