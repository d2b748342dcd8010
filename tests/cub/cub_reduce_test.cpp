// kogge-test: GPU
// Reductions beside CUB's. Sums of integers and extremes are compared bit for bit, sums of floats that are exact, too.
#include <gtest/gtest.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include "kogge/calls/reduce.hpp"
#include "kogge/calls/reduce_by_key.hpp"
#include "kogge/calls/segmented_reduce.hpp"
#include "support/cub.hpp"
#include "support/scan_plans.hpp"

namespace {

using namespace tests;

/// The last size is the least of a way that is not for what fits the device at once, as is_many(n) has it.
std::vector<std::size_t> sizes(const auto& is_many) {
    std::vector<std::size_t> list{1, 33, 4097, 1000003};
    if (small()) return list;
    std::size_t n = list.back();
    while (!is_many(n)) n += n / 16;
    list.push_back(n);
    return list;
}
const kogge::device_properties& device() { return kogge::simt::current_properties(); }

template <class T>
std::vector<T> summable(std::size_t n) {
    auto items = random_items<T>(n, n);
    if constexpr (std::is_floating_point_v<T>)
        for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(static_cast<int>(i * 7 % 15) - 7);
    return items;
}

template <class T>
void compare(std::size_t n) {
    SCOPED_TRACE(std::to_string(n) + " items of " + std::to_string(sizeof(T)) + " bytes");
    const Array<T> in(summable<T>(n));
    Array<T> ours(1), theirs(1);
    const auto size = static_cast<std::int64_t>(n);
    run_cub([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceReduce::Sum(temporary, bytes, in.data(), theirs.data(), size);
    });
    kogge::reduce(in.data(), ours.data(), n);
    EXPECT_TRUE(same(ours.get(), theirs.get()));
    run_cub([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceReduce::Max(temporary, bytes, in.data(), theirs.data(), size);
    });
    kogge::reduce(in.data(), ours.data(), n, kogge::maximum{});
    EXPECT_TRUE(same(ours.get(), theirs.get()));
    run_cub([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceReduce::Min(temporary, bytes, in.data(), theirs.data(), size);
    });
    EXPECT_TRUE(same(std::vector<T>{kogge::reduce(in.data(), n, kogge::minimum{})}, theirs.get()));
    Array<std::int64_t> index(1);
    run_cub([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceReduce::ArgMin(temporary, bytes, in.data(), theirs.data(), index.data(), size);
    });
    const auto least = kogge::arg_min(in.data(), n);
    EXPECT_EQ(least.index, static_cast<std::uint64_t>(index.get()[0]));
    EXPECT_EQ(least.item, theirs.get()[0]);
    run_cub([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceReduce::ArgMax(temporary, bytes, in.data(), theirs.data(), index.data(), size);
    });
    EXPECT_EQ(kogge::arg_max(in.data(), n).index, static_cast<std::uint64_t>(index.get()[0]));
}
template <class T>
void compare_sizes() {
    const auto takes_blocks = [](std::size_t n) {
        const auto is_of_blocks = [&](std::size_t accumulator) {
            return kogge::plan_reduce(n, {sizeof(T), accumulator}, device()).template is<kogge::reduce_blocks>();
        };
        return is_of_blocks(sizeof(T)) && is_of_blocks(sizeof(kogge::detail::Indexed<T>));
    };
    for (const std::size_t n : sizes(takes_blocks)) compare<T>(n);
}
TEST(CubReduce, Numbers) {
    compare_sizes<std::uint8_t>();
    compare_sizes<std::int32_t>();
    compare_sizes<std::uint64_t>();
    compare_sizes<float>();
    compare_sizes<double>();
}

template <class T>
std::vector<T> front(const Array<T>& array, std::uint64_t n) {
    std::vector<T> items = array.get();
    items.resize(n);
    return items;
}
TEST(CubReduce, ByKey) {
    const auto draws_tickets = [](std::size_t n) {
        return !is_cooperative(kogge::plan_reduce_by_key(n, {4, 4, 4}, device()));
    };
    for (const std::size_t n : sizes(draws_tickets)) {
        for (const Distribution distribution :
             {Distribution::one_value, Distribution::two_values, Distribution::sorted, Distribution::uniform}) {
            const Array<std::uint32_t> keys(items_of<std::uint32_t>(distribution, n));
            const Array<float> values(summable<float>(n));
            Array<std::uint32_t> our_keys(n), their_keys(n);
            Array<float> ours(n), theirs(n);
            Array<std::uint64_t> count(1);
            run_cub([&](void* temporary, std::size_t& bytes) {
                return cub::DeviceReduce::ReduceByKey(temporary, bytes, keys.data(), their_keys.data(), values.data(),
                                                      theirs.data(), count.data(), kogge::plus{}, static_cast<int>(n));
            });
            const std::uint64_t runs = count.get()[0];
            EXPECT_EQ(kogge::reduce_by_key(keys.data(), values.data(), our_keys.data(), ours.data(), n), runs);
            EXPECT_TRUE(same(front(our_keys, runs), front(their_keys, runs)));
            EXPECT_TRUE(same(front(ours, runs), front(theirs, runs)));
        }
    }
}

// Long segments are cut in parts: at last into more of these than the device has room for at once.
TEST(CubReduce, Segments) {
    const auto has_many_parts = [](std::size_t n) {
        const auto plan = kogge::plan_segmented_reduce(n, 4, false, {sizeof(float), sizeof(float)}, device());
        const int blocks = device().multiprocessors * device().max_threads_per_multiprocessor / plan.threads;
        return n / plan.part_items > static_cast<std::uint64_t>(blocks);
    };
    for (const std::size_t n : sizes(has_many_parts))
        for (const std::uint64_t mean : {3, 200, 20000, 3000000}) {
            std::vector<std::uint64_t> offsets;
            Random random(n + mean);
            for (std::uint64_t at = 0; at < n; at += random() % (2 * mean)) offsets.push_back(at);
            const std::uint64_t segments = offsets.size();
            offsets.push_back(n);
            const Array<float> in(summable<float>(n));
            const Array<std::uint64_t> at(offsets);
            Array<float> ours(segments), theirs(segments);
            run_cub([&](void* temporary, std::size_t& bytes) {
                return cub::DeviceSegmentedReduce::Sum(temporary, bytes, in.data(), theirs.data(),
                                                       static_cast<int>(segments), at.data(), at.data() + 1);
            });
            kogge::segmented_reduce(in.data(), ours.data(), n, at.data(), segments);
            EXPECT_TRUE(same(ours.get(), theirs.get())) << n << " items, " << segments << " segments";
        }
}

}  // namespace
