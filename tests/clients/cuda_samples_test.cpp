// kogge-test: GPU HOST
// CUDA samples: particles by cell, the horizon of a line of sight, and the voxels of marching cubes.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

constexpr std::size_t kItems = 5003;

TEST(CudaSamples, ParticlesByCell) {
    auto cells = random_items<std::uint32_t>(kItems);
    for (std::uint32_t& cell : cells) cell %= 4096;
    std::vector<std::uint32_t> particles(kItems);
    std::iota(particles.begin(), particles.end(), 0u);
    auto want = particles;
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) { return cells[a] < cells[b]; });
    Array<std::uint32_t> keys(cells), with(particles);
    kogge::radix_sort_pairs(keys.data(), with.data(), kItems, {.end_bit = 12});
    EXPECT_TRUE(same(with.get(), want));
}

TEST(CudaSamples, HighestAngleSoFar) {
    std::vector<float> angles(kItems), want(kItems);
    Random random(18);
    for (float& angle : angles) angle = static_cast<float>(random() % 10'000) / 100 - 50;
    std::inclusive_scan(angles.begin(), angles.end(), want.begin(), [](float a, float b) { return std::max(a, b); });
    const Array<float> in(angles);
    Array<float> out(kItems);
    kogge::inclusive_scan(in.data(), out.data(), kItems, kogge::maximum{});
    EXPECT_TRUE(same(out.get(), want));
}

TEST(CudaSamples, PlacesOfVoxels) {
    std::vector<std::uint32_t> occupied(kItems), want(kItems);
    Random random(19);
    for (std::uint32_t& voxel : occupied) voxel = random() % 4 == 0;
    std::exclusive_scan(occupied.begin(), occupied.end(), want.begin(), 0u);
    const Array<std::uint32_t> in(occupied);
    Array<std::uint32_t> out(kItems);
    kogge::exclusive_scan(in.data(), out.data(), kItems, 0u);
    EXPECT_TRUE(same(out.get(), want));
}

}  // namespace
