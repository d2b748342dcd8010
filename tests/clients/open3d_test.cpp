// kogge-test: EMULATED GPU HOST
// Open3D: neighbours of each point by distance, and points by voxel.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

TEST(Open3D, NeighboursByDistance) {
    const std::vector<std::uint64_t> splits{0, 40, 40, 41, 3000};
    constexpr std::size_t kItems = 4001;
    std::vector<float> distances(kItems);
    Random random(8);
    for (float& distance : distances) distance = static_cast<float>(random() % 100'000) / 64;
    std::vector<std::int32_t> indices(kItems);
    std::iota(indices.begin(), indices.end(), 0);
    auto want = indices;
    for (std::size_t point = 0; point < splits.size(); ++point) {
        const auto at = [&](std::uint64_t place) { return want.begin() + static_cast<std::ptrdiff_t>(place); };
        std::stable_sort(at(splits[point]), at(point + 1 < splits.size() ? splits[point + 1] : kItems),
                         [&](auto a, auto b) {
                             return distances[static_cast<std::size_t>(a)] < distances[static_cast<std::size_t>(b)];
                         });
    }
    Array<float> in(distances);
    Array<std::int32_t> with(indices);
    const Array<std::uint64_t> offsets(splits);
    kogge::segmented_sort_pairs(in.data(), with.data(), kItems, offsets.data(), splits.size());
    EXPECT_TRUE(same(with.get(), want));
}

TEST(Open3D, PointsOfVoxels) {
    constexpr std::size_t kItems = 5003;
    auto voxels = random_items<std::int64_t>(kItems);
    for (std::int64_t& voxel : voxels) voxel = (voxel & 1023) - 512;
    Array<std::int64_t> keys(voxels), occupied(kItems), points(kItems), counts(kItems);
    const Array<std::int64_t> in(voxels);
    kogge::radix_sort(in.data(), keys.data(), kItems);
    const std::uint64_t number = kogge::run_length_encode(keys.data(), occupied.data(), counts.data(), kItems);
    kogge::argsort(in.data(), points.data(), kItems);
    const auto order = points.get(), found = occupied.get(), lengths = counts.get();
    std::size_t place = 0;
    for (std::size_t run = 0; run < number; ++run)
        for (std::int64_t k = 0; k < lengths[run]; ++k)
            ASSERT_EQ(voxels[static_cast<std::size_t>(order[place++])], found[run]);
    EXPECT_EQ(place, kItems);
}

}  // namespace
