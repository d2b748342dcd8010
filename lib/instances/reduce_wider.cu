// kogge-parts: 5
#include "kogge/reduce/launch.cuh"
#include "parts.hpp"

namespace kogge::grid {
#define KOGGE_INSTANCE(T, Sum) KOGGE_REDUCE_OF(, T, Sum, plus)
KOGGE_WIDER_SUMS_OF_PART(KOGGE_INSTANCE)
}  // namespace kogge::grid
