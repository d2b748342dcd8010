// Stable ranks by atomics, in the order in which the machine serves the lanes, with a proof that this was the order of
// the lanes, which nobody promises.
//
// Beside the count of a digit, its counter sums up weights of the lanes that it has served, and a lane reads it before
// the lanes of a row add to it. What its atomic returns, less what was read, tells the weights of the lanes of its
// digit that this row served before it. Weights grow with the lane: if one of those lanes is a later one, their sum is
// at least the weight of the next lane. So no wrong order goes unseen. In order, the sum stays below that, unless six
// or more lanes are neighbours (only weights that grow by the golden ratio would rule it out, and those do not fit). A
// warp that sees more than it should ranks again by ballots, before anybody has seen its counts.
#pragma once

#include <cstdint>

#include "kogge/digit/key_digits.cuh"

namespace kogge::grid::KOGGE_CODE {

/// What a lane adds to counters, and what it looks for in them.
struct Witness {
    static constexpr int kCountBits = 10;
    static constexpr std::uint32_t kCount = (1u << kCountBits) - 1;
    /// A warp whose first row has this many lanes of one digit, or fewer, may be ranked so: counts then fit.
    static constexpr int kMostAlike = 6;
    static constexpr int kMostRows = 32;  ///< of lanes that a warp may rank
    static_assert(kMostAlike + (kMostRows - 1) * simt::kWarpSize <= static_cast<int>(kCount));

    std::uint32_t added;  ///< one, and this lane's weight
    std::uint32_t bound;  ///< earlier lanes add less; a later one adds this or more
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

    /// The rank that a lane's atomic gave it; `before` the row's atomics the counter was that.
    KOGGE_HOST_DEVICE std::uint32_t rank(std::uint32_t before, std::uint32_t served) {
        disorder = disorder || served - before >= bound;
        return served & kCount;
    }
    /// The lanes that `take` part are ranked. All lanes call, register after register.
    KOGGE_DEVICE std::uint32_t serve(std::uint32_t digit, std::uint32_t* row, bool take) {
        const std::uint32_t before = row[digit];
        simt::sync_warp();  // all lanes have read before one adds
        std::uint32_t served = before;
        if (take) served = simt::atomic_add<simt::Scope::block>(row + digit, added);
        simt::sync_warp();  // the next register reads what was added
        return rank(before, served);
    }
    /// Whether all ranks were those of lanes in order. Leaves nothing but counts in the row; else zeros. All lanes
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
