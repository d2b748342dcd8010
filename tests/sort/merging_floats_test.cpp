// kogge-test: EMULATED GPU HOST
// Floats of which different ones are equal keys: zeros of both signs, and NaNs of any sign and payload. Whichever way a
// sort takes, they come out bit by bit as they went in, in their order.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "kogge/plan.hpp"
#include "support/orders.hpp"
#include "support/sort_checks.hpp"
#include "support/sort_outcomes.hpp"
#include "support/sort_plans.hpp"

namespace {

using namespace tests;
using kogge::nan_order;
using kogge::sort_options;
using kogge::zero_order;

template <class Key>
using BitsOf = kogge::detail::unsigned_of<sizeof(Key)>;
template <class Key>
constexpr BitsOf<Key> kSign = static_cast<BitsOf<Key>>(BitsOf<Key>{1} << (8 * sizeof(Key) - 1));

template <class Key>
Key float_of(BitsOf<Key> bits) {
    Key key;
    std::memcpy(static_cast<void*>(&key), &bits, sizeof key);
    return key;
}
template <class Key>
BitsOf<Key> bits_of(const Key& key) {
    BitsOf<Key> bits;
    std::memcpy(&bits, &key, sizeof bits);
    return bits;
}

/// The orders in which floats are merged.
std::vector<sort_options> orders() {
    std::vector<sort_options> list;
    for (const auto order : {kogge::ascending, kogge::descending})
        for (const auto zeros : {zero_order::negative_first, zero_order::equal})
            for (const auto nans : {nan_order::by_sign, nan_order::last, nan_order::greatest})
                if (zeros == zero_order::equal || nans != nan_order::by_sign)
                    list.push_back({.order = order, .zeros = zeros, .nans = nans});
    return list;
}
constexpr sort_options kUp{.zeros = zero_order::equal, .nans = nan_order::last};
constexpr sort_options kDown{.order = kogge::descending, .zeros = zero_order::equal, .nans = nan_order::greatest};

// ---- keys ----------------------------------------------------------------------------------------------

/// Half of them zeros of both signs; NaNs, infinities, and any other bits.
template <class Key>
std::vector<Key> activations(std::size_t n, std::uint64_t seed = 1) {
    auto keys = random_items<Key>(n, seed);
    Random random(seed + 1);
    for (Key& key : keys)
        if (random() % 2 == 0) key = float_of<Key>(static_cast<BitsOf<Key>>(random() % 2 == 0 ? 0 : kSign<Key>));
    return keys;
}
/// Zeros of both signs.
template <class Key>
std::vector<Key> zeros(std::size_t n) {
    Random random(n);
    std::vector<Key> keys(n);
    for (Key& key : keys) key = float_of<Key>(static_cast<BitsOf<Key>>(random() % 2 == 0 ? 0 : kSign<Key>));
    return keys;
}
/// NaNs of both signs and all payloads.
template <class Key>
std::vector<Key> nans(std::size_t n) {
    const BitsOf<Key> infinity = kogge::detail::make_codec<Key>({}).infinity;
    auto keys = random_items<Key>(n, n);
    for (Key& key : keys) key = float_of<Key>(static_cast<BitsOf<Key>>(bits_of(key) | infinity | 1));
    return keys;
}
/// Few values: zeros of both signs, NaNs, and four others.
template <class Key>
std::vector<Key> few(std::size_t n) {
    const auto values = random_items<Key>(4, 3), of_zero = zeros<Key>(n), of_nan = nans<Key>(n);
    Random random(5);
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t kind = random() % 6;
        keys[i] = kind < 4 ? values[kind] : kind == 4 ? of_zero[i] : of_nan[i];
    }
    return keys;
}
/// The lowest digits, so many, are zero; also those of NaNs, most of which become infinities.
template <class Key>
std::vector<Key> rounded(std::size_t n, int digits) {
    auto keys = activations<Key>(n, 8);
    for (Key& key : keys) key = float_of<Key>(static_cast<BitsOf<Key>>(bits_of(key) >> 8 * digits << 8 * digits));
    return keys;
}
template <class Key>
std::vector<Key> in_order(const std::vector<Key>& keys, const sort_options& options) {
    return gathered(keys, order_of(keys, options));
}

// ---- checks --------------------------------------------------------------------------------------------

template <class Value, class Key>
void check_values(const std::vector<Key>& keys, const std::vector<std::uint32_t>& want, const sort_options& options) {
    const std::size_t n = keys.size();
    const auto values = random_items<Value>(n, 4);
    Array<Key> in(keys), out(n);
    Array<Value> with(values), with_out(n);
    kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, options);
    EXPECT_TRUE(same(out.get(), gathered(keys, want))) << "keys of pairs, values of " << sizeof(Value);
    EXPECT_TRUE(same(with_out.get(), gathered(values, want))) << "values of " << sizeof(Value);
    EXPECT_TRUE(same(in.get(), keys)) << "the input";
    if (sparing()) return;
    kogge::radix_sort_pairs(in.data(), with.data(), n, options);
    EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "keys of pairs in place, values of " << sizeof(Value);
    EXPECT_TRUE(same(with.get(), gathered(values, want))) << "values in place, of " << sizeof(Value);
}

/// Keys alone, indices, and pairs, in place and not, stable bit by bit.
template <class Key>
void check_forms(const std::vector<Key>& keys, const sort_options& options, const std::string& what,
                 bool wide_values = false) {
    SCOPED_TRACE(what + ", " + std::to_string(keys.size()) + " keys of " + std::to_string(sizeof(Key)) + " bytes" +
                 (options.order == kogge::descending ? ", descending" : ""));
    const std::size_t n = keys.size();
    const auto want = order_of(keys, options);
    Array<Key> in(keys), out(n);
    Array<std::uint32_t> indices(n);
    kogge::radix_sort(in.data(), out.data(), n, options);
    EXPECT_TRUE(same(out.get(), gathered(keys, want))) << "keys";
    kogge::argsort(in.data(), indices.data(), n, options);
    EXPECT_TRUE(same(indices.get(), want)) << "indices";
    EXPECT_TRUE(same(in.get(), keys)) << "the input";
    kogge::radix_sort(in.data(), n, options);
    EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "keys in place";
    check_values<std::uint32_t>(keys, want, options);
    if (!wide_values || small()) return;
    check_values<std::uint64_t>(keys, want, options);
    check_values<Bytes<16, 16>>(keys, want, options);
    check_values<Bytes<3>>(keys, want, options);
}
template <class Key>
void check_kinds(std::size_t n) {
    check_forms(activations<Key>(n), kUp, "activations", true);
    if (sparing()) return;
    check_forms(activations<Key>(n), kDown, "activations");
    check_forms(in_order(activations<Key>(n), kDown), kDown, "in order");
    check_forms(zeros<Key>(n), kUp, "zeros");
    check_forms(nans<Key>(n), kDown, "NaNs");
    check_forms(few<Key>(n), kDown, "few");
    check_forms(rounded<Key>(n, 1), kDown, "one digit that all share");
    check_forms(rounded<Key>(n, static_cast<int>(sizeof(Key) / 2)), kUp, "half of the digits, which all share");
}

template <class Key>
class MergingFloats : public ::testing::Test {};
using Keys = ::testing::Types<kogge::half, kogge::bfloat16, float, double>;
TYPED_TEST_SUITE(MergingFloats, Keys);

// Sizes of sorts in one block, and of those by comparisons if other keys take them.
TYPED_TEST(MergingFloats, OfFewKeys) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{700}, std::size_t{3001}})
        check_kinds<TypeParam>(n);
}
TYPED_TEST(MergingFloats, OnChipsOfAllBlocks) {
    const Pretending device(5);
    const std::size_t n = 9001;
#if KOGGE_KERNELS
    if (may_pretend()) {
        const auto plan = kogge::plan_radix_sort<TypeParam>(n, kUp, kogge::simt::current_properties());
        EXPECT_TRUE(is_resident(plan)) << to_string(plan);
    }
#endif
    check_kinds<TypeParam>(n);
}

// More than the chips of three multiprocessors hold: passes are pipelined.
std::size_t many() { return small() ? 98305 : 130003; }
struct ThreeBlocks : Pretending {
    ThreeBlocks() : Pretending(3, std::size_t{227} * 1024) {}
};
TYPED_TEST(MergingFloats, ByPipelinedPasses) {
    const ThreeBlocks device;
#if KOGGE_KERNELS
    if (may_pretend()) {
        const auto plan = kogge::plan_radix_sort<TypeParam>(many(), kUp, kogge::simt::current_properties());
        EXPECT_TRUE(is_pipelined(plan)) << to_string(plan);
        EXPECT_EQ(is_by_prefix(plan), sizeof(TypeParam) > 2);
    }
#endif
    check_kinds<TypeParam>(many());
}
// And by plain ones, where a block has little shared memory.
TYPED_TEST(MergingFloats, ByPlainPasses) {
    const Pretending device(3, std::size_t{36} * 1024);
    check_forms(activations<TypeParam>(30001), kUp, "activations", true);
}

TYPED_TEST(MergingFloats, InEveryOrder) {
    const ThreeBlocks device;
    for (const std::size_t n : {std::size_t{3001}, many()})
        for (const sort_options& options : orders()) {
            if (sparing() && options.order == kogge::descending) continue;
            const auto keys = activations<TypeParam>(n);
            Array<TypeParam> array(keys);
            const auto want = order_of(keys, options);
            kogge::radix_sort(array.data(), n, options);
            EXPECT_TRUE(same(array.get(), gathered(keys, want))) << n;
        }
}

// Bits of the merged codes, an odd number of digits or none whole.
TYPED_TEST(MergingFloats, ByPartsOfTheBits) {
    constexpr int bits = static_cast<int>(8 * sizeof(TypeParam));
    const ThreeBlocks device;
    for (const std::size_t n : {std::size_t{3001}, many()})
        for (const auto& [begin, end] : {std::pair{3, bits}, {0, bits - 1}, {5, 12}}) {
            sort_options options = kDown;
            options.begin_bit = begin;
            options.end_bit = end;
            const auto keys = activations<TypeParam>(n);
            const auto codec = kogge::detail::make_codec<TypeParam>(options);
            const auto code_of = [&, from = begin, to = end](std::uint32_t i) {
                const auto code = static_cast<kogge::uint128>(codec.encode(bits_of(keys[i])));
                return code >> from & ((kogge::uint128{1} << (to - from)) - 1);
            };
            auto want = order_of(std::vector<std::uint8_t>(n), {});
            std::stable_sort(want.begin(), want.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return code_of(a) < code_of(b); });
            Array<TypeParam> array(keys);
            kogge::radix_sort(array.data(), n, options);
            EXPECT_TRUE(same(array.get(), gathered(keys, want))) << n << " by bits " << begin << " to " << end;
        }
}

#if KOGGE_EMULATED
// ---- codes ---------------------------------------------------------------------------------------------

/// All halves, and of wider floats random ones.
template <class Key>
std::vector<Key> all_kinds_of() {
    std::vector<Key> keys(1 << 16);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = float_of<Key>(static_cast<BitsOf<Key>>(i));
    if (sizeof(Key) > 2) keys = random_items<Key>(1 << 16);
    return keys;
}
TYPED_TEST(MergingFloats, HaveTheCodesOfTheCodec) {
    using Bits = BitsOf<TypeParam>;
    constexpr int bits = static_cast<int>(8 * sizeof(TypeParam));
    for (const sort_options& options : orders())
        for (const auto& [begin, end] : {std::pair{0, bits}, {3, bits - 1}}) {
            const kogge::detail::MergingCodec<Bits> codec{kogge::detail::make_codec<TypeParam>(options)};
            const kogge::grid::MergingBucket<Bits> bucket(codec, begin, end);
            for (const TypeParam& key : all_kinds_of<TypeParam>()) {
                const Bits item = bits_of(key), code = codec.encode(item);
                ASSERT_EQ(bucket.full_code(item), code) << std::uint64_t{item};
                ASSERT_EQ(bucket.code(item),
                          static_cast<Bits>(static_cast<Bits>(code << (bits - end)) >> (bits - end + begin)));
                for (int pass = 0; begin + 8 * pass < end; ++pass) {
                    const int from = begin + 8 * pass, width = std::min(8, end - from);
                    ASSERT_EQ(bucket.in_pass(pass)(item), codec.digit(item, from, width));
                    ASSERT_EQ(bucket.digit_of(bucket.code(item), pass), codec.digit(item, from, width));
                }
            }
        }
}
#endif

#if KOGGE_KERNELS
// ---- what the device finds -----------------------------------------------------------------------------

using kogge::grid::SortOutcome;

/// Sorts on a device that has to take passes, and tells how it did.
template <class Value = kogge::grid::NoValue, class Key>
Sorted sort_and_look(const std::vector<Key>& keys, const sort_options& options) {
    constexpr bool has_values = !std::is_same_v<Value, kogge::grid::NoValue>;
    using Stored = std::conditional_t<has_values, Value, std::uint32_t>;
    const std::size_t n = keys.size();
    const auto device = kogge::simt::current_properties();
    kogge::radix_sort_plan plan;
    if constexpr (has_values) plan = kogge::plan_radix_sort<Key, Value>(n, options, device, false);
    else plan = kogge::plan_radix_sort<Key>(n, options, device, false);
    EXPECT_TRUE(is_pipelined(plan)) << to_string(plan);
    const auto values = random_items<Stored>(n, 3);
    const auto want = order_of(keys, options);
    Array<Key> in(keys), out(n);
    Array<Stored> with(values), with_out(n);
    const Sorted sorted = sorted_with(plan, [&](const kogge::exec& how) {
        if constexpr (has_values)
            kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, options, how);
        else kogge::radix_sort(in.data(), out.data(), n, options, how);
    });
    EXPECT_TRUE(same(out.get(), gathered(keys, want))) << "keys";
    if (has_values) {
        EXPECT_TRUE(same(with_out.get(), gathered(values, want))) << "values";
    }
    return sorted;
}
template <class Value = kogge::grid::NoValue, class Key>
void expect_outcome(const char* what, const std::vector<Key>& keys, const sort_options& options, SortOutcome outcome,
                    std::uint32_t large = 0) {
    SCOPED_TRACE(what);
    const Sorted sorted = sort_and_look<Value>(keys, options);
    EXPECT_EQ(static_cast<int>(sorted.control.outcome), static_cast<int>(outcome));
    EXPECT_GE(sorted.large, large);
}

template <class Key>
void expect_outcomes() {
    for (const sort_options& options : {kUp, kDown}) {
        expect_outcome("activations", activations<Key>(many()), options, SortOutcome::all_digits);
        expect_outcome("in order", in_order(activations<Key>(many()), options), options, SortOutcome::in_order);
        expect_outcome("zeros of both signs", zeros<Key>(many()), options, SortOutcome::in_order);
        expect_outcome("NaNs of both signs", nans<Key>(many()), options, SortOutcome::in_order);
        expect_outcome<std::uint32_t>("pairs in order", in_order(activations<Key>(many()), options), options,
                                      SortOutcome::in_order);
        if (sparing()) return;
    }
}
TEST(MergingOutcomes, OfTwoDigits) {
    if (!may_pretend()) GTEST_SKIP() << "a device that pretends to be small has these";
    const ThreeBlocks device;
    expect_outcomes<kogge::half>();
}
TEST(MergingOutcomes, OfFourDigits) {
    if (!may_pretend()) GTEST_SKIP() << "a device that pretends to be small has these";
    const ThreeBlocks device;
    expect_outcomes<float>();
    // The buckets of zeros and NaNs are in order, and too large for a block.
    expect_outcome("few", few<float>(many()), kUp, SortOutcome::few_distinct, 2);
    expect_outcome<std::uint32_t>("few pairs", few<float>(many()), kDown, SortOutcome::few_distinct, 2);
}

/// Numbers of uniform bits, among which are some zeros and NaNs.
std::vector<double> uniform_bits(std::size_t n) {
    auto bits = random_items<std::uint64_t>(n, 6);
    std::vector<double> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = float_of<double>(bits[i]);
    const auto of_zero = zeros<double>(n), of_nan = nans<double>(n);
    for (std::size_t i = 0; i < n; i += 1001) {
        keys[i] = of_zero[i];
        keys[i + 1] = of_nan[i + 1];
    }
    return keys;
}
/// The same with a bucket that no block has room for: tiny numbers of 20 kinds and zeros of both signs.
std::vector<double> with_tiny_ones(std::size_t n) {
    auto keys = uniform_bits(n);
    const auto of_zero = zeros<double>(n);
    Random random(9);
    for (std::size_t i = 0; i < n; i += 13) {
        const std::uint64_t kind = random() % 21;
        keys[i] = kind == 20 ? of_zero[i] : float_of<double>(kind * 0x1111);
    }
    return keys;
}
TEST(MergingOutcomes, OfEightDigits) {
    if (!may_pretend()) GTEST_SKIP() << "a device that pretends to be small has these";
    const ThreeBlocks device;
    expect_outcomes<double>();
    for (const sort_options& options : {kUp, kDown}) {
        expect_outcome("uniform bits", uniform_bits(many()), options, SortOutcome::batches);
        expect_outcome<kogge::uint128>("pairs of uniform bits", uniform_bits(many()), options, SortOutcome::batches);
        expect_outcome("a large bucket", with_tiny_ones(many()), options, SortOutcome::batches, 1);
        expect_outcome<std::uint32_t>("a large bucket of pairs", with_tiny_ones(many()), options, SortOutcome::batches,
                                      1);
        if (sparing()) return;
    }
}
#endif

}  // namespace
