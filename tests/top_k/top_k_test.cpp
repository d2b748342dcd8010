// kogge-test: EMULATED GPU HOST
// Top-k against the front of a stable order.
#include "kogge/top_k.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

#if KOGGE_KERNELS
#include "kogge/top_k/threshold.cuh"
#endif

namespace {

using namespace tests;
using kogge::top_k_options;

/// The codes of keys by which the options order them.
template <class Key>
std::vector<kogge::uint128> codes_of(const std::vector<Key>& keys, const top_k_options& options) {
    using Stored = kogge::detail::stored_key<Key>;
    const auto codec = kogge::detail::make_codec<Key>(options);
    const int end = options.end_bit == -1 ? kogge::detail::key_bits<Key> : options.end_bit;
    std::vector<kogge::uint128> codes(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        Stored stored;
        std::memcpy(&stored, &keys[i], sizeof stored);
        const auto code = static_cast<kogge::uint128>(codec.encode(stored)) >> options.begin_bit;
        const int bits = end - options.begin_bit;
        codes[i] = bits == 0 ? 0 : bits == 128 ? code : code & ((kogge::uint128{1} << bits) - 1);
    }
    return codes;
}

/// The first k indices by code and index.
std::vector<std::uint32_t> first_of(const std::vector<kogge::uint128>& codes, std::size_t k) {
    std::vector<std::uint32_t> order(codes.size());
    std::iota(order.begin(), order.end(), 0u);
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
        [&](std::uint32_t a, std::uint32_t b) { return codes[a] != codes[b] ? codes[a] < codes[b] : a < b; });
    order.resize(k);
    return order;
}

template <class T>
std::vector<T> at(const std::vector<T>& items, const std::vector<std::uint32_t>& order) {
    std::vector<T> out;
    for (const std::uint32_t index : order) out.push_back(items[index]);
    return out;
}

struct Odd {
    std::uint8_t bytes[7];
};

/// Every form of the call.
template <class Key>
void check(const std::vector<Key>& keys, std::size_t k, const top_k_options& options = {}, std::size_t offset = 0) {
    const std::size_t n = keys.size();
    SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes");
    const kogge::exec how{.where = kWhere};
    const auto want = first_of(codes_of(keys, options), k);
    const Array<Key> in(keys, offset);
    Array<Key> out(k, offset);
    kogge::top_k(in.data(), out.data(), n, k, options, how);
    EXPECT_TRUE(same(out.get(), at(keys, want))) << "keys";
    Array<Key> with_indices(k);
    Array<std::uint32_t> indices(k, offset);
    kogge::arg_top_k(in.data(), with_indices.data(), indices.data(), n, k, options, how);
    EXPECT_TRUE(same(indices.get(), want)) << "indices";
    EXPECT_TRUE(same(with_indices.get(), at(keys, want))) << "keys beside indices";
    EXPECT_TRUE(same(in.get(), keys)) << "the input";
}

/// With values of a type, and wide indices.
template <class Value, class Key>
void check_values(const std::vector<Key>& keys, std::size_t k) {
    const std::size_t n = keys.size();
    SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(n) + ", values of " + std::to_string(sizeof(Value)));
    const kogge::exec how{.where = kWhere};
    const auto values = random_items<Value>(n, 9);
    const auto want = first_of(codes_of(keys, {}), k);
    const Array<Key> in(keys);
    const Array<Value> with(values);
    Array<Key> out(k);
    Array<Value> with_out(k);
    kogge::top_k_pairs(in.data(), out.data(), with.data(), with_out.data(), n, k, {}, how);
    EXPECT_TRUE(same(out.get(), at(keys, want))) << "keys";
    EXPECT_TRUE(same(with_out.get(), at(values, want))) << "values";
    Array<std::int64_t> wide(k);
    kogge::arg_top_k(in.data(), wide.data(), n, k, {}, how);
    EXPECT_TRUE(same(wide.get(), std::vector<std::int64_t>(want.begin(), want.end()))) << "wide indices";
}

// One block, several, and a sort; some of them with ragged ends.
TEST(TopK, Sizes) {
    for (const std::size_t n : {1, 2, 3, 31, 64, 100, 513, 1000, 4099, 8192, 8193}) {
        const auto keys = random_items<float>(n, n);
        for (const std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{40}, n / 8, n / 2, n})
            if (k >= 1 && k <= n) check(keys, k, {}, n % 4);
    }
}

TEST(TopK, Grid) {
    for (const std::size_t n : {std::size_t{20000}, std::size_t{65537}}) {
        const auto keys = random_items<float>(n, n);
        for (const std::size_t k : {1, 64, 65, 1000}) check(keys, k, {}, k % 4);
    }
    if (small()) return;
    const auto keys = random_items<std::uint32_t>(300007);
    for (const std::size_t k : {1, 40, 2000, 16384, 16385}) check(keys, k, {.order = kogge::ascending});
}

template <class Key>
void check_type() {
    for (const std::size_t n : {200, 9001}) {
        const auto keys = random_items<Key>(n, n);
        for (const auto order : {kogge::ascending, kogge::descending})
            for (const std::size_t k : {std::size_t{20}, n / 3}) check(keys, k, {.order = order}, 1);
    }
    check(random_items<Key>(40003, 3), 100);
}
TEST(TopK, TypesOfIntegers) {
    check_type<std::uint8_t>();
    check_type<std::int8_t>();
    check_type<std::int16_t>();
    check_type<std::uint16_t>();
    check_type<std::int32_t>();
    check_type<std::uint32_t>();
    check_type<std::int64_t>();
    check_type<std::uint64_t>();
    check_type<kogge::int128>();
    check_type<kogge::uint128>();
}
enum class Side : std::int16_t {};
TEST(TopK, OtherTypesOfNumbers) {
    check_type<float>();
    check_type<double>();
    check_type<kogge::half>();
    check_type<kogge::bfloat16>();
    check_type<Side>();
    check_type<std::byte>();
    std::vector<std::uint8_t> bits = random_items<std::uint8_t>(5000);
    const Array<std::uint8_t> in(bits);
    Array<std::uint32_t> indices(600);
    for (auto& bit : bits) bit &= 1;
    const Array<std::uint8_t> flags(bits);
    kogge::arg_top_k(reinterpret_cast<const bool*>(flags.data()), indices.data(), 5000, 600, {}, {.where = kWhere});
    EXPECT_TRUE(same(indices.get(), first_of(codes_of(bits, {}), 600)));
}

template <class Key>
void check_floats(std::size_t n, std::size_t k) {
    const auto keys = random_items<Key>(n, 3);
    for (const auto order : {kogge::ascending, kogge::descending})
        for (const auto nans : {kogge::nan_order::by_sign, kogge::nan_order::last, kogge::nan_order::greatest})
            for (const auto zeros : {kogge::zero_order::negative_first, kogge::zero_order::equal})
                check(keys, k, {.order = order, .zeros = zeros, .nans = nans});
}
TEST(TopK, NansAndZeros) {
    check_floats<float>(3000, 60);
    check_floats<float>(3000, 2500);  // all NaNs, zeros and what is between
    check_floats<float>(30000, 3000);
    check_floats<double>(9000, 1000);
    check_floats<kogge::half>(9000, 1000);
}

TEST(TopK, BitRanges) {
    const auto keys = random_items<std::uint32_t>(9000, 5);
    for (const auto& [begin, end] : {std::pair{0, 0}, {32, 32}, {0, 5}, {3, 4}, {7, 25}, {20, 32}})
        for (const std::size_t k : {30, 700, 4500}) check(keys, k, {.begin_bit = begin, .end_bit = end});
    check(random_items<float>(9000, 5), 700, {.begin_bit = 16, .nans = kogge::nan_order::last});
    check(random_items<std::uint64_t>(9000, 5), 700, {.begin_bit = 60});
}

TEST(TopK, Distributions) {
    for (const Distribution distribution : kDistributions)
        for (const std::size_t n : {3000, 20000, 100003}) {
            if (n > 20000 && small()) continue;
            SCOPED_TRACE(static_cast<int>(distribution));
            const auto keys = items_of<std::uint32_t>(distribution, n);
            for (const std::size_t k : {40, 300}) check(keys, k);
        }
}

TEST(TopK, Values) {
    for (const std::size_t n : {3000, 40000})
        for (const std::size_t k : {50, 2000}) {
            const auto keys = random_items<std::uint16_t>(n, k);
            check_values<std::uint8_t>(keys, k);
            check_values<std::uint16_t>(keys, k);
            check_values<std::uint32_t>(keys, k);
            check_values<double>(keys, k);
            check_values<kogge::uint128>(keys, k);
            check_values<Odd>(keys, k);
        }
}

TEST(TopK, NothingToDo) {
    const kogge::exec how{.where = kWhere};
    const Array<float> in(random_items<float>(10));
    Array<float> out(4);
    kogge::top_k(in.data(), out.data(), 10, 0, {}, how);
    kogge::top_k(static_cast<const float*>(nullptr), static_cast<float*>(nullptr), 0, 0, {}, how);
    kogge::arg_top_k(in.data(), static_cast<int*>(nullptr), 10, 0, {}, how);
    EXPECT_EQ(out.get(), std::vector<float>(4, Array<float>::poison()));
}

TEST(TopK, Mistakes) {
    using kogge::errc;
    const kogge::exec how{.where = kWhere};
    const Array<float> in(random_items<float>(100)), values(random_items<float>(100));
    Array<float> out(100), more(100);
    Array<std::int32_t> indices(100);
    const float* const none = nullptr;
    float* const nowhere = nullptr;
    EXPECT_EQ(code_of([&] { kogge::top_k(in.data(), out.data(), 100, 101, {}, how); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::top_k(in.data(), out.data(), 0, 1, {}, how); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::top_k(in.data(), out.data(), 100, -1, {}, how); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::top_k(none, out.data(), 100, 5, {}, how); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::top_k(in.data(), nowhere, 100, 5, {}, how); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::top_k(in.data(), out.data(), 100, 5, {.end_bit = 33}, how); }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::top_k(out.data(), out.data() + 20, 100, 5, {}, how); }), errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::top_k(out.data(), out.data(), 100, 5, {}, how); }), errc::overlap);
    EXPECT_EQ(
        code_of([&] { kogge::top_k_pairs(in.data(), out.data(), values.data(), out.data() + 4, 100, 5, {}, how); }),
        errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::top_k_pairs(in.data(), out.data(), none, more.data(), 100, 5, {}, how); }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::arg_top_k(in.data(), indices.data(), (std::uint64_t{1} << 31) + 1, 5, {}, how); }),
              errc::invalid_argument);
    EXPECT_EQ(out.get(), std::vector<float>(100, Array<float>::poison()));
    EXPECT_EQ(more.get(), out.get());
    EXPECT_EQ(indices.get(), std::vector<std::int32_t>(100, Array<std::int32_t>::poison()));
#if !KOGGE_KERNELS
    const std::uint64_t count = 100;
    EXPECT_EQ(code_of([&] {
                  kogge::top_k(in.data(), out.data(), kogge::device_count{&count, 100}, 5, {}, how);
              }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::top_k(in.data(), out.data(), 100, kogge::device_count{&count, 100}, {}, how);
              }),
              errc::invalid_argument);
#endif
}

#if KOGGE_KERNELS
/// The front, of so many as there are; nothing is written behind it.
TEST(TopK, CountsOnTheDevice) {
    const kogge::exec how{.where = kWhere};
    for (const std::size_t bound : {5000, 40000})
        for (const std::size_t k : {50, 3000}) {
            const auto keys = random_items<float>(bound, k);
            const Array<float> in(keys);
            for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{49}, k, bound / 2 + 1, bound})
                for (const std::size_t wanted : {std::size_t{0}, k / 2, k}) {
                    SCOPED_TRACE(std::to_string(wanted) + " of " + std::to_string(n));
                    const Array<std::uint64_t> counts(std::vector<std::uint64_t>{n, wanted});
                    const kogge::device_count of_n{counts.data(), bound}, of_k{counts.data() + 1, k};
                    const auto order = first_of(
                        codes_of(std::vector<float>(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n)), {}),
                        std::min(n, k));
                    const auto expected = [&](std::size_t count) {
                        auto front = order;
                        front.resize(std::min(count, front.size()));
                        front.resize(k, Array<std::uint32_t>::poison());
                        return front;
                    };
                    Array<std::uint32_t> by_n(k), by_both(k);
                    kogge::arg_top_k(in.data(), by_n.data(), of_n, k, {}, how);
                    EXPECT_TRUE(same(by_n.get(), expected(k)));
                    kogge::arg_top_k(in.data(), by_both.data(), of_n, of_k, {}, how);
                    EXPECT_TRUE(same(by_both.get(), expected(wanted)));
                    if (n < bound) continue;
                    Array<std::uint32_t> by_k(k);
                    kogge::arg_top_k(in.data(), by_k.data(), n, of_k, {}, how);
                    EXPECT_TRUE(same(by_k.get(), expected(wanted)));
                }
        }
    const Array<float> in(random_items<float>(100));
    Array<float> out(10);
    const Array<std::uint64_t> count(std::vector<std::uint64_t>{11});
    EXPECT_EQ(code_of([&] {
                  kogge::top_k(in.data(), out.data(), 100, kogge::device_count{count.data(), 10, true});
              }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::top_k(in.data(), out.data(), 100,
                               kogge::device_count{reinterpret_cast<std::uint64_t*>(out.data()), 10});
              }),
              kogge::errc::overlap);
    EXPECT_EQ(out.get(), std::vector<float>(10, Array<float>::poison()));
}

/// A launch for a call; the plan with which it runs.
kogge::top_k_select selection_of(std::size_t n, std::size_t k, std::size_t key_bytes) {
    const auto plan =
        kogge::plan_top_k(n, k, {key_bytes, 0, static_cast<int>(8 * key_bytes)}, kogge::simt::current_properties());
    const auto* const way = plan.as<kogge::top_k_select>();
    EXPECT_NE(way, nullptr);
    return way ? *way : kogge::top_k_select{};
}

/// Keys of which the sample sees what is greatest, and nothing else: too few candidates. Or it sees what is least: too
/// many, for the list, or to be compared each with each.
void check_misled(std::size_t n, std::size_t k, const kogge::top_k_select& way) {
    ASSERT_GT(way.samples, 0u);
    const std::uint64_t chunks = n / 4, step = kogge::grid::sample_step(way.samples, chunks);
    for (const std::uint32_t seen : {0u, 2000000000u}) {
        auto keys = random_items<std::uint32_t>(n, k);
        for (auto& key : keys) key = 1000000000u + key % 1000;
        for (std::uint64_t s = 0; s < way.samples; ++s)
            for (std::uint64_t i = 0; i < 4; ++i)
                keys[4 * kogge::grid::sampled_chunk(s, step, chunks) + i] = seen + static_cast<std::uint32_t>(s % 7);
        check(keys, k);
        const auto wide = std::vector<std::uint64_t>(keys.begin(), keys.end());
        check(wide, k);
    }
}
TEST(TopK, MisleadingSamples) {
#if KOGGE_EMULATED
    const std::size_t n = 400000;
#else
    const std::size_t n = small() && may_pretend() ? 100000 : 400000;  // a GPU of many blocks sorts fewer
#endif
    for (const std::size_t k : {500, 9000}) check_misled(n, k, selection_of(n, k, 4));
}
// A cluster whose list has no room begins again, through memory.
TEST(TopK, MisledClusters) {
    const auto before = kogge::simt::current_properties();
    if (may_pretend()) {
        auto device = before;
        device.cluster_blocks = 8;
        pretend(device);
    }
    const std::size_t n = 100000, k = 200;
    const auto way = selection_of(n, k, 4);
    if (may_pretend()) {
        EXPECT_TRUE(way.cluster);
    }
    check_misled(n, k, way);
    if (may_pretend()) pretend(before);
}

// Many candidates are counted in bins: their codes crowd in a few bins, in a few of those, and so on.
TEST(TopK, CrowdedCandidates) {
    const std::size_t n = small() ? 70000 : 300000;
    auto keys = random_items<std::uint64_t>(n, 6);
    for (auto& key : keys) key = ~(key >> (key % 4 == 0 ? 0 : 16 * (1 + key % 3)));
    for (const std::size_t k : {3000, 8000}) check(keys, k);
    std::vector<std::uint32_t> few(n);
    for (std::size_t i = 0; i < n; ++i) few[i] = static_cast<std::uint32_t>(keys[i] % 3 + keys[i] % 5 * 0x1000000);
    check(few, 8000);
}

// Of every group but one, all items are less than k items of that one.
TEST(TopK, OneGroupHasAll) {
    for (const std::size_t n : {8192, 16384, 100000}) {
        const auto way = selection_of(n, 40, 4);
        auto keys = random_items<std::uint32_t>(n, 5);
        const std::size_t groups = static_cast<std::size_t>(way.groups_per_block);
        for (std::size_t i = 0; i < n; ++i)
            if (i / 4 % groups > 0) keys[i] /= 2;
            else keys[i] |= 0x80000000u;
        check(keys, 40);
    }
}

TEST(TopK, Devices) {
    if (!may_pretend()) GTEST_SKIP() << "this device is what it is";
    const auto before = kogge::simt::current_properties();
    const auto keys = random_items<float>(40000, 8);
    const auto wide = random_items<double>(30000, 8);
    for (const std::uint32_t cluster : {1u, 8u}) {
        auto device = before;
        device.cluster_blocks = cluster;
        for (const int multiprocessors : {1, 4}) {
            device.multiprocessors = multiprocessors;
            pretend(device);
            for (const std::size_t k : {40, 200, 3000}) {
                check(keys, k);
                check(wide, k);
            }
        }
    }
    pretend(before);
}

TEST(TopK, LittleScratch) {
    const kogge::exec little{.where = kWhere, .scratch_limit = 100};
    const Array<float> in(random_items<float>(20000));
    Array<float> out(40);
    EXPECT_EQ(code_of([&] { kogge::top_k(in.data(), out.data(), 20000, 40, {}, little); }), kogge::errc::out_of_memory);
    EXPECT_EQ(out.get(), std::vector<float>(40, Array<float>::poison()));
}
#endif

}  // namespace
