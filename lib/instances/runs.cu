// kogge-parts: 4
#include "kogge/runs/launch.cuh"
#include "parts.hpp"

#define KOGGE_RUNS_0(X) X(std::uint8_t)
#define KOGGE_RUNS_1(X) X(std::uint16_t)
#define KOGGE_RUNS_2(X) X(std::uint32_t)
#define KOGGE_RUNS_3(X) X(std::uint64_t)
#define KOGGE_RUNS_ALL KOGGE_RANKED_KEYS

namespace kogge::grid {
#define KOGGE_INSTANCE(Key) KOGGE_STORED_RUNS_OF(, Key)
KOGGE_OF_PART(KOGGE_RUNS_, KOGGE_PART)(KOGGE_INSTANCE)
}  // namespace kogge::grid
