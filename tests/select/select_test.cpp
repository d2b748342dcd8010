// kogge-test: EMULATED GPU HOST
// Keys by their rank against a stable order.
#include "kogge/calls/select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
using kogge::sort_options;

const kogge::exec how{.where = kWhere};

/// The indices of keys in the order of a stable sort.
template <class Key>
std::vector<std::uint32_t> order_of(const std::vector<Key>& keys, const sort_options& options) {
    using Stored = kogge::detail::stored_key<Key>;
    const auto codec = kogge::detail::make_codec<Key>(options);
    const int end = options.end_bit == -1 ? kogge::detail::key_bits<Key> : options.end_bit;
    const int bits = end - options.begin_bit;
    std::vector<kogge::uint128> codes(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        Stored stored;
        std::memcpy(&stored, &keys[i], sizeof stored);
        const auto code = static_cast<kogge::uint128>(codec.encode(stored)) >> options.begin_bit;
        codes[i] = bits == 0 ? 0 : bits == 128 ? code : code & ((kogge::uint128{1} << bits) - 1);
    }
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return codes[a] < codes[b]; });
    return order;
}

template <class Key>
void check(const std::vector<Key>& keys, const std::vector<std::uint64_t>& ranks, const sort_options& options = {},
           std::size_t offset = 1) {
    SCOPED_TRACE(std::to_string(ranks.size()) + " of " + std::to_string(keys.size()) + " keys of " +
                 std::to_string(sizeof(Key)) + " bytes");
    const auto order = order_of(keys, options);
    std::vector<Key> want;
    for (const std::uint64_t rank : ranks) want.push_back(keys[order[rank]]);
    const Array<Key> in(keys, offset);
    const Array<std::uint64_t> wanted(ranks);
    Array<Key> out(ranks.size(), offset), one(1);
    kogge::quantiles(in.data(), out.data(), keys.size(), wanted.data(), ranks.size(), options, how);
    EXPECT_TRUE(same(out.get(), want)) << "of all ranks";
    kogge::select(in.data(), one.data(), keys.size(), ranks[0], options, how);
    EXPECT_TRUE(same(one.get(), {want[0]})) << "rank " << ranks[0];
    EXPECT_TRUE(same(in.get(), keys)) << "the input";
}

/// m ranks: the ends, equal ones, neighbours, the rest anywhere.
std::vector<std::uint64_t> ranks_of(std::uint64_t n, std::size_t m, std::uint64_t seed = 3) {
    Random random(seed);
    std::vector<std::uint64_t> ranks{n / 2, 0, n - 1, n / 2, n / 3, (n / 3 + 1) % n};
    while (ranks.size() < m) ranks.push_back(random() % n);
    ranks.resize(m);
    return ranks;
}

TEST(Select, Sizes) {
    for (const std::size_t n : {1u, 2u, 3u, 100u, 4095u, 4096u, 4097u, 30000u, 65535u, 65536u, 70001u})
        for (const std::size_t m : {std::size_t{1}, std::size_t{9}})
            check(random_items<std::uint32_t>(n, n), ranks_of(n, m), {}, n % 4);
}
TEST(Select, ManyRanks) {
    const auto keys = random_items<float>(80001);
    for (const std::size_t m : {2u, 64u, 65u, 1024u, 1025u, 3000u}) check(keys, ranks_of(keys.size(), m));
    check(random_items<std::uint64_t>(3000), ranks_of(3000, 2000));
}

template <class Key>
void check_type() {
    for (const std::size_t n : {500u, 20000u, 80001u}) {
        check(random_items<Key>(n, n), ranks_of(n, 9));
        check(random_items<Key>(n, n), ranks_of(n, 3), {.order = kogge::descending});
    }
}
TEST(Select, Types) {
    check_type<std::uint8_t>();
    check_type<std::int16_t>();
    check_type<std::int32_t>();
    check_type<std::uint64_t>();
    check_type<float>();
    check_type<double>();
    check_type<kogge::half>();
    check_type<kogge::uint128>();
}
// Keys of equal codes that are not equal are told by their index.
TEST(Select, KeysThatTheirCodesDoNotTell) {
    for (const std::size_t n : {3000u, 80001u}) {
        const auto floats = random_items<float>(n);
        check(floats, ranks_of(n, 9), {.zeros = kogge::zero_order::equal, .nans = kogge::nan_order::last});
        check(floats, ranks_of(n, 9), {.order = kogge::descending, .nans = kogge::nan_order::last});
        check(floats, ranks_of(n, 9), {.order = kogge::descending, .nans = kogge::nan_order::greatest});
        check(random_items<double>(n), ranks_of(n, 5), {.zeros = kogge::zero_order::equal});
        const auto words = random_items<std::uint32_t>(n);
        check(words, ranks_of(n, 9), {.begin_bit = 8, .end_bit = 20});
        check(words, ranks_of(n, 9), {.begin_bit = 4, .end_bit = 4});
        check(random_items<std::uint64_t>(n), ranks_of(n, 9), {.begin_bit = 60});
        check(random_items<std::uint8_t>(n), ranks_of(n, 9), {.begin_bit = 1, .end_bit = 3});
    }
}
// Most keys begin alike, so that the list has no room for them; or all are equal, or few values.
TEST(Select, KeysThatBeginAlike) {
    const std::size_t n = small() ? 80001 : 300007;
    Random random(1);
    const auto make = [&](const auto& next) {
        std::vector<std::uint64_t> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = next(i);
        return keys;
    };
    check(make([&](std::size_t) { return random() % 1000; }), ranks_of(n, 9));
    check(make([&](std::size_t) { return std::uint64_t{7}; }), ranks_of(n, 9));
    check(make([&](std::size_t i) { return std::uint64_t{i}; }), ranks_of(n, 64));
    check(make([&](std::size_t i) { return std::uint64_t{n - i} << 40; }), ranks_of(n, 64));
    check(make([&](std::size_t) { return random() % 5 << 61; }), ranks_of(n, 9));
    check(make([&](std::size_t) { return random() % 3 << 32 | random() % 3 << 16 | random() % 3; }), ranks_of(n, 40));
    std::vector<float> floats(n);
    for (auto& key : floats) key = static_cast<float>(random() % 3);
    check(floats, ranks_of(n, 9));
}

struct Cell {
    std::uint32_t id;
    std::uint32_t cell;
};
}  // namespace
template <>
struct kogge::key_codec<Cell> {
    using bits = std::uint32_t;
    KOGGE_HOST_DEVICE static bits encode(const Cell& cell) { return cell.cell; }
};
namespace {
TEST(Select, Structs) {
    for (const std::size_t n : {1u, 1000u, 20000u}) {
        std::vector<Cell> keys(n);
        for (std::uint32_t i = 0; i < n; ++i) keys[i] = {i, i * 37u % 100};
        std::vector<Cell> sorted = keys;
        std::stable_sort(sorted.begin(), sorted.end(), [](const Cell& a, const Cell& b) { return a.cell < b.cell; });
        const auto ranks = ranks_of(n, 9);
        std::vector<Cell> want;
        for (const std::uint64_t rank : ranks) want.push_back(sorted[rank]);
        const Array<Cell> in(keys);
        const Array<std::uint64_t> wanted(ranks);
        Array<Cell> out(ranks.size());
        kogge::quantiles(in.data(), out.data(), n, wanted.data(), ranks.size(), how);
        EXPECT_TRUE(same(out.get(), want));
    }
}

TEST(Select, CountsOnTheDevice) {
    if (!kOnDevice) GTEST_SKIP() << "the host knows its counts";
    for (const std::uint64_t bound : {3000u, 30000u, 90000u}) {
        const auto keys = random_items<float>(bound);
        const Array<float> in(keys);
        for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, bound / 2, bound, bound + 5}) {
            const std::uint64_t taken = std::min(n, bound);
            const std::vector<float> front(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(taken));
            const auto order = order_of(front, {});
            const Array<std::uint64_t> count(std::vector<std::uint64_t>{n});
            const std::vector<std::uint64_t> ranks{0, bound / 4, bound - 1, ~std::uint64_t{0}};
            const Array<std::uint64_t> wanted(ranks);
            Array<float> out(ranks.size());
            kogge::quantiles(in.data(), out.data(), kogge::device_count{count.data(), bound}, wanted.data(),
                             ranks.size(), how);
            std::vector<float> want(ranks.size(), Array<float>::poison());
            for (std::size_t j = 0; j < ranks.size() && taken > 0; ++j)
                want[j] = front[order[std::min(ranks[j], taken - 1)]];
            EXPECT_TRUE(same(out.get(), want)) << n << " of " << bound;
        }
    }
}

TEST(Select, ExecFollowsTheArguments) {
    const Array<float> in(std::vector<float>{3, 1, 2});
    Array<float> out(std::size_t{2});
    const Array<std::uint64_t> ranks(std::vector<std::uint64_t>{2, 0});
    kogge::select(in.data(), out.data(), 3, 1, {.where = kWhere});
    EXPECT_EQ(out.get()[0], 2);
    kogge::quantiles(in.data(), out.data(), 3, ranks.data(), 2, {.where = kWhere});
    EXPECT_TRUE(same(out.get(), {3, 1}));
    kogge::select(in.data(), out.data(), 3, 0, {.order = kogge::descending}, {.where = kWhere});
    EXPECT_EQ(out.get()[0], 3);
}
TEST(Select, Refuses) {
    const Array<float> in(std::vector<float>(100));
    const Array<std::uint64_t> ranks(std::vector<std::uint64_t>{1, 2});
    Array<float> out(2);
    using kogge::errc;
    const auto code = [&](const std::function<void()>& call) {
        const auto result = code_of(call);
        EXPECT_TRUE(same(out.get(), std::vector<float>(2, Array<float>::poison())));
        return result;
    };
    EXPECT_EQ(code([&] { kogge::select(in.data(), out.data(), 100, 100, how); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::select(in.data(), out.data(), 0, 0, how); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::select(in.data(), out.data(), 100, 1, {.begin_bit = 33}, how); }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::select(static_cast<float*>(nullptr), out.data(), 100, 1, how); }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::select(in.data(), static_cast<float*>(nullptr), 100, 1, how); }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::quantiles(in.data(), out.data(), 100, nullptr, 2, how); }), errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::quantiles(in.data(), out.data(), 100, nullptr, 1, how); }), errc::invalid_argument);
    Array<float> both(std::vector<float>(10));
    EXPECT_EQ(code_of([&] { kogge::select(both.data(), both.data() + 9, 10, 1, how); }), errc::overlap);
    kogge::quantiles(in.data(), out.data(), 100, ranks.data(), 0, how);
    kogge::quantiles(static_cast<const float*>(nullptr), static_cast<float*>(nullptr), 0, nullptr, 0, how);
    EXPECT_TRUE(same(out.get(), std::vector<float>(2, Array<float>::poison())));
    if (!kOnDevice) {
        const std::uint64_t far[] = {1, 100};
        EXPECT_EQ(code([&] { kogge::quantiles(in.data(), out.data(), 100, far, 2, how); }), errc::invalid_argument);
        EXPECT_EQ(code([&] {
                      kogge::select(in.data(), out.data(), kogge::device_count{far, 100}, 1, how);
                  }),
                  errc::invalid_argument);
    }
}

}  // namespace
