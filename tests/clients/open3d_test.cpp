// kogge-test: GPU HOST
// Open3D: neighbours of each point by distance, points by voxel, the voxels of each batch, and indices of what is not
// 0.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

TEST(Open3D, NeighboursByDistance) {
    const std::vector<std::int64_t> splits{0, 40, 40, 41, 3000};
    constexpr std::size_t kItems = 4001;
    std::vector<float> distances(kItems);
    Random random(8);
    for (float& distance : distances) distance = static_cast<float>(random() % 100'000) / 64;
    std::vector<std::int32_t> indices(kItems);
    std::iota(indices.begin(), indices.end(), 0);
    auto want = indices;
    for (std::size_t point = 0; point < splits.size(); ++point) {
        const auto at = [&](std::int64_t place) { return want.begin() + place; };
        std::stable_sort(at(splits[point]), at(point + 1 < splits.size() ? splits[point + 1] : std::int64_t{kItems}),
                         [&](auto a, auto b) {
                             return distances[static_cast<std::size_t>(a)] < distances[static_cast<std::size_t>(b)];
                         });
    }
    Array<float> in(distances);
    Array<std::int32_t> with(indices);
    const Array<std::int64_t> offsets(splits);
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

struct IsNotZero {
    KOGGE_HOST_DEVICE bool operator()(float x) const { return x != 0; }
};
TEST(Open3D, NonZero) {
    constexpr std::size_t kItems = 5003;
    std::vector<float> items(kItems);
    std::vector<std::int64_t> want;
    Random random(9);
    for (std::size_t i = 0; i < kItems; ++i)
        if ((items[i] = random() % 3 == 0 ? -2.5f : 0.0f) != 0) want.push_back(static_cast<std::int64_t>(i));
    const Array<float> in(items);
    Array<std::int64_t> indices(kItems);
    const std::uint64_t kept = kogge::compact_indices(in.data(), indices.data(), kItems, IsNotZero{});
    EXPECT_TRUE(same(front(indices, kept), want));
}

/// The batch of a voxel.
struct BatchOf {
    const std::int64_t* voxels;
    KOGGE_HOST_DEVICE std::int64_t operator[](std::uint64_t i) const { return voxels[i] >> 10; }
};
TEST(Open3D, VoxelsOfBatches) {
    constexpr std::size_t kItems = 5003;
    auto voxels = random_items<std::int64_t>(kItems, 2);
    for (std::int64_t& voxel : voxels) voxel &= (1 << 14) - 1;
    std::sort(voxels.begin(), voxels.end());
    std::vector<std::int64_t> want, ends;
    for (std::size_t i = 0; i < kItems; ++i) {
        if (i == 0 || voxels[i - 1] >> 10 != voxels[i] >> 10) want.push_back(voxels[i] >> 10), ends.push_back(0);
        ends.back() = static_cast<std::int64_t>(i) + 1;
    }
    const Array<std::int64_t> in(voxels);
    Array<std::int64_t> batches(kItems), splits(kItems), number(1);
    kogge::run_length_encode(BatchOf{in.data()}, batches.data(), splits.data(), number.data(), kItems);
    const auto n = static_cast<std::size_t>(number.get()[0]);
    kogge::inclusive_scan(splits.data(), splits.data(), n);
    EXPECT_TRUE(same(front(batches, n), want));
    EXPECT_TRUE(same(front(splits, n), ends));
}

}  // namespace
