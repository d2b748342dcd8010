// Keys in several arrays, as calls by key read and write them: their items at one index are one key.
#pragma once

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "kogge/arrays.hpp"
#include "kogge/detail/inputs.hpp"
#include "kogge/detail/outputs.hpp"
#include "kogge/exec.hpp"
#include "kogge/operators.hpp"
#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"

namespace kogge::detail {

template <class Outputs>
inline constexpr bool is_array_pack = false;
template <class... Out>
inline constexpr bool is_array_pack<array_pack<Out...>> = true;

template <class Keys>
concept key_input = item_input<Keys> || is_array_pack<Keys>;
template <class Keys>
concept key_output = item_output<Keys> || is_array_pack<Keys>;

/// A key of several parts, which is equal to another one where all of them are.
template <class First, class... Others>
struct JoinedKey {
    First first;
    JoinedKey<Others...> others;
    KOGGE_HOST_DEVICE friend bool operator==(const JoinedKey& a, const JoinedKey& b) {
        return static_cast<bool>(a.first == b.first) && a.others == b.others;
    }
};
template <class Last>
struct JoinedKey<Last> {
    Last first;
    KOGGE_HOST_DEVICE friend bool operator==(const JoinedKey& a, const JoinedKey& b) {
        return static_cast<bool>(a.first == b.first);
    }
};

template <class First, class... Others>
struct JoinedArrays {
    First* first;
    JoinedArrays<Others...> others;
    template <class Key>
    KOGGE_HOST_DEVICE void put(std::uint64_t i, const Key& key) const {
        first[i] = static_cast<First>(key.first);
        others.put(i, key.others);
    }
    KOGGE_HOST_DEVICE auto get(std::uint64_t i) const {
        return JoinedKey<std::remove_const_t<First>, std::remove_const_t<Others>...>{first[i], others.get(i)};
    }
};
template <class Last>
struct JoinedArrays<Last> {
    Last* first;
    template <class Key>
    KOGGE_HOST_DEVICE void put(std::uint64_t i, const Key& key) const {
        first[i] = static_cast<Last>(key.first);
    }
    KOGGE_HOST_DEVICE auto get(std::uint64_t i) const { return JoinedKey<std::remove_const_t<Last>>{first[i]}; }
};
template <class Last>
JoinedArrays<Last> joined_arrays(Last* last) {
    return {last};
}
template <class First, class... Others>
requires(sizeof...(Others) > 0) JoinedArrays<First, Others...> joined_arrays(First* first, Others*... others) {
    return {first, joined_arrays(others...)};
}

/// Keys as an input of joined ones.
template <class Arrays>
struct JoinedKeys {
    Arrays arrays;
    KOGGE_HOST_DEVICE auto operator[](std::uint64_t i) const { return arrays.get(i); }
};
/// Keys as an output that takes joined ones apart.
template <class Arrays>
struct PartedKeys {
    struct Place {
        Arrays arrays;
        std::uint64_t at;
        template <class Key>
        KOGGE_HOST_DEVICE void operator=(const Key& key) const {
            arrays.put(at, key);
        }
    };
    Arrays arrays;
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t i) const { return {arrays, i}; }
};

/// What calls read keys from: kogge::arrays as an input, and any other input as it is.
template <class Keys>
auto keys_from(const Keys& keys) {
    if constexpr (is_array_pack<Keys>) {
        const auto arrays = std::apply([](auto*... each) { return joined_arrays(read_only(each)...); }, keys.pointers);
        const JoinedKeys<std::remove_const_t<decltype(arrays)>> joined{arrays};
        static_assert(is_plain_item<decltype(joined[0])>,
                      "keys in several arrays are trivially copyable and have a default");
        return joined;
    } else {
        return keys;
    }
}
/// And where they write keys to.
template <class Keys>
auto keys_to(const Keys& keys) {
    if constexpr (is_array_pack<Keys>) {
        const auto arrays = std::apply(
            [](auto*... each) {
                static_assert((!is_const_array<decltype(each)> && ...), "results are not const: they are written");
                return joined_arrays(each...);
            },
            keys.pointers);
        return PartedKeys<std::remove_const_t<decltype(arrays)>>{arrays};
    } else {
        return keys;
    }
}

/// Reports at compile time why keys cannot be compared or written.
template <class Keys, class KeysOut, class Equal>
constexpr void check_keys() {
    if constexpr (is_array_pack<Keys>)
        static_assert(std::same_as<Equal, equal_to>,
                      "keys in several arrays are equal where all of them are: to compare them otherwise, give an "
                      "input of whole keys, with operator[]");
    if constexpr (is_array_pack<Keys> && std::is_pointer_v<KeysOut>)
        static_assert(
            !std::is_arithmetic_v<std::remove_pointer_t<KeysOut>>,
            "keys in several arrays go to as many, kogge::arrays(a, b, …), or to an output that forgets them");
    if constexpr (is_array_pack<KeysOut>) {
        static_assert(is_array_pack<Keys>, "keys of one array go to one output");
        if constexpr (is_array_pack<Keys>)
            static_assert(std::tuple_size_v<decltype(Keys::pointers)> == std::tuple_size_v<decltype(KeysOut::pointers)>,
                          "keys in several arrays go to as many");
    }
}

/// The memory of keys: a region for each array.
template <class Keys>
void add_key_regions(std::vector<Region>& regions, const char* call, const Keys& keys, std::uint64_t n,
                     const char* name) {
    if constexpr (is_array_pack<Keys>)
        std::apply([&](auto*... each) { (regions.push_back(input_region(call, each, n, name)), ...); }, keys.pointers);
    else regions.push_back(input_region(call, keys, n, name));
}

}  // namespace kogge::detail
