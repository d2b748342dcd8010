// The host backend's threads and its scratch memory.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "kogge/error.hpp"
#include "kogge/host/scratch.hpp"
#include "kogge/host/threads.hpp"

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

}  // namespace

CallerFunctions::CallerFunctions(const char* call) noexcept : outer_(std::exchange(call_in_progress, call)) {
    [[maybe_unused]] static const int registered = std::atexit(explain_exit);
}
CallerFunctions::~CallerFunctions() { call_in_progress = outer_; }

void run_together(unsigned threads, const std::function<void(unsigned)>& body) {
    if (threads <= 1) return body(0);
    std::mutex mutex;
    std::exception_ptr failure;
    const auto call = [&, name = call_in_progress](unsigned worker) {
        call_in_progress = name;
        try {
            body(worker);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        others.reserve(threads);
        for (unsigned worker = 1; worker < threads; ++worker) others.emplace_back(call, worker);
    } catch (const std::exception&) {
        // The system has no more threads: those that there are, or the caller alone, do the work.
    }
    call(0);
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
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
