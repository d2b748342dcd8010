// kogge-test: GPU
// Sorts beside CUB's, byte for byte; and a split by the bits of a digit beside CUB's sort by these bits.
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cub/device/device_radix_sort.cuh>

#include "support/cub.hpp"

namespace {

using namespace tests;

template <class Key>
struct KeyForCub {
    using type = Key;
};
template <>
struct KeyForCub<kogge::half> {
    using type = __half;
};

struct Cub {
    template <class Key>
    static std::vector<Key> sort(const std::vector<Key>& keys, const kogge::sort_options& options) {
        using Theirs = typename KeyForCub<Key>::type;
        const Array<Key> in(keys);
        Array<Key> out(keys.size());
        const auto* const from = reinterpret_cast<const Theirs*>(in.data());
        auto* const to = reinterpret_cast<Theirs*>(out.data());
        const auto n = static_cast<std::int64_t>(keys.size());
        const int end = end_of<Key>(options);
        run_cub([&](void* temporary, std::size_t& bytes) {
            return options.order == kogge::ascending
                       ? cub::DeviceRadixSort::SortKeys(temporary, bytes, from, to, n, options.begin_bit, end)
                       : cub::DeviceRadixSort::SortKeysDescending(temporary, bytes, from, to, n, options.begin_bit,
                                                                  end);
        });
        return out.get();
    }
    template <class Key, class Value>
    static std::vector<Value> sort_pairs(const std::vector<Key>& keys, const std::vector<Value>& values,
                                         const kogge::sort_options& options) {
        const Array<Key> in(keys);
        const Array<Value> with(values);
        Array<Key> out(keys.size());
        Array<Value> with_out(keys.size());
        run_cub([&](void* temporary, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(temporary, bytes, in.data(), out.data(), with.data(),
                                                   with_out.data(), static_cast<std::int64_t>(keys.size()),
                                                   options.begin_bit, end_of<Key>(options));
        });
        return with_out.get();
    }

private:
    template <class Key>
    static int end_of(const kogge::sort_options& options) {
        return options.end_bit == -1 ? static_cast<int>(8 * sizeof(Key)) : options.end_bit;
    }
};

TEST(CubRadixSort, EveryCase) {
    compare_with_cub<Cub>("radix_sort", []<class Library>(Library, auto report) { sort_cases<Library>(report); });
}

// From 4'325'377 words on 132 multiprocessors sort by passes, in which each block takes several tiles.
TEST(CubRadixSort, ManyTiles) {
    const std::size_t n = small() ? 300001 : 5000001;
    const auto keys = random_items<std::uint32_t>(n);
    EXPECT_TRUE(same(Ours::sort(keys, {}), Cub::sort(keys, {})));
    std::vector<std::uint32_t> indices(n);
    for (std::size_t i = 0; i < n; ++i) indices[i] = static_cast<std::uint32_t>(i);
    const auto few = items_of<std::uint32_t>(Distribution::values_16, n);
    EXPECT_TRUE(same(Ours::sort_pairs(few, indices, {}), Cub::sort_pairs(few, indices, {})));
}

struct SecondByte {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint32_t key) const { return key >> 8 & 255; }
};
TEST(CubRadixSort, SplitByADigit) {
    const auto keys = random_items<std::uint32_t>(small() ? 30001 : 3000001);
    const Array<std::uint32_t> in(keys);
    Array<std::uint32_t> out(keys.size());
    kogge::split(in.data(), out.data(), keys.size(), 256, SecondByte{});
    EXPECT_TRUE(same(out.get(), Cub::sort(keys, {.begin_bit = 8, .end_bit = 16})));
}

}  // namespace
