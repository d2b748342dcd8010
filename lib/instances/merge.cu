// kogge-parts: 5
#include "kogge/merge/launch.cuh"
#include "parts.hpp"

namespace kogge::grid {
#define KOGGE_INSTANCE(T) KOGGE_MERGES_OF(, T)
KOGGE_NUMBERS_OF_PART(KOGGE_INSTANCE)
}  // namespace kogge::grid
