// kogge-test: EMULATED GPU HOST
// Segmented sorts of segments in every form: offsets of any type, begins and ends apart, rows, a number on the device.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "kogge/calls/scratch_bytes.hpp"
#include "kogge/calls/segmented_argsort.hpp"
#include "kogge/segmented_sort.hpp"
#include "support/pretending.hpp"
#include "support/sort_checks.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;
using kogge::errc;
using kogge::segments_of;

/// The place from which each item of a segment comes; items of gaps have their own.
template <class Key>
std::vector<std::uint32_t> order_within(const std::vector<Key>& keys, const std::vector<Span>& spans) {
    std::vector<std::uint32_t> order(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    for (const Span& span : spans)
        std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(span.begin),
                         order.begin() + static_cast<std::ptrdiff_t>(span.end),
                         [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    return order;
}
/// What an output holds that held `before`.
template <class T>
std::vector<T> moved(const std::vector<T>& items, const std::vector<std::uint32_t>& order,
                     const std::vector<Span>& spans, std::vector<T> before) {
    for (const Span& span : spans)
        for (std::uint64_t i = span.begin; i < span.end; ++i) before[i] = items[order[i]];
    return before;
}
std::vector<Span> by_offsets(const std::vector<std::uint64_t>& offsets, std::uint64_t n) {
    std::vector<Span> spans;
    for (std::size_t s = 0; s <= offsets.size(); ++s) {
        const std::uint64_t begin = s == 0 ? 0 : std::min(offsets[s - 1], n);
        spans.push_back({begin, s < offsets.size() ? std::min(offsets[s], n) : n});
    }
    return spans;
}

template <class Offset>
class OffsetsOf : public ::testing::Test {};
using OffsetTypes = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                     std::uint32_t, std::int64_t, std::uint64_t, long long, unsigned long long>;
TYPED_TEST_SUITE(OffsetsOf, OffsetTypes);

TYPED_TEST(OffsetsOf, EveryIntegerType) {
    const bool narrow = sizeof(TypeParam) == 1;
    const std::uint64_t n = narrow ? 120 : 11000;
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t at = narrow ? 3 : 70, i = 0; at < n; at += narrow       ? i % 20
                                                                  : i % 7 == 6 ? 6100
                                                                               : i * 13 % 300,
                       ++i)
        offsets.push_back(at);
    offsets.push_back(n);
    std::vector<TypeParam> given(offsets.begin(), offsets.end());
    const auto keys = random_items<std::uint32_t>(n), values = random_items<std::uint32_t>(n, 4);
    const auto order = order_within(keys, by_offsets(offsets, n));
    const Array<TypeParam> starts(given);
    Array<std::uint32_t> in(keys), out(n), with(values), with_out(n);
    kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, starts.data(), given.size());
    EXPECT_TRUE(same(out.get(), gathered(keys, order)));
    EXPECT_TRUE(same(with_out.get(), gathered(values, order)));
    kogge::segmented_sort(in.data(), n, segments_of(starts.data(), given.size()));
    EXPECT_TRUE(same(in.get(), gathered(keys, order))) << "in place";
}

// An offset that is negative is past n, so that the next one falls; one past n counts as n.
TEST(Offsets, OutOfTheArray) {
    const std::uint64_t n = 3000;
    const auto keys = random_items<std::uint32_t>(n);
    const Array<std::int32_t> beyond(std::vector<std::int32_t>{0, 100, 5000, 6000}),
        negative(std::vector<std::int32_t>{0, 100, -1, 200}), last(std::vector<std::int32_t>{0, 100, -1});
    Array<std::uint32_t> array(keys);
    if (kOnDevice) {
        kogge::segmented_sort(array.data(), n, negative.data(), 4);
        EXPECT_TRUE(same(array.get(), keys)) << "nothing is sorted";
    } else {
        try {
            kogge::segmented_sort(array.data(), n, negative.data(), 4);
            ADD_FAILURE() << "no error";
        } catch (const kogge::error& failure) {
            EXPECT_EQ(failure.code(), errc::invalid_argument);
            EXPECT_NE(std::string(failure.what()).find("offsets[3] is 200, but the one before it -1"),
                      std::string::npos)
                << failure.what();
        }
    }
    kogge::segmented_sort(array.data(), n, last.data(), 3);
    const auto want = gathered(keys, order_within(keys, {{0, 100}, {100, n}}));
    EXPECT_TRUE(same(array.get(), want));
    Array<std::uint32_t> again(keys);
    kogge::segmented_sort(again.data(), n, beyond.data(), 4, {.where = kWhere});
    EXPECT_TRUE(same(again.get(), want));
}

TEST(Offsets, FromASequence) {
    const std::uint64_t n = 12345;
    const auto keys = random_items<std::uint32_t>(n);
    Array<std::uint32_t> in(keys), out(n), again(keys);
    const Counting starts{5, 700}, behind{505, 700};
    kogge::segmented_sort(in.data(), out.data(), n, starts, 18);
    std::vector<std::uint64_t> offsets;
    std::vector<Span> spans;
    for (std::uint64_t s = 0; s < 18; ++s) {
        offsets.push_back(5 + s * 700);
        spans.push_back({5 + s * 700, std::min(505 + s * 700, n)});
    }
    EXPECT_TRUE(same(out.get(), gathered(keys, order_within(keys, by_offsets(offsets, n)))));
    kogge::segmented_sort(again.data(), n, segments_of(starts, behind, 18));
    EXPECT_TRUE(same(again.get(), gathered(keys, order_within(keys, spans))));
    const Array<std::uint64_t> stored(offsets);
    kogge::segmented_sort(in.data(), out.data(), n, segments_of(stored.data(), behind, 18));
    EXPECT_TRUE(same(out.get(), moved(keys, order_within(keys, spans), spans,
                                      gathered(keys, order_within(keys, by_offsets(offsets, n))))));
}

template <class Value>
void check_values(const Spans& spans) {
    const std::uint64_t n = spans.n;
    const auto real = spans.real();
    const auto keys = items_of<std::uint32_t>(Distribution::values_16, n);
    const auto values = random_items<Value>(n, 4);
    const auto order = order_within(keys, real);
    const Array<std::int32_t> begins(spans.begins<std::int32_t>()), ends(spans.ends<std::int32_t>());
    const auto segments = segments_of(begins.data(), ends.data(), spans.list.size());
    Array<std::uint32_t> in(keys), out(n);
    Array<Value> with(values), with_out(n);
    kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, segments);
    EXPECT_TRUE(same(out.get(), moved(keys, order, real, std::vector(n, Array<std::uint32_t>::poison())))) << "keys";
    EXPECT_TRUE(same(with_out.get(), moved(values, order, real, std::vector(n, Array<Value>::poison())))) << "values";
    kogge::segmented_sort_pairs(in.data(), with.data(), n, segments);
    EXPECT_TRUE(same(in.get(), gathered(keys, order))) << "keys in place";
    EXPECT_TRUE(same(with.get(), gathered(values, order))) << "values in place";
}

TEST(Gaps, StayAsTheyAre) {
    for (const Spans& spans : spans_with_gaps()) {
        SCOPED_TRACE(spans.name);
        const auto real = spans.real();
        const auto keys = random_items<std::uint32_t>(spans.n);
        const auto want = order_within(keys, real);
        const Array<std::uint32_t> begins(spans.begins<std::uint32_t>()), ends(spans.ends<std::uint32_t>());
        Array<std::uint32_t> in(keys), out(spans.n);
        const auto segments = segments_of(begins.data(), ends.data(), spans.list.size());
        kogge::segmented_sort(in.data(), out.data(), spans.n, segments);
        EXPECT_TRUE(same(out.get(), moved(keys, want, real, std::vector(spans.n, Array<std::uint32_t>::poison()))));
        EXPECT_TRUE(same(in.get(), keys)) << "the input";
        kogge::segmented_sort(in.data(), spans.n, segments);
        EXPECT_TRUE(same(in.get(), gathered(keys, want))) << "in place";
    }
}
TEST(Gaps, OfValuesStayAsTheyAre) {
    for (const Spans& spans : spans_with_gaps()) {
        SCOPED_TRACE(spans.name);
        check_values<std::uint32_t>(spans);
        if (!sparing()) check_values<Bytes<3>>(spans);  // gathered
    }
}

// Windows, and what is a short segment, follow from the mean length.
TEST(Gaps, BetweenManySegments) {
    std::vector<std::uint64_t> gaps_and_lengths;
    Random random(5);
    for (int i = 0; i < 4000; ++i) {
        gaps_and_lengths.push_back(i % 1000 == 999 ? 9000 : random() % 3);
        gaps_and_lengths.push_back(i % 1500 == 777 ? 7000 : random() % 9);
    }
    check_values<std::uint64_t>(spans_of("", gaps_and_lengths));
}

// No bits: nothing moves but what a segment holds.
TEST(Gaps, OfNoBits) {
    const Spans spans = spans_of("", {40, 700, 3, 9000, 20000, 50});
    const auto real = spans.real();
    const auto keys = random_items<std::uint32_t>(spans.n);
    const auto values = random_items<std::uint16_t>(spans.n, 4);
    const Array<std::uint64_t> begins(spans.begins()), ends(spans.ends());
    const Array<std::uint32_t> in(keys);
    const Array<std::uint16_t> with(values);
    Array<std::uint32_t> out(spans.n);
    Array<std::uint16_t> with_out(spans.n);
    kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), spans.n,
                                segments_of(begins.data(), ends.data(), spans.list.size()),
                                {.begin_bit = 32, .end_bit = 32});
    std::vector<std::uint32_t> same_place(spans.n);
    for (std::size_t i = 0; i < same_place.size(); ++i) same_place[i] = static_cast<std::uint32_t>(i);
    EXPECT_TRUE(same(out.get(), moved(keys, same_place, real, std::vector(spans.n, Array<std::uint32_t>::poison()))));
    EXPECT_TRUE(
        same(with_out.get(), moved(values, same_place, real, std::vector(spans.n, Array<std::uint16_t>::poison()))));
}

// A device cannot throw: it writes all items as they stand.
TEST(Overlap, IsRefusedOrSortsNothing) {
    const std::uint64_t n = 30000;
    const auto keys = random_items<std::uint32_t>(n);
    const std::vector<std::vector<Span>> cases{{{0, 100}, {99, 200}},
                                               {{50, 60}, {0, 30}, {20, 55}},
                                               {{0, n}, {0, n}},
                                               {{0, 20000}, {10000, n}},
                                               {{7, 8}, {7, 8}},
                                               {{100, 9000}, {8999, 9001}},
                                               std::vector<Span>(3000, Span{0, n}),
                                               {{64, 96}, {64, 96}}};
    for (const auto& list : cases) {
        const Spans spans{"", n, list};
        SCOPED_TRACE(std::to_string(list.size()) + " segments, the first to " + std::to_string(list[0].end));
        const Array<std::uint32_t> begins(spans.begins<std::uint32_t>()), ends(spans.ends<std::uint32_t>());
        const Array<std::uint32_t> in(keys);
        Array<std::uint32_t> out(n);
        const auto sort = [&] {
            kogge::segmented_sort(in.data(), out.data(), n, segments_of(begins.data(), ends.data(), list.size()));
        };
        if (!kOnDevice) {
            EXPECT_EQ(code_of(sort), errc::invalid_argument);
            continue;
        }
        sort();
        EXPECT_TRUE(same(out.get(), keys));
    }
}

TEST(Rows, NeedNoArray) {
    for (const auto& [length, count] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {1, 700}, {13, 400}, {2000, 7}, {6000, 3}, {20000, 1}, {5, 0}, {0, 5}}) {
        SCOPED_TRACE(std::to_string(count) + " rows of " + std::to_string(length));
        const std::uint64_t n = length * count;
        const auto keys = random_items<std::uint32_t>(n), values = random_items<std::uint32_t>(n, 4);
        std::vector<Span> spans;
        for (std::uint64_t r = 0; r < count; ++r) spans.push_back({r * length, (r + 1) * length});
        const auto order = order_within(keys, spans);
        Array<std::uint32_t> in(keys), out(n), with(values), with_out(n);
        const kogge::rows_of rows{length, count};
        kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), rows);
        EXPECT_TRUE(same(out.get(), gathered(keys, order)));
        EXPECT_TRUE(same(with_out.get(), gathered(values, order)));
        kogge::segmented_sort(in.data(), out.data(), rows, {.order = kogge::descending});
        kogge::segmented_sort(in.data(), rows, {.where = kWhere});
        EXPECT_TRUE(same(in.get(), gathered(keys, order))) << "in place";
    }
    Array<std::uint32_t> none(0);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_sort(none.data(), kogge::rows_of{1u << 31, std::uint64_t{1} << 40});
              }),
              errc::invalid_argument);
}

// Of which each fills the device: they are sorted one after another, which the scratch tells.
TEST(Rows, ThatFillTheDeviceEach) {
    if (!kOnDevice) GTEST_SKIP() << "the host sorts segments side by side";
    const FewMultiprocessors device(1);
    const auto scratch_of = [](const auto& call) { return kogge::scratch_bytes(call); };
    for (const auto& [length, count, apart] : std::vector<std::tuple<std::uint64_t, std::uint64_t, bool>>{
             {7168, 3, true}, {7167, 3, false}, {7168, 1, false}, {9001, 2, true}}) {
        SCOPED_TRACE(std::to_string(count) + " rows of " + std::to_string(length));
        const std::uint64_t n = length * count;
        std::vector<std::uint32_t> keys = random_items<std::uint32_t>(n);
        for (std::uint32_t& key : keys) key %= 1000;  // many are equal
        const auto values = random_items<std::uint64_t>(n, 4);
        std::vector<Span> spans;
        for (std::uint64_t r = 0; r < count; ++r) spans.push_back({r * length, (r + 1) * length});
        const auto order = order_within(keys, spans);
        std::vector<std::uint32_t> in_row(order);
        for (std::uint64_t i = 0; i < n; ++i) in_row[i] -= static_cast<std::uint32_t>(i / length * length);
        Array<std::uint32_t> in(keys, 1), out(n, 1), indices(n);
        Array<std::uint64_t> with(values), with_out(n);
        const kogge::rows_of rows{length, count};
        const std::size_t together = scratch_of([&](const kogge::exec&how) { segmented_sort(in.data(), rows, how); }),
                          alone = scratch_of([&](const kogge::exec&how) {
                              kogge::radix_sort(in.data(), length, kogge::sort_options{}, how);
                          });
        EXPECT_EQ(together == kogge::detail::scratch_with_slack(alone), apart);
        Array<std::uint8_t> space(together);
        const kogge::exec less{.space = {space.data(), together - 1}};
        if (together > 0) {
            EXPECT_EQ(code_of([&] { kogge::segmented_sort(in.data(), rows, less); }), errc::out_of_memory);
        }
        EXPECT_TRUE(same(in.get(), keys)) << "no row is sorted where one cannot be";
        kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), rows);
        EXPECT_TRUE(same(out.get(), gathered(keys, order)));
        EXPECT_TRUE(same(with_out.get(), gathered(values, order)));
        kogge::segmented_argsort(in.data(), indices.data(), rows);
        EXPECT_TRUE(same(indices.get(), in_row)) << "indices in the row";
        kogge::segmented_argsort(in.data(), indices.data(), rows, {.indices = kogge::index_origin::whole});
        EXPECT_TRUE(same(indices.get(), order)) << "indices of the whole";
        EXPECT_TRUE(same(in.get(), keys)) << "the input";
        Array<std::uint32_t> second(keys);
        kogge::segmented_sort_pairs(in.data(), kogge::arrays(with.data(), second.data()), rows);
        EXPECT_TRUE(same(in.get(), gathered(keys, order))) << "in place";
        EXPECT_TRUE(same(with.get(), gathered(values, order))) << "the first of two value arrays";
        EXPECT_TRUE(same(second.get(), gathered(keys, order))) << "the second of two value arrays";
        kogge::segmented_sort(in.data(), rows, {.begin_bit = 32, .end_bit = 32});
        EXPECT_TRUE(same(in.get(), gathered(keys, order))) << "by no bits";
    }
}

TEST(NumberOfSegments, OnTheDevice) {
    const std::uint64_t n = 14000;
    const auto keys = random_items<std::uint32_t>(n);
    const std::vector<std::uint32_t> offsets{10, 700, 701, 8000, 9000, 13000};
    const Array<std::uint32_t> starts(offsets), behind(std::vector<std::uint32_t>{300, 701, 8000, 8500, 9100, 13500});
    const Array<std::uint64_t> number(std::vector<std::uint64_t>{4}), many(std::vector<std::uint64_t>{100});
    Array<std::uint32_t> in(keys), out(n);
    const kogge::device_count four{number.data(), 6};
    if (!kOnDevice) {
        EXPECT_EQ(code_of([&] { kogge::segmented_sort(in.data(), n, starts.data(), four); }), errc::invalid_argument);
        return;
    }
    kogge::segmented_sort(in.data(), out.data(), n, starts.data(), four);
    EXPECT_TRUE(same(out.get(), gathered(keys, order_within(keys, by_offsets({10, 700, 701, 8000}, n)))));
    kogge::segmented_sort(in.data(), out.data(), n, starts.data(), kogge::device_count{many.data(), 6});
    const std::vector<std::uint64_t> all(offsets.begin(), offsets.end());
    EXPECT_TRUE(same(out.get(), gathered(keys, order_within(keys, by_offsets(all, n))))) << "above its bound";
    EXPECT_EQ(
        code_of([&] {
            kogge::segmented_sort(in.data(), out.data(), n, starts.data(), kogge::device_count{many.data(), 6, true});
        }),
        errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_sort(reinterpret_cast<const std::uint64_t*>(in.data()),
                                        const_cast<std::uint64_t*>(number.data()), 1, starts.data(), four);
              }),
              errc::overlap);
    const Array<std::uint64_t> reals(std::vector<std::uint64_t>{13990});
    kogge::segmented_sort(in.data(), kogge::device_count{reals.data(), n},
                          segments_of(starts.data(), behind.data(), kogge::device_count{number.data(), 6, true}));
    EXPECT_TRUE(same(in.get(), gathered(keys, order_within(keys, {{10, 300}, {700, 701}, {701, 8000}, {8000, 8500}}))));
}

TEST(SegmentForms, RefuseMistakes) {
    const auto keys = random_items<std::uint32_t>(1000);
    Array<std::uint32_t> array(keys);
    const Array<std::int32_t> starts(std::vector<std::int32_t>{0, 500});
    auto* const own = reinterpret_cast<std::int32_t*>(array.data());
    using None = const std::int32_t*;
    EXPECT_EQ(code_of([&] { kogge::segmented_sort(array.data(), 1000, None{}, 2); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::segmented_sort(array.data(), 1000, nullptr, 2); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::segmented_sort(array.data(), 1000, segments_of(starts.data(), None{}, 2)); }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::segmented_sort(array.data(), 1000, own, 2); }), errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::segmented_sort(array.data(), 1000, segments_of(starts.data(), own, 2)); }),
              errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::segmented_sort(array.data(), 1000, starts.data(), -1); }), errc::invalid_argument);
    EXPECT_TRUE(same(array.get(), keys));
    kogge::segmented_sort(array.data(), 1000, None{}, 0);
    EXPECT_TRUE(same(array.get(), gathered(keys, order_within(keys, {{0, 1000}})))) << "no offset: one segment";
}

// A workspace of exactly the plan's bytes is enough, and one byte less is refused.
TEST(SegmentForms, ArePlanned) {
    if (!kOnDevice) return;
    const Spans spans = spans_of("", {40, 700, 3, 9000, 20000, 50});
    const auto keys = random_items<std::uint32_t>(spans.n);
    const Array<std::uint16_t> begins(spans.begins<std::uint16_t>()), ends(spans.ends<std::uint16_t>());
    const auto device = kogge::simt::properties_of(nullptr);
    const auto check = [&](const auto& segments, const kogge::segment_layout& layout) {
        const auto plan = kogge::plan_segmented_sort(spans.n, spans.list.size(),
                                                     {.key_bytes = 4, .end_bit = 32, .in_place = true}, device, layout);
        Array<std::uint32_t> array(keys);
        Array<std::byte> space(plan.scratch_bytes);
        const auto sort = [&](std::size_t bytes) {
            kogge::segmented_sort(array.data(), spans.n, segments, {}, {.space = {space.data(), bytes}});
        };
        EXPECT_EQ(code_of([&] { sort(plan.scratch_bytes - 1); }), errc::out_of_memory);
        EXPECT_TRUE(same(array.get(), keys));
        sort(plan.scratch_bytes);
        EXPECT_FALSE(same(array.get(), keys));
        return plan;
    };
    const auto plain = check(segments_of(begins.data(), 3), {});
    const auto apart = check(segments_of(begins.data(), ends.data(), 3), {.have_ends = true});
    EXPECT_GT(apart.scratch_bytes, plain.scratch_bytes);
    EXPECT_NE(kogge::to_string(apart).find("gaps kept"), std::string::npos);
    const auto stored = check(segments_of(Counting{0, 9000}, 3), {.are_stored = true});
    EXPECT_GT(stored.scratch_bytes, plain.scratch_bytes);
    EXPECT_EQ(stored.launches, plain.launches + 1);
}

}  // namespace
