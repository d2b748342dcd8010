// Compaction of several arrays by one decision, on the device, by one kernel for all arrays.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kogge/arrays.hpp"
#include "kogge/compact/arrays/pipeline.cuh"
#include "kogge/compact/arrays/problem.cuh"
#include "kogge/compact/arrays/wave.cuh"
#include "kogge/compact/scratch.hpp"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/exec.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The kernels for arrays of such items. Keep is the decision as they see it. The first `read_only` arrays have no
/// output.
template <class Keep, int read_only, class... Items>
struct ArraysKernels {
    static constexpr int kReadOnly = read_only;
    static constexpr bool kFits = arrays_items({sizeof(Items)...}) > 0;
    static constexpr bool kTakesRing = !std::is_same_v<Keep, ByFlag>;
    using Decision = Keep;
    using Work = CompactArraysWork<Keep, read_only, Items...>;
    template <class Problem>
    static void launch_wave(const compact_wave& way, std::uint32_t blocks, const Problem& problem,
                            std::uint32_t* aggregates, stream_t stream) {
        launch_arrays_wave<read_only, Items...>(way, blocks, problem, aggregates, stream);
    }
};
/// The kernels for a caller's decision. A stencil becomes the first array, which is only read.
template <class Keep, class... Items>
struct ArraysDecision : ArraysKernels<Keep, 0, Items...> {
    static void put_stencil(const Keep&, const void**) {}
    static Keep keep(const Keep& keep) { return keep; }
};
template <class Stencil, class Predicate, class... Items>
struct ArraysDecision<ByStencil<Stencil, Predicate>, Items...>
    : ArraysKernels<ByPredicate<Predicate>, 1, Stencil, Items...> {
    static void put_stencil(const ByStencil<Stencil, Predicate>& keep, const void** to) { *to = keep.stencil; }
    static ByPredicate<Predicate> keep(const ByStencil<Stencil, Predicate>& keep) { return {keep.predicate}; }
};

/// Launches a plan of plan_compact_arrays. `total` is device memory.
template <class... In, class... Out, class Keep>
void device_compact_arrays(const char* call, const compact_plan& plan, const array_pack<In...>& in,
                           const array_pack<Out...>& out, const item_count& n, std::uint64_t* total, const Keep& keep,
                           const exec& how) {
    using Kernels = ArraysDecision<Keep, Out...>;
    constexpr int read_only = Kernels::kReadOnly;
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes, [&](detail::Carver& carver) {
        return carve_compact(carver, plan, n.bound(), 0);
    });
    const CompactMemory& memory = *scratch;

    ArraysProblem<typename Kernels::Decision, read_only + static_cast<int>(sizeof...(Out))> problem{
        {}, {n.bound(), n.on_device()}, Kernels::keep(keep), total};
    Kernels::put_stencil(keep, problem.arrays.in);
    bool in_place = false;
    [&]<std::size_t... a>(std::index_sequence<a...>) {
        ((problem.arrays.in[read_only + a] = std::get<a>(in.pointers)), ...);
        ((problem.arrays.out[read_only + a] = std::get<a>(out.pointers)), ...);
        in_place = ((std::get<a>(in.pointers) == std::get<a>(out.pointers)) || ...);
    }
    (std::make_index_sequence<sizeof...(Out)>{});
    if (const auto* const way = plan.as<compact_wave>())
        return Kernels::launch_wave(*way, plan.blocks, problem, memory.aggregates, how.stream);
    if constexpr (Kernels::kTakesRing) {
        const typename Kernels::Work work{problem.arrays, problem.n, {}, {}, problem.keep, total};
        const bool has_tickets = !plan.as<compact_pipeline>()->cooperative;
        if (has_tickets) simt::fill(memory.board.ticket, 0, memory.board.zeroed, how.stream);
        launch_ring<kArraysRingAhead, kArraysRingParts, kArraysRingLoading>(
            work, make_board<Tally>(memory.board, has_tickets, in_place), plan.blocks, "compact_arrays_kernel",
            how.stream);
    }
}

}  // namespace kogge::grid::KOGGE_CODE
