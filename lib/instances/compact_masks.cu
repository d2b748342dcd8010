#include "kogge/grid/compact.cuh"

namespace kogge::grid {
#define KOGGE_INSTANCE(T) KOGGE_COMPACT_OF(, T, ByMask)
KOGGE_NUMBERS(KOGGE_INSTANCE)
}  // namespace kogge::grid
