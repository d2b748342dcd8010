// The types and operators of sums: scans and reductions.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "c/arguments.hpp"
#include "c/types.hpp"
#include "kogge/operators.hpp"

namespace kogge::c {

/// The item that changes no other.
template <class Sum>
Sum neutral(plus) {
    return Sum{};
}
template <class Sum>
Sum neutral(maximum) {
    using Limits = std::numeric_limits<Sum>;
    return Limits::has_infinity ? static_cast<Sum>(-Limits::infinity()) : Limits::lowest();
}
template <class Sum>
Sum neutral(minimum) {
    using Limits = std::numeric_limits<Sum>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

/// Where a scan begins: at the caller's initial value, or, without one, at the neutral item.
template <class Sum, class Op>
Sum init_of(const void* given, Op op) {
    Sum init = neutral<Sum>(op);
    if (given) std::memcpy(&init, given, sizeof init);
    return init;
}

/// Calls f(T{}, Sum{}) for narrower items and their sums. Returns false if there is no such pair.
template <class F>
bool with_wider_sum(kogge_type type, kogge_type out, const F& f) {
    const auto is = [&](kogge_type item, kogge_type sum) { return type == item && out == sum; };
    if (is(KOGGE_U8, KOGGE_U32)) f(std::uint8_t{}, std::uint32_t{});
    else if (is(KOGGE_U8, KOGGE_U64) || is(KOGGE_BOOL, KOGGE_U64)) f(std::uint8_t{}, std::uint64_t{});
    else if (is(KOGGE_BOOL, KOGGE_I64)) f(std::uint8_t{}, std::uint64_t{});  // the same bits
    else if (is(KOGGE_U16, KOGGE_U64)) f(std::uint16_t{}, std::uint64_t{});
    else if (is(KOGGE_U32, KOGGE_U64)) f(std::uint32_t{}, std::uint64_t{});
    else if (is(KOGGE_I8, KOGGE_I64)) f(std::int8_t{}, std::int64_t{});
    else if (is(KOGGE_I16, KOGGE_I64)) f(std::int16_t{}, std::int64_t{});
    else if (is(KOGGE_I32, KOGGE_I64)) f(std::int32_t{}, std::int64_t{});
    else if (is(KOGGE_F16, KOGGE_F32)) f(half{}, float{});
    else if (is(KOGGE_BF16, KOGGE_F32)) f(bfloat16{}, float{});
    else if (is(KOGGE_F32, KOGGE_F64)) f(float{}, double{});
    else return false;
    return true;
}

/// Any of the operators, told at run time, for what waits for memory more than for it.
struct AnyOperator {
    kogge_operator op;
    template <class T>
    T operator()(const T& a, const T& b) const {
        if (op == KOGGE_PLUS) return static_cast<T>(plus{}(a, b));
        return op == KOGGE_MAXIMUM ? maximum{}(a, b) : minimum{}(a, b);
    }
};
template <class Sum>
Sum neutral(AnyOperator by) {
    if (by.op == KOGGE_PLUS) return neutral<Sum>(plus{});
    return by.op == KOGGE_MAXIMUM ? neutral<Sum>(maximum{}) : neutral<Sum>(minimum{});
}

/// Calls f(T{}, Sum{}) for the items and results of calls by this operator; `calls` names them in a message.
template <class F>
void with_sums(const char* call, const char* calls, kogge_type type, kogge_type out, kogge_operator op, const F& f) {
    number_of(call, type, "items");
    number_of(call, out, "results");
    const auto same = [&]<class T>(T) { f(T{}, T{}); };
    const bool are_bools = type == KOGGE_BOOL && out == KOGGE_BOOL && op != KOGGE_PLUS;
    if (are_bools ? with_arithmetic(KOGGE_U8, same) : type == out && with_arithmetic(type, same)) return;
    if (op == KOGGE_PLUS && with_wider_sum(type, out, f)) return;
    throw error(errc::not_built, call,
                std::string("the library has no code for ") + calls + " of " + name_of(type) + " to " + name_of(out) +
                    " by this operator");
}

/// Calls f(Op{}) for the operator; of a narrower type there are only sums.
template <class T, class Sum, class F>
void with_operator(kogge_operator op, const F& f) {
    if constexpr (std::is_same_v<T, Sum>) {
        if (op == KOGGE_MAXIMUM) return f(maximum{});
        if (op == KOGGE_MINIMUM) return f(minimum{});
    }
    f(plus{});
}

}  // namespace kogge::c
