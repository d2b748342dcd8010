// A progress bar on standard error, for work that takes long enough to wonder.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace kogge::command {

/// Shows itself only on a terminal and only after a moment, and leaves no trace when it goes.
class Progress {
public:
    /// `total` is absent where the end is not known.
    Progress(std::string what, std::optional<std::uint64_t> total);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void advance(std::uint64_t bytes);

    /// Switches all bars off (--quiet).
    static void silence();

private:
    void show();

    std::string what_;
    std::optional<std::uint64_t> total_;
    std::uint64_t done_ = 0;
    bool visible_ = false;
    std::chrono::steady_clock::time_point next_;
};

/// The same for work that cannot say how far it is: shows what is being done, and for how long.
class Waiting {
public:
    explicit Waiting(std::string what);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    void show(const std::string& what);

    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace kogge::command
