// What stands in for the prebuilt reductions in a build without a device, as none_instances.cpp does for other calls.
#include "kogge/detail/prebuilt_reduce.hpp"

namespace kogge::grid {

template <class Code, class In, class Acc, class Op, class View, class Store>
void device_reduce(const char* call, In, const item_count&, Op, const View&, const detail::ReduceStart<Acc>&,
                   const Store&, const exec&) {
    throw error(errc::unreachable, call, "this build of the library has no device code");
}

#define KOGGE_INSTANCE(T)            \
    KOGGE_REDUCE_OF(, T, T, plus)    \
    KOGGE_REDUCE_OF(, T, T, maximum) \
    KOGGE_REDUCE_OF(, T, T, minimum) KOGGE_ARG_REDUCE_OF(, T, false) KOGGE_ARG_REDUCE_OF(, T, true)
KOGGE_NUMBERS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE
#define KOGGE_INSTANCE(T, Sum) KOGGE_REDUCE_OF(, T, Sum, plus)
KOGGE_WIDER_SUMS(KOGGE_INSTANCE)
#undef KOGGE_INSTANCE

}  // namespace kogge::grid
