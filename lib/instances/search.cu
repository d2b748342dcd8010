// kogge-parts: 5
#include "kogge/search/launch.cuh"
#include "parts.hpp"

namespace kogge::grid {
#define KOGGE_INSTANCE(T) KOGGE_SEARCHES_OF(, T)
KOGGE_NUMBERS_OF_PART(KOGGE_INSTANCE)
}  // namespace kogge::grid
