// kogge-test: EMULATED GPU HOST
// Scans by key and of segments.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kogge/scan.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"
#include "support/scan_plans.hpp"

namespace {

using namespace tests;

// Keys and values of any size, anywhere: keys in waves and rings are read in 16-byte steps where they can be.
template <class Pair>
class ScanByKeys : public ::testing::Test {};
template <class Key_, class Value_>
struct KeyAndValue {
    using Key = Key_;
    using Value = Value_;
};
#if defined(__CUDACC__)
using KeysAndValues = ::testing::Types<KeyAndValue<std::uint8_t, std::uint64_t>>;  // minutes of compilation fewer
#else
using KeysAndValues =
    ::testing::Types<KeyAndValue<std::uint8_t, std::uint8_t>, KeyAndValue<std::uint64_t, std::uint16_t>,
                     KeyAndValue<std::uint16_t, std::uint64_t>, KeyAndValue<kogge::uint128, std::uint32_t>>;
#endif
TYPED_TEST_SUITE(ScanByKeys, KeysAndValues);

TYPED_TEST(ScanByKeys, OfEverySizeAtEveryOffset) {
    using Key = typename TypeParam::Key;
    using Value = typename TypeParam::Value;
    const Pretending device(2);
    const std::size_t wave = 2 * 2 * 512 * 16 / sizeof(Value), tile = 512 * (sizeof(Value) == 8 ? 10 : 20);
    for (const std::size_t n : {wave - 1, wave * 3 / 2, 5 * wave, 9 * wave, 35 * tile + 3}) {
        if (small() && n > 9 * wave) continue;
        Random random(n);
        std::vector<Key> keys(n);
        const std::vector<Value> items = random_items<Value>(n);
        std::vector<Value> inclusive(n), exclusive(n);
        for (std::size_t i = 0; i < n; ++i) {
            const bool starts = i == 0 || random() % 40 == 0;
            if (starts) keys[i] = random_items<Key>(1, random())[0];
            else keys[i] = keys[i - 1];
            const bool head = i == 0 || !(keys[i] == keys[i - 1]);
            inclusive[i] = head ? items[i] : static_cast<Value>(inclusive[i - 1] + items[i]);
            exclusive[i] = head ? Value{9} : static_cast<Value>(exclusive[i - 1] + items[i - 1]);
        }
        for (const auto& [key_at, in_at, out_at] : {std::array{0, 0, 0}, {1, 0, 0}, {0, 3, 0}, {0, 0, 1}, {5, 5, 5}}) {
            SCOPED_TRACE(std::to_string(n) + " items, offsets " + std::to_string(key_at) + ' ' + std::to_string(in_at) +
                         ' ' + std::to_string(out_at));
            const Array<Key> key_array(keys, static_cast<std::size_t>(key_at));
            Array<Value> in(items, static_cast<std::size_t>(in_at)), out(n, static_cast<std::size_t>(out_at));
            kogge::exclusive_scan_by_key(key_array.data(), in.data(), out.data(), n, Value{9});
            EXPECT_TRUE(same(out.get(), exclusive));
            kogge::inclusive_scan_by_key(key_array.data(), in.data(), out.data(), n);
            EXPECT_TRUE(same(out.get(), inclusive));
            kogge::inclusive_scan_by_key(key_array.data(), in.data(), in.data(), n);
            EXPECT_TRUE(same(in.get(), inclusive)) << "in place";
            if (n > 5 * wave) break;
        }
    }
}

TEST(ScanByKey, RunsOfEqualKeys) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{2560}, std::size_t{90001}, std::size_t{140001}}) {
        Random random(n);
        std::vector<std::uint32_t> keys(n), items = random_items<std::uint32_t>(n);
        for (std::size_t i = 0; i < n; ++i)
            keys[i] = i > 0 && random() % 50 != 0 ? keys[i - 1] : static_cast<std::uint32_t>(random() % 3);
        std::vector<std::uint32_t> inclusive(n), exclusive(n);
        for (std::size_t i = 0; i < n; ++i) {
            const bool head = i == 0 || keys[i] != keys[i - 1];
            inclusive[i] = head ? items[i] : inclusive[i - 1] + items[i];
            exclusive[i] = head ? 9 : exclusive[i - 1] + items[i - 1];
        }
        const Array<std::uint32_t> key_array(keys);
        Array<std::uint32_t> in(items), out(n);
        kogge::exclusive_scan_by_key(key_array.data(), in.data(), out.data(), n, 9u);
        EXPECT_TRUE(same(out.get(), exclusive)) << n;
        kogge::inclusive_scan_by_key(key_array.data(), in.data(), out.data(), n);
        EXPECT_TRUE(same(out.get(), inclusive)) << n;
        kogge::inclusive_scan_by_key(key_array.data(), in.data(), in.data(), n);
        EXPECT_TRUE(same(in.get(), inclusive)) << "in place, " << n;
    }
}

TEST(ScanSegments, EmptyOnesAndTileBounds) {
    for (const std::size_t n :
         {std::size_t{80000}, std::size_t{140000}}) {  // by a wave, and by more tiles than fit one
        const std::vector<std::uint64_t> offsets{0, 0, 1, 10239, 10240, 10240, 10240, 16384, 20481, 32767, 70001, n, n};
        const auto items = random_items<std::uint32_t>(n);
        std::vector<std::uint32_t> inclusive(n), exclusive(n);
        for (std::size_t i = 0; i < n; ++i) {
            const bool head = std::find(offsets.begin(), offsets.end(), i) != offsets.end();
            inclusive[i] = head ? items[i] : inclusive[i - 1] + items[i];
            exclusive[i] = head ? 1 : exclusive[i - 1] + items[i - 1];
        }
        const Array<std::uint64_t> bounds(offsets);
        const Array<std::uint32_t> in(items);
        Array<std::uint32_t> out(n);
        kogge::inclusive_segmented_scan(in.data(), out.data(), n, bounds.data(), offsets.size());
        EXPECT_TRUE(same(out.get(), inclusive)) << n;
        kogge::exclusive_segmented_scan(in.data(), out.data(), n, bounds.data(), offsets.size(), 1u);
        EXPECT_TRUE(same(out.get(), exclusive)) << n;
    }
}

// Many segments, most of them empty or few of them at all: a block finds those of its tile by search.
TEST(ScanSegments, FoundByBlocksOfAWave) {
    const std::size_t n = 40'000;
    const auto items = random_items<std::uint32_t>(n);
    const Array<std::uint32_t> in(items);
    for (const std::size_t segments : {0, 1, 511, 513, 5000, 300'000}) {
        Random random(segments);
        std::vector<std::uint64_t> offsets(segments);
        for (auto& offset : offsets) offset = random() % (n + 1);
        if (segments == 511) std::fill(offsets.begin(), offsets.end(), n - 1);
        std::sort(offsets.begin(), offsets.end());
        std::vector<bool> starts(n + 1);
        starts[0] = true;
        for (const std::uint64_t offset : offsets) starts[offset] = true;
        std::vector<std::uint32_t> inclusive(n), exclusive(n);
        for (std::size_t i = 0; i < n; ++i) {
            inclusive[i] = starts[i] ? items[i] : inclusive[i - 1] + items[i];
            exclusive[i] = starts[i] ? 1 : exclusive[i - 1] + items[i - 1];
        }
        const Array<std::uint64_t> bounds(offsets);
        Array<std::uint32_t> out(n);
        kogge::inclusive_segmented_scan(in.data(), out.data(), n, bounds.data(), segments);
        EXPECT_TRUE(same(out.get(), inclusive)) << segments;
        kogge::exclusive_segmented_scan(in.data(), out.data(), n, bounds.data(), segments, 1u);
        EXPECT_TRUE(same(out.get(), exclusive)) << segments;
    }
}

// What offsets give that fall is unspecified, but for the sum before the first of any; nothing else is written.
TEST(ScanSegments, OfOffsetsThatFall) {
    for (const std::size_t n : {std::size_t{20'000}, std::size_t{140'000}}) {
        const auto items = random_items<std::uint32_t>(n);
        const Array<std::uint32_t> in(items);
        for (const std::size_t segments : {2, 400, 30'000}) {
            SCOPED_TRACE(segments);
            std::vector<std::uint64_t> offsets(segments);
            for (std::size_t s = 0; s < segments; ++s)
                offsets[s] = s % 2 == 0 ? n + 5 : 1000 + s * 2654435761u % (n - 1000);
            const Array<std::uint64_t> bounds(offsets);
            Array<std::uint32_t> out(n + 1);
            kogge::inclusive_segmented_scan(in.data(), out.data(), n, bounds.data(), segments);
            const auto got = out.get();
            std::uint32_t sum = 0;
            for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(got[i], sum += items[i]) << i;
            EXPECT_EQ(got[n], Array<std::uint32_t>::poison());
        }
    }
}

// More tiles than one cooperative launch takes: tickets, and a board that is zeroed before.
TEST(ScanSegments, OfManyTiles) {
    const Pretending device(1);
    const std::size_t n = 700'001, length = 1000;
#if KOGGE_EMULATED
    ASSERT_FALSE(is_cooperative(kogge::plan_scan(n, {8, 4, 8, 4}, {}, kogge::simt::current_properties())));
#endif
    const auto items = random_items<std::uint32_t>(n);
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint32_t> want(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (i % length == 0) offsets.push_back(i);
        want[i] = i % length == 0 ? items[i] : want[i - 1] + items[i];
    }
    const Array<std::uint64_t> bounds(offsets);
    const Array<std::uint32_t> in(items);
    Array<std::uint32_t> out(n);
    kogge::inclusive_segmented_scan(in.data(), out.data(), n, bounds.data(), offsets.size());
    EXPECT_TRUE(same(out.get(), want));
}

TEST(ScanByKeyErrors, AreFoundBeforeAnythingChanges) {
    const auto items = random_items<std::uint32_t>(1000);
    const Array<std::uint32_t> keys(items);
    Array<std::uint32_t> in(items);
    EXPECT_EQ(code_of([&] { kogge::exclusive_scan_by_key(keys.data(), in.data(), in.data(), 9, 0u); }),
              kogge::errc::overlap);
    EXPECT_TRUE(same(in.get(), items));
}

}  // namespace
