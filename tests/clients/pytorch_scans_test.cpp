// kogge-test: GPU HOST
// PyTorch's scans by key: how often each index of an embedding occurs, counted by a scan and carried back from the end
// of its run; and the counts of blocks, summed up within the slice that a block belongs to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

struct Ones {
    KOGGE_HOST_DEVICE std::int64_t operator[](std::uint64_t) const { return 1; }
};
TEST(PyTorchEmbedding, HowOftenEachIndexOccurs) {
    constexpr std::size_t kItems = 7'013;
    auto indices = random_items<std::int64_t>(kItems);
    for (std::int64_t& index : indices) index &= 511;
    std::sort(indices.begin(), indices.end());
    std::vector<std::int64_t> want(kItems);
    for (std::size_t i = 0; i < kItems; ++i) {
        const auto [first, last] = std::equal_range(indices.begin(), indices.end(), indices[i]);
        want[i] = last - first;
    }
    const Array<std::int64_t> sorted(indices);
    Array<std::int64_t> counts(kItems);
    kogge::inclusive_scan_by_key(sorted.data(), Ones{}, counts.data(), kItems);
    kogge::reverse_inclusive_scan_by_key(sorted.data(), counts.data(), counts.data(), kItems, kogge::maximum{});
    EXPECT_TRUE(same(counts.get(), want));
}

struct SliceOfBlock {
    std::uint64_t blocks_per_slice;
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const { return i / blocks_per_slice; }
};
TEST(PyTorchTopK, CountsOfBlocksWithinSlices) {
    constexpr std::size_t blocks_per_slice = 37, kBlocks = 37 * 60;
    auto counts = random_items<std::uint32_t>(kBlocks);
    for (std::uint32_t& count : counts) count %= 1000;
    auto want = counts;
    for (std::size_t i = 0; i < kBlocks; ++i)
        if (i % blocks_per_slice > 0) want[i] += want[i - 1];
    const Array<std::uint32_t> in(counts);
    Array<std::uint32_t> sums(kBlocks);
    kogge::inclusive_scan_by_key(SliceOfBlock{blocks_per_slice}, in.data(), sums.data(), kBlocks);
    EXPECT_TRUE(same(sums.get(), want));
}

}  // namespace
