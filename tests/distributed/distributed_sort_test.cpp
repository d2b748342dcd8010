// kogge-test: EMULATED GPU HOST
// Sorts of arrays of which each rank holds a part, against std::stable_sort of the whole: exact sizes of the parts
// however skewed the keys are, stability over ranks, all key types and options.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "distributed/ranks.hpp"
#include "kogge/distributed/radix_sort.hpp"
#include "support/sort_checks.hpp"

namespace {

using namespace tests;
namespace distributed = kogge::distributed;

std::vector<std::size_t> even(std::size_t n, std::size_t ranks) {
    std::vector<std::size_t> counts(ranks, n / ranks);
    for (std::size_t r = 0; r < n % ranks; ++r) ++counts[r];
    return counts;
}

/// The indices of keys in the stable order of their codes.
template <class Key>
std::vector<std::uint64_t> stable_order(const std::vector<Key>& keys, const kogge::sort_options& options) {
    const auto bits = kogge::detail::bit_range<Key>("test", options);
    const kogge::detail::CodeOfKey<Key> code_of{kogge::detail::make_codec<Key>(options), bits.begin, bits.end};
    std::vector<std::uint64_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint64_t a, std::uint64_t b) { return code_of(keys[a]) < code_of(keys[b]); });
    return order;
}
template <class T>
std::vector<T> in_order(const std::vector<T>& items, const std::vector<std::uint64_t>& order) {
    std::vector<T> out;
    for (const std::uint64_t i : order) out.push_back(items[i]);
    return out;
}

template <class Key>
std::vector<Key> keys_of(std::size_t n, Distribution distribution) {
    const auto items = items_of<kogge::detail::unsigned_of<sizeof(Key)>>(distribution, n, n + 7);
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(items[i]);
    return keys;
}

template <class Key>
void check_keys(const std::vector<Key>& keys, const Counts& counts, const distributed::sort_options& options = {}) {
    SCOPED_TRACE(text_of(counts));
    const auto parts = parts_of(keys, counts);
    const bool balanced = options.sizes == distributed::part_sizes::balanced;
    const auto want =
        parts_of(in_order(keys, stable_order(keys, options)), balanced ? even(keys.size(), counts.size()) : counts);
    on_ranks(counts.size(), [&](kogge::communicator& ranks, std::size_t rank) {
        const Array<Key> in(parts[rank]);
        Array<Key> out(want[rank].size());
        const std::uint64_t got = distributed::radix_sort(ranks, in.data(), out.data(), want[rank].size(), counts[rank],
                                                          options, {.where = kWhere});
        EXPECT_EQ(got, want[rank].size());
        EXPECT_TRUE(same(out.get(), want[rank])) << "rank " << rank;
        EXPECT_TRUE(same(in.get(), parts[rank])) << "rank " << rank;
    });
}

std::size_t most() { return small() || KOGGE_EMULATED ? 1'500 : 20'000; }

TEST(DistributedSort, OfAllDistributions) {
    for (const Distribution distribution : kDistributions)
        for (const Counts& counts : shares(most())) check_keys(keys_of<std::uint32_t>(most(), distribution), counts);
}
TEST(DistributedSort, OfFewKeys) {
    for (const std::size_t n : {0, 1, 2, 3, 5, 17})
        for (const Counts& counts : {Counts{n}, Counts{n, 0}, Counts{0, n, 0}, Counts{0, 0, 0, n}})
            for (const auto sizes : {distributed::part_sizes::balanced, distributed::part_sizes::kept})
                check_keys(keys_of<std::uint32_t>(n, Distribution::uniform), counts, {.sizes = sizes});
}

TEST(DistributedSort, KeepsNumbers) {
    for (const Distribution distribution : {Distribution::uniform, Distribution::one_value, Distribution::and_skewed})
        for (const Counts& counts : shares(most() / 2))
            check_keys(keys_of<std::uint16_t>(most() / 2, distribution), counts,
                       {.sizes = distributed::part_sizes::kept});
}
TEST(DistributedSort, InPlace) {
    const auto keys = random_items<std::int64_t>(most());
    const Counts counts{most() / 2, 0, most() / 2 - 3, 3};
    const auto parts = parts_of(keys, counts),
               want = parts_of(in_order(keys, stable_order(keys, {.order = kogge::descending})), counts);
    on_ranks(counts.size(), [&](kogge::communicator& ranks, std::size_t rank) {
        Array<std::int64_t> in_place(parts[rank]);
        distributed::radix_sort(ranks, in_place.data(), counts[rank], {.order = kogge::descending}, {.where = kWhere});
        EXPECT_TRUE(same(in_place.get(), want[rank])) << "rank " << rank;
    });
}

// Pieces of parts: cuts that fall among equal keys, empty pieces, more pieces than keys.
TEST(DistributedSort, InPieces) {
    const std::size_t n = most() / 2;
    for (const Distribution distribution : kDistributions)
        for (const int pieces : {2, 3, 7})
            for (const Counts& counts : shares(n)) {
                SCOPED_TRACE(std::to_string(pieces) + " pieces");
                check_keys(keys_of<std::uint32_t>(n, distribution), counts, {.pieces = pieces});
            }
    for (const auto sizes : {distributed::part_sizes::balanced, distributed::part_sizes::kept}) {
        check_keys(keys_of<std::uint64_t>(n, Distribution::values_16), {n / 3, 0, n - n / 3},
                   {.order = kogge::descending, .sizes = sizes, .pieces = 5});
        check_keys(keys_of<std::uint16_t>(5, Distribution::uniform), {2, 3}, {.sizes = sizes, .pieces = 64});
    }
}
TEST(DistributedSort, PiecesBySize) {
    using kogge::detail::pieces_of;
    constexpr std::uint64_t large = std::uint64_t{1} << 30;
    EXPECT_EQ(pieces_of(3, false, false, 10, 2), 3u);
    EXPECT_EQ(pieces_of(3, true, true, large, 1), 1u);
    EXPECT_EQ(pieces_of(0, true, false, large, 2), 4u);
    EXPECT_EQ(pieces_of(0, true, true, large, 2), 8u);
    EXPECT_EQ(pieces_of(0, false, false, large, 2), 1u);
    EXPECT_EQ(pieces_of(0, true, true, large, 1), 1u);
    EXPECT_EQ(pieces_of(0, true, true, (std::uint64_t{1} << 23) - 1, 2), 1u);
}

/// Keys that differ in few places, so that cuts fall among equal ones.
template <class Key>
void check_type() {
    const std::size_t n = most() / 4;
    std::vector<Key> keys = random_items<Key>(n, sizeof(Key));
    for (std::size_t i = 0; i < n / 2; ++i) keys[i] = keys[i % 7];
    keys = shuffled(keys);
    for (const auto order : {kogge::ascending, kogge::descending}) {
        check_keys(keys, {n / 2, n / 4, n - n / 2 - n / 4}, {.order = order});
        check_keys(keys, {n / 2, n - n / 2},
                   {.order = order, .zeros = kogge::zero_order::equal, .nans = kogge::nan_order::last});
    }
    constexpr int bits = kogge::detail::key_bits<Key>;
    for (const auto& [begin, end] : {std::pair{bits / 3, bits - 1}, std::pair{bits / 2, bits / 2}})
        check_keys(keys, {n / 5, n / 2, n - n / 5 - n / 2}, {.begin_bit = begin, .end_bit = end});
}
TEST(DistributedSort, OfNumbers) {
    check_type<std::uint8_t>();
    check_type<std::int32_t>();
    check_type<std::uint64_t>();
    check_type<double>();
    check_type<kogge::half>();
    check_type<kogge::uint128>();
}

/// Ordered by 192 bits.
struct Long {
    std::uint64_t high;
    std::uint32_t middle, low;
    std::uint64_t last;
};
}  // namespace
template <>
struct kogge::key_codec<Long> {
    using bits = kogge::key_words<6>;
    KOGGE_HOST_DEVICE static bits encode(const Long& key) {
        return {{static_cast<std::uint32_t>(key.last), static_cast<std::uint32_t>(key.last >> 32), key.low, key.middle,
                 static_cast<std::uint32_t>(key.high), static_cast<std::uint32_t>(key.high >> 32)}};
    }
};
namespace {
TEST(DistributedSort, OfStructs) {
    const std::size_t n = most() / 8;
    Random random(9);
    std::vector<Long> keys(n);
    for (Long& key : keys)
        key = {random() % 2 ? 5 : random(), static_cast<std::uint32_t>(random() % 3), 7, random() % 50};
    check_keys(keys, {n / 3, n - n / 3});
    check_keys(keys, {0, n / 3, n - n / 3, 0}, {.order = kogge::descending, .sizes = distributed::part_sizes::kept});
}

// Each value says where its key was: equal keys stay in the order of their ranks and indices.
template <class Value>
void check_pairs_of(Distribution distribution, const distributed::sort_options& options = {}) {
    const std::size_t n = most() / 2;
    const auto keys = keys_of<std::uint32_t>(n, distribution);
    std::vector<Value> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = {};
        const auto index = static_cast<std::uint32_t>(i);
        std::memcpy(static_cast<void*>(&values[i]), &index, sizeof index);
    }
    const auto order = stable_order(keys, {});
    for (const Counts& counts : shares(n)) {
        SCOPED_TRACE(text_of(counts));
        const Counts sizes = even(n, counts.size());
        const auto key_parts = parts_of(keys, counts), want_keys = parts_of(in_order(keys, order), sizes);
        const auto value_parts = parts_of(values, counts), want_values = parts_of(in_order(values, order), sizes);
        on_ranks(counts.size(), [&](kogge::communicator& ranks, std::size_t rank) {
            const Array<std::uint32_t> in(key_parts[rank]);
            const Array<Value> values_in(value_parts[rank]);
            Array<std::uint32_t> out(n);
            Array<Value> values_out(n);
            const std::uint64_t got =
                distributed::radix_sort_pairs(ranks, in.data(), out.data(), values_in.data(), values_out.data(), n,
                                              counts[rank], options, {.where = kWhere});
            ASSERT_EQ(got, sizes[rank]);
            auto sorted = out.get();
            auto moved = values_out.get();
            sorted.resize(got);
            moved.resize(got);
            EXPECT_TRUE(same(sorted, want_keys[rank])) << "rank " << rank;
            EXPECT_TRUE(same(moved, want_values[rank])) << "rank " << rank;
        });
    }
}
TEST(DistributedSort, PairsOfWords) {
    for (const Distribution distribution : kDistributions) check_pairs_of<std::uint32_t>(distribution);
}
TEST(DistributedSort, PairsOfTwelveBytes) { check_pairs_of<Bytes<12, 4>>(Distribution::values_16); }

TEST(DistributedSort, PairsInPieces) {
    for (const Distribution distribution : {Distribution::uniform, Distribution::one_value, Distribution::values_16})
        check_pairs_of<std::uint32_t>(distribution, {.pieces = 3});
}

TEST(DistributedSort, PairsInPlace) {
    const std::size_t n = most() / 2;
    const auto keys = keys_of<std::uint64_t>(n, Distribution::values_16);
    std::vector<std::uint64_t> values(n);
    std::iota(values.begin(), values.end(), 0);
    const auto order = stable_order(keys, {});
    const Counts counts{n / 7, n - n / 7};
    on_ranks(2, [&](kogge::communicator& ranks, std::size_t rank) {
        Array<std::uint64_t> own(parts_of(keys, counts)[rank]), beside(parts_of(values, counts)[rank]);
        distributed::radix_sort_pairs(ranks, own.data(), beside.data(), counts[rank], kogge::exec{.where = kWhere});
        EXPECT_TRUE(same(own.get(), parts_of(in_order(keys, order), counts)[rank]));
        EXPECT_TRUE(same(beside.get(), parts_of(order, counts)[rank]));
    });
}

TEST(DistributedSort, GlobalIndices) {
    for (const Distribution distribution : {Distribution::uniform, Distribution::two_values})
        for (const Counts& counts : shares(most())) {
            SCOPED_TRACE(text_of(counts));
            const auto keys = keys_of<float>(most(), distribution);
            const Counts sizes = even(keys.size(), counts.size());
            const auto want = parts_of(stable_order(keys, {}), sizes);
            on_ranks(counts.size(), [&](kogge::communicator& ranks, std::size_t rank) {
                const Array<float> in(parts_of(keys, counts)[rank]);
                Array<std::uint64_t> indices(sizes[rank]);
                const std::uint64_t got = distributed::argsort(ranks, in.data(), indices.data(), sizes[rank],
                                                               counts[rank], kogge::exec{.where = kWhere});
                EXPECT_EQ(got, sizes[rank]);
                EXPECT_TRUE(same(indices.get(), want[rank])) << "rank " << rank;
            });
        }
}

}  // namespace
