// kogge-parts: 5
#include "kogge/reduce/launch.cuh"
#include "parts.hpp"

namespace kogge::grid {
#define KOGGE_INSTANCE(T) KOGGE_REDUCE_OF(, T, T, maximum)
KOGGE_NUMBERS_OF_PART(KOGGE_INSTANCE)
}  // namespace kogge::grid
