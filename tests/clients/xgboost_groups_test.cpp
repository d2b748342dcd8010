// kogge-test: GPU HOST
// XGBoost, SegmentedArgSort: f32 scores within groups given by u32 group pointers, descending, as u64 indices of the
// whole; groups whose first one does not begin at 0; and all scores.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/calls/segmented_argsort.hpp"
#include "kogge/radix_sort.hpp"
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

// What stands before the first group is one, too, as in the comparator of a merge sort.
TEST(XGBoost, SegmentedArgMergeSort) {
    constexpr std::uint64_t n = 6'000;
    const std::vector<std::uint32_t> groups{100, 101, 4'000};
    std::vector<float> scores(n);
    Random random(2);
    for (float& score : scores) score = static_cast<float>(random() % 500) - 250;
    const Array<float> in(scores);
    const Array<std::uint32_t> pointers(groups);
    Array<std::uint64_t> indices(n);
    kogge::segmented_argsort(in.data(), indices.data(), n, pointers.data(), groups.size(),
                             {.order = kogge::descending, .indices = kogge::index_origin::whole});
    std::vector<std::uint64_t> want;
    for (const Span& group : {Span{0, 100}, Span{100, 101}, Span{101, 4'000}, Span{4'000, n}})
        for (const std::uint64_t i : places_in_order(group, [&](auto a, auto b) { return scores[a] > scores[b]; }))
            want.push_back(i);
    EXPECT_TRUE(same(indices.get(), want));
}

TEST(XGBoost, ArgSort) {
    const auto noise = random_items<std::uint16_t>(7'001, 3);
    const std::vector<float> scores(noise.begin(), noise.end());
    const Array<float> in(scores);
    Array<std::uint64_t> indices(scores.size());
    kogge::argsort(in.data(), indices.data(), scores.size(), {.order = kogge::descending});
    EXPECT_TRUE(same(indices.get(),
                     places_in_order({0, scores.size()}, [&](auto a, auto b) { return scores[a] > scores[b]; })));
}

}  // namespace
