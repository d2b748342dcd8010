// kogge-test: EMULATED
// The same calls on devices of other shapes, where plans choose other kernels, give what the host backend gives.
#include <gtest/gtest.h>

#include "kogge/kogge.hpp"
#include "kogge/simt/emulator.hpp"
#include "support/emulator.hpp"
#include "support/golden.hpp"
#include "support/reference_cases.hpp"

namespace {

using namespace tests;

/// The host backend, asked for the same cases.
struct OnHost {
    template <class T, class Op>
    static std::vector<T> inclusive(const std::vector<T>& items, Op op) {
        std::vector<T> out(items.size());
        kogge::inclusive_scan(items.data(), out.data(), items.size(), op);
        return out;
    }
    template <class T, class Acc, class Op>
    static std::vector<Acc> exclusive(const std::vector<T>& items, Acc init, Op op) {
        std::vector<Acc> out(items.size());
        kogge::exclusive_scan(items.data(), out.data(), items.size(), init, op);
        return out;
    }
    template <class Key, class T>
    static std::vector<T> sums_by_key(const std::vector<Key>& keys, const std::vector<T>& items) {
        std::vector<T> out(items.size());
        kogge::inclusive_scan_by_key(keys.data(), items.data(), out.data(), items.size());
        return out;
    }
    template <class T, class Predicate>
    static std::vector<T> compact(const std::vector<T>& items, Predicate keep) {
        std::vector<T> out(items.size());
        out.resize(kogge::compact(items.data(), out.data(), items.size(), keep));
        return out;
    }
    template <class T>
    static std::vector<T> compact_flags(const std::vector<T>& items, const std::vector<std::uint8_t>& flags) {
        std::vector<T> out(items.size());
        out.resize(kogge::compact_flags(items.data(), flags.data(), out.data(), items.size()));
        return out;
    }
    template <class T, class Predicate>
    static std::vector<T> partition(const std::vector<T>& items, Predicate keep) {
        std::vector<T> out(items.size());
        kogge::partition(items.data(), out.data(), items.size(), keep);
        return out;
    }
    template <class Key>
    static std::vector<Key> sort(std::vector<Key> keys, const kogge::sort_options& options) {
        kogge::radix_sort(keys.data(), keys.size(), options);
        return keys;
    }
    template <class Key, class Value>
    static std::vector<Value> sort_pairs(std::vector<Key> keys, std::vector<Value> values,
                                         const kogge::sort_options& options) {
        kogge::radix_sort_pairs(keys.data(), values.data(), keys.size(), options);
        return values;
    }
};

template <class Library>
Digests all_cases() {
    Digests digests;
    const auto report = [&](const std::string& name, const auto& result) { digests[name] = digest_of(result); };
    scan_cases<Library>(report);
    partition_cases<Library>(report);
    sort_cases<Library>(report);
    return digests;
}

class Devices : public ::testing::Test {
protected:
    ~Devices() override { kogge::simt::emulator::set_properties(kogge::simt::emulator::default_properties()); }
    static void check(const char* name, const kogge::device_properties& device) {
        static const Digests want = all_cases<OnHost>();
        SCOPED_TRACE(name);
        kogge::simt::emulator::set_properties(device);
        expect_digests(all_cases<Ours>(), want);
    }
    kogge::device_properties device_ = kogge::simt::emulator::default_properties();
};

TEST_F(Devices, AsUsual) { check("as usual", device_); }
TEST_F(Devices, WithoutBulkCopies) {
    device_.compute_major = 7;
    check("compute capability 7", device_);
}
TEST_F(Devices, WithLittleSharedMemory) {
    device_.compute_major = 12;
    device_.shared_bytes_per_block = 99 * 1024;
    device_.shared_bytes_per_multiprocessor = 100 * 1024;
    check("99 KiB of shared memory a block", device_);
}
TEST_F(Devices, OfOneMultiprocessor) {
    device_.multiprocessors = 1;
    check("one multiprocessor", device_);
}
TEST_F(Devices, OfManyMultiprocessors) {
    // With more of them a wave would have more threads than the emulator holds.
    device_.multiprocessors = kogge::test::kThreadSanitizer ? 4 : 20;
    check("many multiprocessors", device_);
}

// More than a warp's worth of tiles are folded in groups.
TEST_F(Devices, WavesOfManyTiles) {
    if (kogge::test::kThreadSanitizer) GTEST_SKIP() << "too many threads for ThreadSanitizer";
    device_.multiprocessors = 20;
    kogge::simt::emulator::set_properties(device_);
    const std::size_t n = 37 * 2048 + 5;
    ASSERT_EQ(kogge::plan_scan(n, {4, 4, 4}, {}, device_).blocks, 38u);
    const auto items = random_items<std::uint32_t>(n);
    EXPECT_TRUE(same(Ours::inclusive(items, kogge::plus{}), OnHost::inclusive(items, kogge::plus{})));
    const kogge::compare<std::uint32_t> keep{kogge::relation::less, 1u << 31};
    EXPECT_TRUE(same(Ours::compact(items, keep), OnHost::compact(items, keep)));
    EXPECT_TRUE(same(Ours::partition(items, keep), OnHost::partition(items, keep)));
}

}  // namespace
