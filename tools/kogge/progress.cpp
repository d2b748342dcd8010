#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "io/numbers.hpp"

namespace kogge::command {
namespace {

constexpr int kWidth = 30;
constexpr std::chrono::milliseconds kPatience{400};
constexpr std::chrono::milliseconds kInterval{100};
bool silent = false;

bool is_shown() { return !silent && isatty(STDERR_FILENO); }

void clear_line() { std::fputs("\r\033[K", stderr); }

}  // namespace

Progress::Progress(std::string what, std::optional<std::uint64_t> total)
    : what_(std::move(what)), total_(total), next_(std::chrono::steady_clock::now() + kPatience) {}

Progress::~Progress() {
    if (visible_) clear_line();
}

void Progress::silence() { silent = true; }

void Progress::advance(std::uint64_t bytes) {
    done_ += bytes;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_ || !is_shown()) return;
    next_ = now + kInterval;
    show();
}

void Progress::show() {
    visible_ = true;
    if (!total_ || *total_ == 0) {
        std::fprintf(stderr, "\r\033[K%s  %s", what_.c_str(), readable_bytes(done_).c_str());
        return;
    }
    const double part = std::min(1.0, static_cast<double>(done_) / static_cast<double>(*total_));
    const int filled = static_cast<int>(part * kWidth);
    std::fprintf(stderr, "\r\033[K%s  [%s%s] %3.0f %%", what_.c_str(), std::string(filled, '#').c_str(),
                 std::string(kWidth - filled, '.').c_str(), part * 100);
}

Waiting::Waiting(std::string what) {
    if (is_shown()) thread_ = std::thread([this, what = std::move(what)] { show(what); });
}

Waiting::~Waiting() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

void Waiting::show(const std::string& what) {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    if (ended_.wait_for(lock, kPatience, [&] { return over_; })) return;
    do {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start);
        std::fprintf(stderr, "\r\033[K%s  %lld s", what.c_str(), static_cast<long long>(seconds.count()));
    } while (!ended_.wait_for(lock, kInterval, [&] { return over_; }));
    clear_line();
}

}  // namespace kogge::command
