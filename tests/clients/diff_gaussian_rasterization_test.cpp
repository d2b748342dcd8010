// kogge-test: GPU HOST
// diff-gaussian-rasterization's tile binning: the ends of each gaussian's tiles by a scan, and the sort of (tile |
// depth) keys by as many bits as the tiles take, with scratch out of one arena of the caller's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

TEST(DiffGaussianRasterization, EndsOfTilesTouched) {
    std::vector<std::uint32_t> touched = random_items<std::uint32_t>(10'007);
    for (std::uint32_t& tiles : touched) tiles %= 12;
    std::vector<std::uint32_t> ends(touched.size());
    std::partial_sum(touched.begin(), touched.end(), ends.begin());
    const Array<std::uint32_t> in(touched);
    Array<std::uint32_t> out(touched.size());
    kogge::inclusive_scan(in.data(), out.data(), touched.size());
    EXPECT_TRUE(same(out.get(), ends));
}

TEST(DiffGaussianRasterization, SortByTileAndDepth) {
    constexpr int kTileBits = 12;
    auto keys = random_items<std::uint64_t>(30'011);
    for (std::uint64_t& key : keys) key &= (std::uint64_t{1} << (32 + kTileBits)) - 1;
    std::vector<std::uint32_t> gaussians(keys.size());
    std::iota(gaussians.begin(), gaussians.end(), 0u);
    auto want = gaussians;
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    const Array<std::uint64_t> in(keys);
    const Array<std::uint32_t> with(gaussians);
    Array<std::uint64_t> out(keys.size());
    Array<std::uint32_t> with_out(keys.size());
    const kogge::sort_options bits{.end_bit = 32 + kTileBits};
    kogge::radix_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), keys.size(), bits);
    EXPECT_TRUE(same(with_out.get(), want));
    std::sort(keys.begin(), keys.end());
    EXPECT_TRUE(same(out.get(), keys));
}

// As many as the device knows, without a copy to the host, in an arena as large as the call asks for.
TEST(DiffGaussianRasterization, SortInAnArena) {
    if (!kOnDevice) return;
    constexpr std::size_t kRoom = 30'011, kNumber = 20'007;
    auto keys = random_items<std::uint64_t>(kRoom, 2);
    std::vector<std::uint32_t> gaussians(kRoom);
    std::iota(gaussians.begin(), gaussians.end(), 0u);
    Array<std::uint64_t> own(keys);
    Array<std::uint32_t> with(gaussians);
    const Array<std::uint64_t> number(std::vector<std::uint64_t>{kNumber});
    const auto sort = [&](const kogge::exec& how) {
        kogge::radix_sort_pairs(own.data(), with.data(), kogge::device_count{number.data(), kRoom}, how);
    };
    const std::size_t bytes = kogge::scratch_bytes(sort);
    Array<std::byte> arena(bytes);
    sort({.space = {arena.data(), bytes}});
    gaussians.resize(kNumber);
    std::stable_sort(gaussians.begin(), gaussians.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    EXPECT_TRUE(same(front(with, kNumber), gaussians));
    keys.resize(kNumber);
    std::sort(keys.begin(), keys.end());
    EXPECT_TRUE(same(front(own, kNumber), keys));
}

}  // namespace
