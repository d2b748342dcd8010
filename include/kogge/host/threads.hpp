// How the host backend shares work among threads: tickets are handed out in order, a carry travels from ticket to
// ticket, and scratch memory comes without being cleared.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>

#include "kogge/error.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kogge::host {

/// Calls body(worker) on up to `threads` threads at once, the caller's being worker 0, and returns when all calls have.
/// Fewer threads may come when the machine is busy, so no call may wait for another one to begin. The first exception
/// that leaves a call is thrown to the caller.
void run_together(int threads, const std::function<void(int worker)>& body);

/// Scratch memory, aligned to kLineBytes, not cleared, in huge pages when it is large.
void* allocate_scratch(const char* call, std::uint64_t bytes);
void free_scratch(void* memory) noexcept;

inline constexpr std::size_t kLineBytes = 64;
/// Below this many simple steps, waking threads costs more than they save.
inline constexpr std::uint64_t kSerialItems = 1u << 17;
/// Results larger than this bypass the caches on their way to memory.
inline constexpr std::uint64_t kStreamBytes = 16u << 20;

inline int threads_for(std::uint64_t steps, int threads) {
    if (steps < kSerialItems) return 1;
    return threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

constexpr std::uint64_t divide_up(std::uint64_t n, std::uint64_t by) { return n / by + (n % by != 0); }

template <class T>
class Scratch {
public:
    Scratch(const char* call, std::uint64_t count) {
        constexpr std::uint64_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
        memory_ = allocate_scratch(call, count > most ? std::numeric_limits<std::uint64_t>::max() : count * sizeof(T));
    }
    ~Scratch() { free_scratch(memory_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    T* data() const { return static_cast<T*>(memory_); }

private:
    void* memory_;
};

/// Chunk numbers 0, 1, … handed out in order. Once a worker has failed, there are no more.
class Tickets {
public:
    explicit Tickets(std::uint64_t count) : count_(count) {}
    bool take(std::uint64_t& ticket) {
        ticket = next_.fetch_add(1, std::memory_order_relaxed);
        return ticket < count_ && !stopped();
    }
    std::uint64_t count() const { return count_; }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    void stop() { stopped_.store(true, std::memory_order_relaxed); }

private:
    const std::uint64_t count_;
    alignas(kLineBytes) std::atomic<std::uint64_t> next_{0};
    alignas(kLineBytes) std::atomic<bool> stopped_{false};
};

/// Runs worker(number) on up to `threads` threads, which take tickets until there are none.
template <class Worker>
void share(Tickets& tickets, int threads, const Worker& worker) {
    run_together(static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(threads), tickets.count())),
                 [&](int number) {
                     try {
                         worker(number);
                     } catch (...) {
                         tickets.stop();
                         throw;
                     }
                 });
}

/// body(chunk) for every chunk.
template <class Body>
void for_chunks(std::uint64_t chunks, int threads, const Body& body) {
    Tickets tickets(chunks);
    share(tickets, threads, [&](int) {
        for (std::uint64_t chunk; tickets.take(chunk);) body(chunk);
    });
}

/// A value that the tickets hold one after the other. A ticket waits only for earlier ones, which running threads hold,
/// so the chain moves on with any number of threads.
template <class T>
class Carry {
public:
    explicit Carry(const T& first) : value_(first) {}

    /// Waits until the ticket's turn; then the value is the caller's until hand_on. False: a worker has failed, give
    /// up.
    bool wait(std::uint64_t ticket, const Tickets& tickets) const {
        for (int spins = 0; turn_.load(std::memory_order_acquire) != ticket; ++spins) {
            if (tickets.stopped()) return false;
            if (spins < 256) pause();
            else std::this_thread::yield();
        }
        return true;
    }
    void hand_on(std::uint64_t ticket) { turn_.store(ticket + 1, std::memory_order_release); }
    T& value() { return value_; }

private:
    static void pause() {
#if defined(__SSE2__)
        _mm_pause();
#endif
    }
    alignas(kLineBytes) std::atomic<std::uint64_t> turn_{0};
    T value_;
};

/// Copies a line past the caches; `to` and `from` are aligned to kLineBytes. finish_streams must follow before other
/// threads look.
inline void stream_line(void* to, const void* from) {
#if defined(__SSE2__)
    for (std::size_t i = 0; i < kLineBytes / sizeof(__m128i); ++i)
        _mm_stream_si128(static_cast<__m128i*>(to) + i, _mm_load_si128(static_cast<const __m128i*>(from) + i));
#else
    std::memcpy(to, from, kLineBytes);
#endif
}

inline void finish_streams() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/// memcpy, past the caches if `stream`.
inline void copy_bytes(void* to, const void* from, std::size_t bytes, bool stream) {
    if (!stream) {
        std::memcpy(to, from, bytes);
        return;
    }
    auto* out = static_cast<std::byte*>(to);
    auto* in = static_cast<const std::byte*>(from);
#if defined(__SSE2__)
    const std::size_t head =
        std::min(bytes, static_cast<std::size_t>(-reinterpret_cast<std::uintptr_t>(out)) % kLineBytes);
    std::memcpy(out, in, head);
    std::size_t done = head;
    for (; done + kLineBytes <= bytes; done += kLineBytes)
        for (std::size_t i = done; i < done + kLineBytes; i += sizeof(__m128i))
            _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i)));
    std::memcpy(out + done, in + done, bytes - done);
    finish_streams();
#else
    std::memcpy(out, in, bytes);
#endif
}

/// Asks for memory that will be read soon; it may lie beyond an array.
inline void prefetch(const void* from, std::size_t bytes) {
#if defined(__GNUC__)
    for (std::size_t i = 0; i < bytes; i += kLineBytes) __builtin_prefetch(static_cast<const std::byte*>(from) + i);
#endif
}

/// Copies with all threads.
template <class T>
void copy_items(T* to, const T* from, std::uint64_t n, int threads) {
    if (n == 0 || to == from) return;
    constexpr std::uint64_t kItems = std::max<std::uint64_t>(1, (1u << 20) / sizeof(T));
    for_chunks(divide_up(n, kItems), threads_for(n, threads), [&](std::uint64_t chunk) {
        const std::uint64_t begin = chunk * kItems;
        std::memcpy(static_cast<void*>(to + begin), from + begin, std::min(kItems, n - begin) * sizeof(T));
    });
}

}  // namespace kogge::host
