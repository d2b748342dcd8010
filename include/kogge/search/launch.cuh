// Searches on the device: the plan and its launch.
#pragma once

#include "kogge/detail/prebuilt_merge.hpp"
#include "kogge/exec.hpp"
#include "kogge/plan/search.hpp"
#include "kogge/search/kernel.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Searches on the device. The arguments have been checked.
template <class Problem>
void device_search(const Problem& problem, const exec& how) {
    using Item = typename Problem::Item;
    const search_plan plan =
        plan_search(problem.n.host, problem.needle_count.host, sizeof(Item), simt::properties_of(how.stream));
    if (plan.tiles == 0) return;
    if (plan.is<search_by_warps>())
        return simt::launch(search_warps_kernel<Problem>,
                            {plan.blocks, kSearchThreads, 0, how.stream, "search_warps_kernel"}, problem);
    simt::launch(search_threads_kernel<Problem>,
                 {plan.blocks, kSearchThreads, sizeof(SearchPivots<Item>), how.stream, "search_threads_kernel"},
                 problem);
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

template <class Code, bool upper, class Item, class Result, class Less>
void device_search_arrays(const Item* sorted, const Item* needles, Result* out, const item_count& n,
                          const item_count& needle_count, Less less, const exec& how) {
    using Problem = SearchProblem<const Item*, const Item*, Result*, Result, Less, upper>;
    device_search(
        Problem{
            sorted, needles, out, {n.bound(), n.on_device()}, {needle_count.bound(), needle_count.on_device()}, less},
        how);
}

}  // namespace kogge::grid
