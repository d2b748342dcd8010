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
    const auto* const planned = plan.as<kogge::pass_sort>();
    if (!planned || !planned->checks_order)
        throw LeftOut("a sort of " + std::to_string(n) + " such keys has no check to fail");
    kogge::pass_sort way = *planned;
    way.prefix.reset();
    plan.way = way;
    return [=](const T* in, T* out, const kogge::exec& how) {
        const kogge::detail::CarvedScratch scratch(
            "radix_sort", how, plan.scratch_bytes,
            [&](kogge::detail::Carver& carver) { return grid::carve_radix_sort(carver, plan); });
        const grid::SortArrays<T, grid::NoValue> arrays{in, out, nullptr, nullptr, {n, nullptr}};
        grid::launch_sort(*plan.as<kogge::pass_sort>(), plan, arrays,
                          NeverInOrder<T>(kogge::detail::NumberCodec<T>(), 0, bits), *scratch, how.stream);
    };
}

}  // namespace bench
