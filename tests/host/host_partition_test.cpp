// kogge-test: HOST
// The host backend's compact, split and emit against std:: algorithms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/host/partition.hpp"
#include "kogge/host/split.hpp"
#include "support/host.hpp"

using namespace host_tests;

namespace {

template <class Item, class Predicate>
void check_compact(const std::vector<Item>& in, Predicate predicate) {
    std::vector<Item> kept, rejected;
    std::partition_copy(in.begin(), in.end(), std::back_inserter(kept), std::back_inserter(rejected), predicate);
    std::vector<Item> both = kept;
    both.insert(both.end(), rejected.begin(), rejected.end());
    const auto keep = [&](std::uint64_t i, const Item& item) {
        if (std::memcmp(&in[i], &item, sizeof item) != 0) throw std::logic_error("not the item of that index");
        return predicate(item);
    };
    const auto keep_by_item = [&](std::uint64_t, const Item& item) { return predicate(item); };
    for (const int threads : thread_counts()) {
        SCOPED_TRACE(testing::Message() << in.size() << " items, " << threads << " threads");
        const std::vector<Item> poison = random_items<Item>(in.size(), 99);
        std::vector<Item> a = poison, b = poison;
        ASSERT_EQ(host::compact(in.data(), in.size(), a.data(), static_cast<Item*>(nullptr), keep, threads),
                  kept.size());
        ASSERT_TRUE(std::equal(a.begin() + kept.size(), a.end(), poison.begin() + kept.size(),
                               [](auto& x, auto& y) { return !std::memcmp(&x, &y, sizeof x); }));
        a.resize(kept.size());
        ASSERT_TRUE(same_bytes(a, kept));

        a = poison;
        ASSERT_EQ(host::compact(in.data(), in.size(), a.data(), b.data(), keep, threads), kept.size());
        a.resize(kept.size());
        b.resize(rejected.size());
        ASSERT_TRUE(same_bytes(a, kept) && same_bytes(b, rejected));

        a = poison;
        ASSERT_EQ(host::compact(in.data(), in.size(), a.data(), a.data(), keep, threads), kept.size());
        ASSERT_TRUE(same_bytes(a, both));

        a = in;
        ASSERT_EQ(host::compact(a.data(), a.size(), a.data(), a.data(), keep_by_item, threads), kept.size());
        ASSERT_TRUE(same_bytes(a, both));

        a = in;
        ASSERT_EQ(host::compact(a.data(), a.size(), a.data(), static_cast<Item*>(nullptr), keep_by_item, threads),
                  kept.size());
        a.resize(kept.size());
        ASSERT_TRUE(same_bytes(a, kept));
    }
}

TEST(HostCompact, EveryForm) {
    struct Wide {
        std::uint32_t word[7];
    };
    for (const std::uint64_t n : kSizes) {
        check_compact(random_items<std::uint32_t>(n), [](std::uint32_t x) { return x % 2 == 0; });
        check_compact(random_items<std::uint32_t>(n), [](std::uint32_t) { return true; });
        check_compact(random_items<std::uint32_t>(n), [](std::uint32_t) { return false; });
        check_compact(random_items<std::uint8_t>(n), [](std::uint8_t x) { return x < 25; });
        check_compact(random_items<Wide>(n / 7), [](const Wide& x) { return x.word[6] % 3 == 0; });
    }
    check_compact(random_items<std::uint32_t>(host::kLargeBytes / 4 + 77), [](std::uint32_t x) { return x % 3 == 0; });
}

TEST(HostCompact, AsksOnceAnItem) {
    const std::uint64_t n = many(300'000);
    const std::vector<std::uint32_t> in = random_items<std::uint32_t>(n);
    std::vector<std::uint32_t> out(n);
    std::vector<std::uint32_t> others(n);
    for (std::uint32_t* rejected : {static_cast<std::uint32_t*>(nullptr), others.data()}) {
        std::vector<std::uint8_t> asked(n);
        host::compact(
            in.data(), n, out.data(), rejected, [&](std::uint64_t i, std::uint32_t x) { return ++asked[i], x % 2; }, 3);
        EXPECT_EQ(std::count(asked.begin(), asked.end(), 1), static_cast<std::ptrdiff_t>(n));
    }
}

TEST(HostCompact, AsksAStencilOnceAnItem) {
    const std::uint64_t n = many(300'000);
    const std::vector<std::uint64_t> in = random_items<std::uint64_t>(n);
    std::vector<std::uint32_t> places(n);
    std::iota(places.begin(), places.end(), 0u);
    for (const int threads : thread_counts()) {
        std::vector<std::uint8_t> asked(n);
        const auto ask = [&](std::uint32_t place) { return ++asked[place], place % 3 == 1; };
        const kogge::grid::ByStencil<std::uint32_t, decltype(ask)> keep{places.data(), ask};
        std::vector<std::uint64_t> out(n), want;
        for (std::uint64_t i = 1; i < n; i += 3) want.push_back(in[i]);
        out.resize(host::compact(in.data(), n, out.data(), static_cast<std::uint64_t*>(nullptr), keep, threads));
        EXPECT_EQ(out, want);
        EXPECT_EQ(std::count(asked.begin(), asked.end(), 1), static_cast<std::ptrdiff_t>(n));
    }
}

template <class Item>
void check_split(std::uint64_t n, std::uint32_t bins, std::uint64_t misalignment) {
    const auto bucket = [bins](const Item& item) {
        std::uint32_t word;
        std::memcpy(&word, &item, sizeof word);
        return static_cast<std::uint32_t>(std::uint64_t{word} * bins >> 32);
    };
    const std::vector<Item> in = random_items<Item>(n);
    std::vector<std::uint64_t> expected_offsets(std::uint64_t{bins} + 1);
    for (const Item& item : in) ++expected_offsets[bucket(item) + 1];
    std::partial_sum(expected_offsets.begin(), expected_offsets.end(), expected_offsets.begin());
    std::vector<std::uint64_t> order(n), places = expected_offsets;
    std::vector<Item> expected(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t place = places[bucket(in[i])]++;
        order[place] = i;
        expected[place] = in[i];
    }
    std::vector<std::uint64_t> values(n), values_out(n);
    std::iota(values.begin(), values.end(), 0);
    for (const int threads : thread_counts()) {
        SCOPED_TRACE(testing::Message() << n << " items, " << bins << " bins, " << threads << " threads");
        std::vector<Item> out(n + 2 * misalignment), pairs_out(n);
        std::vector<std::uint64_t> offsets(bins + 1);
        Item* const to = out.data() + misalignment;
        host::split("split", in.data(), to, no_values, no_values, n, bins, bucket, offsets.data(), threads);
        ASSERT_EQ(offsets, expected_offsets);
        host::split("split", in.data(), pairs_out.data(), values.data(), values_out.data(), n, bins, bucket, nullptr,
                    threads);
        ASSERT_EQ(values_out, order);
        ASSERT_TRUE(n == 0 || std::memcmp(to, expected.data(), n * sizeof(Item)) == 0);
        ASSERT_TRUE(same_bytes(pairs_out, expected));
    }
}

TEST(HostSplit, StableForAnyNumberOfBins) {
    struct Twelve {
        std::uint32_t word[3];
    };
    for (const std::uint64_t n : std::initializer_list<std::uint64_t>{0, 1, 17, 1000, 32768, many(150'001)}) {
        for (const std::uint32_t bins : {1u, 2u, 16u, 100u, 256u, 4096u, 70'000u})
            check_split<std::uint32_t>(n, bins, bins % 3);
        check_split<Twelve>(n, 100, 1);
        check_split<std::uint64_t>(n, 37, 1);
    }
    // Through lines: of whole items at any place of a line, and of items that fill no line.
    check_split<std::uint32_t>(host::kLargeBytes / 4 + 5, 300, 3);
    check_split<Twelve>(host::kLargeBytes / 12 + 5, 1000, 1);
}

TEST(HostSplit, BucketOutOfRangeChangesNothing) {
    constexpr std::uint64_t n = 200'000;
    std::vector<std::uint32_t> in(n, 1), out(n, 5), values(n, 6);
    std::vector<std::uint64_t> offsets(5, 8);
    in[77'777] = 4;
    const auto same = [](std::uint32_t x) { return x; };
    for (const int threads : thread_counts()) {
        EXPECT_EQ(code_of([&] {
                      host::split("split", in.data(), out.data(), no_values, no_values, n, 4, same, offsets.data(),
                                  threads);
                  }),
                  kogge::errc::invalid_argument);
        EXPECT_EQ(code_of([&] {
                      host::split("split", in.data(), out.data(), in.data(), values.data(), n, 4, same, offsets.data(),
                                  threads);
                  }),
                  kogge::errc::invalid_argument);
        // Of 64 bits, the lower ones of which would be a bin.
        const auto wide = [](std::uint32_t x) { return std::uint64_t{x} << 32; };
        const auto negative = [](std::uint32_t x) { return -(std::int64_t{x} << 32); };
        EXPECT_EQ(code_of([&] {
                      host::split("split", in.data(), out.data(), no_values, no_values, n, 4, wide, offsets.data(),
                                  threads);
                  }),
                  kogge::errc::invalid_argument);
        EXPECT_EQ(code_of([&] {
                      host::split("split", in.data(), out.data(), no_values, no_values, n, 4, negative, offsets.data(),
                                  threads);
                  }),
                  kogge::errc::invalid_argument);
    }
    EXPECT_EQ(std::count(out.begin(), out.end(), 5u), static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(std::count(values.begin(), values.end(), 6u), static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(std::count(offsets.begin(), offsets.end(), 8u), 5);
}

void check_emit(const std::vector<std::uint32_t>& counts) {
    const std::uint64_t n = counts.size();
    std::vector<std::uint64_t> expected, expected_offsets{0};
    for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint64_t k = 0; k < counts[i]; ++k) expected.push_back(i * 1'000'000 + k);
        expected_offsets.push_back(expected.size());
    }
    const auto make = [](std::uint64_t i, std::uint64_t k) { return i * 1'000'000 + k; };
    const std::uint64_t total = expected.size();
    for (const int threads : thread_counts())
        for (const std::uint64_t capacity : {total + 3, total, total / 2, std::uint64_t{0}})
            for (const bool wants_offsets : {true, false}) {
                SCOPED_TRACE(testing::Message() << n << " items, " << threads << " threads, capacity " << capacity);
                std::vector<std::uint64_t> out(total + 3, 7), offsets(n + 1, 7);
                std::vector<std::uint8_t> asked(n);
                const auto count = [&](std::uint64_t i) { return ++asked[i], counts[i]; };
                ASSERT_EQ(
                    host::emit(n, count, make, out.data(), capacity, wants_offsets ? offsets.data() : nullptr, threads),
                    total);
                const std::uint64_t written = std::min(total, capacity);
                ASSERT_TRUE(std::equal(out.begin(), out.begin() + written, expected.begin()));
                ASSERT_EQ(std::count(out.begin() + written, out.end(), 7u),
                          static_cast<std::ptrdiff_t>(total + 3 - written));
                ASSERT_EQ(std::count(asked.begin(), asked.end(), 1), static_cast<std::ptrdiff_t>(n));
                if (wants_offsets) {
                    ASSERT_EQ(offsets, expected_offsets);
                }
            }
}

TEST(HostEmit, AnySpreadOfCounts) {
    for (const std::uint64_t n : {0, 1, 4095, 4096, 4097, 300'000}) {
        std::vector<std::uint32_t> counts(n);
        std::mt19937 random(7);
        for (std::uint32_t& count : counts) count = random() % 4;
        check_emit(counts);
        check_emit(std::vector<std::uint32_t>(n, 0));
    }
    std::vector<std::uint32_t> one_large(150'000, 0);
    one_large[4321] = 400'000;
    one_large.front() = one_large.back() = 1;
    check_emit(one_large);
}

}  // namespace
