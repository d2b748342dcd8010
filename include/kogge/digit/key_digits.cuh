// How a key maps to a bin, and how a warp ranks its keys among equal digits. The interface of a bucket type:
//   code(key)            orders the key in the whole sort; keys_are_codes(): it is the key itself
//   digit_of(code, p)    its digit in pass p, below kBins
//   item_code(item)      the code of an item; full_code(item): the same with the bits that keys are not sorted by
//   ordered(a, b)        whether code a may precede code b
//   in_pass(p)           the function item → digit of one pass
//   kIdentifies          keys with equal codes of all bits are equal
//   kEncodes             a code is a number of the key's width; only then is there a full_code
//   kPipelines           digits are cheap enough to compute in every step of a pass
// An item is the form of a key that travels between passes. It is the key's encoding if that is invertible, so that
// only the first pass encodes and only the last decodes; otherwise it is the key itself. The function of a pass has
// encode, decode and recodes for that.
//
// A pass's function may have a part OnChip: on_chip() makes it, and loaded(part) is the function with this part. In a
// pipelined pass the part is in shared memory, and each phase of a tile loads it again. Otherwise nvcc 13.0 keeps the
// keys' codes alive from phase to phase, for which there are no registers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/digit/shape.hpp"
#include "kogge/keys.hpp"
#include "kogge/simt/device.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Items that are the keys themselves.
struct PlainItems {
    KOGGE_DEVICE bool recodes() const { return false; }
    template <class Key>
    KOGGE_DEVICE const Key& encode(const Key& key) const {
        return key;
    }
    template <class Key>
    KOGGE_DEVICE const Key& decode(const Key& item) const {
        return item;
    }
};

/// Digits of structs, which the codec computes one by one.
template <class Codec>
struct DigitBucket {
    static constexpr bool kIdentifies = false, kEncodes = false, kPipelines = false;
    Codec codec;
    int begin;
    int end;

    KOGGE_DEVICE bool keys_are_codes() const { return true; }
    template <class Key>
    KOGGE_DEVICE const Key& code(const Key& key) const {
        return key;
    }
    template <class Key>
    KOGGE_DEVICE const Key& item_code(const Key& item) const {
        return item;
    }
    template <class Key>
    KOGGE_DEVICE std::uint32_t digit_of(const Key& key, int pass) const {
        const int from = begin + pass * kDigitBits;
        return codec.digit(key, from, from + kDigitBits < end ? kDigitBits : end - from);
    }
    template <class Key>
    KOGGE_DEVICE bool ordered(const Key& a, const Key& b) const {
        for (int pass = (end - begin - 1) / kDigitBits; pass >= 0; --pass) {
            const std::uint32_t first = digit_of(a, pass), second = digit_of(b, pass);
            if (first != second) return first < second;
        }
        return true;
    }

    struct Pass : PlainItems {
        Codec codec;
        int from;
        int width;
        KOGGE_HOST_DEVICE Pass(const Codec& of_keys, int begin, int bits) : codec(of_keys), from(begin), width(bits) {}
        template <class Key>
        KOGGE_DEVICE std::uint32_t operator()(const Key& key) const {
            return codec.digit(key, from, width);
        }
    };
    KOGGE_HOST_DEVICE Pass in_pass(int pass) const {
        const int from = begin + pass * kDigitBits;
        return {codec, from, from + kDigitBits < end ? kDigitBits : end - from};
    }
};

/// The encoding of numbers in three logic instructions, and its inverse.
template <class Bits>
struct NumberEncoding {
    static constexpr int kBits = static_cast<int>(8 * sizeof(Bits));
    Bits when_negative, always, at_last;

    static NumberEncoding of(const detail::NumberCodec<Bits>& codec) {
        constexpr Bits zero = 0, ones = static_cast<Bits>(~zero), sign = static_cast<Bits>(Bits{1} << (kBits - 1));
        return {codec.is_float ? ones : zero, codec.is_float || codec.is_signed ? sign : zero,
                codec.descending ? ones : zero};
    }

    KOGGE_HOST_DEVICE bool recodes() const { return (when_negative | always | at_last) != 0; }
    KOGGE_DEVICE Bits encode(Bits key) const {
        const Bits negative = static_cast<Bits>(Bits{0} - static_cast<Bits>(key >> (kBits - 1)));
        return static_cast<Bits>(key ^ ((negative & when_negative) | always) ^ at_last);
    }
    KOGGE_DEVICE Bits decode(Bits code) const {
        const Bits flipped = static_cast<Bits>(code ^ at_last);
        const Bits negative = static_cast<Bits>(static_cast<Bits>(flipped >> (kBits - 1)) - Bits{1});
        return static_cast<Bits>(flipped ^ ((negative & when_negative) | always));
    }
};

/// The encoding of floats of which different ones may be equal: one float stands for both zeros, or for all NaNs, and
/// is encoded in their place. So the encoding has no inverse.
template <class Bits>
struct CodeMerger {
    static constexpr Bits kOnes = static_cast<Bits>(~Bits{0}),
                          kSign = static_cast<Bits>(Bits{1} << (NumberEncoding<Bits>::kBits - 1));
    Bits at_last;  ///< as NumberEncoding's
    Bits most;     ///< the greatest magnitude of floats that stand for themselves
    Bits nan;      ///< stands for all others; its code is the first or the last one
    Bits zero;     ///< 0 stands for this float: −0, or 0 alone

    explicit CodeMerger(const detail::NumberCodec<Bits>& codec)
        : at_last(NumberEncoding<Bits>::of(codec).at_last),
          most(codec.nans_last || codec.nans_first ? codec.infinity : static_cast<Bits>(~kSign)),
          nan(codec.descending && !codec.nans_first ? kOnes : static_cast<Bits>(~kSign)),
          zero(codec.zeros_equal ? kSign : Bits{0}) {}

    KOGGE_DEVICE Bits operator()(Bits key) const {
        const Bits one = static_cast<Bits>(key & static_cast<Bits>(~kSign)) > most ? nan : key;
        return NumberEncoding<Bits>{kOnes, kSign, at_last}.encode(one == zero ? Bits{0} : one);
    }
};

/// The bits of codes that keys are sorted by, and their digits.
template <class Bits>
struct NumberDigits {
    Bits mask;  ///< ones for these bits, shifted down
    int begin;
    int end;

    NumberDigits(int begin_bit, int end_bit) : begin(begin_bit), end(end_bit) {
        mask = counts_whole() ? static_cast<Bits>(~Bits{0}) : static_cast<Bits>((Bits{1} << (end - begin)) - 1);
    }

    KOGGE_DEVICE Bits shifted(Bits full) const { return static_cast<Bits>(full >> begin) & mask; }
    KOGGE_DEVICE std::uint32_t digit_of(Bits code, int pass) const {
        return static_cast<std::uint32_t>(code >> (pass * kDigitBits)) & (kBins - 1);
    }
    KOGGE_DEVICE bool ordered(Bits a, Bits b) const { return a <= b; }
    KOGGE_HOST_DEVICE bool counts_whole() const { return begin == 0 && end == NumberEncoding<Bits>::kBits; }
    KOGGE_HOST_DEVICE int first_bit(int pass) const { return begin + pass * kDigitBits; }
    KOGGE_HOST_DEVICE std::uint32_t digit_mask(int pass) const {
        const int from = first_bit(pass), width = from + kDigitBits < end ? kDigitBits : end - from;
        return (1u << width) - 1u;
    }
};

/// The digits of numbers whose encoding is invertible.
template <class Bits>
struct NumberBucket : NumberDigits<Bits> {
    using NumberDigits<Bits>::counts_whole;
    static constexpr bool kIdentifies = true, kEncodes = true, kPipelines = true;
    NumberEncoding<Bits> encoding;

    NumberBucket(const detail::NumberCodec<Bits>& codec, int begin_bit, int end_bit)
        : NumberDigits<Bits>(begin_bit, end_bit), encoding(NumberEncoding<Bits>::of(codec)) {}

    KOGGE_HOST_DEVICE bool keys_are_codes() const { return !encoding.recodes() && counts_whole(); }
    /// Whether keys are floats sorted by all bits. No other numbers have an encoding that depends on the sign.
    KOGGE_HOST_DEVICE bool is_float() const { return encoding.when_negative != 0 && counts_whole(); }
    KOGGE_DEVICE Bits code(Bits key) const { return item_code(encoding.encode(key)); }
    KOGGE_DEVICE Bits full_code(Bits item) const { return item; }
    KOGGE_DEVICE Bits item_code(Bits item) const { return this->shifted(item); }

    struct Pass : NumberEncoding<Bits> {
        int from;
        std::uint32_t mask;
        KOGGE_HOST_DEVICE Pass(const NumberEncoding<Bits>& of_numbers, int begin, std::uint32_t ones)
            : NumberEncoding<Bits>(of_numbers), from(begin), mask(ones) {}
        KOGGE_DEVICE std::uint32_t operator()(Bits item) const {
            return static_cast<std::uint32_t>(item >> from) & mask;
        }
        /// Whether `a` may precede `b` after this pass of a sort by all bits, and all passes before it.
        KOGGE_DEVICE bool keeps_order(Bits a, Bits b) const {
            const int beyond = NumberEncoding<Bits>::kBits - kDigitBits - from;
            return static_cast<Bits>(a << beyond) <= static_cast<Bits>(b << beyond);
        }
    };
    KOGGE_HOST_DEVICE Pass in_pass(int pass) const { return {encoding, this->first_bit(pass), this->digit_mask(pass)}; }
};

/// The digits of floats of which different ones may be equal, so that items are the keys themselves.
template <class Bits>
struct MergingBucket : NumberDigits<Bits> {
    static constexpr bool kIdentifies = false, kEncodes = true, kPipelines = true;
    CodeMerger<Bits> merger;

    MergingBucket(const detail::NumberCodec<Bits>& codec, int begin_bit, int end_bit)
        : NumberDigits<Bits>(begin_bit, end_bit), merger(codec) {}

    KOGGE_HOST_DEVICE bool keys_are_codes() const { return false; }
    KOGGE_DEVICE Bits code(Bits key) const { return this->shifted(merger(key)); }
    KOGGE_DEVICE Bits full_code(Bits item) const { return merger(item); }
    KOGGE_DEVICE Bits item_code(Bits item) const { return code(item); }

    struct Pass : PlainItems {
        CodeMerger<Bits> merger;
        int from;
        std::uint32_t mask;
        KOGGE_HOST_DEVICE Pass(const CodeMerger<Bits>& of_floats, int begin, std::uint32_t ones)
            : merger(of_floats), from(begin), mask(ones) {}
        KOGGE_DEVICE std::uint32_t operator()(Bits item) const {
            return static_cast<std::uint32_t>(merger(item) >> from) & mask;
        }
        using OnChip = Bits;  ///< merger.most, on which all of a code depends
        KOGGE_DEVICE OnChip on_chip() const { return merger.most; }
        KOGGE_DEVICE Pass loaded(const OnChip& part) const {
            Pass pass = *this;
            pass.merger.most = part;
            return pass;
        }
    };
    KOGGE_HOST_DEVICE Pass in_pass(int pass) const { return {merger, this->first_bit(pass), this->digit_mask(pass)}; }
};

/// The bucket type of a codec.
template <class Codec>
struct BucketOf {
    using type = DigitBucket<Codec>;
};
template <class Bits>
struct BucketOf<detail::NumberCodec<Bits>> {
    using type = NumberBucket<Bits>;
};
template <class Bits>
struct BucketOf<detail::MergingCodec<Bits>> {
    using type = MergingBucket<Bits>;
};
template <class Codec>
using bucket_of = typename BucketOf<Codec>::type;

template <class PassBucket>
inline constexpr bool loads_on_chip = requires {
    typename PassBucket::OnChip;
};

// ---- ranks ---------------------------------------------------------------------------------------------
// A warp holds 32 × items consecutive keys, register i of lane l being key 32 i + l, and a row of kBins counters. The
// rank of a key is its position among the warp's keys of the same digit.

/// Stable rank: lanes of equal digit find each other by ballots. All lanes call, register after register. Digits differ
/// only in their lowest `bits` bits.
template <int bits = kDigitBits, class Counter>
KOGGE_DEVICE std::uint32_t rank_in_order(std::uint32_t digit, Counter* row) {
    const simt::mask_t peers = simt::match_digit<bits>(digit);
    const simt::mask_t earlier = peers & simt::lanes_before();
    const std::uint32_t seen = row[digit];
    simt::sync_warp();  // all lanes have read before one lane per digit writes
    if (earlier == 0) row[digit] = static_cast<Counter>(seen + simt::count_bits(peers));
    simt::sync_warp();  // the next register reads the new counts
    return seen + simt::count_bits(earlier);
}

/// Rank in the order in which the lanes' atomics return, which is not guaranteed. Only where the order of equal digits
/// does not matter, or where the result is checked.
KOGGE_DEVICE std::uint32_t rank_as_served(std::uint32_t digit, std::uint32_t* row) {
    return simt::atomic_add<simt::Scope::block>(row + digit, 1);
}
/// Calls f(i) for the first item i of each unrolled batch of `step`. So registers can be indexed, and only batches have
/// a guard.
template <int most, int step, class F>
KOGGE_DEVICE void for_batches(int items, F f) {
    static_assert(most % step == 0);
    KOGGE_UNROLL
    for (int i = 0; i < most; i += step) {
        if (i >= items) return;  // leaves the loop, since stepping over the other batches would fetch their code
        f(i);
    }
}
/// Calls f(i) for i < items, in such batches.
template <int most, int step, class F>
KOGGE_DEVICE void for_items(int items, F f) {
    for_batches<most, step>(items, [&](int first) {
        KOGGE_UNROLL
        for (int i = first; i < first + step; ++i) f(i);
    });
}

template <int items, class F>
KOGGE_DEVICE void for_each_item(F f) {
    KOGGE_UNROLL
    for (int i = 0; i < items; ++i) f(i);
}

/// Two numbers below 2^16 per register, set in ascending order: to set an even one clears the next.
template <int items>
struct ShortNumbers {
    std::uint32_t pairs[std::size_t{(items + 1) / 2}]{};

    KOGGE_DEVICE void set(int i, std::uint32_t number) {
        pairs[i / 2] = i % 2 == 0 ? number : (pairs[i / 2] & 0xffffu) | number << 16;
    }
    KOGGE_DEVICE std::uint32_t get(int i) const { return i % 2 == 0 ? pairs[i / 2] & 0xffffu : pairs[i / 2] >> 16; }
};

/// Whether so many lanes share a digit that atomics would be serialised. All lanes call.
KOGGE_DEVICE bool is_crowded(std::uint32_t digit) {
    return simt::any(simt::count_bits(simt::match_digit<kDigitBits>(digit)) > 6);
}

KOGGE_DEVICE void clear_row(std::uint32_t* row) {
    KOGGE_UNROLL
    for (int i = 0; i < kBins; i += simt::kWarpSize) row[i + simt::lane()] = 0;
}

}  // namespace kogge::grid::KOGGE_CODE
