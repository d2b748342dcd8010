// Bins of a histogram that are described by numbers, and the functions that find an item's bin in them.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kogge/error.hpp"
#include "kogge/keys.hpp"
#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"

namespace kogge {

/// `bins` bins of equal width: bin ⌊(item − lower) × bins / (upper − lower)⌋ for lower ≤ item < upper; other items, and
/// NaN, have no bin. For integers it is exact. For floats it is computed in the item's type, in float for half and
/// bfloat16, as (item − lower) × (bins / (upper − lower)), which may round an item that lies at a boundary to the bin
/// before or after it. The bounds are converted to the item's type, except that those of integers of less than 64 bits
/// may lie outside it.
template <class T>
struct even_bins {
    T lower;
    T upper;
    std::uint32_t bins;
    constexpr even_bins(T from, T to, std::uint32_t count) : lower(from), upper(to), bins(count) {}
};

/// `bins` bins between bins + 1 ascending numbers of the item's type (float for half and bfloat16), in memory that the
/// call reaches: bin b has the items with bounds[b] ≤ item < bounds[b + 1]; other items, and NaN, have no bin. Of equal
/// bounds, those before the last one begin empty bins. Where bounds do not ascend, the host throws
/// errc::invalid_argument, and on a device, which does not look, counts are unspecified.
template <class T>
struct bin_bounds {
    const T* bounds;
    std::uint32_t bins;
    constexpr bin_bounds(const T* numbers, std::uint32_t count) : bounds(numbers), bins(count) {}
};

/// 2^bits bins by the first `bits` bits of a key's code, which orders keys as radix_sort does by `order`: so bins are
/// in that order. Of order.begin_bit and end_bit the bits between them are the code.
struct leading_bits {
    int bits;
    sort_options order = {};
};

namespace detail {

/// The bin of items that have none.
inline constexpr std::uint32_t kNoBin = ~std::uint32_t{0};

/// Even bins of integers. An item's distance from the lower bound is taken modulo 2^64, so that one comparison tells
/// whether it has a bin.
struct EvenIntegers {
    std::uint64_t lower, range;  ///< range: upper − lower
    std::uint32_t bins;
    std::uint32_t whole;       ///< bins / range
    std::uint64_t multiplier;  ///< ⌊2^64 × (bins mod range) / range⌋ + 1, if range is at most 2^32
    double per_bin;            ///< bins / range

    EvenIntegers(std::uint64_t from, std::uint64_t width, std::uint32_t count)
        : lower(from),
          range(width),
          bins(count),
          whole(static_cast<std::uint32_t>(count / width)),
          multiplier(static_cast<std::uint64_t>((uint128{count % width} << 64) / width) + 1),
          per_bin(static_cast<double>(count) / static_cast<double>(width)) {}
    KOGGE_HOST_DEVICE std::uint32_t bin_of(std::uint64_t item) const {
        const std::uint64_t distance = item - lower;
        if (distance >= range) return kNoBin;
        // The product exceeds distance × (bins mod range) / range by less than 2^-32, and this is, unless an integer,
        // at least 2^-32 below the next one.
        if (range <= std::uint64_t{1} << 32) {
            const auto narrow = static_cast<std::uint32_t>(distance);
            const std::uint64_t low = std::uint64_t{narrow} * static_cast<std::uint32_t>(multiplier);
            const std::uint64_t high =
                std::uint64_t{narrow} * static_cast<std::uint32_t>(multiplier >> 32) + (low >> 32);
            return narrow * whole + static_cast<std::uint32_t>(high >> 32);
        }
        // Beyond that a quotient in floating point is wrong by one at most.
        auto bin = static_cast<std::uint64_t>(static_cast<double>(distance) * per_bin);
        const uint128 exact = uint128{distance} * bins;
        while (uint128{bin} * range > exact) --bin;
        while (uint128{bin + 1} * range <= exact) ++bin;
        return static_cast<std::uint32_t>(bin);
    }
};

template <class Number>
struct EvenFloats {
    Number lower, upper, per_bin;  ///< per_bin: bins / (upper − lower)
    std::uint32_t last;

    EvenFloats(Number from, Number to, std::uint32_t count)
        : lower(from), upper(to), per_bin(static_cast<Number>(count) / (to - from)), last(count - 1) {}
    KOGGE_HOST_DEVICE std::uint32_t bin_of(Number item) const {
        if (!(item >= lower && item < upper)) return kNoBin;
        const auto bin = static_cast<std::uint32_t>((item - lower) * per_bin);
        return bin < last ? bin : last;
    }
};

template <class Item>
inline constexpr bool is_binned_integer = std::integral<Item> && sizeof(Item) <= 8;

/// The type in which items are compared with bounds.
template <class Item>
using binned_as = std::conditional_t<is_half_key<Item>, float, Item>;

template <class Item>
KOGGE_HOST_DEVICE binned_as<Item> as_binned(const Item& item) {
    if constexpr (is_half_key<Item>) return static_cast<float>(item);
    else return item;
}

/// An item's number modulo 2^64.
template <class Integer>
KOGGE_HOST_DEVICE constexpr std::uint64_t modular(Integer number) {
    if constexpr (std::is_signed_v<Integer>) return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
    else return static_cast<std::uint64_t>(number);
}

}  // namespace detail

namespace grid {

template <class Item>
struct EvenBinOf {
    std::conditional_t<detail::is_binned_integer<Item>, detail::EvenIntegers,
                       detail::EvenFloats<detail::binned_as<Item>>>
        bins;
    KOGGE_HOST_DEVICE std::uint32_t operator()(const Item& item) const {
        if constexpr (detail::is_binned_integer<Item>) return bins.bin_of(detail::modular(item));
        else return bins.bin_of(detail::as_binned(item));
    }
};

/// The last bound that is not above the item is found in as many steps as the number of bounds has bits.
template <class Item>
struct BoundsBinOf {
    const detail::binned_as<Item>* bounds;
    std::uint32_t bins;
    KOGGE_HOST_DEVICE std::uint32_t operator()(const Item& item) const {
        const detail::binned_as<Item> number = detail::as_binned(item);
        if (!(number >= bounds[0] && number < bounds[bins])) return detail::kNoBin;
        std::uint32_t low = 0, high = bins;  // bounds[low] <= number < bounds[high]
        while (high - low > 1) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (number < bounds[middle]) high = middle;
            else low = middle;
        }
        return low;
    }
};

/// Keys as they are stored.
template <class Codec>
struct CodeBinOf {
    Codec codec;
    int begin, bits;
    KOGGE_HOST_DEVICE std::uint32_t operator()(const typename Codec::key_type& key) const {
        return bits == 0 ? 0 : codec.digit(key, begin, bits);
    }
};

}  // namespace grid
}  // namespace kogge
