// kogge-test: GPU
// Runs of equal neighbours beside CUB's, item for item.
#include <gtest/gtest.h>

#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include "kogge/runs.hpp"
#include "support/cub.hpp"

namespace {

using namespace tests;

template <class T>
std::vector<T> front(const Array<T>& array, std::uint64_t n) {
    std::vector<T> items = array.get();
    items.resize(n);
    return items;
}

template <class T>
void compare(const std::vector<T>& items) {
    const std::uint64_t n = items.size();
    const auto size = static_cast<int>(n);
    const Array<T> in(items);
    Array<T> ours(n), theirs(n), our_values(n), their_values(n);
    Array<std::uint32_t> our_lengths(n), their_lengths(n);
    Array<std::uint64_t> count(1);
    run_cub([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceSelect::Unique(temporary, bytes, in.data(), theirs.data(), count.data(), size);
    });
    const std::uint64_t runs = count.get()[0];
    EXPECT_EQ(kogge::unique(in.data(), ours.data(), n), runs);
    EXPECT_TRUE(same(front(ours, runs), front(theirs, runs)));

    const auto values = random_items<T>(n, 5);
    const Array<T> beside(values);
    run_cub([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceSelect::UniqueByKey(temporary, bytes, in.data(), beside.data(), theirs.data(),
                                              their_values.data(), count.data(), size);
    });
    EXPECT_EQ(kogge::unique_by_key(in.data(), beside.data(), ours.data(), our_values.data(), n), runs);
    EXPECT_TRUE(same(front(our_values, runs), front(their_values, runs)));

    run_cub([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceRunLengthEncode::Encode(temporary, bytes, in.data(), theirs.data(), their_lengths.data(),
                                                  count.data(), size);
    });
    EXPECT_EQ(kogge::run_length_encode(in.data(), ours.data(), our_lengths.data(), n), runs);
    EXPECT_TRUE(same(front(ours, runs), front(theirs, runs)));
    EXPECT_TRUE(same(front(our_lengths, runs), front(their_lengths, runs)));
}

TEST(CubRuns, OfDistributions) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{4097}, std::size_t{small() ? 100001u : 5000001u}}) {
        for (const Distribution distribution :
             {Distribution::one_value, Distribution::two_values, Distribution::values_16, Distribution::uniform}) {
            compare(items_of<std::uint32_t>(distribution, n));
            compare(items_of<std::uint64_t>(distribution, n));
        }
        auto sorted = items_of<std::uint8_t>(Distribution::uniform, n);
        std::sort(sorted.begin(), sorted.end());
        compare(sorted);
    }
}

}  // namespace
