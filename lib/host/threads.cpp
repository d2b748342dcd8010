// The host backend's threads and its scratch memory.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "kogge/error.hpp"
#include "kogge/host/machine/scratch.hpp"
#include "kogge/host/machine/threads.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace kogge::host {

namespace {

thread_local const char* call_in_progress = nullptr;

void explain_exit() {
    if (!call_in_progress) return;
    std::fprintf(stderr,
                 "kogge::%s: the process ends in a function that the call was given and called on the host. A function "
                 "that is __device__ only ends it so: make it __host__ __device__, or give the call data in device "
                 "memory\n",
                 call_in_progress);
}

/// A call of run_together: who is in it, and whether others may still come. The threads share it, so that one that
/// begins when the call is long over finds it closed.
class Crew {
public:
    explicit Crew(const std::function<void(unsigned)>& body) : body_(&body), call_(call_in_progress) {}

    /// A worker's part, unless the crew is closed.
    void join(unsigned worker) {
        {
            const std::lock_guard lock(mutex_);
            if (closed_) return;
            ++inside_;
        }
        call_in_progress = call_;
        std::exception_ptr failure;
        try {
            (*body_)(worker);
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        if (failure && !failure_) failure_ = std::move(failure);
        if (--inside_ == 0) empty_.notify_one();
    }

    /// Lets no more workers in, waits for those inside, and throws what they threw.
    void close() {
        std::unique_lock lock(mutex_);
        closed_ = true;
        empty_.wait(lock, [&] { return inside_ == 0; });
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

private:
    const std::function<void(unsigned)>* body_;  ///< gone once the crew is closed and empty
    const char* call_;
    std::mutex mutex_;
    std::condition_variable empty_;
    unsigned inside_ = 0;
    bool closed_ = false;
    std::exception_ptr failure_;
};

/// Threads that were started and have not begun to run: on a machine that is too loaded to run them, there are never
/// many.
std::atomic<unsigned> not_begun = 0;
constexpr unsigned kMostNotBegun = 1024;

}  // namespace

CallerFunctions::CallerFunctions(const char* call) noexcept : outer_(std::exchange(call_in_progress, call)) {
    [[maybe_unused]] static const int registered = std::atexit(explain_exit);
}
CallerFunctions::~CallerFunctions() { call_in_progress = outer_; }

void run_together(unsigned threads, const std::function<void(unsigned)>& body) {
    if (threads <= 1) return body(0);
    const auto crew = std::make_shared<Crew>(body);
    try {
        for (unsigned worker = 1; worker < threads && not_begun < kMostNotBegun; ++worker) {
            ++not_begun;
            try {
                std::thread([crew, worker] {
                    --not_begun;
                    crew->join(worker);
                }).detach();
            } catch (...) {
                --not_begun;
                throw;
            }
        }
    } catch (const std::exception&) {
        // The system has no more threads: those that there are, or the caller alone, do the work.
    }
    crew->join(0);
    crew->close();
}

void* allocate_scratch(const char* call, std::uint64_t count, std::size_t size) {
    constexpr std::size_t kHugePage = std::size_t{2} << 20;
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / 2 / size)
        throw error(errc::out_of_memory, call, "the scratch arrays are larger than any memory");
    const std::size_t bytes = std::max<std::size_t>(count * size, 1);
    const std::size_t alignment = bytes < 2 * kHugePage ? kLineBytes : kHugePage;
    void* memory = std::aligned_alloc(alignment, divide_up(bytes, alignment) * alignment);
    if (!memory)
        throw error(errc::out_of_memory, call,
                    "there are no " + std::to_string(bytes) + " bytes of host memory for scratch arrays");
#if defined(__linux__)
    if (alignment == kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: small pages are right, only slower
#endif
    return memory;
}

}  // namespace kogge::host
