#include "kogge/grid/radix_sort.cuh"

namespace kogge::grid {
#define KOGGE_INSTANCE(Key) KOGGE_RADIX_SORT_OF(, Key)
KOGGE_STORED_KEYS(KOGGE_INSTANCE)
}  // namespace kogge::grid
