// kogge-parts: 4
#include "kogge/sort/launch.cuh"
#include "parts.hpp"

namespace kogge::grid {
#define KOGGE_LAUNCH(Value, Key, Codec) KOGGE_RADIX_LAUNCH_OF(, Value, Key, Codec)
#define KOGGE_SORT(Moved, Key, Codec) KOGGE_RADIX_SORT_OF(, Moved, Key, Codec)
KOGGE_MOVED_OF_PART(KOGGE_LAUNCH, KOGGE_SORT, std::uint16_t, MergingCodec)
}  // namespace kogge::grid
