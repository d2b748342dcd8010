// kogge-test: EMULATED GPU HOST
// Scans whose sums are kept in a type of their own, and inputs that are read on the fly, in every form of a scan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "kogge/calls/segmented_scan.hpp"
#include "kogge/reverse_scan.hpp"
#include "kogge/scan.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using kogge::plus;

constexpr kogge::grid_strategy kStrategies[] = {kogge::grid_strategy::automatic, kogge::one_wave, kogge::on_chip,
                                                kogge::two_level, kogge::recursive};
constexpr std::size_t kItems = 70'001;

static_assert(plus{}(std::numeric_limits<std::int32_t>::max(), 1) == std::numeric_limits<std::int32_t>::min());
static_assert(plus{}(std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}) ==
              std::numeric_limits<std::int64_t>::max());

TEST(Accumulators, BytesInto64Bits) {
    const Pretending device(2);
    const auto items = random_items<std::uint8_t>(kItems);
    const Array<std::uint8_t> in(items);
    std::vector<std::uint64_t> want;
    std::uint64_t sum = 1'000'000'000'000;
    for (const std::uint8_t item : items) want.push_back(sum += item);
    for (const auto grid : kStrategies) {
        Array<std::uint64_t> out(kItems);
        kogge::inclusive_scan(in.data(), out.data(), kItems, plus{}, std::uint64_t{1'000'000'000'000}, {.grid = grid});
        EXPECT_TRUE(same(out.get(), want)) << kogge::to_string(grid);
    }
}

/// Without an initial value sums are kept in the type of the results, from either end and by key.
TEST(Accumulators, SumsAreOfTheResultsType) {
    const Pretending device(2);
    const auto items = random_items<std::uint8_t>(kItems);
    const Array<std::uint8_t> in(items), keys(std::vector<std::uint8_t>(kItems, 1));
    std::vector<std::uint64_t> want, want_reversed(kItems);
    std::uint64_t sum = 0, reversed = 0;
    for (const std::uint8_t item : items) want.push_back(sum += item);
    for (std::size_t i = kItems; i-- > 0;) want_reversed[i] = reversed += items[i];
    Array<std::uint64_t> out(kItems);
    kogge::inclusive_scan(in.data(), out.data(), kItems);
    EXPECT_TRUE(same(out.get(), want));
    kogge::reverse_inclusive_scan(in.data(), out.data(), kItems);
    EXPECT_TRUE(same(out.get(), want_reversed));
    kogge::inclusive_scan_by_key(keys.data(), in.data(), out.data(), kItems);
    EXPECT_TRUE(same(out.get(), want));
}

/// From a number sums are kept in the type that it and the results have in common: a literal 0 is an int.
TEST(Accumulators, ALiteralZeroNarrowsNothing) {
    const std::size_t n = 3000;
    std::vector<std::uint64_t> items(n, std::uint64_t{1} << 31), sums(n), sums_from_end(n);
    std::vector<double> halves(n, 0.5), half_sums(n);
    for (std::size_t i = 0; i < n; ++i) {
        sums[i] = i << 31;
        sums_from_end[n - 1 - i] = sums[i];
        half_sums[i] = 0.5 * static_cast<double>(i + 1);
    }
    const Array<std::uint64_t> in(items);
    const Array<double> fractions(halves);
    Array<std::uint64_t> out(n);
    Array<double> of_fractions(n);
    kogge::exclusive_scan(in.data(), out.data(), n, 0);
    EXPECT_TRUE(same(out.get(), sums));
    kogge::reverse_exclusive_scan(in.data(), out.data(), n, 0);
    EXPECT_TRUE(same(out.get(), sums_from_end));
    kogge::inclusive_scan(fractions.data(), of_fractions.data(), n, plus{}, 0);
    EXPECT_TRUE(same(of_fractions.get(), half_sums));
    kogge::exclusive_segmented_scan(in.data(), out.data(), kogge::rows_of{n, 1}, 0);
    EXPECT_TRUE(same(out.get(), sums));
    static_assert(std::is_same_v<kogge::detail::accumulator_of<double, std::uint32_t>, double>, "init's, where wider");
    static_assert(std::is_same_v<kogge::detail::accumulator_of<std::uint32_t, std::uint32_t>, std::uint32_t>);
    static_assert(std::is_same_v<kogge::detail::accumulator_of<float, kogge::half>, float>);
}

/// Integers from 0 to 15, whose sums a float holds exactly.
template <class Narrow>
std::vector<Narrow> small_integers();
template <>
std::vector<kogge::half> small_integers() {
    constexpr std::uint16_t bits[] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700,
                                      0x4800, 0x4880, 0x4900, 0x4980, 0x4a00, 0x4a80, 0x4b00, 0x4b80};
    std::vector<kogge::half> items;
    for (const std::uint8_t item : random_items<std::uint8_t>(kItems)) items.push_back({bits[item % 16]});
    return items;
}
template <>
std::vector<kogge::bfloat16> small_integers() {
    constexpr std::uint16_t bits[] = {0x0000, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0, 0x40e0,
                                      0x4100, 0x4110, 0x4120, 0x4130, 0x4140, 0x4150, 0x4160, 0x4170};
    std::vector<kogge::bfloat16> items;
    for (const std::uint8_t item : random_items<std::uint8_t>(kItems)) items.push_back({bits[item % 16]});
    return items;
}

template <class Narrow>
void sum_in_floats() {
    const Pretending device(2);
    const Array<Narrow> in(small_integers<Narrow>());
    std::vector<float> want;
    float sum = 3;
    for (const std::uint8_t item : random_items<std::uint8_t>(kItems)) {
        want.push_back(sum);
        sum += static_cast<float>(item % 16);
    }
    for (const auto grid : kStrategies) {
        Array<float> out(kItems);
        kogge::exclusive_scan(in.data(), out.data(), kItems, 3.0f, plus{}, {.grid = grid});
        EXPECT_TRUE(same(out.get(), want)) << kogge::to_string(grid);
    }
}
TEST(Accumulators, HalvesIntoFloats) { sum_in_floats<kogge::half>(); }
TEST(Accumulators, Bfloat16sIntoFloats) { sum_in_floats<kogge::bfloat16>(); }
#if defined(__CUDACC__)
TEST(Accumulators, CudasHalvesIntoFloats) {
    const Array<kogge::half> in(small_integers<kogge::half>());
    Array<float> out(kItems), want(kItems);
    kogge::exclusive_scan(in.data(), want.data(), kItems, 3.0f);
    kogge::exclusive_scan(reinterpret_cast<const __half*>(in.data()), out.data(), kItems, 3.0f);
    EXPECT_TRUE(same(out.get(), want.get()));
}
#endif

TEST(Halves, ConvertExactly) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
        double want = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
        if (exponent == 31) want = fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
        const auto got = static_cast<float>(kogge::half{static_cast<std::uint16_t>(bits)});
        EXPECT_EQ(std::signbit(got), bits >= 0x8000) << bits;
        if (std::isnan(want)) EXPECT_TRUE(std::isnan(got)) << bits;
        else EXPECT_EQ(std::abs(got), want) << bits;
    }
    EXPECT_EQ(static_cast<float>(kogge::bfloat16{0xc0a0}), -5.0f);
}

struct ThreeBytes {
    std::uint8_t byte[3];
    KOGGE_HOST_DEVICE operator std::uint32_t() const {
        return byte[0] | std::uint32_t{byte[1]} << 8 | std::uint32_t{byte[2]} << 16;
    }
};

/// Sums from either end, items and results at any boundary, in a grid that takes its tiles at once or by tickets.
template <class Item, class Sum>
void sum_between_widths() {
    const Pretending device(2);
    for (const std::size_t n : {1u, 31u, 2'017u, 70'001u, 700'003u}) {
        if (small() && n > 100'000) continue;
        std::vector<Item> items = random_items<Item>(n + 3, n);
        const Array<Item> in(items);
        for (const int shift : {0, 1, 3}) {
            std::vector<Sum> forward, backward(n);
            Sum sum = 5;
            for (std::size_t i = 0; i < n; ++i) forward.push_back(sum = static_cast<Sum>(sum + items[i + shift]));
            sum = 5;
            for (std::size_t i = n; i-- > 0;) backward[i] = sum = static_cast<Sum>(sum + items[i + shift]);
            for (const auto grid : {kogge::grid_strategy::automatic, kogge::on_chip}) {
                const Sum guard = 77;
                Array<Sum> out(std::vector<Sum>(n + 8, guard));
                Sum* const results = out.data() + (shift == 3 ? 4 : shift);
                const auto check = [&](const std::vector<Sum>& want, const char* from) {
                    std::vector<Sum> all(n + 8, guard);
                    std::copy(want.begin(), want.end(), all.begin() + (results - out.data()));
                    EXPECT_TRUE(same(out.get(), all)) << n << " from the " << from << ", shifted by " << shift;
                };
                kogge::inclusive_scan(in.data() + shift, results, n, plus{}, Sum{5}, {.grid = grid});
                check(forward, "start");
                kogge::reverse_exclusive_scan(in.data() + shift, results, n, Sum{5}, plus{}, {.grid = grid});
                std::vector<Sum> before(backward.begin() + 1, backward.end());
                before.push_back(5);
                check(before, "end");
            }
        }
    }
}
TEST(Accumulators, WiderByEight) { sum_between_widths<std::uint8_t, std::uint64_t>(); }
TEST(Accumulators, NarrowerByTwo) { sum_between_widths<std::uint64_t, std::uint32_t>(); }
#if !defined(__CUDACC__)  // minutes of compilation fewer
TEST(Accumulators, WiderByTwo) { sum_between_widths<std::uint8_t, std::uint16_t>(); }
TEST(Accumulators, WiderByFour) { sum_between_widths<std::uint16_t, std::uint64_t>(); }
TEST(Accumulators, NarrowerByFour) { sum_between_widths<std::uint32_t, std::uint8_t>(); }
TEST(Accumulators, OfThreeBytes) {
    sum_between_widths<ThreeBytes, std::uint32_t>();
    sum_between_widths<ThreeBytes, std::uint64_t>();
}
#endif

/// Runs of every length up to some thousands, as keys and as offsets.
struct Runs {
    std::vector<std::uint32_t> keys;
    std::vector<std::uint64_t> offsets;
    explicit Runs(std::size_t n) : keys(n) {
        Random random(n);
        for (std::size_t begin = 0; begin < n;) {
            const std::size_t end = std::min<std::size_t>(n, begin + 1 + random() % (random() % 9 == 0 ? 6000 : 60));
            offsets.push_back(begin);
            for (std::size_t i = begin; i < end; ++i) keys[i] = static_cast<std::uint32_t>(offsets.size());
            begin = end;
        }
    }
};
/// The sums of each run, from `init` on; exclusive ones begin with it.
template <class Sum, class Item>
std::vector<Sum> sums_of_runs(const Item* items, const Runs& runs, Sum init, bool inclusive) {
    std::vector<Sum> sums;
    for (std::size_t i = 0; i < runs.keys.size(); ++i) {
        const bool head = i == 0 || runs.keys[i] != runs.keys[i - 1];
        if (inclusive) sums.push_back(head ? static_cast<Sum>(items[i]) : static_cast<Sum>(sums.back() + items[i]));
        else sums.push_back(head ? init : static_cast<Sum>(sums.back() + items[i - 1]));
    }
    return sums;
}

template <class Item, class Sum>
void sum_runs_between_widths() {
    const Pretending device(2);
    const Sum init = 5;
    for (const std::size_t n : {1u, 2'017u, 70'001u}) {
        const Runs runs(n);
        const auto items = random_items<Item>(n + 1, n);
        const Array<Item> in(items);
        const Array<std::uint32_t> keys(runs.keys);
        const Array<std::uint64_t> offsets(runs.offsets);
        for (const int shift : {0, 1}) {
            const auto inclusive = sums_of_runs<Sum>(items.data() + shift, runs, init, true);
            const auto exclusive = sums_of_runs<Sum>(items.data() + shift, runs, init, false);
            const Item* const values = in.data() + shift;
            for (const auto grid : kStrategies) {
                SCOPED_TRACE(std::to_string(n) + " items, " + kogge::to_string(grid));
                const kogge::scan_options options{.grid = grid};
                const auto check = [&](const std::vector<Sum>& want, const auto& call) {
                    Array<Sum> out(std::vector<Sum>(n + 2, Sum{77}));
                    call(out.data() + shift);
                    std::vector<Sum> all(n + 2, Sum{77});
                    std::copy(want.begin(), want.end(), all.begin() + shift);
                    EXPECT_TRUE(same(out.get(), all));
                };
                check(inclusive, [&](Sum* out) {
                    kogge::inclusive_scan_by_key(keys.data(), values, out, n, plus{}, kogge::equal_to{}, options);
                });
                check(exclusive, [&](Sum* out) {
                    kogge::exclusive_scan_by_key(keys.data(), values, out, n, 5, plus{}, kogge::equal_to{}, options);
                });
                check(inclusive, [&](Sum* out) {
                    kogge::inclusive_segmented_scan(values, out, n, offsets.data(), runs.offsets.size(), plus{},
                                                    options);
                });
                check(exclusive, [&](Sum* out) {
                    kogge::exclusive_segmented_scan(values, out, n, offsets.data(), runs.offsets.size(), 5, plus{},
                                                    options);
                });
            }
        }
    }
}
TEST(AccumulatorsOfRuns, WiderByEight) { sum_runs_between_widths<std::uint8_t, std::uint64_t>(); }
#if !defined(__CUDACC__)  // minutes of compilation fewer
TEST(AccumulatorsOfRuns, Bytes) { sum_runs_between_widths<std::uint8_t, std::uint8_t>(); }
TEST(AccumulatorsOfRuns, WiderByTwo) { sum_runs_between_widths<std::uint16_t, std::uint32_t>(); }
TEST(AccumulatorsOfRuns, NarrowerByTwo) { sum_runs_between_widths<std::uint64_t, std::uint32_t>(); }
#endif

TEST(AccumulatorsOfRuns, OverAChosenNetwork) {
    const std::size_t n = 20'001;
    const Runs runs(n);
    const auto items = random_items<std::uint8_t>(n);
    const Array<std::uint8_t> in(items);
    const Array<std::uint64_t> offsets(runs.offsets);
    Array<std::uint64_t> out(n);
    kogge::inclusive_segmented_scan(in.data(), out.data(), n, offsets.data(), runs.offsets.size(), plus{},
                                    {.grid = kogge::two_level, .block = kogge::brent_kung});
    EXPECT_TRUE(same(out.get(), sums_of_runs<std::uint64_t>(items.data(), runs, std::uint64_t{0}, true)));
}

#if KOGGE_KERNELS
/// Scratch of exactly the plan's bytes is enough; with a byte less nothing is changed.
TEST(AccumulatorsOfRuns, ScratchIsAsPlanned) {
    const Pretending device(2);
    for (const std::size_t n : {100u, 30'001u, 70'001u}) {
        const Runs runs(n);
        const auto items = random_items<std::uint8_t>(n);
        const Array<std::uint8_t> in(items);
        const Array<std::uint32_t> keys(runs.keys);
        const Array<std::uint64_t> offsets(runs.offsets);
        const auto want = sums_of_runs<std::uint64_t>(items.data(), runs, std::uint64_t{0}, true);
        const auto check = [&](const kogge::scan_plan& plan, const auto& call) {
            ASSERT_GT(plan.scratch_bytes, 0u);
            Array<std::uint8_t> space(std::vector<std::uint8_t>(plan.scratch_bytes));
            Array<std::uint64_t> out(std::vector<std::uint64_t>(n, 3));
            kogge::exec how{.space = {space.data(), plan.scratch_bytes - 1}};
            try {
                call(out.data(), how);
                ADD_FAILURE() << "too little scratch was taken";
            } catch (const kogge::error& failure) {
                EXPECT_EQ(failure.code(), kogge::errc::out_of_memory) << failure.what();
            }
            EXPECT_TRUE(same(out.get(), std::vector<std::uint64_t>(n, 3)));
            how.space.bytes = plan.scratch_bytes;
            call(out.data(), how);
            EXPECT_TRUE(same(out.get(), want)) << n;
        };
        const auto properties = kogge::simt::current_properties();
        check(kogge::plan_scan(n, kogge::by_key_shape<std::uint8_t, std::uint64_t>(), {}, properties),
              [&](std::uint64_t* out, const kogge::exec& how) {
                  kogge::inclusive_scan_by_key(keys.data(), in.data(), out, n, plus{}, kogge::equal_to{}, how);
              });
        const auto plan = kogge::plan_scan(n, kogge::segments_shape<std::uint8_t, std::uint64_t>(), {}, properties);
        EXPECT_EQ(plan.mark_words, plan.grid == kogge::one_wave ? 0 : (n + 31) / 32);
        check(plan, [&](std::uint64_t* out, const kogge::exec& how) {
            kogge::inclusive_segmented_scan(in.data(), out, n, offsets.data(), runs.offsets.size(), plus{}, how);
        });
    }
}
#endif

/// Every third item, as an iterator that only knows [ ].
template <class T>
struct EveryThird {
    const T* items;
    KOGGE_HOST_DEVICE const T& operator[](std::uint64_t i) const { return items[3 * i]; }
};
/// Twice the item.
template <class T>
struct Doubled {
    const T* items;
    KOGGE_HOST_DEVICE T operator[](std::uint64_t i) const { return static_cast<T>(2 * items[i]); }
};

TEST(InputsOnTheFly, Iterators) {
    const Pretending device(2);
    const auto items = random_items<std::int64_t>(3 * kItems);
    const Array<std::int64_t> in(items);
    std::vector<std::int64_t> want;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kItems; ++i) want.push_back(sum = plus{}(sum, items[3 * i]));
    for (const auto grid : kStrategies) {
        Array<std::int64_t> out(kItems);
        kogge::inclusive_scan(EveryThird<std::int64_t>{in.data()}, out.data(), kItems, plus{}, {.grid = grid});
        EXPECT_TRUE(same(out.get(), want)) << kogge::to_string(grid);
    }
}

TEST(InputsOnTheFly, InPlace) {
    const Pretending device(2);
    const auto items = random_items<std::uint32_t>(kItems);
    std::vector<std::uint32_t> want;
    std::uint32_t sum = 7;
    for (const std::uint32_t item : items) {
        want.push_back(sum);
        sum += 2 * item;
    }
    for (const auto grid : kStrategies) {
        Array<std::uint32_t> array(items);
        kogge::exclusive_scan(Doubled<std::uint32_t>{array.data()}, array.data(), kItems, 7u, plus{}, {.grid = grid});
        EXPECT_TRUE(same(array.get(), want)) << kogge::to_string(grid);
    }
}

TEST(InputsOnTheFly, IteratorsOfTheStandardLibraryOnTheHost) {
    const std::vector<std::uint32_t> items{1, 2, 3, 4};
    std::vector<std::uint32_t> out(4);
    kogge::inclusive_scan(items.begin(), out.data(), 4, plus{}, kogge::exec{.where = kogge::backend::host});
    EXPECT_EQ(out, (std::vector<std::uint32_t>{1, 3, 6, 10}));
}

// A strategy and a network are values.
TEST(Options, ByName) {
    const auto items = random_items<std::uint32_t>(kItems);
    const Array<std::uint32_t> in(items);
    Array<std::uint32_t> want(kItems), out(kItems);
    kogge::inclusive_scan(in.data(), want.data(), kItems);
    kogge::inclusive_scan(in.data(), out.data(), kItems, plus{},
                          {.grid = kogge::two_level, .block = kogge::brent_kung});
    EXPECT_TRUE(same(out.get(), want.get()));
    const auto plan = kogge::plan_scan(kItems, {4, 4, 4}, {.grid = kogge::two_level, .block = kogge::brent_kung},
                                       kogge::h200_properties());
    EXPECT_EQ(plan.grid, kogge::two_level);
    EXPECT_EQ(plan.block, kogge::brent_kung);
}

}  // namespace
