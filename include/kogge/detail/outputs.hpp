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

/// The type in which sums from an initial value are accumulated: the value's own; of numbers the one that it and the
/// results have in common. So a literal 0 before 64-bit or fractional items loses nothing.
template <class Init, class Result>
struct AccumulatorOf {
    using type = Init;
};
template <class Init, class Result>
requires(std::is_arithmetic_v<Init>&& std::is_arithmetic_v<Result>) struct AccumulatorOf<Init, Result> {
    using type = std::common_type_t<Init, Result>;
};
template <class Init, class Result>
requires(std::is_integral_v<Init> && !std::is_arithmetic_v<Result> &&
         std::is_convertible_v<Init, Result>) struct AccumulatorOf<Init, Result> {
    using type = Result;
};
template <class Init, class Result>
using accumulator_of = typename AccumulatorOf<Init, Result>::type;

/// An initial value of sums of items, in the type in which they accumulate for such results.
template <class Item, class Result, class Init>
accumulator_of<Init, Result> initial_sum(const Init& init) {
    check_init<Init, Item>();
    return static_cast<accumulator_of<Init, Result>>(init);
}

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
