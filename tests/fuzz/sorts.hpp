// What the families of sorts share: options, the order that the standard library finds, and a call's arrays.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "fuzz/case.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/radix_sort.hpp"

namespace fuzz {

using kogge::uint128;

template <class Key>
inline constexpr int kKeyBits = std::is_same_v<Key, Tagged> ? 64 : static_cast<int>(8 * sizeof(Key));

template <class Key>
kogge::sort_options sort_options_of(Case& of) {
    constexpr int bits = kKeyBits<Key>;
    kogge::sort_options options;
    if (of.one_in(2)) options.order = kogge::descending;
    if (of.one_in(3)) {
        options.begin_bit = static_cast<int>(of.below(bits + 1));
        options.end_bit =
            options.begin_bit + static_cast<int>(of.below(static_cast<std::uint64_t>(bits - options.begin_bit + 1)));
    }
    if (of.one_in(4)) options.zeros = kogge::zero_order::equal;
    if (of.one_in(4)) options.nans = of.pick({kogge::nan_order::last, kogge::nan_order::greatest});
    of.say(name_of<Key>(), options.order == kogge::descending ? " descending" : "", " bits ", options.begin_bit, " to ",
           options.end_bit, options.zeros == kogge::zero_order::equal ? " zeros equal" : "",
           options.nans == kogge::nan_order::last       ? " NaNs last"
           : options.nans == kogge::nan_order::greatest ? " NaNs greatest"
                                                        : "",
           ",");
    return options;
}

/// The number by whose bits a key is ordered, of options without a bit range.
template <class Key>
uint128 order_of(const Key& key, const kogge::sort_options& options) {
    constexpr int bits = kKeyBits<Key>;
    constexpr uint128 ones = bits == 128 ? ~uint128{0} : (uint128{1} << bits % 128) - 1;
    constexpr uint128 top = uint128{1} << (bits - 1);
    uint128 code = 0;
    if constexpr (std::is_same_v<Key, Tagged>) {
        code = std::uint64_t{key.high} << 32 | key.low;
    } else if constexpr (kogge::detail::is_float_key<Key>) {
        code = std::bit_cast<kogge::detail::unsigned_of<sizeof(Key)>>(key);
        constexpr int exponent = bits == 64 ? 11 : bits == 32 || std::is_same_v<Key, kogge::bfloat16> ? 8 : 5;
        constexpr uint128 infinity = ((uint128{1} << exponent) - 1) << (bits - 1 - exponent);
        const uint128 magnitude = code & ~top;
        if (options.nans != kogge::nan_order::by_sign && magnitude > infinity)
            return options.nans == kogge::nan_order::greatest && options.order == kogge::descending ? 0 : ones;
        if (options.zeros == kogge::zero_order::equal && magnitude == 0) code = 0;
        // Negative numbers fall as their magnitudes rise, and stand before the others.
        code = code & top ? top - 1 - magnitude : top + magnitude;
        if (options.zeros == kogge::zero_order::equal && magnitude == 0) code = top;
    } else {
        code = static_cast<uint128>(key) & ones;
        if constexpr (static_cast<Key>(-1) < Key{0}) code = (code + top) & ones;
    }
    return options.order == kogge::descending ? ones - code : code;
}

/// Sorts the places [begin, end) by codes[place], stably.
void order_places(const std::vector<uint128>& codes, std::uint64_t* begin, std::uint64_t* end);

/// What of the keys counts.
template <class Key>
std::vector<uint128> codes_of(const std::vector<Key>& keys, const kogge::sort_options& options) {
    const int last = options.end_bit == -1 ? kKeyBits<Key> : options.end_bit;
    const int width = last - options.begin_bit;
    const uint128 mask = width == 128 ? ~uint128{0} : (uint128{1} << width) - 1;
    std::vector<uint128> codes(keys.size());
    if (width > 0)
        for (std::size_t i = 0; i < keys.size(); ++i) codes[i] = order_of(keys[i], options) >> options.begin_bit & mask;
    return codes;
}
inline std::vector<std::uint64_t> all_places(std::uint64_t n) {
    std::vector<std::uint64_t> places(n);
    std::iota(places.begin(), places.end(), std::uint64_t{0});
    return places;
}
/// The order of the first n keys.
template <class Key>
std::vector<std::uint64_t> sorted_places(const std::vector<Key>& keys, std::uint64_t n,
                                         const kogge::sort_options& options) {
    auto places = all_places(n);
    order_places(codes_of(keys, options), places.data(), places.data() + n);
    return places;
}
template <class T>
std::vector<T> gathered(const std::vector<T>& items, const std::vector<std::uint64_t>& places) {
    std::vector<T> sorted;
    sorted.reserve(places.size());
    for (const std::uint64_t place : places) sorted.push_back(items[place]);
    return sorted;
}

/// An array of a sort, in place or not.
template <class T>
struct Sorted {
    std::vector<T> values;
    T* in;
    T* out;
    Sorted(Case& of, std::vector<T> items, bool in_place)
        : values(std::move(items)),
          in(in_place ? of.memory().in_out(values) : of.memory().input(values)),
          out(in_place ? in : of.memory().output<T>(values.size())) {
        of.say(name_of<T>(), in_place ? " in place," : ",");
    }
    bool in_place() const { return in == out; }
    void expect(Case& of, const char* name, const std::vector<std::uint64_t>& places) const {
        of.expect(name, out, gathered(values, places));
        if (!in_place()) of.expect_untouched(name, out, places.size(), values.size());
    }
};

/// What plans look at.
template <class Key>
kogge::radix_sort_shape shape_of(const kogge::sort_options& options, bool in_place, bool writes_keys,
                                 std::vector<kogge::value_layout> values) {
    kogge::radix_sort_shape shape;
    shape.key_bytes = sizeof(Key);
    shape.begin_bit = options.begin_bit;
    shape.end_bit = options.end_bit == -1 ? kKeyBits<Key> : options.end_bit;
    shape.in_place = in_place;
    shape.writes_keys = writes_keys;
    shape.values = std::move(values);
    constexpr bool is_float = kogge::detail::is_float_key<Key>;
    const bool merges_floats = options.nans != kogge::nan_order::by_sign || options.zeros == kogge::zero_order::equal;
    shape.merges_keys = std::is_same_v<Key, Tagged> || (is_float && merges_floats);
    shape.merges_floats = is_float && merges_floats;
    shape.are_floats = is_float && !merges_floats && shape.begin_bit == 0 && shape.end_bit == kKeyBits<Key>;
    return shape;
}
template <class T>
kogge::value_layout layout_of() {
    return {sizeof(T), alignof(T)};
}

/// Of keys of any type.
template <class Key, class Call>
void refuse_bits(Case& of, kogge::sort_options options, const Call& call) {
    options.begin_bit = of.pick({-1, 0, kKeyBits<Key>, 3});
    options.end_bit = options.begin_bit == 3 ? 2 : kKeyBits<Key> + 1;
    of.refuse(kogge::errc::invalid_argument, "bits that are no range",
              [&](const kogge::exec& how) { call(options, how); });
}

}  // namespace fuzz
