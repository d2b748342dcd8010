// kogge-test: GPU HOST
// gsplat, IntersectTile.cu: each image's intersections by tile and depth; keys i64, values i32, offsets i64, each
// segment's end the next begin.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/segmented_sort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

TEST(Gsplat, ImagesAsSegments) {
    const std::vector<std::int64_t> offsets{0, 900, 900, 6000, 7001};
    const std::uint64_t images = 4, n = 7001;
    auto keys = random_items<std::int64_t>(n);
    for (std::int64_t& key : keys) key &= (std::int64_t{1} << 44) - 1;  // 12 bits of tile over 32 of depth
    const auto values = random_items<std::int32_t>(n, 2);
    const Array<std::int64_t> in(keys), bounds(offsets);
    const Array<std::int32_t> with(values);
    Array<std::int64_t> out(n);
    Array<std::int32_t> with_out(n);
    kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n,
                                kogge::segments_of(bounds.data(), bounds.data() + 1, images), {.end_bit = 32 + 12});
    std::vector<std::int64_t> sorted;
    std::vector<std::int32_t> moved;
    for (std::uint64_t s = 0; s < images; ++s)
        for (const std::uint64_t i :
             places_in_order({static_cast<std::uint64_t>(offsets[s]), static_cast<std::uint64_t>(offsets[s + 1])},
                             [&](auto a, auto b) { return keys[a] < keys[b]; })) {
            sorted.push_back(keys[i]);
            moved.push_back(values[i]);
        }
    EXPECT_TRUE(same(out.get(), sorted));
    EXPECT_TRUE(same(with_out.get(), moved));
}

}  // namespace
