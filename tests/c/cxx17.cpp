// kogge-test: HOST
// The C interface from C++17, whose messages are each thread's own; no exception of the caller's runtime is in the way.
#include <kogge/kogge.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
#include <vector>

static int failures = 0;
static void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s: %s\n", what, kogge_message());
    ++failures;
}

int main() {
    std::mt19937_64 random(7);
    std::vector<std::int64_t> keys(100000);
    for (auto& key : keys) key = static_cast<std::int64_t>(random());
    std::vector<std::int64_t> sorted = keys, out(keys.size());
    std::stable_sort(sorted.begin(), sorted.end(), std::greater<>());

    kogge_sort_options options{};
    options.size = sizeof options;
    options.order = KOGGE_DESCENDING;
    kogge_exec exec{};
    exec.size = sizeof exec;
    exec.host_threads = 3;
    check(kogge_radix_sort(keys.data(), KOGGE_I64, out.data(), keys.size(), &options, &exec) == KOGGE_OK, "sort");
    check(out == sorted, "the order");

    // Many threads, each with a fault of its own.
    std::vector<std::thread> threads;
    std::vector<int> wrong(8, 0);
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int repeat = 0; repeat < 200; ++repeat) {
                const auto type = static_cast<kogge_type>(100 + t);
                if (kogge_radix_sort(keys.data(), type, out.data(), keys.size(), nullptr, nullptr) !=
                    KOGGE_INVALID_ARGUMENT)
                    ++wrong[static_cast<std::size_t>(t)];
                char expected[20];
                std::snprintf(expected, sizeof expected, "type %d,", 100 + t);
                if (!std::strstr(kogge_message(), expected)) ++wrong[static_cast<std::size_t>(t)];
            }
        });
    for (auto& thread : threads) thread.join();
    for (const int each : wrong) check(each == 0, "a message of another thread");
    check(std::strcmp(kogge_message(), "") == 0, "this thread's message");
    return failures == 0 ? 0 : 1;
}
