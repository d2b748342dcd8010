// kogge-test: EMULATED GPU
// Passes that go by the values of floats: which step a float falls into, when the device chooses steps, what spans of
// them become, and whole sorts.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kogge/sort/prefix/choose_values.cuh"
#include "support/buckets.hpp"
#include "support/sort_checks.hpp"

namespace simt = kogge::simt;
using namespace kogge::grid;
using namespace tests;

namespace {

using Word = std::uint32_t;
using Floats = std::vector<float>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

NumberBucket<Word> bucket_of(bool descending) {
    return {{.is_signed = false, .is_float = true, .descending = descending}, 0, 32};
}
Word code_of(float key, bool descending) { return descending ? ~ordering(key) : ordering(key); }
std::vector<Word> bits_of(const Floats& keys) {
    std::vector<Word> bits(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) bits[i] = std::bit_cast<Word>(keys[i]);
    return bits;
}
/// n floats, from(uniform number below 1, place).
Floats floats(std::size_t n, auto from) {
    Random random(n + 7);
    Floats keys(n);
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<float>(from(static_cast<double>(random() >> 11) * 0x1p-53, i));
    return keys;
}
Floats even(std::size_t n, double low = -1, double high = 1) {
    return floats(n, [=](double u, std::size_t) { return low + (high - low) * u; });
}
/// About normal: the sum of twelve.
Floats normal(std::size_t n) {
    Random random(3);
    return floats(n, [&](double, std::size_t) {
        double sum = -6;
        for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
        return sum;
    });
}

KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(256, 1)
    steps_kernel(const Word* keys, Word* steps, std::uint64_t n, ValueDigits values) {
    simt::wait_for_stream();
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::thread_rank()); i < n; i += 256) steps[i] = values(keys[i]);
}
std::vector<Word> steps_of(const Floats& keys, const ValueDigits& values) {
    const Array<Word> in(bits_of(keys));
    Array<Word> steps(keys.size());
    simt::launch(steps_kernel, {1, 256, 0, {}, "steps_kernel"}, in.data(), steps.data(), std::uint64_t{keys.size()},
                 values);
    return steps.get();
}

KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(32, 1)
    between_kernel(NumberBucket<Word> bucket, Word lowest, Word highest, ValueDigits* values) {
    simt::wait_for_stream();
    if (simt::lane() == 0) *values = value_digits_between(bucket, lowest, highest);
}
/// The steps between two floats of which one has the lower code.
ValueDigits steps_between(float low, float high, bool descending = false) {
    Array<ValueDigits> values(std::size_t{1});
    simt::launch(between_kernel, {1, 32, 0, {}, "between_kernel"}, bucket_of(descending), code_of(low, descending),
                 code_of(high, descending), values.data());
    return values.get()[0];
}
bool are_some(const ValueDigits& values) { return values.scale != 0; }

// ---- steps ---------------------------------------------------------------------------------------------

TEST(ValueDigits, StepsFollowCodesAndAreEven) {
    for (const auto& [low, high] : {std::pair{-1.0f, 1.0f},
                                    {0.0f, 1.0f},
                                    {1000.0f, 1001.0f},
                                    {-3e38f, -1e-3f},
                                    {1e-40f, 3e-37f},
                                    {-0.0f, 1e-30f}})
        for (const bool descending : {false, true}) {
            SCOPED_TRACE(std::to_string(low) + " to " + std::to_string(high) + (descending ? ", descending" : ""));
            const ValueDigits values = descending ? steps_between(high, low, true) : steps_between(low, high, false);
            ASSERT_TRUE(are_some(values));
            Floats keys = random_items<float>(small() ? 5000 : 50'000, 4);  // bits of all kinds
            std::erase_if(keys, [&](float key) { return code_of(key, descending) >= kLastNans; });
            const Floats within = even(keys.size(), low, high);
            keys.insert(keys.end(), within.begin(), within.end());
            for (const Word sign : {0u, 0x80000000u})
                for (const Word bits :
                     {0u, 1u, 0x7fffffu, 0x800000u, 0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fffffffu})
                    if (code_of(std::bit_cast<float>(sign | bits), descending) < kLastNans)
                        keys.push_back(std::bit_cast<float>(sign | bits));
            std::sort(keys.begin(), keys.end(),
                      [&](float a, float b) { return code_of(a, descending) < code_of(b, descending); });
            const auto steps = steps_of(keys, values);
            EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
            EXPECT_EQ(steps.front(), 0u);
            EXPECT_EQ(steps.back(), kValueSteps - 1);
            std::vector<int> counts(64);
            for (const Word step : steps_of(within, values)) ++counts[step * 64 / kValueSteps];
            const int mean = static_cast<int>(within.size() / 64);
            EXPECT_GT(*std::min_element(counts.begin(), counts.end()), mean / 2);
            EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 2 * mean);
        }
}

TEST(ValueDigits, NoStepsBetweenWhatIsNotApartOrTooFar) {
    EXPECT_FALSE(are_some(steps_between(1, 1)));
    EXPECT_FALSE(are_some(steps_between(2, 1)));
    EXPECT_FALSE(are_some(steps_between(-0.0f, 0.0f)));
    EXPECT_FALSE(are_some(steps_between(-3e38f, 3e38f)));
    EXPECT_FALSE(are_some(steps_between(0, 1e-44f)));
    EXPECT_FALSE(are_some(steps_between(0, kInfinity)));
    EXPECT_TRUE(are_some(steps_between(1, std::nextafter(1.0f, 2.0f))));
}

// ---- the choice ----------------------------------------------------------------------------------------

bool goes_by_values(const Floats& keys, bool descending = false) {
    const Array<Word> in(bits_of(keys));
    Array<PassControl> control(std::vector<PassControl>(1));
    simt::launch(sample_values_kernel<Word>, {1, kHistogramThreads, sizeof(ValueShared), {}, "sample_values_kernel"},
                 in.data(), Count{keys.size()}, bucket_of(descending), span_items(kSpanThreads), control.data());
    return are_some(control.get()[0].values);
}

TEST(SampledValues, EvenOnesTakeSteps) {
    for (const std::size_t n : {std::size_t{1} << 14, std::size_t{50'000}, std::size_t{200'000}}) {
        SCOPED_TRACE(n);
        for (const bool descending : {false, true}) {
            EXPECT_TRUE(goes_by_values(even(n), descending));
            EXPECT_TRUE(goes_by_values(even(n, 0, 1), descending));
        }
        EXPECT_TRUE(goes_by_values(even(n, 1e-42, 1e-37)));
        EXPECT_TRUE(goes_by_values(normal(n)));
        EXPECT_TRUE(goes_by_values(floats(n, [](double u, auto i) { return i % 5000 == 9 ? kInfinity : u; })));
        EXPECT_TRUE(goes_by_values(floats(n, [](double u, auto i) { return i % 5000 == 9 ? -std::nan("") : u; })));
    }
}

TEST(SampledValues, OthersDoNot) {
    for (const std::size_t n : {std::size_t{1} << 14, std::size_t{50'000}, std::size_t{200'000}}) {
        SCOPED_TRACE(n);
        EXPECT_FALSE(goes_by_values(random_items<float>(n))) << "all bits";
        EXPECT_FALSE(goes_by_values(floats(n, [](double u, auto) { return std::exp(80 * u - 40); })))
            << "even by codes";
        EXPECT_FALSE(goes_by_values(floats(n, [](double u, auto) { return std::floor(1000 * u); }))) << "1000 values";
        EXPECT_FALSE(goes_by_values(floats(n, [](double u, auto) { return u < 0.1 ? 0 : u; }))) << "a tenth are zero";
        EXPECT_FALSE(goes_by_values(floats(n, [](double u, auto) { return u < 0.1 ? u * 1e-6 : u; }))) << "or nearly";
        EXPECT_FALSE(goes_by_values(floats(n, [](double, auto) { return 3; }))) << "one value";
        EXPECT_FALSE(goes_by_values(floats(n, [](double, auto) { return std::nan(""); }))) << "NaNs";
        EXPECT_FALSE(goes_by_values(floats(n, [](double u, auto) { return u < 0.5 ? kInfinity : -kInfinity; })));
    }
    EXPECT_FALSE(goes_by_values(even((1 << 14) - 1))) << "few";
}

// ---- spans ---------------------------------------------------------------------------------------------

constexpr ValueDigits kHalves{0.5f, 0.5f};  ///< from −1 to 1

/// Orders floats that stand in order of their steps, with values or alone.
template <class Value, int threads = kSpanThreads>
BucketsFound order_steps(Floats keys, bool descending = false, const BucketLaunch& how = {.places = 3000}) {
    BucketInput<Word> input{.codec = {.is_signed = false, .is_float = true, .descending = descending}, .lowest = 2};
    input.values = {descending ? -kHalves.scale : kHalves.scale, kHalves.shift};
    const std::vector<Word> steps = steps_of(keys, input.values);
    const std::vector<Word> order = stable_order(steps);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        input.keys.push_back(std::bit_cast<Word>(keys[order[i]]));
        input.codes.push_back(code_of(keys[order[i]], descending));
        if (i + 1 == keys.size() || steps[order[i]] != steps[order[i + 1]]) input.ends.push_back(i + 1);
    }
    return check_buckets<Value, threads>(input, how);
}

TEST(ValueSpans, StandInOrder) {
    for (const bool descending : {false, true}) {
        SCOPED_TRACE(descending ? "descending" : "ascending");
        const Floats keys = even(40'000);
        EXPECT_EQ(order_steps<NoValue>(keys, descending).batches, 0u);
        EXPECT_EQ(order_steps<Word>(keys, descending).large, 0u);
        Floats ends = keys;  // steps that have what is beyond the bounds as well
        Floats any = random_items<float>(3000);
        std::erase_if(any, [&](float key) { return code_of(key, descending) >= kLastNans; });
        std::copy(any.begin(), any.end(), ends.begin() + 300);
        order_steps<NoValue>(ends, descending);
        order_steps<Word>(ends, descending);
    }
}

// Few codes, many equal keys of each: neither their number nor their order makes a bin crowded.
TEST(ValueSpans, EqualKeys) {
    for (const int codes : {1, 2, 64, 500, 4094, 4095, 4096, 6000, 1 << 15}) {
        SCOPED_TRACE(codes);
        Random random(5);
        // In steps of 2^8 codes.
        const Floats keys = floats(30'000, [&](double, std::size_t i) {
            return std::bit_cast<float>(std::bit_cast<Word>(0.75f) +
                                        static_cast<Word>(random() % codes + i / 4000 * 8192));
        });
        const BucketsFound alone = order_steps<NoValue>(keys), pairs = order_steps<Word>(keys);
        EXPECT_EQ(alone.batches, 0u);
        if (codes >= 500) {
            EXPECT_EQ(pairs.batches, 0u);
        }
    }
    // Far apart, so that bins of many equal keys have others beside them.
    for (const int values : {10, 30, 100, 300, 1000}) {
        SCOPED_TRACE(values);
        const Floats keys = floats(4500, [&](double u, std::size_t) { return std::floor(u * values) * 0x1p-25; });
        EXPECT_EQ(order_steps<NoValue>(keys).batches, 0u);
        order_steps<Word>(keys);
    }
}

TEST(ValueSpans, InLargeBlocks) {
    for (const int codes : {64, 5000, 1 << 15, 1 << 22}) {
        SCOPED_TRACE(codes);
        Random random(5);
        for (const float factor : {-1.0f, 0x1p-17f}) {
            const Floats keys = floats(17'000, [&](double, std::size_t) {
                return std::bit_cast<float>(std::bit_cast<Word>(0.75f) + static_cast<Word>(random() % codes)) * factor;
            });
            EXPECT_EQ((order_steps<NoValue, kLargeSpanThreads>(keys).batches), 0u) << factor;
        }
    }
}

// Bins of up to some hundred keys that differ: windows take more turns then.
TEST(ValueSpans, CrowdsOfDifferentKeys) {
    for (const std::size_t crowd : {30, 60, 120, 200, 300}) {
        SCOPED_TRACE(crowd);
        const Floats keys = shuffled(floats(3800 + crowd, [&](double u, std::size_t i) {
            return 0x1p-10 + (i < crowd ? 0x1p-17 + u * 0x1p-28 : u * 0x1p-15);  // a bin has 2^6 codes, of 2^-33 each
        }));
        EXPECT_EQ(order_steps<NoValue>(keys).batches, crowd < 200 ? 0u : 1u) << "turns have a limit";
        order_steps<Word>(keys);
    }
}

TEST(ValueSpans, ManyExponents) {
    for (const float low : {-0x1p-13f, 0.0f}) {
        const Floats keys = even(8000, low, 0x1p-13f);
        for (const bool descending : {false, true}) EXPECT_EQ(order_steps<NoValue>(keys, descending).batches, 0u);
        EXPECT_GT(order_steps<Word>(keys).batches, 0u) << "words do not fit";
        order_steps<NoValue>(even(4000, low, 0x1p-120f));
    }
    EXPECT_GT(order_steps<NoValue>(floats(4000, [](double u, auto) { return std::exp2(-120 * u - 16); })).batches, 0u);
}

// Steps that fit no span are sorted as batches or by all blocks, and so are spans of crowded bins: by all digits, since
// a step may have keys that differ in any of them.
TEST(ValueSpans, WhatFitsNone) {
    constexpr std::uint32_t fits = span_items(kSpanThreads), batch = batch_items(sizeof(Word));
    for (const bool descending : {false, true}) {
        SCOPED_TRACE(descending ? "descending" : "ascending");
        const auto step = [=](std::size_t n, double low) {  // around 0: of many exponents
            return floats(n, [=](double u, auto) {
                return low != 0 ? low + u * 0x1p-20 : std::exp2(-100 * u - 17) * (descending ? -1 : 1);
            });
        };
        Floats keys = step(fits + 1, 0.25);
        for (const Floats& more :
             {step(batch, -0.5), step(batch + 1, 0.5), step(3 * batch, 0), Floats(2 * batch, 0.75f)})
            keys.insert(keys.end(), more.begin(), more.end());
        const auto check = [&](const BucketsFound& found) {
            EXPECT_EQ(found.batches, 2u);
            EXPECT_EQ(found.large, 3u);
            EXPECT_EQ(found.split, 2u) << "equal keys stay";
        };
        check(order_steps<NoValue>(shuffled(keys), descending));
        check(order_steps<Word>(shuffled(keys), descending));
        order_steps<Word>(shuffled(keys), descending, {.places = 3000, .writes_keys = false, .more_room = 5000});
        const BucketsFound crowded = order_steps<NoValue, kLargeSpanThreads>(step(batch + 300, 0), descending);
        EXPECT_EQ(crowded.spans, 1u);
        EXPECT_EQ(crowded.split, 1u);
    }
}

// ---- whole sorts ---------------------------------------------------------------------------------------

void check_sorts(const Floats& keys, const char* what) {
    SCOPED_TRACE(what);
    const std::size_t n = keys.size();
    const Pretending device(3, 227 * 1024);
    const auto words = random_items<Word>(n, 3);
    for (const auto order : {kogge::ascending, kogge::descending}) {
        if (sparing() && order == kogge::descending) continue;
        SCOPED_TRACE(order == kogge::ascending ? "ascending" : "descending");
        std::vector<Word> codes;
        for (const float key : keys) codes.push_back(code_of(key, order == kogge::descending));
        const std::vector<Word> want = stable_order(codes);
        const auto sorted = bits_of(gathered(keys, want));
        Array<float> in(keys), out(n);
        Array<Word> with(words), with_out(n), indices(n);
        kogge::radix_sort(in.data(), out.data(), n, {.order = order});
        EXPECT_TRUE(same(bits_of(out.get()), sorted)) << "keys";
        kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, {.order = order});
        EXPECT_TRUE(same(bits_of(out.get()), sorted)) << "keys of pairs";
        EXPECT_TRUE(same(with_out.get(), gathered(words, want))) << "values";
        kogge::argsort(in.data(), indices.data(), n, {.order = order});
        EXPECT_TRUE(same(indices.get(), want)) << "indices";
        kogge::radix_sort(in.data(), n, {.order = order});
        EXPECT_TRUE(same(bits_of(in.get()), sorted)) << "keys in place";
    }
}

constexpr std::size_t kMany = 98'305;
TEST(ValueSorts, OfManyDistributions) {
    check_sorts(even(kMany), "even");
    if (sparing()) return;
    check_sorts(even(kMany, 0, 1), "from 0 to 1");
    check_sorts(normal(kMany), "normal");
    Floats sorted = even(kMany);
    std::sort(sorted.begin(), sorted.end());
    check_sorts(sorted, "sorted");
    check_sorts({sorted.rbegin(), sorted.rend()}, "reversed");
    for (const double nan : {std::nan(""), -std::nan("")})
        check_sorts(
            floats(kMany, [=](double u, auto i) { return i % 9000 == 5   ? -kInfinity
                                                         : i % 7000 == 4 ? nan
                                                                         : u; }),
            "with infinities and NaNs");
    check_sorts(floats(kMany, [](double u, auto) { return std::exp(80 * u - 40); }), "by codes");
    check_sorts(floats(kMany, [](double u, auto) { return std::floor(1000 * u); }), "1000 values");
    // Steps that the sample does not show to be full: keys that it has not seen are all in one, or equal.
    Floats full = even(kMany);
    for (std::size_t i = 0; i < kMany; ++i) full[i] = 0.5f + full[i] * 0x1p-12f;
    const Floats seen = even(kValueSamples);
    for (std::size_t s = 0; s < kValueSamples; ++s)
        full[sample_place(static_cast<std::uint32_t>(s), kMany / kValueSamples)] = seen[s];
    EXPECT_TRUE(goes_by_values(full));
    check_sorts(full, "full steps that the count finds");
    Floats spikes = even(kMany);
    for (std::size_t i = 0; i < kMany; ++i)
        if (i % 12 == 0) spikes[i] = 0.25f + static_cast<float>(i / 12 % 7) * 0x1p-20f;
    for (std::size_t s = 0; s < kValueSamples; ++s)
        spikes[sample_place(static_cast<std::uint32_t>(s), kMany / kValueSamples)] = seen[s];
    EXPECT_TRUE(goes_by_values(spikes));
    check_sorts(spikes, "a full step that no count finds");
}

}  // namespace
