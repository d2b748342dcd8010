// kogge-test: EMULATED GPU HOST
// The key of a rank of each segment against a stable order.
#include "kogge/calls/segmented_select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/device_shapes.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using kogge::rows_of;
using kogge::sort_options;

const kogge::exec how{.where = kWhere};

/// The key of a rank of keys[begin … begin + length).
template <class Key>
Key key_of_rank(const std::vector<Key>& keys, std::uint64_t begin, std::uint64_t length, std::uint64_t rank,
                const sort_options& options) {
    using Stored = kogge::detail::stored_key<Key>;
    const auto codec = kogge::detail::make_codec<Key>(options);
    const int end = options.end_bit == -1 ? kogge::detail::key_bits<Key> : options.end_bit;
    const int bits = end - options.begin_bit;
    const auto code_of = [&](std::uint64_t i) -> std::uint64_t {
        Stored stored;
        std::memcpy(&stored, &keys[i], sizeof stored);
        if (bits == 0) return 0;
        const std::uint64_t code = std::uint64_t{codec.encode(stored)} >> options.begin_bit;
        return bits == 64 ? code : code & ((std::uint64_t{1} << bits) - 1);
    };
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
    for (std::uint64_t i = begin; i < begin + length; ++i) order.emplace_back(code_of(i), i);
    const auto wanted = order.begin() + static_cast<std::ptrdiff_t>(std::min(rank, length - 1));
    std::nth_element(order.begin(), wanted, order.end());
    return keys[wanted->second];
}

template <class Key>
void check_rows(const std::vector<Key>& keys, std::uint64_t length, std::uint64_t rank,
                const sort_options& options = {}) {
    SCOPED_TRACE("rank " + std::to_string(rank) + " of " + std::to_string(length) + " keys of " +
                 std::to_string(sizeof(Key)) + " bytes");
    const std::uint64_t rows = keys.size() / length;
    std::vector<Key> want(rows);
    for (std::uint64_t r = 0; r < rows; ++r) want[r] = key_of_rank(keys, r * length, length, rank, options);
    const Array<Key> in(keys, 1);
    Array<Key> out(rows, 1);
    kogge::segmented_select(in.data(), out.data(), rows_of{length, rows}, rank, options, how);
    EXPECT_TRUE(same(out.get(), want));
}

TEST(SegmentedSelect, Rows) {
    for (const std::uint64_t length : {1u, 2u, 31u, 33u, 100u, 256u, 1024u, 1025u, 3000u, 9001u}) {
        const auto keys = random_items<float>(length * 11 + 5, length);
        for (const std::uint64_t rank : {std::uint64_t{0}, length / 2, length - 1}) check_rows(keys, length, rank);
    }
    check_rows(random_items<std::uint32_t>(20 * 999), 20, 10);
}
template <class Key>
void check_type() {
    for (const std::uint64_t length : {60u, 600u, 5000u}) {
        const auto keys = random_items<Key>(length * 7, length);
        check_rows(keys, length, length / 2);
        check_rows(keys, length, length / 3, {.order = kogge::descending});
    }
}
TEST(SegmentedSelect, Types) {
    check_type<std::uint8_t>();
    check_type<std::int16_t>();
    check_type<std::int32_t>();
    check_type<std::uint64_t>();
    check_type<double>();
    check_type<kogge::half>();
}
// Keys of equal codes that are not equal are told by their index.
TEST(SegmentedSelect, KeysThatTheirCodesDoNotTell) {
    for (const std::uint64_t length : {90u, 5000u}) {
        const auto floats = random_items<float>(length * 5);
        for (const std::uint64_t rank : {std::uint64_t{0}, length / 2, length - 1}) {
            check_rows(floats, length, rank, {.zeros = kogge::zero_order::equal, .nans = kogge::nan_order::last});
            check_rows(random_items<double>(length * 5), length, rank, {.zeros = kogge::zero_order::equal});
            check_rows(random_items<std::uint32_t>(length * 5), length, rank, {.begin_bit = 4, .end_bit = 7});
            check_rows(random_items<std::uint64_t>(length * 5), length, rank, {.begin_bit = 9, .end_bit = 9});
            check_rows(random_items<std::uint64_t>(length * 5), length, rank, {.begin_bit = 62});
        }
    }
}
TEST(SegmentedSelect, FewValues) {
    for (const std::uint64_t length : {300u, 6000u}) {
        std::vector<std::uint64_t> keys(length * 4);
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i / length == 0 ? ~std::uint64_t{0} : i * 7 % 3;
        for (const std::uint64_t rank : {std::uint64_t{0}, length / 2, length - 1}) check_rows(keys, length, rank);
    }
}

void check_segments(const std::vector<std::uint64_t>& offsets, const std::vector<float>& keys,
                    const std::vector<std::uint64_t>& ranks, const kogge::item_count& n, std::uint64_t taken) {
    std::vector<float> want(offsets.size(), Array<float>::poison());
    for (std::size_t s = 0; s < offsets.size(); ++s) {
        const std::uint64_t end = std::min(taken, s + 1 < offsets.size() ? offsets[s + 1] : taken);
        if (offsets[s] < end) want[s] = key_of_rank(keys, offsets[s], end - offsets[s], ranks[s], {});
    }
    const Array<float> in(keys, 1);
    const Array<std::uint64_t> at(offsets), wanted(ranks);
    Array<float> out(offsets.size());
    kogge::segmented_select(in.data(), out.data(), n, at.data(), offsets.size(), wanted.data(), how);
    EXPECT_TRUE(same(out.get(), want));
}
// Short and long ones, empty ones, gaps before the first one, offsets that fall or lie past the end.
TEST(SegmentedSelect, Offsets) {
    const std::size_t n = 30000;
    const auto keys = random_items<float>(n);
    const std::vector<std::uint64_t> offsets{5, 5, 6, 40, 1064, 2089, 2089, 9000, 8000, 8010, 25000, 40000, 29000};
    std::vector<std::uint64_t> ranks;
    for (std::size_t s = 0; s < offsets.size(); ++s)
        ranks.push_back(s % 3 == 0 ? 0 : s % 3 == 1 ? 400 : ~std::uint64_t{0});
    check_segments(offsets, keys, ranks, n, n);
    if (!kOnDevice) return;
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{2000}, std::uint64_t{n + 9}}) {
        const Array<std::uint64_t> number(std::vector<std::uint64_t>{count});
        check_segments(offsets, keys, ranks, kogge::device_count{number.data(), n}, std::min<std::uint64_t>(count, n));
    }
}

TEST(SegmentedSelect, Refuses) {
    const Array<float> in(std::vector<float>(100));
    const Array<std::uint64_t> ranks(std::vector<std::uint64_t>{1, 2});
    Array<float> out(10);
    using kogge::errc;
    const auto code = [&](const std::function<void()>& call) {
        const auto result = code_of(call);
        EXPECT_TRUE(same(out.get(), std::vector<float>(10, Array<float>::poison())));
        return result;
    };
    EXPECT_EQ(code([&] {
                  kogge::segmented_select(in.data(), out.data(), rows_of{10, 10}, 10, how);
              }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] {
                  kogge::segmented_select(in.data(), out.data(), rows_of{0, 10}, 0, how);
              }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] {
                  kogge::segmented_select(static_cast<const float*>(nullptr), out.data(), rows_of{10, 10}, 1, how);
              }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::segmented_select(in.data(), out.data(), 100, ranks.data(), 2, nullptr, how); }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::segmented_select(in.data(), out.data(), 100, nullptr, 2, ranks.data(), how); }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] {
                  kogge::segmented_select(in.data(), out.data(), rows_of{10, 10}, 1, {.begin_bit = 33}, how);
              }),
              errc::invalid_argument);
    EXPECT_EQ(code([&] { kogge::segmented_select(out.data(), out.data(), rows_of{5, 2}, 1, how); }), errc::overlap);
    kogge::segmented_select(in.data(), out.data(), rows_of{10, 0}, 99, how);
    EXPECT_TRUE(same(out.get(), std::vector<float>(10, Array<float>::poison())));
}

TEST(SegmentedSelect, PlansFitTheirDevice) {
    using kogge::plan_segmented_select;
    const auto device = kogge::h200_properties();
    EXPECT_EQ(plan_segmented_select(1 << 20, 256, true, {4, 0, 32}, device).blocks.blocks, 0u);
    EXPECT_EQ(plan_segmented_select(1 << 20, 256, true, {4, 0, 32}, device).scratch_bytes, 0u);
    EXPECT_EQ(plan_segmented_select(1 << 20, 1025, true, {4, 0, 32}, device).warps.blocks, 0u);
    EXPECT_EQ(plan_segmented_select(40, 256, true, {4, 0, 32}, device).warps.blocks, 0u) << "few rows";
    EXPECT_EQ(plan_segmented_select(1000, 1 << 20, false, {4, 0, 32}, device).launches, 3);
    EXPECT_EQ(plan_segmented_select(0, 100, true, {4, 0, 32}, device).launches, 0);
    EXPECT_EQ(code_of([&] {
                  plan_segmented_select(10, 10, true, {16, 0, 128}, device);
              }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(to_string(plan_segmented_select(1 << 20, 256, true, {4, 0, 32}, device)),
              "segmented_select: 1048576 segments, a warp each for up to 1024 items, 1 launch, 0 bytes of scratch");
    for (const auto& shape : device_shapes())
        for (const std::uint64_t longest : {1u, 1000u, 100000u})
            for (const bool equal : {true, false})
                for (const std::size_t bytes : {1u, 2u, 4u, 8u}) {
                    const auto plan =
                        plan_segmented_select(1000, longest, equal, {bytes, 0, static_cast<int>(8 * bytes)}, shape);
                    EXPECT_LE(plan.warps.shared_bytes, shape.shared_bytes_per_block);
                    EXPECT_LE(plan.blocks.shared_bytes, shape.shared_bytes_per_block);
                    EXPECT_TRUE(plan.blocks.blocks > 0 || longest <= plan.longest_short);
                }
}
TEST(SegmentedSelect, ScratchIsExact) {
    if (!kOnDevice) GTEST_SKIP() << "there is no plan on the host";
    const std::uint64_t length = 3000, rows = 3;
    const auto keys = random_items<std::uint32_t>(length * rows);
    const Array<std::uint32_t> in(keys);
    const auto plan = kogge::plan_segmented_select(rows, length, true, {4, 0, 32}, kogge::simt::current_properties());
    ASSERT_GT(plan.scratch_bytes, 0u);
    Array<std::uint8_t> space(plan.scratch_bytes, 1);
    Array<std::uint32_t> out(rows);
    const kogge::exec less{.space = {space.data(), plan.scratch_bytes - 1}};
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_select(in.data(), out.data(), rows_of{length, rows}, 7, less);
              }),
              kogge::errc::out_of_memory);
    EXPECT_TRUE(same(out.get(), std::vector<std::uint32_t>(rows, Array<std::uint32_t>::poison())));
    const kogge::exec exact{.space = {space.data(), plan.scratch_bytes}, .scratch_limit = plan.scratch_bytes};
    kogge::segmented_select(in.data(), out.data(), rows_of{length, rows}, 7, exact);
    std::vector<std::uint32_t> want;
    for (std::uint64_t r = 0; r < rows; ++r) want.push_back(key_of_rank(keys, r * length, length, 7, {}));
    EXPECT_TRUE(same(out.get(), want));
}

}  // namespace
