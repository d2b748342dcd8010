// kogge-parts: 5
#include "kogge/scan/launch.cuh"
#include "parts.hpp"

namespace kogge::grid {
#define KOGGE_INSTANCE(T, Sum) KOGGE_SCAN_OF(, T, Sum, plus)
KOGGE_WIDER_SUMS_OF_PART(KOGGE_INSTANCE)
}  // namespace kogge::grid
