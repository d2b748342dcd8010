// kogge-test: EMULATED GPU HOST
// Scans of segments by offsets of every type, of rows, and of as many as a number on the device says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kogge/calls/segmented_scan.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;
using kogge::errc;

/// Sums within segments that begin at `starts`, and at 0.
template <class Sum, class T>
std::vector<Sum> sums_of(const std::vector<T>& items, const std::vector<std::uint64_t>& starts, bool inclusive,
                         Sum init = {}) {
    std::vector<bool> begins(items.size());
    for (const std::uint64_t start : starts)
        if (start < items.size()) begins[start] = true;
    std::vector<Sum> sums(items.size());
    Sum sum = init;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (begins[i] || i == 0) sum = init;
        if (inclusive) sum = static_cast<Sum>(sum + items[i]);
        sums[i] = sum;
        if (!inclusive) sum = static_cast<Sum>(sum + items[i]);
    }
    return sums;
}

template <class Offset>
void check_offsets(std::uint64_t n, std::uint64_t step) {
    SCOPED_TRACE(std::to_string(sizeof(Offset)) + " bytes an offset, " + std::to_string(n) + " items");
    std::vector<std::uint64_t> offsets;
    std::vector<Offset> given;
    for (std::uint64_t at = 3; at < n; at += step) offsets.push_back(at), given.push_back(static_cast<Offset>(at));
    const auto items = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(items);
    const Array<Offset> starts(given);
    Array<std::uint64_t> out(n);
    kogge::inclusive_segmented_scan(in.data(), out.data(), n, starts.data(), given.size());
    EXPECT_TRUE(same(out.get(), sums_of<std::uint64_t>(items, offsets, true)));
    kogge::exclusive_segmented_scan(in.data(), out.data(), n, starts.data(), given.size(), std::uint64_t{7},
                                    kogge::plus{}, {.where = kWhere});
    EXPECT_TRUE(same(out.get(), sums_of<std::uint64_t>(items, offsets, false, std::uint64_t{7})));
}

TEST(SegmentScans, OffsetsOfEveryType) {
    check_offsets<std::int8_t>(120, 10);
    check_offsets<std::uint16_t>(9000, 77);
    check_offsets<std::int32_t>(small() ? 9000 : 70000, 5);
    check_offsets<std::int64_t>(9000, 800);
}

TEST(SegmentScans, OffsetsOfASequence) {
    const std::uint64_t n = 9000;
    const auto items = random_items<std::uint32_t>(n);
    Array<std::uint32_t> array(items);
    kogge::inclusive_segmented_scan(array.data(), array.data(), n, Counting{5, 100}, 50);
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t s = 0; s < 50; ++s) offsets.push_back(5 + 100 * s);
    EXPECT_TRUE(same(array.get(), sums_of<std::uint32_t>(items, offsets, true)));
}

TEST(SegmentScans, Rows) {
    const auto items = random_items<std::uint32_t>(9000);
    const Array<std::uint32_t> in(items);
    Array<std::uint32_t> out(9000);
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t r = 0; r < 30; ++r) offsets.push_back(300 * r);
    kogge::inclusive_segmented_scan(in.data(), out.data(), kogge::rows_of{300, 30});
    EXPECT_TRUE(same(out.get(), sums_of<std::uint32_t>(items, offsets, true)));
    kogge::exclusive_segmented_scan(in.data(), out.data(), kogge::rows_of{300, 30}, 9u);
    EXPECT_TRUE(same(out.get(), sums_of<std::uint32_t>(items, offsets, false, 9u)));
    kogge::inclusive_segmented_scan(in.data(), out.data(), kogge::rows_of{0, 5}, kogge::exec{.where = kWhere});
}

TEST(SegmentScans, NumberOnTheDevice) {
    const std::uint64_t n = 9000;
    const auto items = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(items), starts(std::vector<std::uint32_t>{10, 500, 500, 7000, 8000});
    const Array<std::uint64_t> number(std::vector<std::uint64_t>{4});
    Array<std::uint32_t> out(n);
    const auto scan = [&](const kogge::item_count& segments) {
        kogge::inclusive_segmented_scan(in.data(), out.data(), n, starts.data(), segments);
    };
    const kogge::device_count four{number.data(), 5};
    if (!kOnDevice) {
        EXPECT_EQ(code_of([&] { scan(four); }), errc::invalid_argument);
        return;
    }
    scan(four);
    EXPECT_TRUE(same(out.get(), sums_of<std::uint32_t>(items, {10, 500, 7000}, true)));
    const Array<std::uint64_t> wide(std::vector<std::uint64_t>{10, 500, 500, 7000, 8000});
    kogge::exclusive_segmented_scan(in.data(), out.data(), n, kogge::segments_of(wide.data(), four), 3u);
    EXPECT_TRUE(same(out.get(), sums_of<std::uint32_t>(items, {10, 500, 7000}, false, 3u)));
    EXPECT_EQ(code_of([&] { scan(kogge::device_count{number.data(), 3, true}); }), errc::invalid_argument);
}

// Offsets of 64 bits, too, which are then copied first.
TEST(SegmentScans, NumberOfWideOffsetsOnTheDevice) {
    const std::uint64_t n = 9000;
    const auto items = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(items);
    const Array<std::uint64_t> starts(std::vector<std::uint64_t>{10, 500, 500, 7000, 8000});
    const Array<std::uint64_t> number(std::vector<std::uint64_t>{4});
    Array<std::uint32_t> own(items), out(n);
    const kogge::device_count four{number.data(), 5};
    const auto scan = [&](const kogge::exec& how) {
        kogge::inclusive_segmented_scan(own.data(), own.data(), n, starts.data(), four, kogge::plus{}, how);
    };
    if (!kOnDevice) {
        EXPECT_EQ(code_of([&] { scan({}); }), errc::invalid_argument);
        EXPECT_TRUE(same(own.get(), items));
        return;
    }
    const std::size_t bytes = kogge::scratch_bytes(scan);
    Array<std::byte> space(bytes);
    EXPECT_EQ(code_of([&] { scan({.space = {space.data(), bytes - 1}}); }), errc::out_of_memory);
    scan({.space = {space.data(), bytes}});
    EXPECT_TRUE(same(own.get(), sums_of<std::uint32_t>(items, {10, 500, 7000}, true)));
    kogge::exclusive_segmented_scan(in.data(), out.data(), n, starts.data(), four, 3u);
    EXPECT_TRUE(same(out.get(), sums_of<std::uint32_t>(items, {10, 500, 7000}, false, 3u)));
}

TEST(SegmentScans, ExclusiveOnesBeginAtZero) {
    const std::uint64_t n = 9000;
    const auto items = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(items);
    const Array<std::uint64_t> wide(std::vector<std::uint64_t>{0, 3000, 6000});
    const Array<int> narrow(std::vector<int>{0, 3000, 6000});
    Array<std::uint32_t> out(n);
    const auto expect = [&](const std::function<void()>& scan) {
        scan();
        EXPECT_TRUE(same(out.get(), sums_of<std::uint32_t>(items, {0, 3000, 6000}, false)));
        kogge::inclusive_scan(in.data(), out.data(), n);  // other results
    };
    const kogge::exec how{.where = kWhere};
    expect([&] { kogge::exclusive_segmented_scan(in.data(), out.data(), n, wide.data(), 3); });
    expect([&] { kogge::exclusive_segmented_scan(in.data(), out.data(), n, wide.data(), 3, how); });
    expect([&] { kogge::exclusive_segmented_scan(in.data(), out.data(), n, narrow.data(), 3, how); });
    expect([&] { kogge::exclusive_segmented_scan(in.data(), out.data(), n, wide.data(), 3, {}); });
    expect([&] { kogge::exclusive_segmented_scan(in.data(), out.data(), n, narrow.data(), 3, {}); });
    expect([&] { kogge::exclusive_segmented_scan(in.data(), out.data(), n, kogge::segments_of(narrow.data(), 3)); });
    expect([&] { kogge::exclusive_segmented_scan(in.data(), out.data(), kogge::rows_of{3000, 3}, how); });
}

TEST(SegmentScans, RefuseMistakes) {
    Array<std::uint32_t> array(random_items<std::uint32_t>(100));
    const Array<std::int32_t> falling(std::vector<std::int32_t>{9, 8});
    const auto before = array.get();
    const auto scan = [&](const std::int32_t* offsets) {
        kogge::inclusive_segmented_scan(array.data(), array.data(), 100, offsets, 2);
    };
    EXPECT_EQ(code_of([&] { scan(nullptr); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { scan(reinterpret_cast<const std::int32_t*>(array.data())); }), errc::overlap);
    if (!kOnDevice) {
        EXPECT_EQ(code_of([&] { scan(falling.data()); }), errc::invalid_argument);
    }
    EXPECT_TRUE(same(array.get(), before));
}

// The plan's bytes, 8 per segment, and what alignment may cost.
TEST(SegmentScans, InAWorkspace) {
    if (!kOnDevice) return;
    const std::uint64_t n = 200000;
    const auto items = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(items), starts(std::vector<std::uint32_t>{10, 500, 150000});
    Array<std::uint32_t> out(n);
    const auto plan =
        kogge::plan_scan(n, kogge::segments_shape<std::uint32_t>(), {}, kogge::simt::properties_of(nullptr));
    Array<std::byte> space(plan.scratch_bytes + 512);
    const auto scan = [&](std::size_t bytes) {
        kogge::inclusive_segmented_scan(in.data(), out.data(), n, starts.data(), 3, kogge::plus{},
                                        {.space = {space.data(), bytes}});
    };
    EXPECT_EQ(kogge::scratch_bytes([&](const kogge::exec& how) {
                  kogge::inclusive_segmented_scan(in.data(), out.data(), n, static_cast<const std::int32_t*>(nullptr),
                                                  3, kogge::plus{}, how);
              }),
              plan.scratch_bytes + 512);
    EXPECT_EQ(code_of([&] { scan(plan.scratch_bytes + 511); }), errc::out_of_memory);
    scan(plan.scratch_bytes + 512);
    EXPECT_TRUE(same(out.get(), sums_of<std::uint32_t>(items, {10, 500, 150000}, true)));
}

}  // namespace
