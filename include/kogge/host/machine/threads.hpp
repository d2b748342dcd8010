// How the host version shares work among threads. Workers draw chunks in order, and results that depend on earlier
// chunks are joined in order, but no worker waits for one chunk while it can work on another. So a thread that the
// system suspends delays only its chunk, and the others do the rest.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "kogge/host/machine/processors.hpp"

namespace kogge::host {

/// Exists while a call's functions may be called on the host, by its thread and the threads of run_together(). If the
/// process ends in such a function, as nvcc's host code of a __device__ function ends it, stderr names the reason and
/// the call.
class CallerFunctions {
public:
    explicit CallerFunctions(const char* call) noexcept;
    ~CallerFunctions();
    CallerFunctions(const CallerFunctions&) = delete;
    CallerFunctions& operator=(const CallerFunctions&) = delete;

private:
    const char* outer_;  ///< the call in progress, if one of its functions makes another
};

/// Calls body(worker) on up to `threads` threads at once; the caller's is worker 0. Returns when body(0) and all calls
/// begun by then have returned: a thread that the system has not started by then is not waited for, and calls nothing.
/// So body(0) must be able to do all of the work, and no call may wait for another one to begin. The first exception
/// that leaves a call is thrown to the caller.
void run_together(unsigned threads, const std::function<void(unsigned worker)>& body);

/// The number of threads that share n items: `wanted`, or if that is 0, as many as n items are worth and
/// usable_processors() allows.
inline unsigned threads_for(std::uint64_t n, int wanted) {
    constexpr std::uint64_t kWorthAThread = 1u << 17, kMost = 1024;
    if (wanted > 0) return static_cast<unsigned>(std::min<std::uint64_t>(static_cast<unsigned>(wanted), kMost));
    if (n < 2 * kWorthAThread) return 1;
    return static_cast<unsigned>(std::min<std::uint64_t>(n / kWorthAThread, usable_processors()));
}

/// The same, computed once by a call whose scratch depends on it: usable_processors() may change between two calls.
inline int threads_of(std::uint64_t n, int wanted) { return static_cast<int>(threads_for(n, wanted)); }

/// A chunk that is read twice should be in a core's second-level cache the second time; much smaller chunks would all
/// begin with waiting for memory.
inline constexpr std::uint64_t kChunkBytes = 256u << 10;

constexpr std::uint64_t divide_up(std::uint64_t n, std::uint64_t by) { return n / by + (n % by != 0); }

/// The items [begin, end), and the worker that has drawn them.
struct Chunk {
    std::uint64_t index, begin, end;
    unsigned worker;
};

/// Calls work(chunk) for chunks of `size` of n items, handed out in order to at most threads_for(n, threads) workers.
/// After an exception no more chunks are handed out. Each worker has its own copy of `work`, whose members then need
/// not be read again after each store.
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

namespace detail {

/// The states of a reduce_then_scan's chunks. A chunk is drawn, with a slot that keeps data between its two visits;
/// then reduced; then ready, once all earlier chunks are reduced; then used, which frees its slot.
template <class T, class Join>
class Relay {
public:
    struct Task {
        enum class Step { reduce, use, end } step;
        std::uint64_t chunk = 0;
        unsigned slot = 0;
    };

    Relay(std::uint64_t chunks, unsigned slots, T carry, const Join& join)
        : chunks_(chunks), join_(join), carry_(std::move(carry)), slots_(slots), slot_of_(4 * slots, kNone) {
        // In descending order, so that the lowest slot is taken first. A slot freed last is still in a cache.
        for (unsigned slot = slots; slot-- > 0;) free_.push_back(slot);
    }

    /// Returns the next task; waits while there is none.
    Task next() {
        std::unique_lock lock(mutex_);
        while (true) {
            if (failed_ || used_ == chunks_) return {Task::Step::end};
            if (first_ready_ < ready_.size()) {
                const unsigned slot = ready_[first_ready_++];
                return {Task::Step::use, slots_[slot].chunk, slot};
            }
            if (drawn_ < chunks_ && !free_.empty() && place_of(drawn_) == kNone) {
                const unsigned slot = free_.back();
                free_.pop_back();
                place_of(drawn_) = slot;
                slots_[slot] = {drawn_, false, {}};
                return {Task::Step::reduce, drawn_++, slot};
            }
            ++waiting_;
            changed_.wait(lock);
            --waiting_;
        }
    }

    /// Returns whether the chunk is ready; it is then the caller's to use.
    bool reduced(const Task& task, T total) {
        const std::lock_guard lock(mutex_);
        slots_[task.slot].value.emplace(std::move(total));
        slots_[task.slot].is_reduced = true;
        bool own = false;
        for (unsigned slot; turn_ < drawn_ && slots_[slot = place_of(turn_)].is_reduced; ++turn_) {
            std::optional<T>& value = slots_[slot].value;
            T after = join_(carry_, *value);
            value.emplace(std::exchange(carry_, std::move(after)));
            if (slot == task.slot) own = true;
            else ready_.push_back(slot);
        }
        wake();
        return own;
    }

    const T& before(const Task& task) const { return *slots_[task.slot].value; }

    void used(const Task& task) {
        const std::lock_guard lock(mutex_);
        place_of(task.chunk) = kNone;
        free_.push_back(task.slot);
        if (first_ready_ == ready_.size()) ready_.clear(), first_ready_ = 0;
        ++used_;
        wake();
    }

    void fail() {
        const std::lock_guard lock(mutex_);
        failed_ = true;
        wake();
    }

    T carry() && { return std::move(carry_); }

private:
    static constexpr unsigned kNone = ~0u;
    struct Slot {
        std::uint64_t chunk = 0;
        bool is_reduced = false;
        std::optional<T> value;  ///< the chunk's total; then the prefix of all earlier chunks
    };

    /// Holds the slot of a drawn chunk until the chunk is used.
    unsigned& place_of(std::uint64_t chunk) { return slot_of_[chunk % slot_of_.size()]; }
    void wake() {
        if (waiting_ > 0) changed_.notify_all();
    }

    const std::uint64_t chunks_;
    const Join& join_;
    std::mutex mutex_;
    std::condition_variable changed_;
    unsigned waiting_ = 0;
    std::uint64_t drawn_ = 0, turn_ = 0, used_ = 0;  ///< chunks; turn_: the first one that is not ready
    bool failed_ = false;
    T carry_;
    std::vector<Slot> slots_;
    std::vector<unsigned> slot_of_, free_, ready_;
    std::size_t first_ready_ = 0;
};

}  // namespace detail

/// The number of slots that the chunks of a reduce_then_scan share. While one thread is suspended with a chunk, the
/// others reduce further chunks, enough of them to outlast another program's time slice.
inline unsigned slots_for(std::uint64_t n, std::uint64_t size, int threads) {
    constexpr std::uint64_t kAhead = 32;
    const std::uint64_t workers = threads_for(n, threads), chunks = std::max<std::uint64_t>(1, divide_up(n, size));
    return static_cast<unsigned>((std::min)(workers == 1 ? 1 : 2 * workers + kAhead, chunks));
}

/// Reduce-then-scan over chunks. reduce(chunk, slot) returns the chunk's total; use(chunk, slot, before) then gets
/// `carry` joined with the totals of all earlier chunks. Other data passes from reduce to use by `slot`, one of
/// slots_for(n, size, threads), which is the chunk's alone between the two. When a chunk is used, all chunks up to it
/// have been reduced; which of them have been used is unspecified. Totals are joined in the order of chunks, with any
/// number of threads. Returns the carry after the last chunk. `reduce` and `use` are copied for each worker.
template <class T, class Join, class Reduce, class Use>
T reduce_then_scan(std::uint64_t n, std::uint64_t size, int threads, T carry, const Join& join, const Reduce& reduce,
                   const Use& use) {
    const std::uint64_t chunks = divide_up(n, size);
    const auto workers = static_cast<unsigned>(std::min<std::uint64_t>(chunks, threads_for(n, threads)));
    const auto chunk_at = [=](std::uint64_t index, unsigned worker) {
        return Chunk{index, index * size, (std::min)(n, (index + 1) * size), worker};
    };
    if (workers <= 1) {
        for (std::uint64_t index = 0; index < chunks; ++index) {
            T after = join(carry, reduce(chunk_at(index, 0), 0u));
            use(chunk_at(index, 0), 0u, std::as_const(carry));
            carry = std::move(after);
        }
        return carry;
    }
    using Relay = detail::Relay<T, Join>;
    using Step = typename Relay::Task::Step;
    Relay relay(chunks, slots_for(n, size, threads), std::move(carry), join);
    run_together(workers, [&](unsigned worker) {
        const Reduce own_reduce = reduce;
        const Use own_use = use;
        try {
            for (auto task = relay.next(); task.step != Step::end; task = relay.next()) {
                const Chunk chunk = chunk_at(task.chunk, worker);
                if (task.step == Step::reduce && !relay.reduced(task, own_reduce(chunk, task.slot))) continue;
                own_use(chunk, task.slot, relay.before(task));
                relay.used(task);
            }
        } catch (...) {
            relay.fail();
            throw;
        }
    });
    return std::move(relay).carry();
}

}  // namespace kogge::host
