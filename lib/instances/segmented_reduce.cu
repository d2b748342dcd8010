// kogge-parts: 6
#include "kogge/detail/prebuilt_told.hpp"
#include "kogge/reduce/segments.cuh"
#include "parts.hpp"

namespace kogge::grid {

template <class In, class Sum, class Op>
void told_segmented_reduce(const char* call, In in, Sum* out, const item_count& n,
                           const detail::DeviceSegments& segments, bool are_rows, Op op,
                           const detail::ReduceStart<Sum>& start, const exec& how) {
    device_segmented_reduce(call, in, n, segments, are_rows, op, detail::AsItem<Sum>{}, start,
                            detail::ToPlaces<Sum>{out}, how);
}

#define KOGGE_INSTANCE(In, Sum, Op) KOGGE_TOLD_SEGMENTED_REDUCE_OF(, In, Sum, Op)
KOGGE_TOLD_FOLDS_OF_PART(KOGGE_INSTANCE)

}  // namespace kogge::grid
