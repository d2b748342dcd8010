// How the device code that is told types and operators at run time (kogge/detail/prebuilt_told.hpp) is told those of a
// call.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "c/checks.hpp"
#include "c/types.hpp"
#include "kogge/detail/prebuilt_told.hpp"

namespace kogge::c {

/// What stands for sums: unsigned words for integers of both kinds.
template <class Sum>
struct ToldSum {
    using type = Sum;
};
template <class Sum>
requires std::is_integral_v<Sum>
struct ToldSum<Sum> {
    using type = std::make_unsigned_t<Sum>;
};
template <class Sum>
using told_sum = typename ToldSum<Sum>::type;

template <class Sum>
told_sum<Sum>* told_sums(void* sums) {
    return static_cast<told_sum<Sum>*>(sums);
}

/// What reads the items of type T as sums.
template <class T, class Sum>
auto told_items(const T* in) {
    using Word = told_sum<Sum>;
    constexpr bool are_told =
        sizeof(T) < sizeof(Sum) && !std::is_same_v<Sum, double> && !std::is_same_v<Sum, std::uint32_t>;
    if constexpr (are_told) {
        using Numbers = grid::ToldNumbers<Word>;
        using Type = typename Numbers::Type;
        constexpr bool is_signed = std::is_signed_v<T>;
        if constexpr (std::is_same_v<T, half>) return Numbers{Type::half, in};
        else if constexpr (std::is_same_v<T, bfloat16>) return Numbers{Type::bfloat16, in};
        else if constexpr (sizeof(T) == 1) return Numbers{is_signed ? Type::i8 : Type::u8, in};
        else if constexpr (sizeof(T) == 2) return Numbers{is_signed ? Type::i16 : Type::u16, in};
        else return Numbers{is_signed ? Type::i32 : Type::u32, in};
    } else {
        return reinterpret_cast<const told_sum<T>*>(in);
    }
}

template <class Sum>
grid::ToldOperator told_operator(kogge_operator op) {
    using Which = grid::ToldOperator::Which;
    return {op == KOGGE_PLUS      ? Which::plus
            : op == KOGGE_MAXIMUM ? Which::maximum
                                  : Which::minimum,
            std::is_signed_v<Sum>};
}

/// Calls f(keys, equal), or throws errc::not_built: device code knows keys of 1 to 8 bytes.
template <class F>
void with_told_keys(const char* call, const void* keys, const TypeInfo& type, const F& f) {
    if (type.bytes > 8) report_not_on_device(call);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * type.bytes);
    const grid::ToldEqual equal =
        type.kind == number_kind::floating ? grid::ToldEqual{all >> 1, type.infinity} : grid::ToldEqual{all, all};
    f(grid::ToldKeys{keys, static_cast<std::uint32_t>(type.bytes)}, equal);
}

}  // namespace kogge::c
