// The calls of compact_arrays.hpp in the order of arguments that they had until version 0.2: n before the outputs.
#pragma once

#include "kogge/compact_arrays.hpp"

namespace kogge::KOGGE_CODE {

template <class... In, class... Out, class Predicate>
[[deprecated("n follows the outputs: compact(in, out, n, predicate)")]] std::uint64_t compact(
    array_pack<In...> in, item_count n, array_pack<Out...> out, Predicate predicate, const exec& how = {}) {
    return compact(in, out, n, predicate, how);
}
template <class... In, class... Out, detail::count_place Place, class Predicate>
[[deprecated("n follows the outputs: compact(in, out, kept, n, predicate)")]] detail::count_result<Place> compact(
    array_pack<In...> in, item_count n, array_pack<Out...> out, Place place, Predicate predicate,
    const exec& how = {}) {
    return compact(in, out, place, n, predicate, how);
}
template <class... In, class... Out, detail::item_flags Flags>
[[deprecated("n follows the outputs: compact_flags(in, flags, out, n)")]] std::uint64_t compact_flags(
    array_pack<In...> in, Flags flags, item_count n, array_pack<Out...> out, const exec& how = {}) {
    return compact_flags(in, flags, out, n, how);
}
template <class... In, class... Out, detail::item_flags Flags, detail::count_place Place>
[[deprecated("n follows the outputs: compact_flags(in, flags, out, kept, n)")]] detail::count_result<Place>
compact_flags(array_pack<In...> in, Flags flags, item_count n, array_pack<Out...> out, Place place,
              const exec& how = {}) {
    return compact_flags(in, flags, out, place, n, how);
}
template <class... In, class... Out, class Stencil, class Predicate>
[[deprecated("n follows the outputs: compact_stencil(in, stencil, out, n, predicate)")]] std::uint64_t compact_stencil(
    array_pack<In...> in, const Stencil* stencil, item_count n, array_pack<Out...> out, Predicate predicate,
    const exec& how = {}) {
    return compact_stencil(in, stencil, out, n, predicate, how);
}
template <class... In, class... Out, class Stencil, detail::count_place Place, class Predicate>
[[deprecated(
    "n follows the outputs: compact_stencil(in, stencil, out, kept, n, predicate)")]] detail::count_result<Place>
compact_stencil(array_pack<In...> in, const Stencil* stencil, item_count n, array_pack<Out...> out, Place place,
                Predicate predicate, const exec& how = {}) {
    return compact_stencil(in, stencil, out, place, n, predicate, how);
}

}  // namespace kogge::KOGGE_CODE
