#include "kogge/distributed/threads.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace kogge {
namespace {

constexpr const char* kCall = "communicator::exchange";

using Clock = std::chrono::steady_clock;
constexpr auto kAwake = std::chrono::microseconds(100);  ///< how long a rank waits before it sleeps

/// What the threads share. An exchange has two meetings: after the first all ranks have said what they send, after the
/// second all have read it.
class Group {
public:
    Group(int ranks, const communicator_options& options)
        : sent_(static_cast<std::size_t>(ranks)),
          has_left_(sent_.size(), false),
          met_(sent_.size(), 0),
          timeout_(options.timeout) {}

    std::size_t size() const { return sent_.size(); }

    /// Waits until all ranks have said what they send.
    void arrive(std::size_t rank, std::span<const communicator::outgoing> sent) {
        std::unique_lock lock(mutex_);
        throw_if_broken(met_[rank] + 1);
        sent_[rank] = sent;
        const std::uint64_t meeting = come(rank);
        const auto start = Clock::now();
        const auto any = [](std::size_t) { return true; };
        // Once all are here each goes on to depart(), even if the group has been broken meanwhile: no rank's memory
        // is gone while another one reads it.
        while (late_rank(meeting, any)) {
            throw_if_broken(meeting);
            if (const auto gone = late_rank(meeting, [&](std::size_t r) { return has_left_[r]; }))
                break_with(*gone, errc::unreachable, name_of(*gone) + " has left the group", meeting);
            else if (Clock::now() < start + kAwake) wait_awake(lock, start + kAwake);
            else if (timeout_.count() == 0) changed_.wait(lock);
            else if (changed_.wait_until(lock, start + timeout_) == std::cv_status::timeout)
                if (const auto late = late_rank(meeting, any); late && !failure_)
                    break_with(*late, errc::unreachable,
                               name_of(*late) + " has not answered for " + std::to_string(timeout_.count()) + " ms",
                               meeting);
        }
    }
    /// Waits until all ranks have read what they are sent.
    void depart(std::size_t rank) {
        std::unique_lock lock(mutex_);
        const std::uint64_t meeting = come(rank);
        const auto all_here = [&] { return !late_rank(meeting, [](std::size_t) { return true; }); };
        for (const auto start = Clock::now(); !all_here() && Clock::now() < start + kAwake;)
            wait_awake(lock, start + kAwake);
        changed_.wait(lock, all_here);
        throw_if_broken(meeting);
    }
    std::string name_of(std::size_t rank) const {
        return "rank " + std::to_string(rank) + " of " + std::to_string(size());
    }
    /// What `from` sends to `to`, between two meetings.
    communicator::outgoing sent(std::size_t from, std::size_t to) const { return sent_[from][to]; }

    /// Spoils the rank's next meeting. The first reason counts.
    void abort(std::size_t rank, errc code, const std::string& why) {
        const std::lock_guard lock(mutex_);
        break_with(rank, code, why, met_[rank] + 1);
    }
    void leave(std::size_t rank) {
        const std::lock_guard lock(mutex_);
        has_left_[rank] = true;
        tell();
    }

private:
    struct Failure {
        errc code;
        std::string why;
        int rank;
        std::uint64_t meeting;  ///< the first one that it spoils
    };

    void break_with(std::size_t rank, errc code, const std::string& why, std::uint64_t meeting) {
        if (!failure_) failure_ = Failure{code, why, static_cast<int>(rank), meeting};
        tell();
    }
    /// Ranks may still be on their way out of an exchange that was good, when others have come to the next one.
    void throw_if_broken(std::uint64_t meeting) const {
        if (failure_ && failure_->meeting <= meeting)
            throw rank_error(failure_->code, kCall, failure_->why, failure_->rank);
    }
    /// A rank that has not come yet, of those for which `of` is true.
    template <class Of>
    std::optional<std::size_t> late_rank(std::uint64_t meeting, const Of& of) const {
        for (std::size_t r = 0; r < size(); ++r)
            if (met_[r] < meeting && of(r)) return r;
        return {};
    }

    /// Tells the others that the rank has come to its next meeting; returns the meeting's number.
    std::uint64_t come(std::size_t rank) {
        tell();
        return ++met_[rank];
    }
    void tell() {
        changes_.fetch_add(1, std::memory_order_relaxed);
        changed_.notify_all();
    }
    /// Until something has changed, without sleeping: ranks that do the same come soon after each other, and to be
    /// woken takes longer than many of their exchanges.
    void wait_awake(std::unique_lock<std::mutex>& lock, Clock::time_point until) {
        const std::uint64_t seen = changes_.load(std::memory_order_relaxed);
        lock.unlock();
        while (changes_.load(std::memory_order_relaxed) == seen && Clock::now() < until) std::this_thread::yield();
        lock.lock();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<std::uint64_t> changes_{0};
    std::vector<std::span<const communicator::outgoing>> sent_;
    std::vector<bool> has_left_;
    std::vector<std::uint64_t> met_;  ///< how many meetings each rank has come to
    std::optional<Failure> failure_;
    std::chrono::milliseconds timeout_;
};

class ThreadCommunicator : public communicator {
public:
    ThreadCommunicator(std::shared_ptr<Group> group, std::size_t rank) : group_(std::move(group)), rank_(rank) {}
    ~ThreadCommunicator() override { group_->leave(rank_); }

    int rank() const override { return static_cast<int>(rank_); }
    int size() const override { return static_cast<int>(group_->size()); }
    bool has(capability what) const override {
        return what == capability::peer_memory && device_ >= 0 && simt::current_device() == device_;
    }
    /// The current device is this rank's, and all other ranks' reach it.
    void is_reached() { device_ = simt::current_device(); }

    void exchange(std::span<const outgoing> to, std::span<const incoming> from, backend where,
                  stream_t stream) override {
        bool on_device = where == backend::device;
        if (on_device) simt::synchronize(stream);  // what is sent has been computed
        group_->arrive(rank_, to);
        try {
            // Each rank begins with itself, so that no rank's link serves all others at once.
            for (std::size_t i = 0; i < from.size(); ++i) {
                const std::size_t r = (rank_ + i) % from.size();
                copy(r, from[r], on_device, stream);
            }
            if (on_device) simt::synchronize(stream);
        } catch (const error& failure) {
            group_->abort(rank_, failure.code(), "on " + group_->name_of(rank_) + ": " + failure.what());
        }
        group_->depart(rank_);
    }

    void abort(const std::string& why) noexcept override {
        try {
            group_->abort(rank_, errc::unreachable, group_->name_of(rank_) + " has aborted: " + why);
        } catch (...) {
            group_->leave(rank_);
        }
    }

private:
    void copy(std::size_t from, const incoming& into, bool& on_device, stream_t stream) {
        const outgoing source = group_->sent(from, rank_);
        if (source.bytes != into.bytes)
            throw error(errc::invalid_argument, kCall,
                        "rank " + std::to_string(from) + " sends " + std::to_string(source.bytes) + " bytes, not " +
                            std::to_string(into.bytes));
        if (source.bytes == 0) return;
        // The other rank's memory may be where this one's is not.
        const bool both_on_host =
            !on_device && (simt::device_count() == 0 || simt::location_of(source.data).memory == simt::Memory::host);
        if (both_on_host) {
            std::memcpy(into.data, source.data, source.bytes);
        } else {
            simt::copy(into.data, source.data, source.bytes, stream);
            on_device = true;
        }
    }

    std::shared_ptr<Group> group_;
    std::size_t rank_;
    int device_ = -1;
};

/// Whether an exception is another rank's.
bool is_told(const std::exception_ptr& thrown, std::size_t rank) {
    try {
        std::rethrow_exception(thrown);
    } catch (const rank_error& failure) {
        return failure.rank() != static_cast<int>(rank);
    } catch (...) {
        return false;
    }
}

}  // namespace

std::vector<std::unique_ptr<communicator>> communicators_of_threads(int ranks, const communicator_options& options) {
    if (ranks < 1) throw error(errc::invalid_argument, "communicators_of_threads", "there must be at least one rank");
    const auto group = std::make_shared<Group>(ranks, options);
    std::vector<std::unique_ptr<communicator>> all;
    for (int r = 0; r < ranks; ++r)
        all.push_back(std::make_unique<ThreadCommunicator>(group, static_cast<std::size_t>(r)));
    return all;
}

void run_on_threads(int ranks, const std::function<void(communicator&)>& body, const communicator_options& options) {
    auto all = communicators_of_threads(ranks, options);
    std::vector<std::exception_ptr> thrown(all.size());
    {
        std::vector<std::jthread> threads;
        threads.reserve(all.size());
        const auto run = [&](std::size_t r) {
            try {
                body(*all[r]);
            } catch (...) {
                thrown[r] = std::current_exception();
            }
            all[r].reset();
        };
        try {
            while (threads.size() < all.size()) threads.emplace_back(run, threads.size());
        } catch (...) {  // there are no more threads: who has begun is told so
            for (std::size_t r = threads.size(); r < all.size(); ++r) all[r].reset();
            threads.clear();
            throw;
        }
    }
    std::exception_ptr first;
    for (std::size_t r = 0; r < thrown.size(); ++r) {
        if (!thrown[r]) continue;
        if (!is_told(thrown[r], r)) std::rethrow_exception(thrown[r]);
        if (!first) first = thrown[r];
    }
    if (first) std::rethrow_exception(first);
}

void run_on_devices(const std::vector<int>& devices, const std::function<void(communicator&)>& body,
                    const communicator_options& options) {
    run_on_threads(
        static_cast<int>(devices.size()),
        [&](communicator& ranks) {
            const simt::OnDevice current(devices[static_cast<std::size_t>(ranks.rank())]);
            bool is_reached = true;
            for (const int device : devices) is_reached = simt::open_memory_to(device) && is_reached;
            if (is_reached) static_cast<ThreadCommunicator&>(ranks).is_reached();
            body(ranks);
        },
        options);
}

}  // namespace kogge
