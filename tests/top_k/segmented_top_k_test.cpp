// kogge-test: EMULATED GPU HOST
// Top-k of segments against the front of each segment's stable order.
#include "kogge/calls/segmented_top_k.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using kogge::rows_of;
using kogge::top_k_options;
using Offsets = std::vector<std::uint64_t>;

/// Places k apart: of each segment the first k items, of which make(segment's begin, index in it) are what is written.
template <class T, class Key, class Make>
std::vector<T> expected(const std::vector<Key>& keys, const Offsets& begins, const Offsets& ends, std::size_t k,
                        const top_k_options& options, const Make& make) {
    std::vector<T> out(begins.size() * k, Array<T>::poison());
    const auto codec = kogge::detail::make_codec<Key>(options);
    const int begin_bit = options.begin_bit, end_bit = options.end_bit == -1 ? codec.kBits : options.end_bit;
    std::vector<std::uint64_t> codes(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        kogge::detail::stored_key<Key> stored;
        std::memcpy(&stored, &keys[i], sizeof stored);
        const int width = end_bit - begin_bit;
        const std::uint64_t code = codec.encode(stored);
        codes[i] = width == 0 ? 0 : width == 64 ? code : code >> begin_bit & ((std::uint64_t{1} << width) - 1);
    }
    for (std::size_t s = 0; s < begins.size(); ++s) {
        if (begins[s] >= ends[s]) continue;
        std::vector<std::uint64_t> order(ends[s] - begins[s]);
        std::iota(order.begin(), order.end(), std::uint64_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint64_t a, std::uint64_t b) { return codes[begins[s] + a] < codes[begins[s] + b]; });
        for (std::size_t i = 0; i < std::min<std::size_t>(k, order.size()); ++i)
            out[s * k + i] = make(begins[s], order[i]);
    }
    return out;
}

template <class Key>
void check_rows(const std::vector<Key>& keys, std::uint64_t length, std::size_t k, const top_k_options& options = {}) {
    const std::uint64_t rows = keys.size() / length;
    SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(rows) + " rows of " + std::to_string(length) + " of " +
                 std::to_string(sizeof(Key)) + " bytes");
    const kogge::exec how{.where = kWhere};
    Offsets begins, ends;
    for (std::uint64_t r = 0; r < rows; ++r) begins.push_back(r * length), ends.push_back((r + 1) * length);
    const auto key_at = [&](std::uint64_t begin, std::uint64_t i) { return keys[begin + i]; };
    const auto index_at = [](std::uint64_t, std::uint64_t i) { return static_cast<std::uint32_t>(i); };
    const Array<Key> in(keys, 1);
    Array<Key> out(rows * k), with_indices(rows * k);
    Array<std::uint32_t> indices(rows * k);
    kogge::segmented_top_k(in.data(), out.data(), rows_of{length, rows}, k, options, how);
    EXPECT_TRUE(same(out.get(), expected<Key>(keys, begins, ends, k, options, key_at))) << "keys";
    kogge::segmented_arg_top_k(in.data(), with_indices.data(), indices.data(), rows_of{length, rows}, k, options, how);
    EXPECT_TRUE(same(indices.get(), expected<std::uint32_t>(keys, begins, ends, k, options, index_at))) << "indices";
    EXPECT_TRUE(same(with_indices.get(), out.get())) << "keys beside indices";
    EXPECT_TRUE(same(in.get(), keys)) << "the input";
}

TEST(SegmentedTopK, Rows) {
    for (const std::uint64_t length : {1, 2, 5, 31, 32, 33, 100, 256, 511, 512, 513, 1000, 2049})
        for (const std::uint64_t rows : {1, 7, 33}) {
            const auto keys = random_items<float>(length * rows, length);
            for (const std::uint64_t k :
                 {std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{40}, std::uint64_t{65}, length})
                if (k <= length && (k <= 512 || rows == 1)) check_rows(keys, length, k);
        }
}

TEST(SegmentedTopK, LongRows) {
    for (const std::uint64_t length : {4097, 9000, small() ? 10000 : 40001})
        for (const std::size_t k : {1, 40, 97, 300}) check_rows(random_items<float>(3 * length, k), length, k);
    check_rows(random_items<std::uint64_t>(2 * 9001, 7), 9001, 100);
    if (!small()) check_rows(random_items<std::uint8_t>(2 * 100000, 7), 100000, 200);
}

// Rows in parts, whose first ones the last block puts together, and up to the greatest k of lists and past it.
TEST(SegmentedTopK, Parts) {
    for (const std::uint64_t rows : {1, 3})
        for (const std::uint64_t length : {4097, 12293}) {
            auto keys = random_items<std::uint32_t>(rows * length, length);
            for (const std::size_t k : {1, 64, 128, 129, 256, 257}) check_rows(keys, length, k);
            for (auto& key : keys) key %= 3;
            for (const std::size_t k : {40, 256}) check_rows(keys, length, k);
            const auto wide = random_items<std::uint64_t>(rows * length, 5);
            for (const std::size_t k : {40, 128, 129}) check_rows(wide, length, k);
        }
}

template <class Key>
void check_type() {
    for (const auto order : {kogge::ascending, kogge::descending}) {
        check_rows(random_items<Key>(20 * 300, 3), 300, 50, {.order = order});
        check_rows(random_items<Key>(2 * 5000, 4), 5000, 10, {.order = order});
    }
}
TEST(SegmentedTopK, Types) {
    check_type<std::uint8_t>();
    check_type<std::int8_t>();
    check_type<std::int16_t>();
    check_type<std::uint32_t>();
    check_type<std::int64_t>();
    check_type<std::uint64_t>();
    check_type<double>();
    check_type<kogge::half>();
    check_type<kogge::bfloat16>();
}

TEST(SegmentedTopK, Options) {
    const auto keys = random_items<float>(20 * 400, 8);
    for (const auto nans : {kogge::nan_order::by_sign, kogge::nan_order::last})
        for (const auto zeros : {kogge::zero_order::negative_first, kogge::zero_order::equal})
            for (const std::size_t k : {30, 400}) check_rows(keys, 400, k, {.zeros = zeros, .nans = nans});
    check_rows(random_items<std::uint32_t>(6000, 8), 600, 30, {.begin_bit = 3, .end_bit = 9});
    check_rows(random_items<std::uint32_t>(6000, 8), 600, 30, {.begin_bit = 31});
}

// Equal keys, ascending ones, and rows of which one lane, or one thread of a block, has all that is first.
TEST(SegmentedTopK, Distributions) {
    for (const Distribution distribution : kDistributions)
        for (const std::uint64_t length : {300, 2000, 9000})
            check_rows(items_of<std::uint32_t>(distribution, 3 * length), length, 40);
    for (const std::uint64_t length : {4000, 20000}) {
        auto keys = random_items<std::uint32_t>(2 * length, 9);
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (i % length % 32 == 5 || i % length % 32 == 6) keys[i] |= 0x80000000u;
            else keys[i] &= 0x7fffffffu;
        check_rows(keys, length, 64);
    }
}

template <class Value>
void check_offsets(const std::vector<float>& keys, const Offsets& offsets, std::size_t k) {
    SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(offsets.size()) + " segments");
    const kogge::exec how{.where = kWhere};
    const std::uint64_t n = keys.size(), segments = offsets.size();
    Offsets ends;
    for (std::size_t s = 0; s < segments; ++s) ends.push_back(std::min(n, s + 1 < segments ? offsets[s + 1] : n));
    const auto values = random_items<Value>(n, 4);
    const Array<float> in(keys);
    const Array<Value> with(values);
    const Array<std::uint64_t> at(offsets);
    Array<float> out(segments * k), keys_out(segments * k);
    Array<Value> with_out(segments * k);
    Array<std::int64_t> indices(segments * k);
    kogge::segmented_top_k(in.data(), out.data(), n, at.data(), segments, k, {}, how);
    EXPECT_TRUE(same(out.get(), expected<float>(keys, offsets, ends, k, {}, [&](std::uint64_t begin, std::uint64_t i) {
                         return keys[begin + i];
                     })));
    kogge::segmented_top_k_pairs(in.data(), keys_out.data(), with.data(), with_out.data(), n, at.data(), segments, k,
                                 {}, how);
    EXPECT_TRUE(same(keys_out.get(), out.get()));
    EXPECT_TRUE(
        same(with_out.get(), expected<Value>(keys, offsets, ends, k, {},
                                             [&](std::uint64_t begin, std::uint64_t i) { return values[begin + i]; })));
    kogge::segmented_arg_top_k(in.data(), static_cast<float*>(nullptr), indices.data(), n, at.data(), segments, k, {},
                               how);
    EXPECT_TRUE(
        same(indices.get(), expected<std::int64_t>(keys, offsets, ends, k, {}, [](std::uint64_t, std::uint64_t i) {
                 return static_cast<std::int64_t>(i);
             })));
}
struct Odd {
    std::uint8_t bytes[5];
};
TEST(SegmentedTopK, Offsets) {
    const auto keys = random_items<float>(30000, 6);
    for (const std::size_t k : {1, 30, 70}) {
        check_offsets<std::uint32_t>(keys, {0, 3, 3, 100, 101, 700, 5000, 14000, 14001, 29990}, k);
        check_offsets<Odd>(keys, {17, 17, 400, 399, 1200, 40000, 50000}, k);
        check_offsets<double>(keys, {0}, k);
        check_offsets<double>(keys, {29999}, k);
    }
    Offsets tiny;
    for (std::uint64_t at = 0; at < 30000; at += 7 + at % 60) tiny.push_back(at);
    check_offsets<std::uint32_t>(keys, tiny, 20);
}

TEST(SegmentedTopK, NothingToDo) {
    const kogge::exec how{.where = kWhere};
    const Array<float> in(random_items<float>(10));
    Array<float> out(10);
    kogge::segmented_top_k(in.data(), out.data(), rows_of{5, 2}, 0, {}, how);
    kogge::segmented_top_k(in.data(), out.data(), rows_of{5, 0}, 3, {}, how);
    kogge::segmented_top_k(in.data(), out.data(), rows_of{0, 2}, 0, {}, how);
    kogge::segmented_top_k(in.data(), out.data(), 10, nullptr, 0, 3, {}, how);
    EXPECT_EQ(out.get(), std::vector<float>(10, Array<float>::poison()));
}

TEST(SegmentedTopK, Mistakes) {
    using kogge::errc;
    const kogge::exec how{.where = kWhere};
    const Array<float> in(random_items<float>(100));
    const Array<std::uint64_t> at(Offsets{0, 50});
    Array<float> out(100);
    Array<std::int32_t> indices(100);
    const float* const none = nullptr;
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_top_k(in.data(), out.data(), rows_of{10, 10}, 11, {}, how);
              }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_top_k(none, out.data(), rows_of{10, 10}, 1, {}, how);
              }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::segmented_top_k(in.data(), out.data(), 100, nullptr, 2, 1, {}, how); }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_top_k(in.data(), out.data(), rows_of{10, 10}, 1, {.begin_bit = 40}, how);
              }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_top_k(in.data(), out.data(), rows_of{std::uint64_t{1} << 61, 8}, 1, {}, how);
              }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_arg_top_k(in.data(), out.data(), indices.data(), rows_of{std::uint64_t{1} << 32, 1},
                                             1, {}, how);
              }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_top_k(out.data(), out.data() + 9, rows_of{10, 10}, 1, {}, how);
              }),
              errc::overlap);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_top_k(in.data(), reinterpret_cast<float*>(const_cast<std::uint64_t*>(at.data())),
                                         100, at.data(), 2, 1, {}, how);
              }),
              errc::overlap);
    EXPECT_EQ(out.get(), std::vector<float>(100, Array<float>::poison()));
}

#if KOGGE_KERNELS
TEST(SegmentedTopK, CountOnTheDevice) {
    const auto keys = random_items<float>(9000, 6);
    const Offsets offsets{0, 100, 5000, 8000};
    const Array<float> in(keys);
    const Array<std::uint64_t> at(offsets);
    for (const std::uint64_t n : {0, 50, 6000, 9000}) {
        const Array<std::uint64_t> count(Offsets{n});
        Array<float> out(4 * 30);
        kogge::segmented_top_k(in.data(), out.data(), kogge::device_count{count.data(), 9000}, at.data(), 4, 30, {},
                               {.where = kWhere});
        Offsets ends{100, 5000, 8000, n};
        for (auto& end : ends) end = std::min(end, n);
        EXPECT_TRUE(
            same(out.get(), expected<float>(keys, offsets, ends, 30, {},
                                            [&](std::uint64_t begin, std::uint64_t i) { return keys[begin + i]; })))
            << n;
    }
}

TEST(SegmentedTopK, ScratchIsExact) {
    for (const std::uint64_t length : {200, 3000, 20000}) {
        const auto keys = random_items<float>(4 * length, 6);
        const Array<float> in(keys);
        const auto plan =
            kogge::plan_segmented_top_k(4, length, true, 50, {4, 0, 32}, kogge::simt::current_properties());
        SCOPED_TRACE(to_string(plan));
        Array<std::uint8_t> space(plan.scratch_bytes, 1);
        Array<float> out(200), want(200);
        kogge::segmented_top_k(in.data(), want.data(), rows_of{length, 4}, 50, {}, {.where = kWhere});
        if (plan.scratch_bytes > 0) {
            EXPECT_EQ(code_of([&] {
                          kogge::segmented_top_k(in.data(), out.data(), rows_of{length, 4}, 50, {},
                                                 {.space = {space.data(), plan.scratch_bytes - 1}});
                      }),
                      kogge::errc::out_of_memory);
            EXPECT_EQ(out.get(), std::vector<float>(200, Array<float>::poison()));
        }
        kogge::segmented_top_k(in.data(), out.data(), rows_of{length, 4}, 50, {},
                               {.space = {space.data(), plan.scratch_bytes}, .scratch_limit = plan.scratch_bytes});
        EXPECT_TRUE(same(out.get(), want.get()));
    }
    EXPECT_EQ(code_of([] {
                  kogge::plan_segmented_top_k(4, 10, true, 11, {4, 0, 32}, kogge::h200_properties());
              }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([] {
                  kogge::plan_segmented_top_k(4, 10, true, 1, {16, 0, 128}, kogge::h200_properties());
              }),
              kogge::errc::invalid_argument);
}

// A list that 32 bits cannot count is refused; a k that only its segments keep small is not.
TEST(SegmentedTopK, LongLists) {
    const auto plan_of = [](std::uint64_t longest, std::uint64_t k) {
        return kogge::plan_segmented_top_k(1, longest, false, k, {1, 0, 8}, kogge::h200_properties());
    };
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    EXPECT_EQ(plan_of(8 * most, most).places, 2 * most);
    for (const std::uint64_t k : {most + 1, 2 * most, 4 * most, 8 * most})
        EXPECT_EQ(code_of([&] { plan_of(8 * most, k); }), kogge::errc::invalid_argument) << k;
    EXPECT_EQ(plan_of(most, 8 * most).places, most);
    EXPECT_EQ(plan_of(5000, 8 * most).places, 5000u);
}

// A warp's list fills up where each batch has what comes before all earlier ones, and goes on being complete. On a
// device of one multiprocessor 32 warps share the rows.
TEST(SegmentedTopK, FullLists) {
    if (!may_pretend()) GTEST_SKIP() << "this device is what it is";
    const Pretending device(1);
    for (const std::size_t length : {5000, 9000}) {
        std::vector<std::uint32_t> keys(36 * length);
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i % length);
        for (const std::size_t k : {1, 40, 200, 256}) check_rows(keys, length, k);
        for (auto& key : keys) key /= 700;  // many equal ones
        for (const std::size_t k : {1, 40, 200, 256}) check_rows(keys, length, k, {.order = kogge::ascending});
    }
}

TEST(SegmentedTopK, Devices) {
    if (!may_pretend()) GTEST_SKIP() << "this device is what it is";
    const auto before = kogge::simt::current_properties();
    for (const std::size_t shared : {std::size_t{48} << 10, std::size_t{227} << 10}) {
        auto device = before;
        device.shared_bytes_per_block = shared;
        device.multiprocessors = 1;
        pretend(device);
        check_rows(random_items<float>(9 * 1000, 3), 1000, 50);
        check_rows(random_items<float>(3 * 7000, 3), 7000, 50);
    }
    pretend(before);
}
#endif

}  // namespace
