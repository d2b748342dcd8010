// kogge-parts: 5
#include "kogge/compact/launch.cuh"
#include "parts.hpp"

namespace kogge::grid {
#define KOGGE_INSTANCE(T) KOGGE_COMPACT_OF(, false, T, ByFlag) KOGGE_COMPACT_OF(, true, T, ByFlag)
KOGGE_NUMBERS_OF_PART(KOGGE_INSTANCE)
}  // namespace kogge::grid
