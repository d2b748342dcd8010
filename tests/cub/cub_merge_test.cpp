// kogge-test: GPU
// Merges beside CUB's, searches beside Thrust's, and scans with Thrust's iterators in and out, item for item.
#include <gtest/gtest.h>

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <algorithm>
#include <cub/device/device_merge.cuh>

#include "kogge/kogge.hpp"
#include "support/cub.hpp"
#include "support/scan_plans.hpp"

namespace {

using namespace tests;
using Word = std::uint32_t;

struct Less {
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(const T& a, const T& b) const {
        return a < b;
    }
};

template <class T>
std::vector<T> sorted_items(std::size_t n, std::uint64_t values, std::uint64_t seed) {
    Random random(seed);
    std::vector<T> items(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto place = kogge::uint128{i} << 32 | random() >> 32;  // of n · 2^32
        items[i] = static_cast<T>(static_cast<std::uint64_t>(place * values / n >> 32));
    }
    return items;
}

/// So many items that each block takes several tiles, as the plan of n items says.
std::size_t several_tiles_each(const auto& plan_of) {
    std::size_t n = 100'001;
    if (!small())
        while (plan_of(n).tiles < 3 * std::uint64_t{plan_of(n).blocks}) n += n / 8;
    return n;
}

template <class T>
void compare_merges(std::size_t n_a, std::size_t n_b, std::uint64_t values) {
    SCOPED_TRACE(std::to_string(n_a) + " and " + std::to_string(n_b) + " of " + std::to_string(values) + " values");
    const std::size_t n = n_a + n_b;
    const Array<T> a(sorted_items<T>(n_a, values, 1)), b(sorted_items<T>(n_b, values, 2));
    const Array<Word> with_a(random_items<Word>(n_a, 3)), with_b(random_items<Word>(n_b, 4));
    Array<T> ours(n), theirs(n);
    Array<Word> our_values(n), their_values(n);
    const auto size_a = static_cast<std::int64_t>(n_a), size_b = static_cast<std::int64_t>(n_b);
    run_cub([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceMerge::MergePairs(temporary, bytes, a.data(), with_a.data(), size_a, b.data(), with_b.data(),
                                            size_b, theirs.data(), their_values.data(), Less{});
    });
    kogge::merge_pairs(a.data(), with_a.data(), b.data(), with_b.data(), ours.data(), our_values.data(), n_a, n_b);
    EXPECT_TRUE(same(ours.get(), theirs.get()));
    EXPECT_TRUE(same(our_values.get(), their_values.get()));
    Array<T> keys(n);
    kogge::merge(a.data(), b.data(), keys.data(), n_a, n_b, Less{});
    EXPECT_TRUE(same(keys.get(), theirs.get()));
}
TEST(CubMerge, OfSizes) {
    const std::size_t most = several_tiles_each(
        [](std::size_t n) { return kogge::plan_merge(n, 17, sizeof(Word), kogge::simt::current_properties()); });
    for (const std::uint64_t values : {2u, 1000u, 1u << 31})
        for (const auto& [n_a, n_b] :
             {std::pair<std::size_t, std::size_t>{1, 1}, {4097, 12'289}, {most, 17}, {most / 2, most / 3}}) {
            compare_merges<Word>(n_a, n_b, values);
            compare_merges<std::uint64_t>(n_a, n_b, values);
            compare_merges<double>(n_a, n_b, values);
        }
}

template <class T>
void compare_searches(std::size_t n, std::size_t needles) {
    SCOPED_TRACE(std::to_string(needles) + " in " + std::to_string(n));
    const Array<T> in(sorted_items<T>(n, 2 * n, 1));
    auto wanted = sorted_items<T>(needles, 2 * n + 2, 2);
    for (const bool are_sorted : {true, false}) {
        if (!are_sorted)
            for (std::size_t i = 0; i < needles; ++i) std::swap(wanted[i], wanted[i * 7919 % needles]);
        const Array<T> of(wanted);
        Array<std::uint64_t> ours(needles), theirs(needles);
        thrust::lower_bound(thrust::device, in.data(), in.data() + n, of.data(), of.data() + needles, theirs.data());
        kogge::lower_bound(in.data(), of.data(), ours.data(), n, needles);
        EXPECT_TRUE(same(ours.get(), theirs.get()));
        thrust::upper_bound(thrust::device, in.data(), in.data() + n, of.data(), of.data() + needles, theirs.data());
        kogge::upper_bound(in.data(), of.data(), ours.data(), n, needles);
        EXPECT_TRUE(same(ours.get(), theirs.get()));
    }
}
TEST(CubSearch, OfSizes) {
    const std::size_t most = several_tiles_each(
        [](std::size_t n) { return kogge::plan_search(n, n, sizeof(Word), kogge::simt::current_properties()); });
    for (const std::size_t n : {std::size_t{1}, std::size_t{1023}, std::size_t{70'000}, most})
        for (const std::size_t needles : {std::size_t{3}, std::size_t{5000}, most}) {
            compare_searches<Word>(n, needles);
            compare_searches<double>(n, needles);
        }
}

struct Third {
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const { return i / 3; }
};
struct Twice {
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const { return 2 * i; }
};
// The last size has so many items that tiles are drawn as tickets.
TEST(CubIterators, OfScans) {
    std::size_t many = small() ? 200'000 : 1'000'000;
    if (!small())
        while (is_cooperative(kogge::plan_scan(many, {8, 8, 8}, {}, kogge::simt::current_properties())))
            many += many / 16;
    for (const std::size_t n : {std::size_t{1000}, std::size_t{100'000}, many}) {
        std::vector<std::uint64_t> sums(n), by_key(n);
        for (std::uint64_t i = 0; i < n; ++i) {
            sums[i] = 2 * (i / 3) + (i > 0 ? sums[i - 1] : 0);
            by_key[i] = i + (i % 3 > 0 ? by_key[i - 1] : 0);
        }
        const auto counting = thrust::make_counting_iterator(std::uint64_t{0});
        const auto thirds = thrust::make_transform_iterator(counting, Third{});
        Array<std::uint64_t> out(n);
        kogge::inclusive_scan(thirds, thrust::make_transform_output_iterator(out.data(), Twice{}), n,
                              {.where = kWhere});
        EXPECT_TRUE(same(out.get(), sums)) << n;
        kogge::inclusive_scan_by_key(thirds, counting, out.data(), n);
        EXPECT_TRUE(same(out.get(), by_key)) << n;
        kogge::inclusive_scan(thirds, thrust::make_discard_iterator(), n, {.where = kWhere});
        kogge::merge(thirds, counting, thrust::make_discard_iterator(), n, n, {.where = kWhere});
        kogge::lower_bound(thirds, counting, out.data(), n, n);
        for (std::uint64_t i = 0; i < n; ++i) sums[i] = std::min<std::uint64_t>(3 * i, n);
        EXPECT_TRUE(same(out.get(), sums)) << n;
    }
}

}  // namespace
