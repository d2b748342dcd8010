// kogge-test: GPU
// Quantiles and histograms captured in a graph, which is replayed with other keys and other counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kogge/calls/histogram.hpp"
#include "kogge/calls/select.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/select_plans.hpp"

namespace {

using namespace tests;
namespace simt = kogge::simt;

TEST(SelectGraph, IsReplayedWithOtherKeysAndCounts) {
    const kogge::stream_t stream = simt::create_stream();
    const kogge::device_properties device = simt::current_properties();
    const kogge::select_shape shape{4, 0, 32};
    const std::pair<const char*, std::uint64_t> bounds[] = {
        {"compare", 3000}, {"sort", 30000}, {"digits", least_counted(shape, device) + 1000}};
    for (const auto& [way, bound] : bounds) {
        if (small() && bound > 30000) continue;
        EXPECT_STREQ(to_string(kogge::plan_select(bound, 3, shape, device).way), way);
        Array<std::uint32_t> in(bound), out(3), counts(1000);
        Array<std::uint64_t> count(1), ranks(3);
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t instance = nullptr;
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        const kogge::device_count n{count.data(), bound};
        kogge::quantiles(in.data(), out.data(), n, ranks.data(), 3, {.stream = stream});
        kogge::histogram(in.data(), counts.data(), n, kogge::even_bins(0u, 1000000u, 1000), {.stream = stream});
        ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&instance, graph, 0), cudaSuccess);
        for (const std::uint64_t now : {bound, bound / 2, std::uint64_t{1}, bound - 1}) {
            SCOPED_TRACE(std::to_string(now) + " of " + std::to_string(bound));
            auto keys = random_items<std::uint32_t>(bound, now);
            for (auto& key : keys) key %= 1000000;
            const std::uint64_t wanted[] = {now / 2, 0, now - 1};
            simt::copy(in.data(), keys.data(), bound * sizeof(std::uint32_t), stream);
            simt::copy(count.data(), &now, sizeof now, stream);
            simt::copy(ranks.data(), wanted, sizeof wanted, stream);
            ASSERT_EQ(cudaGraphLaunch(instance, stream), cudaSuccess);
            simt::synchronize(stream);
            keys.resize(now);
            std::vector<std::uint32_t> want_counts(1000);
            for (const std::uint32_t key : keys) ++want_counts[key / 1000];
            std::sort(keys.begin(), keys.end());
            EXPECT_TRUE(same(out.get(), {keys[wanted[0]], keys[0], keys[now - 1]}));
            EXPECT_TRUE(same(counts.get(), want_counts));
        }
        cudaGraphExecDestroy(instance);
        cudaGraphDestroy(graph);
    }
    simt::destroy_stream(stream);
}

}  // namespace
