// The leading digits of floats by their values. Floats that are spread evenly crowd the codes of their highest
// exponents, so that passes over the leading digits of codes leave large groups; equal steps of values have as many
// floats each.
//
// Values follow the codes, in steps much coarser than these: floats in order of their steps, and in each step in order
// of their codes, are in order. Steps cannot be undone, so the keys themselves travel between passes.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kogge/grid/digits.cuh"

namespace kogge::grid {

inline constexpr int kValueDigits = 2;  ///< all are leading ones of a key
/// Whether sorts of such keys may go by values: the bits of floats are looked at as unsigned integers.
template <class Key, class Bucket>
constexpr bool may_go_by_values() {
    return Bucket::kIdentifies && sizeof(Key) == sizeof(float);
}

/// Which step a float of 32 bits falls into, in order of codes. Those beyond the bounds fall into the first or the last
/// one, where the infinities and NaNs of their sign are too.
struct ValueDigits {
    float scale, shift;  ///< that put the steps between 0 and 1; scale is negative in descending order. 0: no steps

    KOGGE_DEVICE bool are_some() const { return scale != 0; }
    KOGGE_DEVICE std::uint32_t operator()(std::uint32_t key) const {
        constexpr std::uint32_t infinity = 0x7f800000u, sign = 0x80000000u;
        constexpr float below_one = 1 - 1.0f / (1 << kValueDigits * kDigitBits);
        // NaNs become infinities: positive ones are the greatest of signed integers, negative ones of unsigned.
        std::uint32_t number = static_cast<std::int32_t>(key) > static_cast<std::int32_t>(infinity) ? infinity : key;
        number = number > (infinity | sign) ? infinity | sign : number;
        const float step = simt::saturate(std::fma(std::bit_cast<float>(number), scale, shift));
        return std::bit_cast<std::uint32_t>(std::fma(step, below_one, 1.0f)) << 9 >> (32 - kValueDigits * kDigitBits);
    }
};

/// A pass of a sort of floats by codes, or by values where there are some.
template <class Bits>
struct FloatPass : NumberBucket<Bits>::Pass {
    const ValueDigits* values;  ///< found on the device
};

/// The same, once it is known that it goes by values.
struct ValuePass : PlainItems {
    ValueDigits values;
    int from;
    KOGGE_DEVICE ValuePass(const ValueDigits& values, int from)
        : values(values), from(from - (static_cast<int>(8 * sizeof(std::uint32_t)) - kValueDigits * kDigitBits)) {}
    KOGGE_DEVICE std::uint32_t operator()(std::uint32_t key) const { return values(key) >> from & (kBins - 1); }
};

/// Has the passes counted that go by values.
template <class Bits>
struct ValueBucket : NumberBucket<Bits> {
    static constexpr bool kByValues = true;
};

}  // namespace kogge::grid
