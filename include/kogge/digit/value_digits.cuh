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

#include "kogge/digit/key_digits.cuh"
#include "kogge/digit/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

inline constexpr std::uint32_t kValueSteps = 1u << kSpanDigits * kDigitBits;
static_assert(kDigitBits == 8);

/// Codes above those of all infinities: of NaNs that come last in order.
inline constexpr std::uint32_t kLastNans = 0xff800001u;

/// Which step a float of 32 bits falls into, in order of codes. Those beyond the bounds fall into the first or the last
/// one, and NaNs into the first one, where those do not belong that come last.
struct ValueDigits {
    float scale, shift;  ///< that put the steps between 0 and 1; scale is negative in descending order. 0: no steps

    KOGGE_DEVICE bool are_some() const { return scale != 0; }
    KOGGE_DEVICE std::uint32_t operator()(std::uint32_t key) const { return word(key) & (kValueSteps - 1); }
    KOGGE_DEVICE std::uint32_t digit(std::uint32_t key, int number) const { return simt::byte_of(word(key), number); }

private:
    /// The step is in the lowest bits of a float whose last bit is 1.
    KOGGE_DEVICE std::uint32_t word(std::uint32_t key) const {
        const float way = simt::saturate(std::fma(std::bit_cast<float>(key), scale, shift));
        return std::bit_cast<std::uint32_t>(std::fma(way, static_cast<float>(kValueSteps - 1), 0x1p23f));
    }
};

/// The lowest and the highest code of a block's keys, by way of a word a warp.
template <int warps>
struct BlockBounds {
    std::uint32_t lowest[std::size_t{warps}], highest[std::size_t{warps}];

    /// Leaves those of a warp, which a barrier must follow.
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

/// A pass by them. They stand on chip, and each phase of a tile loads them anew: the keys leave no registers for them.
struct ValuePass : PlainItems {
    static constexpr bool kByValues = true;
    const ValueDigits* values;  ///< found on the device
    int number;                 ///< of the digit

    struct Loaded : PlainItems {
        ValueDigits values;
        int number;
        KOGGE_DEVICE std::uint32_t operator()(std::uint32_t key) const { return values.digit(key, number); }
    };
    KOGGE_DEVICE Loaded loaded(const ValueDigits& on_chip) const { return {{}, on_chip, number}; }
};
/// Whether sorts of such keys may go by values, if they are floats.
template <class Key, class Bucket>
constexpr bool may_go_by_values() {
    return Bucket::kIdentifies && sizeof(Key) == sizeof(float);
}
/// Passes whose moves are by values.
template <class Bucket>
inline constexpr bool goes_by_values = requires {
    Bucket::kByValues;
};

/// Has the passes counted that go by values.
template <class Bits>
struct ValueBucket : NumberBucket<Bits> {
    static constexpr bool kByValues = true;
};

}  // namespace kogge::grid::KOGGE_CODE
