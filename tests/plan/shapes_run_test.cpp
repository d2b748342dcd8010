// kogge-test: EMULATED
// Primitives on devices of each compute capability, with few multiprocessors, against the standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "kogge/partition.hpp"
#include "kogge/scan.hpp"
#include "kogge/segmented_sort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/on_shapes.hpp"
#include "support/sort_checks.hpp"

namespace {

using namespace tests;

/// Segments of all lengths: short ones, one of as many keys as a block holds anywhere, and a long one.
std::vector<std::uint64_t> offsets_within(std::uint64_t n) {
    std::vector<std::uint64_t> offsets;
    std::uint64_t place = 7;
    for (const std::uint64_t length : {std::uint64_t{1}, std::uint64_t{40}, std::uint64_t{0}, std::uint64_t{700},
                                       std::uint64_t{3000}, std::uint64_t{33}, n / 2}) {
        offsets.push_back(place);
        place += length;
    }
    offsets.push_back(place);
    return offsets;
}

/// Keys that are spread evenly, and such as crowd the bins, so that blocks sort by digits.
template <class Key>
std::vector<std::vector<Key>> inputs(std::uint64_t n) {
    std::vector<std::vector<Key>> list{random_items<Key>(n), random_items<Key>(n, 3)};
    for (Key& key : list[1]) key = static_cast<Key>(key % 3 << (8 * sizeof(Key) - 9));
    return list;
}

template <class Key, class Value>
void check_segmented(std::uint64_t n) {
    const auto offsets = offsets_within(n);
    const Array<std::uint64_t> starts(offsets);
    for (const auto& keys : inputs<Key>(n)) {
        SCOPED_TRACE(std::to_string(sizeof(Key)) + " + " + std::to_string(sizeof(Value)) + " bytes");
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0u);
        std::uint64_t from = 0;
        for (std::size_t s = 0; s <= offsets.size(); ++s) {
            const std::uint64_t to = s < offsets.size() ? offsets[s] : n;
            std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(from),
                             order.begin() + static_cast<std::ptrdiff_t>(to),
                             [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
            from = to;
        }
        const auto values = random_items<Value>(n, 4);
        const Array<Key> in(keys);
        const Array<Value> with(values);
        Array<Key> out(n);
        Array<Value> with_out(n);
        kogge::segmented_sort(in.data(), out.data(), n, starts.data(), offsets.size());
        EXPECT_TRUE(same(out.get(), gathered(keys, order)));
        kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, starts.data(),
                                    offsets.size());
        EXPECT_TRUE(same(out.get(), gathered(keys, order))) << "of pairs";
        EXPECT_TRUE(same(with_out.get(), gathered(values, order))) << "of pairs";
    }
}
TEST_P(Shapes, SegmentedSort) {
    check_segmented<std::uint64_t, std::uint64_t>(20000);
    if (small()) return;
    check_segmented<std::uint32_t, std::uint32_t>(20000);
    check_segmented<kogge::uint128, std::uint32_t>(12000);
}

// More keys than all blocks hold: on 64 KiB the digits of 128 bits are counted in two reads.
TEST_P(Shapes, RadixSort) {
    for (const auto& keys : inputs<kogge::uint128>(40000)) {
        auto want = keys;
        std::sort(want.begin(), want.end());
        Array<kogge::uint128> in(keys);
        kogge::radix_sort(in.data(), keys.size());
        EXPECT_TRUE(same(in.get(), want));
        if (small()) return;
    }
    const auto some = random_items<kogge::uint128>(40000, 5);
    auto want = gathered(some, order_by(some, 3, 126));
    Array<kogge::uint128> in(some);
    kogge::radix_sort(in.data(), some.size(), {.begin_bit = 3, .end_bit = 126});
    EXPECT_TRUE(same(in.get(), want)) << "some bits";
}

struct IsOdd {
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t item) const { return item % 2 == 1; }
};
TEST_P(Shapes, ScanAndCompact) {
    for (const std::uint64_t n : {3001, 200001}) {
        const auto items = random_items<std::uint32_t>(n);
        const Array<std::uint32_t> in(items);
        Array<std::uint32_t> out(n);
        std::vector<std::uint32_t> want(n);
        kogge::inclusive_scan(in.data(), out.data(), n);
        std::partial_sum(items.begin(), items.end(), want.begin());
        EXPECT_TRUE(same(out.get(), want));
        want.clear();
        std::copy_if(items.begin(), items.end(), std::back_inserter(want), IsOdd{});
        EXPECT_EQ(kogge::compact(in.data(), out.data(), n, IsOdd{}), want.size());
        auto kept = out.get();
        kept.resize(want.size());
        EXPECT_TRUE(same(kept, want));
        if (small()) return;
    }
}

struct Few {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t item) const { return item % 5 == 4 ? 13 : 1; }
};
struct MakeOutput {
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t item, std::uint64_t k) const { return item << 32 | k; }
};
TEST_P(Shapes, Emit) {
    const std::uint64_t n = small() ? 2000 : 60000;
    std::vector<std::uint64_t> want;
    for (std::uint64_t item = 0; item < n; ++item)
        for (std::uint64_t k = 0; k < Few{}(item); ++k) want.push_back(item << 32 | k);
    Array<std::uint64_t> out(want.size());
    EXPECT_EQ(kogge::emit(out.data(), want.size(), n, Few{}, MakeOutput{}), want.size());
    EXPECT_TRUE(same(out.get(), want));
}

}  // namespace
