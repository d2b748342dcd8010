// The host backend's sorts of numbers.
#include "kogge/host/radix_sort.hpp"

namespace kogge::host {
#define KOGGE_BUILD(Key) KOGGE_HOST_SORT_OF(, Key)
KOGGE_STORED_KEYS(KOGGE_BUILD)
}  // namespace kogge::host
