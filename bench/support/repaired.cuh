// What a sort costs whose ranks, taken as the machine serves them, turn out to be in the wrong order. No GPU measured
// so far serves lanes out of order, so the check is made to fail instead: everything that a repair does is done, and
// the result is compared as any other's. Sorts by all digits have that check, and this one may leave none out. Part of
// radix_sort_bench.cpp.
#pragma once

#include "harness.hpp"
#include "kogge/sort/launch.cuh"

namespace bench {

template <class Bits>
struct NeverInOrder : kogge::grid::NumberBucket<Bits> {
    using kogge::grid::NumberBucket<Bits>::NumberBucket;
    KOGGE_DEVICE bool ordered(Bits, Bits) const { return false; }
};

/// sort(in, out, how): the passes of an ascending sort, their check, and the repair.
template <class T>
auto repaired_sort(std::uint64_t n) {
    namespace grid = kogge::grid;
    constexpr int bits = 8 * sizeof(T);
    kogge::radix_sort_plan plan = kogge::plan_radix_sort(
        n, grid::sort_shape(sizeof(T), 0, bits, false, true, false, {}), kogge::simt::current_properties());
    plan.orders_groups = plan.samples_values = false;
    plan.span_threads = 0;
    if (!plan.checks_order) throw LeftOut("a sort of " + std::to_string(n) + " such keys has no check to fail");
    return [=](const T* in, T* out, const kogge::exec& how) {
        kogge::detail::Carver measure;
        grid::carve_radix_sort(measure, plan);
        kogge::detail::Scratch scratch("radix_sort", how, measure.used());
        kogge::detail::Carver carver(scratch.data());
        grid::split_passes<T, grid::NoValue>(in, out, nullptr, nullptr, grid::Count{n, nullptr},
                                             NeverInOrder<T>(kogge::detail::NumberCodec<T>(), 0, bits), plan,
                                             grid::carve_radix_sort(carver, plan).split, how.stream);
    };
}

}  // namespace bench
