// kogge-test: EMULATED GPU
// Ranks with a device each, and ranks of which some are on the host: two emulated devices, or all GPUs of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
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
