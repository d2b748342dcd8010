// kogge-test: GPU
// Chains of calls captured in one CUDA graph, each call's count left on the device by the one before, and replayed with
// other counts and items.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/compact_plans.hpp"
#include "support/inputs.hpp"
#include "support/scan_plans.hpp"

namespace {

using namespace tests;
namespace simt = kogge::simt;
using Word = std::uint32_t;

/// So many that on 132 multiprocessors words are sorted by passes and scanned in a ring, from 4'325'377 on; and that
/// keys of 1 and 2 bytes are counted, and those with values sorted by passes, from 2'162'689 on.
constexpr std::uint64_t kManyWords = 4'400'000, kManySmallKeys = 2'200'000;
using kogge::device_count;

void check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

struct IsEven {
    __host__ __device__ bool operator()(Word item) const { return item % 2 == 0; }
};
struct LowBits {
    __host__ __device__ Word operator()(Word item) const { return item % 16; }
};
struct ManyBins {
    static constexpr Word kBins = 1000;
    __host__ __device__ Word operator()(Word item) const { return item % kBins; }
};
/// Runs of 300 items on average.
struct Continues {
    __host__ __device__ bool operator()(Word, Word item) const { return item % 300 != 0; }
};
struct UpToTwo {
    const Word* items;
    __host__ __device__ std::uint64_t operator()(std::uint64_t i) const { return items[i] % 3; }
};
struct Add {
    const Word* items;
    __host__ __device__ Word operator()(std::uint64_t i, std::uint64_t k) const {
        return items[i] + static_cast<Word>(k);
    }
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
    /// Copies to the device, in the graph's stream: cudaMemcpy may return while the last bytes are on their way, and
    /// the stream does not wait for them.
    template <class T>
    void bring(T* to, const T* from, std::size_t n) {
        simt::copy(to, from, n * sizeof(T), stream);
        simt::synchronize(stream);
    }
    /// Calls replay(items) for graphs of several bounds and several counts of random items.
    void for_counts(std::uint64_t bound, const std::function<void(const std::vector<Word>&)>& replay) {
        for (const std::uint64_t count :
             {std::uint64_t{0}, std::uint64_t{1}, bound / 40, bound, bound / 3 + 7, bound - 1}) {
            SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(bound));
            const auto items = random_items<Word>(bound, count);
            bring(in->data(), items.data(), bound);
            bring(n->data(), &count, 1);
            replay({items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count)});
        }
    }
    /// Of one launch that the device holds as a whole, and, but under sanitizers, so many that in scans and in
    /// compactions, of runs too, tiles are drawn as tickets.
    static std::vector<std::uint64_t> bounds() {
        std::vector<std::uint64_t> list{60'000};
        if (small()) return list;
        const kogge::device_properties& device = simt::current_properties();
        std::uint64_t n = 1'000'000;
        while (is_cooperative(kogge::plan_scan(n, {4, 4, 4}, {}, device)) ||
               is_cooperative(kogge::plan_compact(n, 4, false, false, device)) ||
               is_cooperative(kogge::plan_runs(n, {4, kogge::runs_output::lengths}, device)))
            n += 1'000'000;
        list.push_back(n);
        return list;
    }
    void make(std::uint64_t bound) {
        in = std::make_unique<Array<Word>>(bound);
        n = std::make_unique<Array<std::uint64_t>>(1);
    }

    kogge::stream_t stream;
    std::unique_ptr<Array<Word>> in;
    std::unique_ptr<Array<std::uint64_t>> n;
};

// The capture goes on behind them.
TEST_F(Graphs, CallsThatWouldWaitAreErrors) {
    constexpr std::uint64_t bound = 10'000;
    make(bound);
    Array<Word> out(bound);
    Array<std::uint64_t> kept(1);
    const kogge::exec how{.stream = stream};
    const device_count checked{n->data(), bound, true};
    Graph graph(stream, [&] {
        const auto refuses = [](const std::function<void()>& call) {
            EXPECT_EQ(code_of(call), kogge::errc::invalid_argument);
        };
        refuses([&] { kogge::compact(in->data(), out.data(), bound, IsEven{}, how); });
        refuses([&] { kogge::compact(in->data(), out.data(), kogge::count_at(kept.data()), bound, IsEven{}, how); });
        refuses([&] { kogge::unique(in->data(), out.data(), bound, {}, how); });
        refuses([&] { kogge::inclusive_scan(in->data(), out.data(), checked, kogge::plus{}, how); });
        kogge::compact(in->data(), out.data(), kept.data(), device_count{n->data(), bound}, IsEven{}, how);
    });
    for_counts(bound, [&](const std::vector<Word>& items) {
        graph.replay();
        std::vector<Word> want;
        std::copy_if(items.begin(), items.end(), std::back_inserter(want), [](Word item) { return item % 2 == 0; });
        EXPECT_EQ(kept.get()[0], want.size());
        EXPECT_TRUE(same(front(out, want.size()), want));
    });
}

// Sizes of one wave, and of rings and pipelined passes.
TEST_F(Graphs, CompactScanSortCompact) {
    for (const std::uint64_t bound : {std::uint64_t{200'000}, kManyWords}) {
        if (small() && bound > 1'000'000) continue;
        make(bound);
        Array<Word> evens(bound), sums(bound), sorted(bound), last(bound);
        Array<std::uint64_t> kept(1), count(1);
        const kogge::exec how{.stream = stream};
        Graph graph(stream, [&] {
            kogge::compact(in->data(), evens.data(), kept.data(), device_count{n->data(), bound}, IsEven{}, how);
            const device_count first{kept.data(), bound};
            kogge::inclusive_scan(evens.data(), sums.data(), first, kogge::plus{}, how);
            kogge::radix_sort(sums.data(), sorted.data(), first, stream);
            kogge::radix_sort(sorted.data(), first, stream);
            kogge::compact(sorted.data(), last.data(), count.data(), first,
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
        kogge::partition(in->data(), sides.data(), boundary.data(), device_count{n->data(), bound}, IsEven{}, how);
        const device_count evens{boundary.data(), bound};
        kogge::split(sides.data(), bins.data(), starts.data(), evens, 16, LowBits{}, how);
        kogge::radix_sort(bins.data(), evens, {.end_bit = 8}, how);
        kogge::unique(bins.data(), firsts.data(), count.data(), evens, {}, how);
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
    for (const std::uint64_t bound : {std::uint64_t{60'000}, kManyWords}) {
        if (small() && bound > 1'000'000) continue;
        make(bound);
        std::vector<Word> all_places(bound);
        std::vector<std::uint8_t> bytes_of_places(bound);
        for (std::size_t i = 0; i < bound; ++i) {
            all_places[i] = static_cast<Word>(i);
            bytes_of_places[i] = static_cast<std::uint8_t>(i * 7 % 5);
        }
        std::vector<std::uint64_t> starts;
        for (std::uint64_t at = 0; at < bound; at += 1 + at % 4001) starts.push_back(at);
        starts.push_back(bound);
        const std::uint64_t segments = starts.size() - 1;
        const Array<Word> values(all_places);
        const Array<std::uint64_t> offsets(starts);
        Array<Word> keys(bound), places(bound), indices(bound), in_segments(bound);
        Array<float> floats(bound);
        const Array<std::uint8_t> low(bytes_of_places);
        Array<Word> by_columns(bound), by_passes(bound);
        const kogge::exec how{.stream = stream};
        Graph graph(stream, [&] {
            const device_count count{n->data(), bound};
            kogge::radix_sort_pairs(in->data(), keys.data(), values.data(), places.data(), count, how);
            kogge::argsort(in->data(), indices.data(), count, {.order = kogge::descending}, how);
            kogge::radix_sort(reinterpret_cast<const float*>(in->data()), floats.data(), count, how);
            kogge::segmented_sort(in->data(), in_segments.data(), bound, offsets.data(), segments, {}, how);
            kogge::argsort(kogge::arrays(low.data(), in->data()), by_columns.data(), count, how);
            kogge::argsort(kogge::arrays(low.data(), in->data(), in->data(), in->data(), in->data()), by_passes.data(),
                           count, how);
        });
        for_counts(bound, [&](const std::vector<Word>& items) {
            graph.replay();
            const std::size_t count = items.size();
            std::vector<Word> from_above(count), codes(count);
            std::vector<std::uint64_t> columns(count);
            for (std::size_t i = 0; i < count; ++i) {
                from_above[i] = ~items[i];
                columns[i] = std::uint64_t{bytes_of_places[i]} << 32 | items[i];
                codes[i] = items[i] >> 31 ? ~items[i] : items[i] | 1u << 31;
            }
            auto sorted = items;
            std::sort(sorted.begin(), sorted.end());
            EXPECT_TRUE(same(front(keys, count), sorted)) << "keys of pairs";
            EXPECT_TRUE(same(front(places, count), stable_order(items))) << "values of pairs";
            EXPECT_TRUE(same(front(indices, count), stable_order(from_above))) << "indices";
            const std::vector<Word> by_both = stable_order(columns);
            EXPECT_TRUE(same(front(by_columns, count), by_both)) << "by two columns";
            EXPECT_TRUE(same(front(by_passes, count), by_both)) << "in two passes";
            std::sort(codes.begin(), codes.end());
            std::vector<Word> bits;
            for (const Word code : codes) bits.push_back(code >> 31 ? code ^ 1u << 31 : ~code);
            EXPECT_EQ(std::memcmp(front(floats, count).data(), bits.data(), count * sizeof(Word)), 0) << "floats";
            auto whole = in->get();
            for (std::uint64_t s = 0; s < segments; ++s)
                std::sort(whole.begin() + static_cast<std::ptrdiff_t>(starts[s]),
                          whole.begin() + static_cast<std::ptrdiff_t>(starts[s + 1]));
            EXPECT_TRUE(same(in_segments.get(), whole)) << "segments";
        });
    }
}

// Runs and segments begin elsewhere in each replay.
TEST_F(Graphs, ScansOfEachKind) {
    for (const std::uint64_t bound : bounds()) {
        make(bound);
        constexpr std::uint64_t segments = 500;
        Array<std::uint64_t> offsets(segments);
        Array<Word> whole(bound), by_key(bound), in_segments(bound), before(bound), from_the_end(bound);
        const kogge::exec how{.stream = stream};
        Graph graph(stream, [&] {
            const device_count count{n->data(), bound};
            kogge::inclusive_scan(in->data(), whole.data(), count, kogge::plus{}, how);
            kogge::inclusive_scan_by_key(in->data(), in->data(), by_key.data(), count, kogge::plus{}, Continues{}, how);
            kogge::inclusive_segmented_scan(in->data(), in_segments.data(), count, offsets.data(), segments,
                                            kogge::plus{}, how);
            kogge::exclusive_segmented_scan(in->data(), before.data(), count, offsets.data(), segments, 5,
                                            kogge::plus{}, how);
            kogge::reverse_inclusive_scan(in->data(), from_the_end.data(), count, kogge::plus{}, {}, how);
        });
        for_counts(bound, [&](const std::vector<Word>& items) {
            const std::size_t count = items.size();
            auto starts = random_items<std::uint64_t>(segments, count);
            for (auto& start : starts) start %= count + 1;
            std::sort(starts.begin(), starts.end());
            bring(offsets.data(), starts.data(), segments);
            graph.replay();
            std::vector<Word> want(count);
            std::partial_sum(items.begin(), items.end(), want.begin());
            EXPECT_TRUE(same(front(whole, count), want));
            for (std::size_t i = 0; i < count; ++i)
                want[i] = items[i] + (i > 0 && Continues{}(items[i - 1], items[i]) ? want[i - 1] : 0);
            EXPECT_TRUE(same(front(by_key, count), want)) << "by key";
            std::vector<Word> exclusive(count);
            for (std::size_t i = 0, segment = 0; i < count; ++i) {
                bool begins = i == 0;
                for (; segment < segments && starts[segment] == i; ++segment) begins = true;
                exclusive[i] = begins ? 5 : exclusive[i - 1] + items[i - 1];
                want[i] = items[i] + (begins ? 0 : want[i - 1]);
            }
            EXPECT_TRUE(same(front(in_segments, count), want)) << "of segments";
            EXPECT_TRUE(same(front(before, count), exclusive)) << "of segments, exclusive";
            std::partial_sum(items.rbegin(), items.rend(), want.rbegin());
            EXPECT_TRUE(same(front(from_the_end, count), want)) << "from the end";
        });
    }
}

// By flags few are kept; runs are long; bins take two digits.
TEST_F(Graphs, FlagsRunsBinsAndOutputs) {
    for (const std::uint64_t bound : bounds()) {
        make(bound);
        Array<std::uint8_t> flags(bound);
        Array<Word> flagged(bound), firsts(bound), encoded(bound), lengths(bound), bins(bound), outputs(2 * bound);
        Array<std::uint64_t> kept(1), runs(1), as_many(1), starts(ManyBins::kBins + 1), offsets(bound + 1), total(1);
        const kogge::exec how{.stream = stream};
        Graph graph(stream, [&] {
            const device_count count{n->data(), bound};
            kogge::compact_flags(in->data(), flags.data(), flagged.data(), kept.data(), count, how);
            kogge::unique(in->data(), firsts.data(), runs.data(), count, Continues{}, how);
            kogge::run_length_encode(in->data(), encoded.data(), lengths.data(), as_many.data(), count, Continues{},
                                     how);
            kogge::split(in->data(), bins.data(), starts.data(), count, ManyBins::kBins, ManyBins{}, how);
            kogge::emit(outputs.data(), 2 * bound, total.data(), count, UpToTwo{in->data()}, Add{in->data()},
                        offsets.data(), how);
        });
        for_counts(bound, [&](const std::vector<Word>& items) {
            const std::size_t count = items.size();
            auto marks = random_items<std::uint8_t>(bound, count);
            for (std::size_t i = 0; i < bound; ++i) marks[i] = marks[i] == 7 && i % 4 == count % 4 ? 7 : 0;
            bring(flags.data(), marks.data(), bound);
            graph.replay();
            std::vector<Word> want, want_firsts, want_lengths, want_outputs;
            std::vector<std::uint64_t> want_offsets{0}, want_starts(ManyBins::kBins + 1, 0);
            for (std::size_t i = 0; i < count; ++i) {
                if (marks[i]) want.push_back(items[i]);
                if (i == 0 || !Continues{}(items[i - 1], items[i])) {
                    want_firsts.push_back(items[i]);
                    want_lengths.push_back(0);
                }
                ++want_lengths.back();
                for (Word k = 0; k < items[i] % 3; ++k) want_outputs.push_back(items[i] + k);
                want_offsets.push_back(want_outputs.size());
                ++want_starts[ManyBins{}(items[i]) + 1];
            }
            EXPECT_EQ(kept.get()[0], want.size());
            EXPECT_TRUE(same(front(flagged, want.size()), want)) << "by flags";
            EXPECT_EQ(runs.get()[0], want_firsts.size());
            EXPECT_TRUE(same(front(firsts, want_firsts.size()), want_firsts)) << "firsts";
            EXPECT_EQ(as_many.get()[0], want_firsts.size());
            EXPECT_TRUE(same(front(encoded, want_firsts.size()), want_firsts)) << "of lengths";
            EXPECT_TRUE(same(front(lengths, want_lengths.size()), want_lengths)) << "lengths";
            EXPECT_EQ(total.get()[0], want_outputs.size());
            EXPECT_TRUE(same(front(outputs, want_outputs.size()), want_outputs)) << "outputs";
            EXPECT_TRUE(same(front(offsets, count + 1), want_offsets)) << "where outputs begin";
            std::partial_sum(want_starts.begin(), want_starts.end(), want_starts.begin());
            EXPECT_TRUE(same(starts.get(), want_starts)) << "where bins begin";
            want = items;
            std::stable_sort(want.begin(), want.end(), [](Word a, Word b) { return ManyBins{}(a) < ManyBins{}(b); });
            EXPECT_TRUE(same(front(bins, count), want)) << "bins";
        });
    }
}

// Merges and searches of what a sort leaves, and the question for scratch, which adds nothing to a graph.
TEST_F(Graphs, MergesAndSearches) {
    for (const std::uint64_t bound : {std::uint64_t{60'000}, std::uint64_t{3'000'000}}) {
        if (small() && bound > 1'000'000) continue;
        make(bound);
        Array<Word> sorted(bound), merged(2 * bound), places(bound), from_end(bound);
        const kogge::exec how{.stream = stream};
        std::size_t bytes = 0;
        Graph graph(stream, [&] {
            const device_count count{n->data(), bound};
            bytes = kogge::scratch_bytes(
                [&](const kogge::exec& asked) {
                    kogge::radix_sort(in->data(), sorted.data(), count, asked);
                    kogge::compact(sorted.data(), merged.data(), count, IsEven{}, asked);
                },
                how);
            kogge::radix_sort(in->data(), sorted.data(), count, how);
            kogge::merge(sorted.data(), sorted.data(), merged.data(), count, count, how);
            kogge::upper_bound(sorted.data(), in->data(), places.data(), count, count, how);
            kogge::reverse_inclusive_scan_by_key(sorted.data(), in->data(), from_end.data(), count, how);
        });
        EXPECT_GT(bytes, 0u);
        for_counts(bound, [&](const std::vector<Word>& items) {
            graph.replay();
            auto want = items;
            std::sort(want.begin(), want.end());
            EXPECT_TRUE(same(front(sorted, items.size()), want));
            std::vector<Word> twice, bounds, sums(items.size());
            for (const Word item : want) twice.insert(twice.end(), 2, item);
            EXPECT_TRUE(same(front(merged, twice.size()), twice));
            for (const Word item : items)
                bounds.push_back(static_cast<Word>(std::upper_bound(want.begin(), want.end(), item) - want.begin()));
            EXPECT_TRUE(same(front(places, items.size()), bounds));
            for (std::size_t i = items.size(); i-- > 0;)
                sums[i] = items[i] + (i + 1 < items.size() && want[i] == want[i + 1] ? sums[i + 1] : 0);
            EXPECT_TRUE(same(front(from_end, items.size()), sums));
        });
    }
}

// Whose values are counted, or sorted by one block or two passes.
TEST_F(Graphs, SortsOfSmallKeys) {
    for (const std::uint64_t bound : {std::uint64_t{9'000}, std::uint64_t{300'000}, kManySmallKeys}) {
        if (small() && bound > 1'000'000) continue;
        make(bound);
        Array<std::uint8_t> bytes(bound);
        Array<std::int16_t> shorts(bound), with_values(bound);
        Array<Word> values(bound);
        const kogge::exec how{.stream = stream};
        const auto* const from = reinterpret_cast<const std::int16_t*>(in->data());
        Graph graph(stream, [&] {
            const device_count count{n->data(), bound};
            kogge::radix_sort(reinterpret_cast<const std::uint8_t*>(in->data()), bytes.data(), count, how);
            kogge::radix_sort(from, shorts.data(), count, {.order = kogge::descending}, how);
            kogge::radix_sort_pairs(from, with_values.data(), in->data(), values.data(), count, how);
        });
        for_counts(bound, [&](const std::vector<Word>& items) {
            graph.replay();
            const std::size_t count = items.size();
            const auto all = in->get();
            const auto* const small_bytes = reinterpret_cast<const std::uint8_t*>(all.data());
            const auto* const small_shorts = reinterpret_cast<const std::int16_t*>(all.data());
            std::vector<std::uint8_t> want_bytes(small_bytes, small_bytes + count);
            std::vector<std::int16_t> want(small_shorts, small_shorts + count);
            std::vector<std::uint16_t> codes;
            for (const std::int16_t key : want) codes.push_back(static_cast<std::uint16_t>(key ^ 0x8000));
            std::vector<Word> want_values;
            for (const Word i : stable_order(codes)) want_values.push_back(items[i]);
            std::sort(want_bytes.begin(), want_bytes.end());
            std::sort(want.begin(), want.end());
            EXPECT_TRUE(same(front(bytes, count), want_bytes)) << "bytes";
            EXPECT_TRUE(same(front(with_values, count), want)) << "keys of values";
            EXPECT_TRUE(same(front(values, count), want_values)) << "values";
            std::reverse(want.begin(), want.end());
            EXPECT_TRUE(same(front(shorts, count), want)) << "descending";
        });
    }
}

}  // namespace
