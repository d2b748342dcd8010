// kogge-test: GPU HOST
// warp, sort.cu: segments between an array of starts and one of ends, both int; keys f32, values i32, in place.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/segmented_sort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

TEST(Warp, SegmentedSortBetweenStartsAndEnds) {
    const std::uint64_t n = 6000;
    const std::vector<std::int32_t> starts{10, 3000, 1000, 5000}, ends{500, 4500, 1000, 5999};
    const auto noise = random_items<std::int16_t>(n);
    const std::vector<float> keys(noise.begin(), noise.end());
    const auto values = random_items<std::int32_t>(n, 2);
    const Array<std::int32_t> begin(starts), end(ends);
    Array<float> array(keys);
    Array<std::int32_t> with(values);
    kogge::segmented_sort_pairs(array.data(), with.data(), n,
                                kogge::segments_of(begin.data(), end.data(), starts.size()));
    std::vector<float> sorted = keys;
    std::vector<std::int32_t> moved = values;
    for (std::size_t s = 0; s < starts.size(); ++s) {
        std::uint64_t to = static_cast<std::uint64_t>(starts[s]);
        for (const std::uint64_t i : places_in_order({to, static_cast<std::uint64_t>(ends[s])},
                                                     [&](auto a, auto b) { return keys[a] < keys[b]; })) {
            sorted[to] = keys[i];
            moved[to++] = values[i];
        }
    }
    EXPECT_TRUE(same(array.get(), sorted));
    EXPECT_TRUE(same(with.get(), moved));
}

}  // namespace
