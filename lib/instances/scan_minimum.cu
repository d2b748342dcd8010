#include "kogge/grid/scan.cuh"

namespace kogge::grid {
#define KOGGE_INSTANCE(T) KOGGE_SCAN_OF(, T, T, minimum)
KOGGE_NUMBERS(KOGGE_INSTANCE)
}  // namespace kogge::grid
