// What the device has found about the keys of a sort by passes, and how it has sorted them: read from the workspace
// that the call has used.
#pragma once

#include "kogge/simt/config.hpp"
#if KOGGE_KERNELS

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kogge/pass/schedule.cuh"
#include "kogge/plan/radix_sort.hpp"
#include "kogge/sort/common/scratch.hpp"
#include "support/backend.hpp"

namespace tests {

struct Sorted {
    kogge::grid::PassControl control;
    std::uint32_t large;  ///< buckets too large for a block
};

/// Makes the call sort(how), whose plan this is, by passes that may be over leading digits alone.
template <class Sort>
Sorted sorted_with(const kogge::radix_sort_plan& plan, const Sort& sort) {
    Array<std::byte> space(plan.scratch_bytes);
    sort(kogge::exec{.space = {space.data(), plan.scratch_bytes}});
    std::vector<std::byte> bytes = space.get();
    const std::size_t past = reinterpret_cast<std::uintptr_t>(space.data()) % kogge::detail::kScratchAlignment;
    kogge::detail::Carver carver(bytes.data() + (past > 0 ? kogge::detail::kScratchAlignment - past : 0));
    const kogge::grid::PassMemory passes = kogge::grid::carve_radix_sort(carver, plan).passes;
    Sorted sorted{};
    std::memcpy(&sorted.control, passes.control, sizeof sorted.control);
    std::uint64_t listed = 0;
    std::memcpy(&listed, passes.listed, sizeof listed);
    sorted.large = static_cast<std::uint32_t>(listed >> 32);
    return sorted;
}

}  // namespace tests

#endif
