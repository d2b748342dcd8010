// kogge-test: EMULATED GPU HOST
// Sorts by one cooperative launch where a pass over ranges of codes may take the place of passes over digits: even and
// uneven codes, keys that agree in their leading digits or have few values, and inputs that are in order, or nearly.
#include "support/sort_checks.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#if KOGGE_EMULATED
#include "kogge/sort/resident/buckets.cuh"
#endif
#if KOGGE_KERNELS
#include "kogge/sort/resident/few_values.cuh"
#include "kogge/sort/resident/kernel.cuh"
#endif

namespace {

using namespace tests;

template <class Key>
std::vector<std::vector<Key>> uneven_inputs(std::size_t n) {
    std::vector<std::vector<Key>> inputs(5, random_items<Key>(n));
    for (std::size_t i = 0; i < n; ++i) {
        inputs[0][i] = i % 16 > 0 ? Key{77} : inputs[0][i];               // a bin has more keys than a block takes
        inputs[1][i] = inputs[1][i % 50] ^ static_cast<Key>(i % 7);       // long runs of the same leading digits
        inputs[2][i] = (inputs[2][i] & static_cast<Key>(0xff)) + 0xfff0;  // few codes, across a power of two
        inputs[3][i] = i % 1000 == 1 ? ~Key{0} : inputs[3][i] >> 7;       // some far from all others
        inputs[4][i] = i % 3 > 0 ? inputs[4][i / 3] : inputs[4][i];       // every key several times
    }
    return inputs;
}

template <class Key>
class BucketSort : public ::testing::Test {};
using Keys = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(BucketSort, Keys);

TYPED_TEST(BucketSort, EvenAndUnevenCodes) {
    const Pretending device(5, 60 * 1024);
    const std::size_t n = sizeof(TypeParam) == 4 ? 20011 : 9001;
    for (const Distribution distribution : kDistributions) {
        if (small() && distribution != Distribution::uniform) continue;
        check_every_form(items_of<TypeParam>(distribution, n));
    }
    const auto inputs = uneven_inputs<TypeParam>(n);
    for (std::size_t i = 0; i < inputs.size(); i += small() ? 2 : 1) {
        SCOPED_TRACE("uneven input " + std::to_string(i));
        check_every_form(inputs[i]);
    }
}

// Floats by ranges of their values, or of their codes: spread evenly, about zero or not, like a bell, with some far
// from all others, with some that are not finite, of which a sample has none, or some, and over many exponents.
template <class Float>
std::vector<std::vector<Float>> float_inputs(std::size_t n) {
    using Bits = kogge::detail::unsigned_of<sizeof(Float)>;
    const auto bits = random_items<Bits>(n), more = random_items<Bits>(n, 7);
    const auto part = [](Bits word) {
        return std::ldexp(static_cast<Float>(word), -static_cast<int>(8 * sizeof(Bits)));
    };
    const Float largest = std::numeric_limits<Float>::max(), none = std::numeric_limits<Float>::quiet_NaN();
    const auto items = random_items<Float>(n, 9);
    std::vector<std::vector<Float>> inputs(10, std::vector<Float>(n));
    for (std::size_t i = 0; i < n; ++i) {
        const Float even = 2 * part(bits[i]) - 1;
        inputs[0][i] = even;
        inputs[1][i] = 1000 + even;
        inputs[2][i] = even + 2 * part(more[i]) - 1 + part(bits[i] << 5) + part(more[i] << 5);
        inputs[3][i] = i % 1000 == 1 ? largest / 4 : even;
        inputs[4][i] = i % 100 == 1   ? (i % 200 == 1 ? none : -none)
                       : i % 100 == 2 ? std::copysign(Float{0}, even)
                                      : even;
        inputs[5][i] = largest * even;
        inputs[6][i] = items[i];
        inputs[7][i] = i % 50 == 0 ? even : 3;
        inputs[8][i] = std::ldexp(1 + part(bits[i]), static_cast<int>(more[i] % 41) - 20);
        inputs[9][i] = i == 1777 ? largest : i == 1778 ? none : i == 1779 ? -largest * 2 : even;
    }
    return inputs;
}

template <class Float>
class BucketSortFloats : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BucketSortFloats, Floats);

TYPED_TEST(BucketSortFloats, EvenAndUnevenValues) {
    const Pretending device(5, 60 * 1024);
    const auto inputs = float_inputs<TypeParam>(sizeof(TypeParam) == 4 ? 20011 : 9001);
    for (std::size_t i = 0; i < inputs.size(); i += small() ? 4 : 1) {
        SCOPED_TRACE("input " + std::to_string(i));
        check_every_form(inputs[i]);
    }
}

#if KOGGE_EMULATED
// The bins of floats follow their codes, in both orders and both ways, and are as full where values, or codes, are
// even.
TYPED_TEST(BucketSortFloats, BinsOfValues) {
    using Bits = kogge::detail::unsigned_of<sizeof(TypeParam)>;
    using Steps = kogge::grid::ValueSteps<Bits>;
    constexpr std::uint32_t bins = 132;
    const std::size_t n = 20011;
    const auto inputs = float_inputs<TypeParam>(n);
    for (const auto order : {kogge::ascending, kogge::descending}) {
        const kogge::grid::NumberBucket<Bits> bucket(kogge::detail::make_codec<TypeParam>({.order = order}), 0,
                                                     static_cast<int>(8 * sizeof(Bits)));
        ASSERT_TRUE(bucket.is_float());
        const auto& encoding = bucket.encoding;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            SCOPED_TRACE("input " + std::to_string(i));
            std::vector<Bits> codes(n);
            for (std::size_t k = 0; k < n; ++k) codes[k] = bucket.code(std::bit_cast<Bits>(inputs[i][k]));
            kogge::grid::CodeBounds<Bits> sampled{static_cast<Bits>(~Bits{0}), 0};
            for (std::size_t s = 0; s < 1024; ++s)
                if (const Bits code = codes[s * n / 1024]; Steps::may_bound(encoding, code)) sampled.add(code);
            std::sort(codes.begin(), codes.end());
            const auto is_even = [&](const auto& range) {
                if (!range.steps.are_some()) return false;
                std::vector<std::size_t> sizes(bins);
                std::uint32_t last = 0;
                for (const Bits code : codes) {
                    const std::uint32_t bin = range.bin(code);
                    EXPECT_LT(bin, bins);
                    EXPECT_GE(bin, last);
                    last = bin;
                    ++sizes.at(bin);
                }
                return *std::max_element(sizes.begin(), sizes.end()) < n / bins * 3 / 2;
            };
            using Values = kogge::grid::CodeRange<Steps>;
            using Codes = kogge::grid::CodeRange<kogge::grid::CodeSteps<Bits>>;
            EXPECT_EQ(is_even(Values(encoding, sampled, bins)), i < 2 || i == 9) << "by values";
            EXPECT_EQ(is_even(Codes(encoding, sampled, bins)), i == 1 || i == 8) << "by codes";
        }
    }
}
#endif

// Nobody may take an input for one in order because a pair stands across two lanes, warps or blocks: not in a block
// that has that pair, nor in those whose keys are in order.
template <class Key>
void check_one_pair_out_of_order(const std::vector<Key>& sorted) {
    const Pretending device(5, 60 * 1024);
    const std::size_t n = sorted.size(), chunk = 1824;
    ASSERT_TRUE(n > 4 * chunk && n <= 5 * chunk);
    for (const std::size_t place : {std::size_t{1}, std::size_t{32}, std::size_t{128}, chunk, 3 * chunk, n - 1}) {
        SCOPED_TRACE("before place " + std::to_string(place));
        auto keys = sorted;
        keys[place - 1] = std::numeric_limits<Key>::max();
        Array<Key> in(keys), out(n);
        kogge::radix_sort(in.data(), out.data(), n);
        std::sort(keys.begin(), keys.end());
        EXPECT_TRUE(same(out.get(), keys));
        if (small()) break;
    }
}
TYPED_TEST(BucketSort, OnePairOutOfOrder) {
    auto keys = items_of<TypeParam>(Distribution::sorted, 9001);
    check_one_pair_out_of_order(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<TypeParam>(i / 3000 * 0x01234567);  // by digits
    check_one_pair_out_of_order(keys);
}
// Even by values, and by codes, for which blocks look once more.
TYPED_TEST(BucketSortFloats, OnePairOutOfOrder) {
    const auto inputs = float_inputs<TypeParam>(9001);
    for (const std::size_t i : {0, 8}) {
        auto keys = inputs[i];
        std::sort(keys.begin(), keys.end());
        check_one_pair_out_of_order(keys);
    }
}

// Keys of few values, which take one pass: as many as do, and one more; those with the least and the greatest codes;
// and with one key, the first, the last or another one, that is none of them and that a sample does not show.
TYPED_TEST(BucketSort, FewValues) {
    const Pretending device(5, 60 * 1024);
    const std::size_t n = 9001;
    const auto random = random_items<TypeParam>(n);
    for (const std::size_t values : {2, 3, 16, 64, 65}) {
        if (small() && values != 16) continue;
        SCOPED_TRACE(std::to_string(values) + " values");
        auto keys = random;
        keys[0] = 0;
        keys[1] = ~TypeParam{0};
        for (std::size_t i = 0; i < n; ++i) keys[i] = keys[random[i] / 3 % values];
        check_every_form(keys);
        if (values != 16) continue;
        for (const std::size_t place : {std::size_t{1}, std::size_t{4444}, n - 2}) {
            SCOPED_TRACE("another key at place " + std::to_string(place));
            auto others = keys;
            others[place] = 12345;
            check_every_form(others);
            if (small()) break;
        }
    }
}
// Of a part of the bits, in which keys that differ may be equal.
TYPED_TEST(BucketSort, FewValuesOfSomeBits) {
    const Pretending device(5, 60 * 1024);
    auto keys = random_items<TypeParam>(9001);
    for (TypeParam& key : keys) key = (key & TypeParam{0xf000000f}) | (key % 3 << 25) | (key % 5 << 9);
    const auto words = random_items<std::uint32_t>(keys.size(), 3);
    const auto want = order_by(keys, 5, 28);
    const Array<TypeParam> in(keys);
    const Array<std::uint32_t> with(words);
    Array<TypeParam> out(keys.size());
    Array<std::uint32_t> with_out(keys.size());
    const kogge::sort_options bits{.begin_bit = 5, .end_bit = 28};
    kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), keys.size(), bits);
    EXPECT_TRUE(same(out.get(), gathered(keys, want)));
    EXPECT_TRUE(same(with_out.get(), gathered(words, want)));
    kogge::radix_sort(in.data(), out.data(), keys.size(), bits);
    EXPECT_TRUE(same(out.get(), gathered(keys, want)));
}

#if KOGGE_KERNELS
// The bins of values that a sample has, of those below and above each, and whether there are some. No row of 32 has
// so many different ones that the block does not look at the others.
template <class Bits>
KOGGE_KERNEL void few_values_kernel(const Bits* samples, const Bits* codes, std::uint32_t count, std::uint32_t* bins) {
    kogge::simt::wait_for_stream();
    using namespace kogge::grid;
    auto& shared = kogge::simt::shared_memory<ResidentSortShared>();
    const auto thread = static_cast<std::uint32_t>(kogge::simt::thread_rank());
    const Bits own[2] = {samples[thread], samples[kResidentSortThreads + thread]};
    const FewValues<Bits> few(shared, own);
    for (std::uint32_t i = thread; i < count; i += kResidentSortThreads)
        bins[i] = few.are_some() ? few.bin(codes[i]) : ~0u;
}
TYPED_TEST(BucketSort, BinsOfFewValues) {
    using kogge::grid::FewValues, kogge::grid::kBucketSamples;
    for (const std::size_t values : {1, 2, 3, 5, 16, 17, 63, 64, 65, 300, 1024}) {
        SCOPED_TRACE(std::to_string(values) + " values");
        auto few = random_items<TypeParam>(values, static_cast<std::uint32_t>(values));
        if (values % 2 == 1) few[0] = ~TypeParam{0};
        if (values % 3 == 1) few[values / 2] = 0;
        std::vector<TypeParam> samples(kBucketSamples);
        for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = few[(i / 32 * 20 + i % 20) % values];
        std::sort(few.begin(), few.end());
        ASSERT_EQ(std::adjacent_find(few.begin(), few.end()), few.end());
        std::vector<TypeParam> codes;
        for (const TypeParam code : few)
            for (const TypeParam near : {code - 1, code, code + 1}) codes.push_back(static_cast<TypeParam>(near));
        const Array<TypeParam> sampled(samples), asked(codes);
        Array<std::uint32_t> bins(codes.size());
        kogge::simt::launch(
            few_values_kernel<TypeParam>,
            {1, kogge::grid::kResidentSortThreads, sizeof(kogge::grid::ResidentSortShared), {}, "few_values"},
            sampled.data(), asked.data(), static_cast<std::uint32_t>(codes.size()), bins.data());
        const auto found = bins.get();
        std::uint32_t before = 0;
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const bool is_value = std::binary_search(few.begin(), few.end(), codes[i]);
            if (values < 2 || values > kogge::grid::kFewValues) {
                ASSERT_EQ(found[i], ~0u);
            } else if (!is_value) {
                ASSERT_EQ(found[i], FewValues<TypeParam>::kNone);
            } else if (i % 3 == 1) {
                ASSERT_TRUE(i == 1 || found[i] > before) << i;
                ASSERT_LT(found[i], kogge::grid::kFewValues);
                before = found[i];
            }
        }
    }
}
#endif

#if KOGGE_KERNELS
// The bins of codes below, at and above each value: they ascend with the codes, and hold, at most, as many samples as
// quantiles leave; a value of many samples has a bin of its own.
template <class Bits>
struct SampleProblem {
    using KeyType = Bits;
    struct {
        void* samples;
    } memory;
    kogge::grid::NumberBucket<Bits> bucket;
    const Bits* keys_in;
};
template <class Bits>
KOGGE_KERNEL void quantiles_kernel(SampleProblem<Bits> problem, std::uint32_t n, const Bits* codes, std::uint32_t count,
                                   std::uint32_t* bins) {
    kogge::simt::wait_for_stream();
    using namespace kogge::grid;
    struct Shared {
        ResidentSortShared common;
        QuantileTables<Bits> tables;
        alignas(16) Bits codes[32 * 8];
    };
    auto& shared = kogge::simt::shared_memory<Shared>();
    publish_sample(problem, n);
    kogge::simt::sync_grid();  // the sample is known
    find_bounds(shared.tables, problem, shared.codes);
    kogge::simt::sync_block();  // the bounds are known
    if (kogge::simt::block_rank() > 0) return;
    for (auto i = static_cast<std::uint32_t>(kogge::simt::thread_rank()); i < count; i += kResidentSortThreads) {
        const Bits one[1] = {codes[i]};
        shared.tables.template find_bins<1>(one, [&](int, std::uint32_t bin) {
            bins[i] = bin | (shared.tables.has_one_code(static_cast<int>(bin)) ? 1u << 31 : 0u);
        });
    }
}
TYPED_TEST(BucketSort, BinsAreQuantiles) {
    using Bits = TypeParam;
    constexpr std::uint32_t blocks = 8, samples = 32 * blocks;
    for (const std::size_t values : {1, 2, 3, 16, 65, 300, 100000}) {
        SCOPED_TRACE(std::to_string(values) + " values");
        auto distinct = random_items<Bits>(values, static_cast<std::uint32_t>(values));
        if (values % 2 == 1) distinct[0] = ~Bits{0};
        if (values % 3 == 1) distinct[values / 2] = 0;
        std::vector<Bits> keys(5000);
        const auto random = random_items<std::uint32_t>(keys.size(), 5);
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = distinct[random[i] % values];
        std::vector<Bits> sample(samples);
        for (std::uint32_t i = 0; i < samples; ++i)
            sample[i] = keys[kogge::grid::sample_place(i, samples, keys.size())];
        std::sort(sample.begin(), sample.end());
        std::vector<Bits> codes;
        for (const Bits code : sample)
            for (const Bits near : {code - 1, code, code + 1}) codes.push_back(static_cast<Bits>(near));
        std::sort(codes.begin(), codes.end());
        const Array<Bits> in(keys), asked(codes);
        Array<Bits> scratch(std::size_t{2} * samples);
        Array<std::uint32_t> bins(codes.size());
        const kogge::grid::NumberBucket<Bits> bucket(kogge::detail::make_codec<Bits>({}), 0,
                                                     static_cast<int>(8 * sizeof(Bits)));
        const SampleProblem<Bits> problem{{scratch.data()}, bucket, in.data()};
        const std::size_t shared_bytes = sizeof(kogge::grid::ResidentSortShared) +
                                         sizeof(kogge::grid::QuantileTables<Bits>) + samples * sizeof(Bits) + 256;
        kogge::simt::launch(quantiles_kernel<Bits>,
                            {blocks, kogge::grid::kResidentSortThreads, shared_bytes, {}, "quantiles_kernel", true},
                            problem, static_cast<std::uint32_t>(keys.size()), asked.data(),
                            static_cast<std::uint32_t>(codes.size()), bins.data());
        const auto found = bins.get();
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const std::uint32_t bin = found[i] & 0xffffu;
            ASSERT_LT(bin, static_cast<std::uint32_t>(kogge::grid::kQuantileBins));
            if (i > 0) {
                ASSERT_GE(bin, found[i - 1] & 0xffffu);
            }
            // A bin of one value has no other code.
            if (found[i] >> 31 != 0 && i > 0 && codes[i - 1] != codes[i]) {
                ASSERT_NE(bin, found[i - 1] & 0xffffu);
            }
            const auto [low, high] = std::equal_range(sample.begin(), sample.end(), codes[i]);
            if (high - low > 2) {
                ASSERT_NE(found[i] >> 31, 0u) << "a value of many samples shares its bin";
            }
        }
    }
}
#endif

#if KOGGE_KERNELS
// What a sort by one launch did: of keys alone, or of pairs.
template <class Key>
kogge::radix_sort_plan plan_of(std::size_t n, bool with_values) {
    kogge::radix_sort_shape shape{
        .key_bytes = sizeof(Key), .begin_bit = 0, .end_bit = static_cast<int>(8 * sizeof(Key))};
    shape.in_place = false;
    if (with_values) shape.values = {{4, 4}};
    return kogge::plan_radix_sort(n, shape, kogge::simt::properties_of({}));
}
/// The least number of pairs, of those tried, that may go by quantiles on this device.
template <class Key>
std::size_t least_pairs_by_quantiles() {
    for (std::size_t n = 40001; n < 3'000'000; n += n / 8)
        if (const kogge::radix_sort_plan plan = plan_of<Key>(n, true);
            plan.is<kogge::resident_sort>() && plan.as<kogge::resident_sort>()->quantile_items > 0)
            return n;
    return 0;
}
template <class Key>
kogge::grid::ResidentOutcome outcome_of(const std::vector<Key>& keys, bool with_values) {
    using namespace kogge;
    const std::size_t n = keys.size();
    const radix_sort_plan plan = plan_of<Key>(n, with_values);
    EXPECT_TRUE(plan.as<resident_sort>());
    const Array<Key> in(keys);
    const Array<std::uint32_t> with(std::vector<std::uint32_t>(n, 1));
    Array<Key> out(n);
    Array<std::uint32_t> with_out(n);
    Array<unsigned char> memory(plan.scratch_bytes);
    exec how;
    how.space = {memory.data(), plan.scratch_bytes};
    if (with_values) radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, {}, how);
    else radix_sort(in.data(), out.data(), n, {}, how);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    const std::uintptr_t aligned =
        (address + detail::kScratchAlignment - 1) / detail::kScratchAlignment * detail::kScratchAlignment;
    detail::Carver carver(reinterpret_cast<void*>(aligned));
    const grid::SortMemory carved = grid::carve_radix_sort(carver, plan);
    const auto at = reinterpret_cast<std::uintptr_t>(carved.resident.outcome) - address;
    const std::vector<unsigned char> bytes = memory.get();
    std::uint32_t outcome;
    std::memcpy(&outcome, bytes.data() + at, sizeof outcome);
    return static_cast<grid::ResidentOutcome>(outcome);
}

// Pairs whose keys are not uniform go by buckets whose bounds are quantiles, for which no value is too frequent.
TYPED_TEST(BucketSort, QuantilesOfSkewedKeys) {
    using Key = TypeParam;
    using enum kogge::grid::ResidentOutcome;
    const Pretending device(6, 227 * 1024);
    const std::size_t n = least_pairs_by_quantiles<Key>();
    if (n == 0) GTEST_SKIP() << "no pairs go by quantiles on this device";
    const auto random = random_items<std::uint64_t>(n), more = random_items<std::uint64_t>(n, 7);
    constexpr int bits = static_cast<int>(8 * sizeof(Key));
    std::vector<std::vector<Key>> inputs(9, std::vector<Key>(n));
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t word = random[i], other = more[i];
        inputs[0][i] = static_cast<Key>((word % 37 << (bits - 9)) + other % 5000);  // clusters
        inputs[1][i] = static_cast<Key>(~Key{0}) >> (word % static_cast<unsigned>(bits)) & static_cast<Key>(other);
        inputs[2][i] = word % 64 > 0 ? Key{77} : static_cast<Key>(other);  // mostly one value
        inputs[3][i] = static_cast<Key>((word % 8) * 0x01010101u);         // few values
        inputs[4][i] = word % 3 > 0 ? static_cast<Key>((word >> 32) % 8 << (bits - 4)) : static_cast<Key>(other);
        inputs[5][i] = word % 2 > 0 ? static_cast<Key>(~Key{0}) : static_cast<Key>(other % 99);  // the greatest code
        inputs[6][i] = static_cast<Key>(static_cast<std::uint64_t>(1e6 / static_cast<double>(1 + word % 100000)));
        inputs[7][i] = static_cast<Key>((word % 99) << (bits - 8) | (other % 3));  // few values, adjacent
        inputs[8][i] = static_cast<Key>(word % 1000 == 0 ? other : i / 4);         // nearly in order
    }
    for (std::size_t i = 0; i < inputs.size(); i += small() ? 4 : 1) {
        SCOPED_TRACE("input " + std::to_string(i));
        check_every_form(inputs[i]);
        // On few blocks the others have enough ranges of codes that no range is too heavy.
        if (i != 1 && i != 2 && i != 5 && i != 6) continue;
        EXPECT_EQ(outcome_of(inputs[i], true), quantiles);
    }
    std::vector<Key> two(n, 5);
    for (std::size_t i = 0; i < n; i += 2) two[i] = static_cast<Key>(~Key{0});
#if KOGGE_EMULATED
    for (std::size_t i = 0; i < n; ++i)
        if (i % 5 > 0) two[i] = 5;  // half of the keys are not too many for one of six blocks
#endif
    EXPECT_EQ(outcome_of(two, false), quantiles);
    EXPECT_EQ(outcome_of(two, true), quantiles);
    // Emulated atomics return in any order, so that a bucket may have to be sorted again.
    const auto of_uniform = outcome_of(items_of<Key>(Distribution::uniform, n), true);
    EXPECT_TRUE(of_uniform == uniform_buckets || (KOGGE_EMULATED && of_uniform == crowded_buckets));
    EXPECT_EQ(outcome_of(std::vector<Key>(n, 7), true), in_order);
    // Where the sample looks there are few keys, and elsewhere more than a block holds.
    std::vector<Key> hidden(n);
    for (std::size_t i = 0; i < n; ++i) hidden[i] = static_cast<Key>(Key{5} + static_cast<Key>(random[i] % 100));
    const std::uint32_t sample = 32 * plan_of<Key>(n, true).template as<kogge::resident_sort>()->launch.blocks;
    for (const std::uint32_t samples : {kogge::grid::kBucketSamples, sample})
        for (std::uint32_t s = 0; s < samples; ++s)
            hidden[kogge::grid::sample_place(s, samples, n)] = static_cast<Key>(more[s] | Key{1} << (bits - 1));
    check_every_form(hidden);
    EXPECT_EQ(outcome_of(hidden, true), digits);
}

// Ranges of codes that have about as many keys each, which crowd within them; and ranges that differ by more than
// chance, though none is heavy.
TYPED_TEST(BucketSort, CrowdedBuckets) {
    using Key = TypeParam;
    using enum kogge::grid::ResidentOutcome;
    const Pretending device(6, 227 * 1024);
    const std::size_t n = least_pairs_by_quantiles<Key>();
    if (n == 0) GTEST_SKIP() << "no pairs go by quantiles on this device";
    const auto random = random_items<std::uint64_t>(n), more = random_items<std::uint64_t>(n, 7);
    constexpr int bits = static_cast<int>(8 * sizeof(Key));
    std::vector<Key> groups(n), gaps(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Key prefix = static_cast<Key>(~Key{0}) / (n / 40) * static_cast<Key>(random[i] % (n / 40));
        groups[i] = static_cast<Key>(prefix >> 8 << 8 | (more[i] & 0xff));
        gaps[i] = static_cast<Key>(random[i] >> (64 - bits) & ~(std::uint64_t{3} << (bits - 4)));
    }
    check_every_form(groups);
    EXPECT_EQ(outcome_of(groups, true), crowded_buckets);
    EXPECT_EQ(outcome_of(groups, false), crowded_buckets);
    check_every_form(gaps);
    EXPECT_EQ(outcome_of(gaps, true), quantiles);
}
#endif

// More blocks than a group of counts, bits of a part of the key, values of every width.
#if defined(__SANITIZE_THREAD__)
constexpr int kManyBlocks = 11;  // the emulator holds fewer threads at once then
#else
constexpr int kManyBlocks = 21;
#endif

TEST(BucketSortShapes, ManyBlocks) {
    const Pretending device(kManyBlocks, 60 * 1024);
    check_pairs<std::uint64_t, std::uint64_t>(16001, 3, 61);
    if (small()) return;
    check_pairs<std::uint32_t, std::uint64_t>(16001, 0, 32);
    check_pairs<std::uint32_t, Bytes<16, 16>>(8467, 5, 29);
    check_pairs<kogge::uint128, std::uint32_t>(8467, 0, 128);
    check_keys<std::uint32_t>(17000, 8, 32);
    check_keys<kogge::uint128>(8467, 60, 90);
}

// More blocks than a group of counts, a part of the bits, few blocks, wide keys: pairs and indices, out of place and in
// place.
template <class Key>
void check_skewed_pairs(int blocks, std::size_t n, int begin, int end) {
    const Pretending device(blocks, 227 * 1024);
    SCOPED_TRACE(std::to_string(blocks) + " blocks, keys of " + std::to_string(sizeof(Key)) + " bytes");
    const auto random = random_items<std::uint64_t>(n), more = random_items<std::uint64_t>(n, 7);
    const auto whole = random_items<Key>(n, 11);
    const auto words = random_items<std::uint32_t>(n, 3);
    constexpr unsigned bits = 8 * sizeof(Key);
    std::vector<Key> keys(n);
    for (int input = 0; input < 3; ++input) {
        SCOPED_TRACE("input " + std::to_string(input));
        for (std::size_t i = 0; i < n; ++i)
            keys[i] = input == 0   ? (random[i] % 2 ? whole[i] : whole[i] >> random[i] / 2 % bits)
                      : input == 1 ? (random[i] % 3 == 0   ? static_cast<Key>(~Key{0})
                                      : random[i] % 3 == 1 ? Key{0}
                                                           : whole[i] >> more[i] % bits)
                                   : (random[i] % 64 ? (Key{77} << 9) | more[i] % 3 : whole[i]);
        const auto want = order_by(keys, begin, end);
        const auto sorted = gathered(keys, want);
        const auto moved = gathered(words, want);
        const kogge::sort_options part{.begin_bit = begin, .end_bit = end};
        Array<Key> in(keys), out(n);
        Array<std::uint32_t> with(words), with_out(n), indices(n);
        kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, part);
        EXPECT_TRUE(same(out.get(), sorted));
        EXPECT_TRUE(same(with_out.get(), moved));
        kogge::argsort(in.data(), indices.data(), n, part);
        EXPECT_TRUE(same(indices.get(), want));
        kogge::radix_sort_pairs(in.data(), with.data(), n, part);
        EXPECT_TRUE(same(in.get(), sorted)) << "in place";
        EXPECT_TRUE(same(with.get(), moved)) << "in place";
    }
}
TEST(QuantileShapes, BlocksAndBits) {
    check_skewed_pairs<std::uint32_t>(18, 118001, 5, 28);
    if (small()) return;
    check_skewed_pairs<std::uint32_t>(kManyBlocks, 130001, 0, 32);
    check_skewed_pairs<std::uint64_t>(3, 20001, 0, 64);
    check_skewed_pairs<std::uint32_t>(2, 20001, 0, 32);
    check_skewed_pairs<kogge::uint128>(12, 40001, 60, 101);
}

// Ranks in arrival order, in every pass: those of a range, and those of digits where a range would not fit a block.
TEST(BucketSortInArrivalOrder, UnevenKeys) {
    const Pretending device(2, 128 * 1024);
    auto keys = random_items<std::uint32_t>(24705);
    const auto check = [&] {
        auto want = keys;
        std::sort(want.begin(), want.end());
        Array<std::uint32_t> in(keys), out(keys.size());
        kogge::radix_sort(in.data(), out.data(), keys.size());
        EXPECT_TRUE(same(out.get(), want));
        kogge::radix_sort(in.data(), keys.size());
        EXPECT_TRUE(same(in.get(), want)) << "in place";
    };
    check();
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (i % 16 > 0) keys[i] = 0x12345678u + static_cast<std::uint32_t>(i % 3 << 13);
    check();
}

#if KOGGE_KERNELS
TEST(BucketSortDeviceCount, FewerItemsThanPlanned) {
    const Pretending device(5, 60 * 1024);
    const std::uint64_t bound = 9001;
    const auto keys = random_items<std::uint32_t>(bound);
    for (const std::uint64_t count : {std::uint64_t{1023}, std::uint64_t{1024}, std::uint64_t{5000}, bound}) {
        const auto n = static_cast<std::ptrdiff_t>(count);
        auto want = keys;
        std::sort(want.begin(), want.begin() + n);
        const Array<std::uint64_t> number(std::vector<std::uint64_t>{count});
        Array<std::uint32_t> in(keys);
        kogge::radix_sort(in.data(), kogge::device_count{number.data(), bound});
        EXPECT_TRUE(same(in.get(), want)) << count;
    }
}
#endif

#if KOGGE_EMULATED
TEST(BucketSortPlan, IsWhatTheseTestsTake) {
    const auto plan = [](std::size_t n, std::size_t bytes) {
        const kogge::radix_sort_shape shape{.key_bytes = bytes, .begin_bit = 0, .end_bit = static_cast<int>(8 * bytes)};
        const kogge::radix_sort_plan whole = kogge::plan_radix_sort(n, shape, kogge::simt::current_properties());
        const auto* const way = whole.as<kogge::resident_sort>();
        return way ? *way : kogge::resident_sort{};
    };
    const Pretending five(5, 60 * 1024);
    for (const auto& [n, bytes] : {std::pair{20011, 4}, {9001, 8}}) EXPECT_GT(plan(n, bytes).bucket_items, 0u);
    EXPECT_EQ(plan(9001, 4).block_items, 1824u);
    EXPECT_LT(plan(20011, 4).bucket_items, 20011u * 15 / 16);
    const Pretending two(2, 128 * 1024);
    EXPECT_GT(plan(24705, 4).bucket_items, 0u);
    EXPECT_LT(plan(24705, 4).bucket_items, 24705u * 15 / 16);
    EXPECT_TRUE(plan(24705, 4).checks_order);
}
#endif

}  // namespace
