// kogge-test: EMULATED GPU
// Page-locked memory that calls leave to later ones: which piece is taken again, how many are kept, what is given back,
// and what goes with its context.
#include "../../lib/pinned_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "kogge/exec.hpp"
#include "support/backend.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace {

using namespace tests;
using kogge::detail::PinnedMemory;
using kogge::detail::trim_pinned;
namespace simt = kogge::simt;

class Pinned : public testing::Test {
protected:
    void SetUp() override { kogge::trim(); }
    void TearDown() override {
        kogge::trim();
#if KOGGE_EMULATED
        EXPECT_EQ(simt::emulator::statistics().live_pinned, 0u);
#endif
    }
};

bool is_pinned(const void* memory) { return simt::location_of(memory).memory == simt::Memory::pinned; }

/// Leaves pieces of so many bytes, which exist at the same time.
void leave(const std::vector<std::size_t>& sizes) {
    std::vector<PinnedMemory> pieces;
    for (const std::size_t bytes : sizes) pieces.emplace_back(bytes);
}

TEST_F(Pinned, IsTakenAgain) {
    const std::byte* first = nullptr;
    {
        const PinnedMemory memory(100'000);
        first = memory.data();
        EXPECT_GE(memory.bytes(), 100'000u);
        EXPECT_TRUE(is_pinned(first));
        EXPECT_TRUE(is_pinned(first + 99'999));
    }
    PinnedMemory again(90'000);
    EXPECT_EQ(again.data(), first);
    const PinnedMemory other(90'000);  // at the same time
    EXPECT_NE(other.data(), first);
    const PinnedMemory moved = std::move(again);
    EXPECT_EQ(moved.data(), first);
}

TEST_F(Pinned, TakesTheSmallestThatIsLargeEnough) {
    leave({1u << 12, 1u << 16, 1u << 14});
    EXPECT_EQ(PinnedMemory(5000).bytes(), 1u << 14);
    EXPECT_EQ(PinnedMemory(1).bytes(), 1u << 12);
    EXPECT_EQ(PinnedMemory((1u << 14) + 1).bytes(), 1u << 16);
}

TEST_F(Pinned, TheLargestFewAreKept) {
    leave({1u << 15, 1u << 12, 1u << 17, 1u << 13, 1u << 16, 1u << 14});
    std::vector<PinnedMemory> kept;
    for (int i = 0; i < 4; ++i) kept.emplace_back(1);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(kept[i].bytes(), std::size_t{1} << (14 + i));
#if KOGGE_EMULATED
    EXPECT_EQ(simt::emulator::statistics().live_pinned, 4u);
#endif
}

TEST_F(Pinned, IsTrimmed) {
    EXPECT_FALSE(trim_pinned(0));
    leave({1u << 12, 1u << 16, 1u << 14});
    EXPECT_FALSE(trim_pinned(1u << 20));
    EXPECT_TRUE(trim_pinned((1u << 16) + (1u << 13)));  // the largest one stays, and the smallest one beside it
    EXPECT_EQ(PinnedMemory(1).bytes(), 1u << 12);
    EXPECT_EQ(PinnedMemory(5000).bytes(), 1u << 16);
    const std::byte* const used = PinnedMemory(5000).data();
    kogge::trim(~0ull);
    EXPECT_TRUE(is_pinned(used));
    kogge::trim();
    EXPECT_FALSE(is_pinned(used));
    EXPECT_FALSE(trim_pinned(0));
    const PinnedMemory owned(5000);
    kogge::trim();
    EXPECT_TRUE(is_pinned(owned.data())) << "it has an owner";
}

TEST_F(Pinned, HasOneOwnerAtATime) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t)
        threads.emplace_back([t] {
            for (int round = 0; round < 50; ++round) {
                const std::size_t bytes = std::size_t{1000} << (t + round) % 4;
                const PinnedMemory memory(bytes);
                std::memset(memory.data(), t, bytes);
                std::this_thread::yield();
                EXPECT_EQ(std::count(memory.data(), memory.data() + bytes, static_cast<std::byte>(t)),
                          static_cast<std::ptrdiff_t>(bytes));
                if (round % 16 == 0) kogge::trim();
            }
        });
}

#if KOGGE_EMULATED
TEST_F(Pinned, FailsCleanly) {
    simt::emulator::fail_allocation(0);
    EXPECT_EQ(code_of([] { const PinnedMemory none(5000); }), kogge::errc::out_of_memory);
    EXPECT_EQ(simt::emulator::statistics().live_pinned, 0u);
    // What is kept, and too small, may be what is missing.
    leave({1u << 12, 1u << 13});
    simt::emulator::fail_allocation(0);
    const PinnedMemory some(1u << 14);
    EXPECT_TRUE(is_pinned(some.data()));
    EXPECT_EQ(simt::emulator::statistics().live_pinned, 1u);
}

TEST_F(Pinned, GoesWithItsContext) {
    leave({1u << 12, 1u << 16});
    simt::emulator::reset_devices();
    const auto before = simt::emulator::statistics();
    EXPECT_EQ(before.live_pinned, 0u);
    const PinnedMemory anew(1u << 12);
    EXPECT_TRUE(is_pinned(anew.data()));
    EXPECT_EQ(simt::emulator::statistics().pinned_allocations, before.pinned_allocations + 1);
    EXPECT_FALSE(trim_pinned(0)) << "it is not known whose those addresses are";
}

TEST_F(Pinned, BelongsToTheCurrentDevice) {
    simt::emulator::set_devices({simt::emulator::default_properties(), simt::emulator::default_properties()});
    const std::byte* there = nullptr;
    {
        const simt::OnDevice second(1);
        there = PinnedMemory(1u << 12).data();
    }
    leave({1u << 12});
    kogge::trim();
    EXPECT_TRUE(is_pinned(there));
    {
        const simt::OnDevice second(1);
        EXPECT_EQ(PinnedMemory(1).data(), there);
        kogge::trim();
    }
    EXPECT_FALSE(is_pinned(there));
    simt::emulator::set_devices({simt::emulator::default_properties()});
}
#endif

}  // namespace
