// kogge-test: GPU HOST
// XLA, cub_sort_kernel: a batch of equal rows, keys alone and with values.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/segmented_sort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

TEST(Xla, Batches) {
    const std::uint64_t length = 700, batch = 12, n = length * batch;
    const auto keys = random_items<std::uint64_t>(n);
    const auto values = random_items<std::uint16_t>(n, 2);
    const Array<std::uint64_t> in(keys);
    const Array<std::uint16_t> with(values);
    Array<std::uint64_t> out(n), alone(n);
    Array<std::uint16_t> with_out(n);
    kogge::segmented_sort(in.data(), alone.data(), kogge::rows_of{length, batch});
    kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), kogge::rows_of{length, batch});
    std::vector<std::uint64_t> sorted;
    std::vector<std::uint16_t> moved;
    for (const Span& row : row_spans(length, batch))
        for (const std::uint64_t i : places_in_order(row, [&](auto a, auto b) { return keys[a] < keys[b]; })) {
            sorted.push_back(keys[i]);
            moved.push_back(values[i]);
        }
    EXPECT_TRUE(same(alone.get(), sorted));
    EXPECT_TRUE(same(out.get(), sorted));
    EXPECT_TRUE(same(with_out.get(), moved));
}

}  // namespace
