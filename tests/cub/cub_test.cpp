// kogge-test: GPU
// Against CUB on the device, item by item; and above 2^32 items.
#include <gtest/gtest.h>

#include <cstdint>
#include <cub/cub.cuh>

#include "kogge/kogge.hpp"
#include "kogge/simt/device.cuh"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
namespace simt = kogge::simt;

void check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

/// Device memory without red zones, for large arrays.
template <class T>
struct Device {
    explicit Device(std::size_t n) {
        if (n > 0) check(cudaMalloc(&data, n * sizeof(T)));
    }
    ~Device() { cudaFree(data); }
    Device(const Device&) = delete;
    T* data = nullptr;
};

constexpr std::uint32_t kBlocks = 4096, kThreads = 256;

/// splitmix64 of the index.
template <class T>
KOGGE_KERNEL void fill_kernel(T* items, std::uint64_t n, std::uint64_t seed) {
    simt::wait_for_stream();
    for (std::uint64_t i = simt::block_rank() * std::uint64_t{kThreads} + simt::thread_rank(); i < n;
         i += kBlocks * kThreads) {
        std::uint64_t z = (i + seed) * 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        items[i] = static_cast<T>(z ^ z >> 31);
    }
}
template <class T>
void fill(T* items, std::uint64_t n, std::uint64_t seed = 1) {
    simt::launch(fill_kernel<T>, {kBlocks, kThreads, 0, nullptr, "fill_kernel"}, items, n, seed);
}
template <class T>
KOGGE_KERNEL void count_differences_kernel(const T* a, const T* b, std::uint64_t n, std::uint64_t* differences) {
    simt::wait_for_stream();
    for (std::uint64_t i = simt::block_rank() * std::uint64_t{kThreads} + simt::thread_rank(); i < n;
         i += kBlocks * kThreads)
        if (a[i] != b[i]) simt::atomic_add<simt::Scope::device>(differences, 1);
}
/// What a kernel adds to a counter, the last of its arguments.
template <class Kernel, class... Arguments>
std::uint64_t counted(Kernel kernel, const char* name, Arguments... arguments) {
    Device<std::uint64_t> count(1);
    std::uint64_t host = 0;
    check(cudaMemset(count.data, 0, sizeof host));
    simt::launch(kernel, {kBlocks, kThreads, 0, nullptr, name}, arguments..., count.data);
    check(cudaMemcpy(&host, count.data, sizeof host, cudaMemcpyDefault));
    return host;
}
template <class T>
std::uint64_t differences(const T* a, const T* b, std::uint64_t n) {
    return counted(count_differences_kernel<T>, "count_differences_kernel", a, b, n);
}

struct Half {
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(const T& item) const {
        return item % 2 == 0;
    }
};

template <class T>
void against_cub(std::uint64_t n) {
    Device<T> in(n), ours(n), theirs(n);
    Device<std::uint64_t> counts(2);
    fill(in.data, n, n);
    std::size_t bytes = 0, most = 0;
    const auto size = static_cast<std::int64_t>(n);
    check(cub::DeviceScan::InclusiveSum(nullptr, bytes, in.data, theirs.data, size));
    most = std::max(most, bytes);
    check(cub::DeviceSelect::If(nullptr, bytes, in.data, theirs.data, counts.data, size, Half{}));
    most = std::max(most, bytes);
    check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in.data, theirs.data, size));
    most = std::max(most, bytes);
    Device<std::uint8_t> scratch(most);

    check(cub::DeviceScan::InclusiveSum(scratch.data, most, in.data, theirs.data, size));
    kogge::inclusive_scan(in.data, ours.data, n);
    EXPECT_EQ(differences(ours.data, theirs.data, n), 0u) << "scan of " << n;

    check(cub::DeviceSelect::If(scratch.data, most, in.data, theirs.data, counts.data, size, Half{}));
    const std::uint64_t kept = kogge::compact(in.data, ours.data, n, Half{});
    std::uint64_t want = 0;
    check(cudaMemcpy(&want, counts.data, sizeof want, cudaMemcpyDefault));
    EXPECT_EQ(kept, want) << "compact of " << n;
    EXPECT_EQ(differences(ours.data, theirs.data, want), 0u) << "compact of " << n;

    check(cub::DeviceRadixSort::SortKeys(scratch.data, most, in.data, theirs.data, size));
    kogge::radix_sort(in.data, ours.data, n);
    EXPECT_EQ(differences(ours.data, theirs.data, n), 0u) << "sort of " << n;
    check(cub::DeviceRadixSort::SortKeysDescending(scratch.data, most, in.data, theirs.data, size));
    kogge::radix_sort(in.data, n, {.order = kogge::descending});
    EXPECT_EQ(differences(in.data, theirs.data, n), 0u) << "descending sort in place of " << n;
}

template <class T>
class AgainstCub : public ::testing::Test {};
using Numbers = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(AgainstCub, Numbers);

TYPED_TEST(AgainstCub, SmallToLarge) {
    for (const std::uint64_t n :
         {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{20000}, std::uint64_t{131073}, std::uint64_t{1000003}})
        against_cub<TypeParam>(n);
    if (!small()) {
        against_cub<TypeParam>((1u << 26) - 5);
        against_cub<TypeParam>((1u << 24) + 1);
    }
}

TEST(Large, MoreThanTwoToThe32Items) {
    const std::uint64_t n = (std::uint64_t{1} << 32) + 12345;
    if (small() || kogge::simt::current_properties().memory_bytes < (std::uint64_t{100} << 30))
        GTEST_SKIP() << "needs 100 GiB of device memory";
    against_cub<std::uint8_t>(n);
}

/// Keys, or keys and values, in place. CUB's two buffers and what kogge made fit beside each other.
template <class Key, bool pairs>
void large_sort(std::uint64_t n) {
    using Value = std::uint32_t;
    const std::uint64_t values_n = pairs ? n : 0;
    Device<Key> ours(n);
    Device<Value> our_values(values_n);
    fill(ours.data, n);
    fill(our_values.data, values_n, 2);
    if constexpr (pairs) kogge::radix_sort_pairs(ours.data, our_values.data, n);
    else kogge::radix_sort(ours.data, n);

    Device<Key> theirs(n), other(n);
    Device<Value> their_values(values_n), other_values(values_n);
    fill(theirs.data, n);
    fill(their_values.data, values_n, 2);
    cub::DoubleBuffer<Key> keys(theirs.data, other.data);
    cub::DoubleBuffer<Value> values(their_values.data, other_values.data);
    std::size_t bytes = 0;
    const auto sort = [&](void* scratch) {
        const auto size = static_cast<std::int64_t>(n);
        if constexpr (pairs) return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, size);
        else return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, size);
    };
    check(sort(nullptr));
    const Device<std::uint8_t> scratch(bytes);
    check(sort(scratch.data));
    EXPECT_EQ(differences(ours.data, keys.Current(), n), 0u) << "keys of " << sizeof(Key) << " bytes";
    EXPECT_EQ(differences(our_values.data, values.Current(), values_n), 0u) << "values";
}

TEST(Large, SortsOfMoreThanTwoToThe32Items) {
    const std::uint64_t n = (std::uint64_t{1} << 32) + 4097;
    if (small() || kogge::simt::current_properties().memory_bytes < (std::uint64_t{120} << 30))
        GTEST_SKIP() << "needs 120 GiB of device memory";
    large_sort<std::uint32_t, false>(n);
    large_sort<std::uint64_t, false>(n);
    large_sort<std::uint32_t, true>(n);
}

/// How many neighbours do not stand in the order of their keys, and of their places where those are equal. If there
/// are none, all indices differ.
template <class Key>
KOGGE_KERNEL void count_disorder_kernel(const Key* keys, const std::uint64_t* indices, std::uint64_t n,
                                        std::uint64_t* found) {
    simt::wait_for_stream();
    for (std::uint64_t i = simt::block_rank() * std::uint64_t{kThreads} + simt::thread_rank(); i < n;
         i += kBlocks * kThreads) {
        const std::uint64_t own = indices[i], before = i == 0 ? own : indices[i - 1];
        const bool inside = own < n && before < n;
        const bool ordered =
            inside && (i == 0 || keys[before] < keys[own] || (keys[before] == keys[own] && before < own));
        if (!ordered) simt::atomic_add<simt::Scope::device>(found, 1);
    }
}

TEST(Large, IndicesOfMoreThanTwoToThe32Keys) {
    const std::uint64_t n = (std::uint64_t{1} << 32) + 4097;
    if (small() || kogge::simt::current_properties().memory_bytes < (std::uint64_t{120} << 30))
        GTEST_SKIP() << "needs 120 GiB of device memory";
    Device<std::uint32_t> keys(n);
    Device<std::uint64_t> indices(n);
    fill(keys.data, n);
    kogge::argsort(keys.data, indices.data, n);
    const std::uint32_t* const sorted_by = keys.data;
    const std::uint64_t* const found = indices.data;
    EXPECT_EQ(counted(count_disorder_kernel<std::uint32_t>, "count_disorder_kernel", sorted_by, found, n), 0u);
}

// Two passes, and spans of as many keys as fit a block.
TEST(Large, KeysAndPairsInLargeSpans) {
    if (small() || kogge::simt::current_properties().memory_bytes < (std::uint64_t{100} << 30))
        GTEST_SKIP() << "needs 100 GiB of device memory";
    for (const std::uint64_t n : {(std::uint64_t{1} << 29) + 77, std::uint64_t{1} << 30}) {
        const auto size = static_cast<std::int64_t>(n);
        const auto keys_alone = [&]<class T>(T) {
            Device<T> in(n), ours(n), theirs(n);
            fill(in.data, n, n);
            std::size_t bytes = 0;
            check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in.data, theirs.data, size));
            Device<std::uint8_t> scratch(bytes);
            check(cub::DeviceRadixSort::SortKeys(scratch.data, bytes, in.data, theirs.data, size));
            kogge::radix_sort(in.data, ours.data, n);
            EXPECT_EQ(differences(ours.data, theirs.data, n), 0u) << n << " keys";
        };
        keys_alone(std::uint32_t{});
        keys_alone(float{});
        Device<std::uint32_t> keys(n), values(n), ours(n), our_values(n), theirs(n), their_values(n);
        fill(keys.data, n, n);
        fill(values.data, n);
        std::size_t bytes = 0;
        check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys.data, theirs.data, values.data, their_values.data,
                                              size));
        Device<std::uint8_t> scratch(bytes);
        check(cub::DeviceRadixSort::SortPairs(scratch.data, bytes, keys.data, theirs.data, values.data,
                                              their_values.data, size));
        kogge::radix_sort_pairs(keys.data, ours.data, values.data, our_values.data, n);
        EXPECT_EQ(differences(ours.data, theirs.data, n), 0u) << n << " keys of pairs";
        EXPECT_EQ(differences(our_values.data, their_values.data, n), 0u) << n << " values";
    }
}

TEST(Halves, SortAsCudasTypes) {
    const auto bits = random_items<kogge::half>(50000);
    Array<kogge::half> keys(bits);
    kogge::radix_sort(reinterpret_cast<__half*>(keys.data()), bits.size());
    Array<kogge::half> own(bits);
    kogge::radix_sort(own.data(), bits.size());
    EXPECT_TRUE(same(keys.get(), own.get()));
}

}  // namespace
