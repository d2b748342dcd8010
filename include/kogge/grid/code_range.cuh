// Bins of about as many keys each, by their codes: equal stretches between two bounds, which a sample of the keys
// suggests. Any bounds are right, as all lower codes fall into the first bin and all higher ones into the last: they
// decide only how even the bins are.
#pragma once

#include <cstdint>

#include "kogge/grid/grid_chunk.cuh"

namespace kogge::grid {

/// The number of bits that a number takes.
template <class Bits>
KOGGE_DEVICE int bit_width(Bits number) {
    int width = 0;
    KOGGE_UNROLL
    for (int step = static_cast<int>(4 * sizeof(Bits)); step > 0; step /= 2)
        if (number >> step != 0) {
            number >>= step;
            width += step;
        }
    return width + (number != 0 ? 1 : 0);
}

/// The lowest and the highest of the codes that all threads of a block have; each calls. They share words of the
/// block's tables, which a barrier must follow before the next call.
template <class Bits>
struct CodeBounds {
    Bits low, high;

    KOGGE_DEVICE void add(const Bits& code) {
        low = code < low ? code : low;
        high = code > high ? code : high;
    }
    KOGGE_DEVICE void gather(GridSortShared& shared) {
        constexpr int warps = GridSortShared::kWarps;
        over_lanes(simt::kWarpSize);
        if (simt::lane() == 0) {
            *reinterpret_cast<Bits*>(shared.lowest[simt::warp_rank()]) = low;
            *reinterpret_cast<Bits*>(shared.highest[simt::warp_rank()]) = high;
        }
        simt::sync_block();  // all warps have written theirs
        low = *reinterpret_cast<const Bits*>(shared.lowest[simt::lane() % warps]);
        high = *reinterpret_cast<const Bits*>(shared.highest[simt::lane() % warps]);
        over_lanes(warps);
    }

private:
    KOGGE_DEVICE void over_lanes(int lanes) {
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            const Bits other_low = simt::shuffle_xor(low, distance), other_high = simt::shuffle_xor(high, distance);
            low = other_low < low ? other_low : low;
            high = other_high > high ? other_high : high;
        }
    }
};

inline constexpr std::uint32_t kRangeSamples = 2 * kGridSortThreads;

template <class Bits>
struct CodeRange {
    Bits low, high;
    int right, left;      ///< shifts that make the way from `low` to `high` a number of kWidth bits
    std::uint32_t scale;  ///< bins for such a step, times 2^32

    KOGGE_DEVICE CodeRange(const CodeBounds<Bits>& sampled, std::uint32_t bins) {
        // What the sample leaves out at either end is expected to be as wide as the gaps between its keys. But bounds
        // near to whole powers of two are these.
        const Bits gap = (sampled.high - sampled.low) / kRangeSamples;
        const int width = bit_width(static_cast<Bits>(sampled.low ^ sampled.high));
        const Bits ones = static_cast<Bits>(~Bits{0}), below = width == 0 ? Bits{0} : ones >> (kBits - width);
        const Bits whole_low = sampled.low & static_cast<Bits>(~below), whole_high = sampled.high | below;
        low = sampled.low - whole_low <= kNear * gap ? whole_low : static_cast<Bits>(sampled.low - gap);
        high = whole_high - sampled.high <= kNear * gap ? whole_high : static_cast<Bits>(sampled.high + gap);
        const int bits = bit_width(static_cast<Bits>(high - low));
        right = bits > kWidth ? bits - kWidth : 0;
        left = bits > kWidth ? 0 : kWidth - bits;
        // A little less than bins / steps, so that the last step falls into the last bin: division takes long.
        scale = static_cast<std::uint32_t>(static_cast<float>(bins) * 0x1.fffffp31f /
                                           static_cast<float>(step_of(high) + 1));
    }

    KOGGE_DEVICE std::uint32_t bin(const Bits& code) const {
        const Bits within = code < low ? low : code > high ? high : code;
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(step_of(within)) * scale >> 32);
    }

private:
    static constexpr int kBits = static_cast<int>(8 * sizeof(Bits)), kWidth = 24;
    static constexpr std::uint32_t kNear = 8;

    KOGGE_DEVICE std::uint32_t step_of(const Bits& within) const {
        return static_cast<std::uint32_t>((within - low) >> right) << left;
    }
};

}  // namespace kogge::grid
