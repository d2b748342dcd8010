// kogge-test: EMULATED GPU HOST
// diff-gaussian-rasterization's tile binning: the ends of each gaussian's tiles by a scan, and the sort of (tile |
// depth) keys by as many bits as the tiles take, with scratch out of one arena of the caller's.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
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

}  // namespace
