// Inputs of calls: pointers, and what has operator[] (counting, transforming, zipping inputs).
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/detail/reversed.hpp"
#include "kogge/exec.hpp"
#include "kogge/traits.hpp"

namespace kogge::detail {

/// An input or output of n items for check_call, which sees only arrays.
template <class In>
Region input_region(const char* call, const In& in, std::uint64_t n, const char* name) {
    if constexpr (std::is_pointer_v<In>) return {in, bytes_of(call, n, sizeof(*in)), name};
    else return {nullptr, 0, name};
}

/// Makes a pointer read-only, so that a mutable one finds the same code.
template <class In>
auto read_only(const In& in) {
    if constexpr (std::is_pointer_v<In>) return static_cast<const std::remove_pointer_t<In>*>(in);
    else return in;
}

/// The input with its items as they are carried. A reversed input remains reversed.
template <class In>
auto carry_input(const In& in) {
    if constexpr (std::is_pointer_v<In>) return carry(in);
    else return CarriedInput<In>{in};
}
template <class In>
auto carry_input(const Reversed<In>& in) {
    const auto items = carry_input(in.in);
    return Reversed<std::remove_const_t<decltype(items)>>{items, in.bound, in.count};
}
/// The same where the items may be plain: then they are carried as they are.
template <class In>
auto carry_items(const In& in) {
    if constexpr (std::is_pointer_v<In> || !is_plain_item<item_of<In>>) return carry_input(in);
    else return in;
}

}  // namespace kogge::detail
