// kogge-test: EMULATED GPU HOST
#include "kogge/scan.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"
#include "support/scan_plans.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace {

using namespace tests;
using kogge::plus;

/// Random items whose sums fit: signed ones must not overflow.
template <class T>
std::vector<T> summands(std::size_t n, std::uint64_t seed = 1) {
    auto items = random_items<T>(n, seed);
    if constexpr (std::is_same_v<T, std::int64_t>)
        for (T& item : items) item /= 1 << 24;
    return items;
}

template <class Acc, class T, class Op>
std::vector<T> inclusive_oracle(const std::vector<T>& in, Op op, const Acc* init = nullptr) {
    std::vector<T> out;
    Acc sum{};
    for (std::size_t i = 0; i < in.size(); ++i) {
        const Acc item = static_cast<Acc>(in[i]);
        sum = i > 0 ? static_cast<Acc>(op(sum, item)) : init ? static_cast<Acc>(op(*init, item)) : item;
        out.push_back(static_cast<T>(sum));
    }
    return out;
}
template <class T, class Op>
std::vector<T> exclusive_oracle(const std::vector<T>& in, T init, Op op) {
    std::vector<T> out;
    for (const T& item : in) {
        out.push_back(init);
        init = static_cast<T>(op(init, item));
    }
    return out;
}

// Around one tile and several of a wave (512 × 16 bytes a row), of the generic kernel (256 × 80 bytes) and of the ring
// (512 × 80 bytes). The last is more than the registers of a device of four multiprocessors hold.
template <class T>
std::vector<std::size_t> sizes() {
    const std::size_t tile = 256 * (80 / sizeof(T));
    std::vector<std::size_t> list{0, 1, 2, 31, 32, 33, 1000};
    for (const std::size_t tiles : {1, 2, 3, 6})
        list.insert(list.end(), {tiles * tile - 2, tiles * tile - 1, tiles * tile, tiles * tile + 1, tiles * tile + 2});
    for (const std::size_t rows : {1, 2, 8, 16}) {
        const std::size_t items = rows * 512 * 16 / sizeof(T);
        list.insert(list.end(), {items - 1, items, items + 1});
    }
    if (!small()) list.push_back(41 * tile + 17);
    return list;
}

template <class T>
class Scan : public ::testing::Test {};
using Numbers = ::testing::Types<std::uint8_t, std::int16_t, std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(Scan, Numbers);

TYPED_TEST(Scan, SumsEverySize) {
    for (const std::size_t n : sizes<TypeParam>()) {
        const auto items = summands<TypeParam>(n, n);
        const Array<TypeParam> in(items);
        Array<TypeParam> out(n);
        kogge::inclusive_scan(in.data(), out.data(), n);
        EXPECT_TRUE(same(out.get(), inclusive_oracle<TypeParam>(items, plus{}))) << "inclusive, n = " << n;
        kogge::exclusive_scan(in.data(), out.data(), n, TypeParam{7});
        EXPECT_TRUE(same(out.get(), exclusive_oracle(items, TypeParam{7}, plus{}))) << "exclusive, n = " << n;
        EXPECT_TRUE(same(in.get(), items));
    }
}

TYPED_TEST(Scan, MaximumAndMinimumInPlace) {
    const std::size_t n = 3 * 512 * (80 / sizeof(TypeParam)) + 5;
    const auto items = random_items<TypeParam>(n);
    Array<TypeParam> a(items), b(items);
    kogge::inclusive_scan(a.data(), a.data(), n, kogge::maximum{});
    EXPECT_TRUE(same(a.get(), inclusive_oracle<TypeParam>(items, kogge::maximum{})));
    kogge::exclusive_scan(b.data(), b.data(), n, TypeParam{50}, kogge::minimum{});
    EXPECT_TRUE(same(b.get(), exclusive_oracle(items, TypeParam{50}, kogge::minimum{})));
}

TYPED_TEST(Scan, EveryOffset) {
    const std::size_t n = 512 * (80 / sizeof(TypeParam)) * 2 + 77;
    const auto items = summands<TypeParam>(n);
    const auto want = inclusive_oracle<TypeParam>(items, plus{});
    for (const auto& [from, to] : {std::pair{0, 0}, {1, 0}, {0, 1}, {1, 1}, {3, 2}, {15, 7}, {16, 16}}) {
        const Array<TypeParam> in(items, static_cast<std::size_t>(from));
        Array<TypeParam> out(n, static_cast<std::size_t>(to));
        kogge::inclusive_scan(in.data(), out.data(), n);
        EXPECT_TRUE(same(out.get(), want)) << "in at " << from << ", out at " << to;
    }
}

TEST(ScanOperators, EveryStrategyAndNetworkAgree) {
    const std::size_t n = 40 * 256 * 20 + 333;
    const auto items = random_items<std::uint32_t>(n);
    const auto want = inclusive_oracle<std::uint32_t>(items, plus{});
    const Array<std::uint32_t> in(items);
    for (const auto grid : {kogge::one_wave, kogge::on_chip, kogge::two_level, kogge::recursive, kogge::one_block}) {
        for (const auto block : kogge::kAllNetworks) {
            Array<std::uint32_t> out(n);
            kogge::inclusive_scan(in.data(), out.data(), n, plus{}, {.grid = grid, .block = block});
            EXPECT_TRUE(same(out.get(), want)) << kogge::to_string(grid) << " over " << kogge::to_string(block);
            if (small() && block == kogge::network::kogge_stone) break;
        }
    }
}

// Structs of 8 and 16 bytes: many tiles of few items. On a device that is several groups of tiles for every carry.
TEST(ScanOperators, OrderIsKept) {
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{2559}, std::size_t{2560}, std::size_t{2561}, std::size_t{40 * 2560 + 1}}) {
        const auto raw = random_items<std::uint32_t>(n);
        std::vector<Bicyclic> brackets;
        std::vector<Matrix> matrices;
        for (const std::uint32_t word : raw) {
            brackets.push_back({word & 3, word >> 2 & 3});
            matrices.push_back({word, word >> 3, word >> 5, word >> 7});
        }
        const Array<Bicyclic> in_b(brackets);
        const Array<Matrix> in_m(matrices);
        for (const auto grid : {kogge::grid_strategy::automatic, kogge::on_chip, kogge::two_level, kogge::recursive}) {
            Array<Bicyclic> out_b(n);
            kogge::inclusive_scan(in_b.data(), out_b.data(), n, JoinBrackets{}, {.grid = grid});
            EXPECT_TRUE(same(out_b.get(), inclusive_oracle<Bicyclic>(brackets, JoinBrackets{})))
                << n << kogge::to_string(grid);
            Array<Matrix> out_m(n);
            kogge::exclusive_scan(in_m.data(), out_m.data(), n, Matrix{1, 2, 3, 4}, Multiply{}, {.grid = grid});
            EXPECT_TRUE(same(out_m.get(), exclusive_oracle(matrices, Matrix{1, 2, 3, 4}, Multiply{})))
                << n << kogge::to_string(grid);
        }
    }
}

// More tiles than a warp has lanes, of several rows each: blocks wait for what those before them publish, in memory
// that still holds what the scan before has left there.
TEST(ScanOperators, WavesOfManyBlocks) {
    const Pretending device(small() ? 5 : 20);
    const std::size_t tile = 512 * 2 * 2, n = (small() ? 9 : 39) * tile - 5;
#if KOGGE_EMULATED
    const kogge::scan_plan plan = kogge::plan_scan(n, {8, 8, 8}, {}, kogge::simt::current_properties());
    ASSERT_TRUE(is_cooperative(plan) && wave_rows(plan) == 2) << to_string(plan);
    ASSERT_TRUE(small() || plan.tiles > 32);
#endif
    const auto raw = random_items<std::uint32_t>(n);
    std::vector<Bicyclic> brackets;
    for (const std::uint32_t word : raw) brackets.push_back({word & 3, word >> 2 & 3});
    const Array<Bicyclic> in(brackets);
    Array<Bicyclic> out(n);
    kogge::inclusive_scan(in.data(), out.data(), n, JoinBrackets{});
    EXPECT_TRUE(same(out.get(), inclusive_oracle<Bicyclic>(brackets, JoinBrackets{})));
}

// What the registers of all blocks do not hold is in shared memory, in stretches of 448 items of 8 bytes, two a warp.
TEST(ScanOperators, DeepWaves) {
    const Pretending device(1);
    const std::size_t tile = 512 * 256 / 8;
    for (const std::size_t n : {tile + 1, tile + 449, tile + 897, tile + 1024, 2 * tile - 1, 2 * tile}) {
        if (small() && n != tile + 897 && n != 2 * tile) continue;
#if KOGGE_EMULATED
        const kogge::scan_plan plan = kogge::plan_scan(n, {8, 8, 8}, {}, kogge::simt::current_properties());
        ASSERT_TRUE(is_deep(plan) && plan.tiles == 2) << to_string(plan);
#endif
        const auto raw = random_items<std::uint32_t>(n, n);
        std::vector<Bicyclic> brackets;
        for (const std::uint32_t word : raw) brackets.push_back({word & 3, word >> 2 & 3});
        const auto want = inclusive_oracle<Bicyclic>(brackets, JoinBrackets{});
        for (const auto& [from, to] : {std::pair{0, 0}, {1, 0}, {0, 1}}) {
            const Array<Bicyclic> in(brackets, static_cast<std::size_t>(from));
            Array<Bicyclic> out(n, static_cast<std::size_t>(to));
            kogge::inclusive_scan(in.data(), out.data(), n, JoinBrackets{});
            EXPECT_TRUE(same(out.get(), want)) << n << " items, in at " << from << ", out at " << to;
        }
        Array<Bicyclic> in_place(brackets);
        kogge::exclusive_scan(in_place.data(), in_place.data(), n, Bicyclic{1, 2}, JoinBrackets{});
        EXPECT_TRUE(same(in_place.get(), exclusive_oracle(brackets, Bicyclic{1, 2}, JoinBrackets{}))) << n;
    }
}

TEST(ScanOperators, WiderAccumulatorAndInitialValue) {
    const auto items = random_items<std::uint8_t>(70001);
    std::vector<std::uint64_t> want;
    std::uint64_t sum = 5;
    for (const std::uint8_t item : items) want.push_back(sum += item);
    const Array<std::uint8_t> in(items);
    Array<std::uint64_t> out(items.size());
    kogge::inclusive_scan(in.data(), out.data(), items.size(), plus{}, std::uint64_t{5});
    EXPECT_TRUE(same(out.get(), want));
}

struct Squares {
    KOGGE_HOST_DEVICE std::uint32_t operator[](std::uint64_t i) const { return static_cast<std::uint32_t>(i * i); }
};
TEST(ScanOperators, InputComputedOnTheFly) {
    const std::size_t n = 50000;
    std::vector<std::uint32_t> squares;
    for (std::size_t i = 0; i < n; ++i) squares.push_back(static_cast<std::uint32_t>(i * i));
    Array<std::uint32_t> out(n);
    kogge::inclusive_scan(Squares{}, out.data(), n, plus{}, kogge::exec{.where = kWhere});
    EXPECT_TRUE(same(out.get(), inclusive_oracle<std::uint32_t>(squares, plus{})));
}

// The same bits from every schedule.
TEST(ScanOperators, FloatsAreTheSameFromRunToRun) {
    const std::size_t n = 30 * 512 * 20 + 7;
    std::vector<float> items;
    Random random(3);
    for (std::size_t i = 0; i < n; ++i)
        items.push_back(static_cast<float>(static_cast<std::int32_t>(random())) * 1e-3f);
    const Array<float> in(items);
    for (const auto grid : {kogge::grid_strategy::automatic, kogge::two_level}) {
        std::vector<float> first;
        for (std::uint64_t run = 0; run < (kOnDevice && !KOGGE_EMULATED ? 50u : 4u); ++run) {
#if KOGGE_EMULATED
            kogge::simt::emulator::configure({.seed = 100 + run, .workers = 1 + static_cast<std::uint32_t>(run % 3)});
#endif
            Array<float> out(n);
            kogge::exec how;
            how.host_threads = 1 + static_cast<int>(run);
            kogge::inclusive_scan(in.data(), out.data(), n, plus{}, {.grid = grid}, how);
            if (run == 0) first = out.get();
            EXPECT_TRUE(same(out.get(), first)) << "run " << run;
        }
    }
}

// More tiles than a ring hands out in turns: they are drawn by tickets.
TEST(ScanOperators, ManyTilesOnFewMultiprocessors) {
    const Pretending device(2);
    const std::size_t n = 35 * 512 * 10 + 17;
#if KOGGE_EMULATED
    ASSERT_FALSE(is_cooperative(kogge::plan_scan(n, {8, 8, 8}, {}, kogge::simt::current_properties())));
#endif
    const auto items = summands<std::int64_t>(n, n);
    const Array<std::int64_t> in(items);
    Array<std::int64_t> out(n), in_place(items);
    kogge::inclusive_scan(in.data(), out.data(), n);
    EXPECT_TRUE(same(out.get(), inclusive_oracle<std::int64_t>(items, plus{})));
    kogge::exclusive_scan(in_place.data(), in_place.data(), n, std::int64_t{7});
    EXPECT_TRUE(same(in_place.get(), exclusive_oracle(items, std::int64_t{7}, plus{})));
}

#if KOGGE_KERNELS
TEST(ScanDeviceCount, UpToTheCountAndNotBeyondTheBound) {
    const Pretending device(1);
    const std::size_t bound = 22222;  // of a deep wave
    const auto items = random_items<std::uint64_t>(bound);
    const auto all = inclusive_oracle<std::uint64_t>(items, plus{});
    for (const std::uint64_t count :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{20480}, std::uint64_t{22222}, std::uint64_t{99999}}) {
        for (const auto grid : {kogge::grid_strategy::automatic, kogge::two_level, kogge::recursive}) {
            const Array<std::uint64_t> n(std::vector<std::uint64_t>{count});
            const Array<std::uint64_t> in(items);
            Array<std::uint64_t> out(bound);
            kogge::inclusive_scan(in.data(), out.data(), kogge::device_count{n.data(), bound}, plus{}, {.grid = grid});
            std::vector<std::uint64_t> want(bound, Array<std::uint64_t>::poison());
            std::copy_n(all.begin(), std::min<std::uint64_t>(count, bound), want.begin());
            EXPECT_TRUE(same(out.get(), want)) << count;
        }
    }
}
#endif

// A wave starts while the kernel before it ends, and reads what that one writes. The last is a deep one.
TEST(ScanStream, OneScanFollowsAnother) {
    const Pretending device(1);
    for (const std::size_t n : {std::size_t{700}, std::size_t{9001}, std::size_t{17000}}) {
        const auto items = random_items<std::uint64_t>(n);
        const Array<std::uint64_t> in(items);
        Array<std::uint64_t> once(n), twice(n);
        kogge::inclusive_scan(in.data(), once.data(), n);
        kogge::inclusive_scan(once.data(), twice.data(), n);
        auto want = items;
        for (int times = 0; times < 2; ++times) std::partial_sum(want.begin(), want.end(), want.begin());
        EXPECT_TRUE(same(twice.get(), want)) << n;
    }
}

TEST(ScanErrors, AreFoundBeforeAnythingChanges) {
    const auto items = random_items<std::uint32_t>(1000);
    Array<std::uint32_t> in(items);
    Array<std::uint64_t> wide(std::vector<std::uint64_t>(1000, 3));
    EXPECT_EQ(code_of([&] { kogge::inclusive_scan(in.data(), static_cast<std::uint32_t*>(nullptr), 5); }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::inclusive_scan(static_cast<const std::uint32_t*>(nullptr), in.data(), 5); }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::inclusive_scan(in.data(), in.data() + 1, 999); }), kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::inclusive_scan(in.data(), in.data(), -1); }), kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                  kogge::inclusive_scan(wide.data(), reinterpret_cast<std::uint32_t*>(wide.data()), 9, plus{},
                                        std::uint64_t{0});
              }),
              kogge::errc::overlap);
    kogge::inclusive_scan(static_cast<const std::uint32_t*>(nullptr), static_cast<std::uint32_t*>(nullptr), 0);
    EXPECT_TRUE(same(in.get(), items));
}

}  // namespace
