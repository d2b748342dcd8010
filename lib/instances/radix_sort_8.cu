#include "kogge/grid/radix_sort.cuh"

namespace kogge::grid {
KOGGE_RADIX_SORT_OF(, std::uint8_t)
}  // namespace kogge::grid
