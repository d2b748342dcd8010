// kogge-test: HOST
// The host backend's threads, and what becomes of failures on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "kogge/host/partition.hpp"
#include "kogge/host/radix_sort.hpp"
#include "kogge/host/scan.hpp"
#include "kogge/host/split.hpp"
#include "kogge/operators.hpp"
#include "support/host.hpp"

using namespace host_tests;

namespace {

TEST(HostFailure, ExceptionsReachTheCaller) {
    constexpr std::uint64_t n = 500'000;
    struct Refusal {};
    std::vector<std::uint32_t> in(n, 1), out(n);
    in[n / 2] = 0;
    const auto refuse = [](std::uint32_t x) {
        if (x == 0) throw Refusal{};
        return x;
    };
    for (const int threads : thread_counts())
        for (int round = 0; round < 20; ++round) {
            EXPECT_THROW(host::scan(
                             in.data(), out.data(), n, [&](std::uint32_t a, std::uint32_t b) { return a + refuse(b); },
                             0u, true, true, threads),
                         Refusal);
            EXPECT_THROW(host::compact(
                             in.data(), n, out.data(), static_cast<std::uint32_t*>(nullptr),
                             [&](std::uint64_t, std::uint32_t x) { return refuse(x); }, threads),
                         Refusal);
            EXPECT_THROW(
                host::split("split", in.data(), out.data(), no_values, no_values, n, 2, refuse, nullptr, threads),
                Refusal);
            EXPECT_THROW(host::emit(
                             n, [&](std::uint64_t i) { return refuse(in[i]); },
                             [](std::uint64_t, std::uint64_t) { return 0u; }, out.data(), n, nullptr, threads),
                         Refusal);
            EXPECT_THROW(
                host::emit(
                    n, [](std::uint64_t) { return 1; }, [&](std::uint64_t i, std::uint64_t) { return refuse(in[i]); },
                    out.data(), n, nullptr, threads),
                Refusal);
        }
    host::scan(out.data(), out.data(), n, kogge::plus{}, 0u, true, true, 7);  // the threads are still there
}

TEST(HostFailure, ScratchThatCannotBeHad) {
    constexpr std::uint64_t n = std::uint64_t{1} << 62;
    std::uint32_t item = 3, other = 4;
    const auto codec = kogge::detail::make_codec<std::uint32_t>({});
    const auto runs_out = [](const std::function<void()>& call) { return code_of(call) == kogge::errc::out_of_memory; };
    EXPECT_TRUE(runs_out([&] { host::radix_sort(&item, &item, n, codec, 0, 32, {}, 1); }));
    std::uint32_t* const unwritten = nullptr;
    const kogge::grid::value_array index{nullptr, &other, 4, 4};
    EXPECT_TRUE(runs_out([&] { host::radix_sort(&item, unwritten, n, codec, 0, 32, {&index, 1}, 1); }));
    EXPECT_TRUE(runs_out([&] {
        host::compact(
            &item, n, &item, &item, [](std::uint64_t, int) { return true; }, 1);
    }));
    const auto one = [](std::uint64_t, std::uint64_t = 0) { return 1u; };
    EXPECT_TRUE(runs_out([&] { host::emit(n, one, one, &other, 1, nullptr, 1); }));
    const kogge::grid::value_array values{&other, &other, 3, 1};
    EXPECT_TRUE(runs_out([&] { host::radix_sort(&item, &item, n, codec, 0, 32, {&values, 1}, 1); }));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their allocators end the program instead
    EXPECT_TRUE(runs_out([] { host::allocate_scratch("test", std::uint64_t{1} << 60, 1); }));
#endif
    EXPECT_EQ(item, 3u);
    EXPECT_EQ(other, 4u);
}

TEST(HostThreads, CallersAndNestedCallsShareThem) {
    std::vector<std::thread> callers;
    std::atomic<int> right = 0;
    for (int caller = 0; caller < 4; ++caller)
        callers.emplace_back([&, caller] {
            const std::vector<std::uint32_t> in(200'000, static_cast<std::uint32_t>(caller));
            std::vector<std::uint32_t> out(in.size());
            host::for_chunks(4, 1, 3, [&](const host::Chunk&) {
                std::vector<std::uint32_t> mine(in.size());
                host::scan(in.data(), mine.data(), in.size(), kogge::plus{}, 0u, true, true, 3);
                if (mine.back() == in.size() * static_cast<std::uint64_t>(caller)) ++right;
            });
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(right, 16);
}

TEST(HostThreads, WorkersAreNumbered) {
    std::mutex mutex;
    std::multiset<unsigned> seen;
    host::run_together(5, [&](unsigned worker) {
        const std::lock_guard lock(mutex);
        seen.insert(worker);
    });
    EXPECT_EQ(seen.count(0), 1u);
    for (const unsigned worker : seen) EXPECT_TRUE(worker < 5 && seen.count(worker) == 1);
}

}  // namespace
