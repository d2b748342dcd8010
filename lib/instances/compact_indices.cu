// kogge-parts: 3
#include "kogge/compact/launch.cuh"
#include "parts.hpp"

#define KOGGE_INDICES_0(X) X(ByFlag) X(ByMask)
#define KOGGE_INDICES_1(X) X(ByNonzero<std::uint16_t>) X(ByNonzero<std::uint32_t>)
#define KOGGE_INDICES_2(X) X(ByNonzero<std::uint64_t>) X(ByNonzero<::kogge::uint128>)
#define KOGGE_INDICES_ALL KOGGE_INDEX_DECISIONS

namespace kogge::grid {
#define KOGGE_INSTANCE(Keep) KOGGE_INDICES_OF(, std::uint32_t, Keep) KOGGE_INDICES_OF(, std::uint64_t, Keep)
KOGGE_OF_PART(KOGGE_INDICES_, KOGGE_PART)(KOGGE_INSTANCE)
}  // namespace kogge::grid
