// The most significant digits of floats by their values. Uniform floats concentrate in the codes of their highest
// exponents, so that passes over the leading digits of codes leave large buckets. Steps of equal width in value receive
// equally many floats.
//
// Steps are monotonic in the codes and much coarser: floats ordered by step, and within each step by code, are in
// order. A step does not determine its key, so the keys themselves travel between passes.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kogge/digit/key_digits.cuh"
#include "kogge/digit/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

inline constexpr std::uint32_t kValueSteps = 1u << kSpanDigits * kDigitBits;
static_assert(kDigitBits == 8);

/// Codes from here on, above those of all infinities, are of NaNs that come last in order.
inline constexpr std::uint32_t kLastNans = 0xff800001u;

/// The step of a 32-bit float, in order of codes. Floats out of bounds fall into the first or the last step. NaNs fall
/// into the first step, which is wrong for NaNs that come last.
struct ValueDigits {
    float scale, shift;  ///< map the values to 0 … 1; scale is negative in descending order; 0: no steps

    KOGGE_DEVICE bool are_some() const { return scale != 0; }
    KOGGE_DEVICE std::uint32_t operator()(std::uint32_t key) const { return word(key) & (kValueSteps - 1); }
    KOGGE_DEVICE std::uint32_t digit(std::uint32_t key, int number) const { return simt::byte_of(word(key), number); }

private:
    /// The step is in the lowest bits of a float whose last bit has the value 1.
    KOGGE_DEVICE std::uint32_t word(std::uint32_t key) const {
        const float way = simt::saturate(std::fma(std::bit_cast<float>(key), scale, shift));
        return std::bit_cast<std::uint32_t>(std::fma(way, static_cast<float>(kValueSteps - 1), 0x1p23f));
    }
};

/// The lowest and the highest code of a block's keys, exchanged through one word each per warp.
template <int warps>
struct BlockBounds {
    std::uint32_t lowest[std::size_t{warps}], highest[std::size_t{warps}];

    /// Writes the bounds of a warp. A barrier must follow.
    KOGGE_DEVICE void leave(std::uint32_t low, std::uint32_t high) {
        low = ~simt::reduce_max(~low);
        high = simt::reduce_max(high);
        if (simt::lane() == 0) {
            lowest[simt::warp_rank()] = low;
            highest[simt::warp_rank()] = high;
        }
    }
    KOGGE_DEVICE std::uint32_t low() const { return ~simt::reduce_max(~lowest[simt::lane() % warps]); }
    KOGGE_DEVICE std::uint32_t high() const { return simt::reduce_max(highest[simt::lane() % warps]); }
};

/// A pass by steps of values.
struct ValuePass : PlainItems {
    static constexpr bool kByValues = true;
    const ValueDigits* values;  ///< found on the device
    int number;                 ///< of the digit

    struct Loaded : PlainItems {
        ValueDigits values;
        int number;
        KOGGE_DEVICE std::uint32_t operator()(std::uint32_t key) const { return values.digit(key, number); }
    };
    using OnChip = ValueDigits;
    KOGGE_DEVICE const OnChip& on_chip() const { return *values; }
    KOGGE_DEVICE Loaded loaded(const OnChip& part) const { return {{}, part, number}; }
};
/// Whether sorts of such keys may go by values, if the keys are floats.
template <class Key, class Bucket>
constexpr bool may_go_by_values() {
    return Bucket::kIdentifies && sizeof(Key) == sizeof(float);
}
/// Whether a bucket's passes go by values.
template <class Bucket>
inline constexpr bool goes_by_values = requires {
    Bucket::kByValues;
};

/// Selects the counting of passes that go by values.
template <class Bits>
struct ValueBucket : NumberBucket<Bits> {
    static constexpr bool kByValues = true;
};

}  // namespace kogge::grid::KOGGE_CODE
