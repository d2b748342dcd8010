// Stable ranks by atomics in arrival order (the order in which the lanes' atomics return), with a proof that it was the
// order of the lanes, which is not guaranteed.
//
// A digit's counter holds, beside the count, the sum of the weights of the lanes that have arrived. A lane reads the
// counter before the lanes of a row add to it. The value that its atomic returns, less the value read, gives the
// weights of the lanes of the same digit and row that arrived earlier. Weights grow with the lane: if one of those
// lanes is a later lane, their sum is at least the weight of the next lane. So every wrong order is detected. In the
// right order the sum stays below that weight, unless six or more of the lanes are neighbours. (Only weights that grow
// by the golden ratio would exclude that, and those do not fit.) A warp whose sum is too large ranks again by ballots,
// before its counts are visible to others.
#pragma once

#include <cstdint>

#include "kogge/digit/key_digits.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The number that a lane adds to counters, and the bound on the numbers that it reads from them.
struct Witness {
    static constexpr int kCountBits = 10;
    static constexpr std::uint32_t kCount = (1u << kCountBits) - 1;
    /// A warp whose first row has at most this many lanes of one digit may use these ranks: then the counts fit.
    static constexpr int kMostAlike = 6;
    static constexpr int kMostRows = 32;  ///< rows of lanes that a warp may rank
    static_assert(kMostAlike + (kMostRows - 1) * simt::kWarpSize <= static_cast<int>(kCount));

    std::uint32_t added;  ///< one, and this lane's weight
    std::uint32_t bound;  ///< earlier lanes add less; a later lane adds this or more
    bool disorder = false;

    KOGGE_HOST_DEVICE static constexpr std::uint32_t weight_after(std::uint32_t weight) {
        return weight + (weight * 73 >> 7) + 1;
    }
    KOGGE_HOST_DEVICE explicit Witness(int lane) {
        std::uint32_t weight = 0;
        for (int l = 0; l < lane; ++l) weight = weight_after(weight);
        added = 1 + (weight << kCountBits);
        bound = weight_after(weight) << kCountBits;
    }

    /// The rank from `served`, which a lane's atomic returned. `before`: the counter before the row's atomics.
    KOGGE_HOST_DEVICE std::uint32_t rank(std::uint32_t before, std::uint32_t served) {
        disorder = disorder || served - before >= bound;
        return served & kCount;
    }
    /// Ranks the lanes that `take` part. All lanes call, register after register.
    KOGGE_DEVICE std::uint32_t serve(std::uint32_t digit, std::uint32_t* row, bool take) {
        const std::uint32_t before = row[digit];
        simt::sync_warp();  // all lanes have read before one adds
        std::uint32_t served = before;
        if (take) served = simt::atomic_add<simt::Scope::block>(row + digit, added);
        simt::sync_warp();  // the next register reads the sums
        return rank(before, served);
    }
    /// Whether all ranks were in lane order. If so, leaves the counts alone in the row, otherwise zeros. All lanes
    /// call.
    KOGGE_DEVICE bool finish(std::uint32_t* row) const {
        const std::uint32_t kept = simt::any(disorder) ? 0 : kCount;
        KOGGE_UNROLL
        for (int i = 0; i < kBins; i += simt::kWarpSize) row[i + simt::lane()] &= kept;
        if (kept == 0) simt::sync_warp();  // the counters are zero
        return kept != 0;
    }

    static constexpr bool fits() {
        std::uint64_t all = 0;
        std::uint32_t weight = 0;
        for (int l = 0; l < simt::kWarpSize; ++l, weight = weight_after(weight)) all += weight;
        return all < std::uint64_t{1} << (32 - kCountBits);
    }
};
static_assert(Witness::fits(), "the weights of a row's lanes fit beside the count");

}  // namespace kogge::grid::KOGGE_CODE
