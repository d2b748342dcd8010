// The state behind runtime.hpp on the emulator: queued work, device memory, the pretended device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "emulator/machine/machine.hpp"
#include "emulator/memory/heap.hpp"
#include "kogge/error.hpp"
#include "kogge/simt/emulator.hpp"

namespace kogge::simt::emulator {

inline constexpr int kInvalidHandle = 400;  // cudaErrorInvalidResourceHandle
inline constexpr std::size_t kMostQueued = 4096;

Config config_from_environment();
std::vector<device_properties> devices_from_environment();

struct Task {
    std::function<void()> run;
    bool always = false;            // even after a failure
    std::uint64_t threads = 0;      // of a kernel: as many as are resident at once; 0: none
    int device = DeviceHeap::kAll;  // whose memory it may touch
    std::uint64_t epoch = 0;        // tasks of the default stream that come before
    std::shared_ptr<bool> after{};  // becomes true when what it waits for in another stream is done; null: nothing
};

struct Runtime {
    std::recursive_mutex mutex;
    Config config = config_from_environment();
    std::vector<device_properties> devices = devices_from_environment();
    DeviceHeap heap;
    std::map<stream_t, std::deque<Task>> queues{{nullptr, {}}};
    std::map<stream_t, int> stream_devices;        // of streams other than the default one
    std::map<stream_t, int> limits;                // multiprocessors of streams that may not use all
    std::set<stream_t> captured;                   // streams that say that they are
    std::map<std::uintptr_t, std::size_t> pinned;  // host memory that copies read when they run
    std::uint64_t default_queued = 0, default_done = 0, streams_made = 0, queued = 0, resets = 0;
    Random random{config.seed};
    std::string failure, last_failure;
    std::function<bool()> before;  // for the launch that overlaps it
    std::uint64_t fail_allocation_in = ~0ull;
    bool protect = false;
    Statistics statistics;

    bool is_pinned(const void* address) const {
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        const auto after = pinned.upper_bound(at);
        return after != pinned.begin() && at - std::prev(after)->first < std::prev(after)->second;
    }

    std::deque<Task>& queue_of(stream_t stream, const char* call) {
        const auto found = queues.find(stream);
        if (found == queues.end()) throw error(errc::device, call, "no such stream", kInvalidHandle);
        return found->second;
    }

    void enqueue(stream_t stream, const char* call, Task task) {
        auto& queue = queue_of(stream, call);
        task.epoch = stream ? default_queued : default_queued++;
        queue.push_back(std::move(task));
        if (++queued >= kMostQueued) drain(nullptr);
    }

    bool may_run(stream_t stream, const Task& task) const {
        if (task.after && !*task.after) return false;
        if (stream) return default_done >= task.epoch;
        for (const auto& [other, queue] : queues)
            if (other && !queue.empty() && queue.front().epoch <= task.epoch) return false;
        return true;
    }

    Task take(stream_t stream) {
        Task task = std::move(queues[stream].front());
        queues[stream].pop_front();
        --queued;
        return task;
    }

    /// Runs one task at the head of a random stream that may go on, and with a kernel the launch that overlaps it.
    void step() {
        std::vector<stream_t> choices;
        for (const auto& [stream, queue] : queues)
            if (!queue.empty() && may_run(stream, queue.front())) choices.push_back(stream);
        const stream_t chosen = choices[random.below(static_cast<std::uint32_t>(choices.size()))];
        const Task task = take(chosen);
        auto& queue = queues[chosen];
        const auto next = std::find_if_not(queue.begin(), queue.end(), [](const Task& t) { return t.always; });
        const bool overlaps = failure.empty() && task.threads > 0 && task.threads <= kMostThreadsBefore &&
                              next != queue.end() && next->threads > 0 && next->device == task.device &&
                              may_run(chosen, *next) && random.below(2) > 0;
        auto between = next - queue.begin();  // memory is given back
        heap.open_for(task.device);
        if (!chosen) default_done += overlaps ? 2 + static_cast<std::uint64_t>(between) : 1;
        if (overlaps) {
            const Task launch = std::move(*next);
            queue.erase(next);
            --queued;
            before = [&] {
                for (task.run(); between > 0; --between) take(chosen).run();
                return failure.empty();
            };
            launch.run();
        } else if (failure.empty() || task.always) {
            task.run();
        }
        heap.open_for(open_to_host());
    }

    int open_to_host() const { return protect ? DeviceHeap::kNone : DeviceHeap::kAll; }

    /// The default stream is done when everything is.
    void drain(stream_t stream) {
        while (stream ? !queues[stream].empty() : queued > 0) step();
    }

    void report(const std::string& what) {
        if (what.empty()) return;
        last_failure = what;
        if (failure.empty()) failure = what;
    }
};

Runtime& runtime();
using Lock = std::lock_guard<std::recursive_mutex>;

}  // namespace kogge::simt::emulator
