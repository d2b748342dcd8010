// kogge-test: GPU HOST
// raft: columnWiseSort.cuh, keys and int column numbers of each row; and select_k's last sort, by int offsets that a
// caller gives, descending.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/calls/segmented_argsort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

TEST(Raft, ColumnWiseSort) {
    const std::uint64_t columns = 640, rows = 11;
    const auto keys = random_items<std::int32_t>(columns * rows);
    const Array<std::int32_t> in(keys);
    Array<std::int32_t> sorted(keys.size()), indices(keys.size());
    kogge::segmented_argsort(in.data(), sorted.data(), indices.data(), kogge::rows_of{columns, rows});
    std::vector<std::int32_t> want, places;
    for (const Span& row : row_spans(columns, rows))
        for (const std::uint64_t i : places_in_order(row, [&](auto a, auto b) { return keys[a] < keys[b]; })) {
            want.push_back(keys[i]);
            places.push_back(static_cast<std::int32_t>(i - row.begin));
        }
    EXPECT_TRUE(same(sorted.get(), want));
    EXPECT_TRUE(same(indices.get(), places));
}

TEST(Raft, SelectKInOrder) {
    const std::vector<std::int32_t> offsets{0, 64, 128, 192};
    const auto keys = random_items<std::uint16_t>(192);
    const auto values = random_items<std::int64_t>(192, 2);
    const Array<std::int32_t> at(offsets);
    Array<std::uint16_t> array(keys);
    Array<std::int64_t> with(values);
    kogge::segmented_sort_pairs(array.data(), with.data(), 192, at.data(), 3, {.order = kogge::descending});
    std::vector<std::uint16_t> want;
    std::vector<std::int64_t> moved;
    for (const Span& row : row_spans(64, 3))
        for (const std::uint64_t i : places_in_order(row, [&](auto a, auto b) { return keys[a] > keys[b]; })) {
            want.push_back(keys[i]);
            moved.push_back(values[i]);
        }
    EXPECT_TRUE(same(array.get(), want));
    EXPECT_TRUE(same(with.get(), moved));
}

}  // namespace
