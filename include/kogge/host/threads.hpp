// How the host backend shares work among threads: workers take chunks in order, and what depends on the chunks before
// travels from chunk to chunk as a carry.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

namespace kogge::host {

/// Stands where a call's functions may be called on the host, by the thread and those that run_together() adds: if the
/// process ends in one, as nvcc's host code of a __device__ function ends it, stderr tells why, and in which call.
class CallerFunctions {
public:
    explicit CallerFunctions(const char* call) noexcept;
    ~CallerFunctions();
    CallerFunctions(const CallerFunctions&) = delete;
    CallerFunctions& operator=(const CallerFunctions&) = delete;

private:
    const char* outer_;  ///< the call that is in progress, when a caller's function makes another
};

/// Calls body(worker) on up to `threads` threads at once, the caller's being worker 0, and returns when all calls have.
/// Fewer threads may come when the system has no more, so no call may wait for another one to begin. The first
/// exception that leaves a call is thrown to the caller.
void run_together(unsigned threads, const std::function<void(unsigned worker)>& body);

/// How many threads share n items: `wanted`, or if that is 0, as many as the machine has and the items are worth.
inline unsigned threads_for(std::uint64_t n, int wanted) {
    constexpr std::uint64_t kWorthAThread = 1u << 17, kMost = 1024;
    if (wanted > 0) return static_cast<unsigned>(std::min<std::uint64_t>(static_cast<unsigned>(wanted), kMost));
    if (n < 2 * kWorthAThread) return 1;
    return static_cast<unsigned>(std::min<std::uint64_t>(n / kWorthAThread, std::thread::hardware_concurrency()));
}

/// A chunk that is read twice should be in a core's second cache the second time; chunks much smaller would all begin
/// with waiting for memory.
inline constexpr std::uint64_t kChunkBytes = 256u << 10;

constexpr std::uint64_t divide_up(std::uint64_t n, std::uint64_t by) { return n / by + (n % by != 0); }

/// The items [begin, end), in the hands of a worker.
struct Chunk {
    std::uint64_t index, begin, end;
    unsigned worker;
};

/// work(chunk) for chunks of `size` of n items, handed out in order to at most threads_for(n, threads) workers. Once
/// one has failed, there are no more. Each worker has its own copy of `work`: what that holds by value is not read
/// again after each store.
template <class Work>
void for_chunks(std::uint64_t n, std::uint64_t size, int threads, const Work& work) {
    const std::uint64_t chunks = divide_up(n, size);
    std::atomic<std::uint64_t> next = 0;
    const auto take_chunks = [&](unsigned worker) {
        const Work own = work;
        try {
            for (std::uint64_t index; (index = next.fetch_add(1, std::memory_order_relaxed)) < chunks;)
                own(Chunk{index, index * size, (std::min)(n, (index + 1) * size), worker});
        } catch (...) {
            next = chunks;
            throw;
        }
    };
    run_together(static_cast<unsigned>(std::min<std::uint64_t>(chunks, threads_for(n, threads))), take_chunks);
}

/// Reduce-then-scan over chunks: work(chunk, swap) first reduces its chunk, then gives the total to swap(total), which
/// returns `carry` joined with the totals of all chunks before, and then uses that. When swap returns, all chunks up to
/// its own have been reduced. Returns the carry behind the last chunk.
///
/// A chunk waits only for earlier ones, which running threads hold, so the carry moves on with any number of threads.
template <class T, class Join, class Work>
T reduce_then_scan(std::uint64_t n, std::uint64_t size, int threads, T carry, const Join& join, const Work& work) {
    std::atomic<std::uint64_t> turn = 0;
    for_chunks(n, size, threads, [&, work](const Chunk& chunk) {
        bool waited_for = true;
        const auto wait = [&] {
            for (int spins = 0; turn.load(std::memory_order_acquire) != chunk.index; ++spins)
                if (spins > 256) std::this_thread::yield();
        };
        const auto hand_on = [&] {
            turn.store(chunk.index + 1, std::memory_order_release);
            waited_for = false;
        };
        try {
            work(chunk, [&](const T& total) {
                wait();
                const T before = carry;
                carry = join(before, total);
                hand_on();
                return before;
            });
        } catch (...) {
            if (waited_for) wait(), hand_on();
            throw;
        }
    });
    return carry;
}

}  // namespace kogge::host
