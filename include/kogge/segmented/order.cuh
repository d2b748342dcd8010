// How keys are compared in a block that spreads them (segmented/spread.cuh), and the 32 bits by which they are spread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/digit/key_digits.cuh"
#include "kogge/segmented/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// How keys are compared on chip. An item represents a key there. Its prefix is 32 bits of it: after the `skipped`
/// digits, at most passes - 4, that all keys of the window share, and after the digits of `splits`, up to 2, by which
/// its segment was split.
template <class Key, class Bucket>
struct SpreadOrder {
    static constexpr bool kIsWide = true;  ///< a prefix may not be the whole of a key
    const Bucket& bucket;
    int passes;

    KOGGE_DEVICE SpreadOrder(const Bucket& digits, int number) : bucket(digits), passes(number) {}
    KOGGE_DEVICE const Key& encode(const Key& key) const { return key; }
    KOGGE_DEVICE const Key& decode(const Key& item) const { return item; }
    KOGGE_DEVICE std::uint32_t prefix(const Key& item, int splits, int skipped) const {
        std::uint32_t prefix = 0;
        const int highest = passes - 1 - splits - skipped;
        const auto& code = bucket.item_code(item);
        for (int pass = highest; pass > highest - 4; --pass)
            prefix = prefix << kDigitBits | (pass >= 0 ? bucket.digit_of(code, pass) : 0);
        return prefix;
    }
    /// Whether equal items are identical, so that their order does not matter.
    KOGGE_DEVICE bool equals_are_same() const { return false; }
    /// Whether item a, which came from `place`, precedes item b.
    KOGGE_DEVICE bool before(const Key& a, std::uint32_t place, const Key& b, std::uint32_t other_place) const {
        const auto &first = bucket.item_code(a), &second = bucket.item_code(b);
        return place < other_place ? bucket.ordered(first, second) : !bucket.ordered(second, first);
    }
};
template <class Key>
struct SpreadOrder<Key, NumberBucket<Key>> : NumberEncoding<Key> {
    static constexpr int kBits = static_cast<int>(8 * sizeof(Key));
    static constexpr bool kIsWide = kBits > 32;
    Key field;  ///< the bits that count
    int down;
    int up;

    KOGGE_DEVICE SpreadOrder(const NumberBucket<Key>& bucket, int passes)
        : NumberEncoding<Key>(bucket.encoding),
          field(static_cast<Key>(bucket.mask << bucket.begin)),
          down(bucket.begin),
          up(kBits - kDigitBits * passes) {}
    KOGGE_DEVICE std::uint32_t prefix(Key item, int splits, [[maybe_unused]] int skipped) const {
        Key high = static_cast<Key>(static_cast<Key>(item & field) >> down << up);
        if (splits > 0) high = static_cast<Key>(high << kDigitBits);
        if (splits > 1) high = static_cast<Key>(high << kDigitBits);
        if constexpr (kIsWide) high = static_cast<Key>(high << (kDigitBits * skipped));
        if constexpr (kBits > 32) return static_cast<std::uint32_t>(high >> (kBits - 32));
        else return static_cast<std::uint32_t>(high) << (32 - kBits);
    }
    KOGGE_DEVICE bool equals_are_same() const { return field == static_cast<Key>(~Key{0}); }
    KOGGE_DEVICE bool before(Key a, std::uint32_t place, Key b, std::uint32_t other_place) const {
        const Key first = static_cast<Key>(a & field), second = static_cast<Key>(b & field);
        return first < second || (first == second && place < other_place);
    }
};

/// The least number of splits of a segment, given where it is.
KOGGE_DEVICE int least_splits(SegmentPlace from) {
    return from == SegmentPlace::input ? 0 : from == SegmentPlace::other ? 1 : 2;
}

}  // namespace kogge::grid::KOGGE_CODE
