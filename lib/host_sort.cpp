// The host backend's sorts of numbers.
#include "kogge/host/radix_sort.hpp"

namespace kogge::host {
KOGGE_HOST_SORTS()
}  // namespace kogge::host
