// kogge-test: GPU HOST
// cudf, segmented_sort_impl.cuh: i32 offsets of lists, the stable order as i32 indices of the whole; no keys are kept.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/calls/segmented_argsort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

TEST(Cudf, SegmentedSortedOrder) {
    const std::vector<std::int32_t> offsets{0, 0, 5, 800, 800, 7000};
    const auto n = static_cast<std::uint64_t>(offsets.back());
    auto keys = random_items<std::int64_t>(n);
    for (std::int64_t& key : keys) key %= 50;
    const Array<std::int64_t> in(keys);
    const Array<std::int32_t> lists(offsets);
    Array<std::int32_t> indices(n);
    kogge::segmented_argsort(in.data(), indices.data(), n, lists.data(), offsets.size(),
                             {.indices = kogge::index_origin::whole});
    std::vector<std::int32_t> want;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
        for (const std::uint64_t i :
             places_in_order({static_cast<std::uint64_t>(offsets[s]), static_cast<std::uint64_t>(offsets[s + 1])},
                             [&](auto a, auto b) { return keys[a] < keys[b]; }))
            want.push_back(static_cast<std::int32_t>(i));
    EXPECT_TRUE(same(indices.get(), want));
}

}  // namespace
