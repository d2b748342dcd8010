// The host backend's threads: they are started when first wanted, then wait for work; and its scratch memory.
#include "kogge/host/threads.hpp"

#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <list>
#include <mutex>
#include <string>
#include <system_error>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace kogge::host {
namespace {

constexpr int kMostThreads = 1024;

struct Job {
    const std::function<void(int)>* body;
    int wanted;       ///< workers that may still join
    int joined = 1;   ///< the caller is worker 0
    int running = 0;  ///< workers inside the body, without the caller
    std::exception_ptr failure = nullptr;
};

class Pool {
public:
    void run(int threads, const std::function<void(int)>& body) {
        Job job{&body, threads - 1};
        {
            const std::lock_guard lock(mutex_);
            start_workers(threads - 1);
            jobs_.push_back(&job);
        }
        work_.notify_all();
        call(job, 0);
        std::unique_lock lock(mutex_);
        jobs_.remove(&job);  // nobody joins any more
        done_.wait(lock, [&] { return job.running == 0; });
        if (job.failure) std::rethrow_exception(job.failure);
    }

private:
    void call(Job& job, int worker) {
        try {
            (*job.body)(worker);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!job.failure) job.failure = std::current_exception();
        }
    }

    void start_workers(int wanted) {
        try {
            for (; started_ < wanted; ++started_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
            // The system has no more threads: those that there are, or the caller alone, do the work.
        }
    }

    void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            const auto open = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) { return job->wanted > 0; });
            if (open == jobs_.end()) {
                work_.wait(lock);
                continue;
            }
            Job& job = **open;
            --job.wanted;
            ++job.running;
            const int worker = job.joined++;
            lock.unlock();
            call(job, worker);
            lock.lock();
            if (--job.running == 0) done_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable work_, done_;
    std::list<Job*> jobs_;
    int started_ = 0;
};

}  // namespace

void run_together(int threads, const std::function<void(int)>& body) {
    if (threads <= 1) return body(0);
    // Never destroyed: its threads live until the process ends, and static destructors may still call.
    static Pool& pool = *new Pool;
    pool.run(std::min(threads, kMostThreads), body);
}

void* allocate_scratch(const char* call, std::uint64_t bytes) {
    constexpr std::size_t kHugePage = std::size_t{2} << 20;
    const std::size_t alignment = bytes < 2 * kHugePage ? kLineBytes : kHugePage;
    void* memory = nullptr;
    if (bytes <= static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) - alignment)
        memory = std::aligned_alloc(alignment,
                                    (bytes + alignment - 1) / alignment * alignment + (bytes == 0 ? alignment : 0));
    if (!memory)
        throw error(errc::out_of_memory, call,
                    bytes == std::numeric_limits<std::uint64_t>::max()
                        ? std::string("the scratch arrays are larger than any memory")
                        : "there are no " + std::to_string(bytes) + " bytes of host memory for scratch arrays");
#if defined(__linux__)
    if (alignment == kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: small pages are right, only slower
#endif
    return memory;
}

void free_scratch(void* memory) noexcept { std::free(memory); }

}  // namespace kogge::host
