// Items from the last to the first: what a scan from the end reads, and where its results stand.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"

namespace kogge::detail {

template <class In>
using reference_of = decltype(std::declval<const In&>()[std::uint64_t{}]);

/// Whether an object owns its items, as vectors and strings do: it would be copied with all of them.
template <class In>
concept item_container = requires {
    typename In::allocator_type;
};

/// What stands where a pointer must: a container, or an iterator that is none.
template <class T>
concept no_pointer = item_container<std::remove_cvref_t<T>> ||
    (std::is_class_v<std::remove_cvref_t<T>>&& requires { typename std::remove_cvref_t<T>::iterator_category; });
template <class Given>
constexpr void refuse_no_pointer() {
    static_assert(!no_pointer<Given>,
                  "keys, values and indices are given by pointers: v.data() and v.size() of a container");
}

/// The type of an input's items: what in[i] refers to or is; where that stands for an item (a zip's tuple of
/// references), the input's value_type.
template <class In>
struct ItemOf {
    static_assert(!item_container<In>,
                  "a container is no input or output, since these are copied: give a pointer, v.data(), or a view");
    using type = std::remove_cvref_t<reference_of<In>>;
};
template <class In>
requires(!std::is_lvalue_reference_v<reference_of<In>> &&
         std::is_convertible_v<reference_of<In>, typename In::value_type>) struct ItemOf<In> {
    using type = typename In::value_type;
};
template <class In>
using item_of = typename ItemOf<In>::type;

/// Item i is item n − 1 − i of `in`, a pointer or anything that has operator[]; it can be assigned where that can.
template <class In>
struct Reversed {
    In in;
    std::uint64_t bound;
    const std::uint64_t* count;  ///< null: `bound` is the number
    KOGGE_HOST_DEVICE std::uint64_t size() const { return count && *count < bound ? *count : bound; }
    KOGGE_HOST_DEVICE decltype(auto) operator[](std::uint64_t i) const { return in[size() - 1 - i]; }
    KOGGE_HOST_DEVICE In end() const { return in + size(); }
};

/// The items of `in` as they are carried.
template <class In>
struct CarriedInput {
    In in;
    KOGGE_HOST_DEVICE auto operator[](std::uint64_t i) const {
        return carried<item_of<In>>(static_cast<item_of<In>>(in[i]));
    }
};

/// Items that stand in memory, from the last to the first.
template <class In>
inline constexpr bool kReversedPointer = false;
template <class T>
inline constexpr bool kReversedPointer<Reversed<T*>> = true;

template <class T>
inline constexpr bool kIsReversed = false;
template <class In>
inline constexpr bool kIsReversed<Reversed<In>> = true;

/// Where a scan of `in` stores its results, given a pointer to them, or what has operator[]: in the order in which it
/// reads its items.
template <class In, class Out>
KOGGE_HOST_DEVICE Out results_of(const In&, const Out& out) {
    return out;
}
template <class In, class Out>
KOGGE_HOST_DEVICE Reversed<Out> results_of(const Reversed<In>& in, const Out& out) {
    return {out, in.bound, in.count};
}

template <class In, class Out>
KOGGE_HOST_DEVICE auto results_of(const CarriedInput<In>& in, const Out& out) {
    return results_of(in.in, out);
}

}  // namespace kogge::detail

namespace kogge {
template <class In>
inline constexpr bool runs_on_host<detail::CarriedInput<In>> = runs_on_host<In>;
template <class In>
inline constexpr bool runs_on_host<detail::Reversed<In>> = runs_on_host<In>;
}  // namespace kogge
