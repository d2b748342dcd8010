// kogge-test: GPU
// Top-k captured in a graph, which is replayed with other keys and other counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kogge/top_k.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
namespace simt = kogge::simt;

TEST(TopKGraph, IsReplayedWithOtherKeysAndCounts) {
    const kogge::stream_t stream = simt::create_stream();
    for (const std::uint64_t bound : {3000, 50000, 3000000})
        for (const std::uint64_t k : {60, 20000}) {
            if (k > bound || (small() && bound > 50000)) continue;
            Array<float> in(bound);
            Array<std::uint64_t> counts(2);
            Array<std::uint32_t> out(k);
            cudaGraph_t graph = nullptr;
            cudaGraphExec_t instance = nullptr;
            ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
            kogge::arg_top_k(in.data(), out.data(), kogge::device_count{counts.data(), bound},
                             kogge::device_count{counts.data() + 1, k}, {}, {.stream = stream});
            ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
            ASSERT_EQ(cudaGraphInstantiate(&instance, graph, 0), cudaSuccess);
            for (const std::uint64_t n : {bound, bound / 2, std::uint64_t{0}, bound - 1}) {
                SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(n));
                const auto keys = random_items<std::uint32_t>(bound, n);
                std::vector<float> floats(bound);
                std::vector<std::uint32_t> from_above(n);
                for (std::size_t i = 0; i < bound; ++i) floats[i] = static_cast<float>(keys[i] % 1000000);
                for (std::size_t i = 0; i < n; ++i) from_above[i] = ~(keys[i] % 1000000);
                const std::uint64_t numbers[] = {n, k - n % 7};
                simt::copy(in.data(), floats.data(), bound * sizeof(float), stream);
                simt::copy(counts.data(), numbers, sizeof numbers, stream);
                simt::fill(out.data(), 0x5a, k * sizeof(std::uint32_t), stream);
                ASSERT_EQ(cudaGraphLaunch(instance, stream), cudaSuccess);
                simt::synchronize(stream);
                std::vector<std::uint32_t> want = stable_order(from_above);
                want.resize(std::min(n, numbers[1]));
                want.resize(k, Array<std::uint32_t>::poison());
                EXPECT_TRUE(same(out.get(), want));
            }
            cudaGraphExecDestroy(instance);
            cudaGraphDestroy(graph);
        }
    simt::destroy_stream(stream);
}

}  // namespace
