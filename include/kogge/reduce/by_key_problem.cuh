// A reduction by key as its kernels see it: a scan by key that stores no scan. The scan's operator counts the runs that
// have begun, and restarts at each of them; where a run begins, the fold of the run before it is complete, and known
// with its number.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/detail/keyed_items.hpp"
#include "kogge/scan/heads.cuh"
#include "kogge/scan/pipeline.cuh"
#include "kogge/scan/tile.cuh"
#include "kogge/scan/wave.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Keys, class Values, class Sum, class Equal, bool wide>
inline constexpr std::size_t kRunValueBytes<detail::KeyedItems<Keys, Values, Sum, Equal, wide>> =
    sizeof(typename detail::KeyedItems<Keys, Values, Sum, Equal, wide>::Value);

/// `wide`: runs are counted in 64 bits.
template <class Keys, class Values, class KeysOut, class Sum, class Op, class Equal, bool wide>
struct ByKeyProblem : ScanProblem<detail::KeyedItems<Keys, Values, Sum, Equal, wide>, Sum, detail::RunSum<Sum, wide>,
                                  detail::AddRunSums<Op>> {
    KeysOut keys_out;
    std::uint64_t* total;

    /// Run `run` begins at `index`; the fold of the run before it is complete.
    KOGGE_DEVICE void begin(std::uint64_t run, std::uint64_t index, const Sum& sum_before) const {
        keys_out[run] = this->in.heads.keys[index];
        if (run > 0) this->out[run - 1] = sum_before;
    }
    /// All items are folded.
    KOGGE_DEVICE void complete(const Carry<detail::RunSum<Sum, wide>>& all) const {
        const std::uint64_t runs = all.present ? all.value.number() : 0;
        if (runs > 0) this->out[runs - 1] = all.value.value;
        *total = runs;
    }
};

}  // namespace kogge::grid::KOGGE_CODE
