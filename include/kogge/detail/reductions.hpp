// The parts of a reduction: what an item counts as, what no items give, and where the result goes.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "kogge/operators.hpp"
#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"

namespace kogge::detail {

/// The fold of no items: of plus 0, of maximum the least number and of minimum the greatest one (an infinity, if the
/// type has them), of any other operator a value-initialised T.
template <class Op, class T>
constexpr T identity_of() {
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::is_specialized && std::is_same_v<Op, maximum>)
        return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
    else if constexpr (Limits::is_specialized && std::is_same_v<Op, minimum>)
        return Limits::has_infinity ? Limits::infinity() : (Limits::max)();
    else return T{};
}

/// Where a reduction starts: at an initial value, which precedes the items, or at nothing. Without items, the result
/// is `value` in either case.
template <class Acc>
struct ReduceStart {
    Acc value;
    bool is_init;

    /// The result for `total`, the fold of all items, if there are any.
    template <class Op>
    KOGGE_HOST_DEVICE Acc result(const Acc& total, bool any, Op op) const {
        if (!any) return value;
        return is_init ? static_cast<Acc>(op(value, total)) : total;
    }
};

// ---- what an item counts as: view(index, item) ---------------------------------------------------------

template <class Acc>
struct AsItem {
    template <class Item>
    KOGGE_HOST_DEVICE Acc operator()(std::uint64_t, const Item& item) const {
        return static_cast<Acc>(item);
    }
};

template <class Acc, class Function>
struct AsTransformed {
    Function function;
    template <class Item>
    KOGGE_HOST_DEVICE Acc operator()(std::uint64_t, const Item& item) const {
        return static_cast<Acc>(function(view(item)));
    }
};

/// An item and its index, as arg_min and arg_max compare them.
template <class T>
struct Indexed {
    T item;
    std::uint64_t index;
};
/// The index of no item.
inline constexpr std::uint64_t kNoIndex = ~std::uint64_t{0};

template <class T>
struct AsIndexed {
    KOGGE_HOST_DEVICE Indexed<T> operator()(std::uint64_t index, const T& item) const { return {item, index}; }
};

/// The first of the items that none is less than, or greater than. A NaN counts as less, or greater, than every number.
template <bool greatest>
struct FirstExtreme {
    template <class T>
    KOGGE_HOST_DEVICE static bool precedes(const T& a, const T& b) {
        if constexpr (has_nans<T>) return !(greatest ? a <= b : a >= b) && b == b;
        else return greatest ? b < a : a < b;
    }
    /// Whether the fold of two items, of which `later` has the greater index, is `later`.
    template <class T>
    KOGGE_HOST_DEVICE static bool picks(const T& earlier, const T& later) {
        return precedes(later, earlier);
    }
    template <class T>
    KOGGE_HOST_DEVICE Indexed<T> operator()(const Indexed<T>& a, const Indexed<T>& b) const {
        const bool is_b = precedes(b.item, a.item) || (b.index < a.index && !precedes(a.item, b.item));
        return {is_b ? b.item : a.item, is_b ? b.index : a.index};
    }
};

/// Whether operands may change places without a change of the result's bits. Then a thread folds items that are apart
/// from each other, and the threads' folds meet once, at the end.
template <class Op, class Acc>
inline constexpr bool commutes = (std::is_same_v<Op, plus> && std::is_arithmetic_v<Acc>) ||
                                 ((std::is_same_v<Op, maximum> ||
                                   std::is_same_v<Op, minimum>)&&std::is_integral_v<Acc>);
template <bool greatest, class T>
inline constexpr bool commutes<FirstExtreme<greatest>, Indexed<T>> = true;

/// Whether the association does not change the result's bits either.
template <class Op, class Acc>
inline constexpr bool is_exact = commutes<Op, Acc> && !std::is_floating_point_v<Acc>;

/// Whether the fold of items is what one of them counts as, and of two items in the order of their indices
/// op.picks(earlier, later) tells which. Then a thread that meets its items in order keeps an item and where it stands.
template <class Op, class View>
inline constexpr bool picks_item = false;
template <bool greatest, class T>
inline constexpr bool picks_item<FirstExtreme<greatest>, AsIndexed<T>> = true;

// ---- where the result goes: store(result) --------------------------------------------------------------

template <class Out>
struct ToPlace {
    Out* out;
    template <class Acc>
    KOGGE_HOST_DEVICE void operator()(const Acc& result) const {
        *out = static_cast<Out>(result);
    }
};
/// Result s of several goes to out[s].
template <class Out>
struct ToPlaces {
    Out* out;
    template <class Acc>
    KOGGE_HOST_DEVICE void operator()(std::uint64_t s, const Acc& result) const {
        out[s] = static_cast<Out>(result);
    }
};

/// The index, as 32 or 64 bits, and the item. Either pointer may be null.
template <class T>
struct ToIndexedPlaces {
    T* item;
    std::uint32_t* index32;
    std::uint64_t* index64;
    KOGGE_HOST_DEVICE void operator()(const Indexed<T>& result) const {
        if (item) *item = result.item;
        if (index32) *index32 = static_cast<std::uint32_t>(result.index);
        if (index64) *index64 = result.index;
    }
};

}  // namespace kogge::detail

namespace kogge {
template <class T>
inline constexpr bool travels_as_bytes<detail::Indexed<T>> = travels_as_bytes<T>;
template <class Acc, class Function>
inline constexpr bool runs_on_host<detail::AsTransformed<Acc, Function>> = runs_on_host<Function>;
}  // namespace kogge
