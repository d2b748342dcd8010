// kogge-test: GPU
// Reductions captured in a graph, which is replayed with other items and another count; and more items than 32 bits
// number, which need no array.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kogge/calls/reduce.hpp"
#include "kogge/calls/reduce_by_key.hpp"
#include "kogge/calls/segmented_reduce.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
namespace simt = kogge::simt;

TEST(ReduceGraph, IsReplayedWithOtherItemsAndCounts) {
    const kogge::stream_t stream = simt::create_stream();
    // On 132 multiprocessors reductions are of more blocks than are resident from 17'301'505 words on, and those by key
    // draw their tiles as tickets from 21'626'881 on.
    for (const std::uint64_t bound : {3000, 500000, 22000000}) {
        if (small() && bound > 500000) continue;
        const std::uint64_t segments = 3;
        Array<std::uint32_t> in(bound), keys(bound), keys_out(bound), sums(bound), of_segments(segments), sum(1);
        const Array<std::uint64_t> offsets(std::vector<std::uint64_t>{0, bound / 100, bound / 2});
        Array<std::uint64_t> n_at(1), runs(1), least(1);
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t instance = nullptr;
        const kogge::device_count count{n_at.data(), bound};
        const kogge::exec how{.stream = stream};
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        kogge::reduce(in.data(), sum.data(), count, how);
        kogge::arg_min(in.data(), least.data(), count, how);
        kogge::reduce_by_key(keys.data(), in.data(), keys_out.data(), sums.data(), runs.data(), count, how);
        kogge::segmented_reduce(in.data(), of_segments.data(), count, offsets.data(), segments, how);
        EXPECT_EQ(code_of([&] { kogge::reduce(in.data(), bound, how); }), kogge::errc::invalid_argument);
        ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&instance, graph, 0), cudaSuccess);
        for (const std::uint64_t n : {bound, bound / 2, std::uint64_t{0}, bound - 1}) {
            SCOPED_TRACE(n);
            const auto items = random_items<std::uint32_t>(bound, n);
            std::vector<std::uint32_t> of(bound);
            for (std::size_t i = 0; i < bound; ++i) of[i] = static_cast<std::uint32_t>(i / 7);
            simt::copy(in.data(), items.data(), bound * sizeof(std::uint32_t), stream);
            simt::copy(keys.data(), of.data(), bound * sizeof(std::uint32_t), stream);
            simt::copy(n_at.data(), &n, sizeof n, stream);
            ASSERT_EQ(cudaGraphLaunch(instance, stream), cudaSuccess);
            simt::synchronize(stream);
            std::vector<std::uint32_t> want(segments), by_key;
            std::uint32_t all = 0;
            for (std::uint64_t i = 0; i < n; ++i) {
                all += items[i];
                want[i < bound / 100 ? 0 : i < bound / 2 ? 1 : 2] += items[i];
                if (i % 7 == 0) by_key.push_back(0);
                by_key.back() += items[i];
            }
            EXPECT_EQ(sum.get()[0], all);
            const auto first = std::min_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(n));
            EXPECT_EQ(least.get()[0], n > 0 ? static_cast<std::uint64_t>(first - items.begin()) : ~std::uint64_t{0});
            EXPECT_EQ(runs.get()[0], by_key.size());
            std::vector<std::uint32_t> got = sums.get();
            got.resize(by_key.size());
            EXPECT_TRUE(same(got, by_key));
            EXPECT_TRUE(same(of_segments.get(), want));
        }
        cudaGraphExecDestroy(instance);
        cudaGraphDestroy(graph);
    }
    simt::destroy_stream(stream);
}

struct Ones {
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t) const { return 1; }
};
struct Falls {
    KOGGE_HOST_DEVICE std::uint32_t operator[](std::uint64_t i) const { return i == 4294967300 ? 1 : 2; }
};
TEST(ReduceGraph, MoreThan32BitsNumber) {
    if (small()) return;
    const std::uint64_t n = (std::uint64_t{1} << 32) + 12345;
    const kogge::exec how{.where = kWhere};
    EXPECT_EQ(kogge::reduce(Ones{}, n, how), n);
    EXPECT_EQ(kogge::arg_min(Falls{}, n, how).index, 4294967300u);
    Array<std::uint64_t> rows(3);
    kogge::segmented_reduce(Ones{}, rows.data(), kogge::rows_of{std::uint64_t{1} << 32, 3}, how);
    EXPECT_TRUE(same(rows.get(), std::vector<std::uint64_t>(3, std::uint64_t{1} << 32)));
}

}  // namespace
