// Items with keys, as reductions by key read and accumulate them: a value, and whether a run of equal keys begins.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kogge/detail/flagged.hpp"
#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"

namespace kogge::detail {

/// The fold of an interval: the number of runs that begin in it, and the fold of its items from the last of these
/// beginnings on; of all its items, if no run begins. `wide` numbers have 64 bits, in words, so that they align as
/// words do.
template <class Sum, bool wide>
struct RunSum {
    Sum value;
    std::uint32_t runs[wide ? 2 : 1];

    KOGGE_HOST_DEVICE static RunSum of(const Sum& value, bool is_head) {
        RunSum sum{value, {is_head ? 1u : 0u}};
        return sum;
    }
    KOGGE_HOST_DEVICE std::uint64_t number() const {
        if constexpr (wide) return std::uint64_t{runs[1]} << 32 | runs[0];
        else return runs[0];
    }
    KOGGE_HOST_DEVICE bool any() const {
        if constexpr (wide) return (runs[0] | runs[1]) != 0;
        else return runs[0] != 0;
    }
};

template <class Op>
struct AddRunSums {
    Op op;
    template <class Sum, bool wide>
    KOGGE_HOST_DEVICE RunSum<Sum, wide> operator()(const RunSum<Sum, wide>& a, const RunSum<Sum, wide>& b) const {
        RunSum<Sum, wide> sum = b;
        if (!b.any()) sum.value = static_cast<Sum>(op(a.value, b.value));
        sum.runs[0] += a.runs[0];
        if constexpr (wide) sum.runs[1] += a.runs[1] + (sum.runs[0] < a.runs[0] ? 1u : 0u);
        return sum;
    }
};

template <class Keys, class Values_, class Sum_, class Equal, bool wide>
struct KeyedItems {
    using Values = Values_;
    using Value = item_of<Values>;
    using Sum = Sum_;
    using Heads = KeyHeads<Keys, Equal>;

    Values values;
    Heads heads;

    KOGGE_HOST_DEVICE RunSum<Sum, wide> operator[](std::uint64_t i) const {
        return RunSum<Sum, wide>::of(static_cast<Sum>(values[i]), heads.starts(i));
    }
};

}  // namespace kogge::detail
