// kogge-test: EMULATED GPU HOST
// Top-k of segments in every form: offsets of any type, begins and ends that may overlap, a number on the device.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kogge/calls/segmented_top_k.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;
using kogge::errc;
using kogge::segments_of;

/// The first k places of each segment; the places behind a short one's stay as they are.
std::vector<std::uint32_t> first_of(const std::vector<std::uint32_t>& keys, const std::vector<Span>& spans,
                                    std::uint64_t k, std::uint64_t outputs) {
    std::vector<std::uint32_t> indices(outputs * k, Array<std::uint32_t>::poison());
    for (std::size_t s = 0; s < spans.size(); ++s) {
        const auto places = places_in_order(spans[s], [&](auto a, auto b) { return keys[a] > keys[b]; });
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(k, places.size()); ++i)
            indices[s * k + i] = static_cast<std::uint32_t>(places[i] - spans[s].begin);
    }
    return indices;
}

class TopKSegmentForms : public ::testing::Test {
protected:
    const std::uint64_t n = 9000, k = 20;
    const std::vector<std::uint32_t> keys = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in{keys};

    template <class... Where>
    void check(const std::vector<Span>& spans, std::uint64_t outputs, const Where&... where) {
        Array<std::uint32_t> indices(outputs * k);
        kogge::segmented_arg_top_k(in.data(), static_cast<std::uint32_t*>(nullptr), indices.data(), n, where..., k);
        EXPECT_TRUE(same(indices.get(), first_of(keys, spans, k, outputs)));
    }
};

TEST_F(TopKSegmentForms, Offsets) {
    const std::vector<Span> spans{{5, 10}, {10, 10}, {10, 3000}, {3000, n}};
    check(spans, 4, Array<std::int32_t>(std::vector<std::int32_t>{5, 10, 10, 3000}).data(), 4);
}

TEST_F(TopKSegmentForms, OffsetsOfEveryType) {
    const std::vector<Span> spans{{5, 10}, {10, 10}, {10, 100}, {100, n}};
    const Array<std::uint8_t> bytes(std::vector<std::uint8_t>{5, 10, 10, 100});
    const Array<std::int16_t> shorts(std::vector<std::int16_t>{5, 10, 10, 100});
    const Array<std::int64_t> longs(std::vector<std::int64_t>{5, 10, 10, 100});
    check(spans, 4, bytes.data(), 4);
    check(spans, 4, shorts.data(), 4);
    check(spans, 4, longs.data(), 4);
}

TEST_F(TopKSegmentForms, Sequences) {
    std::vector<Span> rows, parts;
    for (std::uint64_t r = 0; r < 9; ++r) {
        rows.push_back({r * 1000, (r + 1) * 1000});
        parts.push_back({r * 1000, r * 1000 + 30});
    }
    check(rows, 9, Counting{0, 1000}, 9);
    check(parts, 9, segments_of(Counting{0, 1000}, Counting{30, 1000}, 9));
}

TEST_F(TopKSegmentForms, BeginsAndEnds) {
    const std::vector<Span> spans{{4000, 8000}, {0, 5000}, {7, 7}, {7, 9}, {8990, n}};
    const Array<std::uint32_t> begins(std::vector<std::uint32_t>{4000, 0, 7, 7, 8990});
    const Array<std::int16_t> ends(std::vector<std::int16_t>{8000, 5000, 3, 9, 9500});
    check(spans, 5, segments_of(begins.data(), ends.data(), 5));
}

TEST_F(TopKSegmentForms, NumberOnTheDevice) {
    const Array<std::uint32_t> offsets(std::vector<std::uint32_t>{5, 2000, 5000});
    const Array<std::uint64_t> number(std::vector<std::uint64_t>{2});
    const kogge::device_count two{number.data(), 3};
    Array<std::uint32_t> out(3 * k);
    const auto select = [&](const kogge::item_count& segments) {
        kogge::segmented_top_k(in.data(), out.data(), n, offsets.data(), segments, k);
    };
    if (!kOnDevice) {
        EXPECT_EQ(code_of([&] { select(two); }), errc::invalid_argument);
        return;
    }
    check({{5, 2000}, {2000, n}}, 3, offsets.data(), two);
    EXPECT_EQ(code_of([&] { select(kogge::device_count{number.data(), 1, true}); }), errc::invalid_argument);
}

// Stored offsets are planned.
TEST_F(TopKSegmentForms, ScratchIsExact) {
    if (!kOnDevice) return;
    const auto plan = kogge::plan_segmented_top_k(9, n, false, k, {4, 0, 32}, kogge::simt::properties_of(nullptr),
                                                  {.have_ends = true, .are_stored = true});
    Array<std::byte> space(plan.scratch_bytes);
    Array<std::uint32_t> out(9 * k);
    const auto select = [&](std::size_t bytes) {
        kogge::segmented_top_k(in.data(), out.data(), n, segments_of(Counting{0, 1000}, Counting{30, 1000}, 9), k, {},
                               {.space = {space.data(), bytes}});
    };
    EXPECT_EQ(code_of([&] { select(plan.scratch_bytes - 1); }), errc::out_of_memory);
    select(plan.scratch_bytes);
}

}  // namespace
