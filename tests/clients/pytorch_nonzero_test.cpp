// kogge-test: GPU HOST
// PyTorch's nonzero: how many items are not 0, and their indices of 64 bits with their number in an int on the device;
// and the runs of its embedding's gradient: where each run of sorted keys begins, their number left on the device, the
// keys dropped.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kItems = 12'289;

struct IsNotZero {
    KOGGE_HOST_DEVICE bool operator()(float x) const { return x != 0; }
};
struct CountNotZero {
    KOGGE_HOST_DEVICE int operator()(float x) const { return x != 0; }
};

TEST(PyTorchNonzero, OfARow) {
    std::vector<float> row(kItems);
    Random random(1);
    for (float& item : row) item = random() % 10 == 0 ? 1.5f : 0.0f;
    std::vector<std::int64_t> want;
    for (std::size_t i = 0; i < kItems; ++i)
        if (row[i] != 0) want.push_back(static_cast<std::int64_t>(i));
    const Array<float> in(row);
    EXPECT_EQ(kogge::transform_reduce(in.data(), kItems, CountNotZero{}), static_cast<int>(want.size()));
    Array<std::int64_t> indices(kItems);
    Array<int> number(1);
    kogge::compact_indices(in.data(), indices.data(), number.data(), kItems, IsNotZero{});
    EXPECT_EQ(number.get()[0], static_cast<int>(want.size()));
    auto found = indices.get();
    found.resize(want.size());
    EXPECT_TRUE(same(found, want));
}

TEST(PyTorchEmbedding, RunsOfSortedIndices) {
    std::vector<std::int64_t> keys, want;
    Random random(2);
    for (std::int64_t key = 0; keys.size() < kItems; key += 3) keys.resize(keys.size() + 1 + random() % 9, key);
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (i == 0 || keys[i - 1] != keys[i]) want.push_back(static_cast<std::int64_t>(i));
    const Array<std::int64_t> sorted(keys);
    Array<std::int64_t> starts(keys.size());
    Array<std::int64_t> runs(1);
    kogge::unique_by_key(sorted.data(), kogge::positions{}, kogge::discard{}, starts.data(), runs.data(), keys.size());
    EXPECT_EQ(runs.get()[0], static_cast<std::int64_t>(want.size()));
    auto found = starts.get();
    found.resize(want.size());
    EXPECT_TRUE(same(found, want));
}

}  // namespace
