// kogge-test: GPU
// Compactions and partitions beside CUB's, item for item.
#include <gtest/gtest.h>

#include <algorithm>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#include "support/cub.hpp"

namespace {

using namespace tests;

struct Cub {
    template <class T, class Predicate>
    static std::vector<T> compact(const std::vector<T>& items, Predicate keep) {
        const Array<T> in(items);
        Array<T> out(items.size());
        Array<std::uint64_t> kept(1);
        run_cub([&](void* temporary, std::size_t& bytes) {
            return cub::DeviceSelect::If(temporary, bytes, in.data(), out.data(), kept.data(),
                                         static_cast<std::int64_t>(items.size()), keep);
        });
        return head(out, kept);
    }
    template <class T>
    static std::vector<T> compact_flags(const std::vector<T>& items, const std::vector<std::uint8_t>& flags) {
        const Array<T> in(items);
        const Array<std::uint8_t> marks(flags);
        Array<T> out(items.size());
        Array<std::uint64_t> kept(1);
        run_cub([&](void* temporary, std::size_t& bytes) {
            return cub::DeviceSelect::Flagged(temporary, bytes, in.data(), marks.data(), out.data(), kept.data(),
                                              static_cast<std::int64_t>(items.size()));
        });
        return head(out, kept);
    }
    /// CUB writes the rejected items backwards.
    template <class T, class Predicate>
    static std::vector<T> partition(const std::vector<T>& items, Predicate keep) {
        const Array<T> in(items);
        Array<T> out(items.size());
        Array<std::uint64_t> kept(1);
        run_cub([&](void* temporary, std::size_t& bytes) {
            return cub::DevicePartition::If(temporary, bytes, in.data(), out.data(), kept.data(),
                                            static_cast<std::int64_t>(items.size()), keep);
        });
        std::vector<T> both = out.get();
        std::reverse(both.begin() + static_cast<std::ptrdiff_t>(kept.get()[0]), both.end());
        return both;
    }

private:
    template <class T>
    static std::vector<T> head(const Array<T>& out, const Array<std::uint64_t>& kept) {
        std::vector<T> items = out.get();
        items.resize(kept.get()[0]);
        return items;
    }
};

TEST(CubPartition, EveryCase) {
    compare_with_cub<Cub>("partition", []<class Library>(Library, auto report) { partition_cases<Library>(report); });
}

// From 21'626'881 words on 132 multiprocessors draw a compaction's tiles as tickets.
TEST(CubPartition, ManyTiles) {
    const auto items = random_items<std::uint32_t>(small() ? 300001 : 21700001);
    EXPECT_TRUE(same(Ours::compact(items, KeepsOneIn{3}), Cub::compact(items, KeepsOneIn{3})));
    EXPECT_TRUE(same(Ours::partition(items, KeepsOneIn{3}), Cub::partition(items, KeepsOneIn{3})));
}

}  // namespace
