// kogge-test: EMULATED
// Calls on plain numbers, on devices of each compute capability with few multiprocessors, against the standard library:
// those that shapes_run_test has not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"
#include "support/on_shapes.hpp"
#include "support/sort_checks.hpp"

namespace {

using namespace tests;
using Word = std::uint32_t;
using Number = std::uint64_t;

/// Sizes of one wave of blocks, and of more items than the chip holds.
std::vector<std::size_t> sizes() {
    return small() ? std::vector<std::size_t>{3001} : std::vector<std::size_t>{3001, 70'001};
}

template <class Key>
std::vector<Key> few_keys(std::size_t n, Key below) {
    auto keys = random_items<Key>(n);
    for (Key& key : keys) key = static_cast<Key>(key % below);
    return keys;
}

// ---- sorts ---------------------------------------------------------------------------------------------

/// Keys that are spread evenly, such as have few values, and such as agree in their upper half.
template <class Key>
void check_sorts(std::size_t n) {
    constexpr Key kAgreed = Key{3} << (8 * sizeof(Key) - 3);
    std::vector<std::vector<Key>> inputs{random_items<Key>(n), few_keys<Key>(n, 7), few_keys<Key>(n, 50'000)};
    for (Key& key : inputs.back()) key |= kAgreed;
    if (n > 10'000) inputs.erase(inputs.begin(), inputs.end() - 1);
    for (const auto& keys : inputs) {
        std::vector<Word> order(n);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](Word a, Word b) { return keys[a] < keys[b]; });
        const auto values = random_items<Key>(n, 2);
        const Array<Key> in(keys), with(values);
        Array<Key> out(n), with_out(n);
        Array<Word> indices(n);
        kogge::radix_sort(in.data(), out.data(), n);
        EXPECT_TRUE(same(out.get(), gathered(keys, order)));
        kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n);
        EXPECT_TRUE(same(out.get(), gathered(keys, order)));
        EXPECT_TRUE(same(with_out.get(), gathered(values, order)));
        kogge::argsort(in.data(), indices.data(), n);
        EXPECT_TRUE(same(indices.get(), order));
    }
}
TEST_P(Shapes, RadixSortOf32Bits) {
    for (const std::size_t n : sizes()) check_sorts<Word>(n);
}
TEST_P(Shapes, RadixSortOf64Bits) {
    for (const std::size_t n : sizes()) check_sorts<Number>(n);
}

// ---- compactions ---------------------------------------------------------------------------------------

TEST_P(Shapes, PartitionAndIndices) {
    for (const std::size_t n : sizes()) {
        const auto items = random_items<Word>(n);
        auto flags = random_items<std::uint8_t>(n, 3);
        for (std::uint8_t& flag : flags) flag = flag % 3 == 0;
        const kogge::compare<Word> is_low{kogge::relation::less, Word{1} << 30};
        const Array<Word> in(items);
        const Array<std::uint8_t> marks(flags);
        Array<Word> out(n), indices(n), flagged(n);
        std::vector<Word> parted = items, places, kept;
        const auto end = std::stable_partition(parted.begin(), parted.end(), is_low);
        for (std::size_t i = 0; i < n; ++i) {
            if (flags[i] == 0) continue;
            places.push_back(static_cast<Word>(i));
            kept.push_back(items[i]);
        }
        EXPECT_EQ(kogge::partition(in.data(), out.data(), n, is_low), static_cast<Number>(end - parted.begin()));
        EXPECT_TRUE(same(out.get(), parted));
        EXPECT_EQ(kogge::compact_indices(marks.data(), indices.data(), n), places.size());
        EXPECT_TRUE(same(front(indices, places.size()), places));
        EXPECT_EQ(kogge::compact_flags(in.data(), marks.data(), flagged.data(), n), kept.size());
        EXPECT_TRUE(same(front(flagged, kept.size()), kept));
    }
}

struct ModuloBins {
    KOGGE_HOST_DEVICE Word operator()(Word item) const { return item % 37; }
};
TEST_P(Shapes, Split) {
    for (const std::size_t n : sizes()) {
        const auto items = random_items<Word>(n);
        const Array<Word> in(items);
        Array<Word> out(n);
        Array<Number> offsets(38);
        auto want = items;
        std::stable_sort(want.begin(), want.end(), [](Word a, Word b) { return a % 37 < b % 37; });
        std::vector<Number> begins(38);
        for (const Word item : items) ++begins[item % 37 + 1];
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        kogge::split(in.data(), out.data(), offsets.data(), n, 37, ModuloBins{});
        EXPECT_TRUE(same(out.get(), want));
        EXPECT_TRUE(same(offsets.get(), begins));
    }
}

// ---- runs ----------------------------------------------------------------------------------------------

TEST_P(Shapes, Runs) {
    for (const std::size_t n : sizes()) {
        const auto keys = few_keys<Word>(n, 3);
        const auto values = random_items<Word>(n, 2);
        std::vector<Word> heads, firsts, lengths, sums, scanned(n);
        for (std::size_t i = 0; i < n; ++i) {
            if (i == 0 || keys[i - 1] != keys[i]) {
                heads.push_back(keys[i]);
                firsts.push_back(values[i]);
                lengths.push_back(0);
                sums.push_back(0);
            }
            ++lengths.back();
            scanned[i] = sums.back() += values[i];
        }
        const Array<Word> of(keys), with(values);
        Array<Word> out(n), beside(n);
        EXPECT_EQ(kogge::unique(of.data(), out.data(), n), heads.size());
        EXPECT_TRUE(same(front(out, heads.size()), heads));
        EXPECT_EQ(kogge::unique_by_key(of.data(), with.data(), out.data(), beside.data(), n), heads.size());
        EXPECT_TRUE(same(front(beside, heads.size()), firsts));
        EXPECT_EQ(kogge::run_length_encode(of.data(), out.data(), beside.data(), n), heads.size());
        EXPECT_TRUE(same(front(beside, heads.size()), lengths));
        EXPECT_EQ(kogge::reduce_by_key(of.data(), with.data(), out.data(), beside.data(), n), heads.size());
        EXPECT_TRUE(same(front(out, heads.size()), heads));
        EXPECT_TRUE(same(front(beside, heads.size()), sums));
        kogge::inclusive_scan_by_key(of.data(), with.data(), beside.data(), n);
        EXPECT_TRUE(same(beside.get(), scanned));
    }
}

// ---- scans and reductions ------------------------------------------------------------------------------

TEST_P(Shapes, SegmentsAndFromTheEnd) {
    for (const std::size_t n : sizes()) {
        const auto items = random_items<Word>(n);
        const std::vector<Number> offsets{0, 1, 40, 40, 1500, n / 2};
        std::vector<Word> scanned(n), reversed(n), sums(offsets.size());
        for (std::size_t s = 0; s < offsets.size(); ++s) {
            const Number end = s + 1 < offsets.size() ? offsets[s + 1] : n;
            for (Number i = offsets[s]; i < end; ++i) scanned[i] = sums[s] += items[i];
        }
        std::partial_sum(items.rbegin(), items.rend(), reversed.rbegin());
        const Array<Word> in(items);
        const Array<Number> starts(offsets);
        Array<Word> out(n), of_segments(offsets.size());
        kogge::inclusive_segmented_scan(in.data(), out.data(), n, starts.data(), offsets.size());
        EXPECT_TRUE(same(out.get(), scanned));
        kogge::reverse_inclusive_scan(in.data(), out.data(), n);
        EXPECT_TRUE(same(out.get(), reversed));
        kogge::segmented_reduce(in.data(), of_segments.data(), n, starts.data(), offsets.size());
        EXPECT_TRUE(same(of_segments.get(), sums));
        EXPECT_EQ(kogge::reduce(in.data(), n), std::accumulate(items.begin(), items.end(), Word{0}));
        EXPECT_EQ(kogge::reduce(in.data(), n, kogge::maximum{}), *std::max_element(items.begin(), items.end()));
        EXPECT_EQ(kogge::arg_min(in.data(), n).index,
                  static_cast<Number>(std::min_element(items.begin(), items.end()) - items.begin()));
    }
}

// ---- ranks ---------------------------------------------------------------------------------------------

TEST_P(Shapes, TopKAndSelect) {
    for (const std::size_t n : sizes()) {
        const auto keys = random_items<Word>(n);
        auto sorted = keys;
        std::sort(sorted.begin(), sorted.end());
        const Array<Word> in(keys);
        for (const std::size_t k : {std::size_t{100}, n / 9}) {
            Array<Word> first(k), one(1);
            kogge::top_k(in.data(), first.data(), n, k);
            EXPECT_TRUE(same(first.get(), std::vector<Word>(sorted.rbegin(), sorted.rbegin() + static_cast<long>(k))));
            kogge::select(in.data(), one.data(), n, k - 1);
            EXPECT_EQ(one.get()[0], sorted[k - 1]);
        }
    }
}

TEST_P(Shapes, TopKAndSelectOfRows) {
    for (const std::size_t length : {300, 9000}) {
        const std::size_t rows = 5, k = 20;
        const auto keys = random_items<Word>(rows * length);
        std::vector<Word> first, ranked;
        for (std::size_t row = 0; row < rows; ++row) {
            std::vector<Word> sorted(keys.begin() + static_cast<long>(row * length),
                                     keys.begin() + static_cast<long>((row + 1) * length));
            std::sort(sorted.begin(), sorted.end(), std::greater<>());
            first.insert(first.end(), sorted.begin(), sorted.begin() + static_cast<long>(k));
            ranked.push_back(sorted[length - 1 - length / 3]);
        }
        const Array<Word> in(keys);
        Array<Word> out(rows * k), one(rows);
        kogge::segmented_top_k(in.data(), out.data(), kogge::rows_of{length, rows}, k);
        EXPECT_TRUE(same(out.get(), first)) << length;
        kogge::segmented_select(in.data(), one.data(), kogge::rows_of{length, rows}, length / 3);
        EXPECT_TRUE(same(one.get(), ranked)) << length;
    }
}

// ---- sorted arrays, and bins ---------------------------------------------------------------------------

TEST_P(Shapes, MergeAndSearch) {
    for (const std::size_t n : sizes()) {
        auto a = few_keys<Word>(n, 1000), b = few_keys<Word>(n / 3, 2000);
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        std::vector<Word> merged;
        std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
        std::vector<Word> places;
        for (const Word needle : b)
            places.push_back(static_cast<Word>(std::lower_bound(a.begin(), a.end(), needle) - a.begin()));
        const Array<Word> in_a(a), in_b(b);
        Array<Word> out(merged.size()), found(b.size());
        kogge::merge(in_a.data(), in_b.data(), out.data(), a.size(), b.size());
        EXPECT_TRUE(same(out.get(), merged));
        kogge::lower_bound(in_a.data(), in_b.data(), found.data(), a.size(), b.size());
        EXPECT_TRUE(same(found.get(), places));
    }
}

TEST_P(Shapes, Histogram) {
    for (const std::size_t n : sizes()) {
        for (const Word bins : {Word{10}, Word{40'000}}) {  // of a warp, and of all blocks
            const auto items = few_keys<Word>(n, bins);
            std::vector<Word> want(bins);
            for (const Word item : items) ++want[item];
            const Array<Word> in(items);
            Array<Word> counts(bins);
            kogge::histogram(in.data(), counts.data(), n, kogge::even_bins<Word>{0, bins, bins});
            EXPECT_TRUE(same(counts.get(), want)) << bins;
        }
    }
}

}  // namespace
