// kogge-test: GPU HOST
// gsplat's intersections: 64-bit scans, a sort by image, tile and depth, images as segments, and sorts in place.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

constexpr std::size_t kItems = 20'011;
constexpr int kBits = 45;

std::vector<std::int64_t> intersections() {
    auto keys = random_items<std::int64_t>(kItems);
    for (std::int64_t& key : keys) key &= (std::int64_t{1} << kBits) - 1;
    return keys;
}
std::vector<std::int32_t> places() {
    std::vector<std::int32_t> places(kItems);
    std::iota(places.begin(), places.end(), 0);
    return places;
}

TEST(Gsplat, CumulativeTiles) {
    const auto counts = intersections();
    std::vector<std::int64_t> want(kItems);
    std::partial_sum(counts.begin(), counts.end(), want.begin());
    Array<std::int64_t> in(counts), out(kItems);
    kogge::inclusive_scan(in.data(), out.data(), kItems);
    EXPECT_TRUE(same(out.get(), want));
}

TEST(Gsplat, SortOfIntersections) {
    const auto keys = intersections();
    auto want = places();
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) {
        return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
    });
    // A double buffer is not needed: in place takes the same memory, and the result has one place.
    Array<std::int64_t> in(keys);
    Array<std::int32_t> with(places());
    kogge::radix_sort_pairs(in.data(), with.data(), kItems, {.end_bit = kBits});
    EXPECT_TRUE(same(with.get(), want));
}

TEST(Gsplat, ImagesAsSegments) {
    const auto keys = intersections();
    const std::vector<std::uint64_t> starts{0, 5000, 5000, 13'000};
    auto want = places();
    for (std::size_t image = 0; image < starts.size(); ++image) {
        const auto at = [&](std::uint64_t place) { return want.begin() + static_cast<std::ptrdiff_t>(place); };
        const std::uint64_t end = image + 1 < starts.size() ? starts[image + 1] : kItems;
        std::stable_sort(at(starts[image]), at(end), [&](auto a, auto b) {
            return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
        });
    }
    Array<std::int64_t> in(keys);
    Array<std::int32_t> with(places());
    const Array<std::uint64_t> offsets(starts);
    kogge::segmented_sort_pairs(in.data(), with.data(), kItems, offsets.data(), starts.size(), {.end_bit = kBits});
    EXPECT_TRUE(same(with.get(), want));
}

// Tiles that are used, in order, with the places where they stood. The values of a sort are an array: places are
// stored first, by a scan of ones.
struct Ones {
    KOGGE_HOST_DEVICE std::int64_t operator[](std::uint64_t) const { return 1; }
};
TEST(Gsplat, TilesWithTheirPlaces) {
    constexpr int kTileBits = 13;
    auto tiles = intersections();
    for (std::int64_t& tile : tiles) tile &= (1 << kTileBits) - 1;
    std::vector<std::int64_t> want(kItems);
    std::iota(want.begin(), want.end(), 0);
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) {
        return tiles[static_cast<std::size_t>(a)] < tiles[static_cast<std::size_t>(b)];
    });
    Array<std::int64_t> sorted(tiles), from(kItems);
    kogge::exclusive_scan(Ones{}, from.data(), kItems);
    kogge::radix_sort_pairs(sorted.data(), from.data(), kItems, {.end_bit = kTileBits});
    EXPECT_TRUE(same(from.get(), want));
    std::sort(tiles.begin(), tiles.end());
    EXPECT_TRUE(same(sorted.get(), tiles));
}

}  // namespace
