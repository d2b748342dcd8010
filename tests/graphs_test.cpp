// kogge-test: GPU
// Chains of calls captured in one CUDA graph, each call's count left on the device by the one before, and replayed with
// other counts and items.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
namespace simt = kogge::simt;
using Word = std::uint32_t;
using kogge::device_count;

void check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

struct IsEven {
    __host__ __device__ bool operator()(Word item) const { return item % 2 == 0; }
};
struct LowBits {
    __host__ __device__ Word operator()(Word item) const { return item % 16; }
};

/// What calls queue while it is made.
class Graph {
public:
    Graph(kogge::stream_t stream, const std::function<void()>& calls) : stream_(stream) {
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        calls();
        check(cudaStreamEndCapture(stream, &graph_));
        check(cudaGraphInstantiate(&instance_, graph_, 0));
    }
    ~Graph() {
        cudaGraphExecDestroy(instance_);
        cudaGraphDestroy(graph_);
    }
    Graph(const Graph&) = delete;
    void replay() {
        check(cudaGraphLaunch(instance_, stream_));
        simt::synchronize(stream_);
    }

private:
    kogge::stream_t stream_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t instance_ = nullptr;
};

class Graphs : public ::testing::Test {
protected:
    Graphs() : stream(simt::create_stream()) {}
    ~Graphs() override { simt::destroy_stream(stream); }

    /// The first items of an array.
    template <class T>
    static std::vector<T> front(const Array<T>& array, std::size_t n) {
        auto items = array.get();
        items.resize(n);
        return items;
    }
    /// Calls replay(items) for graphs of several bounds and several counts of random items.
    void for_counts(std::uint64_t bound, const std::function<void(const std::vector<Word>&)>& replay) {
        for (const std::uint64_t count :
             {std::uint64_t{0}, std::uint64_t{1}, bound / 40, bound, bound / 3 + 7, bound - 1}) {
            SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(bound));
            const auto items = random_items<Word>(bound, count);
            check(cudaMemcpy(in->data(), items.data(), bound * sizeof(Word), cudaMemcpyDefault));
            check(cudaMemcpy(n->data(), &count, sizeof count, cudaMemcpyDefault));
            replay({items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count)});
        }
    }
    void make(std::uint64_t bound) {
        in = std::make_unique<Array<Word>>(bound);
        n = std::make_unique<Array<std::uint64_t>>(1);
    }

    kogge::stream_t stream;
    std::unique_ptr<Array<Word>> in;
    std::unique_ptr<Array<std::uint64_t>> n;
};

// Sizes of one wave, and of rings and pipelined passes.
TEST_F(Graphs, CompactScanSortCompact) {
    for (const std::uint64_t bound : {std::uint64_t{200'000}, std::uint64_t{6'000'000}}) {
        if (small() && bound > 1'000'000) continue;
        make(bound);
        Array<Word> evens(bound), sums(bound), sorted(bound), last(bound);
        Array<std::uint64_t> kept(1), count(1);
        const kogge::exec how{.stream = stream};
        Graph graph(stream, [&] {
            kogge::compact(in->data(), device_count{n->data(), bound}, evens.data(), kept.data(), IsEven{}, how);
            const device_count first{kept.data(), bound};
            kogge::inclusive_scan(evens.data(), sums.data(), first, kogge::plus{}, how);
            kogge::radix_sort(sums.data(), sorted.data(), first, {}, how);
            kogge::compact(sorted.data(), first, last.data(), count.data(),
                           kogge::compare<Word>{kogge::relation::less, 1u << 30}, how);
        });
        for_counts(bound, [&](const std::vector<Word>& items) {
            graph.replay();
            std::vector<Word> want;
            Word sum = 0;
            for (const Word item : items)
                if (item % 2 == 0) want.push_back(sum += item);
            EXPECT_EQ(kept.get()[0], want.size());
            std::sort(want.begin(), want.end());
            EXPECT_TRUE(same(front(sorted, want.size()), want));
            want.erase(std::lower_bound(want.begin(), want.end(), 1u << 30), want.end());
            EXPECT_EQ(count.get()[0], want.size());
            EXPECT_TRUE(same(front(last, want.size()), want));
        });
    }
}

TEST_F(Graphs, PartitionSplitUnique) {
    const std::uint64_t bound = 300'000;
    make(bound);
    Array<Word> sides(bound), bins(bound), firsts(bound);
    Array<std::uint64_t> boundary(1), starts(17), count(1);
    const kogge::exec how{.stream = stream};
    Graph graph(stream, [&] {
        kogge::partition(in->data(), device_count{n->data(), bound}, sides.data(), boundary.data(), IsEven{}, how);
        const device_count evens{boundary.data(), bound};
        kogge::split(sides.data(), evens, bins.data(), 16, LowBits{}, starts.data(), how);
        kogge::radix_sort(bins.data(), evens, {.end_bit = 8}, how);
        kogge::unique(bins.data(), evens, firsts.data(), count.data(), {}, how);
    });
    for_counts(bound, [&](const std::vector<Word>& items) {
        graph.replay();
        auto want = items;
        const auto middle = std::stable_partition(want.begin(), want.end(), IsEven{});
        EXPECT_TRUE(same(front(sides, want.size()), want));
        want.erase(middle, want.end());
        EXPECT_EQ(boundary.get()[0], want.size());
        std::stable_sort(want.begin(), want.end(), [](Word a, Word b) { return a % 16 < b % 16; });
        const auto offsets = starts.get();
        for (Word bin = 0; bin <= 16; ++bin)
            EXPECT_EQ(static_cast<std::ptrdiff_t>(offsets[bin]),
                      std::count_if(want.begin(), want.end(), [&](Word item) { return item % 16 < bin; }));
        std::stable_sort(want.begin(), want.end(), [](Word a, Word b) { return a % 256 < b % 256; });
        EXPECT_TRUE(same(front(bins, want.size()), want));
        want.erase(std::unique(want.begin(), want.end()), want.end());
        EXPECT_EQ(count.get()[0], want.size());
        EXPECT_TRUE(same(front(firsts, want.size()), want));
    });
}

// Sorts with values, of floats, and of segments.
TEST_F(Graphs, SortsOfEachKind) {
    for (const std::uint64_t bound : {std::uint64_t{60'000}, std::uint64_t{6'000'000}}) {
        if (small() && bound > 1'000'000) continue;
        make(bound);
        std::vector<Word> all_places(bound);
        for (std::size_t i = 0; i < bound; ++i) all_places[i] = static_cast<Word>(i);
        std::vector<std::uint64_t> starts;
        for (std::uint64_t at = 0; at < bound; at += 1 + at % 4001) starts.push_back(at);
        starts.push_back(bound);
        const std::uint64_t segments = starts.size() - 1;
        const Array<Word> values(all_places);
        const Array<std::uint64_t> offsets(starts);
        Array<Word> keys(bound), places(bound), indices(bound), in_segments(bound);
        Array<float> floats(bound);
        const kogge::exec how{.stream = stream};
        Graph graph(stream, [&] {
            const device_count count{n->data(), bound};
            kogge::radix_sort_pairs(in->data(), keys.data(), values.data(), places.data(), count, {}, how);
            kogge::argsort(in->data(), indices.data(), count, {.order = kogge::descending}, how);
            kogge::radix_sort(reinterpret_cast<const float*>(in->data()), floats.data(), count, {}, how);
            kogge::segmented_sort(in->data(), in_segments.data(), bound, offsets.data(), segments, {}, how);
        });
        for_counts(bound, [&](const std::vector<Word>& items) {
            graph.replay();
            const std::size_t count = items.size();
            std::vector<Word> want(all_places.begin(), all_places.begin() + static_cast<std::ptrdiff_t>(count));
            std::stable_sort(want.begin(), want.end(), [&](Word a, Word b) { return items[a] < items[b]; });
            EXPECT_TRUE(same(front(places, count), want)) << "values of pairs";
            std::stable_sort(want.begin(), want.end());
            std::stable_sort(want.begin(), want.end(), [&](Word a, Word b) { return items[a] > items[b]; });
            EXPECT_TRUE(same(front(indices, count), want)) << "indices";
            auto sorted = items;
            std::sort(sorted.begin(), sorted.end());
            EXPECT_TRUE(same(front(keys, count), sorted)) << "keys of pairs";
            const auto code = [](Word word) { return word >> 31 ? ~word : word | 1u << 31; };
            std::sort(sorted.begin(), sorted.end(), [&](Word a, Word b) { return code(a) < code(b); });
            std::vector<Word> bits;
            for (const float value : front(floats, count)) bits.push_back(std::bit_cast<Word>(value));
            EXPECT_TRUE(same(bits, sorted)) << "floats";
            auto whole = in->get();
            for (std::uint64_t s = 0; s < segments; ++s)
                std::sort(whole.begin() + static_cast<std::ptrdiff_t>(starts[s]),
                          whole.begin() + static_cast<std::ptrdiff_t>(starts[s + 1]));
            EXPECT_TRUE(same(in_segments.get(), whole)) << "segments";
        });
    }
}

}  // namespace
