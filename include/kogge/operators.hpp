// Operators and predicates for every backend. The library has prebuilt device code for plus, maximum, minimum and
// compare.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/simt/config.hpp"

struct __half;         // CUDA's
struct __nv_bfloat16;  // CUDA's

namespace kogge {

namespace detail {
template <class T>
inline constexpr bool has_nans =
    std::is_floating_point_v<T> || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

template <class T>
concept has_plus = requires(const T& a, const T& b) {
    a + b;
};
template <class T>
concept has_equal = requires(const T& a, const T& b) {
    a == b;
};
template <class B, class A = B>
concept has_less = requires(const A& a, const B& b) {
    a < b;
};
}  // namespace detail

/// The sum. Integers wrap around, signed ones too.
struct plus {
    template <detail::has_plus T>
    KOGGE_HOST_DEVICE constexpr auto operator()(const T& a, const T& b) const {
        if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) >= sizeof(int)) {
            using Bits = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<Bits>(a) + static_cast<Bits>(b));
        } else {
            return a + b;
        }
    }
};

/// The larger item; `a` if neither is less than the other. A NaN wins over every number, as in IEEE 754-2019's maximum,
/// and the later of two NaNs wins: so the operator is associative for all items.
struct maximum {
    template <detail::has_less T>
    KOGGE_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const {
        if constexpr (detail::has_nans<T>) return a < b || b != b ? b : a;
        else return a < b ? b : a;
    }
};

/// The smaller item; `a` if neither is less than the other. A NaN wins, as in `maximum`.
struct minimum {
    template <detail::has_less T>
    KOGGE_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const {
        if constexpr (detail::has_nans<T>) return b < a || b != b ? b : a;
        else return b < a ? b : a;
    }
};

struct equal_to {
    template <detail::has_equal T>
    KOGGE_HOST_DEVICE constexpr bool operator()(const T& a, const T& b) const {
        return a == b;
    }
};

/// Whether `a` comes before `b`, for merges and searches.
struct less {
    template <class A, detail::has_less<A> B>
    KOGGE_HOST_DEVICE constexpr bool operator()(const A& a, const B& b) const {
        return a < b;
    }
};

enum class relation : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };

/// The predicate `item <relation> value`, for compact and partition.
template <class T>
struct compare {
    relation test;
    T value;

    KOGGE_HOST_DEVICE constexpr bool operator()(const T& item) const {
        switch (test) {
            case relation::less:
                return item < value;
            case relation::less_equal:
                return item <= value;
            case relation::greater:
                return item > value;
            case relation::greater_equal:
                return item >= value;
            case relation::equal:
                return item == value;
            case relation::not_equal:
                return item != value;
        }
        return false;
    }
};

}  // namespace kogge
