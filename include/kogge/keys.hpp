// How keys become digits. A radix sort never compares keys: it encodes each key as an unsigned number whose order is
// the sort's order, and reads that number digit by digit. Outputs hold the keys themselves, unchanged.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "kogge/error.hpp"
#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace kogge {

// Not part of ISO C++, of which -Wpedantic would otherwise warn in each file that includes this.
__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

/// IEEE 754 binary16 and bfloat16 as storage, for code without CUDA's headers. Layout-compatible with __half and
/// __nv_bfloat16. They convert to float exactly, so sums of them can be accumulated in float.
struct half {
    std::uint16_t bits;
    KOGGE_HOST_DEVICE constexpr explicit operator float() const {
        const std::uint32_t sign = std::uint32_t{bits} >> 15 << 31, fraction = bits & 0x3ffu;
        const std::uint32_t exponent = bits >> 10 & 31u;
        if (exponent == 0) {  // a multiple of the smallest magnitude
            const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
            return sign ? -magnitude : magnitude;
        }
        return std::bit_cast<float>(sign | (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13);
    }
};
struct bfloat16 {
    std::uint16_t bits;
    KOGGE_HOST_DEVICE constexpr explicit operator float() const {
        return std::bit_cast<float>(std::uint32_t{bits} << 16);
    }
};

enum class sort_order : std::uint8_t { ascending, descending };
inline constexpr sort_order ascending = sort_order::ascending;
inline constexpr sort_order descending = sort_order::descending;

/// The order of floating-point zeros: −0 before +0, or equal keys that keep their order.
enum class zero_order : std::uint8_t { negative_first, equal };
/// The order of NaNs: by their sign bit (negative NaNs before −∞, positive ones after +∞: IEEE 754 totalOrder), or all
/// as equal keys: `last`, after everything else in ascending and in descending order, or `greatest`, after +∞, so that
/// they come first in descending order.
enum class nan_order : std::uint8_t { by_sign, last, greatest };

struct sort_options {
    sort_order order = sort_order::ascending;
    int begin_bit = 0;  ///< first bit of the encoded key that is sorted by
    int end_bit = -1;   ///< one past the last; -1: all bits. begin_bit == end_bit leaves the order unchanged
    zero_order zeros = zero_order::negative_first;
    nan_order nans = nan_order::by_sign;
};

/// The encoding of a key of more than 128 bits: 32-bit words, least significant first.
template <int words>
struct key_words {
    std::uint32_t word[std::size_t{words}];
};

/// The encoding of a user's struct, or of an enumeration with an order of its own. Specialise it for the key type:
///
///     template <> struct kogge::key_codec<Particle> {
///         using bits = std::uint64_t;                       // unsigned integer to 128 bit, or key_words<N>
///         KOGGE_HOST_DEVICE static bits encode(const Particle& p) { return (bits{p.cell} << 32) | p.id; }
///     };
///
/// Keys are ordered by their codes; equal ones keep their input order. A key type without a codec does not compile,
/// with a message.
template <class Key>
struct key_codec;

namespace detail {

template <class T>
inline constexpr bool is_integer_key = std::integral<T> || std::same_as<T, uint128> || std::same_as<T, int128>;

template <class T>
inline constexpr bool is_half_key = std::same_as<T, half> || std::same_as<T, bfloat16>
#if defined(__CUDACC__)
                                    || std::same_as<T, __half> || std::same_as<T, __nv_bfloat16>
#endif
    ;

template <class T>
inline constexpr bool is_bfloat16_key = std::same_as<T, bfloat16>
#if defined(__CUDACC__)
                                        || std::same_as<T, __nv_bfloat16>
#endif
    ;

template <class T>
inline constexpr bool is_float_key = std::same_as<T, float> || std::same_as<T, double> || is_half_key<T>;

template <class Key>
concept has_codec = requires(const Key& key) {
    typename key_codec<Key>::bits;
    { key_codec<Key>::encode(key) } -> std::convertible_to<typename key_codec<Key>::bits>;
};

/// Enumerations, including std::byte, are sorted as their numbers unless they have a codec.
template <class T>
inline constexpr bool is_enum_key = std::is_enum_v<T> && !has_codec<T>;

template <class T>
inline constexpr bool is_number_key = is_integer_key<T> || is_float_key<T> || is_enum_key<T>;

template <int bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
    using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
    using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
    using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
    using type = std::uint64_t;
};
template <>
struct UnsignedOf<16> {
    using type = uint128;
};
template <int bytes>
using unsigned_of = typename UnsignedOf<bytes>::type;

template <class T>
inline constexpr bool is_signed_integer_key = std::same_as<T, int128> || (std::integral<T> && std::is_signed_v<T>);
template <class T>
requires std::is_enum_v<T>
inline constexpr bool is_signed_integer_key<T> = std::is_signed_v<std::underlying_type_t<T>>;

/// Encodes numbers, given as unsigned integers of the same bits. The kind of number is a run-time value, so that one
/// kernel serves every number type of a size. It costs three instructions in a pass that is bound by memory.
template <class Bits>
struct NumberCodec {
    using key_type = Bits;
    static constexpr int kBits = static_cast<int>(8 * sizeof(Bits));

    bool is_signed = false;  ///< two's complement, or a float's sign and magnitude
    bool is_float = false;
    bool zeros_equal = false;
    bool nans_last = false;   ///< NaNs are equal keys after all others
    bool nans_first = false;  ///< … before all others
    bool descending = false;
    Bits infinity = 0;  ///< the bits of +∞ in the float type

    KOGGE_HOST_DEVICE Bits encode(Bits key) const {
        constexpr Bits sign = static_cast<Bits>(Bits{1} << (kBits - 1));
        Bits code = key;
        if (is_float) {
            const Bits magnitude = static_cast<Bits>(key & static_cast<Bits>(~sign));
            // The largest code is last in both orders, the least one first; the complement below does not apply to
            // them.
            if ((nans_last || nans_first) && magnitude > infinity)
                return nans_first ? Bits{0} : static_cast<Bits>(~Bits{0});
            if (zeros_equal && magnitude == 0) key = 0;
            code = (key & sign) ? static_cast<Bits>(~key) : static_cast<Bits>(key | sign);
        } else if (is_signed) {
            code = static_cast<Bits>(key ^ sign);
        }
        return descending ? static_cast<Bits>(~code) : code;
    }
    KOGGE_HOST_DEVICE std::uint32_t digit(const Bits& key, int begin, int width) const {
        return static_cast<std::uint32_t>(encode(key) >> begin) & ((1u << width) - 1u);
    }

    constexpr void place_nans(const sort_options& options) {
        const bool greatest = options.nans == nan_order::greatest;
        nans_first = greatest && options.order == sort_order::descending;
        nans_last = options.nans == nan_order::last || (greatest && !nans_first);
    }
    /// Whether different floats may have one code.
    constexpr bool merges() const { return nans_last || nans_first || zeros_equal; }
};

/// The same for floats whose encoding is not invertible: NaNs come last or zeros are equal, so that different keys may
/// have one code. Device code is selected by the type.
template <class Bits>
struct MergingCodec : NumberCodec<Bits> {};

/// Encodes a user's struct with its key_codec.
template <class Key>
struct StructCodec {
    using key_type = carried<Key>;
    using Bits = typename key_codec<Key>::bits;
    static constexpr int kBits = static_cast<int>(8 * sizeof(Bits));

    bool descending = false;

    KOGGE_HOST_DEVICE std::uint32_t digit(const carried<Key>& key, int begin, int width) const {
        const Bits code = key_codec<Key>::encode(view(key));
        const std::uint32_t mask = (1u << width) - 1u;
        const std::uint32_t digit = take(code, begin) & mask;
        return descending ? digit ^ mask : digit;
    }

private:
    template <std::integral Integer>
    KOGGE_HOST_DEVICE static std::uint32_t take(Integer code, int begin) {
        return static_cast<std::uint32_t>(code >> begin);
    }
    KOGGE_HOST_DEVICE static std::uint32_t take(uint128 code, int begin) {
        return static_cast<std::uint32_t>(code >> begin);
    }
    template <int words>
    KOGGE_HOST_DEVICE static std::uint32_t take(const key_words<words>& code, int begin) {
        const int word = begin / 32, shift = begin % 32;
        std::uint64_t two = code.word[word];
        if (word + 1 < words) two |= static_cast<std::uint64_t>(code.word[word + 1]) << 32;
        return static_cast<std::uint32_t>(two >> shift);
    }
};

template <class Key>
concept encodable = is_number_key<Key> || has_codec<Key>;

/// The type in which keys travel through kernels: numbers as unsigned integers, structs as themselves.
template <class Key>
struct StoredKey {
    using type = carried<Key>;
    using codec = StructCodec<Key>;
};
template <class Key>
requires is_number_key<Key>
struct StoredKey<Key> {
    using type = unsigned_of<sizeof(Key)>;
    using codec = NumberCodec<type>;
};
template <class Key>
using stored_key = typename StoredKey<Key>::type;
template <class Key>
using codec_of = typename StoredKey<Key>::codec;

/// The number of bits of a key's encoding.
template <class Key>
inline constexpr int key_bits = std::is_same_v<Key, bool> ? 1 : codec_of<Key>::kBits;

template <class Key>
constexpr codec_of<Key> make_codec(const sort_options& options) {
    codec_of<Key> codec;
    codec.descending = options.order == sort_order::descending;
    if constexpr (is_number_key<Key>) {
        using Bits = stored_key<Key>;
        codec.is_float = is_float_key<Key>;
        codec.is_signed = is_signed_integer_key<Key>;
        codec.zeros_equal = options.zeros == zero_order::equal;
        codec.place_nans(options);
        if constexpr (std::is_same_v<Key, float>) codec.infinity = Bits{0x7f800000u};
        else if constexpr (std::is_same_v<Key, double>) codec.infinity = Bits{0x7ff0000000000000ull};
        else if constexpr (is_bfloat16_key<Key>) codec.infinity = Bits{0x7f80u};
        else if constexpr (is_half_key<Key>) codec.infinity = Bits{0x7c00u};
    }
    return codec;
}

/// Calls sort(codec) with the codec whose type selects the device code.
template <class Key, class Sort>
void with_device_codec(const codec_of<Key>& codec, const Sort& sort) {
    if constexpr (is_float_key<Key>)
        if (codec.merges()) return sort(MergingCodec<stored_key<Key>>{codec});
    sort(codec);
}

struct BitRange {
    int begin;
    int end;
};

/// The bits sorted by, checked against the key's width.
template <class Key>
BitRange bit_range(const char* call, const sort_options& options) {
    const int end = options.end_bit == -1 ? key_bits<Key> : options.end_bit;
    if (options.begin_bit < 0 || end > key_bits<Key> || options.begin_bit > end)
        throw error(errc::invalid_argument, call,
                    "bits [" + std::to_string(options.begin_bit) + ", " + std::to_string(end) +
                        ") are not within a key of " + std::to_string(key_bits<Key>) + " bits");
    return {options.begin_bit, end};
}

}  // namespace detail
}  // namespace kogge
