// kogge-test: EMULATED GPU
// Ranks with a device each, and ranks of which some are on the host: two emulated devices, or all GPUs of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "distributed/ranks.hpp"
#include "kogge/distributed/radix_sort.hpp"
#include "kogge/distributed/reduce.hpp"
#include "support/counting_resource.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace {

using namespace tests;
namespace distributed = kogge::distributed;
using Word = std::uint32_t;

class DistributedDevices : public testing::Test {
#if KOGGE_EMULATED
protected:
    void SetUp() override {
        kogge::simt::emulator::set_devices(
            {kogge::simt::emulator::default_properties(), kogge::simt::emulator::default_properties()});
    }
    void TearDown() override { kogge::simt::emulator::set_devices({kogge::simt::emulator::default_properties()}); }
#endif
};

/// All devices; empty if there is one.
std::vector<int> several_devices() {
    std::vector<int> devices;
    for (int d = 0; d < kogge::simt::device_count(); ++d) devices.push_back(d);
    return devices.size() < 2 ? std::vector<int>{} : devices;
}

TEST_F(DistributedDevices, OneRankEach) {
    const std::vector<int> devices = several_devices();
    if (devices.empty()) GTEST_SKIP() << "there is one device";
    const std::size_t n = KOGGE_EMULATED ? 1000 : 100'000;
    const auto items = random_items<Word>(n * devices.size());
    auto sorted = items;
    std::sort(sorted.begin(), sorted.end());
    const Counts counts(devices.size(), n);
    kogge::run_on_devices(devices, [&](kogge::communicator& ranks) {
        const auto rank = static_cast<std::size_t>(ranks.rank());
        const Array<Word> in(parts_of(items, counts)[rank]);
        Array<Word> out(n);
        EXPECT_EQ(kogge::simt::current_device(), devices[rank]);
        EXPECT_EQ(kogge::simt::location_of(in.data()).device, devices[rank]);
        EXPECT_EQ(distributed::radix_sort(ranks, in.data(), out.data(), n, n), n);
        EXPECT_TRUE(same(out.get(), parts_of(sorted, counts)[rank]));
    });
}

/// Sorts pairs on the devices' ranks, in uneven parts and with many equal keys, of which the first rank takes its
/// scratch from `scratch`, and checks them. Returns on how many ranks the others reach the memory.
int check_pairs_on(const std::vector<int>& devices, std::size_t n, const distributed::sort_options& options,
                   kogge::scratch_resource* scratch) {
    const std::size_t size = devices.size();
    Counts counts(size, n);
    counts[0] = n / 2;
    counts[size - 1] = 2 * n;
    const std::size_t total = sum_of(counts);
    auto keys = random_items<Word>(total);
    for (Word& key : keys) key = key % 3 ? key % 1000 : 7;
    std::vector<std::uint64_t> values(total), order(total);
    std::iota(values.begin(), values.end(), 5);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) { return keys[a] < keys[b]; });
    std::vector<Word> sorted;
    std::vector<std::uint64_t> moved;
    for (const std::uint64_t i : order) {
        sorted.push_back(keys[i]);
        moved.push_back(values[i]);
    }
    Counts shares(size, total / size);
    for (std::size_t r = 0; r < total % size; ++r) ++shares[r];
    std::atomic<int> reached = 0;
    kogge::run_on_devices(devices, [&](kogge::communicator& ranks) {
        const auto rank = static_cast<std::size_t>(ranks.rank());
        reached += ranks.has(kogge::communicator::capability::peer_memory);
        const Array<Word> in(parts_of(keys, counts)[rank]);
        const Array<std::uint64_t> values_in(parts_of(values, counts)[rank]);
        Array<Word> out(shares[rank]);
        Array<std::uint64_t> values_out(shares[rank]);
        kogge::exec how;
        if (rank == 0) how.scratch = scratch;
        EXPECT_EQ(distributed::radix_sort_pairs(ranks, in.data(), out.data(), values_in.data(), values_out.data(),
                                                shares[rank], counts[rank], options, how),
                  shares[rank]);
        EXPECT_TRUE(same(out.get(), parts_of(sorted, shares)[rank]));
        EXPECT_TRUE(same(values_out.get(), parts_of(moved, shares)[rank]));
    });
    return reached;
}

// Ranks fetch from each other's memory, unless one takes its own from elsewhere or pieces are asked for.
TEST_F(DistributedDevices, ReachEachOther) {
    const std::size_t n = KOGGE_EMULATED ? 700 : 70'000;
    std::vector<std::vector<int>> groups{several_devices()};
    if (groups[0].empty()) GTEST_SKIP() << "there is one device";
#if KOGGE_EMULATED
    kogge::simt::emulator::set_devices(std::vector(5, kogge::simt::emulator::default_properties()));
    groups = {{0, 1}, {1, 0, 2}, {0, 1, 2, 3, 4}};
#endif
    for (const std::vector<int>& devices : groups) {
        SCOPED_TRACE(std::to_string(devices.size()) + " devices");
        const int reached = check_pairs_on(devices, n, {}, nullptr);
        EXPECT_TRUE(!KOGGE_EMULATED || reached == static_cast<int>(devices.size()));
        check_pairs_on(devices, n, {.pieces = 3}, nullptr);
        CountingResource scratch;
        check_pairs_on(devices, n, {}, &scratch);
        EXPECT_GT(scratch.calls, 0u);
        EXPECT_EQ(scratch.live, 0u);
    }
}

TEST_F(DistributedDevices, OpensMemoryToDevicesThatThereAre) {
    if (kogge::simt::device_count() == 0) GTEST_SKIP() << "there is no device";
    for (int d = 0; d < kogge::simt::device_count(); ++d) EXPECT_NO_THROW(kogge::simt::open_memory_to(d));
    EXPECT_THROW(kogge::simt::open_memory_to(kogge::simt::device_count()), kogge::error);
}

// Pieces arrive in a stream of their own while others are sorted in the caller's. Equal keys keep their order.
TEST_F(DistributedDevices, InPieces) {
    const std::vector<int> devices = several_devices();
    if (devices.empty()) GTEST_SKIP() << "there is one device";
    const std::size_t n = KOGGE_EMULATED ? 2000 : 200'000;
    auto items = random_items<Word>(n * devices.size());
    for (Word& item : items) item %= 1000;
    std::vector<std::uint64_t> order(items.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) { return items[a] < items[b]; });
    const Counts counts(devices.size(), n);
    for (const bool own_stream : {false, true})
        kogge::run_on_devices(devices, [&](kogge::communicator& ranks) {
            const auto rank = static_cast<std::size_t>(ranks.rank());
            const Array<Word> in(parts_of(items, counts)[rank]);
            Array<std::uint64_t> out(n);
            const kogge::stream_t stream = own_stream ? kogge::simt::create_stream() : nullptr;
            EXPECT_EQ(distributed::argsort(ranks, in.data(), out.data(), n, n, {.pieces = 3}, {.stream = stream}), n);
            EXPECT_TRUE(same(out.get(), parts_of(order, counts)[rank]));
            if (stream) kogge::simt::destroy_stream(stream);
        });
}

TEST_F(DistributedDevices, SomeOnTheHost) {
    const std::size_t n = 1000;
    const Counts counts{n, n, n};
    const auto items = random_items<Word>(3 * n);
    auto sorted = items;
    std::sort(sorted.begin(), sorted.end());
    Word sum = 0;
    for (const Word item : items) sum += item;
    on_ranks(3, [&](kogge::communicator& ranks, std::size_t rank) {
        const auto want = parts_of(sorted, counts)[rank];
        if (rank == 1) {
            const auto in = parts_of(items, counts)[rank];
            std::vector<Word> out(n);
            EXPECT_EQ(distributed::radix_sort(ranks, in.data(), out.data(), n, n), n);
            EXPECT_TRUE(same(out, want));
            EXPECT_EQ(distributed::reduce(ranks, in.data(), n), sum);
        } else {
            const Array<Word> in(parts_of(items, counts)[rank]);
            Array<Word> out(n);
            EXPECT_EQ(distributed::radix_sort(ranks, in.data(), out.data(), n, n), n);
            EXPECT_TRUE(same(out.get(), want));
            EXPECT_EQ(distributed::reduce(ranks, in.data(), n), sum);
        }
    });
}

}  // namespace
