// kogge-test: GPU
// Scans beside CUB's, bit for bit.
#include <gtest/gtest.h>

#include <cub/device/device_scan.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

#include "support/cub.hpp"

namespace {

using namespace tests;

// CUB takes an operator's result type for the accumulator's, so that sums need one that keeps the items' type.
template <class Op>
Op operator_for_cub(Op op) {
    return op;
}
cuda::std::plus<> operator_for_cub(kogge::plus) { return {}; }
cuda::maximum<> operator_for_cub(kogge::maximum) { return {}; }

struct Cub {
    template <class T, class Op>
    static std::vector<T> inclusive(const std::vector<T>& items, Op op) {
        const Array<T> in(items);
        Array<T> out(items.size());
        run_cub([&](void* temporary, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveScan(temporary, bytes, in.data(), out.data(), operator_for_cub(op),
                                                  static_cast<std::int64_t>(items.size()));
        });
        return out.get();
    }
    template <class T, class Acc, class Op>
    static std::vector<Acc> exclusive(const std::vector<T>& items, Acc init, Op op) {
        const Array<T> in(items);
        Array<Acc> out(items.size());
        run_cub([&](void* temporary, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveScan(temporary, bytes, in.data(), out.data(), operator_for_cub(op), init,
                                                  static_cast<std::int64_t>(items.size()));
        });
        return out.get();
    }
    template <class Key, class T>
    static std::vector<T> sums_by_key(const std::vector<Key>& keys, const std::vector<T>& items) {
        const Array<Key> runs(keys);
        const Array<T> in(items);
        Array<T> out(items.size());
        run_cub([&](void* temporary, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, runs.data(), in.data(), out.data(),
                                                      static_cast<std::int64_t>(items.size()));
        });
        return out.get();
    }
};

TEST(CubScan, EveryCase) {
    compare_with_cub<Cub>("scan", []<class Library>(Library, auto report) { scan_cases<Library>(report); });
}

}  // namespace
