// The rank of an item: its code, and below it its index. The code orders keys as the sort does, and of equal keys the
// one with the lower index comes first: so all ranks differ, and the k least ones, in order, are the result.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/digit/key_digits.cuh"
#include "kogge/keys.hpp"
#include "kogge/simt/device.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Rank>
inline constexpr int kRankIndexBits = static_cast<int>(4 * sizeof(Rank));
/// After every rank.
template <class Rank>
inline constexpr Rank kNoRank = static_cast<Rank>(~Rank{0});

template <class Rank, class Code>
KOGGE_DEVICE Rank make_rank(Code code, std::uint64_t index) {
    return static_cast<Rank>(static_cast<Rank>(code) << kRankIndexBits<Rank>) | static_cast<Rank>(index);
}
template <class Rank>
KOGGE_DEVICE std::uint64_t index_of(Rank rank) {
    return static_cast<std::uint64_t>(rank & (kNoRank<Rank> >> kRankIndexBits<Rank>));
}
template <class Code, class Rank>
KOGGE_DEVICE Code code_of_rank(Rank rank) {
    return static_cast<Code>(rank >> kRankIndexBits<Rank>);
}

template <class Rank>
KOGGE_DEVICE Rank lesser(Rank a, Rank b) {
    return b < a ? b : a;
}

/// The number of bits without leading zeros.
KOGGE_DEVICE int rank_width(std::uint64_t rank) {
    const auto high = static_cast<std::uint32_t>(rank >> 32), low = static_cast<std::uint32_t>(rank);
    return high > 0 ? 33 + simt::highest_bit(high) : low > 0 ? 1 + simt::highest_bit(low) : 0;
}
KOGGE_DEVICE int rank_width(uint128 rank) {
    const auto high = static_cast<std::uint64_t>(rank >> 64);
    return high > 0 ? 64 + rank_width(high) : rank_width(static_cast<std::uint64_t>(rank));
}

/// The codes of keys: the bits that are sorted by, moved to the lowest place.
template <class Codec>
struct TopKCodes;

template <class Bits>
struct TopKCodes<detail::NumberCodec<Bits>> {
    using Code = Bits;
    NumberBucket<Bits> bucket;

    TopKCodes(const detail::NumberCodec<Bits>& codec, detail::BitRange bits) : bucket(codec, bits.begin, bits.end) {}
    KOGGE_DEVICE Code of(Bits key) const { return bucket.code(key); }
    KOGGE_DEVICE Code greatest() const { return bucket.mask; }
    /// Whether a key follows from its code, and then the key.
    KOGGE_DEVICE bool tells_key() const { return bucket.counts_whole(); }
    KOGGE_DEVICE Bits key_of(Code code) const { return bucket.encoding.decode(code); }
};

template <class Bits>
struct TopKCodes<detail::MergingCodec<Bits>> {
    using Code = Bits;
    detail::NumberCodec<Bits> codec;
    Bits mask;  ///< ones for the bits sorted by, moved to the lowest place
    int begin;

    TopKCodes(const detail::NumberCodec<Bits>& of_keys, detail::BitRange bits)
        : codec(of_keys), mask(NumberBucket<Bits>(of_keys, bits.begin, bits.end).mask), begin(bits.begin) {}
    KOGGE_DEVICE Code of(Bits key) const { return static_cast<Bits>(codec.encode(key) >> begin) & mask; }
    KOGGE_DEVICE Code greatest() const { return mask; }
    KOGGE_DEVICE bool tells_key() const { return false; }
    KOGGE_DEVICE Bits key_of(Code code) const { return code; }
};

}  // namespace kogge::grid::KOGGE_CODE
