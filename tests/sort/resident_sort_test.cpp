// kogge-test: EMULATED GPU HOST
// Sorts by one cooperative launch, all blocks of which hold their keys on chip: every width of keys and values, every
// number of passes, passes that change nothing, several groups of blocks.
#include <bit>

#include "support/sort_checks.hpp"
#include "support/sort_plans.hpp"

namespace {

using namespace tests;

// Five blocks that hold 10,000 keys and more, of which one alone holds 2,048.
struct FiveBlocks : Pretending {
    FiveBlocks() : Pretending(5, 60 * 1024) {}
};

template <class Key>
class ResidentSort : public ::testing::Test {
    FiveBlocks device_;
};
using Keys = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, kogge::uint128>;
TYPED_TEST_SUITE(ResidentSort, Keys);

TYPED_TEST(ResidentSort, EveryNumberOfPasses) {
    constexpr int bits = static_cast<int>(8 * sizeof(TypeParam));
    for (const std::size_t n : {std::size_t{4999}, std::size_t{9001}})
        for (const auto& [begin, end] : {std::pair{0, bits}, {0, bits / 2}, {0, 1}, {bits - 3, bits}, {1, bits - 1}}) {
            check_keys<TypeParam>(n, begin, end);
            if (small()) break;
        }
}

TYPED_TEST(ResidentSort, ValuesOfEveryWidth) {
    constexpr int bits = static_cast<int>(8 * sizeof(TypeParam));
    const int first = bits > 16 ? bits - 20 : 0;
    const std::size_t n = 5003;
    check_pairs<TypeParam, std::uint32_t>(n, first, bits);
    if (small()) return;
    check_pairs<TypeParam, std::uint64_t>(n, first, bits - 1);
    check_pairs<TypeParam, Bytes<16, 16>>(n, 0, bits);
    check_pairs<TypeParam, Bytes<3>>(n, first, bits);
}

// Few numbers are compared with each other: so many that a warp compares with several rows, up to the most. (In place,
// the emulator could not hold so many threads.)
TEST(RankSort, SeveralRowsAWarp) {
    const Pretending device(17, 60 * 1024);
    for (const std::size_t n : {std::size_t{1057}, std::size_t{1088}}) {
        const auto keys = random_items<std::uint64_t>(n, n);
        const auto want = order_by(keys, 3, 9);
        const kogge::sort_options options{.begin_bit = 3, .end_bit = 9};
        Array<std::uint64_t> in(keys), out(n);
        Array<std::uint32_t> indices(n);
        Array<std::uint64_t> with(keys), moved(n);
        kogge::argsort(in.data(), indices.data(), n, options);
        EXPECT_TRUE(same(indices.get(), want)) << "indices of " << n;
        kogge::radix_sort_pairs(in.data(), out.data(), with.data(), moved.data(), n, options);
        EXPECT_TRUE(same(out.get(), gathered(keys, want))) << n;
        EXPECT_TRUE(same(moved.get(), gathered(keys, want))) << "values of " << n;
    }
}

TEST(RankSort, InPlace) {
    check_keys<std::uint32_t>(100, 0, 32);
    check_pairs<std::uint64_t, std::uint32_t>(97, 5, 50);
}

TEST(ResidentSortBounds, OfChunksAndGroups) {
    const FiveBlocks device;
    for (const std::size_t n : small() ? std::vector<std::size_t>{5120} : std::vector<std::size_t>{4096, 5120, 10240})
        for (const std::size_t size : {n - 1, n, n + 1, n + 31, n + 33}) check_keys<std::uint32_t>(size, 0, 32);
    // Two groups of blocks, the second one not full.
    const Pretending more(small() ? 5 : 21, 60 * 1024);
    for (const std::size_t size :
         small() ? std::vector<std::size_t>{} : std::vector<std::size_t>{16385, 21505, 40000}) {
        check_keys<std::uint32_t>(size, 0, 24);
        check_pairs<std::uint64_t, std::uint32_t>(size, 5, 39);
    }
}

// Digits that all keys share are skipped: the upper ones, the lower ones, the last one, all.
TEST(ResidentSortDistributions, OfKeysWithAndWithoutValues) {
    const FiveBlocks device;
    const std::size_t n = 7001;
    std::vector<std::vector<std::uint64_t>> inputs;
    for (const Distribution distribution : kDistributions) inputs.push_back(items_of<std::uint64_t>(distribution, n));
    for (const std::uint64_t mask : {0xffffull, 0xff00ff00ull, 0xff00000000ull, 0xff00000000000001ull}) {
        inputs.push_back(random_items<std::uint64_t>(n));
        for (std::uint64_t& key : inputs.back()) key &= mask;
    }
    for (std::size_t i = 0; i < inputs.size(); i += small() ? 3 : 1) {
        SCOPED_TRACE("input " + std::to_string(i));
        check_every_form(inputs[i]);
    }
}

// The pass after one that changes nothing writes the array that others still read: the output, or the input in place.
// (Codecs that merge keys take no pass by buckets.)
TEST(ResidentSortSkipped, WritesWhatHasBeenRead) {
    const FiveBlocks device;
    const std::size_t n = 5003;
    const kogge::sort_options options{.zeros = kogge::zero_order::equal};
    for (const std::uint32_t mask : {0x7f00ffffu, 0x7f000000u}) {  // positive numbers, and no NaN
        auto bits = random_items<std::uint32_t>(n);
        std::vector<float> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = std::bit_cast<float>(bits[i] &= mask);
        const auto want = order_by(bits, 0, 32);
        Array<float> in(keys), out(n);
        Array<std::uint32_t> indices(n);
        kogge::radix_sort(in.data(), out.data(), n, options);
        EXPECT_TRUE(same(out.get(), gathered(keys, want)));
        kogge::argsort(in.data(), indices.data(), n, options);
        EXPECT_TRUE(same(indices.get(), want));
        kogge::radix_sort(in.data(), n, options);
        EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "in place";
    }
}

// Keys that are many to a block are ranked in arrival order, which is any order in the emulator, so that all passes
// are repeated. Floats are keys again by then, and have to be encoded again.
TEST(ResidentSortByArrival, IsRepeatedWhereTheOrderIsWrong) {
    const Pretending device(2, 128 * 1024);
    const std::size_t n = 24705;
    const auto check = [&]<class Key>(const std::vector<Key>& keys, const kogge::sort_options& options) {
        const auto codes = [&](const std::vector<Key>& of) {
            using Bits = kogge::detail::unsigned_of<sizeof(Key)>;
            const auto codec = kogge::detail::make_codec<Key>(options);
            std::vector<Bits> bits(of.size());
            for (std::size_t i = 0; i < of.size(); ++i) bits[i] = codec.encode(std::bit_cast<Bits>(of[i]));
            return bits;
        };
        auto want = codes(keys);
        std::sort(want.begin(), want.end());
        Array<Key> in(keys), out(n);
        kogge::radix_sort(in.data(), out.data(), n, options);
        EXPECT_TRUE(same(codes(out.get()), want));
        EXPECT_TRUE(same(in.get(), keys)) << "the input";
        kogge::radix_sort(in.data(), n, options);
        EXPECT_TRUE(same(codes(in.get()), want)) << "in place";
    };
    check(random_items<std::uint32_t>(n), {});
    check(random_items<float>(n, 3), {.order = kogge::descending});
    if (small()) return;
    check(random_items<std::int64_t>(n), {});
    for (const Distribution distribution : kDistributions) check(items_of<std::uint32_t>(distribution, n), {});
    // Passes that change nothing, among those that are repeated.
    for (const std::uint32_t mask : {0xffff00ffu, 0x00ffffffu, 0xffffff00u}) {
        auto keys = random_items<std::uint32_t>(n);
        for (std::uint32_t& key : keys) key &= mask;
        check(keys, {});
    }
}

// Codecs that merge keys: equal ones keep their order.
TEST(ResidentSortFloats, ZerosEqualAndNansLast) {
    const FiveBlocks device;
    const std::size_t n = 9001;
    const auto keys = random_items<float>(n);
    const kogge::sort_options options{.zeros = kogge::zero_order::equal, .nans = kogge::nan_order::last};
    std::vector<std::uint32_t> want(n);
    for (std::size_t i = 0; i < n; ++i) want[i] = static_cast<std::uint32_t>(i);
    std::stable_sort(want.begin(), want.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (keys[a] != keys[a] || keys[b] != keys[b]) return keys[a] == keys[a] && keys[b] != keys[b];
        return keys[a] < keys[b];
    });
    Array<float> in(keys);
    Array<std::uint32_t> indices(n);
    kogge::argsort(in.data(), indices.data(), n, options);
    EXPECT_TRUE(same(indices.get(), want));
    kogge::radix_sort(in.data(), n, options);
    EXPECT_TRUE(same(in.get(), gathered(keys, want)));
}

#if KOGGE_KERNELS
TEST(ResidentSortDeviceCount, ItemsBeyondTheCountStay) {
    const FiveBlocks device;
    const std::uint64_t bound = 9001;
    const auto keys = random_items<std::uint32_t>(bound);
    const auto values = random_items<std::uint64_t>(bound, 2);
    for (const std::uint64_t count :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{33}, bound / 2, bound - 1, bound + 1}) {
        const auto n = static_cast<std::ptrdiff_t>(std::min(count, bound));
        auto want = order_by<std::uint32_t>({keys.begin(), keys.begin() + n}, 0, 24);
        for (auto i = static_cast<std::uint32_t>(n); i < bound; ++i) want.push_back(i);
        const Array<std::uint64_t> number(std::vector<std::uint64_t>{count});
        const kogge::device_count items{number.data(), bound};
        Array<std::uint32_t> in(keys), indices(bound);
        Array<std::uint64_t> with(values);
        kogge::argsort(in.data(), indices.data(), items, {.end_bit = 24});
        std::vector<std::uint32_t> want_indices(want.begin(), want.begin() + n);
        want_indices.resize(bound, Array<std::uint32_t>::poison());
        EXPECT_TRUE(same(indices.get(), want_indices)) << count;
        kogge::radix_sort_pairs(in.data(), with.data(), items, {.end_bit = 24});
        EXPECT_TRUE(same(in.get(), gathered(keys, want))) << count;
        EXPECT_TRUE(same(with.get(), gathered(values, want))) << count;
    }
}
#endif

#if KOGGE_EMULATED
TEST(ResidentSortPlan, IsWhatTheseTestsTake) {
    const FiveBlocks device;
    for (const std::size_t n : {4999, 9001})
        for (const std::size_t bytes : {4, 8, 16}) {
            const kogge::radix_sort_shape shape{
                .key_bytes = bytes, .begin_bit = 0, .end_bit = static_cast<int>(8 * bytes)};
            EXPECT_TRUE(kogge::plan_radix_sort(n, shape, kogge::simt::current_properties()).is<kogge::resident_sort>())
                << n << ", " << bytes;
        }
    const Pretending two(2, 128 * 1024);
    for (const std::size_t bytes : {4, 8}) {
        const kogge::radix_sort_shape shape{.key_bytes = bytes, .begin_bit = 0, .end_bit = static_cast<int>(8 * bytes)};
        const kogge::radix_sort_plan plan = kogge::plan_radix_sort(24705, shape, kogge::simt::current_properties());
        EXPECT_TRUE(plan.is<kogge::resident_sort>()) << bytes;
        EXPECT_EQ(checks_order(plan), bytes == 4) << bytes;
    }
}
#endif

}  // namespace
