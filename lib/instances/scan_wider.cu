#include "kogge/grid/scan.cuh"

namespace kogge::grid {
#define KOGGE_INSTANCE(T, Sum) KOGGE_SCAN_OF(, T, Sum, plus)
KOGGE_WIDER_SUMS(KOGGE_INSTANCE)
}  // namespace kogge::grid
