// kogge-test: EMULATED
// runtime.hpp on the emulator: launch shapes, device memory, streams, failures, and that a seed fixes a run.
#include <set>

#include "support/emulator.hpp"

using namespace kogge;
using namespace kogge::simt;
using namespace kogge::test;

namespace {

/// The error of `call`, which must throw one.
template <class Call>
error error_of(Call call) {
    try {
        call();
    } catch (const error& thrown) {
        return thrown;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {errc::device, "", ""};
}

void append_kernel(std::uint32_t* log, std::uint32_t value) {  // log[0] counts the entries behind it
    wait_for_stream();
    if (thread_rank() == 0) log[++log[0]] = value;
}
void order_kernel(std::uint32_t* next, std::uint32_t* order) {
    order[atomic_add<Scope::device>(next, 1)] = block_rank() * 1000 + static_cast<std::uint32_t>(thread_rank());
}
void overrun_kernel(std::uint32_t* data, int index) { static_cast<volatile std::uint32_t*>(data)[index] = 7; }
void wait_for_all_blocks_kernel(std::uint32_t* arrived) {
    if (thread_rank() == 0) {
        atomic_add_acq_rel(arrived, 1);
        while (load_acquire(arrived) < grid_size()) poll_pause();
    }
    sync_block();
}

// ---- launches -------------------------------------------------------------------------------------------

TEST(Launches, RefusedShapes) {
    DeviceArray<std::uint32_t> log(4, 0);
    const auto refuse = [&](const LaunchShape& shape, const char* text, int code) {
        const error refused = error_of([&] { launch(append_kernel, shape, log.data(), 1u); });
        EXPECT_EQ(refused.code(), errc::device);
        EXPECT_EQ(refused.device_code(), code);
        expect_mentions(refused.what(), text);
        expect_mentions(refused.what(), "append");
    };
    const std::size_t most = current_properties().shared_bytes_per_block;
    refuse({.blocks = 0, .name = "append"}, "at least one block", 9);
    refuse({.threads = 0, .name = "append"}, "1 to 1024 threads", 9);
    refuse({.threads = 1025, .name = "append"}, "1 to 1024 threads", 9);
    refuse({.shared_bytes = most + 1, .name = "append"}, "shared memory", 1);
    // 4 multiprocessors of 2048 threads: 2 blocks of 1024 threads each.
    refuse({.blocks = 9, .threads = 1024, .name = "append", .cooperative = true}, "only 8 can", 720);
    // … and one block each when it takes more than half of the shared memory.
    refuse({.blocks = 5, .threads = 32, .shared_bytes = 128 * 1024, .name = "append", .cooperative = true},
           "only 4 can", 720);
    refuse({.blocks = 5, .threads = 32, .name = "append", .cluster = true}, "the device allows 4", 912);
    // The emulator cannot hold the grids of a large device.
    emulator::set_properties({.name = "large",
                              .device = 0,
                              .compute_major = 9,
                              .multiprocessors = 132,
                              .max_threads_per_multiprocessor = 2048,
                              .shared_bytes_per_block = most,
                              .shared_bytes_per_multiprocessor = most,
                              .cluster_blocks = 264});
    refuse({.blocks = 264, .threads = 1024, .name = "append", .cooperative = true}, "pretend a smaller device", 720);
    refuse({.blocks = 264, .threads = 1024, .name = "append", .cluster = true}, "pretend a smaller device", 720);
    emulator::set_properties(emulator::default_properties());
    EXPECT_EQ(log.values()[0], 0u);
    launch(append_kernel, {.shared_bytes = most}, log.data(), 5u);
    EXPECT_EQ(log.values()[1], 5u);
}

TEST(Launches, CooperativeBlocksAreResidentTogether) {
    for_each_seed([&](std::uint64_t) {
        DeviceArray<std::uint32_t> arrived(1, 0);
        const LaunchShape shape{.blocks = 32, .threads = 64, .name = "grid_barrier", .cooperative = true};
        EXPECT_EQ(report_of(wait_for_all_blocks_kernel, shape, arrived.data()), "");
    });
}
TEST(Launches, BlocksOfAClusterAreResidentTogether) {
    for_each_seed([&](std::uint64_t) {
        DeviceArray<std::uint32_t> arrived(1, 0);
        const LaunchShape shape{.blocks = 4, .threads = 64, .name = "cluster", .cluster = true};
        EXPECT_EQ(report_of(wait_for_all_blocks_kernel, shape, arrived.data()), "");
    });
}
TEST(Launches, OrdinaryBlocksNeedNotBe) {
    DeviceArray<std::uint32_t> arrived(1, 0);
    const LaunchShape shape{.blocks = 512, .threads = 32, .name = "grid_barrier"};
    expect_mentions(report_of(wait_for_all_blocks_kernel, shape, arrived.data()), "livelock");
}

TEST(Launches, SeedsChangeTheOrderAndFixIt) {
    std::set<std::vector<std::uint32_t>> orders;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        std::vector<std::uint32_t> previous;
        for (int repeat = 0; repeat < 2; ++repeat) {
            emulator::configure({.seed = seed, .workers = 1, .resident = 2});
            DeviceArray<std::uint32_t> next(1, 0), order(40 * 64, 0);
            EXPECT_EQ(report_of(order_kernel, {.blocks = 40, .threads = 64}, next.data(), order.data()), "");
            const auto values = order.values();
            EXPECT_TRUE(repeat == 0 || values == previous);
            previous = values;
            orders.insert(values);
        }
        const std::set<std::uint32_t> all(previous.begin(), previous.end());
        EXPECT_EQ(all.size(), previous.size());  // every thread of every block, once
    }
    EXPECT_EQ(orders.size(), 10u);
    emulator::configure({});
}

// ---- memory ---------------------------------------------------------------------------------------------

TEST(DeviceMemory, RedZonesAreChecked) {
    if (kAddressSanitizer) {
        testing::FLAGS_gtest_death_test_style = "threadsafe";
        DeviceArray<std::uint32_t> data(10, 0);
        EXPECT_DEATH(report_of(overrun_kernel, {}, data.data(), 10), "use-after-poison");
        return;
    }
    for (const int index : {10, -1}) {
        auto* data = static_cast<std::uint32_t*>(allocate(40, nullptr));
        expect_mentions(report_of(overrun_kernel, {}, data, index), index < 0 ? "before its begin" : "past its end");
        deallocate(data, nullptr);
        const error failure = error_of([] { synchronize(nullptr); });
        expect_mentions(failure.what(), "40 bytes was overrun");
    }
    DeviceArray<std::uint32_t> data(10, 0);
    EXPECT_EQ(report_of(overrun_kernel, {}, data.data(), 9), "");
}

TEST(DeviceMemory, IsKnownByItsAddress) {
    std::uint32_t host = 0;
    auto* data = static_cast<std::byte*>(allocate(100, nullptr));
    EXPECT_EQ(location_of(data).memory, Memory::device);
    EXPECT_EQ(location_of(data + 99).memory, Memory::device);
    EXPECT_EQ(location_of(data + 99).device, current_device());
    EXPECT_EQ(location_of(data + 100).memory, Memory::host);
    EXPECT_EQ(location_of(&host).memory, Memory::host);
    EXPECT_EQ(location_of(nullptr).memory, Memory::host);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 256, 0u);
    deallocate(data, nullptr);
    synchronize(nullptr);
    EXPECT_EQ(location_of(data).memory, Memory::host);
}

TEST(DeviceMemory, MisuseIsRefused) {
    auto* data = static_cast<std::byte*>(allocate(16, nullptr));
    std::uint64_t host[4] = {};
    EXPECT_EQ(error_of([&] { copy(data + 8, host, 16, nullptr); }).device_code(), 1);
    EXPECT_EQ(error_of([&] { copy(host, data, 17, nullptr); }).device_code(), 1);
    EXPECT_EQ(error_of([&] { fill(data, 0, 17, nullptr); }).device_code(), 1);
    EXPECT_EQ(error_of([&] { fill(host, 0, 8, nullptr); }).device_code(), 1);
    deallocate(data, nullptr);
    EXPECT_EQ(error_of([&] { deallocate(data, nullptr); }).device_code(), 1);
    EXPECT_EQ(error_of([&] { deallocate(host, nullptr); }).device_code(), 1);
    EXPECT_EQ(allocate(0, nullptr), nullptr);
    deallocate(nullptr, nullptr);
    synchronize(nullptr);
}

TEST(DeviceMemory, AllocationsFailOnRequestAndWhenTheDeviceIsFull) {
    emulator::fail_allocation(1);
    auto* first = allocate(8, nullptr);
    const error injected = error_of([] { allocate(8, nullptr); });
    EXPECT_EQ(injected.code(), errc::out_of_memory);
    EXPECT_EQ(injected.device_code(), 2);
    auto* second = allocate(8, nullptr);
    EXPECT_EQ(error_of([] { allocate(current_properties().memory_bytes, nullptr); }).code(), errc::out_of_memory);
    EXPECT_EQ(emulator::statistics().live_allocations, 2u);
    deallocate(first, nullptr);
    deallocate(second, nullptr);
    synchronize(nullptr);
    EXPECT_EQ(emulator::statistics().live_allocations, 0u);
}

TEST(DeviceMemoryDeathTest, MayBeClosedToTheHost) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    emulator::protect_device_memory(true);
    {
        DeviceArray<std::uint32_t> data(4, 1);
        launch(append_kernel, {}, data.data(), 1u);  // kernels and copies go on
        EXPECT_EQ(data.values(), (std::vector<std::uint32_t>{2, 1, 1, 1}));
        EXPECT_DEATH(static_cast<void>(*static_cast<volatile std::uint32_t*>(data.data())), "");
    }
    emulator::protect_device_memory(false);
}

TEST(DeviceMemory, IsNotReadableAfterItsStreamFreedIt) {
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "the sanitizer stops the program itself";
    auto* data = static_cast<std::uint32_t*>(allocate(64, nullptr));
    deallocate(data, nullptr);
    expect_mentions(report_of(overrun_kernel, {}, data, 0), "memory that does not exist");
}

// ---- streams --------------------------------------------------------------------------------------------

TEST(Streams, RunInOrderAndInterleave) {
    std::set<std::vector<std::uint32_t>> orders;
    for_each_seed([&](std::uint64_t) {
        const stream_t a = create_stream(), b = create_stream();
        DeviceArray<std::uint32_t> log(12, 0);
        launch(append_kernel, {}, log.data(), 100u);  // the default stream comes before what follows …
        for (std::uint32_t i = 0; i < 4; ++i) {
            launch(append_kernel, {.stream = a}, log.data(), i);
            launch(append_kernel, {.stream = b}, log.data(), 10 + i);
        }
        launch(append_kernel, {}, log.data(), 200u);  // … and after what came before
        const auto values = log.values();
        EXPECT_EQ(values[1], 100u);
        EXPECT_EQ(values[10], 200u);
        std::vector<std::uint32_t> of_a, of_b;
        for (int i = 2; i < 10; ++i) (values[i] < 10 ? of_a : of_b).push_back(values[i]);
        EXPECT_EQ(of_a, (std::vector<std::uint32_t>{0, 1, 2, 3}));
        EXPECT_EQ(of_b, (std::vector<std::uint32_t>{10, 11, 12, 13}));
        orders.insert(values);
        destroy_stream(a);
        destroy_stream(b);
    });
    EXPECT_GT(orders.size(), 5u);
}

TEST(Streams, CopiesFromHostMemoryAreTakenAtTheCall) {
    std::uint32_t value = 1;
    DeviceArray<std::uint32_t> data(1, 0);
    copy(data.data(), &value, sizeof(value), nullptr);
    value = 2;
    EXPECT_EQ(data.values()[0], 1u);
    fill(data.data(), 0x11, 4, nullptr);
    EXPECT_EQ(data.values()[0], 0x11111111u);
}

void fail_kernel() { sync_warp(0); }
TEST(Streams, NothingRunsAfterAFailureUntilItIsReported) {
    for (int turn = 0; turn < 50; ++turn) {  // in some of them the last launch starts before the one that fails is done
        DeviceArray<std::uint32_t> log(4, 0);
        launch(append_kernel, {}, log.data(), 1u);
        launch(fail_kernel, {.name = "fails"});
        launch(append_kernel, {}, log.data(), 2u);
        const error failure = error_of([] { synchronize(nullptr); });
        expect_mentions(failure.what(), "kernel fails");
        expect_mentions(failure.what(), emulator::last_failure());
        EXPECT_EQ(log.values(), (std::vector<std::uint32_t>{1, 1, 0, 0}));
        launch(append_kernel, {}, log.data(), 3u);
        EXPECT_EQ(log.values(), (std::vector<std::uint32_t>{2, 1, 3, 0}));
    }
}

TEST(Streams, UnknownOnesAreRefused) {
    const stream_t stream = create_stream();
    destroy_stream(stream);
    EXPECT_EQ(error_of([&] { launch(append_kernel, {.stream = stream}, nullptr, 0u); }).device_code(), 400);
    EXPECT_EQ(error_of([&] { synchronize(stream); }).device_code(), 400);
    EXPECT_EQ(error_of([&] { allocate(1, stream); }).device_code(), 400);
    EXPECT_EQ(error_of([&] { destroy_stream(stream); }).device_code(), 400);
    EXPECT_FALSE(is_capturing(nullptr));
}

void vote_kernel() { ballot(true); }
TEST(Runtime, CountsWhatItDoes) {
    const emulator::Statistics before = emulator::statistics();
    launch(vote_kernel, {.blocks = 3, .threads = 64});
    launch(vote_kernel, {.threads = 16});
    EXPECT_EQ(emulator::statistics().launches, before.launches);  // nobody has waited yet
    EXPECT_NE(error_of([] { synchronize(nullptr); }).device_code(), 0);
    EXPECT_EQ(emulator::statistics().launches, before.launches + 2);
    EXPECT_GE(emulator::statistics().collectives, before.collectives + 3 * 64);
}

TEST(Runtime, SaysWhatItIs) {
    EXPECT_STREQ(runtime_name(), "emulated");
    EXPECT_EQ(device_count(), 1);
    EXPECT_EQ(current_properties(), emulator::default_properties());
}

}  // namespace
