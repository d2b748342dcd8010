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

// ---- keys that are no array ----------------------------------------------------------------------------

namespace kogge::detail::KOGGE_CODE {

/// As the grid's of KeyHeads, which finds it by its argument: a bit per item of a lane's pieces.
template <int rows, int piece, class Keys, class Equal>
KOGGE_DEVICE std::uint32_t look_for_heads(const SequenceHeads<Keys, Equal>& heads, std::uint64_t first, int left) {
    static_assert(rows * piece <= 32, "a bit an item");
    if (left <= 0) return 0;
    std::uint32_t bits = 0;
    KOGGE_UNROLL
    for (int r = 0; r < rows; ++r) {
        KOGGE_UNROLL
        for (int p = 0; p < piece; ++p) {
            const int i = r * piece * simt::kWarpSize + p;
            bits |= static_cast<std::uint32_t>(heads.starts(first + static_cast<std::uint64_t>(i < left ? i : 0)))
                    << (r * piece + p);
        }
    }
    return bits;
}
template <class Keys, class Equal>
KOGGE_DEVICE void prefetch_heads(const SequenceHeads<Keys, Equal>&, std::uint64_t, int) {}

}  // namespace kogge::detail::KOGGE_CODE
