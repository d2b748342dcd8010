// Bins of about equally many keys, in order of their codes: equal intervals of codes, or of floats' values, between two
// bounds that a sample of the keys suggests. Any bounds give a right result, since lower codes fall into the first bin
// and higher codes into the last: bounds decide only how uniform the bins are.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "kogge/sort/resident/block_keys.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The number of bits in a number.
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

/// The maximum over all lanes, in every lane; found word by word.
template <class Bits>
KOGGE_DEVICE Bits warp_maximum(const Bits& number) {
    if constexpr (sizeof(Bits) <= 4) {
        return static_cast<Bits>(simt::reduce_max(number));
    } else {
        constexpr int words = sizeof(Bits) / 4;
        Bits most{};
        KOGGE_UNROLL
        for (int word = words - 1; word >= 0; --word) {
            const bool leads = number >> 1 >> (32 * (word + 1) - 1) == most;  // upper words are the maximum's
            most = most << 32 | simt::reduce_max(leads ? static_cast<std::uint32_t>(number >> 32 * word) : 0);
        }
        return most;
    }
}

/// The lowest and the highest code of all threads of a block. All threads call gather. It uses words of the block's
/// tables, so a barrier must follow before the next call.
template <class Bits>
struct CodeBounds {
    Bits low, high;

    KOGGE_DEVICE void add(const Bits& code) {
        low = code < low ? code : low;
        high = code > high ? code : high;
    }
    KOGGE_DEVICE Bits within(const Bits& code) const { return code < low ? low : code > high ? high : code; }
    KOGGE_DEVICE void gather(ResidentSortShared& shared) {
        constexpr int warps = ResidentSortShared::kWarps;
        over_lanes();
        if (simt::lane() == 0) {
            *reinterpret_cast<Bits*>(shared.lowest[simt::warp_rank()]) = low;
            *reinterpret_cast<Bits*>(shared.highest[simt::warp_rank()]) = high;
        }
        simt::sync_block();  // all warps have written their bounds
        low = *reinterpret_cast<const Bits*>(shared.lowest[simt::lane() % warps]);
        high = *reinterpret_cast<const Bits*>(shared.highest[simt::lane() % warps]);
        over_lanes();
    }

private:
    KOGGE_DEVICE void over_lanes() {
        low = static_cast<Bits>(~warp_maximum(static_cast<Bits>(~low)));
        high = warp_maximum(high);
    }
};

inline constexpr std::uint32_t kBucketSamples = 2 * kResidentSortThreads;

/// Less than 2^24 equal steps between two codes. Codes below the bounds take the first step, codes above the last.
template <class Bits_>
struct CodeSteps {
    using Bits = Bits_;
    static constexpr bool kAreOfCodes = true;
    static constexpr int kWidth = 24;

    CodeBounds<Bits> bounds;
    int right, left;  ///< shifts that make the distance from the lowest code a number of kWidth bits

    KOGGE_DEVICE CodeSteps(const NumberEncoding<Bits>&, const CodeBounds<Bits>& codes) : bounds(codes) {
        const int bits = bit_width(static_cast<Bits>(bounds.high - bounds.low));
        right = bits > kWidth ? bits - kWidth : 0;
        left = bits > kWidth ? 0 : kWidth - bits;
    }
    KOGGE_DEVICE bool are_some() const { return bounds.low < bounds.high; }
    KOGGE_DEVICE std::uint32_t operator()(const Bits& code) const {
        return static_cast<std::uint32_t>((bounds.within(code) - bounds.low) >> right) << left;
    }

    KOGGE_DEVICE static bool may_bound(const NumberEncoding<Bits>&, const Bits&) { return true; }
    /// Estimates the bounds of all keys. What the sample misses at either end is expected to be as wide as the gaps
    /// between its keys. A bound near a whole power of two becomes that power.
    KOGGE_DEVICE static CodeBounds<Bits> suggested(const NumberEncoding<Bits>&, const CodeBounds<Bits>& sampled) {
        constexpr std::uint32_t near = 8;
        constexpr int key_bits = static_cast<int>(8 * sizeof(Bits));
        const Bits gap = (sampled.high - sampled.low) / kBucketSamples;
        const int width = bit_width(static_cast<Bits>(sampled.low ^ sampled.high));
        const Bits ones = static_cast<Bits>(~Bits{0}), below = width == 0 ? Bits{0} : ones >> (key_bits - width);
        const Bits whole_low = sampled.low & static_cast<Bits>(~below), whole_high = sampled.high | below;
        return {sampled.low - whole_low <= near * gap ? whole_low : static_cast<Bits>(sampled.low - gap),
                whole_high - sampled.high <= near * gap ? whole_high : static_cast<Bits>(sampled.high + gap)};
    }
};

/// The same for floats, in equal steps of their values: uniform floats crowd the codes of their highest exponents. No
/// code between two codes of finite floats is a NaN's, so that values follow the codes; values that are not finite lie
/// beyond the bounds.
template <class Bits_>
struct ValueSteps {
    using Bits = Bits_;
    using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;
    static_assert(sizeof(Float) == sizeof(Bits));
    static constexpr bool kAreOfCodes = false;
    static constexpr int kWidth = 24;

    CodeBounds<Bits> bounds;
    NumberEncoding<Bits> encoding;
    Float first;  ///< the value of the lowest code
    Float scale;  ///< steps per unit of value, negative in descending order

    KOGGE_DEVICE ValueSteps(const NumberEncoding<Bits>& of_numbers, const CodeBounds<Bits>& codes)
        : bounds(codes), encoding(of_numbers), first(value_of(encoding, bounds.low)) {
        // So far below 2^24 steps that rounding does not reach 2^24.
        scale = Float{0x1.ffffep23f} / (value_of(encoding, bounds.high) - first);
    }
    /// False where a bound, or the distance between the bounds, is not finite.
    KOGGE_DEVICE bool are_some() const { return bounds.low < bounds.high && scale != 0 && scale - scale == 0; }
    KOGGE_DEVICE std::uint32_t operator()(const Bits& code) const {
        return static_cast<std::uint32_t>((value_of(encoding, bounds.within(code)) - first) * scale);
    }

    KOGGE_DEVICE static bool may_bound(const NumberEncoding<Bits>& encoding, const Bits& code) {
        const Float value = value_of(encoding, code);
        return value - value == 0;
    }
    KOGGE_DEVICE static CodeBounds<Bits> suggested(const NumberEncoding<Bits>& encoding,
                                                   const CodeBounds<Bits>& sampled) {
        const Float low = value_of(encoding, sampled.low), high = value_of(encoding, sampled.high);
        const Float gap = (high - low) / kBucketSamples;
        return {encoding.encode(std::bit_cast<Bits>(low - gap)), encoding.encode(std::bit_cast<Bits>(high + gap))};
    }

private:
    KOGGE_DEVICE static Float value_of(const NumberEncoding<Bits>& encoding, const Bits& code) {
        return std::bit_cast<Float>(encoding.decode(code));
    }
};

/// Bins of equally many steps each.
template <class Steps>
struct CodeRange {
    using Bits = typename Steps::Bits;
    CodeBounds<Bits> bounds;
    Steps steps;
    std::uint32_t scale = 0;  ///< bins per step, times 2^32

    KOGGE_DEVICE CodeRange(const NumberEncoding<Bits>& encoding, const CodeBounds<Bits>& sampled, std::uint32_t bins)
        : bounds(Steps::suggested(encoding, sampled)), steps(encoding, bounds) {
        if (!steps.are_some()) return;
        // A little less than bins / steps, so that the last step falls into the last bin. A reciprocal, since division
        // is slow.
        scale = static_cast<std::uint32_t>(static_cast<float>(bins) * 0x1.fffffp31f /
                                           static_cast<float>(steps(bounds.high) + 1));
    }

    KOGGE_DEVICE std::uint32_t bin(const Bits& code) const { return simt::multiply_high(steps(code), scale); }
    /// Steps of the same kind for the keys of some bins. A code that cannot be a bound lies beyond them.
    KOGGE_DEVICE Steps steps_of(const NumberEncoding<Bits>& encoding, const CodeBounds<Bits>& found) const {
        const auto bound = [&](const Bits& code) {
            return Steps::may_bound(encoding, code) ? code : bounds.within(code);
        };
        return {encoding, {bound(found.low), bound(found.high)}};
    }
};

}  // namespace kogge::grid::KOGGE_CODE
