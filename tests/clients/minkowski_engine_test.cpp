// kogge-test: EMULATED GPU HOST
// MinkowskiEngine: rows of a kernel map that are in use, from several arrays at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

constexpr std::uint32_t kUnused = 0xffffffffu;

struct InUse {
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t row) const { return row != kUnused; }
};
TEST(MinkowskiEngine, RowsInUse) {
    constexpr std::size_t kItems = 7919;
    std::vector<std::uint32_t> rows(kItems), kernels(kItems), want_rows, want_kernels;
    Random random(11);
    for (std::size_t i = 0; i < kItems; ++i) {
        rows[i] = random() % 3 == 0 ? kUnused : static_cast<std::uint32_t>(random() % 5000);
        kernels[i] = static_cast<std::uint32_t>(i % 27);
        if (rows[i] == kUnused) continue;
        want_rows.push_back(rows[i]);
        want_kernels.push_back(kernels[i]);
    }
    Array<std::uint32_t> in_rows(rows), in_kernels(kernels);
    const auto both = kogge::arrays(in_rows.data(), in_kernels.data());
    const std::uint64_t kept = kogge::compact(both, both, kItems, InUse{});
    ASSERT_EQ(kept, want_rows.size());
    auto found_rows = in_rows.get(), found_kernels = in_kernels.get();
    found_rows.resize(kept);
    found_kernels.resize(kept);
    EXPECT_TRUE(same(found_rows, want_rows));
    EXPECT_TRUE(same(found_kernels, want_kernels));
}

}  // namespace
