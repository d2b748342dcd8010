// kogge-test: EMULATED GPU HOST
// Splits of words, with values of any size, by every number of bins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kogge/partition.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

/// Like a lambda with captures, and like CUDA's extended lambdas, it can be copied but not assigned.
struct ModuloBins {
    const std::uint32_t bins;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint32_t key) const { return key % bins; }
};

template <class Value>
void check_split(std::size_t n, std::uint32_t bins) {
    const auto keys = random_items<std::uint32_t>(n, bins);
    const auto values = random_items<Value>(n, 2);
    std::vector<std::uint32_t> of_bins;
    for (const std::uint32_t key : keys) of_bins.push_back(key % bins);
    std::vector<std::uint32_t> want_keys;
    std::vector<Value> want_values;
    std::vector<std::uint64_t> want_offsets(bins + 1, 0);
    for (const std::uint32_t i : stable_order(of_bins)) {
        want_keys.push_back(keys[i]);
        want_values.push_back(values[i]);
        ++want_offsets[of_bins[i] + 1];
    }
    for (std::uint32_t bin = 0; bin < bins; ++bin) want_offsets[bin + 1] += want_offsets[bin];

    const Array<std::uint32_t> in(keys);
    const Array<Value> values_in(values);
    Array<std::uint32_t> out(n), alone(n);
    Array<Value> values_out(n);
    Array<std::uint64_t> offsets(bins + 1);
    kogge::split_pairs(in.data(), values_in.data(), out.data(), values_out.data(), offsets.data(), n, bins,
                       ModuloBins{bins}, {.where = kWhere});
    EXPECT_TRUE(same(out.get(), want_keys)) << n << " keys, " << bins << " bins";
    EXPECT_TRUE(same(values_out.get(), want_values)) << n << " values, " << bins << " bins";
    EXPECT_TRUE(same(offsets.get(), want_offsets)) << bins << " bins";
    kogge::split(in.data(), alone.data(), n, bins, ModuloBins{bins}, {.where = kWhere});
    EXPECT_TRUE(same(alone.get(), want_keys)) << bins << " bins";
}

TEST(Split, BinsAndOffsets) {
    for (const std::uint32_t bins : {1u, 2u, 3u, 16u, 255u, 256u, 257u, 4096u}) check_split<std::uint32_t>(20001, bins);
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{4097}})
        check_split<std::uint32_t>(n, 10);
}
// So few items that each block counts all of them, up to the most, in bins up to the most; of more bins one block takes
// them.
TEST(Split, FewItems) {
    for (const std::size_t n : {2u, 31u, 64u, 65u, 511u, 4000u, 4096u, 4097u, 8192u, 8193u})
        for (const std::uint32_t bins : {2u, 257u, 4096u}) check_split<std::uint32_t>(n, bins);
    for (const std::size_t n : {1u, 4096u})
        for (const std::uint32_t bins : {256u, 1000u, 4095u, 4097u}) check_split<std::uint64_t>(n, bins);
}
struct Odd12 {
    std::uint32_t a, b, c;
};
struct Three {
    std::uint8_t bytes[3];
};
struct SixtyFour {
    std::uint64_t words[8];
};
TEST(Split, ValuesOfAnySize) {
    check_split<Three>(5001, 100);
    check_split<Odd12>(5001, 300);
    check_split<SixtyFour>(2001, 7);
}

// So many items that a device's passes are pipelined.
TEST(Split, ManyTiles) {
    std::size_t n = 98305;
    if constexpr (kOnDevice)
        n = static_cast<std::size_t>(kogge::simt::current_properties().multiprocessors) * 24576 + 1;
    check_split<std::uint32_t>(n, 256);
    check_split<std::uint32_t>(n, 15);  // digits so few that they are ranked in another way
    if (small()) return;
    check_split<std::uint32_t>(n, 16);
    check_split<std::uint32_t>(n, 600);
    check_split<std::uint64_t>(n + 1000, 3);
    check_split<Odd12>(n + 24575, 1000);
    check_split<Three>(n, 200);
    check_split<SixtyFour>(n, 7);
}

// A caller's function may not know what to do with what is no item: it meets the items alone, in full tiles and others.
// Passes over items of 64 bytes are plain ones.
template <class Item>
struct MarkedBins {
    static constexpr std::uint32_t kMark = 0xa5a50000;
    std::uint32_t bins;
    std::uint32_t* strangers;

    static Item marked(std::uint32_t number) {
        const std::uint32_t word = kMark | (number & 0xffff);
        if constexpr (sizeof(Item) == sizeof word) return word;
        else return {{word, number}};
    }
    KOGGE_HOST_DEVICE static std::uint32_t word_of(std::uint32_t item) { return item; }
    KOGGE_HOST_DEVICE static std::uint32_t word_of(const SixtyFour& item) {
        return static_cast<std::uint32_t>(item.words[0]);
    }
    KOGGE_HOST_DEVICE std::uint32_t operator()(const Item& item) const {
        const std::uint32_t word = word_of(item);
        if ((word & 0xffff0000) != kMark) *strangers = 1;
        return (word & 0xffff) % bins;
    }
};
template <class Item>
void check_strangers(std::size_t n, std::uint32_t bins) {
    std::vector<Item> items;
    for (const std::uint32_t number : random_items<std::uint32_t>(n)) items.push_back(MarkedBins<Item>::marked(number));
    const Array<Item> in(items);
    Array<Item> out(n);
    Array<std::uint32_t> strangers(std::vector<std::uint32_t>{0});
    kogge::split(in.data(), out.data(), n, bins, MarkedBins<Item>{bins, strangers.data()}, {.where = kWhere});
    EXPECT_EQ(strangers.get()[0], 0u) << n << " items of " << sizeof(Item) << " bytes, " << bins << " bins";
}
TEST(Split, TheFunctionMeetsItemsAlone) {
    for (const std::size_t n : {100u, 4097u, 8193u, 20001u})
        for (const std::uint32_t bins : {10u, 300u}) {
            check_strangers<std::uint32_t>(n, bins);
            check_strangers<SixtyFour>(n, bins);
        }
}

#if KOGGE_KERNELS
TEST(SplitDeviceCount, OfFewUnderABound) {
    constexpr std::size_t bound = 3000, bins = 300;
    const auto items = random_items<std::uint32_t>(bound);
    const Array<std::uint32_t> in(items);
    for (const std::size_t n : {0, 1, 100, 3000}) {
        const Array<std::uint64_t> number(std::vector<std::uint64_t>{n});
        Array<std::uint32_t> out(bound);
        Array<std::uint64_t> offsets(bins + 1);
        kogge::split(in.data(), out.data(), offsets.data(), kogge::device_count{number.data(), bound}, bins,
                     ModuloBins{bins});
        std::vector<std::uint32_t> want(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(n));
        std::stable_sort(want.begin(), want.end(),
                         [](std::uint32_t a, std::uint32_t b) { return a % bins < b % bins; });
        std::vector<std::uint64_t> starts(bins + 1, 0);
        for (const std::uint32_t item : want) ++starts[item % bins + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        want.resize(bound, Array<std::uint32_t>::poison());
        EXPECT_TRUE(same(out.get(), want)) << n;
        EXPECT_TRUE(same(offsets.get(), starts)) << n;
    }
}
#endif

TEST(SplitErrors, AreFoundBeforeAnythingChanges) {
    const auto items = random_items<std::uint32_t>(1000);
    Array<std::uint32_t> in(items), out(1000);
    EXPECT_EQ(code_of([&] { kogge::split(in.data(), out.data(), 9, 0, ModuloBins{1}); }),
              kogge::errc::invalid_argument);
    const auto negative = static_cast<std::uint32_t>(-1);
    EXPECT_EQ(code_of([&] { kogge::split(in.data(), out.data(), 9, negative, ModuloBins{1}); }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::split(in.data(), in.data(), 9, 2, ModuloBins{2}); }), kogge::errc::overlap);
    EXPECT_TRUE(same(in.get(), items));
}

}  // namespace
