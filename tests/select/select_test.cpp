// kogge-test: EMULATED GPU HOST
// Keys by their rank against a stable order.
#include "kogge/calls/select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "kogge/select/shape.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"
#include "support/select_plans.hpp"

namespace {

using namespace tests;
using kogge::sort_options;

const kogge::exec how{.where = kWhere};

/// The device has two multiprocessors, so that plans count few keys by digits.
class Select : public testing::Test {
    const FewMultiprocessors device_{1};
};

template <class Key>
kogge::select_shape shape_of(const sort_options& options = {}) {
    const bool merges = options.zeros != kogge::zero_order::negative_first || options.nans != kogge::nan_order::by_sign;
    return {sizeof(Key), options.begin_bit, options.end_bit == -1 ? kogge::detail::key_bits<Key> : options.end_bit,
            merges};
}
/// The least number of keys that the device counts by digits; on the host, which has one way, 65536.
template <class Key>
std::uint64_t least_counted(const sort_options& options = {}) {
    if constexpr (!kOnDevice) return 65536;
    else return tests::least_counted(shape_of<Key>(options), kogge::simt::current_properties());
}
template <class Key>
std::uint64_t counted(const sort_options& options = {}) {
    return least_counted<Key>(options) + 14465;
}
void expect_way(const char* way, std::uint64_t n, std::uint64_t m, const kogge::select_shape& shape) {
    if constexpr (kOnDevice) {
        const auto plan = kogge::plan_select(n, m, shape, kogge::simt::current_properties());
        EXPECT_STREQ(to_string(plan.way), way) << "of m = " << m;
    }
}

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

/// `way`: of the plan for all ranks, and of that for one of them unless m is too large to count by digits.
template <class Key>
void check(const char* way, const std::vector<Key>& keys, const std::vector<std::uint64_t>& ranks,
           const sort_options& options = {}, std::size_t offset = 1) {
    SCOPED_TRACE(std::to_string(ranks.size()) + " of " + std::to_string(keys.size()) + " keys of " +
                 std::to_string(sizeof(Key)) + " bytes");
    expect_way(way, keys.size(), ranks.size(), shape_of<Key>(options));
    if (ranks.size() <= kogge::grid::kMostRanks) expect_way(way, keys.size(), 1, shape_of<Key>(options));
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

TEST_F(Select, Sizes) {
    using Key = std::uint32_t;
    const auto check_sizes = [](const char* way, const std::vector<std::uint64_t>& sizes) {
        for (const std::uint64_t n : sizes)
            for (const std::size_t m : {std::size_t{1}, std::size_t{9}})
                check(way, random_items<Key>(n, n), ranks_of(n, m), {}, n % 4);
    };
    const std::uint64_t least = least_counted<Key>();
    check_sizes("compare", {1, 2, 3, 100, 4095, 4096});
    check_sizes("sort", {4097, 30000, least - 1});
    check_sizes("digits", {least, least + 4465});
}
TEST_F(Select, ManyRanks) {
    const auto keys = random_items<float>(counted<float>());
    for (const std::size_t m : {2u, 64u, 65u, 1024u}) check("digits", keys, ranks_of(keys.size(), m));
    for (const std::size_t m : {1025u, 3000u}) check("sort", keys, ranks_of(keys.size(), m));
    check("sort", random_items<std::uint64_t>(3000), ranks_of(3000, 2000));
}

template <class Key>
void check_type() {
    constexpr bool has_ranks = sizeof(Key) <= 8;
    const auto check_n = [](const char* way, std::uint64_t n) {
        check(way, random_items<Key>(n, n), ranks_of(n, 9));
        check(way, random_items<Key>(n, n), ranks_of(n, 3), {.order = kogge::descending});
    };
    check_n(has_ranks ? "compare" : "sort", 500);
    check_n("sort", 20000);
    if constexpr (has_ranks) check_n("digits", counted<Key>());
    else check_n("sort", 80001);
}
TEST_F(Select, Types) {
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
template <class Key>
void check_untold(std::size_t m, const sort_options& options) {
    check("compare", random_items<Key>(3000), ranks_of(3000, m), options);
    check("sort", random_items<Key>(20000), ranks_of(20000, m), options);
    const bool has_bits = options.begin_bit != options.end_bit;
    const std::uint64_t n = has_bits ? counted<Key>(options) : 80001;
    check(has_bits ? "digits" : "sort", random_items<Key>(n), ranks_of(n, m), options);
}
TEST_F(Select, KeysThatTheirCodesDoNotTell) {
    check_untold<float>(9, {.zeros = kogge::zero_order::equal, .nans = kogge::nan_order::last});
    check_untold<float>(9, {.order = kogge::descending, .nans = kogge::nan_order::last});
    check_untold<float>(9, {.order = kogge::descending, .nans = kogge::nan_order::greatest});
    check_untold<double>(5, {.zeros = kogge::zero_order::equal});
    check_untold<std::uint32_t>(9, {.begin_bit = 8, .end_bit = 20});
    check_untold<std::uint32_t>(9, {.begin_bit = 4, .end_bit = 4});
    check_untold<std::uint64_t>(9, {.begin_bit = 60});
    check_untold<std::uint8_t>(9, {.begin_bit = 1, .end_bit = 3});
}
// Most keys begin alike, so that the list has no room for them; or all are equal, or few values.
TEST_F(Select, KeysThatBeginAlike) {
    const std::size_t n = std::max<std::size_t>(counted<std::uint64_t>(), small() ? 0 : 300007);
    Random random(1);
    const auto check_keys = [&](std::size_t m, const auto& next) {
        std::vector<std::uint64_t> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = next(i);
        check("digits", keys, ranks_of(n, m));
    };
    check_keys(9, [&](std::size_t) { return random() % 1000; });
    check_keys(9, [&](std::size_t) { return std::uint64_t{7}; });
    check_keys(64, [&](std::size_t i) { return std::uint64_t{i}; });
    check_keys(64, [&](std::size_t i) { return std::uint64_t{n - i} << 40; });
    check_keys(9, [&](std::size_t) { return random() % 5 << 61; });
    check_keys(40, [&](std::size_t) { return random() % 3 << 32 | random() % 3 << 16 | random() % 3; });
    std::vector<float> floats(std::max<std::size_t>(counted<float>(), small() ? 0 : 300007));
    for (auto& key : floats) key = static_cast<float>(random() % 3);
    check("digits", floats, ranks_of(floats.size(), 9));
}

// On all multiprocessors of the device, whose plans count millions of keys by digits on a GPU.
template <class Key>
void check_many() {
    std::uint64_t n = least_counted<Key>() + 5;
    if (kOnDevice && !KOGGE_EMULATED && !small()) n = std::max(n, (std::uint64_t{1} << 23) + 5);
    SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes");
    auto keys = random_items<Key>(n, n);
    const auto ranks = ranks_of(n, 9);
    const Array<Key> in(keys, 1);
    const Array<std::uint64_t> wanted(ranks);
    Array<Key> out(ranks.size(), 1);
    expect_way("digits", n, ranks.size(), shape_of<Key>());
    kogge::quantiles(in.data(), out.data(), n, wanted.data(), ranks.size(), how);
    EXPECT_TRUE(same(in.get(), keys)) << "the input";
    std::vector<Key> want;
    for (const std::uint64_t rank : ranks) {
        const auto place = keys.begin() + static_cast<std::ptrdiff_t>(rank);
        std::nth_element(keys.begin(), place, keys.end());
        want.push_back(*place);
    }
    EXPECT_TRUE(same(out.get(), want));
}
TEST(SelectOnWholeDevice, ManyKeys) {
    check_many<std::uint32_t>();
    check_many<std::uint64_t>();
    const sort_options merged{.zeros = kogge::zero_order::equal, .nans = kogge::nan_order::last};
    const auto floats = random_items<float>(least_counted<float>(merged) + 5);
    check("digits", floats, ranks_of(floats.size(), 9), merged);
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
TEST_F(Select, Structs) {
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
        expect_way("sort", n, ranks.size(), {.key_bytes = sizeof(Cell), .end_bit = 32, .are_numbers = false});
        kogge::quantiles(in.data(), out.data(), n, wanted.data(), ranks.size(), how);
        EXPECT_TRUE(same(out.get(), want));
    }
}

TEST_F(Select, CountsOnTheDevice) {
    if (!kOnDevice) GTEST_SKIP() << "the host knows its counts";
    const std::pair<const char*, std::uint64_t> bounds[] = {
        {"compare", 3000}, {"sort", 30000}, {"digits", counted<float>()}};
    for (const auto& [way, bound] : bounds) {
        expect_way(way, bound, 4, shape_of<float>());
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

TEST_F(Select, ExecFollowsTheArguments) {
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
TEST_F(Select, Refuses) {
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
