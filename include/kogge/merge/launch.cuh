// Merges on the device: the plan and its launch.
#pragma once

#include "kogge/detail/prebuilt_merge.hpp"
#include "kogge/exec.hpp"
#include "kogge/merge/kernel.cuh"
#include "kogge/plan/merge.hpp"

namespace kogge::grid::KOGGE_CODE {

template <int items, class Problem>
void launch_merge(const Problem& problem, const merge_plan& plan, stream_t stream) {
    using Shared = MergeShared<Problem, items>;
    static_assert(sizeof(Shared) <= merge_shared_bytes(sizeof(typename Problem::Item), items), "plans count on it");
    simt::launch(merge_kernel<Problem, items>, {plan.blocks, kMergeThreads, sizeof(Shared), stream, "merge_kernel"},
                 problem);
}

/// Merges on the device. The arguments have been checked.
template <class Problem>
void device_merge(const Problem& problem, const exec& how) {
    using Item = typename Problem::Item;
    const merge_plan plan =
        plan_merge(problem.n_a.host, problem.n_b.host, sizeof(Item), simt::properties_of(how.stream));
    if (plan.n == 0) return;
    constexpr int many = merge_items(sizeof(Item)), few = few_merge_items(sizeof(Item));
    if (plan.items_per_thread == many) launch_merge<many>(problem, plan, how.stream);
    else launch_merge<few>(problem, plan, how.stream);
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

template <class Code, class Item, class Word, class Less>
void device_merge_arrays(const Item* a, const Item* b, Item* out, const Word* values_a, const Word* values_b,
                         Word* values_out, const item_count& n_a, const item_count& n_b, Less less, const exec& how) {
    using Problem = MergeProblem<const Item*, const Item*, Item*, const Word*, const Word*, Word*, Less>;
    device_merge(Problem{a,
                         b,
                         out,
                         values_a,
                         values_b,
                         values_out,
                         {n_a.bound(), n_a.on_device()},
                         {n_b.bound(), n_b.on_device()},
                         less},
                 how);
}

}  // namespace kogge::grid
