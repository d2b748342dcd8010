// kogge-test: GPU HOST
// The binning of diff-gaussian-rasterization: each Gaussian makes a key (tile number over depth) and a value (its own
// index) for each tile that it touches, in one call; then they are sorted by as many bits as the keys have; and the
// range of each tile is where its number would be inserted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::uint32_t kGrid = 16;  ///< tiles a row, and a column

/// A rectangle of tiles, and how far away its Gaussian is.
struct Splat {
    std::uint32_t left, top, width, height;
    float depth;
};

struct TilesTouched {
    const Splat* splats;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const { return splats[i].width * splats[i].height; }
};
struct DuplicateWithKeys {
    const Splat* splats;
    KOGGE_HOST_DEVICE std::pair<std::uint64_t, std::uint32_t> operator()(std::uint64_t i, std::uint64_t k) const {
        const Splat& splat = splats[i];
        const auto touched = static_cast<std::uint32_t>(k);
        const std::uint64_t tile = (splat.top + touched / splat.width) * kGrid + splat.left + touched % splat.width;
        std::uint32_t depth;
        std::memcpy(&depth, &splat.depth, sizeof depth);
        return {tile << 32 | depth, static_cast<std::uint32_t>(i)};
    }
};

TEST(DiffGaussianBinning, KeysAndValuesOfOneCall) {
    std::vector<Splat> scene(3'001);
    Random random(1);
    for (Splat& splat : scene) {
        const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
        splat.left = below(kGrid);
        splat.top = below(kGrid);
        splat.width = below(std::min(kGrid - splat.left, 4u) + 1);
        splat.height = below(std::min(kGrid - splat.top, 4u) + 1);
        splat.depth = static_cast<float>(1 + below(1000)) / 8;
    }
    std::vector<std::pair<std::uint64_t, std::uint32_t>> want;
    for (std::size_t i = 0; i < scene.size(); ++i)
        for (std::uint32_t k = 0; k < scene[i].width * scene[i].height; ++k)
            want.push_back(DuplicateWithKeys{scene.data()}(i, k));

    const std::size_t room = want.size();
    const Array<Splat> splats(scene);
    Array<std::uint64_t> keys(room);
    Array<std::uint32_t> values(room);
    Array<std::uint64_t> number(1);
    kogge::emit(kogge::arrays(keys.data(), values.data()), room, number.data(), scene.size(),
                TilesTouched{splats.data()}, DuplicateWithKeys{splats.data()});
    EXPECT_EQ(number.get()[0], room);
    kogge::radix_sort_pairs(keys.data(), values.data(), room, {.end_bit = 32 + 8});

    std::stable_sort(want.begin(), want.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto found_keys = keys.get();
    const auto found_values = values.get();
    for (std::size_t i = 0; i < room; ++i) {
        ASSERT_EQ(found_keys[i], want[i].first) << i;
        ASSERT_EQ(found_values[i], want[i].second) << i;
    }
}

/// The tile of a sorted key.
struct TilesOfKeys {
    const std::uint64_t* keys;
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const { return keys[i] >> 32; }
};
TEST(DiffGaussianBinning, RangesOfTiles) {
    constexpr std::size_t kKeys = 10'007, kTiles = kGrid * kGrid;
    auto keys = random_items<std::uint64_t>(kKeys);
    for (std::uint64_t& key : keys) key &= 0x7f'ffff'ffff;  // the tiles of the lower half have none
    std::sort(keys.begin(), keys.end());
    std::vector<std::uint32_t> want(kTiles + 1);
    for (const std::uint64_t key : keys) ++want[(key >> 32) + 1];
    for (std::size_t tile = 0; tile < kTiles; ++tile) want[tile + 1] += want[tile];
    const Array<std::uint64_t> sorted(keys);
    Array<std::uint32_t> starts(kTiles + 1);  // tile t has [starts[t], starts[t + 1])
    kogge::lower_bound(TilesOfKeys{sorted.data()}, kogge::positions{}, starts.data(), kKeys, kTiles + 1);
    EXPECT_TRUE(same(starts.get(), want));
}

}  // namespace
