// Outputs of calls: pointers, and what is assigned by operator[] (transforming, discarding, strided outputs).
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kogge/detail/reversed.hpp"
#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"

namespace kogge::detail {

/// A pointer to items that cannot be written.
template <class Out>
inline constexpr bool is_const_array = std::is_pointer_v<Out>&& std::is_const_v<std::remove_pointer_t<Out>>;

/// The type of the results that a call of input `In` writes to `Out`: that of the items to which out[i] refers; where
/// out[i] is no reference to an item, or to one that holds nothing (as Thrust's discarding outputs have), that of the
/// input's items.
template <class In, class Out>
struct ResultOf {
    using type = item_of<In>;
};
template <class In, class Out>
requires(std::is_lvalue_reference_v<reference_of<Out>> &&
         !std::is_empty_v<std::remove_cvref_t<reference_of<Out>>>) struct ResultOf<In, Out> {
    using type = std::remove_cvref_t<reference_of<Out>>;
};
template <class In, class Out>
using result_of = typename ResultOf<In, Out>::type;

/// An output that stores map(result) in the place of a result.
template <class Out, class Map>
struct MappedOutput {
    struct Place {
        const Out& out;
        std::uint64_t at;
        template <class Result>
        KOGGE_HOST_DEVICE void operator=(const Result& result) const {
            out[at] = Map::of(result);
        }
    };
    Out out;
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t i) const { return {out, i}; }
};

struct ViewOfCarried {
    template <class Result>
    KOGGE_HOST_DEVICE static const auto& of(const Result& result) {
        return view(result);
    }
};

/// The output of results of type Result as they are carried.
template <class Result, class Out>
auto carry_results(const Out& out) {
    if constexpr (std::is_pointer_v<Out>) return carry(out);
    else if constexpr (is_plain_item<Result>) return out;
    else return MappedOutput<Out, ViewOfCarried>{out};
}

}  // namespace kogge::detail

namespace kogge {
template <class Out, class Map>
inline constexpr bool runs_on_host<detail::MappedOutput<Out, Map>> = runs_on_host<Out>;
}  // namespace kogge
