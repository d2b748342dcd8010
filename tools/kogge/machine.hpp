// Where a command's calls run, and how long they and the copies to and from the device take.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "kogge/buffer.hpp"
#include "kogge/exec.hpp"

namespace kogge::command {

class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Machine {
public:
    Machine(backend where, int threads) : where_(where), threads_(threads) {}

    backend where() const { return where_; }
    exec how() const { return {.where = where_, .host_threads = threads_}; }
    /// "host, 2 threads", or the device's name.
    std::string name() const;

    /// Runs work and waits for it; returns the seconds it took.
    template <class Work>
    double time(const Work& work) {
        const Stopwatch watch;
        work();
        wait();
        return watch.seconds();
    }
    template <class Work>
    void copy(const Work& work) {
        copy_seconds_ += time(work);
    }
    double copy_seconds() const { return copy_seconds_; }

private:
    void wait() const {
        if (where_ == backend::device) simt::synchronize(nullptr);
    }

    backend where_;
    int threads_;
    double copy_seconds_ = 0;
};

/// What --backend and --threads ask for.
struct MachineChoice {
    backend where = backend::automatic;
    int threads = 0;
};

/// Host arrays where a call can use them: in place on the host, as a copy on the device.
template <class T>
class Placed {
public:
    /// `filled` false: what the array holds does not matter.
    Placed(Machine& machine, T* array, std::uint64_t n, bool filled = true) : machine_(machine), array_(array) {
        if (machine.where() != backend::device) return;
        copy_.emplace(n, backend::device);
        if (filled && n > 0) machine.copy([&] { simt::copy(copy_->data(), array, n * sizeof(T), nullptr); });
    }
    T* data() { return copy_ ? copy_->data() : array_; }
    /// The first n items, back in the host array.
    void fetch(std::uint64_t n) {
        if (copy_ && n > 0) machine_.copy([&] { simt::copy(array_, copy_->data(), n * sizeof(T), nullptr); });
    }

private:
    Machine& machine_;
    T* array_;
    std::optional<buffer<T>> copy_;
};

/// The machine to begin with: the device where there is one, unless told otherwise.
Machine choose_machine(const MachineChoice& choice);

/// Where a call, or one call after the other, runs. When nobody chose the device and its memory is too small, the host
/// does the work, from then on.
class MachineRuns {
public:
    explicit MachineRuns(const MachineChoice& choice) : choice_(choice), machine_(choose_machine(choice)) {}

    const Machine& machine() const { return machine_; }

    /// Calls work(machine).
    template <class Work>
    auto operator()(const Work& work) {
        try {
            return work(machine_);
        } catch (const error& problem) {
            if (machine_.where() != backend::device || choice_.where == backend::device ||
                problem.code() != errc::out_of_memory)
                throw;
        }
        std::fprintf(stderr, "kogge: the device's memory is too small; the host works instead\n");
        machine_ = Machine(backend::host, choice_.threads);
        return work(machine_);
    }

private:
    MachineChoice choice_;
    Machine machine_;
};

template <class Work>
auto run_on_machine(const MachineChoice& choice, const Work& work) {
    return MachineRuns(choice)(work);
}

}  // namespace kogge::command
