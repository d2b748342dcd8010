#include "kogge/grid/radix_sort.cuh"

namespace kogge::grid {
KOGGE_RADIX_SORT_OF(, ::kogge::uint128)
}  // namespace kogge::grid
