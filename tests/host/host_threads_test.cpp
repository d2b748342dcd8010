// kogge-test: HOST
// The host backend's threads, and what becomes of failures on them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include "kogge/host/machine/processors.hpp"
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
    // Not by all bits: a sort by vectors takes no scratch.
    EXPECT_TRUE(runs_out([&] { host::radix_sort(&item, &item, n, codec, 0, 31, {}, 1); }));
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

/// Threads that never rest, more than there are processors.
class Load {
public:
    Load() {
        for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency() + 1; ++i)
            threads_.emplace_back([this] {
                while (!over_) {}
            });
    }
    ~Load() {
        over_ = true;
        for (std::thread& thread : threads_) thread.join();
    }

private:
    std::atomic<bool> over_ = false;
    std::vector<std::thread> threads_;
};

/// Every call with any number of threads gives what one thread gives, to the bit.
void check_thread_counts(std::uint64_t n) {
    const std::vector<std::uint32_t> in = random_items<std::uint32_t>(n);
    std::vector<float> fractions(n);
    for (std::uint64_t i = 0; i < n; ++i) fractions[i] = static_cast<float>(in[i]) * 1e-9f;
    const auto is_odd = [](std::uint64_t, std::uint32_t x) { return x % 2 == 1; };
    struct Results {
        std::vector<float> sums;
        std::vector<std::uint32_t> kept, rejected, sides, sorted, outputs;
        std::vector<std::uint64_t> offsets;
        bool operator==(const Results&) const = default;
    };
    const auto results = [&](int threads) {
        Results of{std::vector<float>(n), std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n), in, in, {}, {}};
        host::scan(fractions.data(), of.sums.data(), n, kogge::plus{}, 0.5f, true, true, threads);
        of.kept.resize(host::compact(in.data(), n, of.kept.data(), of.rejected.data(), is_odd, threads));
        host::compact(of.sides.data(), n, of.sides.data(), of.sides.data(), is_odd, threads);
        std::uint32_t* const sorted = of.sorted.data();
        host::radix_sort(sorted, sorted, n, kogge::detail::make_codec<std::uint32_t>({}), 0, 32, {}, threads);
        of.outputs.resize(2 * n);
        of.offsets.resize(n + 1);
        of.outputs.resize(host::emit(
            n, [&](std::uint64_t i) { return in[i] % 3; },
            [&](std::uint64_t i, std::uint64_t k) { return static_cast<std::uint32_t>(in[i] + k); }, of.outputs.data(),
            2 * n, of.offsets.data(), threads));
        return of;
    };
    const Results expected = results(1);
    EXPECT_TRUE(std::is_sorted(expected.sorted.begin(), expected.sorted.end()));
    for (const int threads : {2, 3, 8, 64, 0}) EXPECT_TRUE(results(threads) == expected) << threads << " threads";
}

TEST(HostThreads, AnyNumberOfThemGivesTheSameBits) {
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{70'000}, many(1'500'000)})
        check_thread_counts(n);
}

TEST(HostThreads, AnyNumberOfThemGivesTheSameBitsOnALoadedMachine) {
    const Load load;
    check_thread_counts(many(700'000));
}

TEST(HostThreads, OneThatStandsHoldsUpOnlyItsChunk) {
    // Whoever gets chunk 0 waits until another thread has reduced all the chunks that there are slots for, as if the
    // system had let it stand; if there is no other thread, it does not wait.
    constexpr std::uint64_t n = 30;
    std::atomic<int> reduced = 0;
    std::atomic<bool> there_is_another = false;
    std::vector<std::uint64_t> before(n);
    const auto reduce = [&](const host::Chunk& chunk, unsigned) {
        if (chunk.index > 0) {
            there_is_another = there_is_another || reduced == 0;
            ++reduced;
            reduced.notify_all();
            return chunk.index;
        }
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!there_is_another && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        for (int seen; there_is_another && (seen = reduced) + 1 < static_cast<int>(n);) reduced.wait(seen);
        return std::uint64_t{100};
    };
    const auto use = [&](const host::Chunk& chunk, unsigned, std::uint64_t sum) { before[chunk.index] = sum; };
    const std::uint64_t sum = host::reduce_then_scan(n, 1, 2, std::uint64_t{0}, std::plus<>(), reduce, use);
    EXPECT_EQ(sum, 100 + n * (n - 1) / 2);
    for (std::uint64_t i = 1; i < n; ++i) EXPECT_EQ(before[i], 100 + i * (i - 1) / 2);
}

TEST(HostThreads, SlotsBelongToOneChunkAtATime) {
    constexpr std::uint64_t n = 5000;
    const unsigned slots = host::slots_for(n, 1, 8);
    EXPECT_LT(slots, n);
    std::vector<std::atomic<std::uint64_t>> owner(slots);
    std::atomic<int> wrong = 0;
    const auto reduce = [&](const host::Chunk& chunk, unsigned slot) {
        if (owner[slot].exchange(chunk.index + 1) != 0) ++wrong;
        return std::uint64_t{1};
    };
    const auto use = [&](const host::Chunk& chunk, unsigned slot, std::uint64_t sum) {
        if (owner[slot].exchange(0) != chunk.index + 1 || sum != chunk.index) ++wrong;
    };
    EXPECT_EQ(host::reduce_then_scan(n, 1, 8, std::uint64_t{0}, std::plus<>(), reduce, use), n);
    EXPECT_EQ(wrong, 0);
}

TEST(HostThreads, WhatJoiningThrowsReachesTheCaller) {
    struct Refusal {};
    const auto one = [](const host::Chunk&, unsigned) { return 1; };
    const auto nothing = [](const host::Chunk&, unsigned, int) {};
    const auto join = [](int a, int b) { return a + b < 700 ? a + b : throw Refusal{}; };
    for (const int threads : {1, 2, 8})
        EXPECT_THROW(host::reduce_then_scan(1000, 1, threads, 0, join, one, nothing), Refusal) << threads;
}

TEST(HostThreads, ThoseThatComeLateFindNothingToDo) {
    // The caller's part is over at once; whoever has not begun by then never does.
    for (int round = 0; round < 200; ++round) {
        std::vector<int> calls(8);
        host::run_together(8, [&](unsigned worker) { ++calls[worker]; });
        EXPECT_EQ(calls[0], 1);
        for (const int each : calls) EXPECT_LE(each, 1);
    }
}

TEST(HostProcessors, QuotasOfControlGroups) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("kogge-groups-" + std::to_string(::getpid()));
    const auto write = [&](const std::string& name, const std::string& text) {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << text;
    };
    const auto quota = [&](const std::string& memberships) {
        write("memberships", memberships);
        return host::quota_of_groups(folder / "memberships", folder / "root");
    };
    EXPECT_EQ(host::quota_of_groups(folder / "absent", folder / "root"), 0u);
    EXPECT_EQ(quota("0::/\n"), 0u);
    // Version 2: the least of the group's and of those above it.
    write("root/cpu.max", "max 100000\n");
    write("root/a/cpu.max", "350000 100000\n");
    write("root/a/b/cpu.max", "max 100000\n");
    write("root/a/c/cpu.max", "50000 100000\n");
    EXPECT_EQ(quota("0::/\n"), 0u);
    EXPECT_EQ(quota("0::/a/b\n"), 4u);
    EXPECT_EQ(quota("0::/a/c\n"), 1u);
    EXPECT_EQ(quota("0::/elsewhere/that/is/not/seen\n"), 0u);
    // Version 1, beside a version 2 that has no processors.
    write("root/cpu,cpuacct/x/cpu.cfs_quota_us", "200000\n");
    write("root/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
    write("root/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    write("root/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota("7:memory:/m\n4:cpu,cpuacct:/x\n0::/\n"), 2u);
    EXPECT_EQ(quota("7:cpuset:/x\n4:cpu,cpuacct:/\n"), 0u);
    // A container whose mount shows its own group as the root.
    write("root/cpu/cpu.cfs_quota_us", "600001\n");
    write("root/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota("4:cpu,cpuacct:/docker/0123\n"), 7u);
    write("root/cpu.max", "nonsense\n");
    EXPECT_EQ(quota("0::/\nnonsense\n:\n"), 0u);
    fs::remove_all(folder);
}

#if defined(__linux__)
TEST(HostProcessors, TheMaskOfTheThreadCounts) {
    std::thread([] {
        EXPECT_GE(host::usable_processors(), 1u);
        cpu_set_t all, one;
        ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
        EXPECT_LE(host::usable_processors(), static_cast<unsigned>(CPU_COUNT(&all)));
        int first = 0;
        while (!CPU_ISSET(first, &all)) ++first;
        CPU_ZERO(&one);
        CPU_SET(first, &one);
        ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
        EXPECT_EQ(host::usable_processors(), 1u);
        EXPECT_EQ(host::threads_for(1u << 30, 0), 1u);
        EXPECT_EQ(host::threads_for(1u << 30, 3), 3u);
    }).join();
}

// A call goes on with the number of threads that it has sized its scratch by.
TEST(HostProcessors, AMaskThatGrowsDuringACallChangesNothing) {
    constexpr std::uint64_t n = 1u << 21;
    const auto items = random_items<std::uint32_t>(n);
    std::thread([&] {
        cpu_set_t all, one;
        ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
        if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one processor";
        int first = 0;
        while (!CPU_ISSET(first, &all)) ++first;
        CPU_ZERO(&one);
        CPU_SET(first, &one);
        const auto pinned = [&](const auto& call) {
            ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
            std::atomic<bool> is_first = true;
            call([&] {
                if (is_first.exchange(false)) (void)sched_setaffinity(0, sizeof all, &all);
            });
        };
        std::vector<std::uint32_t> out(n), want = items;
        pinned([&](const auto& unpin) {
            const auto bin = [&](std::uint32_t item) {
                unpin();
                return item % 256;
            };
            host::split("split", items.data(), out.data(), no_values, no_values, n, 256, bin, nullptr, 0);
        });
        std::stable_sort(want.begin(), want.end(), [](auto a, auto b) { return a % 256 < b % 256; });
        EXPECT_EQ(out, want);
        want.clear();
        std::copy_if(items.begin(), items.end(), std::back_inserter(want), [](auto item) { return item % 2 == 0; });
        pinned([&](const auto& unpin) {
            const auto is_even = [&](std::uint64_t, std::uint32_t item) {
                unpin();
                return item % 2 == 0;
            };
            const std::uint64_t kept =
                host::compact(items.data(), n, out.data(), static_cast<std::uint32_t*>(nullptr), is_even, 0);
            out.resize(kept);
        });
        EXPECT_EQ(out, want);
    }).join();
}
#endif

}  // namespace
