// kogge-test: EMULATED GPU HOST
// XGBoost, SegmentedArgSort: f32 scores within groups given by u32 group pointers, descending, as u64 indices of the
// whole.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/calls/segmented_argsort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

TEST(XGBoost, SegmentedArgSort) {
    const std::vector<std::uint32_t> groups{0, 3, 700, 700, 5000, 8000};
    const std::uint64_t n = groups.back();
    const auto noise = random_items<std::uint8_t>(n);
    const std::vector<float> scores(noise.begin(), noise.end());
    const Array<float> in(scores);
    const Array<std::uint32_t> pointers(groups);
    Array<std::uint64_t> indices(n);
    kogge::segmented_argsort(in.data(), indices.data(), n, pointers.data(), groups.size() - 1,
                             {.order = kogge::descending, .indices = kogge::index_origin::whole});
    std::vector<std::uint64_t> want;
    for (std::size_t g = 0; g + 1 < groups.size(); ++g)
        for (const std::uint64_t i :
             places_in_order({groups[g], groups[g + 1]}, [&](auto a, auto b) { return scores[a] > scores[b]; }))
            want.push_back(i);
    EXPECT_TRUE(same(indices.get(), want));
}

}  // namespace
