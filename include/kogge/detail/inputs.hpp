// What calls read and write by item: pointers, or anything with operator[](index), as counting, transform and zip
// iterators of other libraries have.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kogge/detail/reversed.hpp"
#include "kogge/exec.hpp"
#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"
#include "kogge/types/discard.hpp"

namespace kogge::detail {

/// A pointer, or an object with operator[](std::uint64_t) const.
template <class In>
concept item_input = requires(const In& in, std::uint64_t i) {
    in[i];
};

/// A pointer to items that can be written, or an object whose out[i] can be assigned.
template <class Out>
concept item_output = item_input<Out>;

/// Makes a pointer read-only, so that a mutable one finds the same code.
template <class In>
auto read_only(const In& in) {
    if constexpr (std::is_pointer_v<In>) return static_cast<const std::remove_pointer_t<In>*>(in);
    else return in;
}

/// What a call reads through a pointer. What another input reads is its own business.
template <class In>
Region input_region(const char* call, const In& in, std::uint64_t n, const char* name) {
    if constexpr (std::is_pointer_v<In>) return {in, bytes_of(call, n, sizeof(*in)), name};
    else return {nullptr, 0, name};
}
/// The same for an output.
template <class Out>
Region output_region(const char* call, const Out& out, std::uint64_t n, const char* name) {
    return input_region(call, out, n, name);
}
/// The same for an output of at most n items, whose number depends on the data.
template <class Out>
Region open_region(const char* call, const Out& out, std::uint64_t n, const char* name) {
    return open_ended(output_region(call, out, n, name), n);
}

/// Reports at compile time why items cannot be written to an output.
template <class Item, class Out>
constexpr void check_output() {
    if constexpr (std::is_pointer_v<Out>) {
        using To = std::remove_pointer_t<Out>;
        static_assert(!std::is_const_v<To>, "results are not const: they are written");
        static_assert(travels_as_bytes<To>, "items travel as bytes: see kogge::travels_as_bytes");
        static_assert(std::is_constructible_v<To, const Item&>, "items convert to the type of the output");
    }
}

/// Whether a call may be in place: both are pointers, to items of one size.
template <class In, class Out>
constexpr bool may_be_in_place() {
    if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>)
        return sizeof(std::remove_pointer_t<In>) == sizeof(std::remove_pointer_t<Out>);
    else return false;
}
template <class In, class Out>
KOGGE_HOST_DEVICE bool are_same_place(const In& in, const Out& out) {
    if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>)
        return static_cast<const void*>(in) == static_cast<const void*>(out);
    else return false;
}

/// A reference into an array, or the item that another input gives, as an Item.
template <class Item, class In>
KOGGE_HOST_DEVICE decltype(auto) item_at(const In& in, std::uint64_t i) {
    if constexpr (std::is_pointer_v<In>) return in[i];
    else return static_cast<Item>(in[i]);
}

/// Item i is i.
template <class Index>
struct Positions {
    KOGGE_HOST_DEVICE Index operator[](std::uint64_t i) const { return static_cast<Index>(i); }
};

/// The input from item `first` on.
template <class In>
struct InputFrom {
    In in;
    std::uint64_t first;
    KOGGE_HOST_DEVICE decltype(auto) operator[](std::uint64_t i) const { return in[first + i]; }
};
template <class In>
KOGGE_HOST_DEVICE auto input_from(const In& in, std::uint64_t first) {
    if constexpr (std::is_pointer_v<In>) return in + first;
    else return InputFrom<In>{in, first};
}

/// An output that is no pointer, from item `first` on, as kernels use pointers. Not wanted, it stands for null.
template <class Out>
struct OutputFrom {
    Out out;
    std::uint64_t first = 0;
    bool wanted = true;

    KOGGE_HOST_DEVICE explicit operator bool() const { return wanted; }
    template <std::integral Integer>
    KOGGE_HOST_DEVICE OutputFrom operator+(Integer by) const {
        return {out, first + static_cast<std::uint64_t>(by), wanted};
    }
    template <std::integral Integer>
    KOGGE_HOST_DEVICE OutputFrom& operator+=(Integer by) {
        first += static_cast<std::uint64_t>(by);
        return *this;
    }
    template <std::integral Integer>
    KOGGE_HOST_DEVICE OutputFrom& operator-=(Integer by) {
        first -= static_cast<std::uint64_t>(by);
        return *this;
    }
    /// Two such outputs are never one.
    KOGGE_HOST_DEVICE friend bool operator==(const OutputFrom&, const OutputFrom&) { return false; }
};
template <class Out>
inline constexpr bool kIsOutputFrom = false;
template <class Out>
inline constexpr bool kIsOutputFrom<OutputFrom<Out>> = true;

/// Null, or what stands for it.
template <class Out>
KOGGE_HOST_DEVICE Out no_output(const Out& like) {
    if constexpr (std::is_pointer_v<Out>) return nullptr;
    else return {like.out, 0, false};
}

/// Writes an item to position i, in the type of the output where that is a pointer.
template <class Out, class Index, class Item>
KOGGE_HOST_DEVICE void put_item(const Out& out, Index i, const Item& item) {
    if constexpr (std::is_pointer_v<Out>) out[i] = static_cast<std::remove_pointer_t<Out>>(item);
    else out.out[out.first + static_cast<std::uint64_t>(i)] = view(item);
}

/// An output in the form that kernels and host threads take.
template <class Out>
auto carry_output(const Out& out) {
    if constexpr (std::is_pointer_v<Out>) return carry(out);
    else return OutputFrom<Out>{out};
}
/// An input in that form.
template <class In>
auto carry_input(const In& in) {
    if constexpr (std::is_pointer_v<In>) return carry(read_only(in));
    else if constexpr (is_plain_item<item_of<In>>) return in;
    else return CarriedInput<In>{in};
}
template <class In>
auto carry_input(const Reversed<In>& in) {
    const auto items = carry_input(in.in);
    return Reversed<std::remove_const_t<decltype(items)>>{items, in.bound, in.count};
}

}  // namespace kogge::detail

namespace kogge {

template <class In>
inline constexpr bool runs_on_host<detail::InputFrom<In>> = runs_on_host<In>;
template <class Out>
inline constexpr bool runs_on_host<detail::OutputFrom<Out>> = runs_on_host<Out>;

/// An input whose item i is i, for any number of items: compact_indices(kogge::positions{}, out, n, predicate) keeps
/// the numbers i < n with predicate(i).
struct positions : detail::Positions<std::uint64_t> {};

}  // namespace kogge
