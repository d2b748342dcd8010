// What scans by key and of segments accumulate: values with a flag where a run starts, at which the operator restarts.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/detail/reversed.hpp"
#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"

namespace kogge::detail {

/// A value and whether a run starts at it. Beside words the flag is a word, which needs no unpacking.
template <class T>
struct Flagged {
    T value;
    std::conditional_t<sizeof(T) % 4 == 0, std::uint32_t, bool> head;
};
template <class Op>
struct FlaggedOperator {
    Op op;
    template <class T>
    KOGGE_HOST_DEVICE Flagged<T> operator()(const Flagged<T>& a, const Flagged<T>& b) const {
        return b.head != 0 ? b : Flagged<T>{static_cast<T>(op(a.value, b.value)), a.head};
    }
};
/// The output of a flagged scan: the flag falls away.
template <class T>
struct FlaggedResult {
    T value;
    FlaggedResult() = default;
    KOGGE_HOST_DEVICE explicit FlaggedResult(const Flagged<T>& from) : value(from.value) {}
    KOGGE_HOST_DEVICE FlaggedResult& operator=(const Flagged<T>& from) {
        value = from.value;
        return *this;
    }
};

/// The same for outputs that are no arrays.
struct ValueOfFlagged {
    template <class T>
    KOGGE_HOST_DEVICE static const T& of(const FlaggedResult<T>& result) {
        return result.value;
    }
};

/// Runs start where neighbouring keys are unequal. `keys` is a pointer, or has operator[].
template <class Keys, class Equal>
struct KeyHeads {
    Keys keys;
    Equal equal;
    /// Without a branch, so that the loads of several calls can be in flight together.
    KOGGE_HOST_DEVICE bool starts(std::uint64_t i) const {
        const bool differs = !static_cast<bool>(equal(keys[i > 0 ? i - 1 : 0], keys[i]));
        return static_cast<int>(i == 0) + static_cast<int>(differs) > 0;
    }
};

/// An equality of neighbours whose order is reversed.
template <class Equal>
struct FlippedEqual {
    Equal equal;
    template <class Key>
    KOGGE_HOST_DEVICE bool operator()(const Key& later, const Key& earlier) const {
        return static_cast<bool>(equal(earlier, later));
    }
};

/// The input of a flagged scan: values from a pointer or anything that has operator[], and `heads`, which has
/// starts(i). Where it is shifted, for an exclusive scan, each place holds the item before it, and each head the
/// initial value. Sums are of a type of their own.
template <class In_, class Sum_, class Heads_, bool shifted>
struct RunsInput {
    using In = In_;
    using Value = item_of<In>;
    using Sum = Sum_;
    using Heads = Heads_;
    static constexpr bool kShifted = shifted;

    In in;
    Heads heads;
    carried<Sum> init;

    KOGGE_HOST_DEVICE Flagged<Sum> operator[](std::uint64_t i) const {
        const bool head = heads.starts(i);
        if constexpr (shifted) return {head ? view(init) : static_cast<Sum>(in[i - 1]), head};
        else return {static_cast<Sum>(in[i]), head};
    }
};
template <class In, class Sum, class Heads, bool shifted, class Out>
KOGGE_HOST_DEVICE Reversed<Out> results_of(const RunsInput<Reversed<In>, Sum, Heads, shifted>& input, const Out& out) {
    return {out, input.in.bound, input.in.count};
}

}  // namespace kogge::detail

namespace kogge {
template <class T>
inline constexpr bool travels_as_bytes<detail::Flagged<T>> = travels_as_bytes<T>;
template <class T>
inline constexpr bool travels_as_bytes<detail::FlaggedResult<T>> = travels_as_bytes<T>;
template <class Op>
inline constexpr bool runs_on_host<detail::FlaggedOperator<Op>> = runs_on_host<Op>;
template <class Equal>
inline constexpr bool runs_on_host<detail::FlippedEqual<Equal>> = runs_on_host<Equal>;
template <class Keys, class Equal>
inline constexpr bool runs_on_host<detail::KeyHeads<Keys, Equal>> = runs_on_host<Keys>&& runs_on_host<Equal>;
template <class In, class Sum, class Heads, bool shifted>
inline constexpr bool runs_on_host<detail::RunsInput<In, Sum, Heads, shifted>> = runs_on_host<In>&& runs_on_host<Heads>;
}  // namespace kogge
