// kogge-test: EMULATED GPU HOST
#include "kogge/calls/segmented_reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;
using kogge::plus;
using Offsets = std::vector<std::uint64_t>;

/// Short, longer than a few lanes take, longer than a warp takes, of several parts; many empty ones; some items before
/// the first one.
std::vector<Offsets> offsets_of(std::size_t n) {
    std::vector<Offsets> all{{}, {0}, {n / 2}};
    Random random(n);
    for (const std::uint64_t mean : {1, 6, 90, 900, 9000, 60000}) {
        Offsets offsets;
        for (std::uint64_t at = random() % 5; at < n; at += 1 + random() % (2 * mean)) {
            offsets.push_back(at);
            if (random() % 8 == 0) offsets.insert(offsets.end(), 1 + random() % 3, at);
        }
        all.push_back(offsets);
    }
    Offsets skewed;  // a long one among short ones
    for (std::uint64_t at = 0; at < n; at += at == n / 4 / 3 * 3 ? n / 2 + 3 : 3) skewed.push_back(at);
    all.push_back(skewed);
    all.push_back({0, n, 0, n, n + 7, 5, 3, n / 3, 0, n});  // to and fro
    return all;
}

template <class Acc, class T, class Op>
std::vector<Acc> expected(const std::vector<T>& items, const Offsets& offsets, std::size_t n, Op op, const Acc* init) {
    std::vector<Acc> want;
    for (std::size_t s = 0; s < offsets.size(); ++s) {
        const std::uint64_t begin = std::min<std::uint64_t>(offsets[s], n);
        const std::uint64_t end = std::min<std::uint64_t>(s + 1 < offsets.size() ? offsets[s + 1] : n, n);
        Acc fold = init ? *init : Acc{};
        for (std::uint64_t i = begin; i < end; ++i)
            fold =
                init || i > begin ? static_cast<Acc>(op(fold, static_cast<Acc>(items[i]))) : static_cast<Acc>(items[i]);
        want.push_back(fold);
    }
    return want;
}

template <class Acc, class T, class Op>
void check(const std::vector<T>& items, Op op, Acc init) {
    const std::size_t n = items.size();
    SCOPED_TRACE(std::to_string(n) + " items of " + std::to_string(sizeof(T)) + " bytes");
    const Array<T> in(items, n % 3);
    const kogge::exec how{.where = kWhere};
    for (const Offsets& offsets : offsets_of(n)) {
        SCOPED_TRACE(std::to_string(offsets.size()) + " segments");
        const Array<std::uint64_t> at(offsets);
        Array<Acc> out(offsets.size()), from_init(offsets.size(), 1);
        kogge::segmented_reduce(in.data(), out.data(), n, at.data(), offsets.size(), op, how);
        EXPECT_TRUE(same(out.get(), expected<Acc>(items, offsets, n, op, nullptr)));
        kogge::segmented_reduce(in.data(), from_init.data(), n, at.data(), offsets.size(), op, init, how);
        EXPECT_TRUE(same(from_init.get(), expected<Acc>(items, offsets, n, op, &init)));
    }
    for (const std::uint64_t length : {0, 1, 5, 31, 33, 200, 1025, 5000, 33000}) {
        const std::uint64_t rows = length == 0 ? 9 : std::min<std::uint64_t>(n / length, 5000);
        Offsets offsets;
        for (std::uint64_t r = 0; r < rows; ++r) offsets.push_back(r * length);
        SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(length));
        Array<Acc> out(rows);
        kogge::segmented_reduce(in.data(), out.data(), kogge::rows_of{length, rows}, op, how);
        EXPECT_TRUE(same(out.get(), expected<Acc>(items, offsets, rows * length, op, nullptr)));
        kogge::segmented_reduce(in.data(), out.data(), kogge::rows_of{length, rows}, op, init, how);
        EXPECT_TRUE(same(out.get(), expected<Acc>(items, offsets, rows * length, op, &init)));
    }
}

TEST(SegmentedReduce, Sums) {
    const Pretending device(2);
    for (const std::size_t n : {0, 1, 1000, 140001})
        check<std::uint32_t>(random_items<std::uint32_t>(n), plus{}, std::uint32_t{5});
    check<std::uint64_t>(random_items<std::uint8_t>(70001), plus{}, std::uint64_t{5});
}
TEST(SegmentedReduce, KeepsTheOrder) {
    const Pretending device(2);
    for (const std::size_t n : {1000, 140001}) {
        std::vector<Bicyclic> brackets(n);
        std::vector<Matrix> matrices(n);
        Random random(n);
        for (auto& item : brackets) item = random() % 2 == 0 ? Bicyclic{1, 0} : Bicyclic{0, 1};
        for (auto& item : matrices) item = {static_cast<std::uint32_t>(random()), 1, 1, 3};
        check<Bicyclic>(brackets, JoinBrackets{}, Bicyclic{2, 5});
        check<Matrix>(matrices, Multiply{}, Matrix{1, 2, 3, 5});
    }
}

TEST(SegmentedReduce, EmptySegmentsAndNoItems) {
    const Array<std::uint64_t> at(Offsets{0, 0, 0});
    Array<float> in(1), out(3);
    kogge::segmented_reduce(in.data(), out.data(), 0, at.data(), 3, kogge::maximum{});
    const float least = -std::numeric_limits<float>::infinity();
    EXPECT_TRUE(same(out.get(), {least, least, least}));
    kogge::segmented_reduce(in.data(), out.data(), 0, at.data(), 3, kogge::maximum{}, 4.0f);
    EXPECT_TRUE(same(out.get(), {4, 4, 4}));
}

// Gaps, segments in any order, empty ones, and such that overlap; as integers of other types, and as sequences.
TEST(SegmentedReduce, BeginsAndEndsApart) {
    const Pretending device(2);
    std::vector<Spans> all = spans_with_gaps();
    all.push_back({"overlapping", 9000, {{0, 9000}, {10, 7000}, {10, 7000}, {8000, 100}, {8999, 9500}, {0, 9000}}});
    for (const Spans& spans : all) {
        SCOPED_TRACE(spans.name);
        const auto items = random_items<std::uint32_t>(spans.n);
        std::vector<std::uint32_t> want, from_seven;
        for (const Span& span : spans.list) {
            std::uint32_t sum = 0;
            for (std::uint64_t i = span.begin; i < std::min(span.end, spans.n); ++i) sum += items[i];
            want.push_back(sum);
            from_seven.push_back(sum + 7);
        }
        const Array<std::uint32_t> in(items);
        const Array<std::int32_t> begins(spans.begins<std::int32_t>());
        const Array<std::uint64_t> ends(spans.ends());
        Array<std::uint32_t> out(want.size());
        const auto segments = kogge::segments_of(begins.data(), ends.data(), want.size());
        kogge::segmented_reduce(in.data(), out.data(), spans.n, segments);
        EXPECT_TRUE(same(out.get(), want));
        kogge::segmented_reduce(in.data(), out.data(), spans.n, segments, plus{}, 7u);
        EXPECT_TRUE(same(out.get(), from_seven));
    }
}
TEST(SegmentedReduce, OffsetsOfOtherTypesAndSequences) {
    const Pretending device(2);
    const std::uint64_t n = 9000;
    const auto items = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(items);
    Offsets offsets, ends;
    for (std::uint64_t s = 0; s < 80; ++s) {
        offsets.push_back(5 + 100 * s);
        ends.push_back(20 + 100 * s);
    }
    const Array<std::int16_t> narrow(std::vector<std::int16_t>(offsets.begin(), offsets.end()));
    Array<std::uint32_t> out(offsets.size());
    kogge::segmented_reduce(in.data(), out.data(), n, narrow.data(), offsets.size());
    EXPECT_TRUE(same(out.get(), expected<std::uint32_t>(items, offsets, n, plus{}, nullptr)));
    kogge::segmented_reduce(in.data(), out.data(), n, Counting{5, 100}, offsets.size(), {.where = kWhere});
    EXPECT_TRUE(same(out.get(), expected<std::uint32_t>(items, offsets, n, plus{}, nullptr)));
    std::vector<std::uint32_t> want;
    for (std::size_t s = 0; s < offsets.size(); ++s) {
        want.push_back(0);
        for (std::uint64_t i = offsets[s]; i < ends[s]; ++i) want.back() += items[i];
    }
    kogge::segmented_reduce(in.data(), out.data(), n,
                            kogge::segments_of(Counting{5, 100}, Counting{20, 100}, offsets.size()));
    EXPECT_TRUE(same(out.get(), want));
#if KOGGE_KERNELS
    const std::size_t bytes =
        kogge::plan_segmented_reduce(n, offsets.size(), false, {4, 4}, kogge::simt::current_properties(), {true, true})
            .scratch_bytes;
    EXPECT_GE(bytes, 16 * offsets.size());
    Array<std::byte> space(bytes);
    const auto in_space = [&](std::size_t size) {
        kogge::segmented_reduce(in.data(), out.data(), n,
                                kogge::segments_of(Counting{5, 100}, Counting{20, 100}, offsets.size()), plus{},
                                {.space = {space.data(), size}});
    };
    EXPECT_EQ(code_of([&] { in_space(bytes - 1); }), kogge::errc::out_of_memory);
    in_space(bytes);
    EXPECT_TRUE(same(out.get(), want));
#endif
}

struct Squares {
    KOGGE_HOST_DEVICE std::uint32_t operator[](std::uint64_t i) const { return static_cast<std::uint32_t>(i * i); }
};
TEST(SegmentedReduce, ItemsThatAreNoArray) {
    const Pretending device(2);
    const std::size_t n = 140001;
    std::vector<std::uint32_t> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = Squares{}[i];
    for (const Offsets& offsets : offsets_of(n)) {
        const Array<std::uint64_t> at(offsets);
        Array<std::uint32_t> out(offsets.size());
        kogge::segmented_reduce(Squares{}, out.data(), n, at.data(), offsets.size());
        EXPECT_TRUE(same(out.get(), expected<std::uint32_t>(items, offsets, n, plus{}, nullptr)));
    }
}

TEST(SegmentedReduce, FloatsAreTheSameFromRunToRun) {
    const Pretending device(2);
    const std::size_t n = 140001;
    std::vector<float> values(n);
    Random random(n);
    for (float& value : values) value = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-53);
    const Array<float> in(values);
    for (const Offsets& offsets : offsets_of(n)) {
        const Array<std::uint64_t> at(offsets);
        Array<float> out(offsets.size());
        kogge::segmented_reduce(in.data(), out.data(), n, at.data(), offsets.size());
        const auto want = out.get();
        for (int run = 0; run < 2; ++run) {
            kogge::segmented_reduce(in.data(), out.data(), n, at.data(), offsets.size(), {.host_threads = run + 1});
            EXPECT_TRUE(same(out.get(), want));
        }
    }
}

#if KOGGE_KERNELS
TEST(SegmentedReduce, CountsOnTheDevice) {
    const Pretending device(2);
    const std::size_t bound = 50001;
    const auto items = random_items<std::uint32_t>(bound);
    const Array<std::uint32_t> in(items);
    Offsets offsets;
    for (std::uint64_t at = 0; at < bound; at += 1 + at / 3) offsets.push_back(at);
    const Array<std::uint64_t> at(offsets);
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1234}, std::uint64_t{60000}})
        for (const std::uint64_t segments : {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{900}}) {
            const Array<std::uint64_t> numbers(Offsets{n, segments});
            Array<std::uint32_t> out(offsets.size());
            kogge::segmented_reduce(in.data(), out.data(), kogge::device_count{numbers.data(), bound}, at.data(),
                                    kogge::device_count{numbers.data() + 1, offsets.size()});
            const auto some = Offsets(
                offsets.begin(),
                offsets.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(segments, offsets.size())));
            auto want = expected<std::uint32_t>(items, some, std::min<std::uint64_t>(n, bound), plus{}, nullptr);
            want.resize(offsets.size(), Array<std::uint32_t>::poison());
            EXPECT_TRUE(same(out.get(), want)) << n << ", " << segments;
        }
}
#endif

TEST(SegmentedReduceErrors, AreFoundBeforeAnythingChanges) {
    const auto items = random_items<std::uint32_t>(100);
    Array<std::uint32_t> in(items), out(9);
    const Array<std::uint64_t> at(Offsets(9));
    const std::uint64_t* const no_offsets = nullptr;
    std::uint32_t* const nowhere = nullptr;
    EXPECT_EQ(code_of([&] { kogge::segmented_reduce(in.data(), in.data() + 9, 100, at.data(), 9); }),
              kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::segmented_reduce(in.data(), out.data(), 100, no_offsets, 9); }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::segmented_reduce(in.data(), nowhere, 100, at.data(), 9); }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::segmented_reduce(in.data(), out.data(), kogge::rows_of{std::uint64_t{1} << 40, 1u << 30});
              }),
              kogge::errc::invalid_argument);
    EXPECT_TRUE(same(in.get(), items));
    EXPECT_TRUE(same(out.get(), std::vector<std::uint32_t>(9, Array<std::uint32_t>::poison())));
}

}  // namespace
