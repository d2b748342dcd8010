#include "kogge/segmented/launch.cuh"
#include "parts.hpp"

namespace kogge::grid {
#define KOGGE_LAUNCH(Value, Key, Codec) KOGGE_SEGMENTED_LAUNCH_OF(, Value, Key, Codec)
#define KOGGE_SORT(Moved, Key, Codec) KOGGE_SEGMENTED_SORT_OF(, Moved, Key, Codec)
KOGGE_MOVED_OF_PART(KOGGE_LAUNCH, KOGGE_SORT, ::kogge::uint128, NumberCodec)
}  // namespace kogge::grid
