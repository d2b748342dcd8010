// Keys in several arrays, the columns of a table, as sorts take them: the first column counts most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "kogge/arrays.hpp"
#include "kogge/keys.hpp"
#include "kogge/simt/config.hpp"

namespace kogge {

/// Where keys that are null stand: before or after all others, in ascending and in descending order.
enum class null_order : std::uint8_t { first, last };

/// How one column orders rows. The first members are sort_options'.
struct column_options {
    sort_order order = sort_order::ascending;
    int begin_bit = 0;  ///< first bit of the encoded key that counts
    int end_bit = -1;   ///< one past the last; -1: all bits
    zero_order zeros = zero_order::negative_first;
    nan_order nans = nan_order::by_sign;
    /// Which keys are there, as bits: key i is null if bit (valid_from + i) % 32 of valid[(valid_from + i) / 32] is 0,
    /// as in Arrow's validity bitmaps. Null keys are equal, whatever the array holds. nullptr: all keys are there.
    const std::uint32_t* valid = nullptr;
    std::uint64_t valid_from = 0;  ///< the bit of key 0
    null_order nulls = null_order::last;
};

/// An array of keys, and how it orders rows.
template <class Key>
struct sort_column {
    Key* keys;
    column_options options;
};
template <class Key>
sort_column<Key> column(Key* keys, const column_options& options = {}) {
    return {keys, options};
}

/// Columns of which the first counts most: columns(column(a, {.order = descending}), column(b), c).
template <class... Keys>
struct column_pack {
    std::tuple<sort_column<Keys>...> each;
};

namespace detail {

template <class Key>
sort_column<Key> as_column(Key* keys) {
    return {keys, {}};
}
template <class Key>
sort_column<Key> as_column(const sort_column<Key>& column) {
    return column;
}
template <class... Keys>
column_pack<Keys...> pack_of(const sort_column<Keys>&... each) {
    return {{each...}};
}

/// A column as plain data. A row's code is an unsigned number of bits() bits, whose order is the column's.
struct KeyColumn {
    const void* keys = nullptr;
    std::uint64_t infinity = 0;  ///< of floats: the bits of +∞
    const std::uint32_t* valid = nullptr;
    std::uint64_t valid_from = 0;
    int bytes = 0;  ///< of a key: 1, 2, 4, 8 or 16
    int begin = 0;  ///< of the bits that count
    int width = 0;
    bool is_signed = false, is_float = false, zeros_equal = false, nans_last = false, nans_first = false,
         descending = false, nulls_first = false;
    bool nulls_apart = false;  ///< another column has the bit that tells null keys; here they are only equal

    KOGGE_HOST_DEVICE int bits() const { return width + (valid && !nulls_apart ? 1 : 0); }
    KOGGE_HOST_DEVICE bool is_null(std::uint64_t i) const {
        const std::uint64_t bit = valid_from + i;
        return valid && (valid[bit / 32] >> bit % 32 & 1u) == 0;
    }
    template <class Bits>
    KOGGE_HOST_DEVICE NumberCodec<Bits> codec() const {
        NumberCodec<Bits> codec;
        codec.is_signed = is_signed;
        codec.is_float = is_float;
        codec.zeros_equal = zeros_equal;
        codec.nans_last = nans_last;
        codec.nans_first = nans_first;
        codec.descending = descending;
        codec.infinity = static_cast<Bits>(infinity);
        return codec;
    }
    /// The lowest `count` bits.
    template <class Code>
    KOGGE_HOST_DEVICE static Code low_bits(int count) {
        return count >= static_cast<int>(8 * sizeof(Code)) ? static_cast<Code>(~Code{0})
                                                           : static_cast<Code>((Code{1} << count) - 1);
    }
    /// Of a key, given by its bits.
    template <class Code, class Bits>
    KOGGE_HOST_DEVICE Code code_of(Bits key) const {
        return static_cast<Code>(codec<Bits>().encode(key) >> begin) & low_bits<Code>(width);
    }
    /// The key of such a code, where all bits count and no two keys have one code.
    template <class Bits, class Code>
    KOGGE_HOST_DEVICE Bits key_of(Code code) const {
        const Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
        const Bits ones = low_bits<Bits>(width);
        Bits key = static_cast<Bits>(code) & ones;
        if (descending) key = static_cast<Bits>(~key) & ones;
        if (is_float) return (key & sign) ? static_cast<Bits>(key ^ sign) : static_cast<Bits>(~key);
        return is_signed ? static_cast<Bits>(key ^ sign) : key;
    }
    /// Code of row i of a key of that code: null keys have one of their own, which differs from all others in the bit
    /// above them.
    template <class Code>
    KOGGE_HOST_DEVICE Code with_null(Code code, std::uint64_t i) const {
        if (!valid) return code;
        if (nulls_apart) return is_null(i) ? Code{0} : code;
        const Code above = static_cast<Code>(Code{1} << width);
        if (is_null(i)) return nulls_first ? Code{0} : above;
        return nulls_first ? static_cast<Code>(code | above) : code;
    }
    bool is_invertible() const {
        return !valid && !zeros_equal && !nans_last && !nans_first && begin == 0 && (width == 8 * bytes || width == 1);
    }
};

/// Codes of up to so many neighbouring columns are packed into one number.
inline constexpr int kPackedColumns = 16;

/// Neighbouring columns, of which the first counts most, packed into one code per row.
struct ColumnGroup {
    KeyColumn columns[kPackedColumns] = {};
    int count = 0;

    int bits() const {
        int sum = 0;
        for (int c = 0; c < count; ++c) sum += columns[c].bits();
        return sum;
    }
    std::size_t code_bytes() const { return bits() <= 32 ? 4 : bits() <= 64 ? 8 : 16; }
};

/// Groups in the order of sorting, from the columns that count least: as few as hold the columns in 128 bits each.
/// Columns of no bits are left out. There is one group at least, which may be empty.
inline std::vector<ColumnGroup> group_columns(const std::vector<KeyColumn>& columns) {
    constexpr int kMostBits = 128;
    std::vector<ColumnGroup> groups(1);
    const auto put_before = [&](const KeyColumn& column) {
        if (column.bits() == 0) return;
        if (groups.back().count == kPackedColumns || groups.back().bits() + column.bits() > kMostBits)
            groups.emplace_back();
        ColumnGroup& group = groups.back();
        for (int c = group.count; c > 0; --c) group.columns[c] = group.columns[c - 1];
        group.columns[0] = column;
        ++group.count;
    };
    for (auto column = columns.rbegin(); column != columns.rend(); ++column) {
        if (column->bits() <= kMostBits) {
            put_before(*column);
            continue;
        }
        KeyColumn keys = *column, nulls = *column;
        keys.nulls_apart = true;
        nulls.width = 0;
        put_before(keys);
        put_before(nulls);
    }
    return groups;
}

/// Calls f(Bits{}) with the unsigned type of `bytes` bytes.
template <class F>
KOGGE_HOST_DEVICE decltype(auto) with_bits_of(int bytes, const F& f) {
    switch (bytes) {
        case 1:
            return f(std::uint8_t{});
        case 2:
            return f(std::uint16_t{});
        case 4:
            return f(std::uint32_t{});
        case 8:
            return f(std::uint64_t{});
        default:
            return f(uint128{});
    }
}

/// Calls f(Code{}) with the type of a group's codes.
template <class F>
void with_code_of(const ColumnGroup& group, const F& f) {
    switch (group.code_bytes()) {
        case 4:
            return f(std::uint32_t{});
        case 8:
            return f(std::uint64_t{});
        default:
            return f(uint128{});
    }
}

template <class Key>
KeyColumn plain_column(const char* call, const sort_column<Key>& column) {
    using Number = std::remove_const_t<Key>;
    static_assert(is_number_key<Number>, "columns of keys are arrays of numbers");
    const column_options& given = column.options;
    const sort_options options{given.order, given.begin_bit, given.end_bit, given.zeros, given.nans};
    const BitRange bits = bit_range<Number>(call, options);
    const auto codec = make_codec<Number>(options);
    KeyColumn plain;
    plain.keys = column.keys;
    plain.infinity = static_cast<std::uint64_t>(codec.infinity);
    plain.valid = given.valid;
    plain.valid_from = given.valid_from;
    plain.bytes = static_cast<int>(sizeof(Number));
    plain.width = bits.end - bits.begin;
    plain.begin = plain.width > 0 ? bits.begin : 0;  // an empty range may begin behind the key
    plain.is_signed = codec.is_signed;
    plain.is_float = codec.is_float;
    plain.zeros_equal = codec.is_float && codec.zeros_equal;
    plain.nans_last = codec.is_float && codec.nans_last;
    plain.nans_first = codec.is_float && codec.nans_first;
    plain.descending = codec.descending;
    plain.nulls_first = given.nulls == null_order::first;
    return plain;
}

}  // namespace detail

template <class... Columns>
auto columns(const Columns&... each) {
    static_assert(sizeof...(Columns) > 0, "there is a column at least");
    return detail::pack_of(detail::as_column(each)...);
}

}  // namespace kogge
