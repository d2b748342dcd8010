// kogge-test: EMULATED GPU
// Ranks with a device each, and ranks of which some are on the host: two emulated devices, or all GPUs of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "distributed/ranks.hpp"
#include "kogge/distributed/radix_sort.hpp"
#include "kogge/distributed/reduce.hpp"
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

TEST_F(DistributedDevices, OneRankEach) {
    std::vector<int> devices;
    for (int d = 0; d < kogge::simt::device_count(); ++d) devices.push_back(d);
    if (devices.size() < 2) GTEST_SKIP() << "there is one device";
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

TEST_F(DistributedDevices, OpensMemoryToDevicesThatThereAre) {
    if (kogge::simt::device_count() == 0) GTEST_SKIP() << "there is no device";
    for (int d = 0; d < kogge::simt::device_count(); ++d) EXPECT_NO_THROW(kogge::simt::open_memory_to(d));
    EXPECT_THROW(kogge::simt::open_memory_to(kogge::simt::device_count()), kogge::error);
}

// Pieces arrive in a stream of their own while others are sorted in the caller's. Equal keys keep their order.
TEST_F(DistributedDevices, InPieces) {
    std::vector<int> devices;
    for (int d = 0; d < kogge::simt::device_count(); ++d) devices.push_back(d);
    if (devices.size() < 2) GTEST_SKIP() << "there is one device";
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
