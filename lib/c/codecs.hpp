// Keys whose type is named at run time: one codec for all types of a size.
#pragma once

#include "c/types.hpp"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/keys.hpp"

namespace kogge::c {

template <class Stored>
detail::NumberCodec<Stored> codec_of(const TypeInfo& key, const sort_options& options) {
    detail::NumberCodec<Stored> codec;
    codec.is_signed = key.kind == number_kind::signed_integer;
    codec.is_float = key.kind == number_kind::floating;
    codec.zeros_equal = options.zeros == zero_order::equal;
    codec.place_nans(options);
    codec.descending = options.order == sort_order::descending;
    codec.infinity = static_cast<Stored>(key.infinity);
    return codec;
}

/// Whether different keys may be equal.
inline bool merges_keys(const TypeInfo& key, const sort_options& options) {
    return key.kind == number_kind::floating &&
           (options.zeros == zero_order::equal || options.nans != nan_order::by_sign);
}

inline detail::BitRange bit_range(const char* call, const TypeInfo& key, const sort_options& options) {
    if (key.kind == number_kind::boolean) return detail::bit_range<bool>(call, options);
    detail::BitRange bits{};
    with_unsigned(key.bytes, [&]<class Stored>(Stored) { bits = detail::bit_range<Stored>(call, options); });
    return bits;
}

/// Calls f(codec) with the codec whose type selects the device's code.
template <class Stored, class F>
void with_device_codec(const detail::NumberCodec<Stored>& codec, bool merges, const F& f) {
    if constexpr (sizeof(Stored) >= 2 && sizeof(Stored) <= 8)  // as wide as floats
        if (merges) return f(detail::MergingCodec<Stored>{codec});
    f(codec);
}

/// What moves with the keys of a sort with these values: f(Moved{}).
template <class F>
void with_moved(std::span<const grid::value_array> values, const F& f) {
    if (values.empty()) return f(grid::NoValue{});
    const value_layout layout{values[0].bytes, values[0].alignment};
    if (values.size() > 1 || !grid::travels(layout)) f(grid::ByIndex{});
    else if (layout.bytes == 4) f(std::uint32_t{});
    else if (layout.bytes == 8) f(std::uint64_t{});
    else f(uint128{});
}

}  // namespace kogge::c
