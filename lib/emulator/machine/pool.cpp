// The worker threads, and one launch from its start to its end.
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <thread>

#include "emulator/machine/machine.hpp"
#include "emulator/memory/faults.hpp"
#include "kogge/simt/emulator.hpp"

namespace kogge::simt::emulator {
namespace {

class Pool {
public:
    ~Pool() {
        {
            std::lock_guard lock(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (auto& thread : threads_) thread.join();
    }

    /// Returns how many warp collectives were called.
    std::uint64_t run(Launch& launch, const std::function<bool()>& before) {
        while (workers_.size() < launch.workers) {
            workers_.push_back(std::make_unique<Worker>());
            threads_.emplace_back([this, rank = workers_.size() - 1] { serve(rank); });
        }
        std::unique_lock lock(mutex_);
        team_.clear();
        for (std::uint32_t i = 0; i < launch.workers; ++i) {
            Worker& worker = *workers_[i];
            worker.busy = true;
            worker.stuck = 0;
            worker.progress = worker.observed = 0;
            worker.collectives = 0;
            team_.push_back(&worker);
        }
        launch_ = &launch;
        running_ = launch.workers;
        ++round_;
        wake_.notify_all();
        if (before) {
            while (running_ > 0 && !launch.awaits_stream.load(std::memory_order_relaxed))
                done_.wait_for(lock, std::chrono::microseconds(100));
            lock.unlock();
            if (!before()) launch.aborted = true;
            launch.stream_sync.release();
            launch.stream_is_done.store(true, std::memory_order_release);
            lock.lock();
        }
        done_.wait(lock, [&] { return running_ == 0; });
        std::uint64_t collectives = 0;
        for (const Worker* worker : team_) collectives += worker->collectives;
        return collectives;
    }

private:
    void serve(std::size_t rank) {
        Worker& worker = *workers_[rank];
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        void* bottom = nullptr;
        pthread_attr_getstack(&attributes, &bottom, &worker.main_stack_bytes);
        pthread_attr_destroy(&attributes);
        worker.main_stack = bottom;
        const FaultGuard guard(worker);
        std::unique_lock lock(mutex_);
        for (std::uint64_t served = 0;;) {
            wake_.wait(lock, [&] { return stop_ || (round_ != served && rank < team_.size()); });
            if (stop_) return;
            served = round_;
            Launch& launch = *launch_;
            lock.unlock();
            worker.run(launch, team_, static_cast<std::uint32_t>(rank));
            lock.lock();
            if (--running_ == 0) done_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::deque<std::unique_ptr<Worker>> workers_;
    std::vector<Worker*> team_;
    Launch* launch_ = nullptr;
    std::uint64_t round_ = 0;
    std::uint32_t running_ = 0;
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace

bool same_site(Site a, Site b) { return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0); }
std::string at(Site site) { return site.line ? std::string(site.file) + ":" + std::to_string(site.line) : "its start"; }
std::string thread_name(const Fiber& fiber) {
    return "thread " + std::to_string(fiber.thread) + " (lane " + std::to_string(fiber.lane()) + ") of block " +
           std::to_string(fiber.block);
}

void Launch::fail(const std::string& what) {
    std::lock_guard lock(mutex);
    if (failure.empty()) failure = std::string("kernel ") + shape.name + ": " + what;
    aborted = true;
}

void record_failure(Fiber& fiber, Site site, const std::string& what) {
    worker_of(fiber).launch->fail(at(site) + ": " + thread_name(fiber) + ": " + what);
}

void fail(Fiber& fiber, Site site, const std::string& what) {
    record_failure(fiber, site, what);
    throw LaunchAborted();
}

LaunchResult run_launch(const LaunchShape& shape, const std::function<void()>& body, std::uint64_t seed,
                        std::uint32_t resident, bool copies_in_bulk, const std::function<bool()>& before) {
    static Pool pools[2];  // the second one is for what comes before a launch
    static int running = 0;
    const Config chosen = config();
    Launch launch(shape, body);
    launch.seed = seed;
    launch.copies_in_bulk = copies_in_bulk;
    const std::uint32_t most_blocks = kMostThreads / shape.threads;
    launch.workers = std::clamp(chosen.workers, 1u, std::min(shape.blocks, most_blocks));
    launch.resident = std::clamp(chosen.resident, 1u, most_blocks / launch.workers);
    launch.resident = std::max(launch.resident, (resident + launch.workers - 1) / launch.workers);
    launch.overlaps = static_cast<bool>(before);
    launch.looks_when = chosen.looks_when;
    launch.begin.release();
    const std::uint64_t collectives = pools[running++].run(launch, before);
    --running;
    launch.end.acquire();
    return {launch.failure, collectives};
}

}  // namespace kogge::simt::emulator
