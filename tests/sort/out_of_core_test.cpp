// kogge-test: EMULATED GPU
// Sorts of host arrays by devices that hold some of the items at a time: against std::stable_sort, within the memory
// that they may take, and after failures.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kogge/calls/scratch_bytes.hpp"
#include "kogge/out_of_core/radix_sort.hpp"
#include "support/sort_checks.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace {

using namespace tests;
namespace out_of_core = kogge::out_of_core;
using Word = std::uint32_t;

/// Two emulated devices, or all GPUs.
class OutOfCore : public testing::Test {
#if KOGGE_EMULATED
protected:
    void SetUp() override {
        kogge::simt::emulator::set_devices(
            {kogge::simt::emulator::default_properties(), kogge::simt::emulator::default_properties()});
    }
    void TearDown() override {
        kogge::simt::synchronize(nullptr);
        kogge::trim();
        EXPECT_EQ(kogge::simt::emulator::statistics().live_allocations, 0u);
        EXPECT_EQ(kogge::simt::emulator::statistics().live_pinned, 0u);
        kogge::simt::emulator::set_devices({kogge::simt::emulator::default_properties()});
    }
#endif
};

std::size_t many() { return KOGGE_EMULATED ? 40'000 : 3'000'000; }
/// Some batches of `many` items of so many bytes.
std::size_t some_memory(std::size_t item_bytes) { return many() * item_bytes; }

template <class T>
std::vector<T> in_order(const std::vector<T>& items, const std::vector<std::uint32_t>& order) {
    return gathered(items, order);
}

template <class Key, class Value>
void check_pairs_in_batches(const std::vector<Key>& keys, const out_of_core::exec& how,
                            const kogge::sort_options& options = {}) {
    const std::size_t n = keys.size();
    std::vector<Value> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<Value>(i);
    const kogge::detail::LessByCode<Key> less{{kogge::detail::make_codec<Key>(options),
                                               kogge::detail::bit_range<Key>("test", options).begin,
                                               kogge::detail::bit_range<Key>("test", options).end}};
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return less(keys[a], keys[b]); });
    const auto want = in_order(keys, order);
    const auto want_values = in_order(values, order);

    std::vector<Key> out(n), in_place = keys;
    std::vector<Value> values_out(n), values_in_place = values;
    const Key* const in = keys.data();
    const Value* const values_in = values.data();
    out_of_core::radix_sort_pairs(in, out.data(), values_in, values_out.data(), n, options, how);
    EXPECT_TRUE(same(out, want));
    EXPECT_TRUE(same(values_out, want_values));
    out_of_core::radix_sort_pairs(in_place.data(), values_in_place.data(), n, options, how);
    EXPECT_TRUE(same(in_place, want)) << "in place";
    EXPECT_TRUE(same(values_in_place, want_values)) << "in place";

    std::fill(out.begin(), out.end(), Key{});
    out_of_core::radix_sort(in, out.data(), n, options, how);
    EXPECT_TRUE(same(out, want)) << "keys";
    in_place = keys;
    out_of_core::radix_sort(in_place.data(), n, options, how);
    EXPECT_TRUE(same(in_place, want)) << "keys, in place";
}

// ---- what is sorted ------------------------------------------------------------------------------------
TEST_F(OutOfCore, AllDistributionsInBatches) {
    for (const Distribution distribution : kDistributions) {
        SCOPED_TRACE(static_cast<int>(distribution));
        const auto keys = items_of<Word>(distribution, many(), 3);
        check_pairs_in_batches<Word, std::uint64_t>(keys, {.device_memory_limit = some_memory(12), .host_threads = 16});
    }
}
TEST_F(OutOfCore, OtherKeysAndOptions) {
    const std::size_t n = many() / 2;
    check_pairs_in_batches<std::int64_t, std::uint8_t>(random_items<std::int64_t>(n), {.device_memory_limit = 9 * n},
                                                       {.order = kogge::descending});
    check_pairs_in_batches<float, Word>(random_items<float>(n), {.device_memory_limit = 8 * n},
                                        {.zeros = kogge::zero_order::equal, .nans = kogge::nan_order::last});
    check_pairs_in_batches<std::uint8_t, Word>(random_items<std::uint8_t>(n), {.device_memory_limit = 5 * n});
    check_pairs_in_batches<Word, std::uint16_t>(random_items<Word>(n), {.device_memory_limit = 6 * n},
                                                {.begin_bit = 5, .end_bit = 13});
    check_pairs_in_batches<Word, std::uint16_t>(random_items<Word>(n), {.device_memory_limit = 6 * n},
                                                {.begin_bit = 7, .end_bit = 7});
    check_pairs_in_batches<kogge::uint128, Word>(random_items<kogge::uint128>(n), {.device_memory_limit = 20 * n});
}
TEST_F(OutOfCore, NumbersOfItems) {
    for (const std::size_t n : {0u, 1u, 2u, 999u, 1000u, 1001u, 5000u, 20'011u})
        for (const std::size_t limit : {std::size_t{120'000}, kogge::kNoLimit})
            for (const std::vector<int>& devices : {std::vector<int>{0}, std::vector<int>{}}) {
                SCOPED_TRACE(std::to_string(n) + " items, limit " + std::to_string(limit));
                check_pairs_in_batches<Word, Word>(random_items<Word>(n),
                                                   {.devices = devices, .device_memory_limit = limit});
            }
}
TEST_F(OutOfCore, Threads) {
    for (const int threads : {1, 2, 9})
        check_pairs_in_batches<Word, Word>(random_items<Word>(many() / 3),
                                           {.device_memory_limit = some_memory(3), .host_threads = threads});
}

// Pinned arrays cross without a copy on the host, in either direction.
TEST_F(OutOfCore, PinnedArrays) {
    const std::size_t n = many();
    const auto keys = random_items<Word>(n);
    auto want = keys;
    std::sort(want.begin(), want.end());
    auto* const pinned = static_cast<Word*>(kogge::simt::allocate_pinned(n * sizeof(Word)));
    EXPECT_EQ(kogge::simt::location_of(pinned + n / 2).memory, kogge::simt::Memory::pinned);
    std::vector<Word> out(n);
    const out_of_core::exec how{.device_memory_limit = some_memory(4)};
    std::copy(keys.begin(), keys.end(), pinned);
    out_of_core::radix_sort(static_cast<const Word*>(pinned), out.data(), n, how);
    EXPECT_TRUE(same(out, want));
    out_of_core::radix_sort(keys.data(), pinned, n, how);
    EXPECT_TRUE(same(std::vector<Word>(pinned, pinned + n), want));
    std::copy(keys.begin(), keys.end(), pinned);
    out_of_core::radix_sort(pinned, n, how);
    EXPECT_TRUE(same(std::vector<Word>(pinned, pinned + n), want));
    kogge::simt::free_pinned(pinned);
}

TEST_F(OutOfCore, CallsAtOnce) {
    std::vector<std::jthread> callers;
    for (int c = 0; c < 3; ++c)
        callers.emplace_back([c] {
            auto keys = random_items<Word>(many() / 4, static_cast<std::size_t>(c));
            auto want = keys;
            std::sort(want.begin(), want.end());
            out_of_core::radix_sort(keys.data(), keys.size(), {.device_memory_limit = some_memory(2)});
            EXPECT_TRUE(same(keys, want));
        });
}

// The batches of a device share its workspace: the kernels of one must not be queued among those of another.
TEST_F(OutOfCore, QueuesOneBatchAtATime) {
    std::atomic<int> queueing = 0, most = 0;
    auto keys = random_items<Word>(many());
    auto want = keys;
    std::sort(want.begin(), want.end());
    auto* const bytes = reinterpret_cast<std::byte*>(keys.data());
    const kogge::detail::HostArray array{bytes, bytes, sizeof(Word)};
    const auto sort = [&](std::span<void* const> arrays, std::uint64_t n, const kogge::exec& how) {
        if (++queueing > most) most = queueing.load();
        if (how.space.data) std::this_thread::sleep_for(std::chrono::milliseconds(3));  // not to measure scratch
        kogge::radix_sort(static_cast<Word*>(arrays[0]), n, kogge::sort_options{}, how);
        --queueing;
    };
    const auto cut = [](const void* sorted, std::span<const std::uint64_t> begins, std::uint64_t position) {
        return kogge::detail::cut_of_runs(static_cast<const Word*>(sorted), begins, position, std::less<Word>{});
    };
    kogge::detail::sort_in_batches("test", {&array, 1}, keys.size(), {sort, cut},
                                   {.devices = {0}, .device_memory_limit = some_memory(1), .host_threads = 16});
    EXPECT_EQ(most, 1);
    EXPECT_TRUE(same(keys, want));
}

// ---- cuts ----------------------------------------------------------------------------------------------
TEST(CutOfRuns, IsThatOfAStableMerge) {
    for (const Word values : {1u, 2u, 7u, 1'000'000u})
        for (const std::vector<std::size_t>& sizes :
             {std::vector<std::size_t>{50}, {40, 0, 13}, {0, 0}, {1, 1, 1, 1}, {200, 3, 90, 90}}) {
            std::vector<Word> items;
            std::vector<std::uint64_t> begins{0};
            std::vector<std::pair<Word, std::size_t>> all;  // with their runs
            for (const std::size_t size : sizes) {
                auto run = random_items<Word>(size, items.size() + values);
                for (Word& item : run) item %= values;
                std::sort(run.begin(), run.end());
                for (const Word item : run) all.emplace_back(item, begins.size() - 1);
                items.insert(items.end(), run.begin(), run.end());
                begins.push_back(items.size());
            }
            std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            std::vector<std::uint64_t> want(sizes.size(), 0);
            for (std::size_t position = 0; position <= all.size(); ++position) {
                EXPECT_EQ(kogge::detail::cut_of_runs(items.data(), begins, position, std::less<Word>{}), want);
                if (position < all.size()) ++want[all[position].second];
            }
        }
}

// ---- what is refused, and failures ---------------------------------------------------------------------
TEST_F(OutOfCore, RefusesBeforeAnythingChanges) {
    const auto keys = random_items<Word>(5000);
    auto in_place = keys;
    std::vector<Word> values(5000);
    const int devices = kogge::simt::device_count();
    const auto code = [&](const out_of_core::exec& how, const kogge::sort_options& options = {}) {
        return code_of([&] { out_of_core::radix_sort(in_place.data(), 5000, options, how); });
    };
    EXPECT_EQ(code({.devices = {devices}}), kogge::errc::unreachable);
    EXPECT_EQ(code({.devices = {-1}}), kogge::errc::unreachable);
    EXPECT_EQ(code({.devices = {0, 0}}), kogge::errc::invalid_argument);
    EXPECT_EQ(code({.host_threads = -1}), kogge::errc::invalid_argument);
    EXPECT_EQ(code({.device_memory_limit = 0}), kogge::errc::out_of_memory);
    EXPECT_EQ(code({.device_memory_limit = 5000}), kogge::errc::out_of_memory);
    EXPECT_EQ(code({}, {.end_bit = 33}), kogge::errc::invalid_argument);
    Word* const none = nullptr;
    EXPECT_EQ(code_of([&] { out_of_core::radix_sort(none, 1); }), kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { out_of_core::radix_sort(in_place.data(), -1); }), kogge::errc::invalid_argument);
    const Word* const same_array = in_place.data();
    EXPECT_EQ(code_of([&] { out_of_core::radix_sort(same_array, in_place.data() + 1, 4999); }), kogge::errc::overlap);
    EXPECT_EQ(
        code_of([&] { out_of_core::radix_sort_pairs(keys.data(), values.data(), keys.data(), values.data(), 5000); }),
        kogge::errc::overlap);
    const Array<Word> on_device(keys);
    EXPECT_EQ(code_of([&] { out_of_core::radix_sort(on_device.data(), in_place.data(), 5000); }),
              kogge::errc::unreachable);
    const std::uint64_t count = 5000;
    EXPECT_EQ(code_of([&] {
                  out_of_core::radix_sort(in_place.data(), kogge::device_count{&count, 5000});
              }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(
        code_of([&] {
            (void)kogge::scratch_bytes([&](const kogge::exec&) { out_of_core::radix_sort(in_place.data(), 5000); });
        }),
        kogge::errc::unreachable);
    EXPECT_TRUE(same(in_place, keys));
}

#if KOGGE_EMULATED
TEST_F(OutOfCore, TakesNoMoreMemoryThanItMay) {
    auto properties = kogge::simt::emulator::default_properties();
    properties.memory_bytes = 300'000;
    kogge::simt::emulator::set_devices({properties});
    kogge::trim();
    check_pairs_in_batches<Word, std::uint64_t>(random_items<Word>(many()), {});
    check_pairs_in_batches<Word, std::uint64_t>(random_items<Word>(many()), {.device_memory_limit = 290'000});
    EXPECT_GT(kogge::trim(~0ull), 0u) << "a little stays in the pool";
    EXPECT_LE(kogge::trim(~0ull), 300'000u);
    EXPECT_EQ(kogge::trim(), 0u);
}

/// 300 items of 1 MiB, which are sorted already, through a device's memory.
void move_large_items() {
    constexpr std::size_t kItem = std::size_t{1} << 20, kItems = 300;
    std::vector<std::byte> items(kItems * kItem);
    for (std::size_t i = 0; i < kItems; ++i) items[i * kItem] = static_cast<std::byte>(i);
    const kogge::detail::HostArray array{items.data(), items.data(), kItem};
    const kogge::detail::BatchSort nothing{
        [](std::span<void* const>, std::uint64_t, const kogge::exec&) {},
        [](const void*, std::span<const std::uint64_t>, std::uint64_t) { return std::vector<std::uint64_t>{}; }};
    kogge::detail::sort_in_batches("test", {&array, 1}, kItems, nothing, {.devices = {0}});
    for (std::size_t i = 0; i < kItems; ++i) EXPECT_EQ(items[i * kItem], static_cast<std::byte>(i));
}
TEST_F(OutOfCore, GivesMuchMemoryBackToTheSystem) {
    constexpr std::uint64_t kLeft = std::uint64_t{256} << 20;
    kogge::trim();
    move_large_items();
    EXPECT_EQ(kogge::trim(~0ull), kLeft);
    // What was there before stays there.
    kogge::simt::deallocate(kogge::simt::allocate(kLeft + 1000, nullptr), nullptr);
    kogge::simt::synchronize(nullptr);
    move_large_items();
    EXPECT_EQ(kogge::trim(~0ull), kLeft + 1000);
}

// ---- page-locked memory --------------------------------------------------------------------------------

std::uint64_t pinned_allocations() { return kogge::simt::emulator::statistics().pinned_allocations; }
std::uint64_t live_pinned() { return kogge::simt::emulator::statistics().live_pinned; }

void check_sort(std::size_t n, const out_of_core::exec& how) {
    auto keys = random_items<Word>(n, n);
    auto want = keys;
    std::sort(want.begin(), want.end());
    out_of_core::radix_sort(keys.data(), n, how);
    EXPECT_TRUE(same(keys, want));
}

TEST_F(OutOfCore, KeepsItsPageLockedMemory) {
    const out_of_core::exec in_batches{.device_memory_limit = some_memory(4), .host_threads = 8};
    kogge::trim();
    const std::uint64_t before = pinned_allocations();
    check_sort(many(), in_batches);
    EXPECT_EQ(pinned_allocations(), before + 1) << "of both devices, and both times that the items cross";
    check_sort(many(), in_batches);
    check_sort(many() - 100, in_batches);
    check_sort(1, {});
    EXPECT_EQ(pinned_allocations(), before + 1);
    EXPECT_EQ(live_pinned(), 1u);
    kogge::trim();
    EXPECT_EQ(live_pinned(), 0u);
    check_sort(many(), {});
    EXPECT_EQ(pinned_allocations(), before + 2);
    // Another context.
    kogge::simt::emulator::reset_devices();
    check_sort(many(), {});
    EXPECT_EQ(pinned_allocations(), before + 3);
}

TEST_F(OutOfCore, StagesNoPinnedArrays) {
    const std::size_t n = many();
    const auto keys = random_items<Word>(n);
    auto want = keys;
    std::sort(want.begin(), want.end());
    auto* const pinned = static_cast<Word*>(kogge::simt::allocate_pinned(n * sizeof(Word)));
    std::copy(keys.begin(), keys.end(), pinned);
    kogge::trim();
    const std::uint64_t before = pinned_allocations();
    out_of_core::radix_sort(pinned, n);
    EXPECT_EQ(pinned_allocations(), before);
    EXPECT_TRUE(same(std::vector<Word>(pinned, pinned + n), want));
    kogge::simt::free_pinned(pinned);
}

TEST_F(OutOfCore, CallsAtOnceHavePageLockedMemoryOfTheirOwn) {
    kogge::trim();
    const out_of_core::exec how{.device_memory_limit = some_memory(2), .host_threads = 4};
    const std::uint64_t before = pinned_allocations();
    for (int round = 0; round < 2; ++round) {
        std::vector<std::jthread> callers;
        for (int c = 0; c < 3; ++c) callers.emplace_back([&] { check_sort(many() / 4, how); });
    }
    EXPECT_GE(live_pinned(), 1u);
    EXPECT_LE(pinned_allocations(), before + 3) << "those of the first round are taken again";
    EXPECT_EQ(live_pinned(), pinned_allocations() - before);
}

// A thread that copies fails: the others stop, and what they copied with is whole.
TEST_F(OutOfCore, KeepsItsPageLockedMemoryAfterAFailure) {
    auto keys = random_items<Word>(many());
    auto* const bytes = reinterpret_cast<std::byte*>(keys.data());
    const kogge::detail::HostArray array{bytes, bytes, sizeof(Word)};
    std::atomic<int> sorted = 0;
    const auto sort = [&](std::span<void* const> arrays, std::uint64_t n, const kogge::exec& how) {
        if (!kogge::simt::is_measuring() && ++sorted == 3) throw std::runtime_error("no more");
        kogge::radix_sort(static_cast<Word*>(arrays[0]), n, kogge::sort_options{}, how);
    };
    const auto cut = [](const void* all, std::span<const std::uint64_t> begins, std::uint64_t position) {
        return kogge::detail::cut_of_runs(static_cast<const Word*>(all), begins, position, std::less<Word>{});
    };
    const out_of_core::exec how{.device_memory_limit = some_memory(1), .host_threads = 8};
    kogge::trim();
    EXPECT_THROW(kogge::detail::sort_in_batches("test", {&array, 1}, keys.size(), {sort, cut}, how),
                 std::runtime_error);
    EXPECT_EQ(live_pinned(), 1u);
    const std::uint64_t before = pinned_allocations();
    check_sort(many(), how);
    EXPECT_EQ(pinned_allocations(), before);
}

// Each allocation in turn fails: of the device, which is tried again with less, or of page-locked memory.
TEST_F(OutOfCore, WithoutMemory) {
    const auto keys = random_items<Word>(9000);
    auto want = keys;
    std::sort(want.begin(), want.end());
    int failed = 0, succeeded = 0;
    for (std::uint64_t k = 0; k < 12; ++k) {
        auto in_place = keys;
        kogge::trim();  // or no page-locked memory would be allocated
        kogge::simt::emulator::fail_allocation(k);
        try {
            out_of_core::radix_sort(in_place.data(), in_place.size(),
                                    {.device_memory_limit = 60'000, .host_threads = 4});
            EXPECT_TRUE(same(in_place, want)) << k;
            ++succeeded;
        } catch (const kogge::error& failure) {
            EXPECT_EQ(failure.code(), kogge::errc::out_of_memory);
            std::sort(in_place.begin(), in_place.end());
            EXPECT_TRUE(same(in_place, want)) << "items are lost, " << k;
            ++failed;
        }
    }
    kogge::simt::emulator::fail_allocation(~0ull);
    EXPECT_GT(failed, 0);
    EXPECT_GT(succeeded, 0);
}
#endif

}  // namespace
