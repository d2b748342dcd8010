// The course of a distributed call: steps of each rank's own, and exchanges between them. What fails on one rank fails
// on all: it takes part in the next exchange with its error instead of data, and then all ranks throw the same.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/distributed/communicator.hpp"
#include "kogge/exec.hpp"
#include "kogge/keys.hpp"

namespace kogge::detail {

class DistributedCall {
public:
    /// `call` is a literal without "kogge::".
    DistributedCall(communicator& ranks, const char* call)
        : ranks_(ranks), call_(call), unwinding_(std::uncaught_exceptions()) {}
    /// An exception that other ranks do not know of breaks the group: they would wait for this rank.
    ~DistributedCall() {
        if (std::uncaught_exceptions() > unwinding_ && !is_told_) ranks_.abort(std::string(call_) + " has failed");
    }
    DistributedCall(const DistributedCall&) = delete;
    DistributedCall& operator=(const DistributedCall&) = delete;

    const char* name() const { return call_; }
    std::size_t rank() const { return static_cast<std::size_t>(ranks_.rank()); }
    std::size_t size() const { return static_cast<std::size_t>(ranks_.size()); }

    /// An argument that all ranks must give alike, for begin(). `name` is a literal of up to 23 characters.
    void same(const char* name, std::uint64_t value);
    void same_order(const sort_options& options);
    /// The first exchange. Runs check(), which throws if this rank's arguments are wrong. Throws on all ranks if one
    /// has thrown, or if calls or arguments that must be alike are not.
    template <class Check>
    void begin(const Check& check) {
        attempt(check);
        compare_arguments();
    }

    /// Runs work(). Returns when it has succeeded on all ranks, otherwise throws on all of them.
    template <class Work>
    void together(const Work& work) {
        attempt(work);
        std::uint64_t failed = error_ ? 1 : 0;
        share_failures(failed, nullptr, 0, nullptr);
    }
    /// The same with `count` items that work(mine) writes; returns those of all ranks, rank by rank.
    template <class T, class Work>
    std::vector<T> gather(std::size_t count, const Work& work) {
        static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>);
        std::vector<T> mine(count), all(count * size());
        attempt([&] { work(mine.data()); });
        share_failures(error_ ? 1 : 0, mine.data(), count * sizeof(T), all.data());
        return all;
    }
    /// What work() returns, on each rank.
    template <class Work>
    auto gather(const Work& work) {
        using T = std::decay_t<decltype(work())>;
        return gather<T>(1, [&](T* mine) { *mine = work(); });
    }
    /// The sums over all ranks of the `count` numbers that work(mine) writes; they are 0 before.
    template <class Work>
    std::vector<std::uint64_t> sum(std::size_t count, const Work& work) {
        std::vector<std::uint64_t> numbers;
        attempt([&] {
            numbers.assign(count + 1, 0);
            work(numbers.data());
        });
        if (error_) numbers.assign(count + 1, 0);
        numbers[count] = error_ ? 1 : 0;
        ranks_.all_sum(numbers.data(), count + 1);
        if (numbers[count] > 0) report_failures();
        numbers.pop_back();
        return numbers;
    }

    /// Runs work(), which does the same on all ranks, and throws on all or on none.
    template <class Work>
    void alike(const Work& work) {
        try {
            work();
        } catch (...) {
            is_told_ = true;
            throw;
        }
    }

    /// Rank r gets mine[bounds[r] … bounds[r + 1]); into[begins[r] … begins[r + 1]) becomes what it sends. Both in the
    /// memory that `where` says. Only after a step that all ranks have completed. With several pieces per rank, rank r
    /// gets mine[bounds[i] … bounds[i + 1]), i = pieces × r + piece.
    template <class T>
    void exchange(const T* mine, std::span<const std::uint64_t> bounds, T* into, std::span<const std::uint64_t> begins,
                  backend where, stream_t stream, std::size_t pieces = 1, std::size_t piece = 0) {
        std::vector<communicator::outgoing> to(size());
        std::vector<communicator::incoming> from(size());
        for (std::size_t r = 0; r < size(); ++r) {
            const std::size_t i = pieces * r + piece;
            to[r] = {mine + bounds[i], (bounds[i + 1] - bounds[i]) * sizeof(T)};
            from[r] = {into + begins[r], (begins[r + 1] - begins[r]) * sizeof(T)};
        }
        ranks_.exchange(to, from, where, stream);
    }

    /// mine[0 … counts[rank()]) of each rank goes to all: into becomes what the ranks have, rank by rank.
    template <class T>
    void share(const T* mine, std::span<const std::uint64_t> counts, T* into, backend where, stream_t stream) {
        const std::vector<communicator::outgoing> to(size(), {mine, counts[rank()] * sizeof(T)});
        std::vector<communicator::incoming> from(size());
        for (std::size_t r = 0; r < size(); into += counts[r++]) from[r] = {into, counts[r] * sizeof(T)};
        ranks_.exchange(to, from, where, stream);
    }

private:
    struct Argument {
        char name[24];
        std::uint64_t value;
    };
    /// What a rank tells about its own failure.
    struct Failure {
        std::int32_t failed, code, device_code;
        char what[500];
    };
    struct Arguments {
        char call[40];
        std::uint64_t count;
        Argument list[12];
        Failure failure;
    };

    template <class Work>
    void attempt(const Work& work) noexcept {
        try {
            work();
        } catch (...) {
            error_ = std::current_exception();
        }
    }
    Failure failure() const;
    [[noreturn]] void report(const Failure& failure, std::size_t rank);
    void compare_arguments();
    void share_failures(std::uint64_t failed, const void* mine, std::size_t bytes, void* all);
    [[noreturn]] void report_failures();

    communicator& ranks_;
    const char* call_;
    int unwinding_;
    bool is_told_ = false;
    std::exception_ptr error_;
    Arguments arguments_{};
};

}  // namespace kogge::detail
