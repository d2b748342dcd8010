// The device code of reductions that the library holds ready, as detail/prebuilt.hpp has it of the other calls.
#pragma once

#include <cstdint>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/detail/reductions.hpp"

namespace kogge::grid {

/// Reduces view(i, in[i]) from `start` and passes the result to `store`. The arguments have been checked.
template <class Code, class In, class Acc, class Op, class View, class Store>
void device_reduce(const char* call, In in, const item_count& n, Op op, const View& view,
                   const detail::ReduceStart<Acc>& start, const Store& store, const exec& how);

// clang-format off
#define KOGGE_REDUCE_AS(prefix, In, Acc, Op, View, Store)                                                    \
    prefix template void device_reduce<LibraryCode>(const char*, In, const item_count&, Op, const View&, \
                                                    const detail::ReduceStart<Acc>&, const Store&, const exec&);
#define KOGGE_REDUCE_OF(prefix, T, Sum, Op) \
    KOGGE_REDUCE_AS(prefix, const T*, Sum, Op, detail::AsItem<Sum>, detail::ToPlace<Sum>)
#define KOGGE_ARG_REDUCE_OF(prefix, T, greatest)                                                               \
    KOGGE_REDUCE_AS(prefix, const T*, detail::Indexed<T>, detail::FirstExtreme<greatest>, detail::AsIndexed<T>, \
                    detail::ToIndexedPlaces<T>)
// clang-format on

#define KOGGE_DECLARE_REDUCE(T, Sum, Op) \
    KOGGE_REDUCE_OF(extern, T, Sum, Op)  \
    template <>                          \
    inline constexpr bool is_prebuilt<const T*, Sum, Op, detail::AsItem<Sum>, detail::ToPlace<Sum>> = true;
#define KOGGE_DECLARE_ARG_REDUCE(T, greatest)                                                       \
    KOGGE_ARG_REDUCE_OF(extern, T, greatest)                                                        \
    template <>                                                                                     \
    inline constexpr bool is_prebuilt<const T*, detail::Indexed<T>, detail::FirstExtreme<greatest>, \
                                      detail::AsIndexed<T>, detail::ToIndexedPlaces<T>> = true;
#define KOGGE_DECLARE(T)                \
    KOGGE_DECLARE_REDUCE(T, T, plus)    \
    KOGGE_DECLARE_REDUCE(T, T, maximum) \
    KOGGE_DECLARE_REDUCE(T, T, minimum) \
    KOGGE_DECLARE_ARG_REDUCE(T, false)  \
    KOGGE_DECLARE_ARG_REDUCE(T, true)
KOGGE_NUMBERS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#define KOGGE_DECLARE(T, Sum) KOGGE_DECLARE_REDUCE(T, Sum, plus)
KOGGE_WIDER_SUMS(KOGGE_DECLARE)
#undef KOGGE_DECLARE
#undef KOGGE_DECLARE_REDUCE
#undef KOGGE_DECLARE_ARG_REDUCE

}  // namespace kogge::grid
