// How a contest between the library and CUB is timed on a GPU; the same for every benchmark program.
//
// A sample is a batch of calls between two device events, 250 µs long or one call. Ours and CUB take turns; a row is
// the median over at least 9 samples each, more until the median's standard error is below 0.2 % or the row's time is
// used up; of calls so long that the time is used up before, 5, or 3 of those beyond 50 ms.
//
// Inputs: every call of a batch has its own input and output, and before each batch twice the L2 cache's bytes of other
// memory are read, so that no call finds its input in the cache.
//
// Modes: in eager mode the stream is idle when a batch of several calls begins, so that what the host does for a launch
// counts; graph is the same batch captured once and replayed. Both sides have their scratch allocated beforehand.
//
// Check: outputs are filled with a pattern after warm-up; what the timed calls left is compared with CUB's result.
//
// Copy: a device-to-device copy of half the bytes that the operation must move at least (a copy reads and writes),
// timed in the same way in the same run.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "contest.hpp"
#include "cuda_setting.hpp"
#include "kogge/error.hpp"

namespace bench {

class Bench {
public:
    explicit Bench(const Options& options);
    ~Bench() {
        cudaEventDestroy(start_);
        cudaEventDestroy(stop_);
        cudaStreamDestroy(stream_);
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    void measure(Row& row, const Task& task, bool in_graph);
    Setting setting;

    using Batch = std::function<void(kogge::stream_t)>;
    kogge::stream_t stream() const { return stream_; }
    double time_once(const Batch& batch, bool from_idle);
    std::vector<std::vector<double>> sample(const std::vector<Batch>& batches, int calls, bool in_graph,
                                            const Budget& budget);

private:
    struct Graph {
        cudaGraphExec_t handle = nullptr;
        ~Graph() {
            if (handle) cudaGraphExecDestroy(handle);
        }
    };

    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
    void evict_inputs() { read_all(eviction_[0], eviction_.items(), sink_[0], stream_); }
    std::function<double()> contender(const Batch& batch, int calls, bool in_graph);
    std::shared_ptr<Graph> capture(const Batch& batch);
    double copy_time(double bytes, bool in_graph);

    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    cudaStream_t stream_ = nullptr;
    cudaEvent_t start_ = nullptr, stop_ = nullptr;
    Slots<std::uint64_t> eviction_, sink_;
    std::map<std::pair<double, bool>, double> copies_;  ///< by bytes and mode
    Batch restore_;                                     ///< of the row that is measured
};

inline constexpr double kBatchMicroseconds = 250;
inline constexpr int kMostCalls = 32;

inline int calls_in_batch(double microseconds) {
    return std::clamp(static_cast<int>(std::ceil(kBatchMicroseconds / std::max(microseconds, 1.0))), 1, kMostCalls);
}

inline Bench::Bench(const Options& options) {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    check_cuda(cudaEventCreate(&start_), "creating an event");
    check_cuda(cudaEventCreate(&stop_), "creating an event");
    const kogge::device_properties& device = kogge::simt::current_properties();
    eviction_ = Slots<std::uint64_t>(2 * device.l2_bytes / sizeof(std::uint64_t), 1);
    eviction_.fill(1, nullptr);
    sink_ = Slots<std::uint64_t>(1, 1);
    check_cuda(cudaDeviceSynchronize(), "filling memory");

    setting = cuda_setting(options.commit);
    for (const double begin = seconds(); seconds() - begin < 0.2;) {  // until the clocks are up
        for (int i = 0; i < 100; ++i) evict_inputs();
        check_cuda(cudaStreamSynchronize(stream_), "warming up");
    }
}

/// Microseconds of a batch.
inline double Bench::time_once(const Batch& batch, bool from_idle) {
    if (restore_) restore_(stream_);
    evict_inputs();
    if (from_idle) check_cuda(cudaStreamSynchronize(stream_), "reading memory");
    check_cuda(cudaEventRecord(start_, stream_), "recording an event");
    batch(stream_);
    check_cuda(cudaEventRecord(stop_, stream_), "recording an event");
    check_cuda(cudaEventSynchronize(stop_), "the timed calls failed");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "reading events");
    return 1000.0 * milliseconds;
}

inline std::shared_ptr<Bench::Graph> Bench::capture(const Batch& batch) {
    cudaGraph_t captured = nullptr;
    check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "beginning a capture");
    std::string failure;
    try {
        batch(stream_);
    } catch (const std::exception& reason) {
        failure = reason.what();
    }
    const cudaError_t ended = cudaStreamEndCapture(stream_, &captured);
    const auto graph = std::make_shared<Graph>();
    if (failure.empty() && ended == cudaSuccess && cudaGraphInstantiate(&graph->handle, captured, 0) == cudaSuccess) {
        cudaGraphDestroy(captured);
        return graph;
    }
    if (captured) cudaGraphDestroy(captured);
    (void)cudaGetLastError();
    throw LeftOut("no graph holds it: " + (failure.empty() ? cudaGetErrorString(ended) : failure));
}

/// Samples of one contender: microseconds a call.
inline std::function<double()> Bench::contender(const Batch& batch, int calls, bool in_graph) {
    if (!in_graph) return [this, batch, calls] { return time_once(batch, calls > 1) / calls; };
    const std::shared_ptr<Graph> graph = capture(batch);
    const Batch replay = [graph](kogge::stream_t stream) {
        check_cuda(cudaGraphLaunch(graph->handle, stream), "launching a graph");
    };
    time_once(replay, false);  // the first launch uploads it
    return [this, replay, calls] { return time_once(replay, false) / calls; };
}

/// Microseconds a call, of batches of so many calls that take turns.
inline std::vector<std::vector<double>> Bench::sample(const std::vector<Batch>& batches, int calls, bool in_graph,
                                                      const Budget& budget) {
    std::vector<std::function<double()>> contenders;
    for (const Batch& batch : batches) contenders.push_back(contender(batch, calls, in_graph));
    return take_samples(contenders, budget, [this] { return seconds(); });
}

inline double Bench::copy_time(double bytes, bool in_graph) {
    const auto known = copies_.find({bytes, in_graph});
    if (known != copies_.end()) return known->second;
    const std::uint64_t half = std::max<std::uint64_t>(static_cast<std::uint64_t>(bytes / 2), 1);
    // How far two arrays are apart decides about a tenth of a large copy's speed: the best of some distances.
    constexpr std::uint64_t step = 2 << 20, steps = 8;
    const std::uint64_t room = half >= 32 * step ? step * steps : 0;
    const auto batch = [half](const Slots<unsigned char>& from, const Slots<unsigned char>& to, int calls,
                              std::uint64_t behind) -> Batch {
        return [=](kogge::stream_t stream) {
            for (int slot = 0; slot < calls; ++slot)
                check_cuda(cudaMemcpyAsync(to[slot] + behind, from[slot], half, cudaMemcpyDeviceToDevice, stream),
                           "copying");
        };
    };
    int calls = 1;
    for (int round = 0; round < 2; ++round) {  // the second one is warm
        const Slots<unsigned char> from(half, 1), to(half, 1);
        calls = calls_in_batch(time_once(batch(from, to, 1, 0), false));
    }
    const Slots<unsigned char> from(half, calls), to(half + room, calls);
    from.fill(1, stream_);
    Batch copies;
    double least = 0;
    for (std::uint64_t behind = 0; behind <= room; behind += step) {
        const Batch tried = batch(from, to, calls, behind);
        double time = time_once(tried, false);
        for (int turn = 0; turn < 2; ++turn) time = std::min(time, time_once(tried, false));
        if (behind == 0 || time < least) {
            least = time;
            copies = tried;
        }
    }
    time_once(copies, false);
    return copies_[{bytes, in_graph}] = median(sample({copies}, calls, in_graph, {.seconds = 0.02})[0]);
}

/// Fills in what is measured.
inline void Bench::measure(Row& row, const Task& task, bool in_graph) try {
    restore_ = {};
    row.copy_us = copy_time(task.bytes, in_graph);
    Contest contest = task.prepare(1, stream_);
    int calls = 1;
    restore_ = [&](kogge::stream_t stream) {
        for (int slot = 0; contest.restore && slot < calls; ++slot) contest.restore(slot, stream);
    };
    const auto rival = [&]() -> const Call& {
        return in_graph && contest.cub_in_graph ? contest.cub_in_graph : contest.cub;
    };
    double fastest = 0, slowest = 0;
    for (int round = 0; round < 2; ++round) {  // the second one is warm
        const double ours = time_once([&](kogge::stream_t stream) { contest.ours(0, stream); }, false);
        const double cub = time_once([&](kogge::stream_t stream) { rival()(0, stream); }, false);
        fastest = std::min(ours, cub);
        slowest = std::max(ours, cub);
    }
    calls = calls_in_batch(fastest);
    if (calls > 1) {
        contest = {};  // frees its memory first
        contest = task.prepare(calls, stream_);
    }
    const auto batch_of = [&](const std::function<void(int, kogge::stream_t)>& call) -> Batch {
        return [&call, &calls](kogge::stream_t stream) {
            for (int slot = 0; slot < calls; ++slot) call(slot, stream);
        };
    };
    const Batch ours = batch_of(contest.ours), cub = batch_of(rival());
    time_once(ours, false);
    time_once(cub, false);
    contest.spoil(stream_);
    const auto samples = sample({ours, cub}, calls, in_graph, {.fewest = slowest > 50'000 ? 3 : 5});
    row.ours_us = median(samples[0]);
    row.cub_us = median(samples[1]);
    row.spread = std::max(spread(samples[0]), spread(samples[1]));
    row.checked = true;
    for (int slot = 0; slot < calls; ++slot) row.checked = contest.is_right(slot, stream_) && row.checked;
} catch (const kogge::error& failure) {
    if (failure.code() != kogge::errc::out_of_memory) throw;
    throw LeftOut(failure.what());
}

/// The main function of a program: find(name, n) knows its rows. Each is measured eager, and to 2^22 items in a graph.
using Find = std::optional<Task> (*)(const RowName&, std::uint64_t n);
inline int run_gpu_program(int count, char** arguments, const std::vector<RowSet>& sets, Find find,
                           FileOf file_of_row = file_by_primitive) {
    return run_program(count, arguments, [=](const Options& options) {
        if (kogge::simt::device_count() == 0) throw std::runtime_error("no GPU: nothing to measure");
        const auto bench = std::make_shared<Bench>(options);
        const auto plan = [=](const RowName& name, std::uint64_t n) {
            constexpr std::uint64_t kLargestInGraph = 1u << 22;
            std::vector<Planned> rows;
            const std::optional<Task> task = find(name, n);
            for (const bool in_graph : {false, true}) {
                if (!task || (in_graph && n > kLargestInGraph)) break;
                const Row row{name.primitive, name.type, name.case_name, n, in_graph ? "graph" : "eager"};
                rows.push_back({row, "CUB", [=](Row& each) { bench->measure(each, *task, in_graph); }});
            }
            return rows;
        };
        return Program{sets, plan, bench->setting, file_of_row};
    });
}

}  // namespace bench
