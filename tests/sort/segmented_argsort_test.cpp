// kogge-test: EMULATED GPU HOST
// The order of each segment as indices, against a stable sort of each.
#include "kogge/calls/segmented_argsort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/sort_checks.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;
using kogge::errc;
using kogge::segments_of;

/// What indices hold that held `before`: of the segment, or of the whole array.
template <class Index, class Key>
std::vector<Index> indices_of(const std::vector<Key>& keys, const std::vector<Span>& spans, bool of_whole,
                              std::vector<Index> before, bool descending = false) {
    for (const Span& span : spans) {
        std::vector<std::uint64_t> order;
        for (std::uint64_t i = span.begin; i < span.end; ++i) order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
            return descending ? ordering(keys[b]) < ordering(keys[a]) : ordering(keys[a]) < ordering(keys[b]);
        });
        for (std::uint64_t i = 0; i < order.size(); ++i)
            before[span.begin + i] = static_cast<Index>(of_whole ? order[i] : order[i] - span.begin);
    }
    return before;
}

template <class Index>
class SegmentedArgsort : public ::testing::Test {};
using Indices = ::testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(SegmentedArgsort, Indices);

TYPED_TEST(SegmentedArgsort, OfGaps) {
    for (const Spans& spans : spans_with_gaps()) {
        SCOPED_TRACE(spans.name);
        const auto real = spans.real();
        const auto keys = items_of<std::uint32_t>(Distribution::values_16, spans.n);
        const Array<std::int32_t> begins(spans.begins<std::int32_t>()), ends(spans.ends<std::int32_t>());
        const Array<std::uint32_t> in(keys);
        for (const bool of_whole : {false, true}) {
            if (sparing() && of_whole != (sizeof(TypeParam) == 4)) continue;
            Array<TypeParam> indices(spans.n);
            kogge::segmented_argsort(in.data(), indices.data(), spans.n,
                                     segments_of(begins.data(), ends.data(), spans.list.size()),
                                     {.indices = of_whole ? kogge::index_origin::whole : kogge::index_origin::segment});
            EXPECT_TRUE(
                same(indices.get(), indices_of(keys, real, of_whole, std::vector(spans.n, Array<TypeParam>::poison()))))
                << of_whole;
        }
        EXPECT_TRUE(same(in.get(), keys));
    }
}

TYPED_TEST(SegmentedArgsort, OfRowsAndOffsets) {
    for (const auto& [length, count] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {1, 70}, {7, 900}, {900, 7}, {2049, 3}, {20000, 1}, {9000, 2}, {3, 0}, {0, 3}}) {
        SCOPED_TRACE(std::to_string(count) + " rows of " + std::to_string(length));
        const std::uint64_t n = length * count;
        const auto keys = random_items<float>(n);
        std::vector<Span> spans{{0, 0}};
        std::vector<std::int64_t> offsets;
        for (std::uint64_t r = 0; r < count; ++r) spans.push_back({r * length, (r + 1) * length});
        const std::uint64_t first = n > 5 ? 5 : 0;  // items before it are a segment, too
        for (const Span& span : spans) offsets.push_back(static_cast<std::int64_t>(std::min(span.begin + first, n)));
        auto shifted = spans;
        shifted[0] = {0, first};
        for (std::size_t s = 1; s < shifted.size(); ++s)
            shifted[s] = {spans[s].begin + first, std::min(spans[s].end + first, n)};
        const Array<float> in(keys);
        const Array<std::int64_t> starts(offsets);
        Array<TypeParam> indices(n);
        const std::vector<TypeParam> before(n, Array<TypeParam>::poison());
        kogge::segmented_argsort(in.data(), indices.data(), kogge::rows_of{length, count},
                                 {.order = kogge::descending});
        EXPECT_TRUE(same(indices.get(), indices_of(keys, spans, false, before, true)));
        kogge::segmented_argsort(in.data(), indices.data(), n, starts.data(), starts.get().size());
        EXPECT_TRUE(same(indices.get(), indices_of(keys, shifted, false, before)));
        kogge::segmented_argsort(in.data(), indices.data(), n, starts.data(), starts.get().size(),
                                 {.indices = kogge::index_origin::whole});
        EXPECT_TRUE(same(indices.get(), indices_of(keys, shifted, true, before)));
    }
}

// No bits: indices in order.
TEST(SegmentedIndices, OfNoBits) {
    const std::uint64_t n = 9000;
    const auto keys = random_items<std::uint64_t>(n);
    const Array<std::uint64_t> in(keys);
    Array<std::uint32_t> indices(n);
    kogge::segmented_argsort(in.data(), indices.data(), kogge::rows_of{3000, 3}, {.begin_bit = 64, .end_bit = 64});
    std::vector<std::uint32_t> want(n);
    for (std::size_t i = 0; i < n; ++i) want[i] = static_cast<std::uint32_t>(i % 3000);
    EXPECT_TRUE(same(indices.get(), want));
    Array<std::uint64_t> out(n);
    Array<std::uint32_t> beside(n);
    kogge::segmented_argsort(in.data(), out.data(), beside.data(), kogge::rows_of{3000, 3},
                             {.begin_bit = 64, .end_bit = 64});
    EXPECT_TRUE(same(beside.get(), want));
    EXPECT_TRUE(same(out.get(), keys));
}

// With the sorted keys beside the indices, out of place and in place.
TEST(SegmentedIndices, AndKeys) {
    for (const Spans& spans : spans_with_gaps()) {
        if (spans.name != "ragged" && spans.name != "long ones") continue;
        SCOPED_TRACE(spans.name);
        const auto real = spans.real();
        const auto keys = items_of<std::uint32_t>(Distribution::values_16, spans.n);
        const Array<std::uint64_t> begins(spans.begins()), ends(spans.ends());
        const auto segments = segments_of(begins.data(), ends.data(), spans.list.size());
        Array<std::uint32_t> in(keys), out(spans.n), indices(spans.n);
        kogge::segmented_argsort(in.data(), out.data(), indices.data(), spans.n, segments);
        const auto want =
            indices_of(keys, real, false, std::vector<std::uint32_t>(spans.n, Array<std::uint32_t>::poison()));
        EXPECT_TRUE(same(indices.get(), want));
        std::vector<std::uint32_t> sorted(spans.n, Array<std::uint32_t>::poison()), in_place = keys;
        for (const Span& span : real)
            for (std::uint64_t i = span.begin; i < span.end; ++i) sorted[i] = in_place[i] = keys[span.begin + want[i]];
        EXPECT_TRUE(same(out.get(), sorted));
        kogge::segmented_argsort(in.data(), in.data(), indices.data(), spans.n, segments);
        EXPECT_TRUE(same(in.get(), in_place)) << "in place";
        EXPECT_TRUE(same(indices.get(), want)) << "in place";
    }
}

TEST(SegmentedIndices, NumbersOnTheDevice) {
    const std::uint64_t n = 14000;
    const auto keys = random_items<std::uint16_t>(n);
    const Array<std::uint16_t> in(keys);
    const Array<std::uint32_t> starts(std::vector<std::uint32_t>{10, 700, 701, 8000, 9000, 13000});
    const Array<std::uint64_t> number(std::vector<std::uint64_t>{4}), items(std::vector<std::uint64_t>{12000});
    Array<std::uint32_t> indices(n);
    const auto sort = [&] {
        kogge::segmented_argsort(in.data(), indices.data(), kogge::device_count{items.data(), n}, starts.data(),
                                 kogge::device_count{number.data(), 6});
    };
    if (!kOnDevice) {
        EXPECT_EQ(code_of(sort), errc::invalid_argument);
        return;
    }
    sort();
    EXPECT_TRUE(same(indices.get(), indices_of(keys, {{0, 10}, {10, 700}, {700, 701}, {701, 8000}, {8000, 12000}},
                                               false, std::vector(n, Array<std::uint32_t>::poison()))));
}

TEST(SegmentedIndices, OfSegmentsThatOverlap) {
    const std::uint64_t n = 9000;
    const auto keys = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(keys), begins(std::vector<std::uint32_t>{0, 3999}),
        ends(std::vector<std::uint32_t>{4000, 9000});
    const Array<std::int16_t> falling(std::vector<std::int16_t>{500, 400});
    Array<std::uint64_t> indices(n);
    const auto apart = [&] {
        kogge::segmented_argsort(in.data(), indices.data(), n, segments_of(begins.data(), ends.data(), 2));
    };
    const auto offsets = [&] { kogge::segmented_argsort(in.data(), indices.data(), n, falling.data(), 2); };
    if (!kOnDevice) {
        EXPECT_EQ(code_of(apart), errc::invalid_argument);
        EXPECT_EQ(code_of(offsets), errc::invalid_argument);
        return;
    }
    std::vector<std::uint64_t> own(n);
    for (std::size_t i = 0; i < n; ++i) own[i] = i;
    apart();
    EXPECT_TRUE(same(indices.get(), own));
    offsets();
    EXPECT_TRUE(same(indices.get(), own));
}

TEST(SegmentedIndices, RefuseMistakes) {
    Array<std::uint32_t> array(random_items<std::uint32_t>(100));
    Array<std::int32_t> indices(100);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_argsort(array.data(), indices.data(), kogge::rows_of{std::uint64_t{1} << 31, 2});
              }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_argsort(array.data(), array.data(), kogge::rows_of{10, 10});
              }),
              errc::overlap);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_argsort(array.data(), static_cast<std::int32_t*>(nullptr), kogge::rows_of{10, 10});
              }),
              errc::invalid_argument);
}

// The sorted keys are scratch, and tables for long segments' indices.
TEST(SegmentedIndices, ArePlanned) {
    if (!kOnDevice) return;
    const std::uint64_t n = 14000;
    const auto keys = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(keys);
    const auto plan = kogge::plan_segmented_sort(
        n, 2, {.key_bytes = 4, .end_bit = 32, .in_place = false, .writes_keys = false, .values = {{4, 4}}},
        kogge::simt::properties_of(nullptr), {.writes_indices = true, .indices_in_segment = true});
    Array<std::uint32_t> indices(n);
    Array<std::byte> space(plan.scratch_bytes);
    const auto sort = [&](std::size_t bytes) {
        kogge::segmented_argsort(in.data(), indices.data(), kogge::rows_of{7000, 2}, {},
                                 {.space = {space.data(), bytes}});
    };
    EXPECT_EQ(code_of([&] { sort(plan.scratch_bytes - 1); }), errc::out_of_memory);
    sort(plan.scratch_bytes);
    EXPECT_TRUE(same(indices.get(), indices_of(keys, {{0, 7000}, {7000, n}}, false, indices.get())));
}

}  // namespace
