// kogge-test: EMULATED GPU HOST
#include "kogge/partition.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "kogge/ranges.hpp"
#include "support/backend.hpp"
#include "support/compact_plans.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;

struct DivisibleBy {
    std::uint64_t by;
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(const T& item) const {
        return item % by == 0;
    }
};

std::vector<std::size_t> sizes() {
    std::vector<std::size_t> list{0,    1,    2,    33,   2047,  2048,  2049,  2559,  2560,  2561, 4096,
                                  4097, 5119, 5120, 5121, 10239, 10240, 10241, 16384, 20480, 30001};
    if (!small()) list.push_back(450001);
    return list;
}

template <class T, class Predicate>
std::vector<T> kept_of(const std::vector<T>& items, Predicate keep) {
    std::vector<T> kept;
    std::copy_if(items.begin(), items.end(), std::back_inserter(kept), keep);
    return kept;
}
template <class T>
std::vector<T> front(const Array<T>& array, std::uint64_t n) {
    std::vector<T> items = array.get();
    items.resize(n);
    return items;
}

template <class T>
class Compact : public ::testing::Test {};
using Numbers = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Compact, Numbers);

TYPED_TEST(Compact, KeepsInOrder) {
    for (const std::size_t n : sizes()) {
        for (const std::uint64_t by : {1, 2, 7}) {
            const auto items = random_items<TypeParam>(n, n + by);
            const auto want = kept_of(items, DivisibleBy{by});
            const Array<TypeParam> in(items);
            Array<TypeParam> out(n);
            EXPECT_EQ(kogge::compact(in.data(), out.data(), n, DivisibleBy{by}, {.where = kWhere}), want.size());
            EXPECT_TRUE(same(front(out, want.size()), want)) << n;
            auto rest = out.get();
            EXPECT_TRUE(std::all_of(rest.begin() + static_cast<std::ptrdiff_t>(want.size()), rest.end(),
                                    [](TypeParam item) { return item == Array<TypeParam>::poison(); }));
        }
    }
}

/// So many items that making and comparing them takes the time of a test: a GPU's waves.
constexpr std::size_t kMany = 1'000'000;

/// Sizes around the most items that fit the device at once, fewer than `limit`: in shared memory, in registers too, and
/// one that does not.
template <class T>
std::vector<std::size_t> large_sizes(std::size_t limit) {
    std::vector<std::size_t> list{123457};
    if constexpr (!kOnDevice) return list;
    std::size_t most = 0;
    for (std::size_t step = std::size_t{1} << 30; step > 0; step /= 2)
        if (is_wave(kogge::plan_compact(most + step, sizeof(T), false, false, kogge::simt::current_properties())))
            most += step;
    for (const std::size_t n : {most / 8 * 3 + 3, most - 5, most + 1})
        if (n < (small() ? 300000 : limit)) list.push_back(n);
    return list;
}

template <class T>
void compact_in_place_and_at_every_offset(std::size_t n) {
    const auto items = random_items<T>(n);
    const auto want = kept_of(items, DivisibleBy{2});
    for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{1, 0}, {0, 1}, {3, 5}, {15, 15}}) {
        if (n > kMany && from != 1) continue;
        const Array<T> in(items, from);
        Array<T> out(n, to);
        ASSERT_EQ(kogge::compact(in.data(), out.data(), n, DivisibleBy{2}), want.size());
        EXPECT_TRUE(same(front(out, want.size()), want)) << from << " " << to;
    }
    for (const std::size_t at : {0, 1}) {
        if (n > kMany && at != 0) continue;
        Array<T> array(items, at);
        ASSERT_EQ(kogge::compact(array.data(), array.data(), n, DivisibleBy{2}), want.size());
        EXPECT_TRUE(same(front(array, want.size()), want)) << "in place, " << n;
    }
}

TYPED_TEST(Compact, InPlaceAndAtEveryOffset) {
    for (const std::size_t n : large_sizes<TypeParam>(40'000'000)) compact_in_place_and_at_every_offset<TypeParam>(n);
}

// A kernel looks once at the relation for all items of a warp, where those fill their rows.
template <class T>
void keep_by_each_relation(std::size_t n, const T& value, const std::vector<T>& values) {
    std::vector<T> items;
    for (const std::uint8_t choice : random_items<std::uint8_t>(n)) items.push_back(values[choice % values.size()]);
    const Array<T> in(items);
    using kogge::relation;
    for (const relation test : {relation::less, relation::less_equal, relation::greater, relation::greater_equal,
                                relation::equal, relation::not_equal}) {
        const kogge::compare<T> keep{test, value};
        const auto want = kept_of(items, keep);
        Array<T> out(n);
        ASSERT_EQ(kogge::compact(in.data(), out.data(), n, keep, {.where = kWhere}), want.size());
        EXPECT_TRUE(want.empty() || std::memcmp(out.get().data(), want.data(), want.size() * sizeof(T)) == 0)
            << n << ", relation " << static_cast<int>(test);
    }
}
// Four of them are compared at once: beside each other stand values that differ by little, or in the highest bit.
template <class T>
void keep_bytes_by_each_relation(std::size_t n) {
    for (const int value : {0, 7, 127, 128, 200, 255}) {
        std::vector<T> values;
        for (const int item : {value - 1, value, value + 1, value ^ 128, 0, 127, 128, 255})
            values.push_back(static_cast<T>(item));
        keep_by_each_relation<T>(n, static_cast<T>(value), values);
    }
}
TEST(CompactRelations, OfAllItems) {
    const Pretending device(1);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t n : {5000, 131072 + 77}) {  // a wave, a ring
        keep_bytes_by_each_relation<std::uint8_t>(8 * n);
        keep_bytes_by_each_relation<std::int8_t>(8 * n);
        keep_by_each_relation<std::int16_t>(2 * n, -7, {-32768, -8, -7, -6, 0, 32767});
        keep_by_each_relation<float>(n, 0.5f, {-1.0f, 0.5f, 1.0f, nan});
        keep_by_each_relation<float>(n, nan, {-1.0f, nan});
    }
}

// Of narrow items a ring has the most a lane, and moves whole words of them.
template <class T>
void compact_narrow_in_a_ring(std::size_t n) {
    const Pretending device(1);
#if KOGGE_EMULATED
    ASSERT_TRUE(is_pipelined(kogge::plan_compact(n, sizeof(T), false, false, kogge::simt::current_properties())));
#endif
    auto items = random_items<T>(n);
    std::fill(items.begin() + 9000, items.begin() + 12000, T{0});  // all kept, then none but by 1
    std::fill(items.begin() + 12000, items.begin() + 15000, T{1});
    for (const std::uint64_t by : {1, 2, 3, 100, 255}) {
        auto want = items;
        const auto boundary = std::stable_partition(want.begin(), want.end(), DivisibleBy{by}) - want.begin();
        const std::vector<T> kept(want.begin(), want.begin() + boundary), rest(want.begin() + boundary, want.end());
        for (const std::size_t to : {0, 1, 7}) {
            const Array<T> in(items);
            Array<T> out(n, to), rejected(n, to + 1);
            ASSERT_EQ(kogge::compact(in.data(), out.data(), n, DivisibleBy{by}, {.where = kWhere}), kept.size());
            EXPECT_TRUE(same(front(out, kept.size()), kept)) << by << ", " << to;
            kogge::partition(in.data(), kogge::two_outputs<T>{out.data(), rejected.data()}, n, DivisibleBy{by},
                             {.where = kWhere});
            EXPECT_TRUE(same(front(out, kept.size()), kept)) << by << ", " << to;
            EXPECT_TRUE(same(front(rejected, rest.size()), rest)) << by << ", " << to;
        }
    }
}
TEST(CompactNarrow, InARing) {
    compact_narrow_in_a_ring<std::uint8_t>(600011);
    compact_narrow_in_a_ring<std::int16_t>(300007);
}

// More tiles than a ring hands out in turns: they are drawn by tickets.
TEST(CompactTiles, ManyOnOneMultiprocessor) {
    const Pretending device(1);
    const std::size_t n = 66 * 512 * 20 + 17;
#if KOGGE_EMULATED
    ASSERT_TRUE(draws_tickets(kogge::plan_compact(n, 4, false, false, kogge::simt::current_properties())));
#endif
    const auto items = random_items<std::uint32_t>(n, n);
    std::vector<std::uint32_t> want;
    std::copy_if(items.begin(), items.end(), std::back_inserter(want), DivisibleBy{2});
    const Array<std::uint32_t> in(items);
    Array<std::uint32_t> out(n);
    ASSERT_EQ(kogge::compact(in.data(), out.data(), n, DivisibleBy{2}), want.size());
    EXPECT_TRUE(same(front(out, want.size()), want));
}

// In place, nearly all of a tile's items are kept: its first ones go where other blocks have read the tile before.
TEST(CompactTiles, OntoTheTileBefore) {
    const Pretending device(2);
    const std::size_t n = 66001;
#if KOGGE_EMULATED
    ASSERT_TRUE(is_pipelined(kogge::plan_compact(n, 8, false, false, kogge::simt::current_properties())));
#endif
    auto items = random_items<std::uint64_t>(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = items[i] / 2 * 2 + (i < 999 ? 1 : 0);
    const std::vector<std::uint64_t> want(items.begin() + 999, items.end());
    for (int round = 0; round < 4; ++round) {  // not in every order of the threads would a missing fence be noticed
        Array<std::uint64_t> array(items);
        ASSERT_EQ(kogge::compact(array.data(), array.data(), n, DivisibleBy{2}), n - 999);
        EXPECT_TRUE(same(front(array, n - 999), want));
    }
}

TYPED_TEST(Compact, PartitionKeepsBothSidesInOrder) {
    std::vector<std::size_t> all = sizes();
    for (const std::size_t n : large_sizes<TypeParam>(40'000'000)) all.push_back(n);
    for (const std::size_t n : all) {
        const auto items = random_items<TypeParam>(n, n);
        auto want = items;
        const auto boundary =
            static_cast<std::uint64_t>(std::stable_partition(want.begin(), want.end(), DivisibleBy{3}) - want.begin());
        Array<TypeParam> in(items), out(n), kept(n), rejected(n);
        EXPECT_EQ(kogge::partition(in.data(), out.data(), n, DivisibleBy{3}, {.where = kWhere}), boundary);
        EXPECT_TRUE(same(out.get(), want)) << n;
        EXPECT_EQ(kogge::partition(in.data(), kogge::two_outputs<TypeParam>{kept.data(), rejected.data()}, n,
                                   DivisibleBy{3}, {.where = kWhere}),
                  boundary);
        EXPECT_TRUE(same(front(kept, boundary), {want.begin(), want.begin() + static_cast<std::ptrdiff_t>(boundary)}));
        EXPECT_TRUE(
            same(front(rejected, n - boundary), {want.begin() + static_cast<std::ptrdiff_t>(boundary), want.end()}));
        if (n < kMany) {
            Array<TypeParam> more(n), others(n);
            Array<std::uint64_t> count(1);
            kogge::partition(in.data(), kogge::two_outputs<TypeParam>{more.data(), others.data()}, count.data(), n,
                             DivisibleBy{3}, {.where = kWhere});
            EXPECT_EQ(count.get()[0], boundary);
            EXPECT_TRUE(same(more.get(), kept.get()));
            EXPECT_TRUE(same(others.get(), rejected.get()));
        }
        EXPECT_EQ(kogge::partition(in.data(), in.data(), n, DivisibleBy{3}, {.where = kWhere}), boundary);
        EXPECT_TRUE(same(in.get(), want)) << "in place, " << n;
    }
}

// Flags are read before the items: which of these a tile needs then depends on how many are kept, and where.
template <class T>
void compact_flags_of_any_density(std::size_t n) {
    const auto items = random_items<T>(n);
    const auto places = random_items<std::uint32_t>(n, 7);
    const auto one_in = [&](std::uint32_t share) {
        return [&places, share](std::size_t i) { return places[i] % share == 0; };
    };
    const std::function<bool(std::size_t)> shapes[] = {
        [](std::size_t) { return false; },
        [](std::size_t) { return true; },
        one_in(1000),
        one_in(100),
        one_in(8),
        one_in(2),
        [](std::size_t i) { return i / 3000 % 7 == 3; },  // whole stretches
        [n](std::size_t i) { return i + 1 == n; },
    };
    for (const auto& [items_from, flags_from] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 3}, {1, 0}}) {
        const Array<T> in(items, items_from);
        for (const auto& shape : shapes) {
            std::vector<std::uint8_t> flags(n);
            std::vector<T> want;
            for (std::size_t i = 0; i < n; ++i) {
                if (!shape(i)) continue;
                flags[i] = static_cast<std::uint8_t>(1u << (i % 8));
                want.push_back(items[i]);
            }
            const Array<std::uint8_t> marks(flags, flags_from);
            Array<T> out(n);
            ASSERT_EQ(kogge::compact_flags(in.data(), marks.data(), out.data(), n, {.where = kWhere}), want.size());
            EXPECT_TRUE(same(front(out, want.size()), want)) << n << " " << items_from << " " << flags_from;
        }
    }
    Array<T> array(items);
    const Array<std::uint8_t> all(std::vector<std::uint8_t>(n, 255));
    EXPECT_EQ(kogge::compact_flags(array.data(), all.data(), array.data(), n, {.where = kWhere}), n) << "in place";
    EXPECT_TRUE(same(array.get(), items));
}

TYPED_TEST(Compact, FlagsOfAnyDensity) {
    for (const std::size_t n : large_sizes<TypeParam>(1'500'000)) compact_flags_of_any_density<TypeParam>(n);
}

TEST(CompactFlags, ByteFlagsAndCountsWhereTheDataLives) {
    const std::size_t n = 50001;
    const auto items = random_items<std::uint32_t>(n);
    auto flags = random_items<std::uint8_t>(n);
    for (auto& flag : flags) flag = flag % 5 ? 0 : flag;
    std::vector<std::uint32_t> want;
    for (std::size_t i = 0; i < n; ++i)
        if (flags[i]) want.push_back(items[i]);
    const Array<std::uint32_t> in(items);
    const Array<std::uint8_t> marks(flags);
    Array<std::uint32_t> out(n);
    Array<std::uint64_t> count(1);
    EXPECT_EQ(kogge::compact_flags(in.data(), marks.data(), out.data(), n), want.size());
    EXPECT_TRUE(same(front(out, want.size()), want));
    kogge::compact_flags(in.data(), marks.data(), out.data(), count.data(), n);
    EXPECT_EQ(count.get()[0], want.size());
    kogge::compact(in.data(), out.data(), count.data(), n, DivisibleBy{2});
    EXPECT_EQ(count.get()[0], kept_of(items, DivisibleBy{2}).size());
    kogge::partition(in.data(), out.data(), count.data(), n, DivisibleBy{2});
    EXPECT_EQ(count.get()[0], kept_of(items, DivisibleBy{2}).size());
    kogge::compact(static_cast<const std::uint32_t*>(nullptr), static_cast<std::uint32_t*>(nullptr), count.data(), 0,
                   DivisibleBy{2});
    EXPECT_EQ(count.get()[0], 0u);
}

struct Odd12 {
    std::uint32_t a, b, c;
};
struct FirstIsOdd {
    KOGGE_HOST_DEVICE bool operator()(const Odd12& item) const { return item.a & 1; }
};
TEST(CompactStructs, SizesThatAreNoPowerOfTwo) {
    const auto items = random_items<Odd12>(20001);
    const auto want = kept_of(items, FirstIsOdd{});
    const Array<Odd12> in(items);
    Array<Odd12> out(items.size());
    ASSERT_EQ(kogge::compact(in.data(), out.data(), items.size(), FirstIsOdd{}), want.size());
    EXPECT_TRUE(same(front(out, want.size()), want));
}

/// Keeps items by a stencil of another type, in each form, and in place.
template <class T, class Stencil, class Predicate>
void compact_by_stencil(std::size_t n, Predicate keep) {
    const auto items = random_items<T>(n, n);
    const auto stencil = random_items<Stencil>(n, n + 1);
    std::vector<T> want;
    for (std::size_t i = 0; i < n; ++i)
        if (keep(stencil[i])) want.push_back(items[i]);
    for (const auto& [items_from, stencil_from] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 0}, {0, 1}}) {
        if (n > 20'000 && items_from + stencil_from > 0) continue;
        const Array<Stencil> by(stencil, stencil_from);
        Array<T> in(items, items_from), out(n);
        ASSERT_EQ(kogge::compact_stencil(in.data(), by.data(), out.data(), n, keep, {.where = kWhere}), want.size());
        auto untouched = want;
        untouched.resize(n, Array<T>::poison());
        EXPECT_TRUE(same(out.get(), untouched)) << n;
        EXPECT_TRUE(same(in.get(), items)) << n;
        Array<std::uint64_t> count(1);
        kogge::compact_stencil(in.data(), by.data(), in.data(), count.data(), n, keep, {.where = kWhere});
        EXPECT_EQ(count.get()[0], want.size());
        EXPECT_TRUE(same(front(in, want.size()), want)) << n << ", in place";
        EXPECT_TRUE(same(by.get(), stencil)) << n;
    }
}

TYPED_TEST(Compact, ByAStencil) {
    std::vector<std::size_t> all = sizes();
    for (const std::size_t n : large_sizes<TypeParam>(10'000'000)) all.push_back(n);
    for (const std::size_t n : all) compact_by_stencil<TypeParam, std::uint8_t>(n, DivisibleBy{3});
    compact_by_stencil<TypeParam, Odd12>(10001, FirstIsOdd{});
}

TEST(CompactStencil, OfStructsMayBeTheInput) {
    for (const std::size_t n : {5000u, 100'001u}) compact_by_stencil<Odd12, std::uint64_t>(n, DivisibleBy{2});
    const auto items = random_items<Odd12>(20001);
    const auto want = kept_of(items, FirstIsOdd{});
    const Array<Odd12> in(items);
    Array<Odd12> out(items.size());
    ASSERT_EQ(kogge::compact_stencil(in.data(), in.data(), out.data(), items.size(), FirstIsOdd{}), want.size());
    EXPECT_TRUE(same(front(out, want.size()), want));
}

struct IsOdd {
    KOGGE_HOST_DEVICE bool operator()(const Odd12& item) const { return item.a & 1; }
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t item) const { return item & 1; }
};
/// Items on one multiprocessor, of which a wave holds some on chip, and reads the others twice: with the first group
/// too many, with rounds that are partly filled, with the most; and one more, which a ring takes.
template <class T>
void partition_more_than_fits() {
    const Pretending device(1);
    std::vector<std::size_t> all{131072 * 3 / sizeof(T) + 5};
#if KOGGE_EMULATED
    const auto counted = [](std::size_t n) {
        return wave_of(kogge::plan_compact(n, sizeof(T), true, false, kogge::simt::current_properties()))
            .counted_batches;
    };
    std::size_t first = 1024, most = 0;
    while (counted(first) == 0) first += 1024;
    for (std::size_t n = first; counted(n) > 0; n += 1024) most = n;
    all = {first, first + (most - first) / 3 + 7, most - 5, most + 1025};
    ASSERT_EQ(counted(all[0]), 1);
    ASSERT_GT(counted(all[2]), 8);
#endif
    for (const std::size_t n : all)
        for (const std::size_t offset : {0, 1}) {
            const auto items = random_items<T>(n, n);
            auto want = items;
            const auto boundary =
                static_cast<std::uint64_t>(std::stable_partition(want.begin(), want.end(), IsOdd{}) - want.begin());
            const Array<T> in(items, offset);
            Array<T> out(n, 3 * offset);
            EXPECT_EQ(kogge::partition(in.data(), out.data(), n, IsOdd{}, {.where = kWhere}), boundary) << n;
            EXPECT_TRUE(same(out.get(), want)) << n;
        }
}
TEST(Partition, MoreThanFitsTheChip) {
    partition_more_than_fits<std::uint32_t>();
    partition_more_than_fits<std::uint64_t>();
    partition_more_than_fits<Odd12>();
}

struct SkewedCount {
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t item) const { return item == 777 ? 40000 : item % 3; }
};
struct MakeOutput {
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t item, std::uint64_t k) const { return item << 32 | k; }
};
TEST(Ranges, ComposeWhereTheDataLives) {
    const auto items = random_items<std::uint32_t>(10000);
    kogge::buffer<std::uint32_t> array(items.size(), kWhere);
    if constexpr (kOnDevice) {
        kogge::simt::copy(array.data(), items.data(), items.size() * 4, nullptr);
        kogge::simt::synchronize(nullptr);
    } else {
        std::copy(items.begin(), items.end(), array.data());
    }
    auto want = kept_of(items, DivisibleBy{2});
    const auto evens = array | kogge::compact(DivisibleBy{2});
    EXPECT_TRUE(same(evens.to_vector(), want));
    std::sort(want.begin(), want.end());
    const auto sorted = evens | kogge::radix_sort();
    EXPECT_TRUE(same(sorted.to_vector(), want));
    std::uint32_t sum = 0;
    for (auto& item : want) item = sum += item;
    EXPECT_TRUE(same((sorted | kogge::inclusive_scan()).to_vector(), want));
    EXPECT_EQ((sorted | kogge::exclusive_scan(std::uint64_t{0})).to_vector()[1], sorted.to_vector()[0]);
}

#if KOGGE_KERNELS
TEST(PartitionDeviceCount, NoItemsUnderALargeBound) {
    const Array<std::uint64_t> n(std::vector<std::uint64_t>{0});
    const Array<std::uint32_t> in(random_items<std::uint32_t>(50000));
    Array<std::uint32_t> out(50000);
    Array<std::uint64_t> count(1);
    kogge::compact(in.data(), out.data(), count.data(), kogge::device_count{n.data(), 50000}, DivisibleBy{2});
    EXPECT_EQ(count.get()[0], 0u);
    kogge::partition(in.data(), out.data(), count.data(), kogge::device_count{n.data(), 50000}, DivisibleBy{2});
    EXPECT_EQ(count.get()[0], 0u);
}
TEST(PartitionDeviceCount, OfAStencil) {
    constexpr std::size_t bound = 50000;
    const auto items = random_items<std::uint32_t>(bound, 1);
    const auto stencil = random_items<std::uint64_t>(bound, 2);
    const Array<std::uint32_t> in(items);
    const Array<std::uint64_t> by(stencil);
    for (const std::size_t n : {0u, 1u, 31234u, 50000u}) {
        const Array<std::uint64_t> number(std::vector<std::uint64_t>{n});
        Array<std::uint32_t> out(bound);
        std::vector<std::uint32_t> want;
        for (std::size_t i = 0; i < n; ++i)
            if (stencil[i] % 3 == 0) want.push_back(items[i]);
        EXPECT_EQ(kogge::compact_stencil(in.data(), by.data(), out.data(), kogge::device_count{number.data(), bound},
                                         DivisibleBy{3}),
                  want.size());
        want.resize(bound, Array<std::uint32_t>::poison());
        EXPECT_TRUE(same(out.get(), want)) << n;
    }
}
TEST(PartitionDeviceCount, ChainsWithoutWaiting) {
    const std::size_t bound = 30000;
    const auto items = random_items<std::uint32_t>(bound);
    const Array<std::uint32_t> in(items);
    Array<std::uint32_t> evens(bound), sums(bound), sides(bound);
    Array<std::uint64_t> count(1), boundary(1);
    kogge::compact(in.data(), evens.data(), count.data(), bound, DivisibleBy{2});
    const kogge::device_count n{count.data(), bound};
    kogge::inclusive_scan(static_cast<const std::uint32_t*>(evens.data()), sums.data(), n);
    kogge::partition(static_cast<const std::uint32_t*>(sums.data()), sides.data(), boundary.data(), n, DivisibleBy{3});
    kogge::partition(static_cast<const std::uint32_t*>(sides.data()), sides.data(), boundary.data(), n, DivisibleBy{3});
    kogge::radix_sort(sides.data(), n);
    auto want = kept_of(items, DivisibleBy{2});
    std::uint32_t sum = 0;
    for (auto& item : want) item = sum += item;
    EXPECT_EQ(count.get()[0], want.size());
    EXPECT_EQ(boundary.get()[0], kept_of(want, DivisibleBy{3}).size());
    std::sort(want.begin(), want.end());
    want.resize(bound, Array<std::uint32_t>::poison());
    EXPECT_TRUE(same(sides.get(), want));
}
#endif

TEST(PartitionErrors, AreFoundBeforeAnythingChanges) {
    const auto items = random_items<std::uint32_t>(1000);
    Array<std::uint32_t> in(items), out(1000);
    Array<std::uint8_t> flags(1000);
    std::uint32_t* const null = nullptr;
    EXPECT_EQ(code_of([&] { kogge::compact(in.data(), null, 9, DivisibleBy{2}); }), kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::compact(in.data(), out.data(), static_cast<std::uint64_t*>(nullptr), 9, DivisibleBy{2});
              }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::compact(in.data(), in.data() + 1, 999, DivisibleBy{2}); }), kogge::errc::overlap);
    EXPECT_EQ(code_of([&] {
                  kogge::compact_flags(in.data(), flags.data(), reinterpret_cast<std::uint32_t*>(flags.data()), 999);
              }),
              kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::compact_stencil(in.data(), null, out.data(), 9, DivisibleBy{2}); }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::compact_stencil(in.data(), out.data(), out.data() + 8, 9, DivisibleBy{2}); }),
              kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::compact_stencil(out.data(), in.data(), in.data(), 9, DivisibleBy{2}); }),
              kogge::errc::overlap)
        << "the output is the stencil";
    EXPECT_EQ(code_of([&] { kogge::compact_stencil(in.data(), in.data(), in.data(), 9, DivisibleBy{2}); }),
              kogge::errc::overlap)
        << "in place by itself";
    EXPECT_EQ(
        code_of([&] {
            kogge::partition(in.data(), kogge::two_outputs<std::uint32_t>{out.data(), out.data()}, 500, DivisibleBy{2});
        }),
        kogge::errc::overlap);
    EXPECT_EQ(code_of([&] {
                  kogge::emit(out.data(), 100, static_cast<std::uint64_t*>(nullptr), 9, SkewedCount{}, MakeOutput{});
              }),
              kogge::errc::invalid_argument);
    EXPECT_TRUE(same(in.get(), items));
}

}  // namespace
