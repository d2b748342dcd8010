// kogge-parts: 4
#include "kogge/select/launch_segments.cuh"
#include "parts.hpp"

#define KOGGE_SELECT_0(X, Y) X(std::uint8_t)
#define KOGGE_SELECT_1(X, Y) X(std::uint16_t) Y(std::uint16_t)
#define KOGGE_SELECT_2(X, Y) X(std::uint32_t) Y(std::uint32_t)
#define KOGGE_SELECT_3(X, Y) X(std::uint64_t) Y(std::uint64_t)
#define KOGGE_SELECT_ALL(X, Y) KOGGE_RANKED_KEYS(X) KOGGE_FLOAT_KEYS(Y)

namespace kogge::grid {
#define KOGGE_NUMBER(Key) KOGGE_SEGMENTED_SELECT_OF(, Key, NumberCodec)
#define KOGGE_MERGING(Key) KOGGE_SEGMENTED_SELECT_OF(, Key, MergingCodec)
KOGGE_OF_PART(KOGGE_SELECT_, KOGGE_PART)(KOGGE_NUMBER, KOGGE_MERGING)
}  // namespace kogge::grid
