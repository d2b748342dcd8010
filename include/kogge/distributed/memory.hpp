// What a distributed call asks of one rank: where it runs there, and the memory that it takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kogge/calls/scratch_bytes.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/machine/scratch.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge::detail {

/// n items of the rank's scratch; movable.
template <class T>
class WorkArray {
public:
    WorkArray() = default;
    /// `how` is without a workspace and a limit.
    WorkArray(const char* call, backend where, const exec& how, std::uint64_t n) {
        const std::uint64_t bytes = bytes_of(call, n, sizeof(T));
        if (n == 0) return;
        if (where == backend::device) {
            device_ = std::make_unique<Scratch>(call, how, scratch_with_slack(bytes));
            data_ = static_cast<T*>(device_->data());
        } else {
            host_ = HostMemory(host::allocate_scratch(call, n, sizeof(T)), std::free);
            data_ = static_cast<T*>(host_.get());
        }
    }
    T* data() const { return data_; }

private:
    using HostMemory = std::unique_ptr<void, void (*)(void*)>;
    HostMemory host_{nullptr, std::free};
    std::unique_ptr<Scratch> device_;
    T* data_ = nullptr;
};

/// Where one rank's part of a call runs, and its scratch, of which exec.scratch_limit is the most at any time.
class RankWork {
public:
    /// As check_call says.
    RankWork(const char* call, const exec& how, const item_count& n, std::initializer_list<Region> reads,
             std::initializer_list<Region> writes, std::size_t in_place = 0)
        : call_(call),
          where_(check_call(call, how, n, std::span(reads.begin(), reads.size()),
                            std::span(writes.begin(), writes.size()), in_place, backend::host)),
          how_(how),
          limit_(how.scratch_limit) {
        if (how.space.data)
            throw error(errc::invalid_argument, call,
                        "exec.space serves no distributed call: what it takes depends on the other ranks' data; give "
                        "exec.scratch");
        if (where_ == backend::device) check_may_wait(call, how.stream, "distributed calls wait");
        if (n.on_device() && where_ == backend::host)
            throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
        n_ = n.on_device() ? (std::min)(wait_for_number(n.on_device(), how.stream), n.bound()) : n.bound();
        how_.where = where_;
        how_.space = {};
        how_.scratch_limit = kNoLimit;
    }

    backend where() const { return where_; }
    bool on_device() const { return where_ == backend::device; }
    /// Whether take() gives memory of the device's own pool.
    bool takes_from_pool() const { return on_device() && !how_.scratch; }
    std::uint64_t n() const { return n_; }
    stream_t stream() const { return how_.stream; }

    /// For a local call, which takes what the limit leaves.
    exec how() const {
        exec local = how_;
        if (limit_ != kNoLimit) local.scratch_limit = limit_ - used_;
        return local;
    }
    /// The same in a workspace.
    exec how(const WorkArray<std::byte>& space, std::size_t bytes) const {
        exec local = how_;
        local.space = {space.data(), bytes};
        return local;
    }

    template <class T>
    WorkArray<T> take(std::uint64_t n) {
        const std::uint64_t bytes = bytes_of(call_, n, sizeof(T));
        if (limit_ != kNoLimit && bytes > limit_ - used_)
            throw error(errc::out_of_memory, call_,
                        "exec.scratch_limit is " + std::to_string(limit_) + " bytes, of which " +
                            std::to_string(limit_ - used_) + " are left, but " + std::to_string(bytes) +
                            " more are needed");
        WorkArray<T> array(call_, where_, how_, n);
        used_ += bytes;
        return array;
    }
    /// Frees an array of n items.
    template <class T>
    void give_back(WorkArray<T>& array, std::uint64_t n) {
        array = {};
        used_ -= n * sizeof(T);
    }

    /// Copies of items between the host and where the work is. A read waits; after a write the host's may be changed.
    template <class T>
    void read(T* on_host, const T* from, std::uint64_t n) const {
        copy_items(on_host, from, n);
        if (n > 0 && on_device()) simt::synchronize(how_.stream);
    }
    template <class T>
    void write(T* to, const T* on_host, std::uint64_t n) const {
        copy_items(to, on_host, n);
    }
    /// A copy where the work is, which does not wait.
    template <class T>
    void copy(T* to, const T* from, std::uint64_t n) const {
        if (n == 0 || to == from) return;
        if (on_device()) simt::copy(to, from, n * sizeof(T), how_.stream);
        else host::copy_items(to, from, n, how_.host_threads);
    }

private:
    template <class T>
    void copy_items(T* to, const T* from, std::uint64_t n) const {
        if (n == 0) return;
        if (on_device()) simt::copy(to, from, n * sizeof(T), how_.stream);
        else std::memcpy(static_cast<void*>(to), from, n * sizeof(T));
    }

    const char* call_;
    RunsOn where_;
    exec how_;
    std::size_t limit_;
    std::size_t used_ = 0;
    std::uint64_t n_ = 0;
};

/// A local call, run(exec), whose scratch on the device is had before it begins.
template <class Run>
class PreparedCall {
public:
    PreparedCall(RankWork& work, const Run& run) : work_(work), run_(run) {}
    /// Throws errc::out_of_memory if there is too little.
    void prepare() {
        if (!work_.on_device()) return;
        bytes_ = scratch_bytes(run_, work_.how());
        space_ = work_.take<std::byte>(bytes_);
    }
    void operator()() const {
        if (!work_.on_device()) return run_(work_.how());
        run_(work_.how(space_, bytes_));
        simt::synchronize(work_.stream());
    }

private:
    RankWork& work_;
    const Run& run_;
    WorkArray<std::byte> space_;
    std::size_t bytes_ = 0;
};

/// Throws errc::invalid_argument if a rank's outputs have no room for what it gets.
inline void check_room(const char* call, std::uint64_t items, std::uint64_t capacity) {
    if (items > capacity)
        throw error(errc::invalid_argument, call,
                    "this rank gets " + std::to_string(items) + " items, but its outputs have room for " +
                        std::to_string(capacity));
}

/// Where each rank's items begin in the whole, and the number of all: size() + 1 numbers.
inline std::vector<std::uint64_t> begins_of(std::span<const std::uint64_t> counts) {
    std::vector<std::uint64_t> begins(counts.size() + 1, 0);
    for (std::size_t r = 0; r < counts.size(); ++r) begins[r + 1] = begins[r] + counts[r];
    return begins;
}
/// The same where `ranks` ranks share n items evenly.
inline std::vector<std::uint64_t> even_begins(std::uint64_t n, std::size_t ranks) {
    std::vector<std::uint64_t> begins(ranks + 1);
    const std::uint64_t each = n / ranks, more = n % ranks;
    for (std::size_t r = 0; r <= ranks; ++r) begins[r] = each * r + (std::min<std::uint64_t>)(r, more);
    return begins;
}

}  // namespace kogge::detail
